"""Share of chips that decode every word against the level of an error."""

from __future__ import annotations

import math
from typing import Any, Mapping, Optional

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from .. import style
from ..errors import NotInResult
from ..networks import label_of, network_of_point, networks
from ..order_statistics import clopper_pearson, level_held
from ..run import Run
from ..study import fixed, parameters, say_point, say_trials
from ..tolerances import Search, search_at, swept_keys

MOST_PANELS, MOST_LINES, COLUMNS = 8, 8, 4


@style.styled
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
    variants = [str(name) for name in run.require("trials")["variant"].values]
    panel_axis = axis_of_panels(run)
    line_axis = axis_of_lines(run, panel_axis, at or {})
    rest = fixed(run, tuple(axis for axis in (panel_axis, line_axis) if axis), at)
    if variant is not None and variant not in variants:
        raise NotInResult(f"{run.path} has no variant '{variant}' (it has {', '.join(variants)}). Choose one of these.")
    chosen = variants.index(variant or ("corrected_quadrature" if "corrected_quadrature" in variants else variants[0]))
    places = places_of(run, panel_axis, MOST_PANELS)
    lines: list[tuple[str, dict[str, int]]]
    if line_axis is None and variant is None:
        lines = [(style.variant(name).get("label") or name, {"variant": v}) for v, name in enumerate(variants)]
    else:
        lines = [(name_of_line(run, line_axis, place, {**rest, **places[0]}), {**place, "variant": chosen})
                 for place in places_of(run, line_axis, MOST_LINES)]

    columns = min(COLUMNS, len(places))
    rows = -(-len(places) // columns)
    width = style.COLUMN_IN * 1.25 if columns == 1 else style.PAGE_IN
    each = (2.2 if columns == 1 else 1.95) + 0.08 * max(0, len(lines) - 3)
    high = 1.15 + 0.16 * math.ceil(len(lines) / 2) + rows * each
    figure, grid = style.panels(rows, columns, width, high, sharey=True)
    handles: dict[str, Any] = {}
    for index, axes in enumerate(grid.flat):
        if index >= len(places):
            axes.set_visible(False)
            continue
        handles.update(draw(run, axes, share, lines, {**rest, **places[index]}))
        style.panel(axes, index, title_of(run, places[index]))
        axes.set_ylim(0, 1.03 + strip_height(len(lines)) * (len(lines) + 0.3))
        axes.set_yticks(np.linspace(0, 1, 6))
        if index % columns == 0:
            axes.set_ylabel("share of chips that\ndecode every word", y=0.45)
    title = f"Chips that decode every word, 95 % bands; above: level held by {100 * share:.4g} % of the chips"
    title += f"; {say_trials(run)} per point"
    said = [say_point(run, rest)] if rest else []
    if len(variants) > 1 and "variant" in lines[0][1] and len({place["variant"] for _, place in lines}) == 1:
        said.append(f"variant = {variants[chosen]}")
    title += f"; at {', '.join(said)}" if said else ""
    for axis, shown, what in ((panel_axis, len(places), "panels"), (line_axis, len(lines), "lines")):
        if axis and shown < run.require("trials").sizes[axis]:
            title += f"; the first {shown} of {run.require('trials').sizes[axis]} {what}"
    return style.finish(figure, run, title, (list(handles.values()), list(handles)))


def axis_of_panels(run: Run) -> Optional[str]:
    """The sweep axis that varies the key, else the preset; None where neither is swept."""
    for wanted in ("tolerance.key", "chip.preset"):
        for p in parameters(run).values():
            if p.key == wanted:
                return p.axis
    return None


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
    if axis is None:
        return ""
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


def draw(run: Run, axes: Any, share: float, lines: list[tuple[str, dict[str, int]]],
         rest: Mapping[str, int]) -> dict[str, Any]:
    """One panel; returns its lines by their names."""
    data = run.require("trials")["tolerance"]
    search = search_at(run, rest)
    samples = []
    for _, place in lines:
        values = data.isel({axis: i for axis, i in {**rest, **place}.items() if axis in data.dims}).values
        samples.append(values[~np.isnan(values)])
    meaning, units = search.meaning
    found = np.concatenate(samples)
    seen = found[np.isfinite(found) & (found != 0)] if len(found) else found
    factor, units = style.scale_of([*seen, search.gentle] if len(seen) else [search.gentle, search.harsh], units)
    fail = [np.isinf(values) | (values == 0) for values in samples]
    left, right = level_axis(axes, search, found, any(some.any() and not some.all() for some in fail), factor)
    axes.set_xlabel(style.label(meaning, units, 24 if axes.get_subplotspec().get_gridspec().ncols > 1 else 44))
    axes.axhline(share, color=style.ACCENT, linewidth=0.7, zorder=1)
    high = strip_height(len(lines))
    axes.axhline(1.03, color="#999999", linewidth=0.5, zorder=1)
    handles = {}
    for i, ((name, _), values) in enumerate(zip(lines, samples)):
        look = style.LINES[i % len(style.LINES)]
        if len(values):
            steps(axes, values, search, factor, left, right, look, min(0.2, 0.5 / len(lines)))
            strip(axes, values, search, share, factor, left, right, 1.03 + high * (len(lines) - i - 0.4), look)
        handles[name], = axes.plot([], [], markersize=3.5, markerfacecolor="white", **look)
    return handles


def level_axis(axes: Any, search: Search, found: Any, some_fail: bool, factor: float) -> tuple[float, float]:
    """Makes x the axis of levels, harsher to the right, as far as the curves fall, from the gentlest on where some chips
    of a curve fail there; returns its ends, gentle first."""
    inner = found[np.isfinite(found) & (found != 0)]
    if not len(inner):
        inner = np.array([search.gentle, search.harsh])
    gentlest, harshest = (inner.max(), inner.min()) if search.falling else (inner.min(), inner.max())
    low, high = sorted((search.gentle, search.harsh))
    if low > 0 and high >= 20 * low:
        axes.set_xscale("log")
        pad = 1 / 1.25 if search.falling else 1.25
        left, right = gentlest / pad, harshest * pad
    else:
        least = 1 if search.meaning[1] == "bit" else 0.02 * abs(search.harsh - search.gentle)
        pad = math.copysign(max(0.08 * abs(harshest - gentlest), least), search.harsh - search.gentle)
        left, right = gentlest - pad, harshest + pad
    if some_fail:
        left = search.gentle
    left, right = left * factor, right * factor
    axes.set_xlim(left, right)
    ticks(axes, left, right, search.meaning[1] == "bit")
    return left, right


def ticks(axes: Any, left: float, right: float, whole: bool) -> None:
    """Few ticks in plain numbers, as a narrow panel needs."""
    low, high = min(left, right), max(left, right)
    if axes.get_xscale() == "log":
        if high < 50 * low:
            subs = (1, 1.5, 2, 3, 5, 7) if high < 4 * low else (1, 2, 5) if high < 12 * low else (1, 3)
            axes.xaxis.set_major_locator(LogLocator(subs=subs))
        axes.xaxis.set_minor_locator(NullLocator() if high < 50 * low else LogLocator(subs=(2, 5)))
        axes.xaxis.set_minor_formatter(NullFormatter())
    elif whole:
        axes.xaxis.set_major_locator(FixedLocator(range(math.ceil(low), math.floor(high) + 1,
                                                        max(1, round((high - low) / 6)))))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}"))


def strip_height(lines: int) -> float:
    """Of one curve's interval above the axis of shares."""
    return min(0.075, 0.4 / lines)


def steps(axes: Any, values: Any, search: Search, factor: float, left: float, right: float,
          look: Mapping[str, Any], faint: float) -> None:
    """The share of chips that hold a level, and its band, from the gentle end of the axis to the harshest level asked."""
    sign = -1 if search.falling else 1
    levels, counts = np.unique(sign * values, return_counts=True)
    n, held = len(values), len(values) - np.concatenate(([0], np.cumsum(counts)))  # before and after every level
    failed = levels < sign * search.gentle  # 0, or infinity of what falls
    edges = sign * levels[~failed] * factor
    held = held[int(failed.sum()):]
    censored = len(edges) > 0 and edges[-1] == search.harsh * factor
    x = np.concatenate(([left], edges if censored else np.append(edges, right)))
    share = held[:-1] if censored else held
    y = np.append(share, share[-1]) / n
    axes.plot(x, y, drawstyle="steps-post", color=look["color"], linestyle=look["linestyle"], zorder=3)
    low, high = clopper_pearson(n)
    at = np.append(share, share[-1]).astype(int)
    axes.fill_between(x, low[at], high[at], step="post", color=look["color"], alpha=faint, linewidth=0, zorder=2)
    if censored:
        axes.plot(x[-1], y[-1], color=look["color"], marker=9, markersize=5, clip_on=False, zorder=4)  # caret to the right


def strip(axes: Any, values: Any, search: Search, share: float, factor: float, left: float, right: float, y: float,
          look: Mapping[str, Any]) -> None:
    """The level that a share of the chips hold and its interval, above the curves; arrows where they leave the axis."""
    held = level_held(values, share, search.falling)
    gentler, harsher = (held.high, held.low) if search.falling else (held.low, held.high)
    ends = [end * factor for end in (gentler, harsher)]
    sign = -1 if search.falling else 1
    low = ends[0] if math.isfinite(ends[0]) and sign * ends[0] >= sign * left else left
    high = ends[1] if math.isfinite(ends[1]) and ends[1] != 0 else left if math.isfinite(ends[1]) else right
    known = math.isfinite(gentler) and gentler != 0
    inside = math.isfinite(held.value) and held.value != 0
    axes.plot([low, high], [y, y], color=look["color"], linewidth=0.9, zorder=4,
              linestyle="-" if known or not math.isnan(gentler) else (0, (1, 1.5)))
    if not known and not math.isnan(gentler) or not inside:
        axes.plot(left, y, color=look["color"], marker=8, markersize=4, clip_on=False, zorder=4)  # caret to the left
    if inside:
        axes.plot(held.value * factor, y, color=look["color"], marker=look["marker"], markersize=3.5,
                  markerfacecolor="white", zorder=5, clip_on=False)
    if harsher == search.harsh and inside:
        axes.plot(ends[1], y, color=look["color"], marker=9, markersize=4, clip_on=False, zorder=4)
