"""One look for every figure: legible at a paper's column width, readable in grey, signed with its run."""

from __future__ import annotations

import re
import textwrap
from functools import wraps
from itertools import cycle
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Sequence, TypeVar, cast

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from .._files import creating
from .run import Run
from .study import PREFIXES

COLUMN_IN = 3.4
"""Width of one column of a two-column paper."""
PAGE_IN = 7.0
"""Width of both."""
ACCENT = "#c00000"
"""Thresholds and ideals: always a thin line."""

# Each thing differs from its neighbours in lightness, line and marker, so that colour is never needed.
VARIANTS: dict[str, dict[str, Any]] = {
    "uncorrected": dict(color="#e69f00", linestyle="--", marker="s", label="uncorrected"),
    "corrected": dict(color="#cc79a7", linestyle="-.", marker="D", label="corrected"),
    "corrected_quadrature": dict(color="#0060a8", linestyle="-", marker="o", label="corrected, quadrature"),
    "noisy": dict(color="#000000", linestyle=":", marker="^", label="corrected, with noise"),
    "drifting": dict(color="#e69f00", linestyle="--", marker="s", label="calibrated once"),
    "recalibrated": dict(color="#009e73", linestyle=(0, (6, 1, 1, 1)), marker="v", label="re-calibrated"),
    "checked": dict(color="#0060a8", linestyle="-", marker="o", label="calibrated when checks fail"),
}
DIGITS: list[dict[str, Any]] = [  # one target level each: fill, line
    dict(color="#bdbdbd", linestyle="-"),
    dict(color="#e69f00", linestyle="--"),
    dict(color="#0060a8", linestyle="-."),
    dict(color="#000000", linestyle=":"),
]
LINES: list[dict[str, Any]] = [  # neighbours differ in lightness, dashes and marker
    dict(color="#000000", linestyle="-", marker="o"),
    dict(color="#e69f00", linestyle="--", marker="s"),
    dict(color="#0060a8", linestyle="-.", marker="^"),
    dict(color="#999999", linestyle="-", marker="D"),
    dict(color="#7a3b69", linestyle=":", marker="v"),
    dict(color="#56b4e9", linestyle=(0, (6, 1, 1, 1, 1, 1)), marker="P"),
    dict(color="#333333", linestyle=(0, (1, 1)), marker="X"),
    dict(color="#cc79a7", linestyle=(0, (8, 2)), marker="<"),
]


def looks() -> Iterator[dict[str, Any]]:
    """The look of every line of a panel, from the first on; after the last they repeat."""
    return cycle(LINES)


LOOK: dict[Any, Any] = {
    "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "legend.fontsize": 7,
    "xtick.labelsize": 7, "ytick.labelsize": 7,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.6,
    "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.4, "axes.axisbelow": True,
    "lines.linewidth": 1.3, "lines.markersize": 4, "legend.frameon": False, "legend.handlelength": 2.6,
    "axes.formatter.useoffset": False,  # 1550.2, not 0.2 and +1.55e3 elsewhere
    "pdf.fonttype": 42,  # text stays text
    "figure.constrained_layout.use": True, "savefig.dpi": 220,
}

Draws = TypeVar("Draws", bound=Callable[..., Figure])


def styled(draw: Draws) -> Draws:
    """Lets a function draw in this look, and leaves matplotlib's settings as they were."""
    @wraps(draw)
    def wrapped(*arguments: Any, **options: Any) -> Figure:
        with matplotlib.rc_context(LOOK):
            return draw(*arguments, **options)
    return cast(Draws, wrapped)


def panels(rows: int, columns: int, width_in: float, height_in: float, **options: Any) -> tuple[Figure, Any]:
    """A figure with a grid of axes (rows, columns). Not by pyplot, which would keep every figure open."""
    figure = Figure(figsize=(width_in, height_in))
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def variant(name: str) -> dict[str, Any]:
    """Line style of a variant; one this file does not know is drawn grey."""
    unknown = dict(color="#777777", linestyle="-", marker="x", label=plain(name.replace("_", " ")) or None)
    return dict(VARIANTS.get(name, unknown))


def plain(text: str) -> str:
    """Text that matplotlib shall not take for mathematics."""
    return text.replace("$", r"\$")


def label(long_name: str, units: str, width: int = 40) -> str:
    """Label of an axis, its lines no longer than `width` letters; of a meaning that is a list, what stands before it."""
    if len(long_name) > 60:
        long_name = re.split("[:;]", long_name)[0]
    if units != "1":  # one pair of brackets: that of the unit
        long_name = f"{re.sub(r' [(][^()]*[)]$', '', long_name)} ({units.replace(' ', chr(0xa0))})"
    text = long_name
    return plain(textwrap.fill(text, width, break_long_words=False))


def panel(axes: Any, index: int, title: str) -> None:
    """Letter and title above a panel, flush left."""
    axes.set_title(plain(f"({chr(ord('a') + index % 26)}) {title}"), loc="left")


def scale_of(values: Any, units: str) -> tuple[float, str]:
    """Factor and unit that make these values easy to read: 0.005 rad is 5 mrad. Only for units that take prefixes."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if units not in ("rad", "s", "W", "Hz", "A", "m", "V") or largest == 0:
        return 1.0, units
    exponent = int(3 * np.floor(np.log10(largest) / 3 + 1e-9))
    exponent = max(-15, min(exponent, 0 if units in ("rad", "s", "m") else 12))
    return 10.0 ** -exponent, PREFIXES[exponent] + units


def log_spaced(values: Sequence[float]) -> bool:
    """Whether positive values are spaced more evenly by ratio than by difference."""
    v = np.unique(np.asarray(values, float))
    v = v[np.isfinite(v)]
    if len(v) < 3 or v[0] <= 0:
        return False
    steps, ratios = np.diff(v), np.diff(np.log(v))
    return bool(ratios.std() / ratios.mean() < steps.std() / steps.mean() - 1e-9)


def parameter_axis(axes: Any, values: Sequence[float], title: str, gap: float = 0.08) -> None:
    """Makes the x axis that of these values: logarithmic where they were spaced so (a first value of 0 apart), and
    labelled at the values themselves where they are few and at least `gap` of the width apart."""
    v = np.unique(np.asarray(values, float))
    v = v[np.isfinite(v)]
    positive = v[v > 0]
    place: Callable[[Any], Any] = np.asarray
    if log_spaced(v):
        axes.set_xscale("log")
        place = np.log
    elif len(v) and v[0] == 0 and log_spaced(positive):
        axes.set_xscale("symlog", linthresh=positive[0], linscale=0.5)
        place = lambda x: np.where(x > 0, np.log(np.maximum(x, positive[0]) / positive[0]) + 1, 0.0)  # noqa: E731
    axes.set_xlabel(title)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}"))
    if len(v) > 12 and axes.get_xscale() == "log" and v[-1] < 1e3 * v[0]:
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_minor_locator(NullLocator())
    if 0 < len(v) <= 12:
        where = np.atleast_1d(place(v))
        width = max(float(where[-1] - where[0]), 1e-300)
        ticks = [v[0]]
        for value, here in zip(v, where):
            if here - float(place(np.asarray(ticks[-1]))) >= gap * width and value != ticks[-1]:
                ticks.append(value)
        axes.xaxis.set_major_locator(FixedLocator(ticks))
        axes.xaxis.set_minor_locator(NullLocator())
    if len(v) == 1:
        axes.set_xlim(v[0] - (abs(v[0]) or 1.0), v[0] + (abs(v[0]) or 1.0))


def decades(axes: Any, which: str, values: Any, some: Sequence[int] = (1, 2, 5)) -> None:
    """Makes the axis "x" or "y" logarithmic, of these positive values: in plain numbers, of every decade `some` or, in few
    decades, more; in powers of ten where the numbers are long."""
    getattr(axes, f"set_{which}scale")("log")
    axis = getattr(axes, f"{which}axis")
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low < 1e-4 or high >= 1e6:
        return
    subs = (1, 2, 5) if high < 12 * low else some if high < 100 * low else (1,)
    axis.set_major_locator(MaxNLocator(6) if high < 3 * low else LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}"))
    axis.set_minor_locator(NullLocator())


def legend_columns(labels: Sequence[str], width: float) -> int:
    """In how many columns a legend fits into so many inches: all in one row, two, or one. About 20 letters to an inch."""
    for columns in (len(labels), 2):
        rows = -(-len(labels) // columns)
        if sum(0.05 * max(map(len, labels[i:i + rows])) + 0.5 for i in range(0, len(labels), rows)) < width:
            return columns
    return 1


def finish(figure: Figure, run: Run, title: str, legend: Optional[tuple[list[Any], list[str]]] = None) -> Figure:
    """Titles the figure, puts a legend (handles, labels) of two or more under the title, one alone into it, and signs
    it with its run; a run that is not complete says so in the title."""
    asked, done = run.asked_and_run
    if run.incomplete:
        title += f" — incomplete run: {done} of {asked} trials"
    width = figure.get_figwidth()
    if legend is not None and len(legend[1]) == 1 and legend[1][0]:
        if not re.search(rf"\b{re.escape(legend[1][0])}$", title):
            title += f"; {legend[1][0]}"
    # About 14 letters of the title and 23 of the small print to an inch
    title = title[:1].upper() + title[1:]
    title = title.replace(" = ", "\xa0=\xa0").replace(" %", "\xa0%")  # not torn apart
    title = re.sub(r"(\d) (?=(?:trial|chip|mesh|word|die|draw|server|node|condition)(?:e?s)?\b)", "\\1\xa0", title)
    title = plain(textwrap.fill(title, int(14 * width) + 5 * (width > 5)))
    if legend is not None and len(legend[1]) > 1:
        columns = legend_columns(legend[1], width)
        top_in = 0.05 + 0.155 * (title.count("\n") + 1)
        figure.legend(*legend, loc="upper left", bbox_to_anchor=(0, 1 - top_in / figure.get_figheight()), ncol=columns,
                      columnspacing=1.2, borderaxespad=0.2)
        rows = -(-len(legend[1]) // columns)
        title += "\n " * (rows + (rows > 1))  # keeps the place free; figures lay out nothing around legends
    figure.suptitle(title, fontsize=9, x=0.01, ha="left")
    signature = textwrap.fill(run.provenance.signature(), int(23 * width), break_long_words=False)
    figure.supxlabel(plain(signature), fontsize=5.5, color="#555555", x=0.01, ha="left")
    return figure


def save(figure: Figure, directory: Path, name: str) -> list[Path]:
    """Writes DIRECTORY/NAME.png and .pdf, each whole or not at all; the same figure gives the same bytes. Returns
    both paths. Raises OSError where they cannot be written."""
    written = []
    with matplotlib.rc_context(LOOK):
        for ending, metadata in (("png", {}), ("pdf", {"CreationDate": None})):
            path = directory / f"{name}.{ending}"
            with creating(path, force=True) as out:
                figure.savefig(out, format=ending, metadata=metadata)
            written.append(path)
    return written
