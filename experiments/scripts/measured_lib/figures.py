"""Figures of measured.h5, at the width of a column."""

import h5py
import matplotlib
import numpy as np
from matplotlib.figure import Figure
from optinc.results import style

BLACK, ORANGE, BLUE = "#000000", "#e69f00", "#0060a8"


def panels(count, height=1.9):
    figure = Figure(figsize=(style.COLUMN_IN, height * count))
    return figure, np.atleast_1d(figure.subplots(count))


def rings(f):
    """Dips of a split resonance; linewidth of coupling against the gap; least transmission."""
    figure, (dip, law, least) = panels(3)
    dip.plot(f["rings/example_nm"][()] * 1e3, f["rings/example_through"][()], ".", color=BLACK, markersize=2, label="measured")
    dip.plot(f["rings/example_nm"][()] * 1e3, f["rings/example_with"][()], color=BLUE, label="with backscatter")
    dip.plot(f["rings/example_nm"][()] * 1e3, f["rings/example_without"][()], "--", color=ORANGE, label="without")
    dip.set(xlabel="detuning (pm)", ylabel="transmission", ylim=(0, 1.05), xlim=(-80, 80))
    dip.legend(loc="lower left")
    gap, external, train = f["rings/gap_nm"][()], f["rings/external_pm"][()], f["rings/train"][()].astype(bool)
    law.semilogy(gap[train], external[train], "o", color=BLACK, markerfacecolor="white", label="fitted gaps")
    law.semilogy(gap[~train], external[~train], "s", color=BLUE, label="unseen gaps")
    at = np.linspace(gap.min(), gap.max(), 50)
    law.semilogy(at, np.exp(np.polyval(f["rings/coupling_line"][()], at)), color=ORANGE, label="exponential")
    law.set(xlabel="gap (nm)", ylabel="linewidth of a coupler (pm)")
    law.legend()
    measured = f["rings/test_least"][()]
    least.plot(measured, f["rings/test_least_without"][()], "s", color=ORANGE, label="without backscatter")
    least.plot(measured, f["rings/test_least_with"][()], "o", color=BLUE, markerfacecolor="white", label="with backscatter")
    least.plot([0, 1], [0, 1], color=style.ACCENT, linewidth=0.8)
    least.set(xlabel="measured least transmission", ylabel="predicted", xlim=(0, 1), ylim=(0, 1))
    least.legend(loc="upper left")
    return figure


def couplers(f):
    """Share that crosses against the length."""
    figure, (axes,) = panels(1, 2.2)
    length, share, train = f["couplers/length_um"][()], f["couplers/share"][()], f["couplers/trained"][()].astype(bool)
    axes.plot(f["couplers/line_um"][()], f["couplers/line"][()], color=ORANGE, label="fit")
    axes.plot(length[train], share[train], "o", color=BLACK, markerfacecolor="white", label="fitted lengths")
    axes.plot(length[~train], share[~train], "s", color=BLUE, label="unseen lengths")
    axes.set(xlabel="straight length (um)", ylabel="share that crosses, 1550 nm", ylim=(-0.05, 1.35))
    axes.legend(ncols=3, loc="upper center", columnspacing=1.0)
    return figure


def process(f):
    """Phase errors of unseen interferometers by length difference, and what the process predicts."""
    figure, (axes,) = panels(1, 2.4)
    bins = f["process/bins"][()]
    names = ["20-50", "50-80", "80-120", "120-200", "200-300", "> 300"]
    for default, colour, marker, shift, label in ((0, BLUE, "o", -0.12, "fitted to the other half"), (1, ORANGE, "s", 0.12, "default process")):
        b = bins[bins[:, 6] == default]
        axes.errorbar(b[:, 0] + shift, b[:, 3], [b[:, 3] - b[:, 4], b[:, 5] - b[:, 3]], fmt=marker, color=colour, markerfacecolor="white", label=label)
    axes.plot(b[:, 0], b[:, 2], "_", color=BLACK, markersize=16, label="measured")
    axes.set(xlabel="length difference (um)", ylabel="phase error (rad rms)", yscale="log")
    axes.set_xticks(b[:, 0], [names[int(i)] for i in b[:, 0]])
    axes.set_yticks([0.2, 0.3, 0.5, 1, 2], ["0.2", "0.3", "0.5", "1", "2"])
    axes.minorticks_off()
    axes.legend(loc="upper left")
    return figure


def mesh(f):
    """Measured and predicted power shares; quantiles of gradient errors."""
    figure, (shares, gradients) = panels(2, 2.2)
    for task, colour, marker in (("circle", ORANGE, "s"), ("moons", BLUE, "o")):
        shares.plot(f[f"mesh/{task}_predicted"][()], f[f"mesh/{task}_measured"][()], marker, color=colour, markersize=1.5, linestyle="", label=task)
    shares.plot([0.2, 0.8], [0.2, 0.8], color=style.ACCENT, linewidth=0.8)
    shares.set(xlabel="predicted power share of ports 0, 1", ylabel="measured")
    shares.legend()
    cases = [name for name in f["mesh"] if name.endswith("_quantiles")]
    for i, name in enumerate(cases):
        made, wanted = f[f"mesh/{name}"][()]
        gradients.plot([i - 0.1] * 3, wanted, "_-", color=BLACK, markersize=10, label="measured" if i == 0 else None)
        gradients.plot([i + 0.1] * 3, made, "o-", color=BLUE, markerfacecolor="white", label="simulated" if i == 0 else None)
    gradients.set_xticks(range(len(cases)), [name.removesuffix("_quantiles").replace("_phase", "").replace("_", ",\n") for name in cases])
    gradients.set(yscale="log", ylabel="1 - g.g (10, 50, 90 %)", xlim=(-0.5, len(cases) - 0.5))
    gradients.legend()
    return figure


def second(f):
    """Coupling of a second source's rings against the first die's law; group index of its interferometers."""
    figure, (law, strip) = panels(2, 2.1)
    law.semilogy(f["second/law_nm"][()], f["second/law"][()], color=ORANGE, label="law of the first die")
    large = f["second/ring_radius_um"][()] == 10
    gap, alike = f["second/ring_gap_nm"][()][large], f["second/ring_coupling"][()][large]
    law.semilogy(gap - 3, alike, "o", color=BLACK, markerfacecolor="white", label="couplers alike")
    for name, marker, label in (("bus", ">", "unlike: bus"), ("drop", "<", "unlike: drop")):
        law.semilogy(gap + 3, f[f"second/ring_unlike_{name}"][()][large], marker, color=BLUE, markersize=3, label=label)
    law.set(xlabel="gap (nm)", ylabel="power coupling")
    law.legend()
    delta, groups = f["second/delta_um"][()], f["second/group_index"][()]
    told = delta > 100
    low, high = f["second/group_index_range"][()]
    strip.axhspan(low, high, color=ORANGE, alpha=0.3, linewidth=0, label="95 % of the first die")
    strip.semilogx(delta[told], groups[told], "o", color=BLACK, markerfacecolor="white", label="second source")
    strip.set(xlabel="path difference (um)", ylabel="group index")
    strip.legend(loc="upper right")
    return figure


FIGURES = (rings, couplers, process, mesh, second)


def draw(path, folder):
    """Draws the figures whose data the file holds into a folder."""
    with matplotlib.rc_context(style.LOOK), h5py.File(path) as file:
        for figure_of in FIGURES:
            name = figure_of.__name__
            if name in file:
                figure = figure_of(file)
                for suffix in ("pdf", "png"):
                    figure.savefig(folder / f"{name}.{suffix}")
