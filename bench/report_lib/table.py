"""Rows of a run as an aligned table."""

from __future__ import annotations

from typing import Optional, Sequence

from .run import BenchRun, Row

RATES = ("words/s", "chips/s", "MZI-fields/s", "MZIs/s")
"""What a row is said to do per second: the first of these that it has."""
MADE_WITH = ("cpu", "compiler", "build_type", "flags", "simd_target", "eigen_simd", "revision")


def in_prefixes(value: float, prefixes: Sequence[tuple[float, str]]) -> str:
    """Three digits and the largest prefix not above the value: 0.0123 is 12.3 m."""
    scale, prefix = next(((s, p) for s, p in prefixes if value >= s * 0.9995), prefixes[-1])
    scaled = value / scale
    return f"{scaled:.{2 if scaled < 9.995 else 1 if scaled < 99.95 else 0}f} {prefix}"


def say_time(seconds: float) -> str:
    """"12.3 us"."""
    return in_prefixes(seconds, ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")))


def say_rate(row: Row) -> str:
    """"12.3 M chips/s"; empty for a row without a rate."""
    name = next((rate for rate in RATES if rate in row.counters), None)
    if name is None:
        return ""
    prefixed = in_prefixes(row.counters[name], ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")))
    return f"{prefixed.rstrip()} {name}"


def say_ratio(value: Optional[float]) -> str:
    """Three digits at least; empty for None."""
    return "" if value is None else f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def say_spread(row: Row) -> str:
    """"2 %", half the range of the repetitions; "?" for one."""
    return "?" if row.spread is None else f"{100 * row.spread:.1f} %"


def aligned(head: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """A table; columns at the places `left` flush left, columns with nothing in them left out."""
    keep = [i for i in range(len(head)) if any(line[i] for line in body)]
    lines = [[line[i] for i in keep] for line in (head, *body)]
    width = [max(len(line[i]) for line in lines) for i in range(len(keep))]
    flush = [keep[i] in left for i in range(len(keep))]
    padded = [[cell.ljust(w) if here else cell.rjust(w) for cell, w, here in zip(line, width, flush)] for line in lines]
    return "\n".join("  ".join(line).rstrip() for line in padded)


def say_peaks(run: BenchRun) -> str:
    """Peaks before and after the rows, one line."""
    parts = []
    for what, name, unit in (("f32", "FMA peak f32", "GFLOP/s"), ("f64", "f64", "GFLOP/s"), ("l2", "L2 read", "GB/s")):
        again = run.peak_again(what)
        after = f" (after the run {again * 1e-9:.0f})" if again else ""
        parts.append(f"{name} {run.peak(what) * 1e-9:.0f}{after} {unit}")
    return ", ".join(parts) + ", one core"


def say_context(run: BenchRun) -> str:
    """What the run was made with, and its peaks."""
    made = "\n".join(f"{key:12} {run.context[key]}" for key in MADE_WITH if key in run.context)
    return f"{made}\n{'date':12} {run.context.get('date', 'unknown')}\n{say_peaks(run)}"


def table(run: BenchRun, rows: Sequence[Row]) -> str:
    """Context and a line per row: name, median time, spread, rate, nominal GFLOP/s, % of the FMA peak, times the twin."""
    head = ("name", "time", "spread", "rate", "GFLOP/s", "% of peak", "x twin", "x forward", "")
    body = []
    for row in rows:
        c = row.counters
        body.append((row.name, say_time(row.seconds), say_spread(row), say_rate(row),
                     f"{c['flop/s'] * 1e-9:.1f}" if "flop/s" in c else "",
                     f"{c['%peak']:.1f}" if "%peak" in c else "",
                     say_ratio(c.get("x_twin")), say_ratio(c.get("x_forward")), row.label))
    text = f"{say_context(run)}\n\n{aligned(head, body, left=(0, 8))}"
    for name, why in run.broken.items():
        text += f"\n{name}: not measured ({why})"
    return text
