"""A chip over time."""

from __future__ import annotations

from itertools import product
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import Parameter, Statistic, fixed, metrics, parameters, say_point, say_trials, statistic, words_of
from .comb import short_point
from .metric_vs_parameter import draw_lines, least_seen, metric_vs_parameter, of_wrong, panel_axis, wrong_axis

SHOWN = ("instant_accuracy", "phase_drift", "oscillator_phase", "die_temperature",
         "instant_mesh_error", "mesh_phase_drift", "mesh_die_temperature")
"""Of models `drift` and `mesh_drift`, what tells the story, from its outcome to its cause."""
MINUTES_FROM_S, HOURS_FROM_S = 300.0, 14400.0  # longer stretches are read in minutes, and in hours


@style.styled
def drift(run: Run, *, metric: Union[str, Sequence[str], None] = None, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Metrics against time, one panel each over a common axis, a line per variant, with the 95 % intervals of the means.

    Time is the axis `time` of a study of model `drift`, or else a sweep whose unit is s. `metric`: one or several
    names; of model `drift` the words wrong, the phases' change, that of oscillators where there is one, and the temperature
    of the die by default. Words wrong
    have a logarithmic axis: at its lower edge, none is. Stars are the share of all words, at both ends. `at`: values of
    sweeps, by parameter name; of the sweeps left, the one of most values gets a column a value, in which a metric that
    is the same in all columns is drawn once.

    Raises NotInResult where the file has no such time, or a metric is not there.
    """
    over_time = [name for name in metrics(run) if "time" in statistic(run, name).mean.dims] if run.summary is not None else []
    if not over_time:
        times = [p for p in parameters(run).values() if p.units == "s" and p.numeric] if run.summary is not None else []
        if not times:
            raise NotInResult(f"{run.path} has no axis of time (neither that of model drift nor a sweep in s). "
                              "Run a study of model drift, or sweep a time.")
        return metric_vs_parameter(run, metric=metric, parameter=times[0].name, at=at)
    shown_ones = [m for m in SHOWN if m in over_time and acts(run, m)]
    names = [metric] if isinstance(metric, str) else list(metric or shown_ones or over_time[:1])
    wrong = [name for name in names if name not in over_time]
    if wrong:
        raise NotInResult(f"{run.path} has no '{wrong[0]}' over time (it has {', '.join(over_time)}). Choose one of these.")

    time = time_axis(run)
    axis, shown = panel_axis(run, time, at) if run.sweeps else (None, [0])
    rest = fixed(run, (axis,) if axis else (), at) if run.sweeps else {}
    width = style.COLUMN_IN * 1.4 if len(shown) == 1 else style.PAGE_IN
    figure, grid = style.panels(len(names), len(shown), width, 0.9 + 1.5 * len(names), sharex=True, sharey="row")
    for (row, name), (column, place) in product(enumerate(names), enumerate(shown)):
        axes, here = grid[row, column], {**rest, **({axis: place} if axis else {})}
        value = of_wrong(statistic(run, name))
        if column > 0 and axis and np.ptp(value.at(rest).mean.isel({axis: shown}).values, axis=value.mean.dims.index(axis)).max() == 0:
            axes.set_visible(False)
            grid[row - 1, column].tick_params(labelbottom=True)
            grid[row - 1, column].set_xlabel(grid[row, 0].get_xlabel())
            continue
        draw_lines(axes, value.at(here), time, wide=len(shown) == 1)
        if value.wrong:
            least = least_seen(value.at(rest))
            wrong_axis(axes, least, None)
            if name == "instant_accuracy":
                draw_ends(axes, run, here, time, least / 2)
        if row < len(names) - 1:
            axes.set_xlabel("")
        if column > 0:
            axes.set_ylabel("")
        if grid.size > 1:
            style.panel(axes, row * len(shown) + column, short_point(run, {axis: place}) if axis and row == 0 else "")
    trials = say_trials(run).replace("trial", str(run.require("trials").attrs.get("trial", "trial"))).replace("meshs", "meshes")
    title = f"Drift of {trials}" + ("" if trials.startswith("1 ") else ": mean and 95 % interval")
    if "instant_accuracy" in names:
        title += "; at the lower edge: no word wrong; stars: all words of the task"
    if rest:
        title += f"; at {say_point(run, rest)}"
    return style.finish(figure, run, title, grid[0, 0].get_legend_handles_labels())


def acts(run: Run, name: str) -> bool:
    """Whether a metric is worth a panel: phases of oscillators are, where anything changes them."""
    return name != "oscillator_phase" or bool(np.nanmax(statistic(run, name).mean.values) > 0)


def time_axis(run: Run) -> Parameter:
    """The axis `time`, in minutes or hours where it is long."""
    coordinate = run.require("summary")["time"]
    values, units = np.asarray(coordinate.values, float), "s"
    if values[-1] > HOURS_FROM_S:
        values, units = values / 3600, "h"
    elif values[-1] > MINUTES_FROM_S:
        values, units = values / 60, "min"
    return Parameter("time", "time", values, units, words_of(coordinate.attrs, "time")[1])


def draw_ends(axes: Any, run: Run, rest: Mapping[str, int], time: Parameter, least: float) -> None:
    """Stars for the share of all words that is wrong, not below `least`, at the first instant and the last."""
    if "accuracy_all_words" not in metrics(run):
        return
    value: Statistic = statistic(run, "accuracy_all_words").at(dict(rest))
    for name in value.mean["variant"].values:
        ends = np.maximum(1 - value.mean.sel(variant=name).values, least)
        axes.plot([time.values[0], time.values[-1]], ends, linestyle="none", marker="*", markersize=7,
                  color=style.variant(str(name))["color"], clip_on=False)
