"""Two runs, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional

from .run import BenchRun, NotARun, Row
from .table import aligned, say_peaks, say_ratio, say_spread, say_time

SAME = ("cpu", "compiler", "build_type", "flags", "simd_target")
"""What two runs must share for a ratio of their times to say something of the code."""

SHOWN = 5
"""Rows of one run alone that are named; the others are counted."""


@dataclass
class Change:
    """One row of both runs."""
    name: str
    old: Row
    new: Row
    ratio: float  # new time over old: below 1 is faster
    verdict: str  # "faster", "slower", "same", or "?" where a run has one repetition


def differing_context(old: BenchRun, new: BenchRun) -> list[str]:
    """Why the two cannot be compared, a line each; empty when they can."""
    return [f"{key}: {old.context.get(key, 'unknown')} -> {new.context.get(key, 'unknown')}"
            for key in SAME if old.context.get(key) != new.context.get(key)]


def judge(old: Row, new: Row, noise: float) -> Change:
    """A change is one where the ranges of the repetitions do not meet and the medians differ by more than `noise`."""
    ratio = new.seconds / old.seconds
    verdict: Optional[str] = None
    if old.repetitions < 2 or new.repetitions < 2:
        verdict = "?"
    elif new.low > old.high and ratio > 1 + noise:
        verdict = "slower"
    elif new.high < old.low and ratio < 1 / (1 + noise):
        verdict = "faster"
    return Change(old.name, old, new, ratio, verdict or "same")


def changes(old: BenchRun, new: BenchRun, noise: float, wanted: Callable[[str], object]) -> list[Change]:
    """Every row that is `wanted` and that both runs have. Raises NotARun where there is none."""
    shared = [row.name for row in old.measured() if row.name in new.rows and wanted(row.name)]
    if not shared:
        raise NotARun(f"{old.path} and {new.path} share no row (other filters, or rows renamed?). "
                      "Run both with one --benchmark_filter.")
    return [judge(old.rows[name], new.rows[name], noise) for name in shared]


def say_changes(old: BenchRun, new: BenchRun, found: list[Change], noise: float,
                wanted: Callable[[str], object]) -> str:
    """The table, which of the rows that are `wanted` only one run has, and the sum of it."""
    head = ("name", "old", "spread", "new", "spread", "new/old", "verdict")
    body = [(c.name, say_time(c.old.seconds), say_spread(c.old), say_time(c.new.seconds), say_spread(c.new),
             say_ratio(c.ratio), c.verdict) for c in found]
    lines = [f"old {old.context.get('revision', 'unknown'):14} {say_peaks(old)}",
             f"new {new.context.get('revision', 'unknown'):14} {say_peaks(new)}", "",
             aligned(head, body, left=(0, 6)), ""]
    for one, other, which in ((old, new, "old"), (new, old, "new")):
        alone = [row.name for row in one.measured() if row.name not in other.rows and wanted(row.name)]
        if alone:
            more = f" and {len(alone) - SHOWN} more" if len(alone) > SHOWN else ""
            lines.append(f"only in {which}: {', '.join(alone[:SHOWN])}{more}")
    count = {verdict: sum(c.verdict == verdict for c in found) for verdict in ("faster", "slower", "same", "?")}
    said = ", ".join(f"{count[v]} {v}" for v in ("faster", "slower", "same"))
    lines.append(f"{said} (changed: the repetitions' ranges do not meet and the medians differ by more than "
                 f"{100 * noise:g} %)")
    if count["?"]:
        lines.append(f"{count['?']} not judged: one repetition has no spread. Run both with --benchmark_repetitions=5.")
    return "\n".join(lines)
