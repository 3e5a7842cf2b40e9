"""From chips' errors to wrong codes to a model's accuracy, and which errors of gradients hurt."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..learning import exact_place, final, mean_interval, path_axis
from ..networks import label_of
from ..run import Run
from ..study import Parameter, parameters, say_trials

HALF_POINT = 0.5


@style.styled
def chip_to_accuracy(run: Run) -> Figure:
    """Against the factor on all of a chip's errors, a line for every network: (a) share of the gradients' codes received
    wrong, mean over the trials; (b) final test accuracy less that of exact averaging from the same start, mean with its
    95 % interval by Student's t. A share of zero is drawn at the bottom of (a).

    Raises NotInResult for a file without sweeps of learner.chip_factor, beside the exact average, and of the network.
    """
    factor = by_key(run, "learner.chip_factor")
    network = by_key(run, "network.source")
    if factor.axis != path_axis(run) or network.axis == factor.axis:
        raise NotInResult(f"{run.path} does not sweep networks against levels. Run experiments/data/studies/chip_to_accuracy.toml.")
    exact = exact_place(run)
    chips = [i for i in range(len(factor.values)) if i != exact]
    x = np.asarray(factor.values, float)[chips]
    figure, grid = style.panels(1, 2, style.PAGE_IN, 3.4)
    wrong, loss = grid[0]
    handles = []
    for n, source in enumerate(map(str, network.values)):
        look: dict[str, Any] = dict(style.LINES[n % len(style.LINES)], markersize=4, markerfacecolor="white")
        at = {network.axis: n}
        share = np.nanmean(final(run, "sent_error_rate", at)[chips], axis=1)
        floor = 1e-8
        line, = wrong.plot(x, np.maximum(share, floor), label=label_of(source), clip_on=False, **look)
        handles.append(line)
        accuracy = 100 * final(run, "final_accuracy", at)
        means = np.array([mean_interval(row) for row in accuracy[chips] - accuracy[exact]])
        spread = np.nan_to_num(np.abs(means[:, 1:].T - means[:, 0]))
        loss.errorbar(x, means[:, 0], spread, capsize=2, **look)
    wrong.set_yscale("log")
    wrong.set_ylim(1e-8, 1.5)
    wrong.set_ylabel("share of codes received wrong\n(none seen: at the bottom)")
    loss.axhspan(-HALF_POINT, HALF_POINT, color="#dddddd", zorder=0)
    loss.axhline(0, color="#999999", linewidth=0.7, zorder=1)
    loss.set_yscale("symlog", linthresh=1)
    loss.set_ylabel("final accuracy minus that of exact averaging (points)")
    for axes, what in ((wrong, "words"), (loss, "model (grey: half a point)")):
        axes.set_xscale("log", base=2)
        axes.set_xticks(x, [f"{v:g}" for v in x])
        axes.set_xlabel(f"factor on all errors of preset {run.config['chip']['preset']}")
        style.panel(axes, 0 if axes is wrong else 1, what)
    return style.finish(figure, run, f"A model trained through chips of growing errors; {say_trials(run)} per point",
                        (handles, [handle.get_label() for handle in handles]))


@style.styled
def gradient_errors(run: Run) -> Figure:
    """Final test accuracy less that of exact averaging from the same start, mean with its 95 % interval by Student's t:
    (a) against the share of received codes made wrong, both ways alike; (b) against a constant added to every code.

    Raises NotInResult for a file without sweeps of learner.error_rate and learner.offset_lsb beside the exact average.
    """
    rate, offset = by_key(run, "learner.error_rate"), by_key(run, "learner.offset_lsb")
    if not rate.axis == offset.axis == path_axis(run):
        raise NotInResult(f"{run.path} does not inject errors side by side. Run experiments/data/studies/gradient_errors.toml.")
    exact = exact_place(run)
    accuracy = 100 * final(run, "final_accuracy")
    means = np.array([mean_interval(row) for row in accuracy - accuracy[exact]])
    rates, offsets = np.asarray(rate.values, float), np.asarray(offset.values, float)
    clean = [i for i in range(len(rates)) if i != exact and rates[i] == 0 and offsets[i] == 0]
    figure, grid = style.panels(1, 2, style.PAGE_IN, 3.1, sharey=True)
    look: dict[str, Any] = dict(color="#0060a8", marker="o", markersize=4, markerfacecolor="white", capsize=2)
    for index, (axes, values, name) in enumerate((
            (grid[0, 0], rates, "share of codes made wrong (90 % by one, both ways alike)"),
            (grid[0, 1], offsets, "constant added to every code (LSB of 8 bits)"))):
        here = [i for i in range(len(values)) if values[i] > 0]
        axes.errorbar(values[here], means[here, 0], np.nan_to_num(np.abs(means[here, 1:].T - means[here, 0])), **look)
        for i in clean:
            axes.axhline(means[i, 0], color="#000000", linestyle="--", linewidth=0.8)
        axes.axhspan(-HALF_POINT, HALF_POINT, color="#dddddd", zorder=0)
        axes.set_xscale("log")
        axes.set_xticks(values[here], [f"{v:g}" for v in values[here]])
        axes.minorticks_off()
        axes.set_xlabel(style.label(name, "1", 34))
        style.panel(axes, index, ("errors without bias", "bias")[index])
    grid[0, 0].set_ylabel("final accuracy minus that\nof exact averaging (points)")
    return style.finish(figure, run, f"Errors in averaged gradients, and what they cost (dashed: codes without errors; grey: half a point);"
                        f" {say_trials(run)} per point")


def by_key(run: Run, key: str) -> Parameter:
    """The swept parameter of a key. Raises NotInResult where it is not swept."""
    for p in parameters(run).values():
        if p.key == key:
            return p
    raise NotInResult(f"{run.path} does not sweep {key}. Run a study that does.")
