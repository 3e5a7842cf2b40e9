"""Energy per bit against bit rate of units at the fastest rate at which they decode."""

from __future__ import annotations

import textwrap

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run
from .search import decade_axis, name_points

OPPONENTS = (("ring_energy_per_bit", "ring all-reduce", "v"), ("switch_energy_per_bit", "switch that adds", "x"),
             ("electronics_energy_per_bit", "unit P and CMOS", "+"))
NEEDED = ("design", "bit_rate", "energy_per_bit", "symbol_rate", "chip_preset", *(name for name, *_ in OPPONENTS))


@style.styled
def operating_points(run: Run) -> Figure:
    """Every design of optinc operating-point a marker: total power over bit rate (pJ per bit) against the bit rate of all
    servers (Tb/s), at the fastest symbol rate at which the design decodes; its GBd beside its name. A colour and marker
    for every preset of chips. In grey, at the same bit rate: what else averages with the same modulators, receivers and
    light. Designs that decode at no rate are listed in the corner.

    Raises NotInResult where the file holds no operating points.
    """
    data = run.require("operating_points")
    if missing := [name for name in NEEDED if name not in data]:
        raise NotInResult(f"{run.path} has a group 'operating_points' without {', '.join(missing)}. "
                          "Write it with optinc operating-point.")
    names = [str(name) for name in data["design"].values]
    rate, energy, symbols = (factor * np.asarray(data[name].values, float)
                             for name, factor in (("bit_rate", 1e-12), ("energy_per_bit", 1e12), ("symbol_rate", 1e-9)))
    presets = [str(preset) for preset in data["chip_preset"].values]
    there = np.isfinite(rate)
    if not there.any():
        raise NotInResult(f"{run.path} holds no design that decodes at any rate. Give the designs more light.")
    figure, grid = style.panels(1, 1, style.PAGE_IN, 3.8)
    axes = grid.flat[0]
    for look, preset in zip(style.LINES, dict.fromkeys(presets)):
        of = there & np.array([p == preset for p in presets])
        if not of.any():
            continue
        axes.plot(rate[of], energy[of], linestyle="none", marker=look["marker"], color=look["color"], label=f"{preset} chips")
    others = np.array([1e12 * np.asarray(data[name].values, float) for name, *_ in OPPONENTS])
    for (_, label, marker), values in zip(OPPONENTS, others):
        axes.plot(rate[there], values[there], linestyle="none", marker=marker, color="#777777", markersize=5,
                  markerfacecolor="none", label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis, values, set_limits in ((axes.xaxis, rate[there], axes.set_xlim), (axes.yaxis, np.concatenate([energy[there], others[:, there].ravel()]), axes.set_ylim)):
        decade_axis(axis, list(values))
        set_limits(values.min() / 1.6, values.max() * 1.6)
    axes.set_xlabel("bit rate of all servers (Tb/s)")
    axes.set_ylabel("energy per bit (pJ)")
    if none := [style.plain(name) for name, found in zip(names, there) if not found]:
        axes.text(0.02, 0.02, textwrap.fill("decode at no rate: " + "; ".join(none), 110), transform=axes.transAxes, fontsize=6,
                  va="bottom")
    style.finish(figure, run, f"{run.provenance.title.split(': ', 1)[-1]}: {data.attrs.get('criterion', '')}",
                 axes.get_legend_handles_labels())
    figure.draw_without_rendering()
    labels = [f"{style.plain(name)}, {gbd:.0f} GBd" for name, gbd in zip(names, symbols)]
    name_points(axes, rate[there], energy[there], [label for label, found in zip(labels, there) if found],
                np.arange(there.sum()))
    return figure
