"""Whether two result files hold the same numbers, and how far those of one are from those of the other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional, Union

import h5py
import numpy as np
import xarray

from .._hdf5 import opened
from .errors import NotInResult
from .run import Run
from .study import metrics, statistic
from .table import Table, column

PER_RUN_ATTRIBUTES = frozenset({"created_utc", "command"})
"""What two runs of one study may write differently."""

_SCALES = frozenset({"DIMENSION_LIST", "REFERENCE_LIST"})  # references: they point, they hold no result


def contents(path: Union[str, os.PathLike[str]]) -> dict[str, Any]:
    """Every dataset (type, shape, bytes) and attribute ("PATH@NAME") of a file, but what differs from run to run."""
    found: dict[str, Any] = {}

    def take(name: str, node: Any) -> None:
        for key in node.attrs:
            if key not in PER_RUN_ATTRIBUTES and key not in _SCALES:
                found[f"{name}@{key}"] = np.asarray(node.attrs[key]).tolist()
        if isinstance(node, h5py.Dataset):
            values = node[()].tolist() if node.dtype.kind == "O" else node[()].tobytes()
            found[name] = (node.dtype.str, node.shape, values)

    with opened(Path(path)) as file:
        take("/", file)
        file.visititems(take)
    return found


def differing(one: Union[str, os.PathLike[str]], other: Union[str, os.PathLike[str]]) -> list[str]:
    """Names of the datasets and attributes that two files do not share to the bit; empty when they are equal.

    `created_utc` and `command` of the root are left out: they tell two runs apart that have the same results.
    """
    a, b = contents(one), contents(other)
    return sorted((a.keys() ^ b.keys()) | {name for name in a.keys() & b.keys() if a[name] != b[name]})


def differences(one: Run, other: Run, metric: Optional[str] = None) -> Table:
    """How far a metric of one result is above that of another, at the points of sweeps that both have.

    Columns: the axes; `one` and `other`, the means or shares of both; `difference`, one less other, and its 95 % interval
    from `low` to `high` (interval_of_difference). It takes the runs for independent: with the same seed, trials are alike,
    and it is too wide.

    metric: default: the most telling one that both have. Raises NotInResult where they share no metric, have other axes, or
    no point in common.
    """
    shared = [name for name in metrics(one) if name in metrics(other)]
    name = metric or next(iter(shared), None)
    if name is None:
        raise NotInResult(f"{one.path} and {other.path} share no metric. Measure the same in both (measure.metrics).")
    first, second = statistic(one, name), statistic(other, name)
    if set(first.mean.dims) != set(second.mean.dims):
        raise NotInResult(f"{name} has the axes {', '.join(map(str, first.mean.dims))} in {one.path} and "
                          f"{', '.join(map(str, second.mean.dims))} in {other.path}. Sweep the same in both.")
    parts = (part.reset_coords(drop=True) for value in (first, second) for part in (value.mean, value.low, value.high))
    shared_points = xarray.align(*parts, join="inner", copy=False)
    shape = shared_points[0]
    if shape.size == 0:
        raise NotInResult(f"{one.path} and {other.path} have no point of their sweeps in common. Sweep the same values.")
    columns = [column(part, shape) for part in shared_points]
    low, high = interval_of_difference(*columns)
    return {str(dim): column(shape[dim], shape) for dim in shape.dims} | {
        "one": columns[0], "other": columns[3], "difference": columns[0] - columns[3], "low": low, "high": high}


def interval_of_difference(m1: Any, l1: Any, u1: Any, m2: Any, l2: Any, u2: Any) -> tuple[Any, Any]:
    """Interval of m1 - m2 from those of both, l..u, whatever their kind: (d - sqrt((m1 - l1)^2 + (u2 - m2)^2),
    d + sqrt((u1 - m1)^2 + (m2 - l2)^2)), Newcombe's method for two shares (1998, from memory)."""
    return m1 - m2 - np.hypot(m1 - l1, u2 - m2), m1 - m2 + np.hypot(u1 - m1, m2 - l2)
