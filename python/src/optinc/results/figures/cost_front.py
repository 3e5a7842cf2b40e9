"""Share of words wrong of many networks against what each costs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..networks import name_of, network_of_point, networks
from ..run import Run
from ..study import fixed, parameters, say_point, say_trials, show_value, statistic
from .metric_vs_parameter import least_seen, of_wrong, wrong_axis, zero_of
from .pareto import front
from .search import decade_axis, name_points

COSTS = (("mzis", "MZIs"), ("static_power_w", "static power (W)"), ("most_gain_db", "worst loss before regeneration (dB)"))


@style.styled
def cost_front(run: Run, *, variant: str = "noisy") -> Figure:
    """Share of words wrong, on a logarithmic axis, against MZIs, watts whatever the symbol rate, and the worst loss between
    two regenerations: a marker for every network, a colour for every value of the sweep that is not of networks (presets,
    say). Bars: 95 % intervals of the mean over chips. Filled and joined: beaten by no other network in both.

    `variant`: of the chips.

    Raises NotInResult where the file does not say what several networks cost, or there is no such variant.
    """
    found = networks(run)
    costs = [cost for i in range(len(found)) if (cost := run.group(f"networks/{i}/cost")) is not None]
    if not costs or len(costs) < len(found):
        raise NotInResult(f"{run.path} does not say what several networks cost. Sweep networks with measure.once = "
                          "[\"cost\"], to the end.")
    whole = of_wrong(statistic(run, "word_accuracy"))
    variants = [str(name) for name in whole.mean["variant"].values]
    if variant not in variants:
        raise NotInResult(f"{run.path} has no variant '{variant}' (it has {', '.join(variants)}). Choose one of these.")
    axis = next((p.axis for p in parameters(run).values() if p.key == "network.hidden" or p.key == "network.source"), None)
    if axis is None:
        raise NotInResult(f"{run.path} sweeps neither network.hidden nor network.source. Draw pareto.")
    beside = [p for p in parameters(run).values() if p.axis != axis and p.key]
    series = min(beside, key=lambda p: (p.numeric, p.name != p.axis), default=None)
    kept = (axis, series.axis) if series else (axis,)
    rest = fixed(run, kept)
    value = whole.at({"variant": variants.index(variant), **rest})
    zero = zero_of(run, value)
    of_point = network_of_point(run)[tuple(slice(None) if sweep in kept else rest[sweep] for sweep in run.sweeps)]
    order = [sweep for sweep in run.sweeps if sweep in kept]
    mean, low, high = (side.transpose(*order).values for side in (value.mean, value.low, value.high))
    if series and order[0] != series.axis:
        mean, low, high, of_point = mean.T, low.T, high.T, of_point.T
    mean, low, high, of_point = (np.atleast_2d(side) for side in (mean, low, high, of_point))

    figure, grid = style.panels(1, len(COSTS), style.PAGE_IN, 3.2, sharey=True)
    named: list[tuple[Any, ...]] = []
    for index, (key, label) in enumerate(COSTS):
        axes = grid.flat[index]
        for line in range(len(mean)):
            x = np.array([float(costs[i].attrs[key]) for i in of_point[line]])
            none = mean[line] < (zero.least / 2 if zero else 0)
            y = np.where(none, zero.place if zero else math.nan, mean[line])
            look = style.LINES[line % len(style.LINES)]
            best = front(x, y, False, False)
            away = np.maximum([y - np.maximum(low[line], y / 4), high[line] - y], 0)
            seen = np.isfinite(away).all(axis=0)
            axes.errorbar(x[seen], y[seen], yerr=away[:, seen], fmt="none", ecolor=look["color"], elinewidth=0.6, capsize=1.5,
                          alpha=0.7)
            axes.plot(x, y, linestyle="none", marker=look["marker"], color=look["color"], markerfacecolor="white",
                      markeredgewidth=0.8)
            told = f"{series.axis} {show_value(series.values[line], series.units)}" if series else None
            axes.plot(x[best], y[best], **{**look, "label": told})
            if index == line == 0:  # the same MZIs, and so the same names, stand above each other
                named.append((axes, x, y, [name_of(found[i].identity) for i in of_point[line]], best))
        if key == "mzis":
            axes.set_xscale("log")
            sizes = [float(cost.attrs[key]) for cost in costs]
            decade_axis(axes.xaxis, sizes)
            axes.set_xlim(min(sizes) / 1.25, max(sizes) * 1.25)
        axes.set_yscale("log")
        axes.set_xlabel(label)
        wrong_axis(axes, least_seen(value), zero)
        style.panel(axes, index, "")
    grid.flat[0].set_ylabel("share of words wrong")
    look_name = style.variant(variant)["label"] or variant
    title = f"Words decoded wrong against what a network costs, {look_name}: {say_trials(run).replace('trial', 'chip')} per point"
    title += f"; at {say_point(run, rest)}" if rest else ""
    if len(of_point) > 1 and (of_point == of_point[0]).all():  # the series does not choose the network
        title += "; watts and loss at the values before sweeps"
    style.finish(figure, run, title + "; joined: Pareto front", grid.flat[0].get_legend_handles_labels())
    figure.draw_without_rendering()
    for axes, x, y, names, best in named:
        name_points(axes, x, y, names, best)
    return figure
