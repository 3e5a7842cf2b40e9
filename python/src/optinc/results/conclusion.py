"""What a file comes to, in a sentence."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import xarray

from .comparison import comparison
from .run import Run
from .study import Statistic, headline_metrics, of_worst_layer, say_point, say_trials, show_mean, show_value, statistic, words_of

ENDS: dict[str, tuple[tuple[str, str], ...]] = {
    "interconnect": (("shortest iteration", "total_s"), ("least energy", "energy_j")),
    "operating_points": (("least energy per bit", "energy_per_bit"), ("highest bit rate", "bit_rate")),
    "designs": (("least static power", "static_power"), ("fewest MZIs", "mzis")),
    "testbeds": (("shortest exchange", "exchange_s"), ("longest", "exchange_s")),
    "competitions": (("shortest iteration on ODDL", "oddl_s"), ("largest gain over a fat-tree", "fat_tree_ratio")),
    "iterations": (("shortest iteration", "iteration_s"), ("longest", "iteration_s")),
    "days": (("least stretch", "stretch"), ("largest", "stretch")),
    "failures": (("largest slowdown", "slowdown"), ("most time lost once", "lost_s")),
}
"""Of groups of rows what is told of which dataset; the largest value where the words begin so, else the least above 0."""


def conclusion(run: Run) -> str:
    """The best network of every column of a comparison of networks; of any other study the best and the worst point of the
    most telling metric, with their 95 % intervals; of a file of rows, such as designs or scenarios, the ends that ENDS names;
    of laws how many hold; of a budget its largest parts. Empty where there is nothing to say in a sentence."""
    found = comparison(run)
    if found is not None:
        return found.conclusion()
    if run.summary is not None and headline_metrics(run):
        return study_conclusion(run)
    if run.laws is not None:
        failed = [str(name) for name, passed in zip(run.laws["check"].values, run.laws["passed"].values) if not passed]
        return f"{run.laws.sizes['check'] - len(failed)} of {run.laws.sizes['check']} points of laws hold" + (
            f"; not {', '.join(failed[:3])}" if failed else "") + "."
    if (budget := run.group("budget")) is not None:
        return budget_conclusion(budget)
    if (draws := run.group("part_draws")) is not None:
        least = [(float(energies[energies.size // 2]), str(name)) for name, energies in zip(draws["design"].values, draws["energy_quantile"].values)]
        return f"Least energy per bit of half the draws of parts: {', '.join(f'{name} {1e12 * e:.3g} pJ' for e, name in sorted(least) if math.isfinite(e))}."
    for name, ends in ENDS.items():
        if (group := run.group(name)) is not None:
            return rows_conclusion(group, ends)
    onn = run.group("onn")
    return "" if onn is None else (f"The network of {int(onn.attrs['mzi_count']):,} MZIs decodes {100 * float(onn.attrs['word_accuracy']):.6g} % of "
                                   f"{int(onn.attrs['words']):,} words without errors of devices.")


def rows_conclusion(group: xarray.Dataset, ends: tuple[tuple[str, str], ...]) -> str:
    """The named ends of a group of rows; of scenarios those of every workload, at its largest number of servers."""
    names = group["design" if "design" in group and "name" not in group else "name"].values
    alike: dict[str, list[int]] = {}
    for row in range(len(names)):
        alike.setdefault(str(group["workload"].values[row]) if {"workload", "servers"} <= set(group) else "", []).append(row)
    told = []
    for workload, rows in alike.items():
        if "servers" in group and workload:
            most = max(group["servers"].values[rows])
            rows = [row for row in rows if group["servers"].values[row] == most]
            workload = f"{workload}, {most} servers"
        said = [end for label, dataset in ends if dataset in group and (end := say_extreme(group, label, dataset, names, rows))]
        if len(rows) > 1 and said:
            told.append((f"{workload}: " if workload else "") + ", ".join(said))
    text = "; ".join([*told[:3], *([f"{len(told) - 3} more in the file"] if len(told) > 3 else [])])
    return f"{text if list(alike) != [''] else text[:1].upper() + text[1:]}." if text else ""


def say_extreme(group: xarray.Dataset, label: str, dataset: str, names: np.ndarray, rows: list[int]) -> str:
    """`label NAME (value)` of these rows; empty where none has a value."""
    seen = [(float(group[dataset].values[row]), row) for row in rows if 0 < float(group[dataset].values[row]) < math.inf]
    if not seen:
        return ""
    value, row = (max if label.startswith(("largest", "highest", "longest", "most")) else min)(seen, key=lambda found: found[0])
    return f"{label} {names[row]} ({show_value(value, words_of(group[dataset].attrs, dataset)[0])})"


def budget_conclusion(budget: xarray.Dataset) -> str:
    """The stages that take most of the static power and of the light."""
    told = []
    for name, label in (("static_power", "most static power"), ("loss", "most light lost")):
        if name not in budget:
            continue
        values = budget[name].sum([dim for dim in budget[name].dims if dim != "stage"]).values
        top, units = int(np.argmax(values)), words_of(budget[name].attrs, name)[0]
        told.append(f"{label} in {budget['stage'].values[top]} ({show_value(float(values[top]), units)} of {show_value(float(values.sum()), units)})")
    return f"{told[0][:1].upper()}{'; '.join(told)[1:]}." if told else ""


def study_conclusion(run: Run) -> str:
    """The best and the worst point of the most telling metric."""
    over_time = [name for name in ("instant_accuracy", "instant_fidelity") if f"{name}_mean" in run.require("summary")]
    if over_time:
        value, note = statistic(run, over_time[0]), "lowest over time"
        lowest = value.mean.min("time")
        value = replace(value, mean=lowest, low=lowest * math.nan, high=lowest * math.nan)
    else:
        value, note = of_worst_layer(statistic(run, headline_metrics(run)[0]))
    if not set(map(str, value.mean.dims)) <= {*run.sweeps, "variant"} or not bool(np.isfinite(value.mean).any()):
        return ""
    ends = [int(end(value.mean.values)) for end in (np.nanargmax, np.nanargmin)]
    names = ["highest", "lowest"] if value.meaning.better == "none" else ["best", "worst"]
    if value.meaning.better == "lower":
        ends.reverse()
    told = [f"{name} {say_end(run, value, place)}" for name, place in zip(names, ends)]
    about = value.long_name[:1].upper() + value.long_name[1:]
    details = ", ".join(filter(None, (note, f"mean of {say_trials(run)}" + ("" if over_time else " [95 % interval]"))))
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
