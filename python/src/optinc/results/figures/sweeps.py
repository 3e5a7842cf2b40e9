"""Metrics against what a study swept, against wavelength and channels."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from itertools import product
from typing import Any, Mapping, Optional, Sequence

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..networks import label_of, network_of_point, networks, told_apart
from ..order_statistics import TAIL
from ..run import Run
from ..study import (Parameter, Statistic, by_key, choose_variant, fixed, headline_metrics, metrics, of_worst_layer, parameter,
                     parameters, say_point, say_trials, spans_decades, statistic, trial_noun, words_of)
from .paint import Axis, Mark, Panel, dots, line, paint
from .words import Names, Places, axis_in_words, in_words, listed, name_of, plain_name, short_point
from .wrong import Zero, least_seen, of_wrong, wrong_axis, zero_band, zero_of

FEW = 12  # points that bars of error can still be told apart at
MOST_PANELS = 4
MOST_CHANNEL_PANELS = 6
TIMES = ((14400.0, 3600.0, "h"), (300.0, 60.0, "min"))
"""Stretches of time (s) from which on they are read in another unit."""
MOST_RANGE = 1e6  # of a logarithmic axis; what lies below it is off the figure

Lines = Sequence[tuple[Mapping[str, Any], Places]]
"""Look and place of every line of a panel."""


def metric_vs_parameter(run: Run, *, metric: Names = None, parameter: Optional[str] = None,
                        at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Means of metrics against a swept parameter, a line per variant, with the 95 % intervals of the means.

    Of a share of words or chips that are right, what is wrong: 1 minus the share, on a logarithmic axis. Where none was
    wrong, the marker stands at a 0 below the smallest share that so many draws can show, in a grey band that says so.

    `metric`: one or several names; the first two that the study names, or its most telling ones, by
    default. `parameter`: the swept parameter along x; the numeric one of most values by default. `at`: values of other sweeps, by parameter name. Of the sweeps
    left, the one of most values gets a panel a value (its first, middle and last where it has more than four), the
    others stand at their first point (an ablation at `all`); titles say where.

    Raises NotInResult where a metric or parameter is not there, or nothing was swept.
    """
    x = choose_parameter(run, parameter)
    names = listed(metric) or headline_metrics(run)[:2]
    values = [(of_wrong(value), said) for value, said in (of_worst_layer(statistic(run, name)) for name in names)]
    axis, shown = panel_axis(run, x, at)
    rest = fixed(run, (x.axis, axis) if axis else (x.axis,), at)
    beside = axis is None and len(values) > 1
    columns = len(values) if beside else len(shown)
    rows = 1 if beside else len(values)
    width = style.PAGE_IN if columns > 1 else style.COLUMN_IN
    panels = []
    for value, said in values:
        here = value.at(rest)
        kept = here.at({axis: shown}) if axis else here
        zero = zero_of(run, kept)
        for place in shown:
            where = {axis: place} if axis else {}
            title = "; ".join(filter(None, (in_words(run, where), said))) or name_of(run, value.name)
            drawn, along = swept(x, here.at(where), variant_lines(value), zero, width / columns)
            panels.append(Panel([*drawn, *zero_band(zero)], along, value_axis(kept, zero),
                                textwrap.fill(title, int(11 * width / columns)) if len(values) * len(shown) > 1 else None))
    with_it = [plain_name(p) for p in parameters(run).values() if p.axis == x.axis and p.key and p.name != x.name]
    title = (f"{' and '.join(name_of(run, name) for name in names)} against {plain_name(x)}"
             + (f" (with it {', '.join(with_it)})" if with_it else "")
             + ": mean and 95 % interval, " + say_trials(run, trial_noun(run)).replace(" ", "\xa0") + " per point")
    if len(panels) == 1 and values[0][1]:
        title += f"; {values[0][1]}"
    if axis and len(shown) < values[0][0].mean.sizes[axis]:
        title += f"; {len(shown)} of {values[0][0].mean.sizes[axis]} values of {axis_in_words(run, axis)}"
    title += f"; at {in_words(run, rest)}" if rest else ""
    return paint(run, title[0].upper() + title[1:], panels, (width, 0.9 + (2.2 if rows == 1 else 1.9 * rows)), columns,
                 outer="" if beside else "xy", sharex=True, sharey=False if beside else "row")


def wrong_words(run: Run, *, parameter: Optional[str] = None, variant: str = "noisy") -> Figure:
    """Share of words wrong, on a logarithmic axis, against a swept error: a line for every network of the study, a panel
    for every value of a third sweep. Bars: 95 % intervals of the mean over chips. Where no word was wrong, the marker
    stands at a 0 below the smallest share that so many words can show.

    `parameter`: the swept parameter along x; the numeric one of most values by default. `variant`: of the chips.

    Raises NotInResult where no sweep varies the network, or there is no such variant.
    """
    source = by_key(run, "network.source")
    if source is None:
        raise NotInResult(f"{run.path} has one network (network.source is not swept). Draw metric_vs_parameter.")
    x = choose_parameter(run, parameter)
    whole = of_wrong(statistic(run, "word_accuracy"))
    chosen = choose_variant(run, whole.mean["variant"].values, variant)
    axis, shown = panel_axis(run, x, {p.name: None for p in parameters(run).values() if p.axis == source.axis})
    value = whole.at({"variant": chosen, **fixed(run, tuple(a for a in (x.axis, source.axis, axis) if a))})
    zero, found = zero_of(run, value), networks(run)
    of_point = np.moveaxis(network_of_point(run), run.sweeps.index(source.axis), 0).reshape(len(source.values), -1)[:, 0]
    names = told_apart(run, source, [label_of(found[i].name) + f" ({found[i].mzis:,.0f} MZIs)" * bool(found[i].mzis) for i in of_point])
    lines = [({**look, "label": name}, {source.axis: place}) for place, (look, name) in enumerate(zip(style.looks(), names))]
    panels = []
    for place in shown:
        where = {axis: place} if axis else {}
        drawn, along = swept(x, value.at(where), lines, zero, 2.3)
        panels.append(Panel([*drawn, *zero_band(zero)], along, value_axis(value, zero),
                            say_point(run, where).replace(" = ", " ").replace("_", " ") if axis else None))
    look = style.variant(variant)["label"] or variant
    return paint(run, f"Words decoded wrong against {plain_name(x)}, {look}: mean and 95 % interval, "
                 f"{say_trials(run, 'chip')} per point", panels,
                 (style.COLUMN_IN * 1.3 if axis is None else style.PAGE_IN, 2.7 + 0.16 * -(-len(lines) // 2)), outer="xy",
                 sharey=True)


def comb(run: Run, *, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Share of words wrong, on a logarithmic axis, against the frequency of a channel: a line for every network and variant
    of a study of model `comb`, a panel for every point of its other sweeps (the first six). Bands: 95 % intervals of the
    mean over chips. Where no word was wrong, lines stand side by side at a 0 below the smallest share that so many words can
    show; the title says what share is excluded there, exactly (Clopper and Pearson, 95 %).

    `at`: where to stand on sweeps, by parameter name.

    Raises NotInResult where the file is not of model comb.
    """
    if run.summary is None or "channel_accuracy" not in metrics(run):
        raise NotInResult(f"{run.path} has no channels of a comb (it is not of model comb, or measure.metrics leaves out "
                          "channel_accuracy). Run a study of model comb.")
    source = by_key(run, "network.source")
    placed = {p.axis for p in parameters(run).values() if p.name in (at or {})}
    of_lines = source.axis if source is not None and source.axis not in placed else None
    across = [axis for axis in run.sweeps if axis != of_lines and axis not in placed]
    rest = fixed(run, tuple(axis for axis in (*across, of_lines) if axis), at)
    value = of_wrong(statistic(run, "channel_accuracy")).at(rest)
    points = [dict(zip(across, point)) for point in product(*(range(run.require("trials").sizes[axis]) for axis in across))]
    shown = points[:MOST_CHANNEL_PANELS]
    zero, x = zero_of(run, value), own_axis(run, "channel")
    lines = network_lines(run, value, of_lines, {**rest, **shown[0]})
    panels = [Panel([*swept(x, value.at(where), lines, zero, band=0.2)[0], *zero_band(zero)[:1]],
                    Axis(style.label(x.long_name, x.units, 46)), value_axis(value, zero),
                    short_point(run, where) if len(shown) > 1 else None) for where in shown]
    columns = min(2, len(panels))
    title = (f"Words wrong on {len(x.values)} wavelength channels of one chip: mean and 95 % interval, "
             f"{say_trials(run, 'chip')} per point")
    if zero is not None and zero.said.endswith("words"):  # one of them is the least share
        title += f"; at 0, {zero.said} is wrong: fewer than {-np.expm1(np.log(TAIL) * zero.least):.1e} with 95 % confidence"
    title += f"; at {short_point(run, rest)}" if rest else ""
    title += f"; the first {len(shown)} of {len(points)} points" if len(points) > len(shown) else ""
    return paint(run, title, panels, (style.COLUMN_IN * 1.4 if columns == 1 else style.PAGE_IN,
                                      0.9 + 0.16 * -(-len(lines) // 2) + 2.1 * -(-len(panels) // columns)), columns,
                 outer="xy", sharex=True, sharey=True)


SPECTRA = ("fidelity", "group_delay_spread", "word_accuracy")
"""What tells most of a detuned device, of what there is."""


def spectrum(run: Run, *, metric: Names = None, variant: Optional[str] = None,
             at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Means of metrics, a row each, against the detuning from the wavelength of calibration (`environment.wavelength_m`), with
    the 95 % intervals of the means: a line for every value of another sweep (that of most values), a column for those of a
    third.

    `metric`: one or several names; by default fidelity and spread of group delay, or the first that the study names. `variant`:
    "corrected_quadrature", or the first. `at`: values of other sweeps, by parameter name.

    Raises NotInResult where the wavelength is not swept, or a metric or variant is not there.
    """
    found = by_key(run, "environment.wavelength_m") if run.trials is not None else None
    if found is None or run.summary is None:
        raise NotInResult(f"{run.path} has no detuned devices (environment.wavelength_m is not swept). Sweep it.")
    x = replace(found, values=np.asarray(found.values, float) * 1e9, units="1")
    names = listed(metric) or [name for name in SPECTRA if name in metrics(run)] or headline_metrics(run)[:1]
    variants = run.require("trials")["variant"].values
    chosen = choose_variant(run, variants, variant)
    called = str(style.variant(str(variants[chosen]))["label"])
    lines, _ = panel_axis(run, x, at)
    columns, shown = panel_axis(run, x, {**(at or {}), **{p.name: None for p in parameters(run).values() if p.axis == lines}})
    rest = fixed(run, tuple(axis for axis in (x.axis, lines, columns) if axis), at)
    places = [{lines: i} for i in range(run.require("trials").sizes[lines])] if lines else [{}]
    looks = [({**look, "label": short_point(run, place).replace("\xa0", " ") or called}, place)
             for look, place in zip(style.looks(), places)]
    panels = []
    for name in names:
        value = statistic(run, name).at({**rest, "variant": chosen})
        value = value.scaled(*style.scale_of([np.nanmax(value.mean.values)], value.units))
        for place in shown:
            where = {columns: place} if columns else {}
            panels.append(Panel(swept(x, value.at(where), looks, band=0.2)[0],
                                Axis("detuning from the wavelength of calibration (nm)"),
                                Axis(style.label(value.axis_name, value.units, 26)),
                                short_point(run, where) if name == names[0] else "" if len(names) * len(shown) > 1 else None))
    title = ("Devices away from the wavelength of their calibration: mean and 95 % interval, "
             f"{say_trials(run, trial_noun(run))} per point, {called}")
    title += f"; at {short_point(run, rest)}" if rest else ""
    return paint(run, title, panels, (style.COLUMN_IN * 1.4 if len(shown) == 1 else style.PAGE_IN, 1.2 + 1.9 * len(names)),
                 len(shown), outer="xy", sharex=True, sharey="row")


# -- what is drawn of a statistic


def own_axis(run: Run, name: str) -> Parameter:
    """An axis of the metrics' own, such as `time` or `channel`, in a unit that is easy to read."""
    coordinate = run.require("summary")[name]
    units, long_name = words_of(coordinate.attrs, name)
    values = np.asarray(coordinate.values, float)
    factor, units = style.scale_of(values.tolist(), units)
    if name == "time":
        factor, units = next(((1 / seconds, unit) for least, seconds, unit in TIMES if values[-1] > least), (1.0, "s"))
    return Parameter(name, name, values * factor, units, long_name)


def variant_lines(value: Statistic) -> Lines:
    """A line for every variant, or one nameless."""
    if "variant" not in value.mean.dims:
        return [(style.variant(""), {})]
    return [(style.variant(str(name)), {"variant": i}) for i, name in enumerate(value.mean["variant"].values)]


def network_lines(run: Run, value: Statistic, axis: Optional[str], point: Places) -> Lines:
    """Networks along their sweep, if there is one, each in a colour, in each variant, with dashes and markers of its own."""
    ways = variant_lines(value)
    if axis is None:
        return ways
    of_point, found = network_of_point(run), networks(run)
    lines = []
    for (i, look), (way, where) in product(zip(range(value.mean.sizes[axis]), style.looks()), ways):
        place = {**point, axis: i}
        name = label_of(found[int(of_point[tuple(place.get(sweep, 0) for sweep in run.sweeps)])].name)
        lines.append(({**look, "label": name} if len(ways) == 1 else
                      {**way, "color": look["color"], "label": f"{name}, {way['label']}"}, {axis: i, **where}))
    return lines


def swept(x: Parameter, value: Statistic, lines: Lines, zero: Optional[Zero] = None, inches: float = style.COLUMN_IN,
          band: float = 0.0) -> tuple[list[Any], Axis]:
    """Lines of means with their intervals, as bars where points are few, and the axis of x. Of words without a line
    between them. With a `zero`, what lies below its `least` is drawn there, several lines beside each other."""
    factor, unit = style.scale_of(x.values, x.units) if x.numeric else (1.0, x.units)
    order = np.argsort(x.values, kind="stable") if x.numeric else np.arange(len(x.values))
    places = np.asarray(x.values, float)[order] * factor if x.numeric else order.astype(float)
    many = len(places) > FEW and x.numeric
    band = band or (0.25 if many else 0.0)
    at_zero = [where for _, where in lines if zero and (value.at(where).mean.values < zero.least / 2).any()]
    drawn = []
    for i, (look, where) in enumerate(lines):
        here = value.at(where)
        middle, low, high = (side.values[order] for side in (here.mean, here.low, here.high))
        if zero is not None and where in at_zero:
            none = middle < zero.least / 2
            apart = 1.3 ** (at_zero.index(where) - (len(at_zero) - 1) / 2)
            high = np.where(none & (high <= middle), np.nan, high)
            middle = np.where(none, zero.place * apart, middle)
        if zero is not None:
            low = np.maximum(low, zero.place / 4)  # off the axis
        more = {"markevery": max(1, len(places) // 10)} if many else {} if x.numeric else {"linestyle": "none"}
        shift = 0.0 if x.numeric else 0.12 * (i - (len(lines) - 1) / 2)
        drawn.append(line(places + shift, middle, {**look, **more}, low, high, band))
    title = style.label(x.long_name, unit, min(46, int(13 * inches)))  # as many letters as a panel of so many inches is wide
    if x.numeric:
        return drawn, Axis(title, "values", places, options={"gap": 0.07 if inches > 3 else 0.14})
    return drawn, word_axis(x, title)


def word_axis(x: Parameter, title: str) -> Axis:
    """An axis of words, a place each."""
    return Axis(title, values=range(len(x.values)), names=[style.plain(str(v)) for v in x.values],
                limits=(-0.5, len(x.values) - 0.5))


def value_axis(value: Statistic, zero: Optional[Zero] = None) -> Axis:
    """The y axis of these means: logarithmic for shares of what is wrong, from the least seen up to 1, with the 0 below; 0
    to 1 for other shares unless all are near 1; logarithmic for what is positive and spans decades."""
    title = style.label("share of words wrong" if value.wrong and value.name == "channel_accuracy" else value.axis_name,
                        value.units, 30)
    seen = value.mean.values[np.isfinite(value.mean.values)]
    if value.wrong:
        return wrong_axis(title, least_seen(value), zero)
    if len(seen) and value.meaning.share_of_good:
        return Axis(title, limits=(-0.03, 1.03) if seen.min() < 0.95 else None)
    if len(seen) and spans_decades(seen):
        largest = float(seen.max())  # rounding of what is 0 would flatten all the rest
        return Axis(title, "log", limits=(largest / MOST_RANGE, largest * 3) if seen.min() < largest / MOST_RANGE else None)
    return Axis(title)


def choose_parameter(run: Run, name: Optional[str]) -> Parameter:
    """The swept parameter `name`; by default the numeric one of most different values, or else the first."""
    if name is not None:
        return parameter(run, name)
    swept_ones = list(parameters(run).values())
    if not swept_ones:
        raise NotInResult(f"{run.path} has nothing to draw against (the study sweeps no parameter). Add a sweep.")
    # A count of points, the last of its axis, only where none of the keys it counts would do
    return max(swept_ones, key=lambda p: (p.numeric and p.key != "", p.numeric, len(set(np.asarray(p.values).tolist()))))


def panel_axis(run: Run, x: Parameter, at: Optional[Mapping[str, Any]]) -> tuple[Optional[str], list[int]]:
    """The sweep axis that is spread over panels and the places shown; none where no other sweep is left."""
    taken = {x.axis, "ablation", *(parameter(run, name).axis for name in at or {})}
    left = {p.axis: len(p.values) for p in parameters(run).values() if p.axis not in taken and len(p.values) > 1}
    if not left:
        return None, [0]
    axis = max(left, key=lambda name: left[name])
    size = left[axis]
    return axis, list(range(size)) if size <= MOST_PANELS else [0, size // 2, size - 1]
