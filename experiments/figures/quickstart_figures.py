#!/usr/bin/python3
"""Draws the figures of a quickstart result, from the HDF5 file alone: one PNG and one PDF each.

  accuracy_vs_error  words decoded right, and the matrix error behind it, against splitter error
  error_histogram    by how much the wrong codes are wrong
  eye                levels received for each target digit, with the decision thresholds
  training           loss, word accuracy and margin against epoch
  gradient           the average gradient that comes back against the exact one
"""

import argparse
import sys
from pathlib import Path

try:
    import h5py
    import numpy as np
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    import style
    plt = style.plt
except ModuleNotFoundError as error:
    sys.exit(f"quickstart_figures: {error}. Debian has it as python3-h5py, python3-matplotlib (under /usr/bin/python3).")


class Unusable(Exception):
    """The file lacks what a figure needs."""


def read(file, path):
    """The dataset at `path` as an array; strings come back as str."""
    if path not in file:
        raise Unusable(f"{file.filename} has no dataset {path} (is it the result of the quickstart study?)")
    values = file[path][()]
    if values.dtype.kind in "OS":
        values = np.array([v.decode() if isinstance(v, bytes) else str(v) for v in values])
    return values


def index_of(names, name, where):
    """Position of `name` on an axis of names."""
    found = np.flatnonzero(names == name)
    if not len(found):
        raise Unusable(f"{where} has no '{name}', only {', '.join(names)}")
    return int(found[0])


def level_axis(axes, sigma_mrad):
    """Logarithmic axis of error levels, each level labelled; a level of zero needs a linear axis."""
    if sigma_mrad.min() > 0:
        axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(sigma_mrad))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel(r"splitter error $\sigma_\eta$ (mrad)")


def accuracy_vs_error(file):
    sigma = read(file, "chips/level") * 1e3
    names = read(file, "chips/variant")
    accuracy = read(file, "chips/word_accuracy")
    total, in_phase = read(file, "chips/matrix_error"), read(file, "chips/matrix_error_in_phase")
    figure, (left, right) = plt.subplots(1, 2, figsize=(style.PAGE_IN, 2.9))

    for v, name in enumerate(names):
        look = style.variant(name)
        low, quarter, half, three_quarters, high = np.percentile(accuracy[:, v], [0, 25, 50, 75, 100], axis=1)
        left.fill_between(sigma, low, high, color=look["color"], alpha=0.15, linewidth=0)
        left.fill_between(sigma, quarter, three_quarters, color=look["color"], alpha=0.35, linewidth=0)
        left.plot(sigma, half, markerfacecolor="white", **look)
    level_axis(left, sigma)
    left.set_ylim(-0.03, 1.03)
    left.set_ylabel("words decoded exactly (share)")
    left.legend(loc="center left", bbox_to_anchor=(0.0, 0.38))
    words = int(file["chips"].attrs.get("words_per_chip", 0))
    style.panel(left, "a", f"median, quartiles, extremes of {accuracy.shape[2]} chips"
                           + (f" × {words} words" if words else ""))

    for v, name in enumerate(names):
        if v and any(np.array_equal(total[:, v], total[:, u]) for u in range(v)):
            continue  # noise at the receivers leaves the matrix as it was
        look = style.variant(name)
        look.pop("linestyle"), look.pop("label")
        for values, label, line, fill in ((total, "whole", "-", look["color"]), (in_phase, "in phase", ":", "white")):
            worst = values[:, v].max(axis=2).mean(axis=1)  # over layers, then over chips
            right.plot(sigma, worst, linestyle=line, markerfacecolor=fill, label=f"{name}, {label}", **look)
    level_axis(right, sigma)
    right.set_yscale("log")
    right.set_ylabel("relative matrix error")
    right.legend(loc="upper left")
    style.panel(right, "b", "worst layer, mean over chips")
    return figure, "Decoding under fabrication error"


def error_histogram(file):
    sigma, names = read(file, "chips/level"), read(file, "chips/variant")
    errors, counts = read(file, "chips/code_error"), read(file, "chips/code_error_count")
    accuracy = read(file, "chips/word_accuracy")[:, index_of(names, "corrected", "chips/variant")]
    imperfect = np.flatnonzero(accuracy.min(axis=1) < 1)
    level = int(imperfect[-1]) if len(imperfect) else len(sigma) - 1
    figure, rows = plt.subplots(len(names), 1, figsize=(style.COLUMN_IN, 0.7 + 1.25 * len(names)), sharex=True,
                                sharey=True, squeeze=False)
    for axes, name, letter, count in zip(rows[:, 0], names, "abcdefgh", counts[level]):
        look = style.variant(name)
        some = count > 0
        axes.bar(errors[some], count[some], width=1.0, color=look["color"], linewidth=0)
        wrong = count[errors != 0].sum()
        near = count[np.abs(errors) == 1].sum()
        style.panel(axes, letter, look["label"])
        axes.text(0.99, 0.97, f"wrong: {wrong / count.sum():.2%}"
                  + (f"\nof these ±1: {near / wrong:.0%}" if wrong else ""),
                  transform=axes.transAxes, ha="right", va="top", fontsize=7,
                  bbox=dict(facecolor="white", edgecolor="none", pad=1, alpha=0.8))
        axes.set_yscale("log")
        axes.set_ylabel("words")
    last = rows[-1, 0]
    last.set_ylim(0.7, counts[level].max() * 3)
    last.set_xscale("symlog", linthresh=4, linscale=1.2, base=4)
    ticks = [t for t in (-64, -16, -4, -1, 0, 1, 4, 16, 64)]
    last.xaxis.set_major_locator(FixedLocator(ticks))
    last.xaxis.set_minor_locator(NullLocator())
    last.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:+.0f}" if value else "0"))
    last.set_xlabel("decoded code − exact code (LSB)")
    last.set_xlim(errors.min() * 1.1, errors.max() * 1.1)
    return figure, rf"Code errors at $\sigma_\eta$ = {sigma[level] * 1e3:g} mrad"


def eye(file):
    names = read(file, "eye/variant")
    outputs, target = read(file, "eye/outputs"), read(file, "eye/target")
    thresholds = np.atleast_1d(file["eye"].attrs.get("thresholds_digit", [0.5, 1.5, 2.5]))
    digits = target.shape[1]
    figure, grid = plt.subplots(digits, len(names), figsize=(style.PAGE_IN, 0.9 + 1.15 * digits), sharex="col",
                                sharey="col", squeeze=False)
    for column, name in enumerate(names):
        low, high = np.quantile(outputs[column], [0.001, 0.999])
        low, high = min(low, -0.6) - 0.1, max(high, 3.6) + 0.1
        edges = np.linspace(low, high, 241)
        tallest = 1
        for digit in range(digits):
            axes = grid[digit, column]
            for value, look in enumerate(style.DIGITS):
                received = outputs[column, target[:, digit] == value, digit]
                if len(received):
                    count, _ = np.histogram(received, edges)
                    tallest = max(tallest, count.max())
                    axes.stairs(count, edges, fill=True, alpha=0.35, color=look["color"], linewidth=0)
                    axes.stairs(count, edges, label="target 0" if value == 0 else str(value), linewidth=0.9, **look)
            for threshold in thresholds:
                axes.axvline(threshold, color="#c00000", linewidth=0.8)
            right = np.mean(np.digitize(outputs[column, :, digit], thresholds) == target[:, digit])
            axes.text(0.99, 0.95, f"right {right:.2%}", transform=axes.transAxes, ha="right", va="top", fontsize=7,
                      bbox=dict(facecolor="white", edgecolor="none", pad=1, alpha=0.8))
            axes.set_yscale("log")
            axes.margins(y=0)
            if column == 0:
                place = "most significant" if digit == 0 else "least significant" if digit == digits - 1 else ""
                axes.set_ylabel(f"digit {digit}\n{place}\nwords" if place else f"digit {digit}\nwords")
        grid[0, column].set_xlim(low, high)
        grid[0, column].set_ylim(0.7, tallest * 4)
        style.panel(grid[0, column], "ab"[column] if column < 2 else "c", style.variant(name)["label"])
        grid[-1, column].set_xlabel("received level (digits)")
    handles, labels = grid[-1, 0].get_legend_handles_labels()
    handles.append(plt.Line2D([], [], color="#c00000", linewidth=0.8))
    figure.legend(handles, labels + ["threshold"], loc="upper right", ncol=len(handles), columnspacing=1.2)
    sigma = float(file["eye"].attrs.get("sigma_eta_rad", float("nan")))
    return figure, rf"Received levels, all {target.shape[0]:,} words, $\sigma_\eta$ = {sigma * 1e3:g} mrad"


def training(file):
    epoch = read(file, "training/epoch")
    figure, (top, middle, bottom) = plt.subplots(3, 1, figsize=(style.COLUMN_IN, 4.4), sharex=True)
    top.plot(epoch, read(file, "training/loss"), color="black")
    top.set_yscale("log")
    top.set_ylabel("loss (digit²)")
    style.panel(top, "a", "mean loss of the epoch")
    accuracy = read(file, "training/word_accuracy")
    middle.plot(epoch, accuracy, color="black")
    middle.set_ylim(-0.03, 1.05)
    middle.set_ylabel("words right (share)")
    whole = np.flatnonzero(accuracy < 1)
    first = int(whole[-1]) + 1 if len(whole) else 0
    if first < len(epoch):
        middle.axvline(epoch[first], color="#0060a8", linestyle="--", linewidth=0.9)
        late = first > len(epoch) / 2
        middle.annotate(f"all words right\nfrom epoch {epoch[first]} on", color="#0060a8",
                        xy=(epoch[first], 0.08), xytext=(-4 if late else 4, 0), textcoords="offset points",
                        ha="right" if late else "left", fontsize=7)
    style.panel(middle, "b", "word accuracy")
    margin = read(file, "training/margin")
    bottom.plot(epoch, margin, color="black")
    bottom.axhline(0, color="#c00000", linewidth=0.8)
    bottom.set_ylabel("margin (digits)")
    bottom.set_ylim(max(np.nanmin(margin), -1.0) - 0.05, 0.5)
    bottom.text(epoch[-1], 0.46, "0.5: exact levels", ha="right", va="top", fontsize=6.5, color="#555555")
    bottom.set_xlabel("epoch")
    style.panel(bottom, "c", "worst word's distance from a wrong decision")
    return figure, f"Training the network ({epoch[-1]} epochs)"


def gradient(file):
    paths, error = read(file, "gradient/path"), read(file, "gradient/relative_error")
    average, received = read(file, "gradient/average"), read(file, "gradient/received")
    labels = {"quantised": "8-bit codes alone", "network": "network", "chip_uncorrected": "chip, uncorrected",
              "chip_corrected": "chip, corrected", "chip_noisy": "chip, receiver and lock noise"}
    figure, grid = plt.subplots(2, 2, figsize=(style.PAGE_IN, 5.4))
    bars = grid[0, 0]
    shown = [p for p, path in enumerate(paths) if path != "exact"]  # its error is 0 by definition
    bars.barh(range(len(shown)), error[shown], color="#b8b8b8", edgecolor="black", linewidth=0.6, height=0.62)
    for row, p in enumerate(shown):
        bars.text(error[p] * 1.1, row, f"{error[p]:.4g}", va="center", fontsize=7)
    bars.set_yticks(range(len(shown)), [labels.get(paths[p], paths[p]) for p in shown])
    bars.invert_yaxis()
    bars.set_xscale("log")
    positive = error[shown][error[shown] > 0]
    if len(positive):
        bars.set_xlim(positive.min() / 10, positive.max() * 8)
    bars.grid(axis="y", visible=False)
    bars.set_xlabel("relative error ‖received − average‖ / ‖average‖")
    style.panel(bars, "a", "error of the whole gradient")

    # Gradients span decades on both sides of zero: asinh is linear below the median size, logarithmic above
    scale = max(float(np.median(np.abs(average))), float(np.abs(average).max()) * 1e-3, np.finfo(np.float32).tiny)
    fold = lambda value: np.arcsinh(np.asarray(value, float) / scale)  # noqa: E731

    def folded_axis(axis, limit):
        decades = [k for k in range(-40, 40) if fold(10.0 ** k) > 0.2 * limit and fold(10.0 ** k) < limit]
        ticks = {fold(sign * 10.0 ** k): rf"${'-' if sign < 0 else ''}10^{{{k}}}$" for sign in (-1, 1) for k in decades}
        ticks[0.0] = "0"
        axis.set_major_locator(FixedLocator(sorted(ticks)))
        axis.set_ticklabels([ticks[t] for t in sorted(ticks)])

    across = float(fold(np.abs(average).max())) * 1.05
    scatters = [p for p in ("quantised", "chip_corrected", "chip_noisy") if p in paths]
    if not scatters:
        raise Unusable(f"gradient/path has neither quantised nor a chip, only {', '.join(paths)}")
    for axes in grid.flat[1 + len(scatters):]:
        axes.remove()
    for axes, path, letter in zip(grid.flat[1:], scatters, "bcd"):
        y = received[index_of(paths, path, "gradient/path")]
        up = float(fold(np.abs(y).max())) * 1.05
        density, x_edges, y_edges = np.histogram2d(fold(average), fold(y), bins=141, range=[(-across, across), (-up, up)])
        image = axes.pcolormesh(x_edges, y_edges, np.ma.masked_equal(density.T, 0), cmap="Greys", rasterized=True,
                                norm=LogNorm(vmin=0.3, vmax=max(density.max(), 1)))
        both = min(across, up)
        axes.plot([-both, both], [-both, both], color="#c00000", linewidth=0.6)
        folded_axis(axes.xaxis, across)
        folded_axis(axes.yaxis, up)
        axes.set_xlabel("exact average")
        axes.set_ylabel("received")
        bar = figure.colorbar(image, ax=axes, shrink=0.85, pad=0.02)
        bar.ax.set_ylim(1, max(density.max(), 1))
        bar.set_label("elements")
        style.panel(axes, letter, labels.get(path, path))
    a = file["gradient"].attrs
    return figure, (f"One training step's gradient: {a.get('servers', '?')} servers, {len(average):,} elements, "
                    rf"$\sigma_\eta$ = {float(a.get('sigma_eta_rad', float('nan'))) * 1e3:g} mrad")


FIGURES = {f.__name__: f for f in (accuracy_vs_error, error_histogram, eye, training, gradient)}


def signature(file):
    """What the small print says: enough to find the run again."""
    a = file.attrs
    return (f"{a.get('title', 'untitled')} · run\u00a0{a.get('run_id', '?')} · seed\u00a0{a.get('seed', '?')} · "
            f"OptINC {a.get('optinc_version', '?')} ({a.get('git_revision', '?')})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="example:  quickstart_figures.py results/quickstart.h5 -o results/figures --only eye")
    parser.add_argument("results", type=Path, help="result file of the quickstart study")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="folder for the figures")
    parser.add_argument("--only", action="append", choices=FIGURES, metavar="NAME", help="draw this one; repeatable")
    arguments = parser.parse_args()

    if not arguments.results.is_file():
        raise Unusable(f"{arguments.results} does not exist")
    style.use()
    try:
        file = h5py.File(arguments.results, "r")
    except OSError as error:
        raise Unusable(f"{arguments.results} cannot be opened as HDF5 ({error})") from None
    with file:
        arguments.output.mkdir(parents=True, exist_ok=True)
        for name in arguments.only or FIGURES:
            figure, title = FIGURES[name](file)
            style.save(figure, arguments.output, name, title, signature(file))
            print(arguments.output / f"{name}.png")


if __name__ == "__main__":
    try:
        main()
    except (Unusable, OSError) as error:
        sys.exit(f"quickstart_figures: {error}")
