"""The average gradient that comes back against the exact one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Mapping

import numpy as np
import xarray
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from .. import style
from ..errors import NotInResult
from ..networks import label_of, networks
from ..run import Run
from ..study import show_value

LABELS = {"quantised": "codes alone", "network": "network", "chip_uncorrected": "chip, uncorrected",
          "chip_corrected": "chip, corrected", "chip_noisy": "chip, with noise"}
SCATTERED = ("quantised", "chip_corrected", "chip_noisy")


@dataclass(frozen=True, eq=False)
class Way:
    """One way that the gradient was averaged: its name, relative error, the exact average and what was received of every element."""

    name: str
    error: float
    exact: Any
    received: Any
    scattered: bool


@style.styled
def gradient(run: Run) -> Figure:
    """Relative error of the gradient by each path, and what was received against the exact average for ideal codes,
    a corrected chip and a noisy one; of a study of several networks through a noisy chip of each, of which the worst and the
    best are shown. Axes of gradients are asinh: linear below the median size, logarithmic above.

    Raises NotInResult where the study sent no gradient.
    """
    several = run.group("networks/0/gradient") is not None
    data = run.require("networks/0/gradient" if several else "gradient")
    found = ways_of_networks(run) if several else ways(data, {path: LABELS.get(path, path) for path in map(str, data["path"].values)})
    average = data["average"].values
    scattered = [way for way in found if way.scattered]
    if not scattered:
        raise NotInResult(f"{run.path} has a gradient, but neither by ideal codes nor through a chip "
                          f"(paths: {', '.join(way.name for way in found)}). Run the study again with these paths.")
    figure, grid = style.panels(2, 2, style.PAGE_IN, 5.4)
    draw_errors(grid[0, 0], [way.name for way in found], np.array([way.error for way in found]))
    for axes in grid.flat[1 + len(scattered):]:
        axes.remove()
    # The median size, unless most elements are all but zero
    sizes = np.abs(average)
    scale = max(float(np.median(sizes)), float(sizes.max()) * 1e-3, float(np.finfo(np.float32).tiny))
    for index, way in enumerate(scattered, 1):
        draw_received(figure, grid.flat[index], way.exact, way.received, scale)
        style.panel(grid.flat[index], index, way.name)
    title = f"One training step's gradient: {data.attrs.get('servers', '?')} servers, {len(average):,} elements"
    if "sigma_eta_rad" in data.attrs:
        title += f", splitter error {show_value(float(data.attrs['sigma_eta_rad']), 'rad')}"
    return style.finish(figure, run, title + (", chips with all noise" if several else ""))


def ways(data: xarray.Dataset, names: Mapping[str, str]) -> list[Way]:
    """The ways of these paths by the names they bear; not the exact one, whose error is 0 by definition."""
    paths = [str(path) for path in data["path"].values]
    return [Way(names[path], float(data["relative_error"].values[i]), data["average"].values, data["received"].isel(path=i).values, path in SCATTERED)
            for i, path in enumerate(paths) if path in names and path != "exact"]


def ways_of_networks(run: Run) -> list[Way]:
    """Ideal codes, and a noisy chip of every network: the codes, the worst and the best are scattered."""
    chips = [way for i, network in enumerate(networks(run))
             for way in ways(run.require(f"networks/{i}/gradient"), {"chip_noisy": label_of(network.name)})]
    ends = [pick(chips, key=lambda way: way.error, default=None) for pick in (max, min)]
    return [*ways(run.require("networks/0/gradient"), {"quantised": LABELS["quantised"]}),
            *(replace(way, scattered=way in ends) for way in chips)]


def draw_errors(axes: Any, paths: list[str], error: Any) -> None:
    """A bar a path with its relative error."""
    axes.barh(range(len(paths)), error, color="#b8b8b8", edgecolor="black", linewidth=0.6, height=0.62)
    for row, value in enumerate(error):
        axes.text(value * 1.1, row, f"{value:.4g}", va="center", fontsize=7)
    axes.set_yticks(range(len(paths)), paths)
    axes.invert_yaxis()
    axes.set_xscale("log")
    positive = error[error > 0]
    if len(positive):
        axes.set_xlim(positive.min() / 10, positive.max() * 8)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("relative error ‖received − average‖ / ‖average‖")
    style.panel(axes, 0, "error of the whole gradient")


def draw_received(figure: Figure, axes: Any, average: Any, received: Any, scale: float) -> None:
    """Density of elements over (exact, received), and the line where they are equal."""
    x, y = np.arcsinh(np.asarray(average, float) / scale), np.arcsinh(np.asarray(received, float) / scale)
    across, up = (float(np.abs(v).max()) * 1.05 or 1.0 for v in (x, y))
    density, x_edges, y_edges = np.histogram2d(x, y, bins=141, range=[(-across, across), (-up, up)])
    most = max(float(density.max()), 2.0)
    image = axes.pcolormesh(x_edges, y_edges, np.ma.masked_array(density.T, density.T == 0), cmap="Greys",
                            rasterized=True, norm=LogNorm(vmin=0.3, vmax=most))
    both = min(across, up)
    axes.plot([-both, both], [-both, both], color=style.ACCENT, linewidth=0.6)
    asinh_axis(axes.xaxis, across, scale)
    asinh_axis(axes.yaxis, up, scale)
    axes.set_xlabel("exact average")
    axes.set_ylabel("received")
    bar = figure.colorbar(image, ax=axes, shrink=0.85, pad=0.02)
    bar.ax.set_ylim(1, most)
    bar.set_label("elements")


def asinh_axis(axis: Any, limit: float, scale: float) -> None:
    """Decades of either sign at asinh(value / scale), up to `limit` on that axis, and 0."""
    ticks = {0.0: "0"}
    for k in range(-40, 40):
        place = float(np.arcsinh(10.0 ** k / scale))
        if 0.2 * limit < place < limit:
            ticks[place], ticks[-place] = f"$10^{{{k}}}$", f"$-10^{{{k}}}$"
    axis.set_major_locator(FixedLocator(sorted(ticks)))
    axis.set_ticklabels([ticks[t] for t in sorted(ticks)])
