"""Means over two swept parameters, and over dies on their wafers."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from typing import Any, Mapping, Optional

import matplotlib
import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import (Parameter, Statistic, by_key, fixed, headline_metrics, meaning, metrics, of_worst_layer, parameter,
                     parameters,
                     per_variant, say_point, say_trials, statistic, words_of)
from .paint import Axis, Panel, dots, line, mark, paint
from .words import Names, in_words, listed, plain_name

MOST_NUMBERS = 12  # a row, and to an inch below: more are too small to read
MOST_AN_INCH = 3.2


def heat_map(run: Run, *, metric: Names = None, x: Optional[str] = None, y: Optional[str] = None,
             at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Mean of `metric` over two swept parameters, a panel per variant: with numbers in the cells, or where these are
    many, contours.

    `metric`: one or several names, a row of panels each; by default the first that the study names, or its most telling
    one, and the yield where the study has one. `x`, `y`: swept parameters; by default the sweeps of most values (no
    ablation, which has a figure of its own), the inner of them along x. Cells are of one size, whatever the
    steps. `at`: values of the other sweeps, by parameter name, else their first point (an ablation at `all`); the title
    says so.

    Raises NotInResult where there are no two sweeps, or a name is not there.
    """
    across, up = two_parameters(run, x, y)
    names = listed(metric) or list(dict.fromkeys([headline_metrics(run)[0], *({"yield"} & set(metrics(run)))]))
    values = [of_worst_layer(statistic(run, name)) for name in names]
    rest = fixed(run, (across.axis, up.axis), at)
    columns = min(3, max(value.mean.sizes.get("variant", 1) for value, _ in values))
    width = style.COLUMN_IN if columns == 1 else style.PAGE_IN
    x_axis, y_axis = cell_names(across, MOST_NUMBERS // columns + 2), cell_names(up, MOST_NUMBERS)
    panels: list[Optional[Panel]] = []
    for value, _ in values:
        maps = [(name, mean.transpose(up.axis, across.axis).values) for name, mean in per_variant(value.at(rest).mean)]
        drawn, levels = cells_of(maps, value, across.numeric and up.numeric, columns * len(across.values) / width)
        bar = dict(shrink=0.9, levels=levels, label=style.label(value.axis_name, value.units, 30))
        panels += [Panel(marks, x_axis, y_axis, str(style.variant(name)["label"]) if name else None,
                         bar=bar if i == len(maps) - 1 else None, of=len(maps))
                         for i, ((name, _), marks) in enumerate(zip(maps, drawn))]
        panels += [None] * (-len(maps) % columns)
    said = [f"mean {value.name}".replace("mean yield", "yield").replace("_", " ") for value, _ in values]
    title = "; ".join([", and ".join(said), *(more for _, more in values if more)])
    rows = len(panels) // columns
    return paint(run, title[0].upper() + title[1:] + (f"; at {say_point(run, rest)}" if rest else ""), panels,
                 (width, 0.9 + rows * min(max(2.0, 0.24 * len(up.values) + 0.6), 3.4)), columns, outer="xy", sharex=True,
                 sharey=True)


def cells_of(maps: list[tuple[str, Any]], value: Statistic, numeric: bool,
             per_inch: float) -> tuple[list[list[Any]], list[float]]:
    """The maps of one metric on one scale of colour (that of shares, where it is one and they lie far apart, goes from 0 to
    1), and the levels of their contours."""
    finite = np.concatenate([cells[np.isfinite(cells)] for _, cells in maps])
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    if value.meaning.share_of_good and high - low > 0.5:
        low, high = 0.0, 1.0
    if low == high:
        low, high = low - 0.5, high + 0.5
    numbers = max(maps[0][1].shape) <= MOST_NUMBERS and per_inch < MOST_AN_INCH
    levels = [v for v in MaxNLocator(4).tick_values(low, high) if low < v < high] if numeric and not numbers else []
    drawn = []
    for _, cells in maps:
        marks = [mark("imshow", cells, origin="lower", aspect="auto", cmap="cividis", vmin=low, vmax=high),
                 mark("grid", visible=False)]
        inner = [v for v in levels if np.nanmin(cells) < v < np.nanmax(cells)]
        if inner and min(cells.shape) > 1 and np.isfinite(cells).sum() > 3:  # lines show on dark and on light
            marks += [mark("contour", np.ma.masked_array(cells, ~np.isfinite(cells)), inner, colors=color, linewidths=wide)
                      for color, wide in (("white", 1.8), ("black", 0.7))]
        if numbers:
            marks += written(cells, Normalize(low, high), 6.5 if per_inch < 2.2 else 5.5)
        drawn.append(marks)
    return drawn, levels


def two_parameters(run: Run, x: Optional[str], y: Optional[str]) -> tuple[Parameter, Parameter]:
    """The parameters across and up: those named, else one of each sweep, longest sweeps first, inner across."""
    swept = {p.axis: p for p in reversed(list(parameters(run).values()))}  # the first parameter of every sweep
    axes = [a for a in run.sweeps if a != "ablation" and len(swept[a].values) > 1]
    axes.sort(key=lambda a: -len(swept[a].values))
    taken = [parameter(run, name) for name in (x, y) if name is not None]
    spare = [swept[a] for a in axes if a not in [p.axis for p in taken]][:2 - len(taken)]
    spare.sort(key=lambda p: run.sweeps.index(p.axis))
    across = parameter(run, x) if x is not None else spare.pop() if spare else None
    up = parameter(run, y) if y is not None else spare.pop() if spare else None
    if across is None or up is None or across.axis == up.axis:
        raise NotInResult(f"{run.path} has no two sweeps for a heat map (swept: {', '.join(run.sweeps) or 'nothing'}). "
                          "Sweep two parameters by two or more values each.")
    return across, up


def written(cells: Any, norm: Normalize, size: float) -> list[Any]:
    """Every cell's value in it, dark on light and light on dark; a dash where none was measured."""
    colours = matplotlib.colormaps["cividis"]
    marks = []
    for (row, column), value in np.ndenumerate(cells):
        red, green, blue, _ = colours(norm(value)) if np.isfinite(value) else (1, 1, 1, 1)
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        marks.append(mark("text", column, row, short(value), ha="center", va="center", fontsize=size,
                          color="white" if dark else "black",
                          path_effects=[withStroke(linewidth=2, foreground=(red, green, blue))]))
    return marks


def short(value: float) -> str:
    """A number in five letters or so; a share that only rounds to 1 reads <1."""
    if not np.isfinite(value):
        return "–"
    text = f"{value:.3g}"
    if text == "1" and value < 1:
        return "<1"
    if len(text) > 5:
        text = f"{value:.2g}"
    return text if len(text) <= 6 else f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")


def cell_names(p: Parameter, most: int) -> Axis:
    """An axis of the parameter's values, a place each, `most` of them named at the most."""
    factor, unit = style.scale_of(p.values, p.units) if p.numeric else (1.0, p.units)
    step = -(-len(p.values) // most) if p.numeric else 1  # a name left out could not be guessed
    places = range(0, len(p.values), step)
    return Axis(style.label(p.long_name, unit, 30), values=places,
                names=[f"{p.values[i] * factor:.3g}" if p.numeric else style.plain(str(p.values[i])) for i in places])


MOST_MAPS = 3
RINGS = 8
BLACK_EDGE = [withStroke(linewidth=1.6, foreground="black")]
KNOWN = {"each": "each splitter known", "die-mean": "die mean known"}
"""Values of calibration.splitters in words."""


@dataclass(frozen=True)
class Case:
    """A way to program the dies that gets a map and a line: places on its axes, in words."""

    at: dict[str, int]
    label: str


def wafer_map(run: Run, *, metric: Optional[str] = None, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Every die at its place on the wafer, coloured by the mean of a metric over the wafers, a map for every variant (and of
    corrected variants for every value of calibration.splitters; the first three). Below, the yield of [yield] with its exact
    95 % interval against the swept parameter of most values, and the mean over rings of dies against the distance from the
    wafer's centre. Of a share of what is right, what is wrong.

    `metric`: that of the yield by default, else the study's first. `at`: values of sweeps, by parameter name; the maps
    stand at the middle value of the parameter along x by default.

    Raises NotInResult where chips come from no wafers, or a metric has axes of its own.
    """
    if run.group("dies") is None:
        raise NotInResult(f"{run.path} has no dies (its chips come from no wafers). Set fabrication.process = \"wafer\".")
    limit = run.config.get("yield", {})
    name = metric or (headline_metrics(run)[0] if limit.get("metric", "none") == "none" else str(limit["metric"]))
    trials = run.require("trials")
    if name not in trials or set(trials[name].dims) != {*run.sweeps, "trial", "variant"}:
        raise NotInResult(f"{run.path} has no metric '{name}' with one value a die and variant. Choose another.")
    x = longest(run)
    rest = fixed(run, (), at)
    if x is not None and x.name not in (at or {}):
        rest[x.axis] = (len(x.values) - 1) // 2
    cases = cases_of(run, name)
    shown = cases[:MOST_MAPS]
    summary = run.require("summary")
    judged = "yield" in summary and limit.get("metric") == name
    dies = [means_at_dies(*dies_and_values(run, name, {**rest, **case.at})) for case in shown]
    seen = np.concatenate([mean[np.isfinite(mean)] for *_, mean in dies])
    low, high = min(0.0, seen.min(initial=0.0)), seen.max(initial=0.0) if len(seen) else 1.0
    words, units = axis_words(run, name)
    panels = []
    for index, (case, (die_x, die_y, mean)) in enumerate(zip(shown, dies)):
        passing = 100 * float(summary["yield"].isel({**rest, **case.at}).values) if judged else 0.0
        bar = dict(shrink=0.8, pad=0.01, label=style.label(words, units, 24)) if index == len(shown) - 1 else None
        panel = wafer(run.config["fabrication"], die_x, die_y, mean, Normalize(low, high if high > low else low + 1),
                      textwrap.fill(case.label, 24) + (f"\n{passing:.3g} % pass" if judged else ""), bar, len(shown))
        failed = fails(run, name, mean)
        panels.append(replace(panel, marks=[*panel.marks, dots(die_x[failed], die_y[failed], marker="x", markersize=2.5, color="white",
                                                               path_effects=BLACK_EDGE)]))
    has_yield = judged and x is not None
    if has_yield and x is not None:
        panels.append(yields(run, x, cases, rest))
    panels.append(rings(run, name, cases, rest, style.label(f"mean {words}", units, 30)))
    below = [len(shown)] * 3 + [len(shown) + has_yield] * 3
    mosaic: list[list[Any]] = [[i if i < len(shown) else "." for i in range(MOST_MAPS) for _ in (0, 1)], below]
    return paint(run, wafer_title(run, name, rest), panels, (style.PAGE_IN, 5.4), mosaic=mosaic,
                 gridspec_kw={"height_ratios": (1.2, 1)})


def fails(run: Run, name: str, mean: Any) -> Any:
    """Of which dies the mean is beyond the limit of [yield]; of none where that is of another metric."""
    limit = run.config.get("yield", {})
    if limit.get("metric") != name:
        return np.zeros(len(mean), bool)
    value = 1 - mean if meaning(run, name).complement else mean
    return np.asarray(value > limit["limit"] if limit["sense"] == "at-most" else value < limit["limit"])


def wafer_title(run: Run, name: str, rest: Mapping[str, int]) -> str:
    """What is shown, of how many wafers, and where."""
    wafers = int(np.nanmax(run.require("dies")["wafer"].values)) + 1
    what = meaning(run, name).complement or name.replace("_", " ")
    title = f"{what[:1].upper()}{what[1:]} of dies on their wafer, {say_trials(run)} per point"
    title += ", one wafer" if wafers == 1 else f", mean over {wafers} wafers"
    known = by_key(run, "calibration.splitters")
    shown = {axis: place for axis, place in rest.items() if known is None or axis != known.axis}
    title += f"; maps at {in_words(run, shown)}" if shown else ""
    limit = run.config.get("yield", {})
    if limit.get("metric") == name:
        title += f"; a die passes with {name.replace('_', ' ')} {str(limit['sense']).replace('-', ' ')} {limit['limit']:g}, at a cross "
        title += "it fails" if wafers == 1 else "the mean fails"
    return title


def longest(run: Run) -> Optional[Parameter]:
    """The swept number of most values, that of the correlation length first; None where none is swept."""
    found = [p for p in parameters(run).values() if p.numeric and p.key]
    return min(found, key=lambda p: (p.key != "fabrication.correlation_length_m", -len(p.values)), default=None)


def cases_of(run: Run, name: str) -> list[Case]:
    """Variants, and of those that correct every value of calibration.splitters."""
    known = by_key(run, "calibration.splitters")
    cases = []
    for place, variant in enumerate(map(str, run.require("trials")[name]["variant"].values)):
        label = str(style.variant(variant)["label"])
        if known is None:
            cases.append(Case({"variant": place}, label))
        elif variant == "uncorrected":
            cases.append(Case({"variant": place, known.axis: 0}, label))
        else:
            cases += [Case({"variant": place, known.axis: i}, f"{label}, {KNOWN.get(str(value), str(value))}")
                      for i, value in enumerate(known.values)]
    return cases


def dies_and_values(run: Run, name: str, at: Mapping[str, int]) -> tuple[Any, Any, Any]:
    """Places of the trials' dies (mm) and the metric on each, of a share of what is right that of what is wrong."""
    dies = run.require("dies").isel({axis: i for axis, i in at.items() if axis != "variant"})
    value = run.require("trials")[name].isel(dict(at)).values.astype(float)
    value = 1 - value if meaning(run, name).complement else value
    known = np.isfinite(value) & np.isfinite(dies["die_x"].values)
    return 1e3 * dies["die_x"].values[known], 1e3 * dies["die_y"].values[known], value[known]


def means_at_dies(x: Any, y: Any, value: Any) -> tuple[Any, Any, Any]:
    """Places (mm), and the mean over wafers at each."""
    where, which = np.unique(np.round(np.column_stack((x, y)), 6), axis=0, return_inverse=True)
    return where[:, 0], where[:, 1], np.bincount(which.ravel(), weights=value) / np.bincount(which.ravel())


def wafer(made: Mapping[str, Any], x: Any, y: Any, mean: Any, norm: Normalize, title: str, bar: Any, of: int) -> Panel:
    """One wafer: dies as rectangles, its edge, and the rim without dies."""
    length, width, radius, rim = (1e3 * float(made[f"{key}_m"])
                                  for key in ("die_length", "die_width", "wafer_radius", "edge_exclusion"))
    dies = PatchCollection([Rectangle((cx - length / 2, cy - width / 2), length, width) for cx, cy in zip(x, y)],
                           cmap="cividis_r",
                           norm=norm, edgecolor="white", linewidth=0.4, zorder=2)
    dies.set_array(mean)
    ground = Circle((0, 0), radius, facecolor="#f2f2f2", edgecolor="#555555", linewidth=0.8, zorder=1)
    inner = Circle((0, 0), radius - rim, fill=False, edgecolor="#999999", linewidth=0.5, linestyle=":", zorder=1)
    ends = (-1.03 * radius, 1.03 * radius)
    return Panel([mark("add_collection", dies), mark("add_patch", ground), mark("add_patch", inner), mark("set_aspect", "equal"),
                  mark("grid", False)], Axis("x on the wafer (mm)", limits=ends), Axis("y on the wafer (mm)", limits=ends), title,
                  bar=bar, of=of)


def yields(run: Run, x: Parameter, cases: list[Case], rest: Mapping[str, int]) -> Panel:
    """Share of dies that pass against a parameter: a line a case with its interval."""
    factor, unit = style.scale_of(x.values, x.units)
    order = np.argsort(np.asarray(x.values, float))
    places = np.asarray(x.values, float)[order] * factor
    drawn: list[Any] = []
    for case, look in zip(cases, style.looks()):
        at = {axis: i for axis, i in {**rest, **case.at}.items() if axis != x.axis}
        share, low, high = (100 * run.require("summary")[f"yield{end}"].isel(at).values[order] for end in ("", "_low", "_high"))
        drawn += line(places, share, {**look, "label": case.label}, low, high)
    return Panel(drawn, Axis(style.label(plain_name(x), unit, 46), "values", places),
                 Axis("share of dies that pass (%)", limits=(-3, 103)), "yield")


def rings(run: Run, name: str, cases: list[Case], rest: Mapping[str, int], label: str) -> Panel:
    """Means over rings of about as many dies each against the distance from the centre, a line a case."""
    drawn: list[Any] = []
    means: list[float] = []
    for case, look in zip(cases, style.looks()):
        x, y, value = dies_and_values(run, name, {**rest, **case.at})
        distance = np.hypot(x, y)
        order = np.argsort(distance, kind="stable")
        parts = [ring for ring in np.array_split(order, min(RINGS, len(np.unique(distance)))) if len(ring)]
        here = [float(value[ring].mean()) for ring in parts]
        drawn += line([distance[ring].mean() for ring in parts], here, {**look, "label": case.label})
        means += here
    top = max(means, default=0.0)
    limits = (-0.03 * top, 1.08 * top or 1) if min(means, default=0.0) >= 0 else None
    return Panel(drawn, Axis("distance from the centre of the wafer (mm)"), Axis(label, limits=limits),
                 "from the centre to the edge")


def axis_words(run: Run, name: str) -> tuple[str, str]:
    """What is drawn of a metric, and its unit."""
    found = meaning(run, name)
    if found.complement:
        return f"share of {found.complement}", "1"
    units, long_name = words_of(run.require("trials")[name].attrs, name)
    return found.label or long_name, units
