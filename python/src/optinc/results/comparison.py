"""Networks beside each other: what each decodes, and what it makes of a real gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from .networks import network_of_point, networks, told_apart
from .run import Run
from .study import Parameter, by_key, fixed, parameters, say_point, statistic
from .text import aligned, folded

MOST_COLUMNS = 4

USABLE = 0.9
"""Share of words right below which no network of a column is called the best one: of ten gradient elements one is wrong."""


@dataclass(frozen=True)
class ComparedNetwork:
    """A network of a comparison: `right`, the mean share of words right in every column, its 95 % interval from `low` to
    `high`, and the relative error of a real gradient averaged by a noisy chip; NaN where none was sent."""

    name: str
    mzis: float
    right: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
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
        """The best network of every column, in a sentence; of those that the intervals of their means do not tell apart
        the one of fewest MZIs. Of a column whose best one decodes less than USABLE: that none is usable."""
        told = []
        for i, column in enumerate(self.columns):
            seen = [row for row in self.rows if not math.isnan(row.right[i])]
            if not seen:
                continue
            most = max(seen, key=lambda row: row.right[i])
            if most.right[i] < USABLE:
                told.append(f"{'at ' + column + ' ' if column else ''}none is usable ({most.name} decodes most, "
                            f"{percent(most.right[i])})")
                continue
            best = min((row for row in seen if row is most or row.high[i] >= most.low[i]), key=lambda row: (row.mzis, -row.right[i]))
            told.append(f"{'at ' + column + ' ' if column else ''}{best.name} ({best.mzis:,.0f} MZIs, {percent(best.right[i])} "
                        "of words right)")
        return f"Fewest words wrong, or the smaller network if 95 % intervals overlap: {'; '.join(told)}."


def comparison(run: Run) -> Optional[Comparison]:
    """What a study that sweeps networks says of each: the share of words right against the sweep of names with the fewest
    values, the other sweeps in their middle; chips with all noise where they were measured. None for any other study."""
    if run.trials is None or run.summary is None or "word_accuracy_mean" not in run.summary:
        return None
    source = by_key(run, "network.source")
    if source is None:
        return None
    axis = source.axis
    across = named_sweep(run, axis)
    value = statistic(run, "word_accuracy")
    variants = [str(name) for name in value.mean["variant"].values]
    variant = "noisy" if "noisy" in variants else variants[-1]
    kept = (axis, across.axis) if across else (axis,)
    where = {other: place if other == "ablation" else value.mean.sizes[other] // 2 for other, place in fixed(run, kept).items()}
    here = value.at({"variant": variants.index(variant), **where})
    right, low, high = ([tuple(map(float, row.values.flat)) for row in side.transpose(axis, ...)]
                        for side in (here.mean, here.low, here.high))
    of_point = network_of_point(run)[tuple(where.get(sweep, slice(None) if sweep == axis else 0) for sweep in run.sweeps)]
    known, several = networks(run), run.group("networks") is not None
    errors = [gradient_errors(run, f"networks/{i}/gradient" if several else "gradient") for i in of_point]
    alone = {error.get("quantised", math.nan) for error in errors}
    names = told_apart(run, source, [known[i].name for i in of_point])
    return Comparison(
        tuple(ComparedNetwork(names[place], known[i].mzis,
                              right[place], low[place], high[place], error.get("chip_noisy", math.nan))
              for place, (i, error) in enumerate(zip(of_point, errors))),
        tuple(map(str, across.values)) if across else ("",),
        ", ".join(filter(None, (say_point(run, where), f"chips {variant}"))),
        alone.pop() if len(alone) == 1 else math.nan)


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
    """A share in percent, cut off after two significant digits of it or of what is missing, whichever is less, and after
    three decimals: only 1 reads 100 %."""
    if math.isnan(share):
        return "-"
    less = 100 * min(share, 1 - share)
    if 0 < 100 * share < 1e-3:
        return "<0.001 %"
    decimals = min(max(1 - math.floor(math.log10(less)), 0), 3) if less > 0 else 0
    return f"{math.floor(100 * share * 10 ** decimals + 1e-9) / 10 ** decimals:.{decimals}f} %"


def comparison_lines(run: Run) -> list[str]:
    """The comparison as a table and a sentence; nothing where the study is none."""
    found = comparison(run)
    if found is None:
        return []
    sent = not math.isnan(found.quantised)
    heads = ["network", "MZIs", *(column or "words right" for column in found.columns), *(["gradient"] if sent else [])]
    rows = [heads, *([row.name, f"{row.mzis:,.0f}", *map(percent, row.right),
                      *([f"{row.gradient_error:.3g}"] if sent else [])] for row in found.rows)]
    about = f"words right ({found.where})"
    if sent:
        about += f"; gradient: relative error of a real one, at the values before sweeps (quantisation alone: {found.quantised:.3g})"
    return [*folded(about), *("  " + line for line in aligned(rows)), "", *folded(found.conclusion())]
