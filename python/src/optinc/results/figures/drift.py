"""Chips and meshes over time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Optional

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import Parameter, Statistic, fixed, metrics, parameters, say_point, say_trials, statistic, trial_noun
from .paint import Axis, Mark, Panel, dots, mark, paint
from .sweeps import Lines, metric_vs_parameter, own_axis, panel_axis, value_axis, variant_lines
from .words import Names, Places, listed, short_point
from .wrong import least_seen, of_wrong

OVER_TIME = ("instant_accuracy", "failed_checks", "phase_drift", "oscillator_phase", "die_temperature", "light_drift",
             "instant_fidelity", "mesh_phase_drift", "mesh_die_temperature")
"""Of models `drift` and `mesh_drift`, what tells the story, from its outcome to its cause."""
STRETCHES = 48
"""Of a long time, each drawn by its largest and its least value: more cannot be told apart in a column's width."""


def drift(run: Run, *, metric: Names = None, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Metrics against time, one panel below the other. Where a sweep is left, a panel for every variant, in which its
    values are lines; otherwise variants are lines. What neither changes is drawn once. Of more than 96 instants, lines are
    the largest mean in each of 48 stretches of time, and bands reach down to the least.

    Time is the axis `time` of a study of model `drift`, or else a sweep whose unit is s. `metric`: one or several
    names; by default the words wrong, or the infidelity of a mesh, and of the checks that fail, the changes of phases and of
    oscillators, the temperature of the die and the servers' light those that are not zero. Words wrong have a logarithmic
    axis: at its lower edge, none is. Stars are the share of all words, at both ends. `at`: values of sweeps, by parameter
    name; of the sweeps left, the one of most values is drawn.

    Raises NotInResult where the file has no such time, or a metric is not there.
    """
    known = [name for name in metrics(run) if "time" in statistic(run, name).mean.dims] if run.summary is not None else []
    if not known:
        times = [p for p in parameters(run).values() if p.units == "s" and p.numeric] if run.summary is not None else []
        if not times:
            raise NotInResult(f"{run.path} has no axis of time (neither that of model drift nor a sweep in s). "
                              "Run a study of model drift, or sweep a time.")
        return metric_vs_parameter(run, metric=metric, parameter=times[0].name, at=at)
    telling_ones = [name for name in OVER_TIME  # changes, where there are any
                    if name in known and np.nanmax(np.abs(told(run, name).mean.values)) > 0]
    names = listed(metric) or telling_ones or known[:1]
    if wrong := [name for name in names if name not in known]:
        raise NotInResult(f"{run.path} has no '{wrong[0]}' over time (it has {', '.join(known)}). Choose one of these.")
    time = own_axis(run, "time")
    axis, shown = panel_axis(run, time, at) if run.sweeps else (None, [0])
    rest = fixed(run, (axis,) if axis else (), at) if run.sweeps else {}
    panels: list[Panel] = []
    for name in names:
        value = told(run, name).at(rest)
        y = value_axis(value)
        if y.limits is None and y.scale == "linear":  # one for all panels of a metric
            room = 0.05 * float(np.ptp(value.mean.values))
            y = replace(y, limits=(float(value.mean.min()) - room, float(value.mean.max()) + room))
        for said, lines in panels_of(value, axis, shown, run):
            drawn = [each for look, where in lines for each in over_time(time.values, value.at(where), look)]
            if name == "instant_accuracy":
                drawn += stars(run, rest, lines, time, least_seen(value) / 2)
            named = style.label("share of words wrong" if name == "instant_accuracy" else value.axis_name, value.units, 60)
            panels.append(Panel(drawn, Axis(style.label(time.long_name, time.units, 46)), replace(y, label=""),
                                named + (f", {said}" if said else "")))
    title = f"Drift of {say_trials(run, trial_noun(run))}. " + (
        f"Lines and bands: largest and least mean in {(time.values[-1] - time.values[0]) / STRETCHES:.2g} {time.units}"
        if len(time.values) > 2 * STRETCHES else "Means")
    if "instant_accuracy" in names:
        title += "; at the lower edge no word is wrong; stars: all words of the task"
    title += f"; at {say_point(run, rest)}" if rest else ""
    return paint(run, title, panels, (style.COLUMN_IN, 1.3 + 1.05 * len(panels)), 1, outer="x", sharex=True)


def told(run: Run, name: str) -> Statistic:
    """A metric as it is drawn: what is wrong, of a share of what is right; the infidelity."""
    value = of_wrong(statistic(run, name))
    if name != "instant_fidelity":
        return value
    return replace(value, mean=1 - value.mean, low=1 - value.high, high=1 - value.low, long_name="infidelity", wrong=True)


def panels_of(value: Statistic, axis: Optional[str], shown: list[int], run: Run) -> list[tuple[str, Lines]]:
    """(what its panel is of, lines) of every panel of a metric."""
    variants = variant_lines(value)
    if axis is None or len(shown) == 1:
        lines = [(look, {**where, **({axis: shown[0]} if axis else {})}) for look, where in variants]
        return [("", lines)]
    columns = value.mean.isel({axis: shown}).values
    if np.ptp(columns, axis=value.mean.dims.index(axis)).max() == 0:
        alike = len(variants) == 1 or np.ptp(columns, axis=value.mean.dims.index("variant")).max() < 0.05 * np.ptp(columns)
        if alike:
            return [("", [(dict(color="black", linestyle="-", marker=""), {axis: 0, **variants[0][1]})])]
        return [("", [(look, {axis: 0, **where}) for look, where in variants])]
    looks = [{**look, "label": short_point(run, {axis: place})} for look, place in zip(style.looks(), shown)]
    return [(str(way.get("label") or ""), [(look, {axis: place, **where}) for look, place in zip(looks, shown)])
            for way, where in variants]


def over_time(time: Any, value: Statistic, look: Mapping[str, Any]) -> list[Mark]:
    """The mean over time; of many instants the largest and the least of every stretch."""
    mean = np.asarray(value.mean.values, float)
    least = least_seen(value) / 2 if value.wrong else -np.inf
    if len(time) <= 2 * STRETCHES:
        return [mark("plot", time, np.maximum(mean, least), **{"markerfacecolor": "white", "markevery": max(1, len(time) // 10), **look})]
    parts = np.array_split(np.arange(len(time)), STRETCHES)
    middle = [time[part].mean() for part in parts]
    high, low = (np.maximum([end(mean[part]) for part in parts], least) for end in (np.max, np.min))
    return [mark("fill_between", middle, low, high, color=look["color"], alpha=0.2, linewidth=0),
            mark("plot", middle, high, **{"markerfacecolor": "white", "markevery": STRETCHES // 6, **look})]


def stars(run: Run, rest: Places, lines: Lines, time: Parameter, least: float) -> list[Mark]:
    """The share of all words that is wrong, not below `least`, at the first instant and the last."""
    if "accuracy_all_words" not in metrics(run):
        return []
    value = statistic(run, "accuracy_all_words").at(rest)
    return [dots(time.values[[0, -1]], np.maximum(1 - value.at(where).mean.values, least), marker="*", markersize=7,
                 color=look["color"], clip_on=False) for look, where in lines]
