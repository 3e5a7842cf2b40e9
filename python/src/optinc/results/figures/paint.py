"""The painter of every figure: panels of lines, strips and cells, told by what they show."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count, zip_longest
from typing import Any, Mapping, Optional, Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import NullLocator
from matplotlib.transforms import Bbox

from .. import style
from ..run import Run

RULE: dict[str, Any] = dict(color=style.ACCENT, linewidth=0.8)
"""Look of a threshold or an ideal."""
GREY: dict[str, Any] = dict(color="#dddddd", zorder=0)
"""Look of a band that is asked for."""
MOST_LETTERS = 40
"""Of the names along an x axis; more of them are turned."""
WHITE_EDGE = [withStroke(linewidth=1.8, foreground="white")]
"""Around letters that lie over lines."""


@dataclass(frozen=True, eq=False)
class Mark:
    """Something in a panel: a method of matplotlib's Axes and what it is given. The option `transform` may be "axes"
    (shares of the panel), or "x" or "y" (of data along this axis, shares along the other)."""

    method: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]

    def draw(self, axes: Any) -> Any:
        """Draws it, and returns what matplotlib made of it."""
        places = {"axes": axes.transAxes, "x": axes.get_xaxis_transform(), "y": axes.get_yaxis_transform()}
        options = {key: places.get(value, value) if key in ("transform", "xycoords") and isinstance(value, str) else value
                   for key, value in self.options.items()}
        return getattr(axes, self.method)(*self.arguments, **options)


def mark(method: str, *arguments: Any, **options: Any) -> Mark:
    """A mark by its parts."""
    return Mark(method, arguments, options)


def line(x: Any, y: Any, look: Mapping[str, Any], low: Any = None, high: Any = None, band: float = 0.0) -> list[Mark]:
    """A line with white markers; the interval of each point as a bar, or all of them as a `band` of this opacity."""
    x, y, low, high = map(np.asarray, (x, y, low, high))
    drawn = [mark("plot", x, y, **{"markerfacecolor": "white", **look})]
    if low.ndim == 0:
        return drawn
    if band:
        return [mark("fill_between", x, low, high, color=look["color"], alpha=band, linewidth=0), *drawn]
    seen = np.isfinite(low) & np.isfinite(high) & np.isfinite(y)  # a point of one trial has no interval
    away = np.maximum([y[seen] - low[seen], high[seen] - y[seen]], 0)  # a mean may lie on its bound, to rounding
    return [mark("errorbar", x[seen], y[seen], away, fmt="none", ecolor=look["color"], capsize=2, elinewidth=0.8), *drawn]


def dots(x: Any, y: Any, **look: Any) -> Mark:
    """Markers without a line."""
    return mark("plot", x, y, **{"linestyle": "none", **look})


def note(x: float, y: float, text: str, **look: Any) -> Mark:
    """Letters at a place of the data, or of the panel (transform="axes")."""
    return mark("text", x, y, style.plain(text), **{"fontsize": 7, "va": "center", **look})


def corner(text: str) -> Mark:
    """Letters in the upper right corner."""
    return note(0.99, 0.96, text, transform="axes", ha="right", va="top",
                bbox=dict(facecolor="white", edgecolor="none", pad=1, alpha=0.8))


def stripes(rows: int) -> list[Mark]:
    """A grey ground under every other row."""
    return [mark("axhspan", row - 0.5, row + 0.5, color="#f4f4f4", linewidth=0) for row in range(0, rows, 2)]


@dataclass(frozen=True, eq=False)
class Axis:
    """An axis. `scale`: one of matplotlib's, or "values" (spaced as the `values` of a parameter along x are), "decades"
    (logarithmic, of these `values`, in plain numbers) or "rows" (one for each of the `names`, the first on top). `names`
    stand at `values`. `options`: those of the scale."""

    label: str = ""
    scale: str = "linear"
    values: Any = ()
    names: Optional[Sequence[str]] = None
    limits: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def set(self, axes: Any, which: str) -> None:
        """Makes it the axis "x" or "y" of `axes`."""
        axis = getattr(axes, f"{which}axis")
        if self.scale == "values":
            style.parameter_axis(axes, list(self.values), self.label, **self.options)
        elif self.scale == "decades":
            style.decades(axes, which, self.values, **self.options)
        elif self.scale != "rows":
            getattr(axes, f"set_{which}scale")(self.scale, **self.options)
        if self.names is not None:
            steep = which == "x" and sum(map(len, self.names)) > MOST_LETTERS
            turned: dict[str, Any] = dict(rotation=45, ha="right", rotation_mode="anchor") if steep else {}
            axis.set_ticks(range(len(self.names)) if self.scale == "rows" else self.values, self.names, **turned)
            axis.set_minor_locator(NullLocator())
        if self.scale == "rows":
            axes.grid(axis=which, visible=False)
        limits = (len(self.names or ()) - 0.5, -0.5) if self.scale == "rows" and self.limits is None else self.limits
        if limits is not None:
            getattr(axes, f"set_{which}lim")(*limits)
        axis.set_label_text(self.label)


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel. `title`: behind its letter; None: no letter. `legend`: options of a legend of its own. `named`: places
    and names of points that are named where there is room. `bar`: options of a bar of the colours of this panel and the
    `of` - 1 before it."""

    marks: Sequence[Any]
    x: Axis = Axis()
    y: Axis = Axis()
    title: Optional[str] = ""
    legend: Optional[Mapping[str, Any]] = None
    named: Sequence[tuple[float, float, str]] = ()
    bar: Optional[Mapping[str, Any]] = None
    of: int = 1


def paint(run: Run, title: str, panels: Sequence[Optional[Panel]], size: tuple[float, float], columns: int = 0,
          outer: str = "", **grid: Any) -> Figure:
    """The figure of these panels, row by row in so many `columns` (default: one row), signed with its run. None leaves a
    place free. `size`: width and height in inches. `outer`: "y" or "xy", the axes that are
    labelled at the left and lower edge alone. `grid`:
    options of Figure.subplots, or `mosaic`: places of the panels, by their numbers, as rows of Figure.subplot_mosaic.
    Legends without a panel of their own stand, in one, under the title."""
    columns = min(columns or len(panels), len(panels))
    with matplotlib.rc_context(style.LOOK):
        figure = Figure(figsize=size)  # not by pyplot, which would keep every figure open
        if "mosaic" in grid:
            found = figure.subplot_mosaic(grid.pop("mosaic"), **grid)
            places = [found[i] for i in range(len(panels))]
        else:
            places = list(figure.subplots(-(-len(panels) // columns), columns, squeeze=False, **grid).flat)
        legend: dict[str, Any] = {}
        letters = count()
        for index, (axes, panel) in enumerate(zip_longest(places, panels)):
            if panel is None:
                axes.set_visible(False)
                continue
            draw(axes, panel, next(letters) if panel.title is not None else 0)
            if panel.legend is None:
                legend.update((label, handle) for handle, label in zip(*axes.get_legend_handles_labels()) if label not in legend)
            if panel.bar is not None:
                colour_bar(figure, places[index + 1 - panel.of:index + 1], panel.bar)
            if "y" in outer and index % columns:
                axes.set_ylabel("")
            if "x" in outer and index + columns < len(panels) and panels[index + columns] is not None:
                axes.set_xlabel("")
            elif "x" in outer:
                axes.tick_params(labelbottom=True)
        style.finish(figure, run, title, (list(legend.values()), list(legend)))
        if any(panel is not None and panel.named for panel in panels):
            figure.draw_without_rendering()  # which places the axes, and so the names
            for axes, panel in zip(places, panels):
                name_points(axes, panel.named if panel else ())
        return figure


def draw(axes: Any, panel: Panel, index: int) -> None:
    """Draws a panel, lettered by its index."""
    for part in panel.marks:
        for each in part if isinstance(part, list) else [part]:
            each.draw(axes)
    panel.x.set(axes, "x")
    panel.y.set(axes, "y")
    if panel.title is not None:
        style.panel(axes, index, panel.title)
    if panel.legend is not None:
        axes.legend(**panel.legend)


def colour_bar(figure: Figure, places: list[Any], options: Mapping[str, Any]) -> None:
    """A bar of the colours of these axes; of its options, `levels` are lines across it and `limits` those of its axis."""
    options = dict(options)
    levels, limits = options.pop("levels", ()), options.pop("limits", None)
    bar = figure.colorbar([*places[0].images, *places[0].collections][0], ax=places, **{"pad": 0.02, **options})
    for level in levels:
        bar.ax.axhline(level, color="white", linewidth=1.8)
        bar.ax.axhline(level, color="black", linewidth=0.7)
    if limits:
        bar.ax.set_ylim(*limits)


BESIDE = [(dx, dy, "left" if dx > 0 else "right" if dx < 0 else "center")
          for dy in (3, -9, 9, -15, 15, -21, 21) for dx in (5, -5, 0) if dx or not -12 < dy < 7]
"""Where a name may stand, the best places first: points of print from its point, and how it is aligned."""


def name_points(axes: Any, named: Sequence[tuple[float, float, str]]) -> None:
    """Names beside their points, each at the first place where it lies over no marker of the axes and no name before it."""
    scale = 72 / axes.figure.dpi
    at = [axes.transData.transform((x, y)) * scale for x, y, _ in named]
    marked = [line.get_xydata() for line in axes.lines if line.get_marker() not in ("", " ", "None", None)]
    taken = [Bbox.from_bounds(px - 3, py - 3, 6, 6)
             for px, py in (*at, *(scale * place for places in marked for place in axes.transData.transform(places)))]
    frame = axes.get_window_extent()
    for (x, y, text), (px, py) in zip(named, at):
        wide, best = 3.1 * len(text), None
        for dx, dy, aligned in BESIDE:
            left = px + dx - wide * {"left": 0, "center": 0.5, "right": 1}[aligned]
            box = Bbox.from_bounds(left, py + dy, wide, 7.5)
            inside = frame.x0 * scale <= box.x0 and box.x1 <= frame.x1 * scale
            if inside and not box.count_overlaps(taken):
                best = dx, dy, aligned, box
                break
        dx, dy, aligned, box = best or (5, 3, "left", taken[0])
        taken.append(box)
        axes.annotate(style.plain(text), (x, y), xytext=(dx, dy), textcoords="offset points", fontsize=5.5, ha=aligned,
                      va="bottom", color="#222222", zorder=6, annotation_clip=False, path_effects=WHITE_EDGE,
                      arrowprops=dict(arrowstyle="-", linewidth=0.4, color="#666666", shrinkA=0, shrinkB=2),
                      ).set_in_layout(False)
