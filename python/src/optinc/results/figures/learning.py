"""Training through every way of averaging: curves, and the final difference to the exact average."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..learning import FLOAT_PATHS, Path, differences, exact_place, path_axis, paths
from ..run import Run
from ..study import say_trials

MOST_LINES = 8
WITHIN = {"accuracy": 0.5, "loss": 0.04}
"""What the differences are held against: points of accuracy, nats of loss (the band of the right panel)."""
MODELS = {"mlp": "A network of one hidden layer", "cnn": "A residual network", "resnet50": "ResNet-50",
          "resnet50-narrow": "ResNet-50, a quarter as wide,", "decoder": "A language model",
          "decoder-small": "A small language model"}
"""What learner.model of a training in PyTorch, or learner.kind, is called in titles."""


@style.styled
def learning(run: Run, *, measure: Optional[str] = None, variant: Optional[str] = None) -> Figure:
    """(a) test accuracy (or loss) against steps, mean and range over the trials, of the ways that end in different
    places; (b) final difference to the exact average of the same trial: every trial a dot, the mean over them with its
    95 % interval by Student's t, and the band of half a point (0.04 nats) that is asked for.

    `measure`: "accuracy" or "loss"; accuracy for images, loss for a text where none is said.
    Raises NotInResult for a file without trainings or without the exact average among them.
    """
    ways = paths(run)
    config = run.config["learner"]
    measure = measure or ("loss" if config["kind"] == "decoder" else "accuracy")
    percent = 100.0 if measure == "accuracy" else 1.0
    trials = run.require("trials")
    names = [str(v) for v in trials["variant"].values]
    chosen = names.index(variant) if variant else 0
    all_curves = trials[f"test_{measure}"].isel(variant=chosen)
    all_curves = all_curves.isel({d: 0 for d in all_curves.dims if d not in (path_axis(run), "trial", "step")})
    curve = all_curves.transpose(path_axis(run), "trial", "step").values * percent
    steps = trials["step"].values

    high = max(3.6, 1.5 + 0.24 * len(ways))
    figure, grid = style.panels(1, 2, style.PAGE_IN, high, gridspec_kw={"width_ratios": (1, 1)})
    curves, ends = grid[0]
    looks: dict[int, dict[str, Any]] = {}
    shown = drawn_paths(ways, curve[:, :, -1], exact_place(run))
    for i, way in enumerate(shown):
        look = style.LINES[i % len(style.LINES)]
        looks[way.place] = look
        values = curve[way.place]
        curves.plot(steps, np.nanmean(values, axis=0), markersize=3.5, markerfacecolor="white", label=way.name, zorder=3 + i,
                    **look)
        curves.fill_between(steps, np.nanmin(values, axis=0), np.nanmax(values, axis=0), color=look["color"], alpha=0.12,
                            linewidth=0)
    curves.set_xlabel("steps of training")
    curves.set_ylabel("test accuracy (%)" if measure == "accuracy" else "test loss (nats per character)"
                      if config["kind"] == "decoder" else "test loss (nats)")
    final = curve[:, :, -1]
    best = np.nanmax(final) if measure == "accuracy" else np.nanmin(final)
    first = np.nanmean(curve[exact_place(run), :, 0])
    span = abs(best - first)
    if measure == "accuracy":
        curves.set_ylim(max(0.0, first - 2 * span), min(100.0, best + 0.15 * span))
    else:
        curves.set_ylim(best - 0.15 * span, first + 1.2 * span)
    bottom, top = curves.get_ylim()
    for line in curves.get_lines():  # the legend says what the panel does not reach to
        values = np.asarray(line.get_ydata(), dtype=float)
        for beyond, where in ((values < bottom, "below"), (values > top, "above")):
            if np.all(beyond):
                line.set_label(f"{line.get_label()} ({where} the panel)")
    style.panel(curves, 0, "while training (band: all trials)")

    offs = differences(run, f"final_{measure}", variant=variant)
    within = WITHIN[measure]
    ends.axvspan(-within, within, color="#dddddd", zorder=0)
    ends.axvline(0, color="#999999", linewidth=0.7, zorder=1)
    limit = 4 * within
    for row, (way, off) in enumerate(zip(ways, offs)):
        y = len(ways) - 1 - row
        look = looks.get(way.place, dict(color="#777777", marker="o"))
        values = np.asarray(off.values) * percent
        inside = np.abs(values) <= limit
        ends.plot(values[inside], np.full(int(inside.sum()), y), linestyle="none", marker=".", markersize=3, color="#777777")
        mean = off.mean * percent
        if abs(mean) > limit:  # beyond the panel: an arrow and its number
            side = np.sign(mean)
            ends.plot(side * limit, y, marker=9 if side > 0 else 8, color=look["color"], markersize=5, clip_on=False)
            ends.text(side * limit * 0.94, y, f"{mean:+.3g}", ha="right" if side > 0 else "left", va="center", fontsize=6)
            continue
        if np.isfinite(off.low):
            ends.plot([max(off.low * percent, -limit), min(off.high * percent, limit)], [y, y], color=look["color"],
                      linewidth=1.2)
        ends.plot(mean, y, marker=look["marker"], color=look["color"], markerfacecolor="white", markersize=4.5)
    ends.set_xlim(-limit * 1.04, limit * 1.04)
    ends.set_yticks(range(len(ways)), [way.name for way in reversed(ways)])
    ends.set_xlabel("final accuracy minus that\nof exact averaging (points)" if measure == "accuracy"
                    else "final loss minus that\nof exact averaging (nats)")
    style.panel(ends, 1, f"at the end (grey: {within:g} {'points' if measure == 'accuracy' else 'nats'})")
    what = MODELS[config.get("model", config["kind"])]
    named = {"fashion-mnist": "Fashion-MNIST", "cifar-10": "CIFAR-10", "cifar-100": "CIFAR-100", "text": "English text"}
    data = named.get(config["data_set"], config["data_set"])
    servers = int(run.config["task"]["servers"]) ** int(config["levels"])
    title = f"{what} on {data}, {servers} servers, by kind of gradient averaging; {say_trials(run)} each"
    handles, labels = curves.get_legend_handles_labels()
    return style.finish(figure, run, title, (handles, labels))


def drawn_paths(ways: list[Path], final: Any, exact: int) -> list[Path]:
    """The exact average, then ways that send codes, those that end farthest from it first left in the study's order."""
    others = [way for way in ways if way.place != exact and way.aggregator not in FLOAT_PATHS]
    if len(others) > MOST_LINES - 1:
        mean = np.nanmean(final, axis=1)
        ranked = sorted(others, key=lambda way: -abs(mean[way.place] - mean[exact]))[:MOST_LINES - 1]
        others = [way for way in others if way in ranked]
    return [ways[exact], *others]
