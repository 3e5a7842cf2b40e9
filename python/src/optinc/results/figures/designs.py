"""What several designs cost, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run

SHOWN: tuple[tuple[str, float, list[tuple[str, str, str, str]]], ...] = (
    # label of the axis, factor from SI, [(dataset, name, marker, fill)]
    ("MZIs", 1, [("mzis", "as built", "o", "#0060a8"), ("mzis_full_svd", "by full SVD", "s", "white"),
                 ("published_mzis", "published", "D", "none")]),
    ("converters", 1, [("receivers", "receivers", "o", "#0060a8"), ("modulators", "modulators", "^", "#e69f00")]),
    ("in series", 1, [("columns", "MZI columns", "o", "#0060a8"), ("conversions", "O/E/O conversions", "^", "#e69f00")]),
    ("loss between regenerations (dB)", 1, [("most_gain", "at worst", "o", "#0060a8")]),
    ("static power (W)", 1, [("static_power", "all static", "o", "#0060a8"), ("heater_power", "heaters", "^", "#e69f00")]),
    ("delay (ns)", 1e9, [("delay", "first symbol to code", "o", "#0060a8")]),
)


@style.styled
def designs(run: Run) -> Figure:
    """Every design of optinc compare-costs a row: MZIs (as built, by full SVD, published), receivers and modulators, MZI
    columns and O/E/O conversions in series, loss between two regenerations, watts that do not depend on the symbol
    rate, and delay, on logarithmic axes. Designs whose
    network is untrained are marked *, for they cost what a trained one does.

    Raises NotInResult where the file holds no designs.
    """
    data = run.require("designs")
    needed = ["design", "untrained"] + [name for _, _, series in SHOWN for name, *_ in series]
    if missing := [name for name in needed if name not in data]:
        raise NotInResult(f"{run.path} has a group 'designs' without {', '.join(missing)}. "
                          "Write it with optinc compare-costs.")
    names = [style.plain(str(name)) + (" *" if untrained else "")
             for name, untrained in zip(data["design"].values, data["untrained"].values)]
    rows = np.arange(len(names))
    figure, grid = style.panels(1, len(SHOWN), style.PAGE_IN * 1.25, max(2.6, 1.5 + 0.16 * len(names)), sharey=True)
    for index, (axes, (label, factor, series)) in enumerate(zip(grid[0], SHOWN)):
        for row in rows[::2]:
            axes.axhspan(row - 0.5, row + 0.5, color="#f4f4f4", linewidth=0)
        for name, meaning, marker, fill in series:
            values = factor * np.asarray(data[name].values, float)
            there = values > 0
            axes.plot(values[there], rows[there], linestyle="none", marker=marker,
                      markersize=7 if fill == "none" else 4, color="black",
                      markerfacecolor=fill, markeredgewidth=0.7, label=meaning)
        low, high = span([factor * np.asarray(data[name].values, float) for name, *_ in series])
        if high < 30 * low:
            style.decades(axes, axes.xaxis, np.array([low, high]))
        else:
            axes.set_xscale("log")
        axes.set_xlim(low, high)
        axes.set_xlabel(style.label(label, "1", 18))
        axes.grid(axis="y", visible=False)
        axes.set_title(f"({chr(ord('a') + index)})", loc="left")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.06), fontsize=6, handlelength=1.0, borderpad=0.0,
                    labelspacing=0.25)
    grid[0, 0].set_yticks(rows, names)
    grid[0, 0].set_ylim(len(names) - 0.5, -0.5)
    return style.finish(figure, run, f"{run.provenance.title}. *: weights untrained, costs those of a trained network")


def span(values: list[Any]) -> tuple[float, float]:
    """From below the least positive value to above the largest, and at least a decade."""
    seen = np.concatenate(values)
    seen = seen[seen > 0]
    low, high = (float(seen.min()) / 1.5, float(seen.max()) * 1.5) if seen.size else (1.0, 10.0)
    middle = float(np.sqrt(low * high))
    return min(low, middle / 10 ** 0.5), max(high, middle * 10 ** 0.5)
