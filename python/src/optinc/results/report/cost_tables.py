"""Headline numbers of files without trials: laws, budgets, designs, interconnects, and one trial replayed."""

from __future__ import annotations

import re
from typing import Any, Sequence

import numpy as np
import xarray

from ..run import Run
from ..study import words_of
from .elements import Child, Element, node, table
from .numbers import MISSING, data, in_units, number, scale_of, value_of
from .study_tables import MOST_ROWS

COLUMNS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "designs": (
        "Designs", " side by side. 0: what a design does not have, or what is not published."
        " Static power: heaters, lasers, receivers, control, at any symbol rate. Area: meshes placed in rows, delay"
        " lines, modulators and receivers. optinc operating-point tells rates, and energy per bit at them.",
        ("design", "mzis", "receivers", "modulators", "heater_power", "static_power", "published_mzis", "columns",
         "conversions", "loss", "area", "die_rise", "delay", "network")),
    "operating_points": (
        "Operating points", ": {criterion}. All values in a row hold at its symbol rate and bandwidth; none: the design decodes"
        " at no rate.",
        ("design", "chip_preset", "noise_set", "symbol_rate", "receiver_bandwidth", "wrong_words", "chips_right", "bit_rate",
         "static_power", "symbol_power", "energy_per_bit", "delay", "area", "network")),
    "interconnect": (
        "Scenarios", ": one training iteration each; normalised is its time over that of its"
        " reference. Parameters of calibrated scenarios were chosen to reproduce a published ratio. Energy is that of"
        " the network, - if it is not known; for OptINC units it is conditional on their symbol rate unless that"
        " is reachable.",
        ("name", "servers", "normalised", "calibrated", "total_s", "communication_s", "exposed_s", "normalised_data", "energy_j",
         "rate_reachable", "network", "collective", "workload")),
    "sensitivity": (
        "Assumptions", ": the ratio of subject to reference with one assumption changed at a time; nominal is the value as listed.",
        ("name", "subject", "reference", "value_text", "ratio", "nominal")),
}
"""Of groups whose rows are told one by one: what their table is called, what it says, and the datasets of its columns."""

STAGE = ("mzis", "columns", "loss", "delay", "static_power", "area")
"""What is told of a stage of optinc budget; of the last four the sum over their parts."""


def cost_tables(run: Run) -> list[Element]:
    """The tables of the groups that are there."""
    own = {"laws": laws_table, "budget": stages_table, "record": record_table}
    found = {name: group for name in ("laws", "budget", *COLUMNS, "record") if (group := run.group(name)) is not None}
    return [own[name](group) if name in own else columns_table(group, *COLUMNS[name]) for name, group in found.items()]


def column_of(group: xarray.Dataset, name: str) -> tuple[str, list[Any]]:
    """Heading and cells of a dataset of one axis, its numbers under one prefix."""
    values = group[name].values
    heading = re.sub("_(s|j)$", "", name).replace("_", " ").replace("mzis", "MZIs")
    if not np.issubdtype(values.dtype, np.number):
        return heading, [str(value) or MISSING for value in values]
    if values.dtype == np.uint8:
        return heading, ["yes" if value else "no" for value in values]
    scale, units = scale_of(values, words_of(group[name].attrs, name)[0])
    return heading + in_units(units), [data(value, scale) for value in values]


def columns_table(group: xarray.Dataset, title: str, said: str, names: Sequence[str]) -> Element:
    """A table of those of these datasets that are there, a column each."""
    columns = [column_of(group, name) for name in names if name in group]
    rows = list(zip(*(cells for _, cells in columns)))
    more = f" {len(rows) - MOST_ROWS} more rows are in the file." if len(rows) > MOST_ROWS else ""
    caption = [node("strong", title), said.format(criterion=group.attrs.get("criterion", "")) + more]
    return table(caption, [heading for heading, _ in columns], rows[:MOST_ROWS])


def laws_table(laws: xarray.Dataset) -> Element:
    """Every point of every law, those that do not hold first."""
    passed = laws["passed"].values
    order = np.argsort(passed != 0, kind="stable")
    told = [name for name in ("measured", "expected", "tolerance", "kind", "trials") if name in laws]
    rows: list[list[Child]] = []
    for i in order[:MOST_ROWS]:
        units = in_units(str(laws["unit"].values[i])) if "unit" in laws else ""
        holds: Child = "yes" if passed[i] else node("strong", "no", class_="bad")
        rows.append([str(laws["check"].values[i]) + units, holds, *(value_of(laws[name].values[i]) for name in told)])
    caption = [node("strong", "Laws"), f": {int(passed.sum())} of {passed.size} points hold:"
               " |measured - expected| is at most the tolerance."]
    return table(caption, ["point", "holds", *told], rows)


def stages_table(budget: xarray.Dataset) -> Element:
    """Costs of every stage, from the lasers to the answer, and of all of them."""
    columns: list[tuple[str, list[Any]]] = [("stage", [*map(str, budget["stage"].values), "all"])]
    for name in STAGE:
        if name not in budget:
            continue
        units, _ = words_of(budget[name].attrs, name)
        own = [dim for dim in budget[name].dims if dim != "stage"]
        values = budget[name].sum(own).values
        values = np.append(values, values.sum())
        scale, units = scale_of(values, units)
        heading = name.replace("mzis", "MZIs").replace("_", " ")
        columns.append((heading + in_units(units), [data(value, scale) for value in values]))
    caption = [node("strong", "Costs by stage"), ": loss without gain and delay of the light that arrives last, 0 at"
               " stages that it does not pass; electrical power without modulator drivers and converters, which grow with"
               " the symbol rate; area of devices, without the space between them."]
    return table(caption, [heading for heading, _ in columns], list(zip(*(cells for _, cells in columns))))


def record_table(record: xarray.Dataset) -> Element:
    """What one trial gave: a row for every quantity that is one number a variant."""
    variants = [str(name) for name in record["variant"].values] if "variant" in record.coords else []
    rows: list[list[Child]] = []
    for name, values in record.data_vars.items():
        if values.dims not in ((), ("variant",)):
            continue
        scale, units = scale_of(values.values, words_of(values.attrs, str(name))[0])
        cells = [data(value, scale) for value in np.atleast_1d(values.values)]
        rows.append([f"{name}{in_units(units)}", *cells, *[MISSING] * (len(variants) - len(cells))])
    caption = [node("strong", "The trial"), f", {number(len(rows))} quantities of it; those with axes of their own"
               " stand in the file."]
    return table(caption, ["quantity", *(variants or ["value"])], rows)
