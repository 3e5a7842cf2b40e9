"""Dies on wafers, coloured by what was measured on them, and their yield."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional

import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import Parameter, fixed, headline_metrics, meaning, parameters, say_trials, words_of
from .metric_vs_parameter import in_words, plain_name

MOST_MAPS = 3
RINGS = 8
KNOWN = {"each": "each splitter known", "die-mean": "die mean known"}
"""Values of calibration.splitters in words."""


@dataclass(frozen=True)
class Case:
    """A way to program the dies that gets a map and a line: places on its axes, in words."""

    at: dict[str, int]
    label: str


@style.styled
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
    name = metric or str(run.config.get("yield", {}).get("metric", "none"))
    name = name if name != "none" else headline_metrics(run)[0]
    trials = run.require("trials")
    if name not in trials or set(trials[name].dims) != {*run.sweeps, "trial", "variant"}:
        raise NotInResult(f"{run.path} has no metric '{name}' with one value a die and variant. Choose another.")
    x = longest(run)
    rest = fixed(run, (), at)
    if x is not None and x.name not in (at or {}):
        rest[x.axis] = (len(x.values) - 1) // 2
    cases = cases_of(run, name)
    shown = cases[:MOST_MAPS]
    judged = "yield" in run.require("summary") and run.config["yield"]["metric"] == name
    has_yield = judged and x is not None

    figure = Figure(figsize=(style.PAGE_IN, 5.4))
    grid = figure.add_gridspec(2, 6, height_ratios=(1.2, 1))
    places = [grid[0, 2 * i:2 * i + 2] for i in range(len(shown))]
    maps = [figure.add_subplot(place) for place in places]
    values = [at_dies(run, name, {**rest, **case.at}) for case in shown]
    norm = norm_of(np.concatenate([v[2] for v in values]))
    for index, (axes, case, (die_x, die_y, mean)) in enumerate(zip(maps, shown, values)):
        drawn = draw_map(axes, run, die_x, die_y, mean, norm, first=index == 0)
        share = f"\n{percent(run, {**rest, **case.at})} pass" if judged else ""
        style.panel(axes, index, case.label + share)
    words, units = axis_words(run, name)
    figure.colorbar(drawn, ax=maps, shrink=0.8, pad=0.01, label=style.label(words, units, 24))
    below = [grid[1, :3], grid[1, 3:]] if has_yield else [grid[1, :]]
    if has_yield and x is not None:
        axes = figure.add_subplot(below[0])
        draw_yield(axes, run, x, cases, rest)
        style.panel(axes, len(shown), "yield")
    axes = figure.add_subplot(below[-1])
    draw_rings(axes, run, name, cases, rest)
    axes.set_ylabel(style.label(f"mean {words}", units, 30))
    style.panel(axes, len(shown) + has_yield, "from the centre to the edge")
    return style.finish(figure, run, title_of(run, name, rest), axes.get_legend_handles_labels())


def title_of(run: Run, name: str, rest: Mapping[str, int]) -> str:
    """What is shown, of how many wafers, and where."""
    wafers = int(np.nanmax(run.require("dies")["wafer"].values)) + 1
    what = meaning(run, name).complement or name.replace("_", " ")
    title = f"{what[:1].upper()}{what[1:]} of dies on their wafer, {say_trials(run)} per point"
    title += ", one wafer" if wafers == 1 else f", mean over {wafers} wafers"
    shown = {axis: place for axis, place in rest.items() if parameter_of(run, axis).key != "calibration.splitters"}
    if shown:
        title += f"; maps at {in_words(run, shown)}"
    limit = run.config.get("yield", {})
    if limit.get("metric") == name:
        title += f"; a die passes with {name.replace('_', ' ')} {str(limit['sense']).replace('-', ' ')} {limit['limit']:g}"
    return title


def parameter_of(run: Run, axis: str) -> Parameter:
    """A parameter along this axis."""
    return next(p for p in parameters(run).values() if p.axis == axis)


def longest(run: Run) -> Optional[Parameter]:
    """The swept number of most values, that of the correlation length first; None where none is swept."""
    found = [p for p in parameters(run).values() if p.numeric and p.key]
    found.sort(key=lambda p: (p.key != "fabrication.correlation_length_m", -len(p.values)))
    return found[0] if found else None


def cases_of(run: Run, name: str) -> list[Case]:
    """Variants, and of those that correct every value of calibration.splitters."""
    known = next((p for p in parameters(run).values() if p.key == "calibration.splitters"), None)
    cases = []
    for place, variant in enumerate(map(str, run.require("trials")[name]["variant"].values)):
        label = str(style.variant(variant)["label"])
        if known is None or variant == "uncorrected":
            at = {"variant": place} if known is None else {"variant": place, known.axis: 0}
            cases.append(Case(at, label))
            continue
        cases += [Case({"variant": place, known.axis: i}, f"{label}, {KNOWN.get(str(value), str(value))}")
                  for i, value in enumerate(known.values)]
    return cases


def dies_and_values(run: Run, name: str, at: Mapping[str, int]) -> tuple[Any, Any, Any]:
    """Places of the trials' dies (mm) and the metric on each, of a share of what is right that of what is wrong."""
    dies = run.require("dies").isel({axis: i for axis, i in at.items() if axis != "variant"})
    value = run.require("trials")[name].isel(dict(at)).values.astype(float)
    if meaning(run, name).complement:
        value = 1 - value
    known = np.isfinite(value) & np.isfinite(dies["die_x"].values)
    return 1e3 * dies["die_x"].values[known], 1e3 * dies["die_y"].values[known], value[known]


def at_dies(run: Run, name: str, at: Mapping[str, int]) -> tuple[Any, Any, Any]:
    """Places (mm), and the mean over wafers at each."""
    x, y, value = dies_and_values(run, name, at)
    where, which = np.unique(np.round(np.column_stack((x, y)), 6), axis=0, return_inverse=True)
    total, count = np.bincount(which.ravel(), weights=value), np.bincount(which.ravel())
    return where[:, 0], where[:, 1], total / count


def norm_of(values: Any) -> Normalize:
    """The scale of the colours, the same in all maps: from 0 where no value is below."""
    seen = values[np.isfinite(values)]
    low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)
    low = min(low, 0.0)
    return Normalize(low, high if high > low else low + 1)


def draw_map(axes: Any, run: Run, x: Any, y: Any, mean: Any, norm: Normalize, first: bool) -> PatchCollection:
    """One wafer: dies as rectangles, its edge, and the rim without dies."""
    made = run.config["fabrication"]
    length, width = 1e3 * float(made["die_length_m"]), 1e3 * float(made["die_width_m"])
    radius = 1e3 * float(made["wafer_radius_m"])
    boxes = [Rectangle((cx - length / 2, cy - width / 2), length, width) for cx, cy in zip(x, y)]
    dies = PatchCollection(boxes, cmap="cividis_r", norm=norm, edgecolor="white", linewidth=0.4, zorder=2)
    dies.set_array(mean)
    axes.add_collection(dies)
    axes.add_patch(Circle((0, 0), radius, facecolor="#f2f2f2", edgecolor="#555555", linewidth=0.8, zorder=1))
    axes.add_patch(Circle((0, 0), radius - 1e3 * float(made["edge_exclusion_m"]), fill=False, edgecolor="#999999",
                          linewidth=0.5, linestyle=":", zorder=1))
    axes.set_xlim(-1.03 * radius, 1.03 * radius)
    axes.set_ylim(-1.03 * radius, 1.03 * radius)
    axes.set_aspect("equal")
    axes.grid(False)
    axes.set_xlabel("x on the wafer (mm)")
    axes.set_ylabel("y on the wafer (mm)" if first else "")
    return dies


def percent(run: Run, at: Mapping[str, int]) -> str:
    """The yield of a case, `42 %`."""
    return f"{100 * float(run.require('summary')['yield'].isel(dict(at)).values):.3g} %"


def draw_yield(axes: Any, run: Run, x: Parameter, cases: list[Case], rest: Mapping[str, int]) -> None:
    """A line a case with its interval, the share in percent."""
    summary = run.require("summary")
    factor, unit = style.scale_of(x.values, x.units)
    order = np.argsort(np.asarray(x.values, float))
    places = np.asarray(x.values, float)[order] * factor
    for case, look in zip(cases, style.LINES):
        at = {axis: i for axis, i in {**rest, **case.at}.items() if axis != x.axis}
        share, low, high = (100 * summary[f"yield{end}"].isel(at).values[order] for end in ("", "_low", "_high"))
        seen = np.isfinite(low + high)
        axes.errorbar(places[seen], share[seen], yerr=np.maximum([share - low, high - share], 0)[:, seen], fmt="none",
                      ecolor=look["color"], capsize=2, elinewidth=0.8)
        axes.plot(places, share, markerfacecolor="white", **{**look, "label": case.label})
    axes.set_ylim(-3, 103)
    axes.set_ylabel("share of dies that pass (%)")
    style.parameter_axis(axes, places.tolist(), style.label(plain_name(x), unit, 46))


def draw_rings(axes: Any, run: Run, name: str, cases: list[Case], rest: Mapping[str, int]) -> None:
    """Means over rings of about as many dies each, a line a case."""
    means = []
    for case, look in zip(cases, style.LINES):
        x, y, value = dies_and_values(run, name, {**rest, **case.at})
        distance = np.hypot(x, y)
        order = np.argsort(distance, kind="stable")
        rings = [ring for ring in np.array_split(order, min(RINGS, len(np.unique(distance)))) if len(ring)]
        means.append(np.array([value[ring].mean() for ring in rings]))
        axes.plot([distance[ring].mean() for ring in rings], means[-1], markerfacecolor="white",
                  **{**look, "label": case.label})
    seen = np.concatenate(means)
    if (seen >= 0).all():
        axes.set_ylim(-0.03 * seen.max(), 1.08 * seen.max() or 1)
    axes.set_xlabel("distance from the centre of the wafer (mm)")


def axis_words(run: Run, name: str) -> tuple[str, str]:
    """What is drawn of a metric, and its unit."""
    found = meaning(run, name)
    if found.complement:
        return f"share of {found.complement}", "1"
    units, long_name = words_of(run.require("trials")[name].attrs, name)
    return found.label or long_name, units
