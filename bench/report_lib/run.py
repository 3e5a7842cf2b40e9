"""A run of bench_optinc, from the JSON that Google Benchmark wrote of it."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
PEAKS = {"f32": "fma_peak_f32_flop_per_s", "f64": "fma_peak_f64_flop_per_s", "l2": "l2_read_byte_per_s"}
AGAIN = {"f32": "f32_flop/s", "f64": "f64_flop/s", "l2": "l2_byte/s"}
COUNTERS = ("MZI-fields/s", "flop/s", "%peak", "flop/byte", "x_twin", "x_forward", "MZIs/s", "words/s", "chips/s")
HOW = "bench_optinc --benchmark_out=FILE --benchmark_out_format=json"


class NotARun(ValueError):
    """The file is no run that can be read. Its text says what, why and what to do."""


@dataclass
class Row:
    """One benchmark: medians over its repetitions."""
    name: str
    seconds: float  # one iteration: CPU time, or real time where the name ends so
    low: float      # least and largest over the repetitions; of aggregates alone, 2 standard deviations off the median
    high: float
    repetitions: int
    counters: dict[str, float] = field(default_factory=dict)
    label: str = ""

    @property
    def spread(self) -> Optional[float]:
        """Half the range over the median; None where one repetition says nothing of it."""
        return (self.high - self.low) / 2 / self.seconds if self.repetitions > 1 else None

    @property
    def precision(self) -> Optional[str]:
        """"f32", "f64", or None where the name says neither."""
        return next((part for part in self.name.split("/") if part in ("f32", "f64")), None)

    def argument(self, name: str) -> Optional[int]:
        """The number behind "NAME:" in the row's name."""
        found = [part.split(":")[1] for part in self.name.split("/") if part.startswith(name + ":")]
        return int(found[0]) if found and found[0].isdigit() else None


@dataclass
class BenchRun:
    """All rows of a file, by name in its order, and what the run was made with."""
    path: Path
    context: dict[str, Any]
    rows: dict[str, Row]
    broken: dict[str, str]  # rows that could not be measured, and why

    def peak(self, what: str) -> float:
        """"f32" or "f64" in flop/s, "l2" in byte/s, as measured before the first row."""
        return float(self.context[PEAKS[what]])

    def peak_again(self, what: str) -> Optional[float]:
        """The same behind the last row; None where that row was left out."""
        row = next((r for name, r in self.rows.items() if name.startswith("peaks_again")), None)
        return row.counters.get(AGAIN[what]) if row else None

    def measured(self) -> list[Row]:
        """All rows but that of the peaks."""
        return [row for name, row in self.rows.items() if not name.startswith("peaks_again")]


def number(value: Any) -> Optional[float]:
    """A finite number, or None."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if good else None


def read_run(path: Path) -> BenchRun:
    """Reads one file. Raises NotARun for one that is not there, empty, no JSON, of another program or without rows."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise NotARun(f"{path} cannot be read ({error.strerror}). Write it with: {HOW}") from error
    except UnicodeDecodeError as error:
        raise NotARun(f"{path} is no text (byte {error.start}). Write it with: {HOW}") from error
    if not text.strip():
        raise NotARun(f"{path} is empty (was the run stopped before it wrote?). Write it with: {HOW}")
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotARun(f"{path} is no whole JSON, at line {error.lineno}: {error.msg} (a run that was stopped leaves half "
                      f"a file; text on the console is no JSON). Write it with: {HOW}") from error
    top = data if isinstance(data, dict) else {}
    if not isinstance(top.get("context"), dict) or not isinstance(top.get("benchmarks"), list):
        raise NotARun(f"{path} is no Google Benchmark file (its top needs 'context' and 'benchmarks'). "
                      f"Write it with: {HOW}")
    context = data["context"]
    missing = [key for key in ("simd_target", "cpu", "compiler", *PEAKS.values()) if key not in context]
    if missing:
        raise NotARun(f"{path} is of another benchmark program (its context has no {', '.join(missing)}, which "
                      f"bench_optinc writes). Write it with: {HOW}")
    for key in PEAKS.values():
        try:
            good = float(context[key]) > 0
        except (TypeError, ValueError):
            good = False
        if not good:
            raise NotARun(f"{path} has {key} = {context[key]!r} in its context (a peak is a positive number). "
                          "Run it again.")
    rows, broken = collect(path, data["benchmarks"])
    if not rows and not broken:
        raise NotARun(f"{path} holds no row (did --benchmark_filter match none?). "
                      "bench_optinc --benchmark_list_tests lists them.")
    return BenchRun(path, context, rows, broken)


def collect(path: Path, entries: list[Any]) -> tuple[dict[str, Row], dict[str, str]]:
    """Rows and broken rows from the entries of a file: one per repetition, one per aggregate."""
    groups: dict[str, list[dict[str, Any]]] = {}
    broken: dict[str, str] = {}
    for place, entry in enumerate(entries):
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise NotARun(f"{path}: entry {place} of 'benchmarks' has no name (the file was changed by hand?). "
                          "Run it again.")
        name = entry.get("run_name", entry["name"])
        if entry.get("error_occurred"):
            broken[name] = str(entry.get("error_message", "no reason given"))
        else:
            groups.setdefault(name, []).append(entry)
    return {name: row_of(path, name, group) for name, group in groups.items()}, broken


def row_of(path: Path, name: str, group: list[dict[str, Any]]) -> Row:
    """One row from its repetitions, or from its aggregates where only those were written."""
    which = "real_time" if name.endswith("/real_time") else "cpu_time"
    single = [entry for entry in group if entry.get("run_type", "iteration") == "iteration"]
    aggregates = {entry.get("aggregate_name"): entry for entry in group if entry.get("run_type") == "aggregate"}
    used = single or [entry for key, entry in aggregates.items() if key == "median"]
    if not used:
        raise NotARun(f"{path}: {name} has neither repetitions nor a median (aggregates: "
                      f"{', '.join(map(str, aggregates)) or 'none'}). Run it again with --benchmark_repetitions=5.")
    times = []
    for entry in used:
        value, unit = number(entry.get(which)), entry.get("time_unit")
        if value is None or value <= 0 or unit not in SECONDS:
            raise NotARun(f"{path}: {name} has {which} = {entry.get(which)!r} {unit} (a time is a positive number of ns, "
                          "us, ms or s). Run it again.")
        times.append(value * SECONDS[unit])
    seconds = statistics.median(times)
    low, high, repetitions = min(times), max(times), len(times)
    if not single:
        cv = number(aggregates.get("cv", {}).get(which))
        repetitions = int(used[0].get("repetitions", 1)) if cv is not None else 1
        low, high = seconds * (1 - 2 * (cv or 0)), seconds * (1 + 2 * (cv or 0))
    counters = {}
    for counter in (*COUNTERS, *AGAIN.values()):
        values = [value for entry in used if (value := number(entry.get(counter))) is not None]
        if values:
            counters[counter] = statistics.median(values)
    return Row(name, seconds, low, high, repetitions, counters, str(used[0].get("label", "")))
