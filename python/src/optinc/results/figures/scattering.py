"""Transmission and reflection of a circuit over wavelength."""

from __future__ import annotations

from typing import Optional, Sequence

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..run import Run

MOST_PATHS = 8
DARK_DB = -120.0  # what no detector sees is not drawn


@style.styled
def scattering(run: Run, *, paths: Optional[Sequence[tuple[str, str]]] = None) -> Figure:
    """Share of the light's power that goes from one port to another, dB over wavelength: for the `paths` (from, to) asked
    for, else for the eight strongest from the first port.

    Raises NotInResult where the file holds no circuit, or one at a single wavelength, and for a port that it does not have.
    """
    power = abs(run.scattering) ** 2
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
    figure, grid = style.panels(1, 1, style.COLUMN_IN, 2.6)
    axes = grid.flat[0]
    wavelengths = 1e9 * power["wavelength"].values
    for look, (a, b) in zip(style.LINES * 99, paths):
        values = power.sel(port_in=a, port_out=b).values
        with np.errstate(divide="ignore"):
            drawn = np.where(values > 10 ** (DARK_DB / 10), 10 * np.log10(values), np.nan)
        axes.plot(wavelengths, drawn, **{**look, "marker": ""}, label=f"{style.plain(a)} to {style.plain(b)}")
    axes.set_xlim(wavelengths[0], wavelengths[-1])
    axes.set_xlabel("wavelength (nm)")
    axes.set_ylabel("transmitted power (dB)")
    return style.finish(figure, run, run.provenance.title.split(": ", 1)[-1], axes.get_legend_handles_labels())
