"""Wrong digits and words against received power and intensity noise."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
import xarray
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from .. import style
from ..errors import NotInResult
from ..run import Run

METRICS = ("word_accuracy", "digit_error_rate", "readout_error_rate", "pam4_error_rate", "received_power")
AXES = ("signal_full_scale_w", "rin_db_per_hz", "noises", "last_only")
LOOKS: dict[str, dict[str, Any]] = {  # of sources: lightness, line and marker differ
    "shot noise": dict(color="#e69f00", linestyle="--", marker="s"),
    "amplifier noise": dict(color="#0060a8", linestyle="-", marker="o"),
    "intensity noise": dict(color="#cc79a7", linestyle="-.", marker="D"),
    "together": dict(color="#000000", linestyle=":", marker="^"),
}
NAMES = {"shot": "shot noise", "tia": "amplifier noise", "rin": "intensity noise"}
ENDS = ("_mean", "_mean_low", "_mean_high")


@style.styled
def receiver_noise(run: Run, *, rin_db_per_hz: float = -150.0) -> Figure:
    """Shares of digits and words decoded wrongly, logarithmic, with their 95 % intervals.

    (a) against the power on a server's receiver, all sources together: noise in the servers' receivers alone, beside
    PAM4's formula and the prediction from the levels the network has; and noise at every neuron as well. (b) the
    sources, at every neuron. (c) against intensity noise, at the powers of (a) that tell most. (a) and (b) stand at
    `rin_db_per_hz`, or the nearest that was swept. A share of which nothing was seen is drawn as its upper limit.

    Raises NotInResult for a file without those metrics and sweeps.
    """
    trials = run.require("trials")
    if missing := [name for name in (*METRICS, *AXES, *NAMES) if name not in trials]:
        raise NotInResult(f"{run.path} does not hold {', '.join(missing)}. Run experiments/data/studies/receiver_noise.toml.")
    data = run.require("summary")[[metric + end for metric in METRICS for end in ENDS]].isel(variant=-1).load()
    sources = [source_name({key: bool(trials[key].values[i]) for key in NAMES}) for i in range(data.sizes["noises"])]
    words = int(run.config["measure"]["words"]) * trials.sizes["trial"]
    digits = words * int(run.config["task"]["bits"]) // 2
    rin = int(np.argmin(np.abs(data["rin_db_per_hz"].values - rin_db_per_hz)))
    together = sources.index("together") if "together" in sources else len(sources) - 1
    last = data["last_only"].values.astype(bool).tolist()
    if sorted(last) != [False, True]:
        raise NotInResult(f"{run.path} does not hold noise both in the last receivers alone and everywhere. Sweep "
                          "noise.last_only over true and false.")
    alone, everywhere = data.isel(last_only=last.index(True)), data.isel(last_only=last.index(False))

    figure, grid = style.panels(1, 3, style.PAGE_IN, 3.3, sharey=True)
    at = dict(rin_db_per_hz=rin, noises=together)
    power, by_source, by_rin = grid[0]
    dbm = 10 * np.log10(alone["received_power_mean"].isel(at).values / 1e-3)
    quiet = alone.isel(at)
    power.plot(dbm, quiet["pam4_error_rate_mean"].values, color="black", linewidth=1.1, label="PAM4 formula")
    power.plot(dbm, quiet["readout_error_rate_mean"].values, color="#777777", linestyle="--", label="own levels, predicted")
    measured(power, dbm, quiet, "digit_error_rate", digits, color="#0060a8", marker="o", linestyle="none",
             label="digits, last receivers noisy")
    loud = everywhere.isel(at)
    measured(power, dbm, loud, "digit_error_rate", digits, color="#e69f00", marker="s", linestyle="-.",
             label="digits, every neuron noisy")
    measured(power, dbm, loud, "word_accuracy", words, color="#000000", marker="^", linestyle=":",
             label="words, every neuron noisy")
    power.set_ylabel("share decoded wrongly")
    for i, name in enumerate(sources):
        measured(by_source, dbm, everywhere.isel(rin_db_per_hz=rin, noises=i), "digit_error_rate", digits, label=name,
                 **LOOKS[name])
    for axes in (power, by_source):
        axes.set_xlabel("received power at digit 3 (dBm)")

    place = alone["rin_db_per_hz"].values
    only = sources.index("intensity noise") if "intensity noise" in sources else together
    where = int(np.argmin(np.abs(np.log10(np.maximum(quiet["digit_error_rate_mean"].values, 1e-12)) + 2)))
    strong = data.sizes["signal_full_scale_w"] - 1
    by_rin.plot(place, alone["pam4_error_rate_mean"].isel(signal_full_scale_w=where, noises=together).values, color="black",
                linewidth=1.1)
    by_rin.plot(place, alone["readout_error_rate_mean"].isel(signal_full_scale_w=where, noises=together).values,
                color="#777777", linestyle="--")
    measured(by_rin, place, alone.isel(signal_full_scale_w=where, noises=together), "digit_error_rate", digits,
             color="#0060a8", marker="o", linestyle="none", label=f"last receivers, all noise, {dbm[where]:.0f} dBm")
    measured(by_rin, place, everywhere.isel(signal_full_scale_w=strong, noises=together), "digit_error_rate", digits,
             color="#e69f00", marker="s", linestyle="-.", label=f"every neuron, all noise, {dbm[strong]:.0f} dBm")
    measured(by_rin, place, everywhere.isel(signal_full_scale_w=strong, noises=only), "digit_error_rate", digits,
             color="#cc79a7", marker="D", linestyle=":", label=f"every neuron, intensity noise only, {dbm[strong]:.0f} dBm")
    by_rin.set_xlabel("intensity noise (dB/Hz)")
    for index, (axes, title) in enumerate(((power, "all noise"), (by_source, "every neuron noisy, by source"),
                                           (by_rin, "intensity noise"))):
        axes.set_yscale("log")
        axes.set_ylim(0.4 / digits, 100)
        axes.set_yticks(10.0 ** np.arange(-5, 1))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.legend(loc="upper right", fontsize=5.5)
        style.panel(axes, index, title)
    title = f"Receiver noise: digits and words decoded wrongly, 95 % intervals; (a), (b) at {place[rin]:.0f} dB/Hz"
    return style.finish(figure, run, title)


def source_name(on: Mapping[str, bool]) -> str:
    """What a set of switches is called."""
    names = [NAMES[key] for key in NAMES if on[key]]
    return names[0] if len(names) == 1 else "together"


def measured(axes: Any, x: Any, point: xarray.Dataset, metric: str, draws: int, **look: Any) -> None:
    """What is wrong, with the interval of the file; of nothing seen in so many draws, the upper Clopper-Pearson limit."""
    p, low, high = (point[metric + end].values for end in ENDS)
    if metric == "word_accuracy":
        p, low, high = 1 - p, 1 - high, 1 - low
    seen = p > 0
    away = np.maximum([p - low, high - p], 0)
    axes.errorbar(x[seen], p[seen], away[:, seen], fmt="none", ecolor=look["color"], capsize=2, elinewidth=0.8)
    axes.plot(x[seen], p[seen], markerfacecolor="white", **look)
    axes.plot(x[~seen], 0 * x[~seen] + 1 - 0.025 ** (1 / draws), color=look["color"], marker="$\\downarrow$",
              linestyle="none", markersize=5)
