"""The mean of a metric over two swept parameters."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import (Parameter, Statistic, fixed, headline_metrics, metrics, of_worst_layer, parameter, parameters,
                     per_variant, say_point, statistic)

MOST_NUMBERS = 12  # a row, and to an inch below: more are too small to read
MOST_AN_INCH = 3.2


@style.styled
def heat_map(run: Run, *, metric: Union[str, Sequence[str], None] = None, x: Optional[str] = None, y: Optional[str] = None,
             at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Mean of `metric` over two swept parameters, a panel per variant: with numbers in the cells, or where these are
    many, contours.

    `metric`: one or several names, a row of panels each; by default the first that the study names, or its most telling
    one, and the yield where the study has one. `x`, `y`: swept parameters; by default the sweeps of most values (no
    ablation, which has a figure of its own), the inner of them along x. Cells are of one size, whatever the
    steps. `at`: values of the other sweeps, by parameter name, else their first point (an ablation at `all`); the title
    says so.

    Raises NotInResult where there are no two sweeps, or a name is not there.
    """
    across, up = two_parameters(run, x, y)
    names = [metric] if isinstance(metric, str) else list(
        metric or dict.fromkeys([headline_metrics(run)[0], *({"yield"} & set(metrics(run)))]))
    values = [of_worst_layer(statistic(run, name)) for name in names]
    rest = fixed(run, (across.axis, up.axis), at)

    panels = max(len(per_variant(value.mean)) for value, _ in values)
    columns = min(panels, 3)
    per_metric = -(-panels // columns)
    rows = per_metric * len(values)
    width = style.COLUMN_IN if columns == 1 else style.PAGE_IN
    height = 0.9 + rows * min(max(2.0, 0.24 * len(up.values) + 0.6), 3.4)
    figure, grid = style.panels(rows, columns, width, height, sharex=True, sharey=True)
    index = 0
    for place, (value, note) in enumerate(values):
        maps = [(name, mean.transpose(up.axis, across.axis).values) for name, mean in per_variant(value.at(rest).mean)]
        own = list(grid[place * per_metric:(place + 1) * per_metric].flat)
        draw_maps(figure, own[:len(maps)], maps, value, across, up, index, columns * len(across.values) / width)
        for axes in own[len(maps):]:
            axes.remove()
        index += len(maps)
    for axes in grid[-1]:
        name_cells(axes, "x", across, MOST_NUMBERS // columns + 2)
    for axes in grid[:, 0]:
        name_cells(axes, "y", up, MOST_NUMBERS)
    said = [f"mean {value.name}".replace("mean yield", "yield").replace("_", " ") for value, _ in values]
    title = "; ".join([", and ".join(said), *(note for _, note in values if note)])
    title = title[0].upper() + title[1:]
    return style.finish(figure, run, title + (f"; at {say_point(run, rest)}" if rest else ""))


def draw_maps(figure: Figure, places: list[Any], maps: list[tuple[str, Any]], value: Statistic, across: Parameter,
              up: Parameter, first: int, cells_per_inch: float) -> None:
    """The panels of one metric, lettered from `first`, on one scale of colour: that of shares, where it is one and
    they lie far apart, goes from 0 to 1."""
    finite = np.concatenate([cells[np.isfinite(cells)] for _, cells in maps])
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    if value.meaning.share_of_good and high - low > 0.5:
        low, high = 0.0, 1.0
    if low == high:
        low, high = low - 0.5, high + 0.5
    numbers = max(len(across.values), len(up.values)) <= MOST_NUMBERS and cells_per_inch < MOST_AN_INCH
    lines = across.numeric and up.numeric and not numbers  # they would strike the numbers out
    levels = [v for v in MaxNLocator(4).tick_values(low, high) if low < v < high]
    for index, (axes, (name, cells)) in enumerate(zip(places, maps)):
        image = axes.imshow(cells, origin="lower", aspect="auto", cmap="cividis", vmin=low, vmax=high)
        axes.grid(visible=False)
        if lines and min(cells.shape) > 1 and np.isfinite(cells).sum() > 3:
            draw_contours(axes, cells, levels)
        if numbers:
            write_numbers(axes, image, cells, 6.5 if cells_per_inch < 2.2 else 5.5)
        if name:
            style.panel(axes, first + index, str(style.variant(name)["label"]))
    bar = figure.colorbar(image, ax=places, shrink=0.9, pad=0.02)
    bar.set_label(style.label(value.axis_name, value.units, 30))
    for level in levels if lines else ():
        bar.ax.axhline(level, color="white", linewidth=1.8)
        bar.ax.axhline(level, color="black", linewidth=0.7)


def two_parameters(run: Run, x: Optional[str], y: Optional[str]) -> tuple[Parameter, Parameter]:
    """The parameters across and up: those named, else one of each sweep, longest sweeps first, inner across."""
    swept = {p.axis: p for p in reversed(list(parameters(run).values()))}  # the first parameter of every sweep
    axes = [a for a in run.sweeps if a != "ablation" and len(swept[a].values) > 1]
    axes.sort(key=lambda a: -len(swept[a].values))
    taken = [parameter(run, name) for name in (x, y) if name is not None]
    spare = [swept[a] for a in axes if a not in [p.axis for p in taken]][:2 - len(taken)]
    spare.sort(key=lambda p: run.sweeps.index(p.axis))
    across = parameter(run, x) if x is not None else spare.pop() if spare else None
    up = parameter(run, y) if y is not None else spare.pop() if spare else None
    if across is None or up is None or across.axis == up.axis:
        raise NotInResult(f"{run.path} has no two sweeps for a heat map (swept: {', '.join(run.sweeps) or 'nothing'}). "
                          "Sweep two parameters by two or more values each.")
    return across, up


def draw_contours(axes: Any, cells: Any, values: Any) -> None:
    """Lines of equal value between the centres of the cells, at those `values` that lie within."""
    levels = [v for v in values if np.nanmin(cells) < v < np.nanmax(cells)]
    if levels:
        # A line must show on dark and on light: white below, black above
        for color, width in (("white", 1.8), ("black", 0.7)):
            axes.contour(np.ma.masked_array(cells, ~np.isfinite(cells)), levels, colors=color, linewidths=width)


def write_numbers(axes: Any, image: Any, cells: Any, size: float) -> None:
    """Every cell's value in it, dark on light and light on dark; a dash where none was measured."""
    for (row, column), value in np.ndenumerate(cells):
        red, green, blue, _ = image.cmap(image.norm(value)) if np.isfinite(value) else (1, 1, 1, 1)
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        axes.text(column, row, short(value), ha="center", va="center", fontsize=size,
                  color="white" if dark else "black",
                  path_effects=[withStroke(linewidth=2, foreground=(red, green, blue))])


def short(value: float) -> str:
    """A number in five letters or so; a share that only rounds to 1 reads <1."""
    if not np.isfinite(value):
        return "–"
    text = f"{value:.3g}"
    if text == "1" and value < 1:
        return "<1"
    if len(text) > 5:
        text = f"{value:.2g}"
    return text if len(text) <= 6 else f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")


def name_cells(axes: Any, direction: str, p: Parameter, most: int) -> None:
    """Values of the parameter at the cells of one axis, `most` at the most."""
    factor, unit = style.scale_of(p.values, p.units) if p.numeric else (1.0, p.units)
    step = -(-len(p.values) // most) if p.numeric else 1  # a name left out could not be guessed
    places = list(range(0, len(p.values), step))
    names = [f"{p.values[i] * factor:.3g}" if p.numeric else style.plain(str(p.values[i])) for i in places]
    axis = axes.xaxis if direction == "x" else axes.yaxis
    axis.set_ticks(places, names)
    if direction == "x" and sum(map(len, names)) > 20:
        axes.tick_params(axis="x", labelrotation=45)
    axis.set_label_text(style.label(p.long_name, unit, 30))
