"""What chips, units and networks of them cost: light, watts, time, and iterations of a training."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import show_value, words_of
from .paint import RULE, Axis, Panel, dots, line, mark, note, paint, stripes

FILLS: list[dict[str, Any]] = [  # neighbours differ in lightness and hatching
    dict(facecolor="#0060a8"), dict(facecolor="#e69f00", hatch="///"), dict(facecolor="#dddddd"),
    dict(facecolor="#444444"), dict(facecolor="#cc79a7", hatch="..."), dict(facecolor="#ffffff", hatch="xxx"),
    dict(facecolor="#7fb2d8", hatch="\\\\\\"), dict(facecolor="#999999", hatch="---"), dict(facecolor="#f2d59a"),
]
STACKED = (("loss", 1, "loss without gain (dB)", "light: {:.0f} dB in all"),
           ("delay", 1e9, "delay (ns)", "delay: {:.2f} ns in all"))
"""Datasets of a budget that a stage has by parts: factor, axis and title."""
THIN: dict[str, Any] = dict(edgecolor="black", linewidth=0.4)


def budget(run: Run) -> Figure:
    """Loss of every stage by part (dB), delay of every stage by part (ns), and electrical power by part with the
    programmed heaters of several kinds beside the rest (W, logarithmic). Modulator drivers and converters are left
    out: their power grows with the symbol rate, and no rate is shown to be reachable.

    Raises NotInResult where the file holds no budget.
    """
    data = run.require("budget", "loss", "delay", "static_power", "heater_power", by="optinc budget")
    stages = Axis(values=range(data.sizes["stage"]), names=[style.plain(str(stage)) for stage in data["stage"].values])
    panels = []
    for name, factor, label, title in STACKED:
        values, parts = factor * data[name].values, data[f"{name}_part"].values
        bars, low, high = stack(values, [str(part) for part in parts])
        legend = dict(loc="upper left", fontsize=5.5, ncols=2, handlelength=1.5, columnspacing=1.0)
        panels.append(Panel([*bars, mark("axhline", 0, color="black", linewidth=0.6), mark("grid", axis="x", visible=False)],
                            stages, Axis(label, limits=(min(1.05 * low, 0), 1.75 * high)),  # room for the legend
                            title.format(values.sum()), legend))
    panels.append(watts(data, str(run.config.get("heater", {}).get("device", ""))))
    return paint(run, f"{run.provenance.title}; (c): without modulator drivers and converters; its lower part: all heaters by "
                 "kind, static phases trimmed, in black the one counted", panels, (style.PAGE_IN, 3.4),
                 width_ratios=(1.15, 1.05, 0.9))


def stack(values: Any, parts: list[str]) -> tuple[list[Any], float, float]:
    """A bar a row, its parts on top of each other; what is negative (light that adds up) below zero. And the ends."""
    above, below = np.zeros(len(values)), np.zeros(len(values))
    bars = []
    for i, part in enumerate(parts):
        each = values[:, i]
        if each.any():
            bars.append(mark("bar", range(len(each)), each, 0.75, np.where(each >= 0, above, below), label=style.plain(part),
                             **THIN,
                             **FILLS[i % len(FILLS)]))
            above, below = above + np.maximum(each, 0), below + np.minimum(each, 0)
    return bars, below.min(), above.max()


def watts(data: Any, chosen: str) -> Panel:
    """Bars of the parts, and below them the same chip's heaters of other kinds; watts written beside."""
    of_kinds = "heater_power_trimmed" if "heater_power_trimmed" in data else "heater_power"
    parts = [(str(part), float(value), FILLS[0])
             for part, value in zip(data["static_power_part"].values, data["static_power"].values.sum(0))
             if value > 0]
    kinds = [(str(kind).replace("-heater", ""), float(value),
              FILLS[3] if kind == chosen else dict(facecolor="#ffffff", hatch="///"))
             for kind, value in zip(data["heater"].values, data[of_kinds].values)]
    rows = [row for group in (parts, kinds) for row in sorted(group, key=lambda row: -row[1])]
    places = [i + 0.6 * (i >= len(parts)) for i in range(len(rows))]
    drawn: list[Any] = []
    for place, (_, value, fill) in zip(places, rows):
        drawn += [mark("barh", place, value, 0.75, **THIN, **fill),
                  note(value * 1.15, place, f"{value:.0f}" if value >= 100 else f"{value:.3g}", fontsize=6)]
    values = [value for _, value, _ in rows]
    return Panel([*drawn, mark("grid", axis="y", visible=False)],
                 Axis("static power (W)", "log", limits=(min(values) / 3, max(values) * 9)),
                 Axis(values=places, names=[style.plain(name) for name, _, _ in rows], limits=(places[-1] + 0.75, -0.75)),
                 f"static power: {data['static_power'].values.sum():.0f} W")


Shown = tuple[str, float, list[tuple[str, str, str, str]]]
SHOWN: tuple[Shown, ...] = (
    # label of the axis, factor from SI, [(dataset, name, marker, fill)]
    ("MZIs", 1, [("mzis", "as built", "o", "#0060a8"), ("mzis_full_svd", "by full SVD", "s", "white"),
                 ("published_mzis", "published", "D", "none")]),
    ("converters", 1, [("receivers", "receivers", "o", "#0060a8"), ("modulators", "modulators", "^", "#e69f00")]),
    ("in series", 1, [("columns", "MZI columns", "o", "#0060a8"), ("conversions", "O/E/O conversions", "^", "#e69f00")]),
    ("loss between regenerations (dB)", 1, [("most_gain", "at worst", "o", "#0060a8")]),
    ("static power (W)", 1, [("static_power", "all static", "o", "#0060a8"), ("heater_power", "heaters", "^", "#e69f00")]),
    ("delay (ns)", 1e9, [("delay", "first symbol to code", "o", "#0060a8")]),
)


def designs(run: Run) -> Figure:
    """Every design of optinc compare-costs a row: MZIs (as built, by full SVD, published), receivers and modulators, MZI
    columns and O/E/O conversions in series, loss between two regenerations, watts that do not depend on the symbol
    rate, and delay, on logarithmic axes. Designs whose
    network is untrained are marked *, for they cost what a trained one does.

    Raises NotInResult where the file holds no designs.
    """
    data = run.require("designs", "design", "untrained", *(name for _, _, series in SHOWN for name, *_ in series),
                       by="optinc compare-costs")
    names = [style.plain(str(name)) + (" *" if untrained else "")
             for name, untrained in zip(data["design"].values, data["untrained"].values)]
    legend = dict(loc="lower center", bbox_to_anchor=(0.5, 1.06), fontsize=6, handlelength=1.0, borderpad=0.0, labelspacing=0.25)
    panels = []
    for label, factor, series in SHOWN:
        columns = [factor * np.asarray(data[name].values, float) for name, *_ in series]
        limits = span(np.concatenate(columns))
        marks = [dots(values[values > 0], np.flatnonzero(values > 0), marker=marker, markersize=7 if fill == "none" else 4,
                      color="black",
                      markerfacecolor=fill, markeredgewidth=0.7, label=name)
                 for values, (_, name, marker, fill) in zip(columns, series)]
        scale = Axis(style.label(label, "1", 18), "decades" if limits[1] < 30 * limits[0] else "log",
                     limits if limits[1] < 30 * limits[0] else (),
                     limits=limits)
        panels.append(Panel([*stripes(len(names)), *marks], scale, Axis(scale="rows", names=names), "", legend))
    return paint(run, f"{run.provenance.title}. *: weights untrained, costs those of a trained network", panels,
                 (style.PAGE_IN * 1.25, max(2.6, 1.5 + 0.16 * len(names))), sharey=True)


def span(seen: Any) -> tuple[float, float]:
    """From below the least positive value to above the largest, and at least a decade."""
    seen = seen[seen > 0]
    low, high = (float(seen.min()) / 1.5, float(seen.max()) * 1.5) if seen.size else (1.0, 10.0)
    middle = float(np.sqrt(low * high))
    return min(low, middle / 10 ** 0.5), max(high, middle * 10 ** 0.5)


PARTS: tuple[tuple[str, str, str, str], ...] = (
    # dataset, name, fill, hatch
    ("compute_s", "computing", "#ffffff", ""),
    ("serial_s", "bytes", "#0060a8", ""),
    ("latency_s", "latency", "#e69f00", "////"),
    ("circuits_s", "circuits", "#000000", ""),
    ("sync_s", "scales", "#bdbdbd", "...."),
)
MOST_RATIO = 10
"""Of the longest iteration to the shortest for bars of absolute times."""


def interconnect(run: Run) -> Figure:
    """Scenarios of optinc interconnect: their iteration over that of the reference against servers, for those with
    several numbers of servers; and the parts of every iteration of the most servers, with the end of the iteration
    where computing hides some of them; and the energy of the network in each. Names marked * were calibrated.

    Raises NotInResult where the file holds no scenarios.
    """
    data = run.require("interconnect", "name", "servers", "normalised", "calibrated", "total_s", *(name for name, *_ in PARTS),
                       by="optinc interconnect")
    names, servers = np.asarray(data["name"].values, object), np.asarray(data["servers"].values, int)
    ratio, calibrated = np.asarray(data["normalised"].values, float), np.asarray(data["calibrated"].values, bool)
    scenarios = [np.flatnonzero(names == name) for name in dict.fromkeys(names)]
    scenarios = [rows[np.argsort(servers[rows], kind="stable")] for rows in scenarios]
    curves = [rows for rows in scenarios if np.isfinite(ratio[rows]).all() and len(set(servers[rows])) > 1]
    tall = 0.3 + 0.17 * len(scenarios)  # of the panels that have a row a scenario
    below = -0.38 / tall  # of the height of such a panel: under the name of its axis
    panels = []
    if curves:
        drawn = [line(servers[rows], ratio[rows], {**look,
                                                   "label": style.plain(names[rows[0]]) + " *" * bool(calibrated[rows].any()),
                                                   "markersize": max(3.0, 7.0 - 0.7 * i), "markerfacecolor": look["color"]})
                 for i, (rows, look) in enumerate(zip(curves, style.looks()))]  # of curves that coincide, both are seen
        panels.append(Panel([*drawn, mark("axhline", 1.0, **RULE), mark("set_xscale", "log", base=2)],
                            Axis("servers", "values", servers[np.concatenate(curves)].astype(float)),
                            against(ratio[np.concatenate(curves)]), "iteration time over that of the reference"))
    last = [int(rows[np.argmax(servers[rows])]) for rows in scenarios]
    panels.append(parts_of_iterations(data, last, [style.plain(f"{names[i]}{' *' if calibrated[i] else ''}, {servers[i]:,}")
                                                   for i in last],
                                      dict(loc="upper center", bbox_to_anchor=(0.4, below), ncol=6, fontsize=6, handlelength=1.2,
                                           columnspacing=0.8) if curves else None))
    if "energy_j" in data and np.isfinite(joules := np.asarray(data["energy_j"].values, float)[last]).any():
        panels.append(absolute(joules, "network's energy (J)" if curves else "energy of the network in an iteration (J)", [""] * len(last) if curves else list(names[last])))
    star = ". *: calibrated to published ratios" if calibrated.any() else ""
    title = f"{run.provenance.title.split(': ', 1)[-1]}{star}"
    if not curves:
        return paint(run, title, panels, (style.COLUMN_IN, len(panels) * (0.9 + 0.2 * len(scenarios)) + 0.6), 1)
    rows = [[0] * 3, [1, 1, len(panels) - 1]]
    return paint(run, title, panels, (style.PAGE_IN, 3.6 + 0.1 * len(curves) + tall), mosaic=rows,
                 gridspec_kw={"height_ratios": (1.6, tall)})


def against(ratio: Any) -> Axis:
    """The axis of ratios: from 0, or logarithmic where they lie decades apart."""
    return Axis("", "decades", ratio) if ratio.max() > MOST_RATIO * ratio.min() else Axis("", limits=(0, None))


def absolute(values: Any, label: str, names: list[str]) -> Panel:
    """A dot a row on a logarithmic axis, its number beside it; of rows without a value, a dash."""
    seen = values[np.isfinite(values) & (values > 0)]
    limits = float(seen.min()) / 2, float(seen.max()) * 8
    drawn = [*stripes(len(values)), dots(seen, np.flatnonzero(np.isfinite(values) & (values > 0)), marker="o", color="black")]
    drawn += [note(value * 1.35, row, f"{value:,.0f}" if value >= 1000 else f"{value:.3g}", fontsize=6) if np.isfinite(value) and value > 0 else
              note(0.02, row, "not known", transform="y", fontsize=6, style="italic") for row, value in enumerate(values)]
    return Panel(drawn, Axis(label, "log", limits=limits), Axis(scale="rows", names=names), "energy")


def parts_of_iterations(data: Any, rows: Sequence[int], labels: list[str], legend: Optional[dict[str, Any]]) -> Panel:
    """Computing and communication of each row, and a mark where the iteration ends: before the end of the bar where
    computing hides some of it. In milliseconds; in shares of the bar, beside the iteration's time, where times differ
    too much to stand beside each other."""
    total = np.asarray(data["total_s"].values, float)[rows]
    parts = [np.asarray(data[name].values, float)[rows] for name, *_ in PARTS]
    whole = np.sum(parts, axis=0)
    shares = bool(whole.max() > MOST_RATIO * whole.min())
    if shares:
        labels = [f"{text}: {1e3 * time:.4g} ms" for text, time in zip(labels, total)]
    unit = whole if shares else np.full(len(rows), 1e-3)
    ends = np.cumsum(parts, axis=0) / unit
    drawn = [mark("barh", range(len(rows)), part / unit, left=end - part / unit, height=0.7, facecolor=fill, hatch=hatch,
                  label=name, **THIN)
             for part, end, (_, name, fill, hatch) in zip(parts, ends, PARTS)]
    hidden = total / unit < ends[-1] * (1 - 1e-9)
    if hidden.any():
        drawn.append(dots((total / unit)[hidden], np.flatnonzero(hidden), marker="|", markersize=9, markeredgewidth=2,
                          color=style.ACCENT,
                          label="end of the iteration"))
    return Panel([*drawn, mark("tick_params", axis="y", labelsize=6)],
                 Axis("share of computing and communicating" if shares else "time in an iteration (ms)",
                      limits=(0, 1.02 * ends[-1].max())),
                 Axis(scale="rows", names=labels), "parts, scenario and servers", legend)


KINDS: dict[str, dict[str, Any]] = {  # of networks: they differ in lightness and dashes, their rows in markers
    "electrical": dict(color="#999999", linestyle=(0, (1, 1)), markerfacecolor="none", markeredgewidth=1.2, zorder=3),
    "tree": dict(color="#0060a8", linestyle="-", markerfacecolor="#0060a8"),
    "circuit-switched": dict(color="#e69f00", linestyle=(0, (4, 1.5)), markeredgecolor="black", markeredgewidth=0.5,
                             markerfacecolor="#e69f00"),
}
MARKERS = "osD^vPX<>d"


def arrangements(run: Run) -> Figure:
    """What arrangements of OptINC units cost as servers are added: time of an iteration, and energy of the network in it a
    server, of every scenario with several numbers of servers. Grey, dotted: networks without OptINC units; blue: trees of units;
    dashed: units behind a switch of circuits, whose curves leave the panel at four times the largest of the others.

    Raises NotInResult where the file holds no circuit-switched units.
    """
    data = run.require("interconnect")
    names, network, arrangement = (data[name].values.astype(str) if name in data else np.array([""])
                                   for name in ("name", "network", "arrangement"))
    switched = (network == "optinc") & (arrangement == "circuit-switched")
    if not switched.any():
        raise NotInResult(f"{run.path} holds no circuit-switched units. Set arrangement = \"circuit-switched\" in a scenario.")
    servers = np.asarray(data["servers"].values, int)
    values = (("iteration time (ms)", 1e3 * np.asarray(data["total_s"].values, float)),
              ("energy of the network per server and iteration (J)", np.asarray(data["energy_j"].values, float) / servers))
    curves = [name for name in dict.fromkeys(names) if len(set(servers[names == name])) > 1]
    shown = np.isin(names, curves)
    panels = []
    for label, value in values:
        drawn: list[Any] = []
        used = dict.fromkeys(KINDS, 0)
        for index, name in enumerate(curves):
            mine = np.flatnonzero(names == name)
            mine = mine[np.argsort(servers[mine])]
            kind = str(arrangement[mine[0]]) if network[mine[0]] == "optinc" else "electrical"
            drawn += line(servers[mine], value[mine], {**KINDS[kind], "label": style.plain(name),
                                                       "marker": MARKERS[used[kind] % len(MARKERS)],
                                                       "markersize": max(3.0, 7.0 - 0.35 * index)})  # both of two curves are seen
            used[kind] += 1
        others = value[shown & ~switched]  # units shared by many servers would hide all else
        top = min(4 * np.nanmax(others), 1.2 * np.nanmax(value[shown])) if others.size else np.nanmax(value[shown])
        panels.append(Panel(drawn, Axis("servers", "values", servers[shown].astype(float)),
                            Axis("", "decades", np.minimum(value[shown], top), limits=(None, top if others.size else None)),
                            label))
    return paint(run, run.provenance.title.split(": ", 1)[-1], panels, (style.PAGE_IN, 4.2))


MOST_ASSUMPTIONS, LEAST_CHANGE = 8, 0.01


def assumptions(run: Run) -> Figure:
    """How the ratio of two scenarios changes with one assumption at a time: a row an assumption, with its values and units, a
    marker a value, the value in force filled. One panel a pair of scenarios, with the eight assumptions at most that move its
    ratio most, by over 1 %; how many were left out stands under them.

    Raises NotInResult where the file holds no such question.
    """
    data = run.require("sensitivity", "name", "subject", "reference", "key", "value_text", "value", "ratio", "nominal",
                       by="optinc interconnect")
    names, subject, reference, keys, said = (data[name].values.astype(str) for name in ("name", "subject", "reference", "key", "value_text"))
    ratio, value = (np.asarray(data[name].values, float) for name in ("ratio", "value"))
    nominal = np.asarray(data["nominal"].values, bool)
    scenarios = run.require("interconnect")

    def shown(i: int) -> str:
        units = words_of(scenarios[keys[i]].attrs, keys[i])[0] if keys[i] in scenarios else "1"
        if not np.isfinite(value[i]):
            return style.plain(said[i])
        factor, units = style.scale_of([float(value[i])], units)
        return show_value(factor * float(value[i]), units)

    panels, heights = [], []
    for pair in dict.fromkeys(zip(subject, reference)):
        here = (subject == pair[0]) & (reference == pair[1])
        of_row = {name: np.flatnonzero(here & (names == name)) for name in dict.fromkeys(names[here])}
        rows = sorted(of_row, key=lambda name: -np.ptp(np.log(ratio[of_row[name]])))
        moving = [name for name in rows if np.ptp(np.log(ratio[of_row[name]])) > LEAST_CHANGE]
        left = len(rows) - len(moving[:MOST_ASSUMPTIONS] or rows[:1])
        rows = moving[:MOST_ASSUMPTIONS] or rows[:1]
        drawn: list[Any] = [*stripes(len(rows)), mark("axvline", 1.0, **RULE)]
        for row, name in enumerate(rows):
            mine = of_row[name][np.argsort(ratio[of_row[name]], kind="stable")]
            drawn.append(mark("plot", ratio[mine], np.full(len(mine), row), color="#999999", linewidth=0.8))
            drawn += [dots(ratio[i], row, marker="o", color="black", markerfacecolor="#0060a8" if nominal[i] else "white",
                           markeredgewidth=0.7, zorder=4 if nominal[i] else 3) for i in mine]
        if left > 0:
            drawn.append(mark("annotate", f"{left} more move it less", (1, 0), xycoords="axes fraction", xytext=(0, -22),
                              textcoords="offset points", ha="right", fontsize=6))
        labels = [f"{style.plain(name)}\n{', '.join(shown(i) for i in of_row[name][np.argsort(ratio[of_row[name]], kind='stable')])}" for name in rows]
        heights.append(len(rows))
        limits = min(0.9, ratio[here].min()) / 1.1, max(1.1, ratio[here].max()) * 1.1
        panels.append(Panel([*drawn, mark("tick_params", axis="y", labelsize=6)], Axis("iteration time over that of the reference", "decades", limits,
                                                                                       limits=limits),
                            Axis(scale="rows", names=labels), f"{pair[0]} over {pair[1]}"))
    return paint(run, f"{run.provenance.title}. Filled: the value in force; values in the order of their ratios", panels,
                 (style.COLUMN_IN * 1.4, max(2.6, 1.2 + sum(0.6 + 0.26 * rows for rows in heights))), 1, outer="xy",
                 gridspec_kw={"height_ratios": [rows + 1.0 for rows in heights]})
