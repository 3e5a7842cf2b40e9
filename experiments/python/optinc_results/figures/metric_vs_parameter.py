"""Metrics against a swept parameter."""

from __future__ import annotations

from itertools import product
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import (SHARES, Parameter, Statistic, fixed, metrics, of_worst_layer, parameter, parameters, per_variant,
                     say_point, say_trials, spans_decades, statistic)

FEW = 12  # points that bars of error can still be told apart at
MOST_PANELS = 4
MOST_RANGE = 1e6  # of a logarithmic axis; what lies below it is off the figure


@style.styled
def metric_vs_parameter(run: Run, *, metric: Union[str, Sequence[str], None] = None, parameter: Optional[str] = None,
                        at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Means of metrics against a swept parameter, a line per variant, with the 95 % intervals of the means.

    `metric`: one or several names; the study's two most telling ones by default. `parameter`: the swept parameter
    along x; the numeric one of most values by default. `at`: values of other sweeps, by parameter name. Of the sweeps
    left, the one of most values gets a panel a value (its first, middle and last where it has more than four), the
    others stand at their first point (an ablation at `all`); titles say where.

    Raises NotInResult where a metric or parameter is not there, or nothing was swept.
    """
    x = choose_parameter(run, parameter)
    names = [metric] if isinstance(metric, str) else list(metric or metrics(run)[:2])
    values = [of_worst_layer(statistic(run, name)) for name in names]
    axis, shown = panel_axis(run, x, at)
    rest = fixed(run, (x.axis, axis) if axis else (x.axis,), at)

    columns = len(shown) if axis else 1
    side_by_side = columns == 1 and len(values) > 1
    rows, columns = (1, len(values)) if side_by_side else (len(values), columns)
    width = style.COLUMN_IN if columns == 1 else style.PAGE_IN
    figure, grid = style.panels(rows, columns, width, 0.9 + (2.2 if rows == 1 else 1.9 * rows), sharex=True,
                                sharey=False if side_by_side else "row")
    cases = list(product(values, shown))
    for index, ((value, note), place) in enumerate(cases):
        axes = grid.flat[index]
        draw_lines(axes, value.at({**rest, **({axis: place} if axis else {})}), x, wide=width / columns > 3)
        where = say_point(run, {axis: place}) if axis else ""
        said = "; ".join(text for text in (where, note) if text) or value.name.replace("_", " ")
        if len(cases) > 1:
            style.panel(axes, index, said)
        if not side_by_side and index % columns:
            axes.set_ylabel("")
        if not side_by_side and index // columns < rows - 1:
            axes.set_xlabel("")
    beside = [p.name for p in parameters(run).values() if p.axis == x.axis and p.key and p.name != x.name]
    along = x.name + (f" (with it {', '.join(beside)})" if beside else "")
    title = f"{' and '.join(names).replace('_', ' ')} against {along}: "
    title += f"mean and 95 % interval, {say_trials(run)} a point"
    if len(cases) == 1 and values[0][1]:
        title += f"; {values[0][1]}"
    if axis and len(shown) < values[0][0].mean.sizes[axis]:
        title += f"; {len(shown)} of {values[0][0].mean.sizes[axis]} values of {axis}"
    if rest:
        title += f"; at {say_point(run, rest)}"
    return style.finish(figure, run, title[0].upper() + title[1:], grid.flat[0].get_legend_handles_labels())


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


def draw_lines(axes: Any, value: Statistic, x: Parameter, wide: bool = True) -> None:
    """One line per variant with its interval; text parameters stand side by side without a line."""
    factor, unit = style.scale_of(x.values, x.units) if x.numeric else (1.0, x.units)
    order = np.argsort(x.values, kind="stable") if x.numeric else np.arange(len(x.values))
    places = np.asarray(x.values, float)[order] * factor if x.numeric else order.astype(float)
    variants = per_variant(value.mean)
    for i, (name, mean) in enumerate(variants):
        look = style.variant(name)
        low, high = (per_variant(side)[i][1].values[order] for side in (value.low, value.high))
        middle = mean.values[order]
        if not x.numeric:
            look["linestyle"] = "none"
        shift = 0.0 if x.numeric else 0.12 * (i - (len(variants) - 1) / 2)
        if len(places) > FEW and x.numeric:
            axes.fill_between(places, low, high, color=look["color"], alpha=0.25, linewidth=0)
            axes.plot(places, middle, markerfacecolor="white", markevery=max(1, len(places) // 10), **look)
        else:
            known = np.isfinite(low) & np.isfinite(high) & np.isfinite(middle)
            below, above = middle[known] - low[known], high[known] - middle[known]
            away = np.maximum([below, above], 0)  # a mean may lie on its bound, to rounding
            axes.errorbar((places + shift)[known], middle[known], yerr=away, fmt="none", ecolor=look["color"],
                          capsize=2, elinewidth=0.8)
            axes.plot(places + shift, middle, markerfacecolor="white", **look)
    title = style.label(x.long_name, unit, 46 if wide else 30)
    if x.numeric:
        style.parameter_axis(axes, places.tolist(), title, gap=0.07 if wide else 0.14)
    else:
        style.category_axis(axes, [str(v) for v in x.values], title)
    metric_axis(axes, value)


def metric_axis(axes: Any, value: Statistic) -> None:
    """The y axis: 0 to 1 for shares unless all are near 1, logarithmic for what is positive and spans decades."""
    axes.set_ylabel(style.label(value.axis_name, value.units, 30))
    seen = value.mean.values[np.isfinite(value.mean.values)]
    if not len(seen):
        return
    if value.name in SHARES:
        if seen.min() < 0.95:
            axes.set_ylim(-0.03, 1.03)
    elif spans_decades(seen):
        axes.set_yscale("log")
        largest = float(seen.max())
        if seen.min() < largest / MOST_RANGE:  # rounding of what is 0 would flatten all the rest
            axes.set_ylim(largest / MOST_RANGE, largest * 3)
    if axes.get_yscale() == "linear":
        axes.ticklabel_format(axis="y", useOffset=False)
