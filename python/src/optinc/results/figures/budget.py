"""What a chip costs: light, watts and time."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run

FILLS: list[dict[str, Any]] = [  # neighbours differ in lightness and hatching
    dict(facecolor="#0060a8"), dict(facecolor="#e69f00", hatch="///"), dict(facecolor="#dddddd"),
    dict(facecolor="#444444"), dict(facecolor="#cc79a7", hatch="..."), dict(facecolor="#ffffff", hatch="xxx"),
    dict(facecolor="#7fb2d8", hatch="\\\\\\"), dict(facecolor="#999999", hatch="---"), dict(facecolor="#f2d59a"),
]


@style.styled
def budget(run: Run) -> Figure:
    """Loss of every stage by part (dB), delay of every stage by part (ns), and electrical power by part with the
    programmed heaters of several kinds beside the rest (W, logarithmic). Modulator drivers and converters are left
    out: their power grows with the symbol rate, and no rate is shown to be reachable.

    Raises NotInResult where the file holds no budget.
    """
    data = run.require("budget")
    needed = ("loss", "delay", "static_power", "heater_power")
    if missing := [name for name in needed if name not in data]:
        raise NotInResult(f"{run.path} has a group 'budget' without {', '.join(missing)}. Write it with optinc budget.")
    figure, grid = style.panels(1, 3, style.PAGE_IN, 3.4, width_ratios=(1.15, 1.05, 0.9))
    loss, delay, power = grid[0]
    stages = [str(stage) for stage in data["stage"].values]

    stack(loss, stages, data["loss"].values, data["loss_part"].values)
    loss.set_ylabel("loss without gain (dB)")
    style.panel(loss, 0, f"light: {data['loss'].values.sum():.0f} dB in all")
    stack(delay, stages, 1e9 * data["delay"].values, data["delay_part"].values)
    delay.set_ylabel("delay (ns)")
    style.panel(delay, 1, f"delay: {1e9 * data['delay'].values.sum():.2f} ns in all")
    watts(power, data, str(run.config.get("heater", {}).get("device", "")))
    style.panel(power, 2, f"static power: {data['static_power'].values.sum():.0f} W")
    title = (f"{run.provenance.title}; (c): without modulator drivers and converters; its lower part: all heaters by "
             "kind, static phases trimmed, in black the one counted")
    return style.finish(figure, run, title)


def stack(axes: Any, stages: list[str], values: np.ndarray[Any, Any], parts: Any) -> None:
    """A bar a stage, its parts on top of each other; what is negative (light that adds up) below zero."""
    above, below = np.zeros(len(stages)), np.zeros(len(stages))
    for i, part in enumerate(parts):
        each = values[:, i]
        if not each.any():
            continue
        base = np.where(each >= 0, above, below)
        axes.bar(np.arange(len(stages)), each, 0.75, base, edgecolor="black", linewidth=0.4,
                 label=style.plain(str(part)), **FILLS[i % len(FILLS)])
        above, below = above + np.maximum(each, 0), below + np.minimum(each, 0)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_ylim(min(1.05 * below.min(), 0), 1.75 * above.max())  # room for the legend
    axes.legend(loc="upper left", fontsize=5.5, ncols=2, handlelength=1.5, columnspacing=1.0)
    axes.set_xticks(range(len(stages)), [style.plain(stage) for stage in stages], rotation=60, ha="right",
                    rotation_mode="anchor")
    axes.grid(axis="x", visible=False)


def watts(axes: Any, data: Any, chosen: str) -> None:
    """Bars of the parts, and below them the same chip's heaters of other kinds; watts written beside."""
    of_kinds = "heater_power_trimmed" if "heater_power_trimmed" in data else "heater_power"
    parts = [(str(part), float(value)) for part, value in zip(data["static_power_part"].values,
                                                          data["static_power"].values.sum(0))]
    parts = sorted((p for p in parts if p[1] > 0), key=lambda p: -p[1])
    kinds = sorted(zip((str(h) for h in data["heater"].values), data[of_kinds].values.tolist()),
                   key=lambda p: -p[1])
    rows = [(name, value, dict(facecolor="#0060a8")) for name, value in parts]
    rows += [(name.replace("-heater", ""), value,
              dict(facecolor="#444444") if name == chosen else dict(facecolor="#ffffff", hatch="///"))
             for name, value in kinds]
    values = [value for _, value, _ in rows]
    place = [i + (0.6 if i >= len(parts) else 0.0) for i in range(len(rows))]
    for where, (_, value, fill) in zip(place, rows):
        axes.barh(where, value, 0.75, edgecolor="black", linewidth=0.4, **fill)
        axes.text(value * 1.15, where, f"{value:.0f}" if value >= 100 else f"{value:.3g}", va="center", fontsize=6)
    axes.set_yticks(place, [style.plain(name) for name, _, _ in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(min(values) / 3, max(values) * 9)
    axes.set_xlabel("power at any symbol rate (W)")
    axes.grid(axis="y", visible=False)
