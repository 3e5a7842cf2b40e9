"""What circuits of light cost an exchange of gradients, and how jobs fare on ODDL, a fat-tree and SiP-Ring."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run

PUBLISHED = (1.6, 1.7)
"""Iterations on a fat-tree and on SiP-Ring over those on ODDL, as published of VGG19 on 1,024 nodes."""


@style.styled
def testbed(run: Run) -> Figure:
    """What the control protocol adds to the exchange of a gradient, relative to an ideal switch, against the tuning time
    of the lasers: a line for every name of optinc cluster's [[testbed]]. The line at 2 % is the bound that is
    published of a testbed of four nodes. Rows in which transceivers fail are left out.

    Raises NotInResult where the file holds no such rows at two tuning times or more.
    """
    data = run.require("testbeds")
    if missing := [name for name in ("name", "tuning_s", "ratio", "failed_transceivers", "nodes") if name not in data]:
        raise NotInResult(f"{run.path} has a group 'testbeds' without {', '.join(missing)}. Write it with optinc cluster.")
    names = np.array([str(name) for name in data["name"].values])
    tuning, ratio = (np.asarray(data[name].values, float) for name in ("tuning_s", "ratio"))
    whole = (np.asarray(data["failed_transceivers"].values) == 0) & (tuning > 0)
    curves = [name for name in dict.fromkeys(names) if len(set(tuning[whole & (names == name)])) > 1]
    if not curves:
        raise NotInResult(f"{run.path} holds no exchange at several tuning times. List several tuning_s in a [[testbed]].")
    figure, grid = style.panels(1, 1, style.PAGE_IN, 3.6)
    axes = grid.flat[0]
    for index, name in enumerate(curves):
        mine = whole & (names == name)
        limits = np.unique(data["limit_tuning_s"].values[mine]) if "limit_tuning_s" in data else np.empty(0)
        limits = limits[np.isfinite(limits)]  # where the exchange was found to reach 2 %: between the rows
        at, beyond = np.append(tuning[mine], limits), np.append(ratio[mine] - 1, 0.02 + 0 * limits)
        order = np.argsort(at)
        axes.plot(1e6 * at[order], 100 * beyond[order], label=style.plain(name), **style.LINES[index % len(style.LINES)])
    axes.axhline(2.0, color=style.ACCENT, linewidth=0.8, label="2 %")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("tuning time of a laser (\N{MICRO SIGN}s)")
    axes.set_ylabel("exchange time beyond that of an ideal switch (%)")
    nodes = sorted({int(n) for n in data["nodes"].values[whole]})
    style.finish(figure, run, f"{run.provenance.title.split(': ', 1)[-1]}: exchange of a gradient between "
                 f"{', '.join(map(str, nodes))} nodes", axes.get_legend_handles_labels())
    return figure


@style.styled
def competition(run: Run) -> Figure:
    """Every row of optinc cluster's [[competition]]: its iteration on SiP-Ring over that on ODDL against that on a
    fat-tree over ODDL, a marker for every share of the job's nodes that are scattered. Where all rows ask what was
    published, VGG19 on 1,024 nodes, the cross is the published pair, the bands its two ratios within 5 %: a row explains
    both only where both bands cross.

    Raises NotInResult where the file holds no such rows.
    """
    data = run.require("competitions")
    if missing := [name for name in ("scattered", "fat_tree_ratio", "sip_ring_ratio") if name not in data]:
        raise NotInResult(f"{run.path} has a group 'competitions' without {', '.join(missing)}. Write it with optinc cluster.")
    tree, ring, scattered = (np.asarray(data[name].values, float) for name in ("fat_tree_ratio", "sip_ring_ratio", "scattered"))
    figure, grid = style.panels(1, 1, style.PAGE_IN, 4.0)
    axes = grid.flat[0]
    for index, share in enumerate(sorted(set(scattered))):
        mine = scattered == share
        look = style.LINES[index % len(style.LINES)]
        axes.plot(tree[mine], ring[mine], linestyle="", marker=look["marker"], color=look["color"], markerfacecolor="none",
                  label=f"{100 * share:g} % of the nodes scattered")
    as_published = all(name in data and set(map(str, data[name].values)) == {asked}
                       for name, asked in (("workload", "vgg19"), ("nodes", "1024")))
    said = f"{len(tree)} conditions"
    shown = (tree, ring)
    if as_published:
        axes.axvspan(0.95 * PUBLISHED[0], 1.05 * PUBLISHED[0], color="#dddddd", zorder=0)
        axes.axhspan(0.95 * PUBLISHED[1], 1.05 * PUBLISHED[1], color="#dddddd", zorder=0)
        axes.plot(*PUBLISHED, linestyle="", marker="x", markersize=9, markeredgewidth=2, color=style.ACCENT,
                  label="published: 1.6 and 1.7")
        both = int(np.sum((abs(tree / PUBLISHED[0] - 1) <= 0.05) & (abs(ring / PUBLISHED[1] - 1) <= 0.05)))
        said += f"; within 5 % of both: {both}"
        shown = (np.append(tree, PUBLISHED[0]), np.append(ring, PUBLISHED[1]))
    style.decades(axes, axes.xaxis, shown[0])
    style.decades(axes, axes.yaxis, shown[1])
    axes.set_xlabel("iteration time on a fat-tree over that on ODDL")
    axes.set_ylabel("iteration time on SiP-Ring over that on ODDL")
    axes.text(0.98, 0.02, said, transform=axes.transAxes, ha="right", fontsize=7)
    style.finish(figure, run, f"{run.provenance.title.split(': ', 1)[-1]}: one job on three networks",
                 axes.get_legend_handles_labels())
    return figure


@style.styled
def iteration(run: Run) -> Figure:
    """Where the time of optinc cluster's [[iteration]] goes: a bar for every network, in groups by name, a panel for every
    line rate. Its parts: computing of the rank that computes longest; waiting for other ranks' computing, which no network
    saves (the iteration without communication less the computing); communication that is not hidden.

    Raises NotInResult where the file holds no such rows.
    """
    data = run.require("iterations")
    parts = ("compute_s", "without_s", "iteration_s")
    if missing := [name for name in ("name", "network", "rate_bit_per_s", *parts) if name not in data]:
        raise NotInResult(f"{run.path} has a group 'iterations' without {', '.join(missing)}. Write it with optinc cluster.")
    names, networks = ([str(value) for value in data[key].values] for key in ("name", "network"))
    rates = np.asarray(data["rate_bit_per_s"].values, float)
    compute, without, whole = (np.asarray(data[name].values, float) for name in parts)
    columns = sorted(set(rates))
    rows = max(int(np.sum(rates == rate)) for rate in columns)
    figure, grid = style.panels(1, len(columns), style.PAGE_IN, min(9.0, 1.3 + 0.2 * rows), sharex=True)
    for index, rate in enumerate(columns):
        axes = grid.flat[index]
        mine = np.flatnonzero(rates == rate)
        starts = [k for k, row in enumerate(mine) if k == 0 or names[row] != names[mine[k - 1]]]
        y = np.arange(len(mine)) + np.cumsum([k in starts for k in range(len(mine))])
        for part, left, label, look in ((compute, 0 * compute, "computing", {"color": "0.35"}),
                                        (without - compute, compute, "waiting for other ranks' computing", {"color": "0.75"}),
                                        (whole - without, without, "communication that is not hidden",
                                         {"color": "white", "edgecolor": style.ACCENT, "hatch": "////"})):
            axes.barh(y, part[mine], left=left[mine], height=0.8, label=label, linewidth=0.6, **look)
        axes.set_yticks(y, [networks[row] for row in mine])
        for k in starts:
            axes.text(0, y[k] - 0.95, style.plain(names[mine[k]]), fontsize=7, fontweight="bold", va="center")
        axes.set_ylim(y[-1] + 0.7, -0.6)
        axes.set_xlabel("iteration time (s)")
        style.panel(axes, index, f"{rate / 1e9:g} Gb/s")
    style.finish(figure, run, f"{run.provenance.title.split(': ', 1)[-1]}: where an iteration's time goes",
                 grid.flat[0].get_legend_handles_labels())
    return figure
