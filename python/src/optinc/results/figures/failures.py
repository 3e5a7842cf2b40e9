"""What a job loses when a component fails, and how much slower it goes on."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run

PARTS = (("found_s", "until found", "o", "white"), ("repair_s", "repair", "s", "#e69f00"),
         ("repeated_s", "repeated work", "^", "#0060a8"))
"""Terms of the lost time: dataset, name, marker, fill."""


@style.styled
def failures(run: Run) -> Figure:
    """Every row of optinc cluster's [[failure]], by its name, its component where the name lacks it, and its network: (a)
    the time that the job loses once, a bar, with its terms above 0 as markers; (b) the time for as many samples afterwards
    over that before. A job that ends has neither.

    Raises NotInResult where the file holds no such rows.
    """
    data = run.require("failures")
    needed = ["name", "network", "component", "lost_s", "slowdown", "goes_on"] + [name for name, *_ in PARTS]
    if missing := [name for name in needed if name not in data]:
        raise NotInResult(f"{run.path} has a group 'failures' without {', '.join(missing)}. Write it with optinc cluster.")
    names = [style.plain(f"{name}: {network}" if component in name else f"{name}, {component}: {network}")
             for name, component, network in zip(*(map(str, data[key].values) for key in ("name", "component", "network")))]
    rows, goes_on = np.arange(len(names)), np.asarray(data["goes_on"].values) > 0
    lost, slowdown = (np.asarray(data[name].values, float) for name in ("lost_s", "slowdown"))
    seen = np.concatenate([np.asarray(data[name].values, float) for name, *_ in PARTS] + [lost])
    seen = seen[seen > 0]
    low, high = (float(seen.min()) / 2, float(seen.max()) * 2) if seen.size else (0.1, 10.0)
    figure, (panels,) = style.panels(1, 2, style.PAGE_IN * 1.1, max(2.4, 1.2 + 0.16 * len(names)), sharey=True)
    for axes in panels:
        for row in rows[::2]:
            axes.axhspan(row - 0.5, row + 0.5, color="#f4f4f4", linewidth=0)
        axes.grid(axis="y", visible=False)
        for row in rows[~goes_on]:
            axes.text(0.02, row, "the job ends", transform=axes.get_yaxis_transform(), va="center", fontsize=7, style="italic")
    panels[0].barh(rows[lost > 0], lost[lost > 0] - low, left=low, height=0.55, color="#cccccc", label="lost in all")
    for name, meaning, marker, fill in PARTS:
        values = np.asarray(data[name].values, float)
        there = goes_on & (values > 0)
        panels[0].plot(values[there], rows[there], linestyle="none", marker=marker, color="black", markerfacecolor=fill,
                       markeredgewidth=0.7, label=meaning)
    panels[0].set_xscale("log")
    panels[0].set_xlim(low, high)
    panels[0].set_xlabel("time lost once (s)")
    panels[1].barh(rows[goes_on], slowdown[goes_on], height=0.55, color="#666666")
    panels[1].axvline(1.0, color=style.ACCENT, linewidth=0.8)
    panels[1].set_xlabel("time for as many samples, over that before")
    panels[0].set_yticks(rows, names)
    panels[0].set_ylim(len(names) - 0.5, -0.5)
    for index, axes in enumerate(panels):
        axes.set_title(f"({chr(ord('a') + index)})", loc="left")
    style.finish(figure, run, run.provenance.title.split(": ", 1)[-1], panels[0].get_legend_handles_labels())
    return figure
