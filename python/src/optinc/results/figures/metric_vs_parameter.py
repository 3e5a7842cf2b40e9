"""Metrics against a swept parameter."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .. import style
from ..errors import NotInResult
from ..networks import label_of
from ..run import Run
from ..study import (Parameter, Statistic, fixed, headline_metrics, meaning, of_worst_layer, parameter, parameters,
                     per_variant, say_trials, show_value, spans_decades, statistic)

FEW = 12  # points that bars of error can still be told apart at
MOST_PANELS = 4
MOST_DECADES = 8  # that are all labelled
MOST_RANGE = 1e6  # of a logarithmic axis; what lies below it is off the figure
DRAWN_WORDS = ("word_accuracy", "cascade_accuracy", "instant_accuracy", "channel_accuracy")
"""Shares of the measure.words words that every trial draws."""


@dataclass(frozen=True)
class Zero:
    """Where a logarithmic axis has its 0: `place`, below `least`, the smallest share that could have been seen."""

    place: float
    least: float
    said: str


@style.styled
def metric_vs_parameter(run: Run, *, metric: Union[str, Sequence[str], None] = None, parameter: Optional[str] = None,
                        at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Means of metrics against a swept parameter, a line per variant, with the 95 % intervals of the means.

    Of a share of words or chips that are right, what is wrong: 1 minus the share, on a logarithmic axis. Where none was
    wrong, the marker stands at a 0 below the smallest share that so many draws can show, in a grey band that says so.

    `metric`: one or several names; the first two that the study names, or its most telling ones, by
    default. `parameter`: the swept parameter along x; the numeric one of most values by default. `at`: values of other sweeps, by parameter name. Of the sweeps
    left, the one of most values gets a panel a value (its first, middle and last where it has more than four), the
    others stand at their first point (an ablation at `all`); titles say where.

    Raises NotInResult where a metric or parameter is not there, or nothing was swept.
    """
    x = choose_parameter(run, parameter)
    names = [metric] if isinstance(metric, str) else list(metric or headline_metrics(run)[:2])
    values = [(of_wrong(value), note) for value, note in (of_worst_layer(statistic(run, name)) for name in names)]
    axis, shown = panel_axis(run, x, at)
    rest = fixed(run, (x.axis, axis) if axis else (x.axis,), at)

    columns = len(shown) if axis else 1
    side_by_side = columns == 1 and len(values) > 1
    rows, columns = (1, len(values)) if side_by_side else (len(values), columns)
    width = style.COLUMN_IN if columns == 1 else style.PAGE_IN
    figure, grid = style.panels(rows, columns, width, 0.9 + (2.2 if rows == 1 else 1.9 * rows), sharex=True,
                                sharey=False if side_by_side else "row")
    cases = list(product(values, shown))
    zeros = {value.name: zero_of(run, value.at(rest).along(axis, shown)) for value, _ in values}
    least = {value.name: least_seen(value.at(rest).along(axis, shown)) for value, _ in values if value.wrong}
    for index, ((value, note), place) in enumerate(cases):
        axes = grid.flat[index]
        draw_lines(axes, value.at({**rest, **({axis: place} if axis else {})}), x, wide=width / columns > 3,
                   zero=zeros[value.name])
        if value.wrong:  # panels beside each other share the axis
            wrong_axis(axes, least[value.name], zeros[value.name])
        where = in_words(run, {axis: place}) if axis else ""
        said = "; ".join(text for text in (where, note) if text) or name_of(run, value.name)
        if len(cases) > 1:
            style.panel(axes, index, textwrap.fill(said, int(13 * width / columns)))
        if not side_by_side and index % columns:
            axes.set_ylabel("")
        if not side_by_side and index // columns < rows - 1:
            axes.set_xlabel("")
    beside = [plain_name(p) for p in parameters(run).values() if p.axis == x.axis and p.key and p.name != x.name]
    along = plain_name(x) + (f" (with it {', '.join(beside)})" if beside else "")
    trial = str(run.require("trials").attrs.get("trial", "trial"))
    trials = say_trials(run).replace("trials", "meshes" if trial == "mesh" else f"{trial}s").replace("trial", trial)
    trials = trials.replace(" ", "\xa0")
    measured = " and ".join(name_of(run, name) for name in names)
    title = f"{measured} against {along}: mean and 95 % interval, {trials} per point"
    if len(cases) == 1 and values[0][1]:
        title += f"; {values[0][1]}"
    if axis and len(shown) < values[0][0].mean.sizes[axis]:
        title += f"; {len(shown)} of {values[0][0].mean.sizes[axis]} values of {axis_in_words(run, axis)}"
    if rest:
        title += f"; at {in_words(run, rest)}"
    return style.finish(figure, run, title[0].upper() + title[1:], grid.flat[0].get_legend_handles_labels())


def plain_name(p: Parameter) -> str:
    """What the file calls a parameter in words, without remarks, as it stands within a sentence."""
    name = re.split("[:;]", re.sub(r" [(][^()]*[)]$", "", p.long_name))[0]
    return name[:1].lower() + name[1:] if name[1:2].islower() else name


def axis_in_words(run: Run, axis: str) -> str:
    """What a sweep varies."""
    found = [p for p in parameters(run).values() if p.axis == axis]
    return " and ".join(plain_name(p) for p in found if p.name != axis) or plain_name(found[0])


def in_words(run: Run, indices: Mapping[str, int]) -> str:
    """`a = 1 rad, b = 2` of a place on some of the sweep axes, by the names the file has for people; where one is a
    sentence, by its key."""
    swept = parameters(run).values()
    named = [telling([p for p in swept if p.axis == axis and p.name != axis])
             or [p for p in swept if p.name == axis] for axis in indices]

    def value(p: Parameter) -> str:
        found = p.values[indices[p.axis]]
        return label_of(found) if p.key == "network.source" else show_value(found, p.units).replace(" ", "\xa0")

    def name(p: Parameter) -> str:
        return plain_name(p) if len(plain_name(p)) <= 60 else p.name

    return ", ".join(f"{name(p)}\xa0=\xa0{value(p)}" for group in named for p in group)


def telling(together: list[Parameter]) -> list[Parameter]:
    """Of more than three parameters that are swept together, some that tell the points apart: names, then numbers, those of
    most different values first."""
    if len(together) <= 3:
        return together

    def told_apart(some: Sequence[Parameter]) -> int:
        return len(set(zip(*(np.asarray(p.values).tolist() for p in some)))) if some else 1

    chosen: list[Parameter] = []
    for p in sorted(together, key=lambda p: (p.numeric, -told_apart([p]))):
        if told_apart([*chosen, p]) > told_apart(chosen):
            chosen.append(p)
    return chosen


def name_of(run: Run, metric: str) -> str:
    """What is drawn of a metric, in words."""
    return meaning(run, metric).complement or metric.replace("_", " ")


def of_wrong(value: Statistic) -> Statistic:
    """Of a share of what is right, that of what is wrong; any other metric as it is."""
    if not value.meaning.complement:
        return value
    said = f"share of {value.meaning.complement}"
    if value.name == "yield":
        said = value.axis_name.replace(" with ", " without ")
    if said == value.axis_name:
        said = f"1 − {said}"
    return replace(value, mean=1 - value.mean, low=1 - value.high, high=1 - value.low, long_name=said, wrong=True)


def zero_of(run: Run, wrong: Statistic) -> Optional[Zero]:
    """The 0 of the axis of a share of what is wrong, where some mean is 0; none for other metrics. `least` is one draw
    of all at a point; where the file does not say how many there were, a third of the smallest share seen."""
    seen = wrong.mean.values[np.isfinite(wrong.mean.values)]
    if not wrong.wrong or not (seen <= 0).any():
        return None
    draws, what = int(run.require("summary")["completed"].values.max()), "trials"
    if wrong.name in DRAWN_WORDS:
        draws, what = draws * int(run.config.get("measure", {}).get("words", 0)), "words"
    elif wrong.name != "yield":
        draws = 0
    if draws > 0:
        return Zero(1 / draws / 3, 1 / draws, f"none of {draws:,} {what}")
    return Zero(least_seen(wrong) / 9, least_seen(wrong) / 3, "none")


def least_seen(wrong: Statistic) -> float:
    """The least of the means that is more than 0; 1 where there is none."""
    seen = wrong.mean.values
    return float(min([*seen[seen > 0], 1.0]))


def choose_parameter(run: Run, name: Optional[str]) -> Parameter:
    """The swept parameter `name`; by default the numeric one of most different values, or else the first."""
    if name is not None:
        return parameter(run, name)
    swept = list(parameters(run).values())
    if not swept:
        raise NotInResult(f"{run.path} has nothing to draw against (the study sweeps no parameter). Add a sweep.")
    # A count of points, the last of its axis, only where none of the keys it counts would do
    return max(swept, key=lambda p: (p.numeric and p.key != "", p.numeric, len(set(np.asarray(p.values).tolist()))))


def panel_axis(run: Run, x: Parameter, at: Optional[Mapping[str, Any]]) -> tuple[Optional[str], list[int]]:
    """The sweep axis that is spread over panels and the places shown; none where no other sweep is left."""
    taken = {x.axis, *(parameter(run, name).axis for name in at or {})}
    left = {p.axis: len(p.values) for p in parameters(run).values()
            if p.axis not in taken and p.axis != "ablation" and len(p.values) > 1}
    if not left:
        return None, [0]
    axis = max(left, key=lambda name: left[name])
    size = left[axis]
    return axis, list(range(size)) if size <= MOST_PANELS else [0, size // 2, size - 1]


def draw_lines(axes: Any, value: Statistic, x: Parameter, wide: bool = True, zero: Optional[Zero] = None) -> None:
    """One line per variant with its interval; text parameters stand side by side without a line. With a `zero`, what
    lies below its `least` is drawn there, the markers of several variants around each other."""
    factor, unit = style.scale_of(x.values, x.units) if x.numeric else (1.0, x.units)
    order = np.argsort(x.values, kind="stable") if x.numeric else np.arange(len(x.values))
    places = np.asarray(x.values, float)[order] * factor if x.numeric else order.astype(float)
    variants = per_variant(value.mean)
    nones = np.array([mean.values[order] < (zero.least / 2 if zero else -np.inf) for _, mean in variants])
    for i, (name, mean) in enumerate(variants):
        look = style.variant(name)
        low, high = (per_variant(side)[i][1].values[order] for side in (value.low, value.high))
        middle = mean.values[order]
        none = nones[i]
        if zero is not None:
            low, middle = np.maximum(low, zero.place / 4), np.where(none, zero.place, middle)  # off the axis
        if not x.numeric:
            look["linestyle"] = "none"
        shift = 0.0 if x.numeric else 0.12 * (i - (len(variants) - 1) / 2)
        if len(places) > FEW and x.numeric:
            axes.fill_between(places, low, high, color=look["color"], alpha=0.25, linewidth=0)
            axes.plot(places, middle, markerfacecolor="white", markevery=max(1, len(places) // 10), **look)
        else:
            known = np.isfinite(low) & np.isfinite(high) & np.isfinite(middle) & ~(none & (high <= middle))
            below, above = middle[known] - low[known], high[known] - middle[known]
            away = np.maximum([below, above], 0)  # a mean may lie on its bound, to rounding
            axes.errorbar((places + shift)[known], middle[known], yerr=away, fmt="none", ecolor=look["color"],
                          capsize=2, elinewidth=0.8)
            axes.plot(places + shift, middle, markerfacecolor="white", markevery=np.flatnonzero(~none).tolist(), **look)
        for at in np.flatnonzero(none):
            around = 3 * int(nones[i + 1:, at].sum()) if x.numeric else 0
            axes.plot((places + shift)[at], middle[at], color=look["color"], marker=look["marker"], linestyle="none",
                      markerfacecolor="none" if nones[:i, at].any() else "white", markersize=4 + around)
    title = style.label(x.long_name, unit, 46 if wide else 30)
    if x.numeric:
        style.parameter_axis(axes, places.tolist(), title, gap=0.07 if wide else 0.14)
    else:
        style.category_axis(axes, [str(v) for v in x.values], title)
    metric_axis(axes, value)


def wrong_axis(axes: Any, least: float, zero: Optional[Zero]) -> None:
    """The y axis of a share of what is wrong: logarithmic, from the `least` seen up to 1; below, where some are 0, a grey
    band with the 0."""
    end = zero.least if zero else least
    axes.set_ylim(zero.place / 2 if zero else least / 2, 1.5)
    exponents = np.arange(0, np.log10(end) - 1e-9, -max(1, int(-np.log10(end) / MOST_DECADES) + 1))
    if zero is None and len(exponents) < 3:
        style.decades(axes, axes.yaxis, [least, 1.0])
        return
    axes.yaxis.set_major_locator(FixedLocator([*([zero.place] if zero else []), *10.0 ** exponents]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(
        lambda y, _: "0" if y < end / 2 else "1" if y > 0.5 else f"$10^{{{round(np.log10(y))}}}$"))
    if zero is None:
        return
    axes.axhspan(zero.place / 2, zero.place * 2, color="#e8e8e8", linewidth=0, zorder=0)
    axes.text(0.99, zero.place, zero.said, transform=axes.get_yaxis_transform(), ha="right", va="center", fontsize=6,
              color="#333333")


def metric_axis(axes: Any, value: Statistic) -> None:
    """The y axis: logarithmic for shares of what is wrong (its limits: wrong_axis()), 0 to 1 for other shares unless all are
    near 1, logarithmic for what is positive and spans decades."""
    axes.set_ylabel(style.label(value.axis_name, value.units, 30))
    seen = value.mean.values[np.isfinite(value.mean.values)]
    if not len(seen):
        return
    if value.wrong:
        axes.set_yscale("log")
    elif value.meaning.share_of_good:
        if seen.min() < 0.95:
            axes.set_ylim(-0.03, 1.03)
    elif spans_decades(seen):
        axes.set_yscale("log")
        largest = float(seen.max())
        if seen.min() < largest / MOST_RANGE:  # rounding of what is 0 would flatten all the rest
            axes.set_ylim(largest / MOST_RANGE, largest * 3)
    if axes.get_yscale() == "linear":
        axes.ticklabel_format(axis="y", useOffset=False)
