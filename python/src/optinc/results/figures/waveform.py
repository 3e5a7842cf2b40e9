"""The eye of every layer, and how far a symbol is from settled light from instant to instant."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import fixed, per_variant
from .comb import short_point

MOST_COLUMNS = 4


@style.styled
def waveform(run: Run, *, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Two symbols of every layer's received levels (share of full scale) as a density, dark where many samples are, with
    the instant of the least deviation; below, the rms deviation from settled words without noise at instants of a symbol, a
    line per layer. At one sweep point, the first unless `at` names another; with noise where the study has it.

    Raises NotInResult where the study is not of model waveform.
    """
    summary = run.require("summary")
    if missing := [name for name in ("layer_eye_sum", "symbol_deviation_mean") if name not in summary]:
        raise NotInResult(f"{run.path} has no {', '.join(missing)} in its summary. Run a study of model waveform.")
    point = fixed(run, (), at)
    name, eyes = per_variant(summary["layer_eye_sum"].isel(point))[-1]
    deviation = dict(per_variant(summary["symbol_deviation_mean"].isel(point)))[name].values
    instants, levels = summary["instant"].values, summary["level"].values
    layers = [layer for layer in range(len(deviation)) if np.isfinite(deviation[layer]).all()]
    columns = min(MOST_COLUMNS, len(layers))
    rows = -(-len(layers) // columns)
    figure = Figure(figsize=(style.PAGE_IN, 2.6 + 1.35 * rows))
    grid = figure.add_gridspec(rows + 1, columns, height_ratios=[1.0] * rows + [1.5])
    width = levels[1] - levels[0]
    names = [f"layer {layer + 1}" if index == 0 else "servers" if layer == layers[-1] else str(layer + 1)
             for index, layer in enumerate(layers)]
    for index, layer in enumerate(layers):
        axes = figure.add_subplot(grid[index // columns, index % columns])
        seen = np.nan_to_num(eyes.values[layer])
        best = instants[np.argmin(deviation[layer])]
        shown = np.tile(seen, (2, 1)).T
        axes.imshow(np.log10(1 + shown), origin="lower", aspect="auto", cmap="gray_r", interpolation="nearest",
                    extent=(instants[0], instants[0] + 2, levels[0] - width / 2, levels[-1] + width / 2))
        for symbol in (0, 1):
            axes.axvline(best + symbol + (instants[1] - instants[0]) / 2, color=style.ACCENT, linewidth=0.8)
        style.panel(axes, index, "servers" if layer == layers[-1] else f"layer {layer + 1}")
        axes.grid(False)
        axes.set_xticks([0, 1])
        if index % columns == 0:
            axes.set_ylabel("share of\nfull scale")
        if index + columns >= len(layers):
            axes.set_xlabel("time (symbols)")
    axes = figure.add_subplot(grid[rows, :])
    for index, layer in enumerate(layers):
        look = style.LINES[index % len(style.LINES)]
        axes.plot(instants, deviation[layer], **{**look, "markersize": 3}, label=names[index])
    axes.set_yscale("log")
    axes.set_xlabel("instant (symbols)")
    axes.set_ylabel("rms deviation\n(share of full scale)")
    where = short_point(run, point)
    return style.finish(figure, run, ", ".join(filter(None, ("Words in succession", style.variant(name).get("label") or name, where))),
                        axes.get_legend_handles_labels())
