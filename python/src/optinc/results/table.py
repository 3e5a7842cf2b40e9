"""Results as tidy tables: one row per observation, one column per thing known of it."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
import xarray

from .._files import creating
from .errors import NotInResult
from .learning import difference_table, differences, final
from .run import CALCULATED, Run
from .text import cell

Table = dict[str, "np.ndarray[Any, Any]"]
"""Columns of one length, by name."""

STATISTICS = (("", "_mean", "_std", "_mean_low", "_mean_high", "_low", "_high"),
              ("_quantile", "_quantile_low", "_quantile_high"), ("_sum",))
"""Endings of the datasets that belong to one metric and share its axes."""


TABLES = ("trials", *CALCULATED, "laws", "training", "network")
"""Groups that a table is made of where none is named: the first that is there."""


def tidy(run: Run, metric: Optional[str] = None, group: Optional[str] = None) -> Table:
    """A table of `group` (default: `trials`, or of a file without them the group that it is about): one row per place on the axes of `metric` (sweep point, trial, variant, ...), in the order
    of the file. Columns: the axes, the keys of sweeps of several keys, `completed`, then the numbers, in the units of
    the file. Text columns are of type object, missing numbers NaN.

    In `summary`, `metric` brings all its statistics of the same axes; `word_accuracy_quantile` its quantiles.
    Without `metric`: every quantity that has the fewest axes, thus in `trials` all but those by layer or code error.

    Group `differences`, of trainings, is not in the file but computed: learning.difference_table(), of `metric` in place of
    final_accuracy where one is named.

    Raises NotInResult for a group or metric that is not there.
    """
    if group == "differences":
        return differences_of(run, metric)
    group = group or next((name for name in TABLES if run.group(name) is not None), TABLES[0])
    data = run.require(group)
    known = [str(name) for name, v in data.data_vars.items() if name == "completed" or is_key(run, v)]
    measured = [str(name) for name in data.data_vars if name not in known]
    if metric is None:
        fewest = min((len(data[name].dims) for name in measured), default=0)
        chosen = [name for name in measured if len(data[name].dims) == fewest]
    else:
        chosen = next((found for endings in STATISTICS
                       if (found := [metric + ending for ending in endings if metric + ending in measured])), [])
    if not chosen:
        raise NotInResult(f"{run.path} has no '{metric or 'quantity'}' in the group '{group}' "
                          f"(it has {', '.join(measured) or 'none'}). Choose one of these.")
    shape = data[chosen[0]]
    chosen = [name for name in chosen if data[name].dims == shape.dims]
    known = [name for name in known if set(data[name].dims) <= set(shape.dims)]
    table = {str(dim): column(shape[dim], shape) for dim in shape.dims}
    table.update({name: column(data[name], shape) for name in known + chosen})
    return table


def differences_of(run: Run, metric: Optional[str]) -> Table:
    """learning.difference_table(), of a metric in place of the accuracy where one is named, with the place of every path on its
    axis: paths of several sums may have one name."""
    table = difference_table(run)
    if metric is not None:
        known = [str(name) for name in run.require("trials").data_vars if str(name).startswith("final_")]
        if metric not in known:
            raise NotInResult(f"{run.path} has no '{metric}' of trainings to compare (it has {', '.join(known)}). Choose one of these.")
        off = differences(run, metric)
        table |= {"difference": np.array([of.mean for of in off]), "difference_low": np.array([of.low for of in off]),
                  "difference_high": np.array([of.high for of in off]), "final_accuracy": np.nanmean(final(run, metric), axis=1)}
        table = {metric if name == "final_accuracy" else name: column for name, column in table.items()}
    return {"path": table.pop("path"), "place": np.arange(len(table["difference"])), **table}


def is_key(run: Run, variable: xarray.DataArray) -> bool:
    """Whether a dataset holds the values of a key that was swept together with others."""
    return len(variable.dims) == 1 and variable.dims[0] in run.sweeps and "key" in variable.attrs


def column(values: xarray.DataArray, shape: xarray.DataArray) -> np.ndarray[Any, Any]:
    """`values` repeated over the axes of `shape` that they lack, as one long column."""
    lengths = [shape.sizes[dim] if dim in values.dims else 1 for dim in shape.dims]
    flat = values.transpose(*(dim for dim in shape.dims if dim in values.dims)).values
    return np.broadcast_to(flat.reshape(lengths), shape.shape).reshape(-1)


def to_pandas(table: Table) -> Any:
    """The table as a pandas.DataFrame. Raises ImportError where pandas is not installed."""
    import pandas

    return pandas.DataFrame(table)


def write_csv(table: Table, path: Union[str, os.PathLike[str]], force: bool = False) -> None:
    """Writes the table as comma-separated values with a line of names; a missing number is an empty field, and text
    that a spreadsheet would take for a formula stands behind an apostrophe. The file
    appears whole, or an earlier one stays. Raises OSError where something of that name exists (unless `force`) and where
    it cannot be written."""
    def shown(value: Any) -> Any:
        return cell(value) if isinstance(value, str) else "" if value != value else value

    columns = [[shown(v) for v in values.tolist()] for values in table.values()]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(cell, table))
    writer.writerows(zip(*columns))
    with creating(Path(path), force) as out:
        out.write(text.getvalue().encode())
