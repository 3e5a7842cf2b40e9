"""What circuits of light cost an exchange of gradients, how jobs fare on networks, and what failures cost them."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run
from .paint import GREY, RULE, Axis, Panel, dots, mark, note, paint, stripes

PUBLISHED = (1.6, 1.7)
"""Iterations on a fat-tree and on SiP-Ring over those on ODDL, as published of VGG19 on 1,024 nodes."""


NETWORKS = {"oddl": "ODDL", "sip-ring": "SiP-Ring", "optinc": "OptINC", "adding-fat-tree": "adding fat-tree"}
"""Networks by the names that pages use; others by their own."""


def network_of(name: str) -> str:
    """A network of a file in words."""
    return NETWORKS.get(name, name)


def title_of(run: Run, what: str = "") -> str:
    """The name of a list, and what is drawn of it."""
    return run.provenance.title.split(": ", 1)[-1] + (f": {what}" if what else "")


def testbed(run: Run) -> Figure:
    """What the control protocol adds to the exchange of a gradient, relative to an ideal switch, against the tuning time
    of the lasers: a line for every name of optinc cluster's [[testbed]]. The line at 2 % is the bound that is
    published of a testbed of four nodes. Rows in which transceivers fail are left out.

    Raises NotInResult where the file holds no such rows at two tuning times or more.
    """
    data = run.require("testbeds", "name", "tuning_s", "ratio", "failed_transceivers", "nodes", by="optinc cluster")
    names = data["name"].values.astype(str)
    tuning, ratio = (data[name].values.astype(float) for name in ("tuning_s", "ratio"))
    whole = (data["failed_transceivers"].values == 0) & (tuning > 0)
    curves = [name for name in dict.fromkeys(names) if len(set(tuning[whole & (names == name)])) > 1]
    if not curves:
        raise NotInResult(f"{run.path} holds no exchange at several tuning times. List several tuning_s in a [[testbed]].")
    drawn = []
    for name, look in zip(curves, style.looks()):
        mine = whole & (names == name)
        limits = np.unique(data["limit_tuning_s"].values[mine]) if "limit_tuning_s" in data else np.empty(0)
        limits = limits[np.isfinite(limits)]  # where the exchange was found to reach 2 %: between the rows
        at, beyond = np.append(tuning[mine], limits), np.append(ratio[mine] - 1, 0.02 + 0 * limits)
        order = np.argsort(at)
        drawn.append(mark("plot", 1e6 * at[order], 100 * beyond[order], label=style.plain(name), **look))
    nodes = ", ".join(map(str, sorted({int(n) for n in data["nodes"].values[whole]})))
    return paint(run, title_of(run, f"exchange of a gradient between {nodes} nodes"),
                 [Panel([*drawn, mark("axhline", 2.0, label="2 %", **RULE)],
                        Axis("tuning time of a laser (\N{MICRO SIGN}s)", "log"),
                        Axis("time beyond an ideal switch's (%)", "log"), None)], (style.PAGE_IN, 3.6))


def competition(run: Run) -> Figure:
    """Every row of optinc cluster's [[competition]]: its iteration on SiP-Ring over that on ODDL against that on a
    fat-tree over ODDL, a marker for every share of the job's nodes that are scattered. Where all rows ask what was
    published, VGG19 on 1,024 nodes, the cross is the published pair, the bands its two ratios within 5 %: a row explains
    both only where both bands cross. Below, the iterations themselves, a marker a row.

    Raises NotInResult where the file holds no such rows.
    """
    data = run.require("competitions", "scattered", "oddl_s", "fat_tree_ratio", "sip_ring_ratio", by="optinc cluster")
    tree, ring, scattered = (np.asarray(data[name].values, float) for name in ("fat_tree_ratio", "sip_ring_ratio", "scattered"))
    drawn = [dots(tree[scattered == share], ring[scattered == share], marker=look["marker"], color=look["color"],
                  markerfacecolor="none",
                  label=f"{100 * share:g} % of the nodes scattered")
                  for share, look in zip(sorted(set(scattered)), style.looks())]
    said = f"{len(tree)} conditions"
    if all(name in data and set(map(str, data[name].values)) == {asked}
           for name, asked in (("workload", "vgg19"), ("nodes", "1024"))):
        near = (abs(tree / PUBLISHED[0] - 1) <= 0.05) & (abs(ring / PUBLISHED[1] - 1) <= 0.05)
        said += f"; within 5 % of both: {near.sum()}"
        drawn += [mark("axvspan", 0.95 * PUBLISHED[0], 1.05 * PUBLISHED[0], **GREY),
                  mark("axhspan", 0.95 * PUBLISHED[1], 1.05 * PUBLISHED[1], **GREY),
                  dots(*PUBLISHED, marker="x", markersize=9, markeredgewidth=2, color=style.ACCENT,
                       label="published: 1.6 and 1.7")]
        tree, ring = np.append(tree, PUBLISHED[0]), np.append(ring, PUBLISHED[1])
    times = [np.asarray(data["oddl_s"].values, float) * ratio for ratio in (1, *(data[name].values for name in ("fat_tree_ratio", "sip_ring_ratio")))]
    rows = [dots(time, np.full(len(time), row), marker="|", markersize=9, color="black", alpha=0.5) for row, time in enumerate(times)]
    return paint(run, title_of(run, f"one job on three networks, {said}"),
                 [Panel(drawn, Axis("iteration on a fat-tree over that on ODDL", "decades", tree),
                        Axis("iteration on SiP-Ring over that on ODDL", "decades", ring), "ratios"),
                  Panel([*stripes(3), *rows], Axis("iteration time (s)", "decades", np.concatenate(times)),
                        Axis(scale="rows", names=["ODDL", "fat-tree", "SiP-Ring"]), "absolute")],
                 (style.COLUMN_IN, 5.2), 1, gridspec_kw={"height_ratios": [3, 1]})


ITERATION: tuple[tuple[str, dict[str, Any]], ...] = (
    ("computing", dict(color="0.35")),
    ("waiting for other ranks' computing", dict(color="0.75")),
    ("communication that is not hidden", dict(color="white", edgecolor=style.ACCENT, hatch="////")),
)
"""Parts of an iteration, each up to a time of the file."""


def iteration(run: Run) -> Figure:
    """Where the time of optinc cluster's [[iteration]] goes: a bar for every network, in groups by name, a panel for every
    line rate. Its parts: computing of the rank that computes longest; waiting for other ranks' computing, which no network
    saves (the iteration without communication less the computing); communication that is not hidden.

    Raises NotInResult where the file holds no such rows.
    """
    times = ("compute_s", "without_s", "iteration_s")
    data = run.require("iterations", "name", "network", "rate_bit_per_s", *times, by="optinc cluster")
    names, networks = data["name"].values.astype(str), data["network"].values.astype(str)
    rates = np.asarray(data["rate_bit_per_s"].values, float)
    ends = np.array([data[name].values for name in times], float)
    parts = np.diff(ends, axis=0, prepend=0)
    panels = []
    for rate in sorted(set(rates)):
        mine = np.flatnonzero(rates == rate)
        starts = [k == 0 or names[row] != names[mine[k - 1]] for k, row in enumerate(mine)]
        y = np.arange(len(mine)) + np.cumsum(starts)
        drawn = [mark("barh", y, part[mine], left=(end - part)[mine], height=0.8, label=label, linewidth=0.6, **look)
                 for part, end, (label, look) in zip(parts, ends, ITERATION)]
        drawn += [note(0, y[k] - 0.95, names[mine[k]], fontweight="bold") for k in np.flatnonzero(starts)]
        panels.append(Panel(drawn, Axis("iteration time (s)"),
                            Axis(values=y, names=[network_of(networks[row]) for row in mine], limits=(y[-1] + 0.7, -0.6)),
                            f"{rate / 1e9:g} Gb/s"))
    rows = max(int(np.sum(rates == rate)) for rate in set(rates))
    return paint(run, title_of(run, "where an iteration's time goes"), panels, (style.PAGE_IN, min(9.0, 1.3 + 0.2 * rows)),
                 sharex=True)


LOST = (("found_s", "until found", "o", "white"), ("repair_s", "repair", "s", "#e69f00"),
        ("repeated_s", "repeated work", "^", "#0060a8"))
"""Terms of the lost time: dataset, name, marker, fill."""


def failures(run: Run) -> Figure:
    """Every row of optinc cluster's [[failure]], by its name, its component where the name lacks it, and its network: (a)
    the time that the job loses once, a thick line across, with its terms above 0 as markers; (b) the time for as many samples
    afterwards over that before. A job that ends has neither.

    Raises NotInResult where the file holds no such rows.
    """
    data = run.require("failures", "name", "network", "component", "lost_s", "slowdown", "goes_on", *(name for name, *_ in LOST),
                       by="optinc cluster")
    names = [style.plain(f"{name}: {network_of(network)}" if component in name else f"{name}, {component}: {network_of(network)}")
             for name, component, network in zip(*(map(str, data[key].values) for key in ("name", "component", "network")))]
    rows, goes_on = np.arange(len(names)), np.asarray(data["goes_on"].values) > 0
    lost, slowdown = (np.asarray(data[name].values, float) for name in ("lost_s", "slowdown"))
    terms = [np.asarray(data[name].values, float) for name, *_ in LOST]
    seen = np.concatenate([*terms, lost])
    seen = seen[seen > 0]
    low, high = (float(seen.min()) / 2, float(seen.max()) * 2) if seen.size else (0.1, 10.0)
    ground = [*stripes(len(names)), *(note(0.02, row, "the job ends", transform="y", style="italic") for row in rows[~goes_on])]
    marks = [dots(values[goes_on & (values > 0)], rows[goes_on & (values > 0)], marker=marker, color="black",
                  markerfacecolor=fill,
                  markeredgewidth=0.7, label=name) for values, (_, name, marker, fill) in zip(terms, LOST)]
    whole = dots(lost[lost > 0], rows[lost > 0], marker="|", markersize=9, markeredgewidth=2.5, color="black", label="lost in all")
    y = Axis(scale="rows", names=names)
    return paint(run, title_of(run), [
        Panel([*ground, whole, *marks], Axis("time lost once (s)", "log", limits=(low, high)), y, "lost once"),
        Panel([*ground, mark("barh", rows[goes_on], slowdown[goes_on], height=0.55, color="#666666"),
               mark("axvline", 1.0, **RULE)],
              Axis("time for as many samples, over that before"), y, "afterwards")],
        (style.PAGE_IN * 1.1, max(2.4, 1.2 + 0.16 * len(names))), sharey=True)
