"""Laws of physics against simulation, and circuits over wavelength."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import spans_decades
from .paint import Axis, Panel, mark, paint

SIGMAS = 5  # of the bars: what a law is judged by
NEAR_ZERO = 0.5  # of the expected value: where a tolerance is more, ratios to it say nothing
MOST_PATHS = 8
DARK_DB = -120.0  # what no detector sees is not drawn


def law(run: Run, *, name: Optional[str] = None) -> Figure:
    """A Monte-Carlo law: its closed form as a line, the simulation as points with bars of 5 standard errors; below,
    the points over the closed form with the tolerance as a band, or less the closed form where it comes near zero.

    `name`: one of `run.series`; the first by default. Raises NotInResult where the file has no such law, or only one
    point of it.
    """
    name = next(iter(drawable(run)), None) if name is None else name
    if name is None or name not in run.series:
        raise NotInResult(f"{run.path} has no law '{name or 'of several points'}' (it has {', '.join(run.series) or 'none'}). "
                          "Make one with: optinc validate -o FILE")
    data = run.require(f"series/{name}").load()
    if data.sizes["x"] < 2:
        raise NotInResult(f"{run.path} has one point of the law '{name}' alone. Draw another.")
    factor, unit = style.scale_of(data["x"].values.tolist(), data["x"].attrs["units"])
    x = data["x"].values * factor
    measured, expected, tolerance = (data[key].values for key in ("measured", "expected", "tolerance"))
    bars = SIGMAS * data["standard_error"].values
    look: dict[str, Any] = dict(fmt="o", color="#0060a8", markerfacecolor="white", capsize=2.5, elinewidth=0.9)
    near_zero = bool(np.any(tolerance > NEAR_ZERO * np.abs(expected)))
    decades = spans_decades(expected) and not near_zero
    scale, centre = (np.ones_like(expected), 0) if near_zero else (np.abs(expected), 1)
    attributes = data["measured"].attrs
    return paint(run, f"Row {data.attrs['row']}, {data.attrs['name']}: {data.attrs['formula']}", [
        Panel([mark("plot", data["line"].values * factor, data["theory"].values, color="black", linewidth=1.1,
                    label="closed form"),
               mark("errorbar", x, measured, bars, label=f"simulation, bars {SIGMAS} standard errors", **look)], Axis(),
              Axis(style.label(attributes["long_name"], attributes["units"], 22), "decades" if decades else "linear",
                   np.concatenate([expected, measured])), None),
        Panel([mark("fill_between", x, centre - tolerance / scale, centre + tolerance / scale, color="#dddddd", linewidth=0,
                    label="tolerance"),
               mark("axhline", centre, color="black", linewidth=1.1),
               mark("errorbar", x, centre + (measured - expected) / scale, bars / scale, **look)],
              Axis(style.label(f"{data['x'].attrs['long_name']}, {data.attrs['axis']}", unit), "values", x),
              Axis("simulation -\nclosed form" if near_zero else "simulation /\nclosed form"), None)],
        (style.COLUMN_IN, 3.9), 1, sharex=True, height_ratios=(2, 1))


def drawable(run: Run) -> list[str]:
    """The laws of several points."""
    return [name for name in run.series if run.require(f"series/{name}").sizes["x"] > 1]


def scattering(run: Run, *, paths: Optional[Sequence[tuple[str, str]]] = None) -> Figure:
    """Share of the light's power that goes from one port to another, dB over wavelength: for the `paths` (from, to) asked
    for, else for the eight strongest from the first port. Of many draws, their median, and a band from 5 to 95 % of them. Below,
    where the file has them, the spontaneous emission out of every port and the signal-to-noise ratio of its receiver.

    Raises NotInResult where the file holds no circuit, or one at a single wavelength, and for a port that it does not have.
    """
    power = abs(run.scattering) ** 2
    spread = power.quantile([0.05, 0.95], "draw") if "draw" in power.dims else None
    power = power.median("draw") if spread is not None else power
    ports = [str(port) for port in power["port_in"].values]
    if power.sizes["wavelength"] < 2:
        raise NotInResult(f"{run.path} holds a single wavelength (a spectrum needs two). Give optinc circuit more --points.")
    if paths is None:
        light = power.sel(port_in=ports[0]).max("wavelength").values
        strongest = sorted(np.argsort(-light, kind="stable")[:MOST_PATHS])
        paths = [(ports[0], ports[i]) for i in strongest if light[i] > 10 ** (DARK_DB / 10)]
    if unknown := [port for path in paths for port in path if port not in ports]:
        raise NotInResult(f"{run.path} has no port '{unknown[0]}' (its ports: {', '.join(ports)}). Name one of them.")
    if not paths:
        raise NotInResult(f"{run.path} sends no light from port '{ports[0]}' anywhere. Name other paths.")
    wavelengths = 1e9 * power["wavelength"].values
    drawn = []

    def decibels(values: Any) -> Any:
        return 10 * np.log10(np.where(values > 10 ** (DARK_DB / 10), values, np.nan))

    for look, (a, b) in zip(style.looks(), paths):
        if spread is not None:
            drawn.append(mark("fill_between", wavelengths, *decibels(spread.sel(port_in=a, port_out=b).values), color=look["color"],
                              alpha=0.2, linewidth=0))
        drawn.append(mark("plot", wavelengths, decibels(power.sel(port_in=a, port_out=b).values), **{**look, "marker": ""},
                          label=f"{style.plain(a)} to {style.plain(b)}"))
    panels = [(drawn, "transmitted power (dB)")]
    circuit = run.group("circuit")
    for key, label, scale in (("emission", "emission (nW/GHz)", lambda w_per_hz: 1e18 * w_per_hz),
                              ("snr", "signal to noise (dB)", lambda ratio: 10 * np.log10(ratio))):
        if circuit is not None and key in circuit:
            panels.append(([mark("plot", wavelengths, scale(circuit[key].sel(port_out=port).values), **{**look, "marker": ""},
                                 label=f"out of {style.plain(port)}") for look, port in zip(style.looks(), ports)], label))
    across = (wavelengths[0], wavelengths[-1])
    return paint(run, run.provenance.title.split(": ", 1)[-1],
                 [Panel(marks, Axis("wavelength (nm)", limits=across), Axis(label), None, {"loc": "best"} if marks is not drawn else None)
                  for marks, label in panels],
                 (style.COLUMN_IN, 1.1 + 1.5 * len(panels)), 1, "x", sharex=True)
