"""What a result says, in a screen of text."""

from __future__ import annotations

import itertools
import math

import numpy as np
import xarray

from .comparison import comparison_lines
from .conclusion import conclusion
from .run import Run
from .study import (headline_metrics, of_worst_layer, per_variant, say_point, show_mean, show_value, statistic,
                    words_of)
from .text import COLUMNS, aligned, clean, folded

MOST_LINES = 60

TOLD = {"interconnect": ("name", "servers", "total_s", "normalised", "energy_j"),
        "designs": ("design", "mzis", "static_power", "delay", "area"),
        "operating_points": ("design", "symbol_rate", "bit_rate", "energy_per_bit"),
        "testbeds": ("name", "tuning_s", "exchange_s", "ratio"),
        "light_paths": ("name", "nodes", "placed"),
        "competitions": ("name", "scattered", "oddl_s", "fat_tree_ratio", "sip_ring_ratio", "adding_fat_tree_ratio", "optinc_ratio"),
        "iterations": ("name", "network", "iteration_s", "without_s", "compute_s"),
        "days": ("name", "network", "used", "stretch", "finished"),
        "failures": ("name", "component", "slowdown", "lost_s")}
"""What is told of every row of a group without trials."""


def headlines(run: Run) -> str:
    """Provenance, then the numbers a reader asks for first: the network, means of the most telling metrics with their
    95 % intervals at every sweep point, or, where a sweep varies the network, a line for each; the error of the
    gradient; and what it comes to. Groups that are not there are left out."""
    p = run.provenance
    run_id = f"run {p.run_id}, " if p.run_id else ""
    seed = f"seed {p.seed}, " if p.seed is not None else ""
    lines = [p.title, *folded(f"{run_id}{seed}{p.created_utc}, OptINC {p.optinc_version} "
                              f"({p.git_revision}, {p.build_target}, {p.compiler})"), f"by {p.command}"]
    asked, done = run.asked_and_run
    if asked:
        lines.append(f"{done} of {asked} trials run" + (": INCOMPLETE" if run.incomplete else ""))
    onn = run.group("onn")
    if onn is not None:
        lines += ["", "network"] + [f"  {name} = {value}" for name, value in onn.attrs.items()]
    beside = comparison_lines(run)
    if beside:
        lines += ["", *beside, "", "every point with its interval: optinc-results table --group summary"]
    elif run.summary is not None:
        lines += summary_lines(run)
    if run.gradient is not None:
        lines += ["", "relative error of the gradient"]
        lines += [f"  {path:<20} {float(error):.4g}" for path, error
                  in zip(run.gradient["path"].values, run.gradient["relative_error"].values)]
    if run.laws is not None:
        lines += ["", *law_lines(run.laws)]
    if (draws := run.group("part_draws")) is not None:
        lines += ["", f"least energy per bit over {draws.sizes['draw']} draws of parts, 10, 50 and 90 % of them below"]
        lines += [f"  {name}: " + ", ".join("no point" if math.isinf(energy) else f"{1e12 * energy:.3g} pJ" for energy in energies)
                  for name, energies in zip(draws["design"].values, draws["energy_quantile"].values.tolist())]
    for group, names in TOLD.items():
        if (data := run.group(group)) is not None:
            lines += ["", *row_lines(data, names)]
    if beside == [] and (said := conclusion(run)):
        lines += ["", *folded(said)]
    # a file that somebody else wrote must not command the terminal
    return "\n".join(clean(line.replace("\n", " ")) for line in lines)


def row_lines(data: xarray.Dataset, names: tuple[str, ...]) -> list[str]:
    """A line for every row of a group, the first ones of very many."""
    names = tuple(name for name in names if name in data)
    units = {name: words_of(data[name].attrs, name)[0] for name in names}
    rows = [list(names)] + [["-" if value != value else show_value(value, units[name]) for name, value in zip(names, row)]
                            for row in zip(*(data[name].values[:MOST_LINES].tolist() for name in names))]
    more = data[names[0]].size - MOST_LINES
    return aligned(rows) + ([f"... and {more} more: optinc-results table has them"] if more > 0 else [])


def law_lines(laws: xarray.Dataset) -> list[str]:
    """How many points of laws hold, and those that do not."""
    laws = laws.load()  # a reader that fetches only what is asked for cannot fetch nothing
    failed = laws.isel(check=np.flatnonzero(laws["passed"].values == 0))
    lines = [f"{laws.sizes['check'] - failed.sizes['check']} of {laws.sizes['check']} points of laws hold"]
    return lines + [f"  {name}: {measured:.5g}, expected {expected:.5g} +- {tolerance:.2g}" for name, measured, expected, tolerance
                    in zip(*(failed[key].values for key in ("check", "measured", "expected", "tolerance")))]


def summary_lines(run: Run) -> list[str]:
    """A block for every metric of headline_metrics: mean and interval by sweep point and variant."""
    lines: list[str] = []
    for metric in headline_metrics(run):
        value, note = of_worst_layer(statistic(run, metric))
        unit = "" if value.units == "1" else f" ({value.units})"
        lines += ["", *folded(f"{metric}{unit}: {value.long_name}" + (f"; {note}" if note else "") + "; mean [95 % interval]")]
        rows: list[tuple[str, str, str]] = []
        share = value.meaning.share_of_good
        variants = value.mean.sizes.get("variant", 1)
        sizes = [value.mean.sizes[axis] for axis in run.sweeps]
        for place in itertools.islice(np.ndindex(*sizes), -(-MOST_LINES // variants)):
            point = dict(zip(run.sweeps, place))
            here = value.at(point)
            for (name, mean), (_, low), (_, high) in zip(*map(per_variant, (here.mean, here.low, here.high))):
                if mean.ndim > 0:  # an axis of its own, such as time
                    said = [show_mean(float(number), share) for number in (mean.min(), mean.max())]
                    numbers = f"{said[0]:>9} to {said[1]} over {', '.join(map(str, mean.dims))}"
                else:
                    said = [show_mean(float(number), share) for number in (mean, low, high)]
                    numbers = f"{said[0]:>9} [{said[1]}, {said[2]}]"
                rows.append((say_point(run, point), name, numbers))
        first, second = (max(len(row[i]) for row in rows) for i in (0, 1))
        if first + second + max(len(row[2]) for row in rows) > COLUMNS - 6:  # points above their numbers
            for where, found in itertools.groupby(rows[:MOST_LINES], key=lambda row: row[0]):
                lines += [*folded(where, "  "), *(f"    {name:<{second}}  {numbers}" for _, name, numbers in found)]
        else:
            lines += [f"  {where:<{first}}  {name:<{second}}  {numbers}" for where, name, numbers in rows[:MOST_LINES]]
        more = math.prod(sizes) * variants - MOST_LINES
        if more > 0:
            lines.append(f"  ... and {more} more: optinc-results table --group summary has them")
    return lines
