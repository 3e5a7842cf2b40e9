"""A law of physics, closed form against simulation."""

from __future__ import annotations

from typing import Optional

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import spans_decades

SIGMAS = 5  # of the bars: what a law is judged by
NEAR_ZERO = 0.5  # of the expected value: where a tolerance is more, ratios to it say nothing


@style.styled
def law(run: Run, *, name: Optional[str] = None) -> Figure:
    """A Monte-Carlo law: its closed form as a line, the simulation as points with bars of 5 standard errors; below,
    the points over the closed form with the tolerance as a band, or less the closed form where it comes near zero.

    `name`: one of `run.series`; the first by default. Raises NotInResult where the file has no such law, or only one
    point of it.
    """
    if name is None:
        name = next(iter(drawable(run)), None)
    if name is None or name not in run.series:
        raise NotInResult(f"{run.path} has no law '{name or 'of several points'}' (it has {', '.join(run.series) or 'none'}). "
                          "Make one with: optinc validate -o FILE")
    data = run.require(f"series/{name}").load()
    if data.sizes["x"] < 2:
        raise NotInResult(f"{run.path} has one point of the law '{name}' alone. Draw another.")
    factor, unit = style.scale_of(data["x"].values.tolist(), data["x"].attrs["units"])
    x, line = data["x"].values * factor, data["line"].values * factor
    measured, expected = data["measured"], data["expected"].values
    bars = SIGMAS * data["standard_error"].values

    figure, grid = style.panels(2, 1, style.COLUMN_IN, 3.9, sharex=True, height_ratios=(2, 1))
    value, ratio = grid[:, 0]
    look = dict(fmt="o", color="#0060a8", markerfacecolor="white", capsize=2.5, elinewidth=0.9)
    value.plot(line, data["theory"].values, color="black", linewidth=1.1, label="closed form")
    value.errorbar(x, measured.values, bars, label=f"simulation, bars {SIGMAS} standard errors", **look)
    near_zero = bool(np.any(data["tolerance"].values > NEAR_ZERO * np.abs(expected)))
    if spans_decades(expected) and not near_zero:
        style.decades(value, value.yaxis, np.concatenate([expected, measured.values]))
    value.set_ylabel(style.label(measured.attrs["long_name"], measured.attrs["units"], 22))

    scale = np.ones_like(expected) if near_zero else np.abs(expected)
    centre = 0 if near_zero else 1
    allowed, off = data["tolerance"].values / scale, centre + (measured.values - expected) / scale
    ratio.fill_between(x, centre - allowed, centre + allowed, color="#dddddd", linewidth=0, label="tolerance")
    ratio.axhline(centre, color="black", linewidth=1.1)
    ratio.errorbar(x, off, bars / scale, **look)
    ratio.set_ylabel("simulation -\nclosed form" if near_zero else "simulation /\nclosed form")
    long_name = data["x"].attrs["long_name"]
    style.parameter_axis(ratio, x.tolist(), style.label(f"{long_name}, {data.attrs['axis']}", unit))
    handles = [pair for axes in (value, ratio) for pair in zip(*axes.get_legend_handles_labels())]
    legend = [handle for handle, _ in handles], [text for _, text in handles]
    title = f"Row {data.attrs['row']}, {data.attrs['name']}: {data.attrs['formula']}"
    return style.finish(figure, run, title, legend)


def drawable(run: Run) -> list[str]:
    """The laws of several points."""
    return [name for name in run.series if run.require(f"series/{name}").sizes["x"] > 1]
