"""A roofline: nominal rate against arithmetic intensity, under the ceilings measured in the same run."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, Optional

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python/src"))
from optinc.results import style  # noqa: E402  (the look of every figure of the project)
from optinc._files import creating  # noqa: E402

from .run import BenchRun, NotARun, Row

FLOP = {"forward": (28, 16), "backward": (88, 64), "forward_backward": (116, 80)}
"""Of one MZI and word: nominal, and computed by the scaled form. A kernel at the FMA peak would stand at their ratio."""
COLOURS = ("#000000", "#0060a8", "#e69f00", "#cc79a7", "#009e73", "#888888")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P")


def scaled_form(family: str) -> Optional[tuple[int, int]]:
    """Nominal and computed flop of a family in scaled form; None for one that computes otherwise."""
    if family in ("forward_matrix", "forward_reference"):
        return None
    return next((FLOP[name] for name in ("forward_backward", "forward", "backward") if family.startswith(name)), None)


def drawable(run: BenchRun, family: str) -> list[Row]:
    """Rows FAMILY/PRECISION/ports:N/.. that have a place in the figure. Raises NotARun where there is none."""
    named = re.compile(re.escape(family) + r"/f(32|64)/ports:\d+.*")
    rows = [row for row in run.measured() if named.fullmatch(row.name)
            and row.counters.get("flop/byte", 0) > 0 and row.counters.get("flop/s", 0) > 0]
    if not rows:
        known = sorted({row.name.split("/")[0] for row in run.measured() if "flop/byte" in row.counters})
        raise NotARun(f"{run.path} has no row '{family}/f32/ports:..' or f64 to draw (it can draw "
                      f"{', '.join(known) or 'none'}). "
                      "Choose another with --family, or run without a filter.")
    return rows


@style.styled
def roofline(run: BenchRun, family: str) -> Figure:
    """A panel for each precision: ceilings as lines, points of one number of ports joined from few words to many."""
    rows = drawable(run, family)
    precisions = [p for p in ("f32", "f64") if any(row.precision == p for row in rows)]
    figure, grid = style.panels(1, len(precisions), style.PAGE_IN if len(precisions) > 1 else style.COLUMN_IN + 0.8, 3.5,
                                sharex=True, sharey=True)
    ports = sorted({row.argument("ports") or 0 for row in rows})
    for index, precision in enumerate(precisions):
        axes = grid.flat[index]
        here = [row for row in rows if row.precision == precision]
        draw_points(axes, here, ports)
        if len(precisions) > 1:
            style.panel(axes, index, precision)
    low, high = limits(run, rows, scaled_form(family))
    for index, precision in enumerate(precisions):
        draw_ceilings(grid.flat[index], run, precision, low, high, scaled_form(family))
        grid.flat[index].set_xlabel("nominal arithmetic over least traffic (flop/byte)")
        grid.flat[index].set(xscale="log", yscale="log", xlim=low, ylim=high)
        for axis in (grid.flat[index].xaxis, grid.flat[index].yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    grid.flat[0].set_ylabel("nominal rate (GFLOP/s)")
    handles: dict[str, Any] = {}
    for axes in grid.flat:
        handles.update({label: handle for handle, label in zip(*axes.get_legend_handles_labels())})
    words = sorted({row.argument("words") or 1 for row in rows})
    counted = f"{words[0]}" if len(words) == 1 else f"{', '.join(map(str, words[:-1]))} and {words[-1]}"
    title = f"Roofline of {family} under the ceilings of one core: B = {counted} words, left to right"
    return signed(figure, run, title, handles)


def limits(run: BenchRun, rows: list[Row],
           flop: Optional[tuple[int, int]]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ranges of both axes, GFLOP/s on the second: all points, the twin's too, and all ceilings."""
    x = [row.counters["flop/byte"] for row in rows]
    y = [row.counters["flop/s"] * 1e-9 for row in rows]
    y += [row.counters["flop/s"] * 1e-9 / row.counters["x_twin"] for row in rows if row.counters.get("x_twin", 0) > 0]
    above = flop[0] / flop[1] if flop else 1.0
    top = max([*y, *(above * run.peak(p) * 1e-9 for p in ("f32", "f64"))])
    return (min(x) / 3, max(x) * 1.6), (min(y) / 1.6, top * 1.5)


def draw_points(axes: Any, rows: list[Row], ports: list[int]) -> None:
    """Rows of one precision, a line for each number of ports, and the naive twin of each."""
    for place, n in enumerate(ports):
        line = sorted((row for row in rows if (row.argument("ports") or 0) == n), key=lambda r: r.counters["flop/byte"])
        if not line:
            continue
        look = place % len(COLOURS)
        axes.plot([r.counters["flop/byte"] for r in line], [r.counters["flop/s"] * 1e-9 for r in line],
                  color=COLOURS[look], linestyle=LINES[look], linewidth=0.9, marker=MARKERS[look], markersize=4.5,
                  label=f"N = {n}")
    twin = [row for row in rows if row.counters.get("x_twin", 0) > 0]
    if twin:
        axes.plot([r.counters["flop/byte"] for r in twin],
                  [r.counters["flop/s"] * 1e-9 / r.counters["x_twin"] for r in twin],
                  linestyle="none", marker="x", markersize=4, color="#777777", label="naive Eigen twin of each")


def draw_ceilings(axes: Any, run: BenchRun, precision: str, low: tuple[float, float], high: tuple[float, float],
                  flop: Optional[tuple[int, int]]) -> None:
    """The FMA peak, what the scaled form makes of it, and the reading of the second cache, each with its number."""
    peak, band = run.peak(precision) * 1e-9, run.peak("l2") * 1e-9
    ridge, bottom = peak / band, high[0]
    axes.plot([max(low[0], ridge), low[1]], [peak, peak], color=style.ACCENT, linewidth=1.1)
    start = max(low[0], bottom / band)
    if start < ridge:
        x = np.array([start, ridge])
        axes.plot(x, x * band, color=style.ACCENT, linewidth=1.1)
    small = dict(fontsize=6.5, color=style.ACCENT)
    axes.text(max(low[0], ridge) * 1.15, peak * 1.05, f"FMA peak {peak:.0f} GFLOP/s", va="bottom", **small)
    if flop:
        top = flop[0] / flop[1] * peak
        axes.plot([low[0], low[1]], [top, top], color=style.ACCENT, linewidth=0.7, linestyle=":")
        axes.text(low[1] / 1.05, top * 1.05, f"scaled form at that peak: x {flop[0]}/{flop[1]} = {top:.0f}", va="bottom",
                  ha="right", **small)
    if start < ridge:  # under the left end of the slope
        axes.text(start * 1.06, start * band / 1.1, f"L2 read\n{band:.0f} GB/s", va="top", **small)


def signed(figure: Figure, run: BenchRun, title: str, handles: dict[str, Any]) -> Figure:
    """Title, a legend under it, and where the numbers are from."""
    columns = len(handles) if figure.get_figwidth() > 5 else 3
    rows = -(-len(handles) // columns)
    figure.legend(list(handles.values()), list(handles), loc="upper left", ncol=columns, columnspacing=1.2,
                  borderaxespad=0.2, bbox_to_anchor=(0, 1 - 0.22 / figure.get_figheight()))
    figure.suptitle(style.plain(title) + "\n " * (rows + (rows > 1)), fontsize=9, x=0.01, ha="left")
    made = [str(run.context[key]) for key in ("cpu", "compiler", "build_type", "simd_target") if key in run.context]
    made.append(f"revision {run.context.get('revision', 'unknown')}")
    made.append(str(run.context.get("date", "")))
    figure.supxlabel(style.plain(" · ".join(made)), fontsize=5.5, color="#555555", x=0.01, ha="left")
    return figure


def save(figure: Figure, path: Path) -> None:
    """Writes the figure in the format its name ends in, whole or not at all. Raises OSError, and NotARun for an ending
    that matplotlib does not know."""
    ending = path.suffix[1:].lower()
    known = figure.canvas.get_supported_filetypes()
    if ending not in known:
        raise NotARun(f"cannot draw {path} (it ends in no format of a figure). End it in .png or .pdf.")
    import matplotlib

    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(style.LOOK), creating(path, force=True) as out:
        figure.savefig(out, format=ending)
