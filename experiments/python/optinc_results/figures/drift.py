"""A metric against time."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
import xarray
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import Parameter, Statistic, fixed, of_worst_layer, parameters, say_point, words_of
from .metric_vs_parameter import draw_lines, metric_vs_parameter

STATISTICS = ("_low", "_high", "_std")


@style.styled
def drift(run: Run, *, metric: Optional[str] = None, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """A metric against time, a line per variant, with its 95 % interval.

    Time is the dimension `time_s` of a group `drift`, where the file has one, else a sweep whose unit is s. `metric`:
    the first, or most telling, by default. `at`: values of the other sweeps, by parameter name. In a group `drift` the
    interval is the file's where it has one, else the central 95 % of the trials.

    Raises NotInResult where the file has no such time, or the metric is not there.
    """
    recorded = run.group("drift")
    if recorded is not None and "time_s" in recorded.dims:
        return draw_recorded(run, recorded, metric, at)
    times = [p for p in parameters(run).values() if p.units == "s" and p.numeric]
    if not times:
        raise NotInResult(f"{run.path} has no axis of time (neither a group 'drift' over time_s nor a sweep in s). "
                          "Sweep a time, or record drift.")
    return metric_vs_parameter(run, metric=metric, parameter=times[0].name, at=at)


def draw_recorded(run: Run, recorded: xarray.Dataset, metric: Optional[str],
                  at: Optional[Mapping[str, Any]]) -> Figure:
    """One panel of a quantity of the group `drift` against its axis `time_s`."""
    names = [str(name) for name, v in recorded.data_vars.items() if "time_s" in v.dims
             and not str(name).endswith(STATISTICS)]
    stem = next((name for name in names if metric is None or name in (metric, f"{metric}_mean")), None)
    if stem is None:
        raise NotInResult(f"{run.path} has no '{metric or 'quantity'}' over time_s in its group 'drift' "
                          f"(it has {', '.join(names) or 'none'}). Choose one of these.")
    values = recorded[stem]
    rest = {axis: i for axis, i in fixed(run, (), at).items() if axis in values.dims} if run.sweeps else {}
    title = "the 95 % interval of the file"
    low, high = (recorded.get(f"{stem}_{side}") for side in ("low", "high"))
    if low is None or high is None:
        low, values, high, title = spread(values)
    units, long_name = words_of(recorded[stem].attrs, stem)
    name = stem[:-5] if stem.endswith("_mean") else stem
    value, note = of_worst_layer(Statistic(name, values, low, high, units, long_name).at(rest))
    extra = {str(d): 0 for d in value.mean.dims if d not in ("time_s", "variant")}
    time = Parameter("time_s", "time_s", recorded["time_s"].values, "s", words_of(recorded["time_s"].attrs, "time")[1])
    figure, grid = style.panels(1, 1, style.COLUMN_IN * 1.3, 2.9)
    draw_lines(grid[0, 0], value.at(extra), time)
    said = [note, say_point(run, rest) if rest else "", ", ".join(f"{d} 0" for d in extra)]
    return style.finish(figure, run, "; ".join([f"Drift: {title}", *(text for text in said if text)]),
                        grid[0, 0].get_legend_handles_labels())


def spread(values: xarray.DataArray) -> tuple[xarray.DataArray, xarray.DataArray, xarray.DataArray, str]:
    """Low end, mean and high end over trials, and what they are; the values themselves where there are no trials."""
    if "trial" not in values.dims:
        nothing = xarray.full_like(values, np.nan, dtype=float)
        return nothing, values, nothing, "no interval recorded"
    low, high = (values.quantile(q, "trial", skipna=True) for q in (0.025, 0.975))
    return low, values.mean("trial"), high, f"mean and central 95 % of {values.sizes['trial']} trials"
