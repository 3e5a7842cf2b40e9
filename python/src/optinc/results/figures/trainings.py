"""Training of networks, and training of models through every way of averaging gradients."""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Union

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..learning import FLOAT_PATHS, Difference, Path, differences, exact_place, final, path_axis, paths
from ..networks import label_of
from ..run import Run, open_run
from ..study import Parameter, by_key, say_trials
from .paint import GREY, RULE, Axis, Panel, dots, line, mark, note, paint

HALF_POINT = 0.5
MOST_LINES = 8
BASE_LINE: dict[str, Any] = dict(color="#999999", linewidth=0.7, zorder=1)


def training(run: Run) -> Figure:
    """Loss (digit^2), share of words right and least margin (digit) against epoch.

    Raises NotInResult where the file has no training.
    """
    data = run.require("training")
    epoch, loss, accuracy, margin = (data[name].values for name in ("epoch", "loss", "word_accuracy", "margin"))
    look: dict[str, Any] = dict(color="black", marker="." if len(epoch) < 20 else None)
    wrong = np.flatnonzero(accuracy < 1)
    first = int(wrong[-1]) + 1 if len(wrong) else 0
    right = [mark("plot", epoch, accuracy, **look)]
    if first < len(epoch):
        late = first > len(epoch) / 2
        right += [mark("axvline", epoch[first], color="#0060a8", linestyle="--", linewidth=0.9),
                  mark("annotate", f"all words right\nfrom epoch {epoch[first]} on", color="#0060a8", xy=(epoch[first], 0.08),
                       fontsize=7,
                       xytext=(-4 if late else 4, 0), textcoords="offset points", ha="right" if late else "left")]
    least = [mark("plot", epoch, margin, **look), mark("axhline", 0, **RULE),
             note(epoch[-1], 0.46, "0.5: exact levels", ha="right", va="top", fontsize=6.5, color="#555555")]
    x = Axis("epoch")
    return paint(run, f"Training the network ({epoch[-1]} epochs)", [
        Panel([mark("plot", epoch, loss, **look)], x, Axis("loss (digit²)", "log"), "mean loss of the epoch"),
        Panel(right, x, Axis("words right (share)", limits=(-0.03, 1.05)), "word accuracy"),
        Panel(least, x, Axis("margin (digit)", limits=(max(float(np.nanmin(margin)), -1.0) - 0.05, 0.5)),
              "worst word's distance from a wrong decision")], (style.COLUMN_IN, 4.4), 1, outer="xy", sharex=True)


MEASURES = {  # factor for reading, band that is asked for, its unit, names of the axes
    "accuracy": (100.0, 0.5, "points", "test accuracy (%)", "final accuracy minus that\nof exact averaging (points)"),
    "loss": (1.0, 0.04, "nats", "test loss (nats)", "final loss minus that\nof exact averaging (nats)"),
}
MODELS = {"mlp": "A network of one hidden layer", "cnn": "A residual network", "resnet50": "ResNet-50",
          "resnet50-narrow": "ResNet-50, a quarter as wide,", "decoder": "A language model",
          "decoder-small": "A small language model"}
"""What learner.model of a training in PyTorch, or learner.kind, is called in titles."""
DATA_SETS = {"fashion-mnist": "Fashion-MNIST", "cifar-10": "CIFAR-10", "cifar-100": "CIFAR-100", "text": "English text"}


def learning(run: Run, *, measure: Optional[str] = None, variant: Optional[str] = None) -> Figure:
    """(a) test accuracy (or loss) against steps, mean and range over the trials, of the ways that end in different
    places; (b) final difference to the exact average of the same trial: every trial a dot, the mean over them with its
    95 % interval by Student's t, and the band of half a point (0.04 nats) that is asked for.

    `measure`: "accuracy" or "loss"; accuracy for images, loss for a text where none is said.
    Raises NotInResult for a file without trainings or without the exact average among them.
    """
    ways, exact, config = paths(run), exact_place(run), run.config["learner"]
    measure = measure or ("loss" if config["kind"] == "decoder" else "accuracy")
    factor, within, unit, y_label, x_label = MEASURES[measure]
    curves = run.require("trials")[f"test_{measure}"]
    curves = curves.isel(variant=list(map(str, curves["variant"].values)).index(variant) if variant else 0)
    curves = curves.isel({d: 0 for d in curves.dims if d not in (path_axis(run), "trial", "step")})
    values = curves.transpose(path_axis(run), "trial", "step").values * factor
    first, last = np.nanmean(values[exact, :, 0]), values[:, :, -1]
    best = np.nanmax(last) if measure == "accuracy" else np.nanmin(last)
    reach = abs(best - first)
    limits = ((max(0.0, first - 2 * reach), min(100.0, best + 0.15 * reach)) if measure == "accuracy"
              else (best - 0.15 * reach, first + 1.2 * reach))
    looks = {way.place: look for way, look in zip(drawn_paths(ways, last, exact), style.looks())}
    shown: list[Any] = []
    for order, (place, look) in enumerate(looks.items()):
        mean = np.nanmean(values[place], axis=0)
        beyond = " (below the panel)" if np.all(mean < limits[0]) else " (above the panel)" if np.all(mean > limits[1]) else ""
        shown += line(curves["step"].values, mean, {**look, "markersize": 3.5, "zorder": 3 + order,
                                                    "label": ways[place].name + beyond})
        shown.append(mark("fill_between", curves["step"].values, np.nanmin(values[place], axis=0),
                          np.nanmax(values[place], axis=0),
                          color=look["color"], alpha=0.12, linewidth=0))
    ends: list[Any] = [mark("axvspan", -within, within, **GREY), mark("axvline", 0, **BASE_LINE)]
    for row, (way, off) in enumerate(zip(ways, differences(run, f"final_{measure}", variant=variant))):
        ends += final_difference(off, row, factor, 4 * within, looks.get(way.place, dict(color="#777777", marker="o")))
    what, data = MODELS[config.get("model", config["kind"])], DATA_SETS.get(config["data_set"], config["data_set"])
    servers = int(run.config["task"]["servers"]) ** int(config["levels"])
    return paint(run, f"{what} on {data}, {servers} servers, by kind of gradient averaging; {say_trials(run)} each", [
        Panel(shown, Axis("steps of training"), Axis(y_label + " per character" * (config["kind"] == "decoder" and measure == "loss"),
                                                      limits=limits), "while training (band: all trials)"),
        Panel(ends, Axis(x_label, limits=(-4.16 * within, 4.16 * within)),
              Axis(values=range(len(ways)), names=[way.name for way in ways], limits=(len(ways) - 0.4, -0.6)),
              f"at the end (grey: {within:g} {unit})")], (style.PAGE_IN, max(3.6, 1.5 + 0.24 * len(ways))))


def final_difference(off: Difference, row: int, factor: float, limit: float, look: dict[str, Any]) -> list[Any]:
    """A way's trials as dots and their mean with its interval; beyond the panel an arrow and the number."""
    values, mean = np.asarray(off.values) * factor, off.mean * factor
    inside = values[np.abs(values) <= limit]
    drawn = [dots(inside, np.full(len(inside), row), marker=".", markersize=3, color="#777777")]
    if abs(mean) > limit:
        side = np.sign(mean)
        return [*drawn, dots(side * limit, row, marker=9 if side > 0 else 8, color=look["color"], markersize=5, clip_on=False),
                note(side * limit * 0.94, row, f"{mean:+.3g}", ha="right" if side > 0 else "left", fontsize=6)]
    if np.isfinite(off.low):
        drawn.append(mark("plot", [max(off.low * factor, -limit), min(off.high * factor, limit)], [row, row], color=look["color"],
                          linewidth=1.2))
    return [*drawn, dots(mean, row, marker=look["marker"], color=look["color"], markerfacecolor="white", markersize=4.5)]


def drawn_paths(ways: list[Path], last: Any, exact: int) -> list[Path]:
    """The exact average, then ways that send codes, those that end farthest from it first left in the study's order."""
    others = [way for way in ways if way.place != exact and way.aggregator not in FLOAT_PATHS]
    mean = np.nanmean(last, axis=1)
    farthest = sorted(others, key=lambda way: -abs(mean[way.place] - mean[exact]))[:MOST_LINES - 1]
    return [ways[exact], *(way for way in others if way in farthest)]


LOSS = "final accuracy minus that\nof exact averaging (points)"
BAND = [mark("axhspan", -HALF_POINT, HALF_POINT, **GREY), mark("axhline", 0, **BASE_LINE)]


def chip_to_accuracy(run: Run) -> Figure:
    """Against the factor on all of a chip's errors, a line for every network: (a) share of the gradients' codes received
    wrong, mean over the trials; (b) final test accuracy less that of exact averaging from the same start, mean with its
    95 % interval by Student's t. A share of zero is drawn at the bottom of (a).

    Raises NotInResult for a file without sweeps of learner.chip_factor, beside the exact average, and of the network.
    """
    factor, network = required(run, "learner.chip_factor"), required(run, "network.source")
    if factor.axis != path_axis(run) or network.axis == factor.axis:
        raise NotInResult(f"{run.path} does not sweep networks against levels. Run experiments/data/studies/chip_to_accuracy.toml.")
    chips = [i for i in range(len(factor.values)) if i != exact_place(run)]
    x = np.asarray(factor.values, float)[chips]
    wrong, loss = [], [*BAND]
    for n, (source, look) in enumerate(zip(map(str, network.values), style.looks())):
        at = {network.axis: n}
        share = np.nanmean(final(run, "sent_error_rate", at)[chips], axis=1)
        wrong += line(x, np.maximum(share, 1e-8), {**look, "label": label_of(source), "clip_on": False})
        means, low, high = points_lost(run, at)
        loss += line(x, means[chips], look, low[chips], high[chips])
    levels = Axis(f"factor on all errors of preset {run.config['chip']['preset']}", "log", x, [f"{v:g}" for v in x],
                  options={"base": 2})
    return paint(run, f"A model trained through chips of growing errors; {say_trials(run)} per point", [
        Panel(wrong, levels, Axis("share of codes received wrong\n(none seen: at the bottom)", "log", limits=(1e-8, 1.5)),
              "words"),
        Panel(loss, levels, Axis("final accuracy minus that of exact averaging (points)", "symlog", options={"linthresh": 1}),
              "model (grey: half a point)")], (style.PAGE_IN, 3.4))


def gradient_errors(run: Run) -> Figure:
    """Final test accuracy less that of exact averaging from the same start, mean with its 95 % interval by Student's t:
    (a) against the share of received codes made wrong, both ways alike; (b) against a constant added to every code.

    Raises NotInResult for a file without sweeps of learner.error_rate and learner.offset_lsb beside the exact average.
    """
    rate, offset = required(run, "learner.error_rate"), required(run, "learner.offset_lsb")
    if not rate.axis == offset.axis == path_axis(run):
        raise NotInResult(f"{run.path} does not inject errors side by side. Run experiments/data/studies/gradient_errors.toml.")
    means, low, high = points_lost(run)
    rates, offsets = np.asarray(rate.values, float), np.asarray(offset.values, float)
    clean = [mark("axhline", means[i], color="#000000", linestyle="--", linewidth=0.8)
             for i in range(len(rates)) if i != exact_place(run) and rates[i] == 0 and offsets[i] == 0]
    panels = []
    for values, name, title in ((rates, "share of codes made wrong (90 % by one, both ways alike)", "errors without bias"),
                                (offsets, "constant added to every code (LSB of 8 bits)", "bias")):
        here = values > 0
        panels.append(Panel([line(values[here], means[here], dict(color="#0060a8", marker="o"), low[here], high[here]), *clean,
                             BAND[0]],
                            Axis(style.label(name, "1", 34), "log", values[here], [f"{v:g}" for v in values[here]]), Axis(LOSS),
                            title))
    return paint(run, "Errors in averaged gradients, and what they cost (dashed: codes without errors; grey: half a point); "
                 f"{say_trials(run)} per point", panels, (style.PAGE_IN, 3.1), outer="xy", sharey=True)


def points_lost(run: Run, at: Optional[dict[str, int]] = None) -> Any:
    """Points of final accuracy less those of the exact average of every path: mean, lower and upper end."""
    ends = np.array([(off.mean, off.low, off.high) for off in differences(run, at=at)]).T * 100
    return np.where(np.isnan(ends), ends[0], ends)  # a single trial has no interval


def learning_energy(run: Run, *, beside: Sequence[Union[str, os.PathLike[str]]] = ()) -> Figure:
    """What accuracy costs: final test accuracy less that of exact averaging from the same start, mean over the trials with
    its 95 % interval by Student's t, against the joules a server that averaging all gradients of one step takes
    (step_energy over task.servers), a marker for every way through chips. Below the panel an arrow and the number.

    `beside`: files of further studies, each with an exact average of its own: bits and servers cannot be swept.

    Raises NotInResult for a file without step_energy or ways through chips, or without the exact average.
    """
    found: list[tuple[str, float, Any]] = ways_at_energies(run)
    for path in beside:
        with open_run(path) as other:
            found += ways_at_energies(other)
    worst = max(-4 * HALF_POINT, min(-2 * HALF_POINT, *(1.1 * low for _, _, (_, low, _) in found)))
    drawn: list[Any] = [*BAND]
    for (name, joules, (mean, low, high)), look in zip(found, style.looks()):
        look = {**look, "linestyle": "none", "label": style.plain(name)}
        if mean >= worst:
            drawn += line(np.array([1e6 * joules]), np.array([mean]), look, np.array([max(low, worst)]), np.array([high]))
            continue
        drawn += [dots(1e6 * joules, worst, marker=7, color=look["color"], markersize=5, clip_on=False, label=look["label"]),
                  note(1e6 * joules, worst * 0.96, f"{mean:+.3g}", ha="center", va="bottom", fontsize=6)]
    x = 1e6 * np.array([joules for _, joules, _ in found])
    what = MODELS[run.config["learner"].get("model", run.config["learner"]["kind"])]
    return paint(run, f"{what}: accuracy against the energy of averaging; {say_trials(run)} each; grey: half a point",
                 [Panel(drawn, Axis("energy of averaging all gradients of one step (\N{MICRO SIGN}J a server)", "decades", x,
                                    limits=(x.min() / 1.6, x.max() * 1.6)),
                        Axis(LOSS, limits=(worst * 1.03, 2 * HALF_POINT)), None)], (style.PAGE_IN, 3.4))


def ways_at_energies(run: Run) -> list[tuple[str, float, Any]]:
    """Name, joules a server and step, and points of accuracy (mean, ends of its interval) of every way through chips."""
    if "step_energy" not in run.require("trials"):
        raise NotInResult(f"{run.path} does not say what a step's averages take. Run experiments/data/studies/learning_energy.toml.")
    servers, bits = (int(run.config["task"][key]) for key in ("servers", "bits"))
    joules = final(run, "step_energy")[:, 0] / servers  # the same in every trial: it is that of the devices
    points = np.array(points_lost(run)).T
    found = [(f"{way.name.removesuffix(', ideal')}; {servers} servers, {bits} bits", float(joules[way.place]), points[way.place])
             for way in paths(run) if np.isfinite(joules[way.place])]
    if not found:
        raise NotInResult(f"{run.path} holds no way through chips. Sweep learner.aggregator with \"chip\" among its values.")
    return found


def required(run: Run, key: str) -> Parameter:
    """The swept parameter of a key. Raises NotInResult where it is not swept."""
    found = by_key(run, key)
    if found is None:
        raise NotInResult(f"{run.path} does not sweep {key}. Run a study that does.")
    return found
