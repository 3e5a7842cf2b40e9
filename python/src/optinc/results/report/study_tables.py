"""Headline numbers of a study: means over trials with their intervals, at every point of its sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray

from ..comparison import comparison, percent
from ..networks import networks
from ..order_statistics import clopper_pearson
from ..run import Run
from ..study import (Parameter, Statistic, headline_metrics, metrics, of_worst_layer, say_trials, show_value, shown_parameters,
                     statistic)
from ..tolerances import search_at, tolerance
from .elements import Child, Element, node, table
from .numbers import MISSING, data, in_units, number, scale_of, value_of, with_interval

MOST_ROWS = 200
"""Points a table shows; the file has the others."""

TOLERANCE_SHARE = 0.99
"""Share of the chips in the table of what they stand."""


def study_tables(run: Run) -> list[Element]:
    """The tables of a study's file, or none. The metrics are those of headlines(run), and the yield if there is one."""
    found = networks_table(run)
    if run.summary is not None:
        found += comparison_table(run)
        told = headline_metrics(run)
        found += [metric_table(run, name) for name in dict.fromkeys([*told, *({"yield"} & set(metrics(run)))])]
        if "word_accuracy" in metrics(run):
            found.append(faultless_table(run))
        if run.trials is not None and "tolerance" in run.trials:
            found.append(tolerance_table(run))
    if run.ablation is not None:
        found.append(ablation_table(run, run.ablation))
    if run.gradient is not None:
        found.append(gradient_table(run.gradient))
    return found


def swept_columns(swept: list[Parameter]) -> list[str]:
    """Headings of the columns that say where a row stands."""
    return [p.name + in_units(p.units) for p in swept]


def swept_cells(swept: list[Parameter], point: dict[str, int]) -> list[Any]:
    """Where a row stands."""
    return [value_of(p.values[point[p.axis]]) for p in swept]


def points_of(run: Run) -> tuple[list[dict[str, int]], str]:
    """The points that a table shows, and what it says of those it leaves out."""
    sizes = [run.require("summary").sizes[axis] for axis in run.sweeps]
    places = [dict(zip(run.sweeps, place)) for place in np.ndindex(*sizes)]
    left = len(places) - MOST_ROWS
    return places[:MOST_ROWS], f" {number(left)} more points are in the file." if left > 0 else ""


def metric_table(run: Run, metric: str) -> Element:
    """A row for every point, a column for every variant: mean and 95 % interval. Of a metric with an axis of its own,
    such as time, its worst value there."""
    value, note = of_worst_layer(statistic(run, metric))
    own = [str(dim) for dim in value.mean.dims if dim not in (*run.sweeps, "variant")]
    scale, units = scale_of(value.mean.values, value.units)
    kind = "Share" if metric == "yield" else "Mean"
    what = f": {value.long_name}. {kind} over {say_trials(run)} per point [95 % interval]"
    notes = [note] if note else []
    if own:
        notes.append(f"the worst over {' and '.join(own)}, and its place")
    places, left_out = points_of(run)
    counts = run.require("summary")["completed"]
    differ = bool(counts.size) and int(counts.min()) != int(counts.max())
    variants = [str(name) for name in value.mean["variant"].values] if "variant" in value.mean.dims else [""]
    caption = [node("strong", metric + in_units(units)), what, *(f"; {text}" for text in notes), ".", left_out]
    if not run.sweeps:
        return table(caption, ["variant", "mean [95 % interval]"],
                     [[name, cell(of_variant(value, i), scale)] for i, name in enumerate(variants)])
    swept = shown_parameters(run)
    rows = [[*swept_cells(swept, point), *([data(counts.isel(point))] if differ else []),
             *(cell(of_variant(value.at(point), i), scale) for i in range(len(variants)))] for point in places]
    columns = [*swept_columns(swept), *(["trials"] if differ else []), *(name or "mean" for name in variants)]
    return table(caption, columns, rows, len(swept))


def of_variant(value: Statistic, index: int) -> Statistic:
    """A statistic of one variant."""
    return value.at({"variant": index}) if "variant" in value.mean.dims else value


def cell(value: Statistic, scale: float) -> list[Any]:
    """A mean and its interval; of several, the worst, and where it is."""
    mean, low, high = value.mean, value.low, value.high
    if mean.ndim == 0:
        return with_interval(mean, low, high, scale)
    if not bool(np.isfinite(mean).any()):
        return [MISSING]
    badness = (-mean if value.meaning.better == "higher" else mean).fillna(-np.inf).values
    place = dict(zip(map(str, mean.dims), np.unravel_index(int(np.argmax(badness)), badness.shape)))
    where = ", ".join(f"{axis} {show_value(mean[axis].values[i], str(mean[axis].attrs.get('units', '1')))}"
                      for axis, i in place.items())
    told = with_interval(mean.isel(place), low.isel(place), high.isel(place), scale)
    return [*told, node("span", f" at {where}", class_="where")]


def networks_table(run: Run) -> list[Element]:
    """What each network is without errors; nothing where the file says nothing of one."""
    told = [network for network in networks(run) if not (np.isnan(network.mzis) and np.isnan(network.word_accuracy))]
    if not told:
        return []
    rows: list[list[Child]] = [[n.name, data(n.mzis), data(n.depth), data(n.word_accuracy, digits=6), data(n.margin)]
                               for n in told]
    columns = ["network", "MZIs", "MZI columns in series", "share of all words right", "least margin (digit)"]
    return [table([node("strong", "Networks"), " without device errors."], columns, rows)]


def comparison_table(run: Run) -> list[Element]:
    """What each network of a sweep decodes, and the best; nothing of other studies."""
    found = comparison(run)
    if found is None:
        return []
    sent = not np.isnan(found.quantised)
    rows: list[list[Child]] = [[row.name, data(row.mzis), *map(percent, row.right), *([data(row.gradient_error)] if sent else [])]
                               for row in found.rows]
    caption = [node("strong", "Comparison of networks"), f": mean share of words right ({found.where})"
               + (f", and relative error of a real gradient ({found.quantised:.3g} by quantisation alone)" if sent else "")
               + f". {found.conclusion()}"]
    columns = ["network", "MZIs", *(column or "words right" for column in found.columns), *(["error of the gradient"] if sent else [])]
    return [table(caption, columns, rows)]


def faultless_table(run: Run) -> Element:
    """Share of the chips that decode every drawn word, with its interval."""
    accuracy = run.require("trials")["word_accuracy"]
    counts, swept, (places, left_out) = run.require("summary")["completed"], shown_parameters(run), points_of(run)
    rows = []
    for point in places:
        n = int(counts.isel(point))
        hits = (accuracy.isel(point) == 1).sum("trial").values
        low, high = clopper_pearson(n) if n else ([np.nan], [np.nan])
        rows.append([*swept_cells(swept, point), *(with_interval(hit / n if n else np.nan, low[hit], high[hit]) for hit in hits)])
    caption = [node("strong", "Chips with every drawn word right"), f": share of the {say_trials(run)} per point"
               " [exact 95 % interval, Clopper-Pearson].", left_out]
    return table(caption, [*swept_columns(swept), *map(str, accuracy["variant"].values)], rows, len(swept))


def tolerance_table(run: Run) -> Element:
    """What chips stand, from the order statistics of their own tolerances."""
    stand = tolerance(run, TOLERANCE_SHARE)
    places, left_out = points_of(run)
    swept, named = shown_parameters(run), len(set(stand["network"])) > 1
    rows = []
    for i, number_of_point in enumerate(stand["point"]):
        if number_of_point >= len(places):
            break
        point = places[int(number_of_point)]
        meaning, units = search_at(run, point).meaning
        network = [str(stand["network"][i])] if named else []
        rows.append([*swept_cells(swept, point), str(stand["variant"][i]), *network, meaning + in_units(units),
                     with_interval(stand["tolerance"][i], stand["low"][i], stand["high"][i]), data(stand["chips"][i])])
    caption = [node("strong", f"Level that {100 * TOLERANCE_SHARE:g} % of the chips tolerate"),
               " with every word right [exact 95 % interval; an end is missing if too few chips were run]."
               " A level at the end of the search range means at least that; 0 or ∞: not even the mildest level.", left_out]
    columns = [*swept_columns(swept), "variant", *(["network"] if named else []), "error", "level", "chips"]
    return table(caption, columns, rows, len(swept) + 1 + named)


def ablation_table(run: Run, shares: xarray.Dataset) -> Element:
    """Share of every source of error in the variance, alone and by what leaves with it."""
    sweeps = [axis for axis in run.sweeps if axis != "ablation"]
    swept = [p for p in shown_parameters(run) if p.axis in sweeps]
    variants = [str(name) for name in shares["variant"].values]
    rows = []
    for place in np.ndindex(*(shares.sizes[axis] for axis in sweeps)):
        point = dict(zip(sweeps, place))
        for s, source in enumerate(shares["source"].values):
            here = shares.isel({**point, "source": s})
            rows.append([*swept_cells(swept, point), str(source),
                         *(data(here[f"share_{way}"].isel(variant=v), digits=3) for v in range(len(variants))
                           for way in ("alone", "without"))])
    metric = str(shares.attrs.get("metric", "the error"))
    caption = [node("strong", "Share of every source"), f" in the variance of {metric}: from this source alone, and"
               " removed with this source. They add up to 1 only if sources act independently."]
    columns = [f"{name}, {way}" for name in variants for way in ("alone", "removed")]
    return table(caption, [*swept_columns(swept), "source", *columns], rows[:MOST_ROWS], len(swept) + 1)


PATHS = {"exact": "exact average (by definition)", "quantised": "ideal quantisation", "network": "float64 network",
         "chip_uncorrected": "chip, uncorrected", "chip_corrected": "chip, corrected",
         "chip_noisy": "chip, corrected, receiver and lock noise"}
"""Ways of a gradient, in words."""


def gradient_table(gradient: xarray.Dataset) -> Element:
    """Relative error of one real gradient by the way it took."""
    rows: list[list[Child]] = [
        [PATHS.get(str(path), str(path)), data(error)]
        for path, error in zip(gradient["path"].values, gradient["relative_error"].values)]
    about = [f"{number(float(gradient.attrs[key]))} {key}" for key in ("words", "servers") if key in gradient.attrs]
    caption = [node("strong", "A real gradient"), " after averaging: norm of (received - exact average) over norm of"
               " the average", f" ({', '.join(about)})." if about else "."]
    return table(caption, ["way", "relative error"], rows)
