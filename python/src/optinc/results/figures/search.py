"""Networks compared: how much error their chips stand against how many MZIs they have."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from .. import style
from ..errors import NotInResult
from ..networks import label_of, network_of_point
from ..run import Run
from ..study import fixed, say_point, say_trials
from ..tolerances import Search, search_at, tolerance as table_of
from .pareto import front
from .tolerance import axis_of_panels, network_axes, places_of, title_of

MOST_PANELS, COLUMNS = 6, 3
MOST_NAMES = 12  # more networks than this stand against an axis of MZIs, where those of the front alone are named


@style.styled
def search(run: Run, *, share: float = 0.99, variant: Optional[str] = None,
           at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Networks by their MZIs and by the level of an error that a `share` of their chips decode every word at, with its
    95 % interval (tolerances.tolerance; a cap where there are chips enough for the end). A panel for every swept preset
    or key; up to MOST_NAMES networks in rows, the smallest on top, more against an axis of MZIs. Black (and joined):
    beaten by no network in both, among those right without errors; at the line of factor 1 a chip stands the preset itself.

    Arrows at the gentle edge: right without errors, but less than the gentlest level. Hollow, grey circles: not right on
    every word even without errors. Carets: the harshest level, or more. `variant`: "corrected_quadrature", or the
    first. `at`: where to stand on sweeps that vary no network.

    Raises NotInResult where the file holds no tolerances of several networks of known size, ValueError unless
    0 < share < 1.
    """
    table = table_of(run, share)
    if not np.isfinite(table["mzis"]).any():
        raise NotInResult(f"{run.path} does not say how many MZIs its networks have (complete: {run.provenance.complete}). "
                          "Run the study to its end.")
    if len(set(table["network"].tolist())) < 2:
        raise NotInResult(f"{run.path} compares no networks (it has one). Sweep network.source or network.hidden.")
    variants = list(dict.fromkeys(table["variant"].tolist()))
    chosen = variant or ("corrected_quadrature" if "corrected_quadrature" in variants else variants[0])
    if chosen not in variants:
        raise NotInResult(f"{run.path} has no variant '{chosen}' (it has {', '.join(variants)}). Choose one of these.")
    panel_axis = axis_of_panels(run)
    free = tuple(dict.fromkeys([*([panel_axis] if panel_axis else []), *network_axes(run)]))
    rest = fixed(run, free, at)
    places = places_of(run, panel_axis, MOST_PANELS)
    order = in_rows(table)
    columns = min(COLUMNS, len(places))
    rows = -(-len(places) // columns)
    width = style.COLUMN_IN * 1.4 if columns == 1 else style.PAGE_IN
    searches = [search_at(run, {**rest, **place}) for place in places]
    alike = len({s.key for s in searches}) == 1
    height = 0.75 + 0.19 * len(order) if order else 2.6 if columns == 1 else 2.4
    figure, grid = style.panels(rows, columns, width, (0.75 if order else 1.1) + rows * height, sharex=alike or not order,
                                sharey=alike or bool(order))
    named: list[tuple[Any, Any, Any, list[str], Any, bool]] = []
    for index, axes in enumerate(grid.flat):
        if index >= len(places):
            axes.set_visible(False)
            continue
        rows_here = (table["variant"] == chosen) & at_places(run, {**rest, **places[index]}, len(variants))
        here = {name: column[rows_here] for name, column in table.items()}
        named.append(draw(axes, here, searches[index], table["mzis"], order))
        meaning = style.label(*searches[index].meaning, 26)
        style.panel(axes, index, title_of(run, places[index]))
        last = index + columns >= len(places)
        if (last or not alike) if order else (index % columns == 0 or not alike):
            (axes.set_xlabel if order else axes.set_ylabel)(meaning)
        if last and not order:
            axes.set_xlabel("MZIs of the network")
    if order and alike and grid.flat[0].get_xscale() == "log":  # one axis, for the tolerances of all panels
        decade_axis(grid.flat[0].xaxis, [level for level in table["tolerance"] if 0 < level < np.inf] or [1])
    title = f"Error that {100 * share:.4g} % of the chips tolerate, {'by network (its MZIs)' if order else 'and MZIs'}: "
    title += f"{say_trials(run)} per point; {'black' if order else 'joined'}: Pareto front"
    below = [entry for entry in named if entry[5]]
    title += "; at the gentle edge: less than the gentlest level, hollow circles wrong without errors" if below else ""
    said = ([say_point(run, rest)] if rest else []) + ([f"variant = {chosen}"] if len(variants) > 1 else [])
    title += f"; at {', '.join(said)}" if said else ""
    if panel_axis and len(places) < run.require("trials").sizes[panel_axis]:
        title += f"; the first {len(places)} of {run.require('trials').sizes[panel_axis]} panels"
    style.finish(figure, run, title)
    if not order:
        figure.draw_without_rendering()  # places the axes, and so the names
        for axes, x, y, names, best, _ in named:
            name_points(axes, x, y, names, best)
    return figure


def in_rows(table: Mapping[str, Any]) -> dict[str, float]:
    """MZIs of the networks by their names, the smallest first, where they are few enough to have a row each."""
    sizes = {name: mzis for name, mzis in zip(table["network"].tolist(), table["mzis"].tolist()) if np.isfinite(mzis)}
    return {} if len(sizes) > MOST_NAMES else dict(sorted(sizes.items(), key=lambda entry: entry[1]))


def at_places(run: Run, places: Mapping[str, int], variants: int) -> "np.ndarray[Any, Any]":
    """Which rows of the table stand at these places, whatever the other axes."""
    shape = network_of_point(run).shape
    chosen = np.ones(shape, bool)
    for i, axis in enumerate(run.sweeps):
        if axis in places:
            chosen &= (np.arange(shape[i]) == places[axis]).reshape([-1 if j == i else 1 for j in range(len(shape))])
    return np.repeat(chosen.reshape(-1), variants)


def draw(axes: Any, rows: Mapping[str, Any], tried: Search, sizes: Any,
         order: Mapping[str, float]) -> tuple[Any, Any, Any, list[str], Any, bool]:
    """One panel: tolerances up, against MZIs on an axis as wide as all `sizes` need, or to the right, in rows in this
    order. Returns what names its points: axes, places, names, the front, and whether any stand at the edge."""
    x, y = rows["mzis"].astype(float), rows["tolerance"]
    found = np.isfinite(x) & np.isfinite(y) & (y != 0)
    right = ~(rows["word_accuracy"] < 1)
    best = np.array([i for i in front(x, np.where(found & right, -y if tried.falling else y, np.nan), False, True)], int)
    if order:
        x = np.array([list(order).index(name) if name in order else np.nan for name in rows["network"]])
    tolerance_axis = axes.xaxis if order else axes.yaxis

    def put(across: Any, up: Any, *, edge: bool = False, **look: Any) -> None:
        """Points at these networks and tolerances; at the edge as a share of the panel."""
        if len(across):  # matplotlib lays out nothing around an empty line that is not clipped
            if edge:
                look["transform"] = axes.get_yaxis_transform() if order else axes.get_xaxis_transform()
            axes.plot(*((up, across) if order else (across, up)), **look)

    log = tried.gentle > 0 and tried.harsh > 0 and max(tried.gentle, tried.harsh) > 20 * min(tried.gentle, tried.harsh)
    if log:
        (axes.set_xscale if order else axes.set_yscale)("log")
    for i in np.flatnonzero(found):
        color = "#000000" if i in best else "#888888"
        low, high = rows["low"][i], rows["high"][i]
        caps = [end for end in (low, high) if np.isfinite(end) and end != 0]
        put([x[i]] * (1 + len(caps)), [y[i], *caps], color=color, linewidth=0.8, zorder=2)
        put([x[i]] * len(caps), caps, color=color, marker="|" if order else "_", markersize=5, linestyle="none", zorder=2)
    others = np.setdiff1d(np.flatnonzero(found), best)
    style_of: dict[str, Any] = dict(linestyle="none", markeredgewidth=0.8, zorder=3)
    put(x[others][right[others]], y[others][right[others]], marker="o", color="#999999", **style_of)
    put(x[others][~right[others]], y[others][~right[others]], marker="o", color="#666666", markerfacecolor="white", **style_of)
    put(x[best], y[best], color="#000000", linewidth=1.2, linestyle="none" if order else "-", marker="o", markersize=5, zorder=4)
    most = np.flatnonzero(found & (y == tried.harsh))
    put(x[most], y[most], marker=9 if order else 10, color="#000000", markersize=7, linestyle="none", zorder=3)  # caret
    edge = np.flatnonzero(~found & np.isfinite(x) & ~np.isnan(y))
    level: dict[str, Any] = dict(edge=True, clip_on=False, linestyle="none", zorder=5, markerfacecolor="white")
    for which, marker, color in ((edge[right[edge]], "<" if order else "v", "#000000"), (edge[~right[edge]], "o", "#666666")):
        put(x[which], 0.035 + 0 * x[which], marker=marker, color=color, **level)
    if tried.key == "chip":
        (axes.axvline if order else axes.axhline)(1, color=style.ACCENT, linewidth=0.7, zorder=1)
    axes.margins(**{"x" if order else "y": 0.12})
    if not found.any():
        (axes.set_xlim if order else axes.set_ylim)(sorted((tried.gentle, tried.harsh)))
    if order:
        axes.set_yticks(range(len(order)), [style.plain(f"{label_of(name)} ({mzis:,.0f})") for name, mzis in order.items()])
        axes.set_ylim(len(order) - 0.4, -0.6)
    else:
        axes.set_xscale("log")
        widest = (np.nanmax(sizes) / np.nanmin(sizes)) ** 0.12 * 1.2
        axes.set_xlim(np.nanmin(sizes) / widest, np.nanmax(sizes) * widest)
        decade_axis(axes.xaxis, sizes, (1, 3))
    if log:
        decade_axis(tolerance_axis, y[found] if found.any() else [tried.gentle, tried.harsh])
    if tried.falling:
        tolerance_axis.set_inverted(True)
    return axes, x, np.where(found, y, np.nan), list(rows["network"]), best, bool(len(edge))


def decade_axis(axis: Any, values: Any, some: tuple[int, ...] = (1, 2, 5)) -> None:
    """Plain numbers, more of them where there are few decades."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    subs: tuple[float, ...] = (1, 1.5, 2, 3, 5, 7) if high < 3 * low else (1, 2, 5)
    if high >= 12 * low:
        subs = some if high < 100 * low else (1,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}"))
    axis.set_minor_locator(NullLocator())


def name_points(axes: Any, x: Any, y: Any, names: list[str], best: Any) -> None:
    """Names of networks beside their points, each where the fewest others are; those of the front first, alone where
    there are many. Points at the lower edge are named where there are few."""
    height = 7.5
    at = np.column_stack([axes.transData.transform(np.column_stack([x, np.where(np.isnan(y), 1.0, y)]))[:, 0], np.where(
        np.isnan(y), axes.transAxes.transform((0, 0.035))[1], axes.transData.transform(
            np.column_stack([x, np.where(np.isnan(y), 1.0, y)]))[:, 1])]) * 72 / axes.figure.dpi
    frame = axes.get_window_extent().extents * 72 / axes.figure.dpi
    taken = [(px - 3, py - 3, px + 3, py + 3) for px, py in at if np.isfinite(px) and np.isfinite(py)]
    others = [i for i in np.argsort(-at[:, 1], kind="stable") if i not in set(best.tolist())]  # from the top down
    wanted = [*best, *(others if len(x) <= MOST_NAMES else [])]
    for i in wanted:
        if not np.isfinite(at[i]).all():
            continue
        wide = 3.1 * len(label_of(names[i]))
        options: list[tuple[float, int, tuple[int, int, str], Any]] = []
        for dx, dy, ha in [(0, dy, "center") if dx == 0 else (dx, dy, "left" if dx > 0 else "right")
                           for dy in (3, -9, 9, -15, 15, -21, 21) for dx in (5, -5, 0) if dx or not -12 < dy < 7]:
            start = at[i, 0] + dx - (wide if ha == "right" else wide / 2 if ha == "center" else 0)
            box = (start, at[i, 1] + dy, start + wide, at[i, 1] + dy + height)
            over = sum(max(0.0, min(box[2], b[2]) - max(box[0], b[0])) * max(0.0, min(box[3], b[3]) - max(box[1], b[1]))
                       for b in taken)
            outside = max(0.0, box[2] - frame[2]) + max(0.0, frame[0] - box[0]) + max(0.0, box[3] - frame[3]) + max(
                0.0, frame[1] - box[1])
            options.append((over + 20 * outside + 2 * len(options), len(options), (dx, dy, ha), box))
        _, _, (dx, dy, ha), box = min(options)
        taken.append(box)
        edge = np.isnan(y[i])
        note = axes.annotate(style.plain(label_of(names[i])), (x[i], 0.035 if edge else y[i]), xytext=(dx, dy), fontsize=5.5,
                             textcoords="offset points", ha=ha, va="bottom", color="#222222", zorder=6,
                             xycoords=axes.get_xaxis_transform() if edge else "data", annotation_clip=False,
                             arrowprops=dict(arrowstyle="-", linewidth=0.4, color="#666666", shrinkA=0, shrinkB=2,
                                             relpos=({"left": 0, "center": 0.5, "right": 1}[ha], 0.5)),
                             path_effects=[withStroke(linewidth=1.8, foreground="white")])
        note.set_in_layout(False)
