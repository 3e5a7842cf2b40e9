"""How much of an error chips stand: the share that decodes every word, and networks compared by it."""

from __future__ import annotations

import math
from typing import Any, Mapping, Optional, Sequence

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..networks import label_of, network_of_point, networks
from ..order_statistics import clopper_pearson, level_held
from ..run import Run
from ..study import choose_variant, fixed, parameters, say_point, say_trials
from ..tolerances import Search, search_at, swept_keys, tolerance as table_of
from .fronts import MOST_NETWORKS, front
from .paint import RULE, Axis, Panel, dots, line, mark, paint

MOST_CURVE_PANELS, MOST_LINES, MOST_NETWORK_PANELS = 8, 8, 6
TO_THE_LEFT, TO_THE_RIGHT, UP = 8, 9, 10
"""Markers: carets whose tip is their place."""


def tolerance(run: Run, *, share: float = 0.99, variant: Optional[str] = None,
              at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Share of chips that decode every word at a level of an error, a step down at every chip's tolerance, with the
    pointwise 95 % Clopper-Pearson band; harsher to the right. Above: the level at which a `share` of the chips decode
    every word, with its 95 % interval (order_statistics.level_held), dotted where too few chips ran for a gentler end.

    A panel for every swept `tolerance.key`, or preset; a line for every network, or point of the next sweep, or
    variant. A curve that begins below 1 has chips that fail at the gentlest level; one that ends in an arrow has some
    that decode every word at the harshest. `variant`: "corrected_quadrature", or the first, where lines are something else.
    `at`: where to stand on other sweeps.

    Raises NotInResult where the file holds no tolerances, ValueError unless 0 < share < 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"a share of {share} of the chips (needed: more than 0, less than 1). Give 0.99, say.")
    search_at(run, {})
    data = run.require("trials")["tolerance"]
    variants = list(map(str, data["variant"].values))
    of_panels = axis_of_panels(run)
    of_lines = axis_of_lines(run, of_panels, at or {})
    rest = fixed(run, tuple(axis for axis in (of_panels, of_lines) if axis), at)
    chosen = choose_variant(run, variants, variant)
    places = places_of(run, of_panels, MOST_CURVE_PANELS)
    by_variant = of_lines is None and variant is None
    if by_variant:
        lines = [(str(style.variant(name).get("label") or name), {"variant": v}) for v, name in enumerate(variants)]
    else:
        lines = [(name_of_line(run, of_lines, place, {**rest, **places[0]}), {**place, "variant": chosen})
                 for place in places_of(run, of_lines, MOST_LINES)]
    high = min(0.075, 0.4 / len(lines))  # of one curve's interval above the axis of shares
    panels = []
    for place in places:
        search = search_at(run, {**rest, **place})
        samples = [data.isel({axis: i for axis, i in {**rest, **place, **where}.items() if axis in data.dims}).values
                   for _, where in lines]
        samples = [values[~np.isnan(values)] for values in samples]
        axis, factor = level_axis(search, samples)
        drawn: list[Any] = [mark("axhline", share, **{**RULE, "linewidth": 0.7}, zorder=1),
                            mark("axhline", 1.03, color="#999999", linewidth=0.5, zorder=1)]
        for i, ((name, _), values, look) in enumerate(zip(lines, samples, style.looks())):
            if len(values):
                drawn += steps(values, search, factor, axis.limits, {**look, "faint": min(0.2, 0.5 / len(lines))})
                drawn += strip(level_held(values, share, search.falling), search, factor, axis.limits,
                               {**look, "y": 1.03 + high * (len(lines) - i - 0.4)})
            drawn += line([], [], {**look, "markersize": 3.5, "label": name})
        ticks = np.linspace(0, 1, 6)
        panels.append(Panel(drawn, axis, Axis("share of chips that\ndecode every word", values=ticks,
                                              names=[f"{t:.1f}" for t in ticks],
                                                 limits=(0, 1.03 + high * (len(lines) + 0.3))), title_of(run, place)))
    columns = min(4, len(places))
    each = (2.2 if columns == 1 else 1.95) + 0.08 * max(0, len(lines) - 3)
    title = (f"Chips that decode every word, 95 % bands; above: level held by {100 * share:.4g} % of the chips; "
             f"{say_trials(run)} per point")
    said = [say_point(run, rest)] if rest else []
    said += [f"variant = {variants[chosen]}"] if len(variants) > 1 and not by_variant else []
    title += f"; at {', '.join(said)}" if said else ""
    for axis_name, shown, what in ((of_panels, len(places), "panels"), (of_lines, len(lines), "lines")):
        if axis_name and shown < data.sizes[axis_name]:
            title += f"; the first {shown} of {data.sizes[axis_name]} {what}"
    high = 1.15 + 0.16 * -(-len(lines) // 2) + -(-len(places) // columns) * each
    return paint(run, title, panels, (style.COLUMN_IN * 1.25 if columns == 1 else style.PAGE_IN, high), columns, outer="y", sharey=True)


def search(run: Run, *, share: float = 0.99, variant: Optional[str] = None,
           at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Networks by their MZIs and by the level of an error that a `share` of their chips decode every word at, with its
    95 % interval (tolerances.tolerance; a cap where there are chips enough for the end). A panel for every swept preset
    or key; up to MOST_NETWORKS networks in rows, the smallest on top, more against an axis of MZIs. Black (and joined):
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
    chosen = variants[choose_variant(run, variants, variant)]
    of_panels = axis_of_panels(run)
    rest = fixed(run, (*([of_panels] if of_panels else []), *network_axes(run)), at)
    places = places_of(run, of_panels, MOST_NETWORK_PANELS)
    order = in_rows(table)
    searches = [search_at(run, {**rest, **place}) for place in places]
    alike = len({tried.key for tried in searches}) == 1
    panels, edges = [], False
    for place, tried in zip(places, searches):
        here = (table["variant"] == chosen) & at_places(run, {**rest, **place}, len(variants))
        panel, edge = networks_panel({name: column[here] for name, column in table.items()}, tried, table, order)
        panels.append(Panel(panel.marks, panel.x, panel.y, title_of(run, place), named=panel.named))
        edges |= edge
    columns = min(3, len(places))
    rows = -(-len(places) // columns)
    height = 0.75 + 0.19 * len(order) if order else 2.6 if columns == 1 else 2.4
    title = (f"Error that {100 * share:.4g} % of the chips tolerate, {'by network (its MZIs)' if order else 'and MZIs'}: "
             f"{say_trials(run)} per point; {'black' if order else 'joined'}: Pareto front")
    title += "; at the gentle edge: less than the gentlest level, hollow circles wrong without errors" if edges else ""
    said = ([say_point(run, rest)] if rest else []) + ([f"variant = {chosen}"] if len(variants) > 1 else [])
    title += f"; at {', '.join(said)}" if said else ""
    if of_panels and len(places) < run.require("trials").sizes[of_panels]:
        title += f"; the first {len(places)} of {run.require('trials').sizes[of_panels]} panels"
    return paint(run, title, panels, (style.COLUMN_IN * 1.4 if columns == 1 else style.PAGE_IN,
                                      (0.75 if order else 1.1) + rows * height),
                 columns, outer="xy" if alike else "", sharex=alike or not order, sharey=alike or bool(order))


# -- axes, panels and lines of a study of tolerances


def axis_of_panels(run: Run) -> Optional[str]:
    """The sweep axis that varies the key, else the preset; None where neither is swept."""
    keys = swept_keys(run)
    return next((keys[key].axis for key in ("tolerance.key", "chip.preset") if key in keys), None)


def network_axes(run: Run) -> list[str]:
    """Sweep axes along which the network changes."""
    of_point = network_of_point(run)
    return [axis for i, axis in enumerate(run.sweeps) if np.any(np.diff(of_point, axis=i) != 0)]


def axis_of_lines(run: Run, panel_axis: Optional[str], at: Mapping[str, Any]) -> Optional[str]:
    """The sweep axis that varies the network, else the first left that `at` does not place."""
    placed = {p.axis for p in parameters(run).values() if p.name in at}
    left = [axis for axis in run.sweeps if axis != panel_axis and axis not in placed]
    return next((axis for axis in [*network_axes(run), *left] if axis in left), None)


def places_of(run: Run, axis: Optional[str], most: int) -> list[dict[str, int]]:
    """The first places of an axis; one nowhere without an axis."""
    return [{axis: i} for i in range(min(run.require("trials").sizes[axis], most))] if axis else [{}]


def name_of_line(run: Run, axis: Optional[str], place: Mapping[str, int], rest: Mapping[str, int]) -> str:
    """The network's name where the axis varies it, else the point."""
    if axis in network_axes(run):
        point = {**rest, **place}
        return label_of(networks(run)[int(network_of_point(run)[tuple(point.get(name, 0) for name in run.sweeps)])].name)
    return say_point(run, place)


def title_of(run: Run, place: Mapping[str, int]) -> str:
    """What a panel shows: the key's or preset's name, without what stands on the axis."""
    keys = swept_keys(run)
    for wanted in ("tolerance.key", "chip.preset"):
        if wanted in keys and keys[wanted].axis in place:
            return str(keys[wanted].values[place[keys[wanted].axis]]).split(".")[-1]  # the section has no place there
    return search_at(run, {}).key


def at_places(run: Run, places: Mapping[str, int], variants: int) -> "np.ndarray[Any, Any]":
    """Which rows of the table stand at these places, whatever the other axes."""
    where = np.indices(network_of_point(run).shape)
    chosen = np.all([where[run.sweeps.index(axis)] == place for axis, place in places.items()] or [where[0] == where[0]], axis=0)
    return np.repeat(chosen.reshape(-1), variants)


# -- curves of shares


def level_axis(search: Search, samples: Sequence[Any]) -> tuple[Axis, float]:
    """The axis of levels, harsher to the right, as far as the curves fall, from the gentlest on where some chips of a
    curve fail there; and the factor of its unit."""
    found = np.concatenate(samples)
    inner = found[np.isfinite(found) & (found != 0)]
    meaning, units = search.meaning
    factor, unit = style.scale_of([*inner, search.gentle] if len(inner) else [search.gentle, search.harsh], units)
    inner = inner if len(inner) else np.array([search.gentle, search.harsh])
    ends = (inner.max(), inner.min()) if search.falling else (inner.min(), inner.max())
    log = search.logarithmic
    if log:
        pad = 1 / 1.25 if search.falling else 1.25
        left, right = ends[0] / pad, ends[1] * pad
    else:
        least = 1 if units == "bit" else 0.02 * abs(search.harsh - search.gentle)
        pad = math.copysign(max(0.08 * abs(ends[1] - ends[0]), least), search.harsh - search.gentle)
        left, right = ends[0] - pad, ends[1] + pad
    if any(((values == 0) | np.isinf(values)).any() and not ((values == 0) | np.isinf(values)).all() for values in samples):
        left = search.gentle
    limits = (left * factor, right * factor)
    title = style.label(meaning, unit, 24)
    if log:
        return Axis(title, "decades", limits, limits=limits, options={"some": (1, 3)}), factor
    low, high = sorted(limits)
    step = max(1, round((high - low) / 6))
    whole = range(math.ceil(low), math.floor(high) + 1, step) if units == "bit" else ()
    return Axis(title, values=whole, names=list(map(str, whole)) if whole else None, limits=limits), factor


def steps(values: Any, search: Search, factor: float, ends: tuple[float, float], look: Mapping[str, Any]) -> list[Any]:
    """The share of chips that hold a level, and its band, from the gentle end of the axis to the harshest level asked."""
    sign = -1 if search.falling else 1
    levels, counts = np.unique(sign * values, return_counts=True)
    held = len(values) - np.concatenate(([0], np.cumsum(counts)))  # before and after every level
    failed = levels < sign * search.gentle  # 0, or infinity of what falls
    edges = sign * levels[~failed] * factor
    held = held[int(failed.sum()):]
    censored = len(edges) > 0 and edges[-1] == search.harsh * factor
    x = np.concatenate(([ends[0]], edges if censored else np.append(edges, ends[1])))
    at = held[:-1] if censored else held
    at = np.append(at, at[-1]).astype(int)
    low, high = clopper_pearson(len(values))
    drawn = [mark("plot", x, at / len(values), drawstyle="steps-post", color=look["color"], linestyle=look["linestyle"],
                  zorder=3),
             mark("fill_between", x, low[at], high[at], step="post", color=look["color"], alpha=look["faint"], linewidth=0,
                  zorder=2)]
    return drawn + ([caret(x[-1], at[-1] / len(values), TO_THE_RIGHT, look, 5)] if censored else [])


def strip(held: Any, search: Search, factor: float, ends: tuple[float, float], look: Mapping[str, Any]) -> list[Any]:
    """The level that a share of the chips hold and its interval, above the curves; arrows where they leave the axis."""
    (left, right), y, sign = ends, look["y"], -1 if search.falling else 1
    gentler, harsher = (held.high, held.low) if search.falling else (held.low, held.high)
    low = gentler * factor if math.isfinite(gentler) and sign * gentler * factor >= sign * left else left
    high = right if not math.isfinite(harsher) else harsher * factor if harsher != 0 else left
    fails = not math.isnan(gentler) and (gentler == 0 or math.isinf(gentler))
    inside = math.isfinite(held.value) and held.value != 0
    drawn = [mark("plot", [low, high], [y, y], color=look["color"], linewidth=0.9, zorder=4,
                  linestyle=(0, (1, 1.5)) if math.isnan(gentler) else "-")]
    if fails or not inside:
        drawn.append(caret(left, y, TO_THE_LEFT, look))
    if inside:
        drawn.append(dots(held.value * factor, y, color=look["color"], marker=look["marker"], markersize=3.5,
                          markerfacecolor="white", zorder=5, clip_on=False))
        if harsher == search.harsh:
            drawn.append(caret(harsher * factor, y, TO_THE_RIGHT, look))
    return drawn


def caret(x: float, y: float, marker: int, look: Mapping[str, Any], size: float = 4) -> Any:
    """A small arrow that says that something goes on."""
    return dots(x, y, color=look["color"], marker=marker, markersize=size, clip_on=False, zorder=4)


# -- networks compared


def in_rows(table: Mapping[str, Any]) -> dict[str, float]:
    """MZIs of the networks by their names, the smallest first, where they are few enough to have a row each."""
    sizes = {name: mzis for name, mzis in zip(table["network"].tolist(), table["mzis"].tolist()) if np.isfinite(mzis)}
    return {} if len(sizes) > MOST_NETWORKS else dict(sorted(sizes.items(), key=lambda entry: entry[1]))


def networks_panel(rows: Mapping[str, Any], tried: Search, table: Mapping[str, Any], order: Mapping[str, float]) -> tuple[Panel,
                                                                                                                          bool]:
    """One panel: tolerances up, against MZIs, on an axis as wide as all of the `table` need, or to the right, in rows in
    this order; and whether any stand at the gentle edge."""
    x, y = rows["mzis"].astype(float), rows["tolerance"]
    found = np.isfinite(x) & np.isfinite(y) & (y != 0)
    right = ~(rows["word_accuracy"] < 1)
    best = front(x, np.where(found & right, -y if tried.falling else y, np.nan), False, True)
    if order:
        x = np.array([list(order).index(name) if name in order else np.nan for name in rows["network"]])
    drawn: list[Any] = []

    def put(across: Any, up: Any, **look: Any) -> None:
        """Points at these networks and tolerances; matplotlib lays out nothing around an empty line that is not clipped."""
        if len(across):
            drawn.append(mark("plot", *((up, across) if order else (across, up)), **look))

    hollow: dict[str, Any] = dict(linestyle="none", zorder=3, marker="o", markeredgewidth=0.8)
    for i in np.flatnonzero(found):
        color = "#000000" if i in best else "#888888"
        caps = [end for end in (rows["low"][i], rows["high"][i]) if np.isfinite(end) and end != 0]
        put([x[i]] * (1 + len(caps)), [y[i], *caps], color=color, linewidth=0.8, zorder=2)
        put([x[i]] * len(caps), caps, color=color, marker="|" if order else "_", markersize=5, linestyle="none", zorder=2)
    others = np.setdiff1d(np.flatnonzero(found), best)
    put(x[others][right[others]], y[others][right[others]], color="#999999", **hollow)
    put(x[others][~right[others]], y[others][~right[others]], color="#666666", markerfacecolor="white", **hollow)
    put(x[best], y[best], color="#000000", linewidth=1.2, linestyle="none" if order else "-", marker="o", markersize=5, zorder=4)
    most = np.flatnonzero(found & (y == tried.harsh))
    put(x[most], y[most], marker=TO_THE_RIGHT if order else UP, color="#000000", markersize=7, linestyle="none", zorder=3)
    edge = np.flatnonzero(~found & np.isfinite(x) & ~np.isnan(y))
    for which, marker, color in ((edge[right[edge]], "<" if order else "v", "#000000"), (edge[~right[edge]], "o", "#666666")):
        put(x[which], 0.035 + 0 * x[which], marker=marker, color=color, transform="y" if order else "x", clip_on=False,
            linestyle="none", zorder=5, markerfacecolor="white")
    if tried.key == "chip":
        drawn.append(mark("axvline" if order else "axhline", 1, **{**RULE, "linewidth": 0.7}, zorder=1))
    drawn.append(mark("margins", **{"x" if order else "y": 0.12}))
    levels = [level for level in table["tolerance"] if 0 < level < np.inf] or [tried.gentle, tried.harsh]
    limits = None if found.any() else sorted((tried.gentle, tried.harsh))
    title = style.label(*tried.meaning, 26)
    level = Axis(title, "decades", levels, limits=limits) if tried.logarithmic else Axis(title, limits=limits)
    if tried.falling:
        drawn.append(mark("invert_xaxis" if order else "invert_yaxis"))
    if order:
        names = [style.plain(f"{label_of(name)} ({mzis:,.0f})") for name, mzis in order.items()]
        return Panel(drawn, level, Axis(scale="rows", names=names, limits=(len(order) - 0.4, -0.6))), bool(len(edge))
    sizes = table["mzis"]
    widest = (np.nanmax(sizes) / np.nanmin(sizes)) ** 0.12 * 1.2
    across = Axis("MZIs of the network", "decades", sizes, limits=(np.nanmin(sizes) / widest, np.nanmax(sizes) * widest))
    return Panel(drawn, across, level, named=[(x[i], y[i], label_of(rows["network"][i])) for i in best]), bool(len(edge))
