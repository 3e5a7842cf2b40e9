"""Share of words decoded wrong by several networks against the level of an error."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..networks import label_of, network_of_point, networks
from ..run import Run
from ..study import Parameter, Statistic, fixed, parameters, say_trials, show_value, statistic
from .metric_vs_parameter import Zero, choose_parameter, least_seen, of_wrong, panel_axis, plain_name, wrong_axis, zero_of


@style.styled
def wrong_words(run: Run, *, parameter: Optional[str] = None, variant: str = "noisy") -> Figure:
    """Share of words wrong, on a logarithmic axis, against a swept error: a line for every network of the study, a panel
    for every value of a third sweep. Bars: 95 % intervals of the mean over chips. Where no word was wrong, the marker
    stands at a 0 below the smallest share that so many words can show.

    `parameter`: the swept parameter along x; the numeric one of most values by default. `variant`: of the chips.

    Raises NotInResult where no sweep varies the network, or there is no such variant.
    """
    line_axis = next((p.axis for p in parameters(run).values() if p.key == "network.source"), None)
    if line_axis is None:
        raise NotInResult(f"{run.path} has one network (network.source is not swept). Draw metric_vs_parameter.")
    x = choose_parameter(run, parameter)
    whole = of_wrong(statistic(run, "word_accuracy"))
    variants = [str(name) for name in whole.mean["variant"].values]
    if variant not in variants:
        raise NotInResult(f"{run.path} has no variant '{variant}' (it has {', '.join(variants)}). Choose one of these.")
    value = whole.at({"variant": variants.index(variant)})
    axis, shown = panel_axis(run, x, {p.name: None for p in parameters(run).values() if p.axis == line_axis})
    rest = fixed(run, tuple(a for a in (x.axis, line_axis, axis) if a))
    value, zero = value.at(rest), zero_of(run, value.at(rest))
    names = line_names(run, line_axis)

    width = style.COLUMN_IN * 1.3 if axis is None else style.PAGE_IN
    figure, grid = style.panels(1, len(shown), width, 2.7 + 0.16 * -(-len(names) // 2), sharey=True)
    for index, place in enumerate(shown):
        axes = grid.flat[index]
        for line, name in enumerate(names):
            draw_line(axes, x, value.at({line_axis: line, **({axis: place} if axis else {})}), zero,
                      {**style.LINES[line % len(style.LINES)], "label": name})
        axes.set_yscale("log")
        wrong_axis(axes, least_seen(value), zero)
        style.parameter_axis(axes, list(map(float, x.values)), style.label(x.long_name, x.units, 30), gap=0.14)
        if axis:
            style.panel(axes, index, panel_name(run, axis, place))
    grid.flat[0].set_ylabel("share of words wrong")
    look = style.variant(variant)["label"] or variant
    chips = say_trials(run).replace("trial", "chip")
    title = f"Words decoded wrong against {plain_name(x)}, {look}: mean and 95 % interval, {chips} per point"
    return style.finish(figure, run, title, grid.flat[0].get_legend_handles_labels())


def draw_line(axes: Any, x: Parameter, value: Statistic, zero: Optional[Zero], look: dict[str, Any]) -> None:
    """Means with their intervals; a share of none stands at the place of `zero`."""
    middle, low, high = (side.values for side in (value.mean, value.low, value.high))
    none = middle < (zero.least / 2 if zero else 0)
    if zero is not None:
        middle, low = np.where(none, zero.place, middle), np.maximum(low, zero.place / 4)  # off the axis
    seen = ~none & np.isfinite(low + high)  # a point of one trial, or of none, has no interval
    axes.errorbar(np.asarray(x.values, float)[seen], middle[seen], fmt="none", ecolor=look["color"], capsize=2,
                  elinewidth=0.8, yerr=np.maximum([middle - low, high - middle], 0)[:, seen])
    axes.plot(x.values, middle, markerfacecolor="white", **look)


def panel_name(run: Run, axis: str, place: int) -> str:
    """`preset good-lab` of a place on a sweep axis."""
    found = next(p for p in parameters(run).values() if p.axis == axis)
    return f"{found.name.replace('_', ' ')} {show_value(found.values[place], found.units)}"


def line_names(run: Run, axis: str) -> list[str]:
    """What the networks along their sweep are called, with their MZIs."""
    of_point = np.moveaxis(network_of_point(run), run.sweeps.index(axis), 0).reshape(len(run.require("trials")[axis]), -1)
    found = networks(run)
    return [f"{label_of(found[i].name)} ({found[i].mzis:,.0f} MZIs)" for i in of_point[:, 0]]
