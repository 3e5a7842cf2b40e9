"""Levels received for each target digit."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .. import style
from ..run import Run
from ..study import show_value


@style.styled
def eye(run: Run) -> Figure:
    """Histograms of the received levels (digit) of chip 0 by target digit, a row per digit place, a column per variant,
    with the decision thresholds and the share of digits decided right.

    Raises NotInResult where the study did not record the eye.
    """
    data = run.require("eye")
    names = [str(name) for name in data["variant"].values]
    outputs, target = data["outputs"].values, data["target"].values
    thresholds = np.atleast_1d(data.attrs.get("thresholds_digit", [0.5, 1.5, 2.5]))
    digits = target.shape[1]
    width = style.PAGE_IN if len(names) > 1 else style.COLUMN_IN
    figure, grid = style.panels(digits, len(names), width, 1.1 + 1.15 * digits, sharex="col", sharey="col")
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
                    axes.stairs(count, edges, linewidth=0.9, **look)
            for threshold in thresholds:
                axes.axvline(threshold, color=style.ACCENT, linewidth=0.8)
            right = np.mean(np.digitize(outputs[column, :, digit], thresholds) == target[:, digit])
            right = np.floor(1e4 * right) / 1e4  # so that only what is exactly one reads 100 %
            axes.text(0.99, 0.95, f"right {right:.2%}", transform=axes.transAxes, ha="right", va="top", fontsize=7,
                      bbox=dict(facecolor="white", edgecolor="none", pad=1, alpha=0.8))
            axes.set_yscale("log")
            axes.margins(y=0)
            if column == 0:
                place = "most significant" if digit == 0 else "least significant" if digit == digits - 1 else ""
                axes.set_ylabel(f"digit {digit}\n{place}\nwords" if place else f"digit {digit}\nwords")
        grid[0, column].set_xlim(low, high)
        grid[0, column].set_ylim(0.7, tallest * 4)
        style.panel(grid[0, column], column, str(style.variant(name)["label"]))
        grid[-1, column].set_xlabel("received level (digit)")
    handles = [Line2D([], [], linewidth=0.9, **look) for look in style.DIGITS]
    handles.append(Line2D([], [], color=style.ACCENT, linewidth=0.8))
    legend = handles, ["target 0", "1", "2", "3", "threshold"]
    title = f"Received levels of {target.shape[0]:,} words"
    if "sigma_eta_rad" in data.attrs:
        title += f", splitter error {show_value(float(data.attrs['sigma_eta_rad']), 'rad')}"
    return style.finish(figure, run, title, legend)
