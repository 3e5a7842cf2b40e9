"""Share of words wrong on the wavelengths of a comb through one chip."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, Mapping, Optional

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..networks import label_of, network_of_point, networks
from ..order_statistics import TAIL
from ..run import Run
from ..study import Parameter, Statistic, fixed, metrics, parameters, say_trials, show_value, statistic, words_of
from .metric_vs_parameter import Zero, least_seen, of_wrong, wrong_axis, zero_of

MOST_PANELS, COLUMNS = 6, 2


@style.styled
def comb(run: Run, *, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Share of words wrong, on a logarithmic axis, against the frequency of a channel: a line for every network and variant
    of a study of model `comb`, a panel for every point of its other sweeps (the first six). Bands: 95 % intervals of the
    mean over chips. Where no word was wrong, lines stand side by side at a 0 below the smallest share that so many words can
    show; the title says what share is excluded there, exactly (Clopper and Pearson, 95 %).

    `at`: where to stand on sweeps, by parameter name.

    Raises NotInResult where the file is not of model comb.
    """
    if run.summary is None or "channel_accuracy" not in metrics(run):
        raise NotInResult(f"{run.path} has no channels of a comb (it is not of model comb, or measure.metrics leaves out "
                          "channel_accuracy). Run a study of model comb.")
    network_axis = next((p.axis for p in parameters(run).values() if p.key == "network.source"), None)
    placed = {p.axis for p in parameters(run).values() if p.name in (at or {})}
    lines = network_axis if network_axis not in placed else None
    across = [axis for axis in run.sweeps if axis != lines and axis not in placed]
    rest = fixed(run, tuple(axis for axis in (*across, lines) if axis), at)
    value = of_wrong(statistic(run, "channel_accuracy")).at(rest)
    points = list(product(*(range(run.require("trials").sizes[axis]) for axis in across)))
    panels = [dict(zip(across, point)) for point in points[:MOST_PANELS]]
    offset = offsets(run)
    zero = zero_of(run, value)

    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    each = lines_of(run, value, lines, {**rest, **panels[0]})
    width = style.COLUMN_IN * 1.4 if columns == 1 else style.PAGE_IN
    figure, grid = style.panels(rows, columns, width, 0.9 + 0.16 * -(-len(each) // 2) + 2.1 * rows, sharex=True, sharey=True)
    for index, axes in enumerate(grid.flat):
        if index >= len(panels):
            axes.set_visible(False)
            continue
        for line, (look, where) in enumerate(each):
            apart = 1.3 ** (line - (len(each) - 1) / 2)
            draw_line(axes, offset, value.at({**panels[index], **where}),
                      replace(zero, place=zero.place * apart) if zero else None, look)
        axes.set_yscale("log")
        wrong_axis(axes, least_seen(value), replace(zero, said="") if zero else None)
        if index % columns == 0:
            axes.set_ylabel("share of words wrong")
        if index + columns >= len(panels):
            axes.set_xlabel(style.label(offset.long_name, offset.units, 46))
            axes.tick_params(labelbottom=True)
        if len(panels) > 1:
            style.panel(axes, index, short_point(run, panels[index]))
    count = run.require("trials").sizes["channel"]
    title = f"Words wrong on {count} wavelength channels of one chip: mean and 95 % interval, "
    title += say_trials(run).replace("trial", "chip") + " per point"
    if zero is not None and zero.said.endswith("words"):  # one of them is the least share
        limit = -np.expm1(np.log(TAIL) * zero.least)
        title += f"; at 0, {zero.said} is wrong: fewer than {limit:.1e} with 95 % confidence"
    if rest:
        title += f"; at {short_point(run, rest)}"
    if len(points) > len(panels):
        title += f"; the first {len(panels)} of {len(points)} points"
    return style.finish(figure, run, title, grid.flat[0].get_legend_handles_labels())


def offsets(run: Run) -> Parameter:
    """The axis `channel`, with a prefix."""
    channel = run.require("summary")["channel"]
    units, long_name = words_of(channel.attrs, "channel")
    factor, units = style.scale_of(channel.values.tolist(), units)
    return Parameter("channel", "channel", np.asarray(channel.values, float) * factor, units, long_name)


def lines_of(run: Run, value: Statistic, axis: Optional[str], point: Mapping[str, int]) -> list[tuple[dict[str, Any], dict[str, int]]]:
    """Look and place of every line: networks along their sweep, if there is one, each in a colour, in each variant, with dashes
    and markers of its own."""
    ways = [style.variant(str(name)) for name in value.mean["variant"].values]
    if axis is None:
        return [(way, {"variant": v}) for v, way in enumerate(ways)]
    of_point, found = network_of_point(run), networks(run)
    lines = []
    for i, (v, way) in product(range(value.mean.sizes[axis]), enumerate(ways)):
        name = label_of(found[int(of_point[tuple({**point, axis: i}.get(name, 0) for name in run.sweeps)])].name)
        look = style.LINES[i % len(style.LINES)]
        lines.append(({**look, "label": name} if len(ways) == 1 else
                      {**way, "color": look["color"], "label": f"{name}, {way['label']}"}, {axis: i, "variant": v}))
    return lines


def short_point(run: Run, where: Mapping[str, int]) -> str:
    """`imbalance 1 µm, splitter 4 mrad/nm` of a place on sweep axes: keys without their units, words without keys."""
    said = []
    for p in parameters(run).values():
        if p.axis not in where or (not p.key and any(other.axis == p.axis and other.key for other in parameters(run).values())):
            continue
        ending = "_" + p.units.replace("/", "_per_").lower()
        name = (p.name.removesuffix(ending) if p.units != "1" else p.name).replace("_", " ")
        number = p.values[where[p.axis]]
        factor, units = style.scale_of([float(number)], p.units) if p.numeric else (1.0, p.units)
        if units == "rad/m":
            factor, units = 1e-6, "mrad/nm"
        value = show_value(number * factor if p.numeric else number, units)
        said.append((f"{name} {value}" if p.numeric else value).replace(" ", "\xa0"))
    return ", ".join(said)


def draw_line(axes: Any, x: Parameter, value: Statistic, zero: Optional[Zero], look: dict[str, Any]) -> None:
    """Means with the band of their intervals; a share of none stands at the place of `zero`."""
    middle, low, high = (side.values for side in (value.mean, value.low, value.high))
    if zero is not None:
        none = middle < zero.least / 2
        low, middle = np.maximum(low, zero.place / 4), np.where(none, zero.place, middle)  # off the axis
        high = np.where(none, np.nan, high)
    axes.fill_between(x.values, low, high, color=look["color"], alpha=0.2, linewidth=0)
    axes.plot(x.values, middle, markerfacecolor="white", markevery=max(1, len(middle) // 20), **look)
