"""Quantities traded against each other: metrics, costs of networks, energy against bit rate."""

from __future__ import annotations

import math
import re
import textwrap
from typing import Any, Mapping, Optional, Sequence

import numpy as np
import xarray
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..networks import label_of, name_of, network_of_point, networks
from ..run import Run
from ..study import (PREFIXED, by_key, choose_variant, fixed, meaning, metrics, of_worst_layer, parameters, per_variant,
                     say_point,
                     say_trials, show_value, spans_decades, statistic)
from .paint import WHITE_EDGE, Axis, Mark, Panel, dots, line, mark, note, paint
from .wrong import least_seen, of_wrong, wrong_axis, zero_band, zero_of

MOST_NAMES = 4  # points of a front of metrics that are named; more of them would lie over each other
MOST_NETWORKS = 12  # that are all named; of more, those of the front alone


def front(x: Any, y: Any, x_high: bool, y_high: bool) -> Any:
    """Indices of the points that none beats: better in one and no worse in the other. In ascending x; points with a
    NaN are left out."""
    a, b = (-x if x_high else x), (-y if y_high else y)
    sound = np.flatnonzero(np.isfinite(a) & np.isfinite(b))
    kept = [i for i in sound
            if not np.any((a[sound] <= a[i]) & (b[sound] <= b[i]) & ((a[sound] < a[i]) | (b[sound] < b[i])))]
    return np.array(sorted(kept, key=lambda i: (x[i], y[i])), int)


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
    x, y = two_quantities(run, x, y)
    better = {name: wanted or ("high" if is_better_high(run, name) else "low") for name, wanted in ((x, x_better), (y, y_better))}
    if strange := [wanted for wanted in better.values() if wanted not in ("low", "high")]:
        raise ValueError(f"'{strange[0]}' is no direction (known: low, high). Say which is better.")
    (across, x_axis, x_note), (up, y_axis, y_note) = quantity(run, x, 50), quantity(run, y, 36)
    everywhere = xarray.broadcast(across, up)
    middle = float(np.nanmedian(across.values)) if np.isfinite(across).any() else 0.0
    drawn: list[Any] = []
    for i, ((name, a), (_, b)) in enumerate(zip(per_variant(everywhere[0]), per_variant(everywhere[1]))):
        look, xs, ys = style.variant(name), a.values.reshape(-1), b.transpose(*a.dims).values.reshape(-1)
        best = front(xs, ys, better[x] == "high", better[y] == "high")
        drawn += [dots(xs, ys, marker=look["marker"], color=look["color"], markerfacecolor="white", markeredgewidth=0.7,
                       alpha=0.7),
                  mark("plot", xs[best], ys[best], **look)]
        for j in best if len(best) <= MOST_NAMES else best[[0, -1]]:
            left, where = xs[j] > middle, dict(zip(map(str, a.dims), np.unravel_index(j, a.shape)))
            drawn.append(mark("annotate", style.plain(f"({values_at(run, where)})"), (xs[j], ys[j]), fontsize=5.5,
                              color="#333333",
                              xytext=(-5 if left else 5, (-13, 5, 14)[i % 3]), textcoords="offset points",
                              ha="right" if left else "left", path_effects=WHITE_EDGE))
    said = [f"{name if name in parameters(run) else name.replace('_', ' ')} {better[name]}" + (f" ({more})" if more else "")
            for name, more in ((x, x_note), (y, y_note))]
    named = [p.name for p in parameters(run).values() if p.key and p.axis in everywhere[0].dims]
    return paint(run, f"Means at all sweep points; filled: Pareto front, labelled ({', '.join(named)}). Better: {' and '.join(said)}",
                 [Panel([*drawn, mark("margins", 0.1)], x_axis, y_axis, None)], (style.COLUMN_IN * 1.4, 3.6))


def two_quantities(run: Run, x: Optional[str], y: Optional[str]) -> tuple[str, str]:
    """What is traded, where it is not named: the two most telling metrics, or the only one against the first key."""
    names = metrics(run)
    costs = [p.name for p in parameters(run).values() if p.key and p.numeric]
    asked = run.config.get("measure", {}).get("metrics") or names
    if len(asked) == 1 and costs and asked[0] in names and asked[0] not in (x, y):
        x, y = (x or costs[0], asked[0]) if y is None else (asked[0], y)
    if (x is None or y is None) and len(names) < 2:
        raise NotInResult(f"{run.path} summarises fewer than two metrics ({', '.join(names) or 'none'}). "
                          "Name x and y, one of them a swept parameter, or measure more.")
    y = y or next(name for name in names if name != x)
    return x or next(name for name in names if name != y), y


def values_at(run: Run, where: Mapping[str, Any]) -> str:
    """`5 GHz, 8` of a place: values of all keys without their names."""
    return ", ".join(show_value(p.values[where[p.axis]], p.units if p.units in PREFIXED else "1")
                     for p in parameters(run).values() if p.key and p.axis in where)


def is_better_high(run: Run, name: str) -> bool:
    """Whether more of a metric, or of a swept parameter, is what one wants: speed, and tolerances that are easy."""
    return meaning(run, name).better == "higher" or name == "bandwidth_hz" or name.startswith("sigma_")


def quantity(run: Run, name: str, width: int) -> tuple[xarray.DataArray, Axis, str]:
    """A metric's means, or a numeric swept parameter's values, over sweep axes and variants; its axis; a note."""
    swept = parameters(run)
    note_of = ""
    if name in swept and swept[name].numeric:
        factor, unit = style.scale_of(swept[name].values, swept[name].units)
        mean = xarray.DataArray(np.asarray(swept[name].values, float) * factor, dims=(swept[name].axis,))
        title = style.label(swept[name].long_name, unit, width)
    else:
        value, note_of = of_worst_layer(statistic(run, name))
        mean, title = value.mean.reset_coords(drop=True), style.label(value.axis_name, value.units, width)
        if "ablation" in mean.dims and "all" in mean["ablation"].values:
            mean = mean.isel(ablation=[list(mean["ablation"].values).index("all")])
    decades = not meaning(run, name).share_of_good and spans_decades(mean.values)
    return mean, Axis(title, "decades", mean.values) if decades else Axis(title), note_of


COSTS = (("mzis", "MZIs"), ("static_power_w", "static power (W)"), ("most_gain_db", "worst loss before regeneration (dB)"))


def cost_front(run: Run, *, variant: str = "noisy") -> Figure:
    """Share of words wrong, on a logarithmic axis, against MZIs, watts whatever the symbol rate, and the worst loss between
    two regenerations: a marker for every network, a colour for every value of the sweep that is not of networks (presets,
    say). Bars: 95 % intervals of the mean over chips. Filled and joined: beaten by no other network in both.

    `variant`: of the chips.

    Raises NotInResult where the file does not say what several networks cost, or there is no such variant.
    """
    found = networks(run)
    costs = [cost.attrs for i in range(len(found)) if (cost := run.group(f"networks/{i}/cost")) is not None]
    if not costs or len(costs) < len(found):
        raise NotInResult(f"{run.path} does not say what several networks cost. Sweep networks with measure.once = "
                          "[\"cost\"], to the end.")
    whole = of_wrong(statistic(run, "word_accuracy"))
    chosen = choose_variant(run, whole.mean["variant"].values, variant)
    swept = by_key(run, "network.hidden") or by_key(run, "network.source")
    if swept is None:
        raise NotInResult(f"{run.path} sweeps neither network.hidden nor network.source. Draw pareto.")
    axis = swept.axis
    beside = [p for p in parameters(run).values() if p.axis != axis and p.key]
    series = min(beside, key=lambda p: (p.numeric, p.name != p.axis), default=None)
    kept = (axis, series.axis) if series else (axis,)
    rest = fixed(run, kept)
    value = whole.at({"variant": chosen, **rest})
    zero = zero_of(run, value)
    of_point = xarray.DataArray(network_of_point(run), dims=run.sweeps).isel(rest).transpose(..., axis)
    mean, low, high, which = (np.atleast_2d(side.transpose(*of_point.dims).values)
                              for side in (value.mean, value.low, value.high, of_point))
    none = mean < (zero.least / 2 if zero else 0)
    mean = np.where(none, zero.place if zero else math.nan, mean)
    panels = []
    for key, title in COSTS:
        drawn: list[Any] = [*zero_band(zero)]
        named: list[tuple[float, float, str]] = []
        for row, look in zip(range(len(mean)), style.looks()):
            x, y = np.array([float(costs[i][key]) for i in which[row]]), mean[row]
            best = front(x, y, False, False)
            bars, points = line(x, y, {**look, "linestyle": "none", "markeredgewidth": 0.8}, np.maximum(low[row], y / 4),
                                high[row])
            told = f"{series.axis} {show_value(series.values[row], series.units)}" if series else None
            drawn += [bars, points, mark("plot", x[best], y[best], **{**look, "label": told})]
            if row == 0 and key == "mzis":  # the same MZIs, and so the same names, stand above each other
                named = names_beside(x, y, [name_of(found[i].identity) for i in which[row]], best)
        sizes = [float(cost[key]) for cost in costs]
        x_axis = Axis(title, "decades", sizes, limits=(min(sizes) / 1.25, max(sizes) * 1.25)) if key == "mzis" else Axis(title)
        panels.append(Panel(drawn, x_axis, wrong_axis("share of words wrong", least_seen(value), zero), "", named=named))
    title = (f"Words decoded wrong against what a network costs, {style.variant(variant)['label'] or variant}: "
             f"{say_trials(run, 'chip')} per point" + (f"; at {say_point(run, rest)}" if rest else ""))
    if len(which) > 1 and (which == which[0]).all():  # the series does not choose the network
        title += "; watts and loss at the values before sweeps"
    return paint(run, title + "; joined: Pareto front", panels, (style.PAGE_IN, 3.2), outer="xy", sharey=True)


def names_beside(x: Any, y: Any, names: Sequence[str], best: Any) -> list[tuple[float, float, str]]:
    """Places and names of the networks of a front, then of the others where they are few."""
    others = [i for i in np.argsort(-y, kind="stable") if i not in set(best.tolist())] if len(x) <= MOST_NETWORKS else []
    return [(x[i], y[i], label_of(names[i])) for i in (*best, *others) if np.isfinite(x[i]) and np.isfinite(y[i])]


def operating_points(run: Run) -> Figure:
    """Every design of optinc operating-point a marker: total power over bit rate (pJ per bit) against the bit rate of all
    servers (Tb/s), at the point that the file's criterion chooses; its GBd beside its name. A colour and marker for every
    preset of chips; or, where designs were searched at several symbol rates (--rates), for every design, those points filled
    and joined that no other of the design beats in both. Designs that decode at no rate are listed in the corner.

    Raises NotInResult where the file holds no operating points.
    """
    data = run.require("operating_points", "design", "bit_rate", "energy_per_bit", "symbol_rate", "chip_preset",
                       by="optinc operating-point")
    there = np.isfinite(data["bit_rate"].values)
    if not there.any():
        raise NotInResult(f"{run.path} holds no design that decodes at any rate. Give the designs more light.")
    rate, energy = 1e-12 * data["bit_rate"].values[there], 1e12 * data["energy_per_bit"].values[there]
    names, presets = data["design"].values.astype(str), data["chip_preset"].values.astype(str)
    designs = data["of_design"].values.astype(str) if "of_design" in data else names
    joined = len(set(designs)) < len(designs)
    gbd = 1e-9 * data["symbol_rate"].values[there]
    drawn: list[Mark] = []
    series = designs if joined else presets
    for look, one in zip(style.looks(), dict.fromkeys(series)):
        of = series[there] == one
        if joined and of.any():
            best = front(rate[of], energy[of], True, False)
            drawn += [dots(rate[of], energy[of], marker=look["marker"], color=look["color"], markerfacecolor="white"),
                      mark("plot", rate[of][best], energy[of][best], **{**look, "label": style.plain(one)})]
        elif of.any():
            drawn.append(dots(rate[of], energy[of], marker=look["marker"], color=look["color"], label=f"{one} chips"))
    if not there.all():
        drawn.append(note(0.02, 0.02, textwrap.fill("decode at no rate: " + "; ".join(names[~there]), 110), transform="axes",
                          fontsize=6, va="bottom"))
    x_axis, y_axis = (Axis(title, "decades", values, limits=(values.min() / 1.6, values.max() * 1.6)) for title, values in (
        ("bit rate of all servers (Tb/s)", rate), ("energy per bit (pJ)", energy)))
    named = [] if joined else [(x, y, f"{name}, {speed:.0f} GBd") for x, y, name, speed in zip(rate, energy, names[there], gbd)]
    title, criterion = run.provenance.title.split(": ", 1)[-1], str(data.attrs.get("criterion", ""))
    criterion = re.sub(r"(?<![.\d])\d{4,}", lambda number: f"{int(number[0]):,}", criterion)
    if ": " in title and criterion.startswith(title.rsplit(": ", 1)[1]):  # said once
        title = title.rsplit(": ", 1)[0]
    return paint(run, f"{title}: {criterion}" + ("; filled: no other of the design is better in both" if joined else ""),
                 [Panel(drawn, x_axis, y_axis, None, named=named)], (style.PAGE_IN, 3.8))


def part_draws(run: Run) -> Figure:
    """What the choice of parts leaves open (optinc operating-point --draws, or compare-costs --draws). Left: for every design the
    share of draws of parts, one of each kind, whose least energy per bit (pJ) is below a value, by the estimate; crosses: the
    draws that were confirmed by counting. A line that ends below 1 has no point in the other draws. Right: medians against the number of servers, a line
    for every way to add; bars: 10 to 90 % of the draws, as far as these have points.

    Raises NotInResult where the file holds no draws of parts.
    """
    data = run.require("part_draws", "design", "energy_per_bit", "energy_quantile", "counted_energy", "quantile", "servers",
                       "network", by="optinc operating-point --draws")
    energy = 1e12 * data["energy_per_bit"].values
    if not np.isfinite(energy).any():
        raise NotInResult(f"{run.path} holds no draw of parts with a point. Draw more, or lower time.symbol_rate_bd.")
    shares = (np.arange(energy.shape[1]) + 1) / energy.shape[1]
    below: list[Mark] = []
    for look, name, of, counted in zip(style.looks(), data["design"].values.astype(str), energy,
                                       1e12 * data["counted_energy"].values):
        found = np.sort(of[np.isfinite(of)])
        below += [mark("step", found, shares[:len(found)], where="post", color=look["color"], linestyle=look["linestyle"],
                       label=style.plain(name)),
                  dots(counted, data["quantile"].values, marker="x", color=look["color"])]
    low, middle, high = 1e12 * data["energy_quantile"].values.T
    servers, ways = data["servers"].values, data["network"].values.astype(str)
    against: list[Mark] = []
    for look, way in zip(style.looks(), dict.fromkeys(ways)):
        of = np.flatnonzero((ways == way) & np.isfinite(middle))
        if of.size == 0:  # fewer than half of the draws have a point
            continue
        of = of[np.argsort(servers[of], kind="stable")]
        against += line(servers[of], middle[of], {**look, "label": style.plain(way)}, low[of], high[of])
    y_axis = Axis("energy per bit (pJ)", "decades", energy[np.isfinite(energy)])
    return paint(run, f"{run.provenance.title.split(': ', 1)[-1]}: {energy.shape[1]} draws of a part of each kind; crosses: confirmed "
                 "by counting", [
                     Panel(below, y_axis, Axis("share of draws below", limits=(0, 1)), "all designs"),
                     Panel(against, Axis("servers", "values", sorted(set(servers.tolist()))), y_axis, "median, and 10 to 90 % of draws")],
                 (style.PAGE_IN, 3.2))
