"""What a file holds, and how it came about: the model, the points, the axes, the origin."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray

from ..networks import networks
from ..run import CALCULATED, Run
from ..study import metrics, shown_parameters, spans_decades
from .elements import Child, Element, facts, node, table
from .numbers import data, in_units, number, value_of

GROUPS = {
    "record": "One trial of a study, repeated with its intermediate results.",
    "laws": "The simulator checked against closed-form laws and published numbers.",
    "budget": "Loss, power, delay and area of one network's chip, by stage and part.",
    "designs": "Costs of several designs, side by side.",
    "operating_points": "The point at which each unit decodes as the criterion asks, and what it costs there.",
    "part_draws": "Least energies of designs over draws of whole parts.",
    "interconnect": "Training iterations on electrical, optical and OptINC networks.",
    "testbeds": "The exchange of a gradient over optical circuits that nodes request from each other.",
    "light_paths": "Light between groups of nodes: power, noise and wavelengths.",
    "competitions": "One training job alongside others, on ODDL, a fat-tree and SiP-Ring.",
    "iterations": "Training iterations step by step, traced or data, tensor and pipeline parallel.",
    "days": "Jobs that arrive at a cluster, train and leave.",
    "failures": "One component fails under a training job.",
    "network": "One network, without a study.",
}
"""What a file without trials is, by its most telling group."""

NAMES = {"created_utc": "made at (UTC)", "optinc_version": "OptINC", "git_revision": "revision", "compiler": "compiler",
         "build_target": "compiled for", "seed": "seed", "run_id": "run, by its settings",
         "schema_version": "format of the file"}
"""Root attributes that most files have, in the order of the page, by names for the reader."""

NOT_ORIGIN = ("title", "command", "config_toml", "warnings", "Conventions", "references", "model", "complete")
"""Root attributes that stand elsewhere on the page."""


def kind_of(run: Run) -> str:
    """A sentence on what the file is."""
    if run.provenance.model is not None and run.trials is not None:
        return f"A trial simulates {run.trials.attrs.get('simulates', f'model {run.provenance.model}')}."
    return next((text for group, text in GROUPS.items() if run.group(group) is not None), "A file of OptINC.")


def key_figures(run: Run) -> list[tuple[str, Child]]:
    """A few numbers that tell how large the run was, or what it comes to, by their names."""
    told: list[tuple[str, Child]] = []
    if run.trials is not None:
        asked, done = run.asked_and_run
        points = int(np.prod([run.trials.sizes[axis] for axis in run.sweeps], dtype=int))
        told += [("point" if points == 1 else "points", data(points)),
                 ("trials" if done == asked else f"of {number(asked)} trials", data(done))]
    known = [network for network in networks(run) if np.isfinite(network.mzis)]
    if len(known) == 1:
        told += [("MZIs", data(known[0].mzis)),
                 ("share of all words right without device errors", data(known[0].word_accuracy, digits=6))]
    elif known:
        told.append(("networks", data(len(known))))
    if run.laws is not None:
        told.append((f"of {number(run.laws.sizes['check'])} points of laws hold", data(int(run.laws["passed"].sum()))))
    budget = run.group("budget")
    if budget is not None:
        told += [(f"{units} {name.replace('_', ' ')}", data(budget[name].sum(), scale, 4)) for name, units, scale in
                 (("loss", "dB", 1.0), ("delay", "ns", 1e9), ("static_power", "W", 1.0)) if name in budget]
    axes = {"designs": "design", "operating_points": "design", "interconnect": "scenario"}
    for name in CALCULATED:
        if (held := run.group(name)) is not None:
            axis = axes.get(name, "row")
            told.append((f"{axis}s", data(held.sizes[axis])))
    return told


def about(run: Run) -> list[Element]:
    """The study in names and values, and the axes of its sweeps."""
    names = {network.name for network in networks(run)}
    trials = run.trials
    axis = trials["variant"] if trials is not None and "variant" in trials.coords else None
    variants = list(map(str, axis.values)) if axis is not None else []
    told = str(axis.attrs.get("meanings", "")) if axis is not None else ""  # files before 1.0.0 have none
    meanings = dict(line.split(": ", 1) for line in told.splitlines() if ": " in line)
    counts = run.summary["completed"] if run.summary is not None else None
    rows: list[tuple[str, Child]] = [
        ("study", str(run.config.get("study", ""))), ("model", run.provenance.model),
        ("network", ", ".join(sorted(names)) if 0 < len(names) < 7 else None),
        ("trials per point", None if counts is None else [data(counts.min()), *(
            [" to ", data(counts.max())] if int(counts.min()) < int(counts.max()) else [])]),
        ("measured", ", ".join(metrics(run)) if run.summary is not None else None), *asked_of(run),
        ("seed", str(run.attributes.get("seed", "")))]
    found = [facts(rows)]
    if trials is not None and run.sweeps:
        found.append(axes_table(run))
    if variants:
        found += [node("h3", "Variants"), facts((name, meanings.get(name, "-")) for name in variants)]
    return found


def asked_of(run: Run) -> list[tuple[str, Child]]:
    """What a file without trials was asked for."""
    rows: list[tuple[str, Child]] = []
    if run.laws is not None:
        rows += [("run", "quick, with a tenth of the trials" if int(run.laws.attrs.get("quick", 0)) else "full"),
                 *distinct(run.laws, laws="law", kinds="kind")]
    designs, scenarios = run.group("designs"), run.group("interconnect")
    if designs is not None:
        rows += [*distinct(designs, designs="design"),
                 ("of the study", str(designs.attrs.get("study", "")) or "the defaults"),
                 ("settings of all", str(designs.attrs.get("settings", "")))]
    if scenarios is not None:
        rows += distinct(scenarios, networks="network", collectives="collective", workloads="workload",
                         servers="servers")
    if run.group("budget") is not None:
        keys = (("network", "source"), ("chip", "preset"), ("heater", "device"))
        rows += [(f"{section}.{key}", str(run.config.get(section, {}).get(key, ""))) for section, key in keys]
    return rows


def distinct(group: xarray.Dataset, **named: str) -> list[tuple[str, Child]]:
    """What there is in these datasets, each value once, by names for the reader."""
    return [(name, ", ".join(dict.fromkeys(map(str, group[dataset].values)))) for name, dataset in named.items()
            if dataset in group]


def axes_table(run: Run) -> Element:
    """What was varied, a row each, outermost sweep first."""
    swept = shown_parameters(run)
    taken = [p.axis for p in swept]
    together = {p.axis: f" (varied together with the others of {p.axis})" for p in swept if taken.count(p.axis) > 1}
    rows = [[p.name + in_units(p.units), said(p.values, p.numeric), p.key or "-",
             p.long_name + together.get(p.axis, "")] for p in swept]
    caption = [node("strong", "Axes"), ": what was varied, outermost first."]
    return table(caption, ["axis", "values", "key", "meaning"], rows)


def said(values: Any, numeric: bool) -> list[Child]:
    """All values, or the first and last of many."""
    shown = [value_of(value) for value in values]
    if len(shown) <= 8:
        return separated(shown)
    spacing = ", by ratio" if numeric and spans_decades(values) else ""
    return [*separated(shown[:3]), ", ..., ", shown[-1], f" ({number(len(shown))} values{spacing})"]


def separated(parts: list[Child]) -> list[Child]:
    """With commas between them."""
    return [piece for i, part in enumerate(parts) for piece in ((", ", part) if i else (part,))]


def origin(run: Run, digest: str) -> Element:
    """Everything the file says of where it comes from, and the file itself with its SHA-256."""
    names = {**NAMES, **{name: name.replace("_", " ") for name in run.attributes if name not in (*NAMES, *NOT_ORIGIN)}}
    stored = [(told, shown_attribute(run.attributes[name])) for name, told in names.items() if name in run.attributes]
    return facts([*stored, ("this page was made from", f"{run.path.name}, {run.path.stat().st_size:,} bytes"),
                  ("its SHA-256", node("code", digest))])


def shown_attribute(value: Any) -> str:
    """A root attribute as text."""
    return ", ".join(map(str, np.atleast_1d(value))) if not isinstance(value, str) else value
