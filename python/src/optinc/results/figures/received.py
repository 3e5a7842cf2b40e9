"""What servers receive: levels, codes, words in succession, gradients, and the sources of what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Mapping, Optional

import numpy as np
import xarray
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..networks import label_of, networks
from ..run import Run
from ..study import fixed, indices_of, parameters, per_variant, say_point, show_value, words_of
from .paint import RULE, Axis, Mark, Panel, corner, dots, line, mark, note, paint, stripes
from .words import short_point

MOST_PANELS = 4


def error_histogram(run: Run, *, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Words of all trials by code error (LSB), a panel per variant, at one sweep point: a line as high as the words, whose
    width means nothing.

    `at`: values of the sweeps, by parameter name. By default the last point where corrected chips err, an ablation
    at `all`; the title says which.

    Raises NotInResult where the study did not count code errors.
    """
    summary = run.require("summary")
    if "code_error_count_sum" not in summary:
        raise NotInResult(f"{run.path} has no code_error_count_sum in its summary. "
                          "Let measure.metrics name code_error_count and run the study again.")
    counts = summary["code_error_count_sum"]
    point = telling_point(run, counts, at)
    errors = counts["code_error"].values
    variants = [(name, np.nan_to_num(of.values)) for name, of in per_variant(counts.isel(point))]
    largest = int(np.abs(errors).max())
    powers = [base ** k for base in [4 if largest <= 300 else 16] for k in range(9) if base ** k <= largest]
    ticks = [*(-p for p in reversed(powers)), 0, *powers]
    units, long_name = words_of(counts["code_error"].attrs, "code error")
    x = Axis(style.label(long_name, units), "symlog", ticks, [f"{tick:+.0f}" if tick else "0" for tick in ticks],
             (-largest * 1.1, largest * 1.1), dict(linthresh=4, linscale=1.2, base=4))
    y = Axis("words", "log", limits=(0.7, max(float(np.max([count for _, count in variants], initial=0)), 1.0) * 3))
    panels = []
    for name, count in variants:
        look, some = style.variant(name), count > 0
        wrong, near = count[errors != 0].sum(), count[np.abs(errors) == 1].sum()
        said = f"wrong: {wrong / count.sum():.2%}" if count.sum() else "not run"
        said += f"\nof these ±1: {near / wrong:.0%}" if wrong else ""
        panels.append(Panel([mark("vlines", errors[some], 0.5, count[some], color=look["color"], linewidth=0.9),
                             dots(errors[some], count[some], marker="o", markersize=2.2, color=look["color"]), corner(said)],
                            x, y,
                            str(look["label"]) if name else None))
    where = say_point(run, point)
    return paint(run, "Code errors" + (f" at {where}" if where else ""), panels, (style.COLUMN_IN, 0.8 + 1.25 * len(variants)), 1,
                 outer="xy", sharex=True, sharey=True)


def telling_point(run: Run, counts: Any, at: Optional[Mapping[str, Any]]) -> dict[str, int]:
    """The last sweep point, in the order of the file, where corrected chips err; the last of all if none does. What
    `at` names stands fixed, and so does an ablation."""
    held = set(indices_of(run, at or {})) | {"ablation"}
    point = fixed(run, tuple(axis for axis in run.sweeps if axis not in held), at)
    free = [axis for axis in run.sweeps if axis not in point]
    if not free:
        return point
    variants = dict(per_variant(counts))
    of = variants.get("corrected_quadrature", next(iter(variants.values()))).isel(point)
    wrong = of.where(of["code_error"] != 0, 0).sum("code_error").transpose(*free).values
    imperfect = np.argwhere(wrong > 0)
    best = imperfect[-1] if len(imperfect) else np.array(wrong.shape) - 1
    found = {**point, **{axis: int(i) for axis, i in zip(free, best)}}
    return {axis: found[axis] for axis in run.sweeps}


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
    ends = [(min(low, -0.6) - 0.1, max(high, 3.6) + 0.1) for low, high in (np.quantile(each, [0.001, 0.999]) for each in outputs)]
    panels = []
    for digit in range(digits):
        place = "most significant\n" if digit == 0 else "least significant\n" if digit == digits - 1 else ""
        for column, name in enumerate(names):
            edges = np.linspace(*ends[column], 241)
            counts = [[np.histogram(outputs[column, target[:, each] == value, each], edges)[0]
                       for value in range(len(style.DIGITS))]
                      for each in range(digits)]
            drawn: list[Any] = []
            for value, (count, look) in enumerate(zip(counts[digit], style.DIGITS)):
                drawn.append(mark("plot", [], [], linewidth=0.9, label=f"target {value}" if value == 0 else str(value), **look))
                if count.any():
                    drawn += [mark("stairs", count, edges, fill=True, alpha=0.35, color=look["color"], linewidth=0),
                              mark("stairs", count, edges, linewidth=0.9, **look)]
            drawn += [mark("axvline", threshold, label="threshold", **RULE) for threshold in thresholds]
            right = np.mean(np.digitize(outputs[column, :, digit], thresholds) == target[:, digit])
            right = np.floor(1e4 * right) / 1e4  # so that only what is exactly one reads 100 %
            panels.append(Panel([*drawn, corner(f"right {right:.2%}")], Axis("received level (digit)", limits=ends[column]),
                                Axis(f"digit {digit}\n{place}words", "log", limits=(0.7, 4 * max(1, np.max(counts)))),
                                str(style.variant(name)["label"]) if digit == 0 else None))
    title = f"Received levels of {target.shape[0]:,} words"
    if "sigma_eta_rad" in data.attrs:
        title += f", splitter error {show_value(float(data.attrs['sigma_eta_rad']), 'rad')}"
    return paint(run, title, panels, (style.PAGE_IN if len(names) > 1 else style.COLUMN_IN, 1.1 + 1.15 * digits), len(names),
                 outer="xy", sharex="col", sharey="col")


def waveform(run: Run, *, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Two symbols of received levels (share of full scale) as a density, for the neurons' layer that deviates most at its best
    instant and for the servers, with that instant; the rms deviation from settled words without noise at instants of a
    symbol, of these two, in grey of the others; and its least of every layer. At one sweep point, the first unless `at`
    names another; with noise where the study has it.

    Raises NotInResult where the study is not of model waveform.
    """
    summary = run.require("summary")
    if missing := [name for name in ("layer_eye_sum", "symbol_deviation_mean") if name not in summary]:
        raise NotInResult(f"{run.path} has no {', '.join(missing)} in its summary. Run a study of model waveform.")
    point = fixed(run, (), at)
    name, eyes = per_variant(summary["layer_eye_sum"].isel(point))[-1]
    deviation = dict(per_variant(summary["symbol_deviation_mean"].isel(point)))[name].values
    instants, levels = summary["instant"].values, summary["level"].values
    layers = [int(layer) for layer in np.flatnonzero(np.isfinite(deviation).all(axis=1))]
    names = {layer: "servers" if layer == layers[-1] else f"layer {layer + 1}" for layer in layers}
    least = deviation[layers].min(axis=1)
    shown = [int(layers[np.argmax(least[:-1])]), int(layers[-1])] if len(layers) > 1 else [int(layers[0])]
    half = (levels[1] - levels[0]) / 2
    extent = (instants[0], instants[0] + 2, levels[0] - half, levels[-1] + half)
    most = max(float(np.nanmax(eyes.values[layer])) for layer in shown)
    panels: list[Panel] = []
    for place, layer in enumerate(shown):
        seen = np.tile(np.nan_to_num(eyes.values[layer]), (2, 1)).T
        best = instants[np.argmin(deviation[layer])]
        drawn = [mark("imshow", np.ma.masked_less(seen, 1), origin="lower", aspect="auto", cmap="Greys", interpolation="nearest",
                      extent=extent, norm=LogNorm(vmin=max(most / 1e4, 0.5), vmax=most)),
                 *(mark("axvline", best + (instants[1] - instants[0]) / 2 + symbol, **RULE) for symbol in (0, 1)), mark("grid", False)]
        panels.append(Panel(drawn, Axis("time (symbols)", values=[0, 1], names=["0", "1"]),
                            Axis("" if place else "share of full scale"), names[layer],
                            bar=dict(label="samples", shrink=0.9) if place == len(shown) - 1 else None, of=len(shown)))
    looks = dict(zip(shown, style.looks()))
    curves = [mark("plot", instants, deviation[layer], color="#c8c8c8", linewidth=0.8, label="other layers" if i == 0 else None)
              for i, layer in enumerate(layer for layer in layers if layer not in looks)]
    curves += [mark("plot", instants, deviation[layer], **{**look, "markersize": 3}, label=names[layer]) for layer, look in looks.items()]
    panels.append(Panel(curves, Axis("instant (symbols)"), Axis("", "decades", deviation), "rms deviation (share of full scale)",
                        dict(loc="upper center", fontsize=6)))
    ends = (least.min() / 2, 2 * least.max())
    panels.append(Panel([*stripes(len(layers)), dots(least, np.arange(len(layers)), marker="o", color="black")],
                        Axis("", "decades", ends, limits=ends), Axis(scale="rows", names=[names[layer] for layer in layers]),
                        "its least in a symbol (share of full scale)"))
    title = ", ".join(filter(None, ("Words in succession", style.variant(name).get("label") or name, short_point(run, point))))
    places = [[*range(len(shown))], [len(shown)] * len(shown), [len(shown) + 1] * len(shown)]
    return paint(run, title, panels, (style.COLUMN_IN, 6.2), mosaic=places, gridspec_kw={"height_ratios": [1.2, 1.1, 0.25 + 0.1 * len(layers)]})


WAYS = {"quantised": "codes alone", "network": "network", "chip_uncorrected": "chip, uncorrected",
        "chip_corrected": "chip, corrected", "chip_noisy": "chip, with noise"}
SCATTERED = ("quantised", "chip_corrected", "chip_noisy")


@dataclass(frozen=True, eq=False)
class Way:
    """One way that the gradient was averaged: its name, relative error, the exact average and what was received."""

    name: str
    error: float
    exact: Any
    received: Any
    scattered: bool


def gradient(run: Run) -> Figure:
    """Relative error of the gradient by each path, and what was received against the exact average for ideal codes,
    a corrected chip and a noisy one; of a study of several networks through a noisy chip of each, of which the worst and the
    best are shown. Axes of gradients are asinh: linear below the median size, logarithmic above.

    Raises NotInResult where the study sent no gradient.
    """
    several = run.group("networks/0/gradient") is not None
    data = run.require("networks/0/gradient" if several else "gradient")
    names = {path: WAYS.get(path, path) for path in map(str, data["path"].values)}
    found = ways_of_networks(run) if several else ways(data, names)
    scattered = [way for way in found if way.scattered]
    if not scattered:
        raise NotInResult(f"{run.path} has a gradient, but neither by ideal codes nor through a chip "
                          f"(paths: {', '.join(way.name for way in found)}). Run the study again with these paths.")
    error = np.array([way.error for way in found])
    bars = [mark("barh", range(len(error)), error, color="#b8b8b8", edgecolor="black", linewidth=0.6, height=0.62),
            *(note(value * 1.1, row, f"{value:.4g}") for row, value in enumerate(error))]
    positive = error[error > 0]
    panels: list[Optional[Panel]] = [Panel(bars, Axis("relative error ‖received − average‖ / ‖average‖", "log",
                                                      limits=(positive.min() / 10, positive.max() * 8)
                                                      if len(positive) else None),
                                           Axis(scale="rows", names=[way.name for way in found]), "error of the whole gradient")]
    average = np.abs(data["average"].values)  # the median size, unless most elements are all but zero
    scale = max(float(np.median(average)), float(average.max()) * 1e-3, float(np.finfo(np.float32).tiny))
    panels += [received_panel(way, scale) for way in scattered] + [None] * (3 - len(scattered))
    title = f"One training step's gradient: {data.attrs.get('servers', '?')} servers, {len(average):,} elements"
    if "sigma_eta_rad" in data.attrs:
        title += f", splitter error {show_value(float(data.attrs['sigma_eta_rad']), 'rad')}"
    return paint(run, title + (", chips with all noise" if several else ""), panels, (style.PAGE_IN, 5.4), 2)


def ways(data: xarray.Dataset, names: Mapping[str, str]) -> list[Way]:
    """The ways of these paths by the names they bear; not the exact one, whose error is 0 by definition."""
    return [Way(names[path], float(data["relative_error"].values[i]), data["average"].values,
                data["received"].isel(path=i).values, path in SCATTERED)
            for i, path in enumerate(map(str, data["path"].values)) if path in names and path != "exact"]


def ways_of_networks(run: Run) -> list[Way]:
    """Ideal codes, and a noisy chip of every network: the codes, the worst and the best are scattered."""
    chips = [way for i, network in enumerate(networks(run))
             for way in ways(run.require(f"networks/{i}/gradient"), {"chip_noisy": label_of(network.name)})]
    ends = [pick(chips, key=lambda way: way.error, default=None) for pick in (max, min)]
    return [*ways(run.require("networks/0/gradient"), {"quantised": WAYS["quantised"]}),
            *(replace(way, scattered=way in ends) for way in chips)]


def received_panel(way: Way, scale: float) -> Panel:
    """Density of elements over (exact, received), and the line where they are equal."""
    x, y = (np.arcsinh(np.asarray(side, float) / scale) for side in (way.exact, way.received))
    across, up = (float(np.abs(v).max()) * 1.05 or 1.0 for v in (x, y))
    density, x_edges, y_edges = np.histogram2d(x, y, bins=141, range=[(-across, across), (-up, up)])
    most, both = max(float(density.max()), 2.0), min(across, up)
    return Panel([mark("pcolormesh", x_edges, y_edges, np.ma.masked_array(density.T, density.T == 0), cmap="Greys",
                       rasterized=True, norm=LogNorm(vmin=0.3, vmax=most)),
                  mark("plot", [-both, both], [-both, both], **{**RULE, "linewidth": 0.6})],
                 asinh_axis("exact average", across, scale), asinh_axis("received", up, scale), way.name,
                 bar=dict(shrink=0.85, limits=(1, most), label="elements"))


def asinh_axis(label: str, limit: float, scale: float) -> Axis:
    """Decades of either sign at asinh(value / scale), up to `limit` on that axis, and 0."""
    ticks = {0.0: "0"}
    for k in range(-40, 40):
        place = float(np.arcsinh(10.0 ** k / scale))
        if 0.2 * limit < place < limit:
            ticks[place], ticks[-place] = f"$10^{{{k}}}$", f"$-10^{{{k}}}$"
    return Axis(label, values=sorted(ticks), names=[ticks[t] for t in sorted(ticks)])


ALONE: dict[str, Any] = dict(facecolor="#555555", label="this source alone")
REMOVED: dict[str, Any] = dict(facecolor="white", hatch="////", label="removed with this source")


def ablation(run: Run, *, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Shares of every source in the variance of the error, a panel per variant, or, where there is but one, per value of
    another sweep: with the source alone, and by what leaves with it. Sources stand in the order of their largest share.
    The two differ, and do not add up to 1, where sources act together.

    `at`: values of the other sweeps, by parameter name, else their first point; the title says which.
    Raises NotInResult where the study did no ablation.
    """
    data = run.require("ablation")
    own = [axis for axis in run.sweeps if axis != "ablation" and axis in data["share_alone"].dims]
    asked = {parameters(run)[name].axis for name in at or {}}
    spread = next((axis for axis in own if axis not in asked and 1 < data.sizes[axis] <= MOST_PANELS), None)
    if data.sizes.get("variant", 1) > 1:
        spread = None
    point = {axis: i for axis, i in fixed(run, ("ablation", *([spread] if spread else [])), at).items() if axis in own}
    alone, without = (panels_of(run, data[name].isel(point), spread) for name in ("share_alone", "share_without"))
    shares = np.nan_to_num([side.values for _, side in alone + without])
    order = np.argsort(np.max(shares, axis=0), kind="stable")
    rows = np.arange(len(order))
    limits = min(0.0, float(shares.min()) * 1.1), max(1.0, float(shares.max())) * 1.18
    panels = []
    for (name, first), (_, second) in zip(alone, without):
        drawn: list[Any] = [mark("axvline", 0, color="black", linewidth=0.6), mark("grid", axis="y", visible=False)]
        for values, shift, look in ((first.values[order], 0.19, ALONE), (second.values[order], -0.19, REMOVED)):
            drawn.append(mark("barh", rows + shift, values, height=0.36, edgecolor="black", linewidth=0.6, **look))
            drawn += [note(max(np.nan_to_num(value), 0.0) + 0.02, row + shift, percent(value), fontsize=6)
                      for row, value in zip(rows, values) if value != 0]  # exactly 0: the source does not act in this variant
        names = [style.plain(str(source)) for source in data["source"].values[order]]
        panels.append(Panel(drawn, Axis("share of the variance", limits=limits), Axis(values=rows, names=names), name or None))
    metric = str(data.attrs.get("metric", "error")).replace("_", " ")
    where = say_point(run, point)
    return paint(run, f"Sources of the variance of the {metric}" + (f" at {where}" if where else ""), panels,
                 (style.COLUMN_IN if len(panels) == 1 else style.PAGE_IN, 1.3 + 0.34 * len(rows)), sharey=True, sharex=True)


def panels_of(run: Run, shares: xarray.DataArray, spread: Optional[str]) -> list[tuple[str, xarray.DataArray]]:
    """Title and shares of every panel: one a value of the sweep `spread`, else one a variant."""
    if spread is None:
        return [(str(style.variant(name)["label"]) if name else "", values) for name, values in per_variant(shares)]
    return [(say_point(run, {spread: place}), per_variant(shares.isel({spread: place}))[0][1])
            for place in range(shares.sizes[spread])]


def percent(value: float) -> str:
    """A share to a tenth of a percent, without a sign of nothing; a dash where it is unknown."""
    return f"{100 * value:.1f} %".replace("-0.0 %", "0.0 %") if np.isfinite(value) else "–"


RECEIVED = ("word_accuracy", "digit_error_rate", "readout_error_rate", "pam4_error_rate", "received_power")
SWEEPS = ("signal_full_scale_w", "rin_db_per_hz", "noises", "last_only")
SOURCES = {"shot": "shot noise", "tia": "amplifier noise", "rin": "intensity noise"}
SOURCE_LOOKS: dict[str, dict[str, Any]] = {  # lightness, line and marker differ
    "shot noise": dict(color="#e69f00", linestyle="--", marker="s"),
    "amplifier noise": dict(color="#0060a8", linestyle="-", marker="o"),
    "intensity noise": dict(color="#cc79a7", linestyle="-.", marker="D"),
    "together": dict(color="#000000", linestyle=":", marker="^"),
}
ENDS = ("_mean", "_mean_low", "_mean_high")
LAST: dict[str, Any] = dict(color="#0060a8", marker="o", linestyle="none")
EVERYWHERE: dict[str, Any] = dict(color="#e69f00", marker="s", linestyle="-.")


def receiver_noise(run: Run, *, rin_db_per_hz: float = -150.0) -> Figure:
    """Shares of digits and words decoded wrongly, logarithmic, with their 95 % intervals.

    (a) against the power on a server's receiver, all sources together: noise in the servers' receivers alone, beside
    PAM4's formula and the prediction from the levels the network has; and noise at every neuron as well. (b) the
    sources, at every neuron. (c) against intensity noise, at the powers of (a) that tell most. (a) and (b) stand at
    `rin_db_per_hz`, or the nearest that was swept. A share of which nothing was seen is drawn as its upper limit.

    Raises NotInResult for a file without those metrics and sweeps.
    """
    trials = run.require("trials")
    if missing := [name for name in (*RECEIVED, *SWEEPS, *SOURCES) if name not in trials]:
        raise NotInResult(f"{run.path} does not hold {', '.join(missing)}. Run experiments/data/studies/receiver_noise.toml.")
    data = run.require("summary")[[metric + end for metric in RECEIVED for end in ENDS]].isel(variant=-1).load()
    on = [[name for key, name in SOURCES.items() if trials[key].values[i]] for i in range(data.sizes["noises"])]
    sources = [names[0] if len(names) == 1 else "together" for names in on]
    last = data["last_only"].values.astype(bool).tolist()
    if sorted(last) != [False, True]:
        raise NotInResult(f"{run.path} does not hold noise both in the last receivers alone and everywhere. Sweep "
                          "noise.last_only over true and false.")
    alone, everywhere = data.isel(last_only=last.index(True)), data.isel(last_only=last.index(False))
    words = int(run.config["measure"]["words"]) * trials.sizes["trial"]
    digits = words * int(run.config["task"]["bits"]) // 2
    rin = int(np.argmin(np.abs(data["rin_db_per_hz"].values - rin_db_per_hz)))
    together = sources.index("together") if "together" in sources else len(sources) - 1
    at = dict(rin_db_per_hz=rin, noises=together)
    quiet, loud = alone.isel(at), everywhere.isel(at)
    dbm = 10 * np.log10(quiet["received_power_mean"].values / 1e-3)
    power = [*predicted(dbm, quiet, "PAM4 formula", "own levels, predicted"),
             measured(dbm, quiet, "digit_error_rate", digits, {**LAST, "label": "digits, last receivers noisy"}),
             measured(dbm, loud, "digit_error_rate", digits, {**EVERYWHERE, "label": "digits, every neuron noisy"}),
             measured(dbm, loud, "word_accuracy", words, {**SOURCE_LOOKS["together"], "label": "words, every neuron noisy"})]
    by_source = [measured(dbm, everywhere.isel(rin_db_per_hz=rin, noises=i), "digit_error_rate", digits,
                          {**SOURCE_LOOKS[name], "label": name})
                 for i, name in enumerate(sources)]
    rins = alone["rin_db_per_hz"].values
    only = sources.index("intensity noise") if "intensity noise" in sources else together
    where = int(np.argmin(np.abs(np.log10(np.maximum(quiet["digit_error_rate_mean"].values, 1e-12)) + 2)))
    strong = data.sizes["signal_full_scale_w"] - 1
    at_some = alone.isel(signal_full_scale_w=where, noises=together)
    by_rin = [*predicted(rins, at_some)] + [
        measured(rins, point, "digit_error_rate", digits, {**look, "label": label}) for point, look, label in (
            (at_some, LAST, f"last receivers, all noise, {dbm[where]:.0f} dBm"),
            (everywhere.isel(signal_full_scale_w=strong, noises=together), EVERYWHERE,
             f"every neuron, all noise, {dbm[strong]:.0f} dBm"),
            (everywhere.isel(signal_full_scale_w=strong, noises=only), dict(color="#cc79a7", marker="D", linestyle=":"),
             f"every neuron, intensity noise only, {dbm[strong]:.0f} dBm"))]
    y = Axis("share decoded wrongly", "log", 10.0 ** np.arange(-5, 1), [f"$10^{{{k}}}$" for k in range(-5, 1)],
             (min(0.4 / digits, 1e-5), 100))
    legend = dict(loc="upper right", fontsize=5.5)
    return paint(run, f"Receiver noise: digits and words decoded wrongly, 95 % intervals; (a), (b) at {rins[rin]:.0f} dB/Hz", [
        Panel(power, Axis("received power at digit 3 (dBm)"), y, "all noise", legend),
        Panel(by_source, Axis("received power at digit 3 (dBm)"), y, "every neuron noisy, by source", legend),
        Panel(by_rin, Axis("intensity noise (dB/Hz)"), y, "intensity noise", legend)], (style.PAGE_IN, 3.3), outer="y",
        sharey=True)


def predicted(x: Any, point: xarray.Dataset, formula: str = "", levels: str = "") -> list[Mark]:
    """PAM4's formula, and the prediction from the network's own levels."""
    return [mark("plot", x, point["pam4_error_rate_mean"].values, color="black", linewidth=1.1, label=formula or None),
            mark("plot", x, point["readout_error_rate_mean"].values, color="#777777", linestyle="--", label=levels or None)]


def measured(x: Any, point: xarray.Dataset, metric: str, draws: int, look: Mapping[str, Any]) -> list[Mark]:
    """What is wrong, with the interval of the file; of nothing seen in so many draws, the upper Clopper-Pearson limit."""
    p, low, high = (point[metric + end].values for end in ENDS)
    if metric == "word_accuracy":
        p, low, high = 1 - p, 1 - high, 1 - low
    seen = p > 0
    none = mark("plot", x[~seen], 0 * x[~seen] + 1 - 0.025 ** (1 / draws), color=look["color"], marker="$\\downarrow$",
                linestyle="none", markersize=5)
    return [*line(x[seen], p[seen], look, low[seen], high[seen]), none]
