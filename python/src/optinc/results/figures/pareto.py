"""Two quantities traded against each other over all sweep points."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import xarray
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import (PREFIXED, meaning, metrics, of_worst_layer, parameters, per_variant, show_value, spans_decades,
                     statistic)

MOST_NAMES = 4  # points of a front that are named; more of them would lie over each other


@style.styled
def pareto(run: Run, *, x: Optional[str] = None, y: Optional[str] = None, x_better: Optional[str] = None,
           y_better: Optional[str] = None) -> Figure:
    """Means of two quantities at every sweep point, a marker a variant; those points that no other point of the
    variant beats in both are filled and joined.

    `x`, `y`: metrics, or numeric swept parameters (a cost, such as dac_bits); by default the study's two most telling
    metrics, or its only one against the first key swept. `x_better`, `y_better`: "low" or "high"; by default what
    the file says of a metric, high for bandwidths and tolerances (sigma_...), low for all else. An ablation
    stands at `all`.

    Raises NotInResult where nothing was swept or a name is not there, ValueError for another word than low or high.
    """
    if not run.sweeps:
        raise NotInResult(f"{run.path} has no sweep points to compare (the study sweeps no parameter). Add a sweep.")
    names = metrics(run)
    costs = [p.name for p in parameters(run).values() if p.key and p.numeric]
    asked = run.config.get("measure", {}).get("metrics") or names
    if len(asked) == 1 and costs and asked[0] in names and asked[0] not in (x, y):
        x, y = (x or costs[0], asked[0]) if y is None else (asked[0], y)
    if (x is None or y is None) and len(names) < 2:
        raise NotInResult(f"{run.path} summarises fewer than two metrics ({', '.join(names) or 'none'}). "
                          "Name x and y, one of them a swept parameter, or measure more.")
    y = y or next(name for name in names if name != x)
    x = x or next(name for name in names if name != y)
    better = {name: wanted or ("high" if is_better_high(run, name) else "low")
              for name, wanted in ((x, x_better), (y, y_better))}
    for wanted in better.values():
        if wanted not in ("low", "high"):
            raise ValueError(f"'{wanted}' is no direction (known: low, high). Say which is better.")
    across, x_label, x_note = quantity(run, x)
    up, y_label, y_note = quantity(run, y)

    figure, grid = style.panels(1, 1, style.COLUMN_IN * 1.4, 3.6)
    axes = grid[0, 0]
    everywhere = xarray.broadcast(across, up)
    for i, ((name, a), (_, b)) in enumerate(zip(per_variant(everywhere[0]), per_variant(everywhere[1]))):
        draw_front(axes, run, name, a, b.transpose(*a.dims), better[x] == "high", better[y] == "high",
                   (-13, 5, 14)[i % 3], float(np.nanmedian(across.values)) if np.isfinite(across).any() else 0.0)
    axes.set_xlabel(style.label(x_label[0], x_label[1], 50))
    axes.set_ylabel(style.label(y_label[0], y_label[1], 36))
    for axis, quantity_name, values in ((axes.xaxis, x, across), (axes.yaxis, y, up)):
        if not meaning(run, quantity_name).share_of_good and spans_decades(values.values):
            style.decades(axes, axis, values.values)
    axes.margins(0.1)
    said = [f"{name if name in parameters(run) else name.replace('_', ' ')} {better[name]}"
            + (f" ({note})" if note else "") for name, note in ((x, x_note), (y, y_note))]
    named = [p.name for p in parameters(run).values() if p.key and p.axis in everywhere[0].dims]
    title = (f"Means at all sweep points; filled: Pareto front, labelled ({', '.join(named)}). "
             f"Better: {' and '.join(said)}")
    return style.finish(figure, run, title, axes.get_legend_handles_labels())


def is_better_high(run: Run, name: str) -> bool:
    """Whether more of a metric, or of a swept parameter, is what one wants: speed, and tolerances that are easy."""
    return meaning(run, name).better == "higher" or name == "bandwidth_hz" or name.startswith("sigma_")


def quantity(run: Run, name: str) -> tuple[xarray.DataArray, tuple[str, str], str]:
    """A metric's means, or a numeric swept parameter's values, over sweep axes and variants; its label; a note."""
    swept = parameters(run)
    if name in swept and swept[name].numeric:
        p = swept[name]
        factor, unit = style.scale_of(p.values, p.units)
        return xarray.DataArray(np.asarray(p.values, float) * factor, dims=(p.axis,)), (p.long_name, unit), ""
    value, note = of_worst_layer(statistic(run, name))
    mean = value.mean.reset_coords(drop=True)
    if "ablation" in mean.dims and "all" in mean["ablation"].values:
        mean = mean.isel(ablation=[list(mean["ablation"].values).index("all")])
    return mean, (value.axis_name, value.units), note


def front(x: Any, y: Any, x_high: bool, y_high: bool) -> Any:
    """Indices of the points that none beats: better in one and no worse in the other. In ascending x; points with a
    NaN are left out."""
    a, b = (-x if x_high else x), (-y if y_high else y)
    sound = np.flatnonzero(np.isfinite(a) & np.isfinite(b))
    kept = [i for i in sound
            if not np.any((a[sound] <= a[i]) & (b[sound] <= b[i]) & ((a[sound] < a[i]) | (b[sound] < b[i])))]
    return np.array(sorted(kept, key=lambda i: (x[i], y[i])), int)


def draw_front(axes: Any, run: Run, name: str, a: xarray.DataArray, b: xarray.DataArray, x_high: bool,
               y_high: bool, raised: float, middle: float) -> None:
    """One variant's points and its front, whose points (or ends) are named by where they stand in the sweeps: `raised`
    points of print above them, and towards `middle` of the x axis."""
    look = style.variant(name)
    x, y = a.values.reshape(-1), b.values.reshape(-1)
    best = front(x, y, x_high, y_high)
    axes.plot(x, y, linestyle="none", marker=look["marker"], color=look["color"], markerfacecolor="white",
              markeredgewidth=0.7, alpha=0.7)
    axes.plot(x[best], y[best], **look)
    named = best if len(best) <= MOST_NAMES else best[[0, -1]]
    for i in named:
        places = dict(zip(map(str, a.dims), np.unravel_index(i, a.shape)))
        where = ", ".join(show_value(p.values[places[p.axis]], p.units if p.units in PREFIXED else "1")
                          for p in parameters(run).values() if p.key and p.axis in places)
        left = x[i] > middle
        axes.annotate(style.plain(f"({where})"), (x[i], y[i]), xytext=(-5 if left else 5, raised), fontsize=5.5,
                      textcoords="offset points", color="#333333", ha="right" if left else "left",
                      path_effects=[withStroke(linewidth=2, foreground="white")])
