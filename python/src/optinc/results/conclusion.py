"""What a study comes to, in a sentence."""

from __future__ import annotations

import math

import numpy as np

from .comparison import comparison
from .run import Run
from .study import Statistic, headline_metrics, of_worst_layer, say_point, say_trials, show_mean, statistic


def conclusion(run: Run) -> str:
    """The best network of every column of a comparison of networks; of any other study the best and the worst point of the
    most telling metric, with their 95 % intervals. Empty where the file has no summary, or no metric with one value a point."""
    found = comparison(run)
    if found is not None:
        return found.conclusion()
    if run.summary is None or not headline_metrics(run):
        return ""
    value, note = of_worst_layer(statistic(run, headline_metrics(run)[0]))
    if not set(map(str, value.mean.dims)) <= {*run.sweeps, "variant"} or not bool(np.isfinite(value.mean).any()):
        return ""
    ends = [int(end(value.mean.values)) for end in (np.nanargmax, np.nanargmin)]
    names = ["highest", "lowest"] if value.meaning.better == "none" else ["best", "worst"]
    if value.meaning.better == "lower":
        ends.reverse()
    told = [f"{name} {say_end(run, value, place)}" for name, place in zip(names, ends)]
    about = value.long_name[:1].upper() + value.long_name[1:]
    details = ", ".join(filter(None, (note, f"mean of {say_trials(run)} [95 % interval]")))
    return f"{about} ({details}): {'; '.join(told if ends[0] != ends[1] else told[0].split(' ', 1)[1:])}."


def say_end(run: Run, value: Statistic, place: int) -> str:
    """A mean with its interval, and where it is."""
    where = dict(zip(map(str, value.mean.dims), np.unravel_index(place, value.mean.shape)))
    here = value.at({axis: int(i) for axis, i in where.items()})
    mean, low, high = (show_mean(float(side), value.meaning.share_of_good) for side in (here.mean, here.low, here.high))
    variant = str(value.mean["variant"].values[where["variant"]]) if "variant" in where else ""
    at = ", ".join(filter(None, (say_point(run, {axis: int(i) for axis, i in where.items() if axis != "variant"}), variant)))
    interval = "" if math.isnan(float(here.low)) else f" [{low}, {high}]"
    units = "" if value.units == "1" else f" {value.units}"
    return f"{mean}{interval}{units}" + (f" at {at}" if at else "")
