"""The picture of a mesh: interferometers with their phases, and the light in every waveguide."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Mesh, MeshChip

_MOST_PORTS = 64
_COLUMN, _ARM, _COUPLER = 3.0, 0.62, 0.30
"""Length of a column in pitches of the ports, of an arm under a shifter, of a coupler."""
_DARK = 1e-4
"""Power under which a waveguide is drawn as unlit, over the largest."""


def drawn(mesh: Mesh | MeshChip, phases: bool, power: Any) -> Any:
    """The figure; see Mesh.draw()."""
    if mesh.ports > _MOST_PORTS:
        raise ValueError(f"a mesh of {mesh.ports} ports (pictures show {_MOST_PORTS} at most). Draw its floor_plan() instead.")
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.figure import Figure

    columns = mesh.columns
    starts, slots = _places(mesh)
    end = _COLUMN * starts[-1]
    lit = None if power is None else _powers(mesh, power)
    bars = bool(phases) + (lit is not None)
    width_in, height_in = 0.42 * (max(end, _COLUMN) + 3), 0.42 * (mesh.ports + 1)
    scale = min(1.0, 15.0 / width_in)
    figure = Figure(figsize=(scale * width_in + 0.9 * bars + 0.3, max(scale * height_in, 1.8) + 0.5), layout="constrained")
    axes = figure.add_subplot()
    point = 0.42 * scale * 72  # of a port's pitch
    wheel = ScalarMappable(Normalize(0, 2), "twilight")
    light = None
    if lit is not None:
        most = max(float(lit.max()), 1e-300)
        light = ScalarMappable(LogNorm(_DARK * most, most), "YlOrRd")

    def look(column: int, port: int) -> Any:
        """Colour of the waveguide `port` before `column` (or, at the end, behind the last)."""
        if lit is None or light is None:
            return "#1f4e79"
        value = lit[column, port]
        return "#d5d8dc" if value < _DARK * lit.max() else light.to_rgba(max(value, light.norm.vmin))

    segments: list[Any] = []
    colours: list[Any] = []

    def waveguide(points: Any, colour: Any) -> None:
        segments.append(points)
        colours.append(colour)

    def shifter(x: float, y: float, phase: float) -> None:
        axes.plot(x, y, "o", markersize=0.55 * point, markerfacecolor=wheel.to_rgba(phase / np.pi % 2) if phases else "white",
                  markeredgecolor="#333333", markeredgewidth=0.6, zorder=3)

    at = {(int(c), int(u)): k for k, (c, u) in enumerate(zip(mesh.column, mesh.upper))}
    at |= {(int(c), int(low)): k for k, (c, low) in enumerate(zip(mesh.column, mesh.lower))}
    for port in range(mesh.ports):
        waveguide([(-0.6, port), (0, port)], look(0, port))
    for column in range(columns):
        begin, after = _COLUMN * starts[column], _COLUMN * starts[column + 1]
        for port in range(mesh.ports):
            k = at.get((column, port))
            if k is None:
                waveguide([(begin, port), (after, port)], look(column, port))
                continue
            x = begin + _COLUMN * slots[k]
            waveguide([(begin, port), (x, port)], look(column, port))
            waveguide([(x + _COLUMN, port), (after, port)], look(column + 1, port))
            upper, lower = int(mesh.upper[k]), int(mesh.lower[k])
            middle, near = (upper + lower) / 2, 0.14 * (1 if port == upper else -1)
            first, second = x + _ARM + 0.15, x + _ARM + 0.15 + 2 * _COUPLER + _ARM
            half_way = middle - near
            waveguide([(x, port), (first - 0.15, port), (first, half_way), (first + _COUPLER, half_way)], look(column, port))
            inner_y = middle - (0.36 if port == upper else -0.36)
            inside = "#9aa0a6" if lit is not None else "#1f4e79"
            waveguide([(first + _COUPLER, half_way), (first + 1.35 * _COUPLER, inner_y), (second - 0.35 * _COUPLER, inner_y), (second, half_way)], inside)
            waveguide([(second, half_way), (second + _COUPLER, half_way), (second + _COUPLER + 0.15, port), (x + _COLUMN, port)], look(column + 1, port))
            if port != upper:
                continue
            shifter(x + 0.5 * _ARM, upper, float(mesh.phi[k]))
            shifter((first + _COUPLER + second) / 2, inner_y, float(mesh.theta[k]))
    for port in range(mesh.ports):
        waveguide([(end, port), (end + 1.4, port)], look(columns, port))
        shifter(end + 0.55, port, float(mesh.output_phase[port]))
        axes.text(-0.75, port, str(port), ha="right", va="center", fontsize=8)
        said = f"{lit[columns, port]:.2g}" if lit is not None else str(port)
        axes.text(end + 1.55, port, said, ha="left", va="center", fontsize=8)
    axes.add_collection(LineCollection(segments, colors=colours, linewidths=max(0.09 * point, 0.9), capstyle="round", joinstyle="round", zorder=2))
    axes.set_xlim(-1.6, end + 3.0)
    axes.set_ylim(mesh.ports - 0.3, -0.7)
    axes.set_aspect("equal")
    axes.axis("off")
    if phases:
        bar = figure.colorbar(wheel, ax=axes, shrink=0.75, aspect=18, pad=0.01)
        bar.set_label("phase (rad)")
        bar.set_ticks([0, 0.5, 1, 1.5, 2], labels=["0", "π/2", "π", "3π/2", "2π"])
    if light is not None:
        figure.colorbar(light, ax=axes, shrink=0.75, aspect=18, pad=0.01, extend="min").set_label("power")
    return figure


def _places(mesh: Mesh | MeshChip) -> tuple[list[int], list[int]]:
    """Where columns start, in widths of an interferometer, and the place of every MZI in its column: those that span each other
    lie side by side."""
    starts, slots = [0], [0] * len(mesh.upper)
    for column in range(mesh.columns):
        lowest: list[int] = []  # port of every place so far
        for k in np.flatnonzero(mesh.column == column):
            free = [place for place, port in enumerate(lowest) if port < mesh.upper[k]]
            slots[k] = free[0] if free else len(lowest)
            lowest[slots[k]:slots[k] + 1] = [int(mesh.lower[k])]
        starts.append(starts[-1] + max(len(lowest), 1))
    return starts, slots


def _powers(mesh: Mesh | MeshChip, given: Any) -> np.ndarray[Any, Any]:
    """|field|^2 in every waveguide, float64 (columns + 1, ports): before each column, and behind the last."""
    if np.ndim(given) == 0:
        if int(given) != given or not 0 <= given < mesh.ports:
            raise ValueError(f"power = {given} (the number of a port, 0 to {mesh.ports - 1}, or fields of all). Give one.")
        sent = np.eye(mesh.ports)[int(given)]
    else:
        sent = np.asarray(given, complex)
    if sent.shape != (mesh.ports,):
        raise ValueError(f"power of shape {sent.shape} (fields at the inputs, ({mesh.ports},)). Give one a port.")
    return np.array([np.abs(np.asarray(_first_columns(mesh, count)(sent.astype(complex)))) ** 2 for count in range(mesh.columns + 1)])


def _first_columns(mesh: Mesh | MeshChip, count: int) -> Mesh | MeshChip:
    """The first columns of a mesh, as a mesh."""
    mzis = [(int(c), int(u), int(low)) for c, u, low in zip(mesh.column, mesh.upper, mesh.lower) if c < count]
    if not mzis:
        return Mesh(mesh.ports, [])
    part = Mesh(mesh.ports, [[(u, low) for c, u, low in mzis if c == column] for column in range(count)])
    part.theta, part.phi = mesh.theta[:len(mzis)], mesh.phi[:len(mzis)]
    if not isinstance(mesh, MeshChip):
        return part
    chip = part.fabricate("ideal")
    chip.theta, chip.phi = part.theta, part.phi
    for name in ("alpha", "beta", "theta_offset", "phi_offset", "theta_arm_loss_db", "phi_arm_loss_db", "theta_other_loss_db", "phi_other_loss_db"):
        setattr(chip.errors, name, np.asarray(getattr(mesh.errors, name))[:len(mzis)])
    chip.errors.idle_arm_loss_db = mesh.errors.idle_arm_loss_db
    return chip
