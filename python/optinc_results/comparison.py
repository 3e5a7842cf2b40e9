"""Networks beside each other: what each decodes, and what it makes of a real gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from .networks import network_of_point, networks
from .run import Run
from .study import Parameter, parameters, say_point, statistic

MOST_COLUMNS = 4


@dataclass(frozen=True)
class ComparedNetwork:
    """A network of a comparison: `right`, the mean share of words right in every column, and the relative error of a real
    gradient averaged by a noisy chip; NaN where none was sent."""

    name: str
    mzis: float
    right: tuple[float, ...]
    gradient_error: float


@dataclass(frozen=True)
class Comparison:
    """The networks of a study, in the order of its sweep. `columns`: values of a second sweep, such as presets; `where`: the
    point of the others and the variant. `quantised`: error of the same gradient from its codes alone."""

    rows: tuple[ComparedNetwork, ...]
    columns: tuple[str, ...]
    where: str
    quantised: float

    def conclusion(self) -> str:
        """The best network of every column, in a sentence."""
        best = [max(self.rows, key=lambda row, i=i: (row.right[i], -row.mzis)) for i in range(len(self.columns))]
        told = [f"{'at ' + column if column else 'with all errors'} {row.name} ({row.mzis:,.0f} MZIs, {percent(row.right[i])} "
                "of words right)" for i, (column, row) in enumerate(zip(self.columns, best))]
        return f"Fewest words wrong: {'; '.join(told)}."


def comparison(run: Run) -> Optional[Comparison]:
    """What a study that sweeps networks says of each: the share of words right against the sweep of names with the fewest
    values, the other sweeps in their middle; chips with all noise where they were measured. None for any other study."""
    if run.trials is None or run.summary is None or "word_accuracy_mean" not in run.summary:
        return None
    axis = next((p.axis for p in parameters(run).values() if p.key == "network.source"), None)
    if axis is None:
        return None
    across = named_sweep(run, axis)
    mean = statistic(run, "word_accuracy").mean
    variants = [str(name) for name in mean["variant"].values]
    variant = "noisy" if "noisy" in variants else variants[-1]
    middle = {other: mean.sizes[other] // 2 for other in run.sweeps if other not in (axis, across and across.axis)}
    mean = mean.isel({"variant": variants.index(variant), **middle}).transpose(axis, ...)
    right = mean.values.reshape(mean.sizes[axis], -1)
    of_point = np.moveaxis(network_of_point(run), run.sweeps.index(axis), 0).reshape(len(right), -1)[:, 0]
    known = networks(run)
    several = run.group("networks") is not None
    errors = [gradient_errors(run, f"networks/{i}/gradient" if several else "gradient") for i in of_point]
    return Comparison(
        tuple(ComparedNetwork(known[i].name, known[i].mzis, tuple(map(float, shares)), error.get("chip_noisy", math.nan))
              for i, shares, error in zip(of_point, right, errors)),
        tuple(map(str, across.values)) if across else ("",),
        ", ".join(filter(None, (say_point(run, middle), f"chips {variant}"))),
        errors[0].get("quantised", math.nan))


def named_sweep(run: Run, besides: str) -> Optional[Parameter]:
    """The sweep of names, not numbers, of the fewest values; none where none has few enough to stand beside each other."""
    found = [p for p in parameters(run).values() if p.axis != besides and p.key and p.name == p.axis
             and np.asarray(p.values).dtype.kind in "OSU" and len(p.values) <= MOST_COLUMNS]
    return min(found, key=lambda p: len(p.values), default=None)


def gradient_errors(run: Run, place: str) -> dict[str, float]:
    """Relative error of the gradient in a group by the way it took; empty where none was sent."""
    group: Any = run.group(place)
    return {} if group is None else {str(path): float(error) for path, error
                                     in zip(group["path"].values, group["relative_error"].values)}


def percent(share: float) -> str:
    """A share in percent: two significant digits of it or of what is missing, whichever is less, and at most three decimals."""
    if math.isnan(share):
        return "-"
    less = 100 * min(share, 1 - share)
    decimals = min(max(1 - math.floor(math.log10(less)), 0), 3) if less > 0 else 0
    return f"{100 * share:.{decimals}f} %"


def comparison_lines(run: Run) -> list[str]:
    """The comparison as a table and a sentence; nothing where the study is none."""
    found = comparison(run)
    if found is None:
        return []
    sent = not math.isnan(found.quantised)
    heads = ["network", "MZIs", *(column or "words right" for column in found.columns), *(["gradient"] if sent else [])]
    rows = [heads, *([row.name, f"{row.mzis:,.0f}", *map(percent, row.right),
                      *([f"{row.gradient_error:.3g}"] if sent else [])] for row in found.rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    lines = ["  ".join(f"{cell:<{width}}" if i == 0 else f"{cell:>{width}}" for i, (cell, width) in enumerate(zip(row, widths)))
             for row in rows]
    about = f"words right ({found.where})"
    if sent:
        about += f"; gradient: relative error of a real one (quantisation alone: {found.quantised:.3g})"
    return [about, *("  " + line for line in lines), "", found.conclusion()]
