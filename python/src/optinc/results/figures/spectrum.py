"""Meshes at other wavelengths than they were calibrated at."""

from __future__ import annotations

from itertools import product
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import Parameter, Statistic, fixed, headline_metrics, metrics, parameters, say_trials, statistic
from .comb import short_point
from .metric_vs_parameter import panel_axis

SHOWN = ("fidelity", "group_delay_spread", "word_accuracy")
"""What tells most of a detuned device, of what there is."""


@style.styled
def spectrum(run: Run, *, metric: Union[str, Sequence[str], None] = None, variant: Optional[str] = None,
             at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Means of metrics, a row each, against the detuning from the wavelength of calibration (`environment.wavelength_m`), with
    the 95 % intervals of the means: a line for every value of another sweep (that of most values), a column for those of a
    third.

    `metric`: one or several names; by default fidelity and spread of group delay, or the first that the study names. `variant`:
    "corrected_quadrature", or the last. `at`: values of other sweeps, by parameter name.

    Raises NotInResult where the wavelength is not swept, or a metric or variant is not there.
    """
    x = next((p for p in parameters(run).values() if p.key == "environment.wavelength_m"), None) if run.trials is not None else None
    if x is None or run.summary is None:
        raise NotInResult(f"{run.path} has no detuned devices (environment.wavelength_m is not swept). Sweep it.")
    names = [metric] if isinstance(metric, str) else list(
        metric or [name for name in SHOWN if name in metrics(run)] or headline_metrics(run)[:1])
    variants = [str(name) for name in run.require("trials")["variant"].values]
    chosen = variant or ("corrected_quadrature" if "corrected_quadrature" in variants else variants[-1])
    if chosen not in variants:
        raise NotInResult(f"{run.path} has no variant '{variant}' (it has {', '.join(variants)}). Choose one of these.")
    lines, _ = panel_axis(run, x, at)
    placed = {p.name: None for p in parameters(run).values() if p.axis == lines}
    columns, shown = panel_axis(run, x, {**(at or {}), **placed})
    rest = fixed(run, tuple(axis for axis in (x.axis, lines, columns) if axis), at)
    values = [statistic(run, name).at({**rest, "variant": variants.index(chosen)}) for name in names]

    places: list[Optional[int]] = list(range(len(run.require("trials")[lines]))) if lines else [None]
    width = style.COLUMN_IN * 1.4 if len(shown) == 1 else style.PAGE_IN
    figure, grid = style.panels(len(names), len(shown), width, 1.2 + 1.9 * len(names), sharex=True, sharey="row")
    for (row, value), (column, place) in product(enumerate(values), enumerate(shown)):
        axes, where = grid[row, column], {columns: place} if columns else {}
        factor, unit = style.scale_of([np.nanmax(value.mean.values)], value.units)
        for i, line in enumerate(places):
            point = {lines: line} if lines is not None and line is not None else {}
            draw_line(axes, x, value.at({**where, **point}), factor,
                      {**style.LINES[i % len(style.LINES)], "label": short_point(run, point).replace("\xa0", " ") or chosen})
        axes.set_ylabel(style.label(value.axis_name, unit, 26) if column == 0 else "")
        if row == len(names) - 1:
            axes.set_xlabel("detuning from the wavelength of calibration (nm)")
        if grid.size > 1:
            style.panel(axes, row * len(shown) + column, short_point(run, where) if columns and row == 0 else "")
    trial = str(run.require("trials").attrs.get("trial", "trial"))
    trials = say_trials(run).replace("trials", "meshes" if trial == "mesh" else f"{trial}s").replace("trial", trial)
    title = f"Devices away from the wavelength of their calibration: mean and 95 % interval, {trials} per point, {chosen}"
    if rest:
        title += f"; at {short_point(run, rest)}"
    return style.finish(figure, run, title, grid[0, 0].get_legend_handles_labels())


def draw_line(axes: Any, x: Parameter, value: Statistic, factor: float, look: dict[str, Any]) -> None:
    """Means with the band of their intervals, by rising wavelength in nm."""
    order = np.argsort(x.values)
    nanometres = np.asarray(x.values, float)[order] * 1e9
    middle, low, high = (side.values[order] * factor for side in (value.mean, value.low, value.high))
    axes.fill_between(nanometres, low, high, color=look["color"], alpha=0.2, linewidth=0)
    axes.plot(nanometres, middle, markerfacecolor="white", markevery=max(1, len(order) // 10), **look)
