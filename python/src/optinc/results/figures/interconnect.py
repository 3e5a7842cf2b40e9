"""Training iterations on several networks: against the number of servers, and what they consist of."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run

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
NEEDED = ("name", "servers", "normalised", "calibrated", "total_s") + tuple(name for name, *_ in PARTS)


def against_servers(axes: Any, curves: list[str], names: Any, servers: Any, ratio: Any, calibrated: Any,
                    below: float) -> None:
    """The iteration of each curve over that of its reference; the legend `below`, in heights of the panel."""
    for index, name in enumerate(curves):
        mine = names == name
        order = np.argsort(servers[mine])
        star = " *" if calibrated[mine].any() else ""
        axes.plot(servers[mine][order], ratio[mine][order], label=style.plain(str(name)) + star,
                  markersize=max(3.0, 7.0 - 0.7 * index),  # of curves that coincide, both are seen
                  **style.LINES[index % len(style.LINES)])
    axes.axhline(1.0, color=style.ACCENT, linewidth=0.8)
    axes.set_xscale("log", base=2)
    style.parameter_axis(axes, [float(n) for n in servers[np.isin(names, curves)]], "servers")
    axes.set_ylabel("iteration time over that of the reference")
    axes.set_ylim(0, None)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, below), fontsize=6)


def stacked_parts(axes: Any, data: Any, rows: list[int], labels: list[str], below: float) -> None:
    """Computing and communication of each row, and a mark where the iteration ends: before the end of the bar where
    computing hides some of it. In milliseconds; in shares of the bar, beside the iteration's time, where times differ
    too much to stand beside each other."""
    total = np.asarray(data["total_s"].values, float)[rows]
    whole = np.sum([np.asarray(data[name].values, float)[rows] for name, *_ in PARTS], axis=0)
    shares = bool(whole.max() > MOST_RATIO * whole.min())
    if shares:
        labels = [f"{text}: {1e3 * time:.4g} ms" for text, time in zip(labels, total)]
    else:
        whole = np.full(len(rows), 1e-3)
    left = np.zeros(len(rows))
    for name, meaning, fill, hatch in PARTS:
        share = np.asarray(data[name].values, float)[rows] / whole
        axes.barh(range(len(rows)), share, left=left, height=0.7, facecolor=fill, edgecolor="black", linewidth=0.4,
                  hatch=hatch, label=meaning)
        left += share
    end = total / whole
    hidden = end < left * (1 - 1e-9)
    if hidden.any():
        axes.plot(end[hidden], np.flatnonzero(hidden), linestyle="", marker="|", markersize=9, markeredgewidth=2,
                  color=style.ACCENT, label="end of the iteration")
    axes.set_yticks(range(len(rows)), labels, fontsize=6)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, 1.02 * left.max())
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("share of computation and communication" if shares else "time in an iteration (ms)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.3, below), ncol=6, fontsize=6, handlelength=1.2, columnspacing=0.8)


@style.styled
def interconnect(run: Run) -> Figure:
    """Scenarios of optinc interconnect: their iteration over that of the reference against servers, for those with
    several numbers of servers; and the parts of every iteration of the most servers, with the end of the iteration
    where computing hides some of them. Names marked * were calibrated.

    Raises NotInResult where the file holds no scenarios.
    """
    data = run.require("interconnect")
    if missing := [name for name in NEEDED if name not in data]:
        raise NotInResult(f"{run.path} has a group 'interconnect' without {', '.join(missing)}. "
                          "Write it with optinc interconnect.")
    names, servers = np.asarray(data["name"].values, object), np.asarray(data["servers"].values, int)
    ratio, calibrated = np.asarray(data["normalised"].values, float), np.asarray(data["calibrated"].values, bool)
    curves = [name for name in dict.fromkeys(names)
              if np.isfinite(ratio[names == name]).all() and len(set(servers[names == name])) > 1]
    rows = [int(np.flatnonzero(names == name)[np.argmax(servers[names == name])]) for name in dict.fromkeys(names)]
    height = max(3.0, 1.3 + 0.17 * len(rows) + 0.13 * len(curves))
    below = -0.42 / (height - 1.1)  # of the height of a panel: under the name of its axis
    figure, grid = style.panels(1, 2 if curves else 1, style.PAGE_IN, height)
    if curves:
        against_servers(grid[0, 0], curves, names, servers, ratio, calibrated, below)
        style.panel(grid[0, 0], 0, "against servers")
    stacked_parts(grid[0, -1], data, rows,
                  [style.plain(f"{names[i]}{' *' if calibrated[i] else ''}, {servers[i]:,}") for i in rows], below)
    style.panel(grid[0, -1], 1 if curves else 0, "parts, scenario and servers")
    star = ". *: calibrated to published ratios" if calibrated.any() else ""
    return style.finish(figure, run, f"{run.provenance.title.split(': ', 1)[-1]}{star}")


KINDS: dict[str, dict[str, Any]] = {  # of networks: they differ in lightness and dashes, their rows in markers
    "electrical": dict(color="#999999", linestyle=(0, (1, 1)), markerfacecolor="none", markeredgewidth=1.2, zorder=3),
    "tree": dict(color="#0060a8", linestyle="-"),
    "circuit-switched": dict(color="#e69f00", linestyle=(0, (4, 1.5)), markeredgecolor="black", markeredgewidth=0.5),
}
MARKERS = "osD^vPX<>d"


@style.styled
def arrangements(run: Run) -> Figure:
    """What arrangements of OptINC units cost as servers are added: time of an iteration, and energy of the network in it a
    server, of every scenario with several numbers of servers. Grey, dotted: networks without OptINC units; blue: trees of units;
    dashed: units behind a switch of circuits, whose curves leave the panel at four times the largest of the others.

    Raises NotInResult where the file holds no circuit-switched units.
    """
    data = run.require("interconnect")
    needed = ("name", "servers", "network", "arrangement", "total_s", "energy_j")
    text = {name: np.asarray(data[name].values, object) for name in needed[:4] if name in data}
    if len(text) < 4 or not ((text["network"] == "optinc") & (text["arrangement"] == "circuit-switched")).any():
        raise NotInResult(f"{run.path} holds no circuit-switched units. Set arrangement = \"circuit-switched\" in a scenario.")
    servers = text["servers"].astype(int)
    values = (("iteration time (ms)", 1e3 * np.asarray(data["total_s"].values, float)),
              ("energy of the network per server and iteration (J)", np.asarray(data["energy_j"].values, float) / servers))
    curves = [name for name in dict.fromkeys(text["name"]) if len(set(servers[text["name"] == name])) > 1]
    figure, grid = style.panels(1, 2, style.PAGE_IN, 4.2)
    drawn = dict.fromkeys(KINDS, 0)
    for index, name in enumerate(curves):
        mine = np.flatnonzero(text["name"] == name)
        mine = mine[np.argsort(servers[mine])]
        kind = str(text["arrangement"][mine[0]]) if text["network"][mine[0]] == "optinc" else "electrical"
        for axes, (_, value) in zip(grid[0], values):
            axes.plot(servers[mine], value[mine], label=style.plain(str(name)), marker=MARKERS[drawn[kind] % len(MARKERS)],
                      markersize=max(3.0, 7.0 - 0.35 * index), **KINDS[kind])  # of curves that coincide, both are seen
        drawn[kind] += 1
    shown = np.isin(text["name"], curves)
    switched = shown & (text["network"] == "optinc") & (text["arrangement"] == "circuit-switched")
    for index, (axes, (label, value)) in enumerate(zip(grid[0], values)):
        style.parameter_axis(axes, [float(n) for n in servers[shown]], "servers")
        style.decades(axes, axes.yaxis, value[shown])
        if (others := value[shown & ~switched]).size:  # units shared by many servers would hide all else
            axes.set_ylim(top=min(4 * np.nanmax(others), 1.2 * np.nanmax(value[shown])))
        style.panel(axes, index, label)
    return style.finish(figure, run, run.provenance.title.split(": ", 1)[-1], grid[0, 0].get_legend_handles_labels())


def spread(values: Any) -> tuple[float, float]:
    """A little more than the values' range, with 1 in it."""
    low, high = min(1.0, float(np.min(values))), max(1.0, float(np.max(values)))
    return low / 1.15, high * 1.15


@style.styled
def assumptions(run: Run) -> Figure:
    """How the ratio of two scenarios changes with one assumption at a time: a row an assumption, a marker a value, the
    value in force filled. One panel a pair of scenarios.

    Raises NotInResult where the file holds no such question.
    """
    data = run.require("sensitivity")
    needed = ("name", "subject", "reference", "value_text", "ratio", "nominal")
    if missing := [name for name in needed if name not in data]:
        raise NotInResult(f"{run.path} has a group 'sensitivity' without {', '.join(missing)}. "
                          "Write it with optinc interconnect.")
    text = {name: np.asarray(data[name].values, object) for name in needed[:4]}
    ratio, nominal = np.asarray(data["ratio"].values, float), np.asarray(data["nominal"].values, bool)
    pairs = list(dict.fromkeys(zip(text["subject"], text["reference"])))
    rows = [list(dict.fromkeys(text["name"][(text["subject"] == s) & (text["reference"] == r)])) for s, r in pairs]
    figure, grid = style.panels(len(pairs), 1, style.PAGE_IN, max(2.6, 1.2 + sum(0.55 + 0.36 * len(r) for r in rows)),
                                gridspec_kw={"height_ratios": [len(r) + 0.6 for r in rows]})
    for panel, ((subject, reference), named) in enumerate(zip(pairs, rows)):
        axes = grid[panel, 0]
        here = (text["subject"] == subject) & (text["reference"] == reference)
        for row, name in enumerate(named):
            mine = np.flatnonzero(here & (text["name"] == name))
            axes.plot(ratio[mine], np.full(len(mine), row), color="#999999", linewidth=0.8)
            for i in mine:
                axes.plot(ratio[i], row, marker="o", color="black", markerfacecolor="#0060a8" if nominal[i] else "white",
                          markeredgewidth=0.7, zorder=4 if nominal[i] else 3)
            low, high = mine[int(np.argmin(ratio[mine]))], mine[int(np.argmax(ratio[mine]))]
            for i, side in ((low, "right"), (high, "left")):
                axes.annotate(style.plain(str(text["value_text"][i])), (ratio[i], row), fontsize=6, ha=side, va="center",
                              xytext=(-5 if side == "right" else 5, 0), textcoords="offset points")
        axes.axvline(1.0, color=style.ACCENT, linewidth=0.8)
        axes.set_yticks(range(len(named)), [style.plain(str(name)) for name in named])
        axes.set_ylim(len(named) - 0.4, -0.6)
        style.decades(axes, axes.xaxis, np.array(spread(ratio[here])))
        axes.set_xlim(*spread(np.append(ratio[here], [0.9, 1.1])))
        axes.grid(axis="y", visible=False)
        style.panel(axes, panel, f"{subject} over {reference}")
    grid[-1, 0].set_xlabel("iteration time of the subject over that of the reference")
    return style.finish(figure, run, f"{run.provenance.title}. Filled: as listed; ends of a row: values in SI units")
