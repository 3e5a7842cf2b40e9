"""Floor plans of meshes and units: as GDS files for a layout tool, and as figures.

    plan = optinc.Mesh.from_unitary(unitary).floor_plan()     # or optinc.Unit.load("shipped/64x5").floor_plan()
    optinc.layout.write_gds(plan, "mesh.gds")                 # gdstk: pip install 'optinc[gds]'
    optinc.layout.draw(plan).savefig("mesh.pdf")              # matplotlib

A floor plan says where things lie, not what they look like: couplers are boxes, heaters and waveguides straight, and pads,
wires, bends and what lies between meshes are missing.
"""

from __future__ import annotations

import datetime
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._files import creating
from ._core import FloorPlanSettings, MeshFloorPlan, UnitFloorPlan

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COUPLER", "HEATER", "HEATER_WIDTH_UM", "LABEL", "OUTLINE", "Plan", "WAVEGUIDE", "WAVEGUIDE_WIDTH_UM", "draw", "write_gds"]

Plan = Union[MeshFloorPlan, UnitFloorPlan]
"""What floor_plan() of meshes and units gives."""

# (layer, datatype), numbered as in the generic process of gdsfactory
WAVEGUIDE = (1, 0)
"""Arms of MZIs."""
HEATER = (47, 0)
"""Heaters of the phase shifters."""
OUTLINE = (64, 0)
"""Bounding box of every mesh."""
LABEL = (66, 0)
"""Text: ports "in 0" and "out 0", heaters "theta 0", "phi 0" and "output 0", by the numbers of the mesh's arrays."""
COUPLER = (68, 0)
"""Boxes that couplers lie in."""

WAVEGUIDE_WIDTH_UM = 0.5
"""Assumed: a strip of single mode."""
HEATER_WIDTH_UM = 2.0
"""Assumed, as that of the waveguide: a floor plan knows lengths alone."""

_WRITTEN = datetime.datetime(2000, 1, 1)  # in every file: the same plan gives the same bytes


def write_gds(plan: Plan, path: str | os.PathLike[str]) -> None:
    """Writes a floor plan to a new file of GDSII, or of OASIS (.oas), in um: the same plan gives the same bytes.

    A cell "mzi" (two couplers, four arms, two heaters), one for a port that passes a column without an MZI ("pass") and one
    for an output phase ("output") stand wherever the plan has them, in a cell for each mesh: "mesh", or by its name in a
    unit, "layer0_block0_mesh", which stand in a cell "unit". Coordinates are those of the plan, rounded to 1 nm; port 0 is
    at the bottom. Ports of a tree or a butterfly that change rows between two columns are not connected.

    Raises FileExistsError where there is a file of that name, OSError where it cannot be written, ImportError without gdstk,
    TypeError for anything but a floor plan.
    """
    meshes = _meshes(plan)
    gdstk = _imported("gdstk")
    library = gdstk.Library("OPTINC", unit=1e-6, precision=1e-9)
    parts = _parts(gdstk, plan.settings)
    library.add(*parts.values())
    cells = [_mesh_cell(gdstk, mesh, parts) for mesh in meshes]
    library.add(*cells)
    if isinstance(plan, UnitFloorPlan):
        unit = library.new_cell("unit")
        for mesh, cell in zip(meshes, cells):
            corner = _um(mesh.corner_m)
            unit.add(gdstk.Reference(cell, corner))
            unit.add(_label(gdstk, mesh.name, corner))
    with creating(Path(path)) as out, tempfile.TemporaryDirectory() as folder:  # gdstk writes to names alone
        written = Path(folder) / "plan"
        if Path(path).suffix.lower() == ".oas":
            library.write_oas(written)
        else:
            library.write_gds(written, timestamp=_WRITTEN)
        out.write(written.read_bytes())


def _parts(gdstk: Any, settings: FloorPlanSettings) -> dict[str, Any]:
    """The cells of which meshes consist, each with its left end on its upper port at (0, 0)."""
    length, pitch, coupler, heater = 1e6 * np.array(
        [settings.mzi_length_m, settings.mzi_width_m / 2, settings.coupler_length_m, settings.heater_length_m])
    arm = length / 2 - coupler

    def box(x: float, y: float, length: float, width: float, layer: tuple[int, int]) -> Any:
        """Around (x, y)."""
        return gdstk.rectangle((x - length / 2, y - width / 2), (x + length / 2, y + width / 2), layer=layer[0], datatype=layer[1])

    mzi, through, output = (gdstk.Cell(name) for name in ("mzi", "pass", "output"))
    for stage in (arm / 2, length / 2 + arm / 2):
        mzi.add(*(box(stage, y, arm, WAVEGUIDE_WIDTH_UM, WAVEGUIDE) for y in (0, pitch)), box(stage, 0, heater, HEATER_WIDTH_UM, HEATER))
        if coupler > 0:
            mzi.add(box(stage + length / 4, pitch / 2, coupler, pitch + WAVEGUIDE_WIDTH_UM, COUPLER))
    through.add(box(length / 2, 0, length, WAVEGUIDE_WIDTH_UM, WAVEGUIDE))
    output.add(box(arm / 2, 0, arm, WAVEGUIDE_WIDTH_UM, WAVEGUIDE), box(arm / 2, 0, heater, HEATER_WIDTH_UM, HEATER))
    return {"mzi": mzi, "pass": through, "output": output}


def _mesh_cell(gdstk: Any, mesh: MeshFloorPlan, parts: dict[str, Any]) -> Any:
    """A mesh with the corner of its bounding box at (0, 0)."""
    cell = gdstk.Cell(mesh.name.replace("/", "_"))  # names of cells have letters, digits and _
    arm = 1e6 * mesh.arm_length_m
    corner = np.array(mesh.corner_m)
    phi, theta, output, arms = (_um(sites - corner) for sites in (mesh.phi_m, mesh.theta_m, mesh.output_m, mesh.phi_arms_m))
    cell.add(gdstk.rectangle((0, 0), (1e6 * mesh.length_m, 1e6 * mesh.width_m), layer=OUTLINE[0], datatype=OUTLINE[1]))
    for part, sites in (("mzi", phi), ("pass", arms[_passing(mesh)]), ("output", output)):
        cell.add(*(gdstk.Reference(parts[part], (x - arm / 2, y)) for x, y in sites))
    for name, sites in (("theta", theta), ("phi", phi), ("output", output)):
        cell.add(*(_label(gdstk, f"{name} {k}", site) for k, site in enumerate(sites)))
    entrances = arms[0] if mesh.columns else output
    cell.add(*(_label(gdstk, f"in {p}", (x - arm / 2, y)) for p, (x, y) in enumerate(entrances)))
    cell.add(*(_label(gdstk, f"out {p}", (x + arm / 2, y)) for p, (x, y) in enumerate(output)))
    return cell


def draw(plan: Plan, mesh: str | None = None) -> Figure:
    """A figure of a floor plan, axes in mm, port 0 at the top.

    A mesh is drawn with its waveguides, couplers and heaters, 12 columns and 16 ports of it at the most, and MZIs and ports have
    their numbers. Above it stands the whole: all meshes of a unit, coloured by layer, or a mesh that is larger. `mesh`: name of
    the one that is drawn near, by default the first. Raises ValueError for a name that no mesh has, ImportError without
    matplotlib.
    """
    meshes = _meshes(plan)
    if mesh is not None and mesh not in [m.name for m in meshes]:
        raise ValueError(f'no mesh of the plan is called "{mesh}" (the first is {meshes[0].name}). Take one of its meshes.')
    near = meshes[0] if mesh is None else next(m for m in meshes if m.name == mesh)
    _imported("matplotlib")
    from matplotlib.figure import Figure
    columns, ports = min(near.columns, _MOST_COLUMNS), min(near.ports, _MOST_PORTS)
    settings = near.settings
    length_m = columns * settings.mzi_length_m + near.arm_length_m
    heights = [_PANEL_IN * (ports * settings.mzi_width_m / 2) / length_m + 0.9]
    whole = isinstance(plan, UnitFloorPlan) or (columns, ports) != (near.columns, near.ports)
    if whole:
        layers = len({_layer(m) for m in meshes})
        heights.insert(0, max(_PANEL_IN * plan.width_m / plan.length_m, 0.2 * layers) + 0.9)
    figure = Figure(figsize=(_PANEL_IN + 2, sum(heights)), layout="constrained")
    axes = figure.subplots(len(heights), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
    if whole:
        _draw_whole(axes[0], plan, meshes, near)
    _draw_near(axes[-1], near, columns, ports)
    for panel in axes:
        panel.set_aspect("equal")
        panel.invert_yaxis()
        panel.set_xlabel("x (mm)")
        panel.set_ylabel("y (mm)")
    return figure


_PANEL_IN = 8.0
_MOST_COLUMNS, _MOST_PORTS = 12, 16  # that can be told apart in a panel


def _layer(mesh: MeshFloorPlan) -> str:
    """"layer 0" of a unit's mesh; what stands alone has none."""
    return mesh.name.partition("/")[0].replace("layer", "layer ")


def _draw_whole(axes: Any, plan: Plan, meshes: list[MeshFloorPlan], near: MeshFloorPlan) -> None:
    """Every mesh as a box with its heaters, in the colour of its layer; a frame around the one that is drawn near."""
    from matplotlib.patches import Rectangle
    for k, layer in enumerate(dict.fromkeys(map(_layer, meshes))):
        of_layer = [m for m in meshes if _layer(m) == layer]
        for m in of_layer:
            axes.add_patch(Rectangle(_mm(m.corner_m), 1e3 * m.length_m, 1e3 * m.width_m, facecolor=f"C{k % 10}", alpha=0.25, linewidth=0))
        axes.plot(*_mm(np.concatenate([m.heaters_m for m in of_layer])).T, ",", color=f"C{k % 10}")
        axes.plot([], [], "s", color=f"C{k % 10}", label=layer)
    axes.add_patch(Rectangle(_mm(near.corner_m), 1e3 * near.length_m, 1e3 * near.width_m, fill=False, linewidth=1.2))
    corner = _mm(np.min([m.corner_m for m in meshes], axis=0))
    margin = 1e3 * 0.01 * plan.length_m
    axes.set_xlim(corner[0] - margin, corner[0] + 1e3 * plan.length_m + margin)
    axes.set_ylim(corner[1] - margin, corner[1] + 1e3 * plan.width_m + margin)
    axes.set_title(f"{len(meshes)} mesh{'es' if len(meshes) > 1 else ''}, {sum(len(m.theta_m) for m in meshes):,} MZIs, "
                   f"{1e3 * plan.length_m:.1f} x {1e3 * plan.width_m:.1f} mm; framed: {near.name}", loc="left", fontsize=10)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)


def _draw_near(axes: Any, mesh: MeshFloorPlan, columns: int, ports: int) -> None:
    """Waveguides, couplers and heaters of a mesh's first columns and ports, with the numbers of ports and MZIs."""
    from matplotlib.collections import LineCollection, PolyCollection
    settings = mesh.settings
    length, arm, heater, coupler, pitch = 1e3 * np.array([settings.mzi_length_m, mesh.arm_length_m, settings.heater_length_m,
                                                          settings.coupler_length_m, settings.mzi_width_m / 2])
    pitch_pt = 72 * _PANEL_IN * pitch / (columns * length + arm)

    def lines(sites: Any, length: float, **look: Any) -> None:
        at, half = _mm(sites).reshape(-1, 2), np.array([length / 2, 0])
        axes.add_collection(LineCollection(list(np.stack([at - half, at + half], axis=1)), capstyle="butt", **look))

    waveguide: dict[str, Any] = dict(color="#0060a8", linewidth=0.8)
    heaters: dict[str, Any] = dict(color="#c00000", linewidth=min(0.35 * pitch_pt, 4))
    passing = _passing(mesh)
    for arms in (mesh.phi_arms_m[~passing], mesh.theta_arms_m[~passing], mesh.output_m):
        lines(arms, arm, **waveguide)
    lines(mesh.phi_arms_m[passing] + np.array([(settings.mzi_length_m - mesh.arm_length_m) / 2, 0]), length, **waveguide)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array([coupler, pitch]) / 2
    couplers = _mm(np.concatenate([mesh.alpha_m, mesh.beta_m]))
    axes.add_collection(PolyCollection(couplers[:, None, :] + corners, facecolor="#7fb2d8", edgecolor="#0060a8", linewidth=0.4))
    lines(mesh.heaters_m, heater, **heaters)
    small: dict[str, Any] = dict(va="center", fontsize=min(0.6 * pitch_pt, 8), color="#444444", clip_on=True)
    for k in np.flatnonzero((mesh.column < columns) & (mesh.lower < ports)):
        x, y = _mm(mesh.theta_m[k])
        axes.text(x, y + pitch / 2, k, ha="center", **small)
    first = _mm(mesh.phi_arms_m[0] if mesh.columns else mesh.output_m)
    for p in range(ports):
        axes.text(first[p, 0] - 0.55 * arm, first[p, 1], p, ha="right", **small)
    axes.plot([], [], **waveguide, label="waveguide")
    axes.plot([], [], "s", color="#7fb2d8", label="coupler")
    axes.plot([], [], **heaters, label="heater")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    corner = _mm(mesh.corner_m)
    cut = columns < mesh.columns
    axes.set_xlim(corner[0] - 0.3 * length, corner[0] + columns * length + (0 if cut else arm + 0.1 * length))
    axes.set_ylim(corner[1], corner[1] + ports * pitch)
    part = f"; here {columns} columns and {ports} ports of it" if cut or ports < mesh.ports else ""
    axes.set_title(f"{mesh.name}: {mesh.ports} ports, {len(mesh.theta_m):,} MZIs in {mesh.columns} columns, "
                   f"{len(mesh.heaters_m):,} heaters{part}", loc="left", fontsize=10)


def _passing(mesh: MeshFloorPlan) -> Any:
    """Which ports pass which column without an MZI, bool (columns, ports)."""
    passing = np.ones((mesh.columns, mesh.ports), bool)
    passing[mesh.column, mesh.upper] = passing[mesh.column, mesh.lower] = False
    return passing


def _meshes(plan: Plan) -> list[MeshFloorPlan]:
    if isinstance(plan, UnitFloorPlan):
        return plan.meshes
    if isinstance(plan, MeshFloorPlan):
        return [plan]
    raise TypeError(f"{type(plan).__name__} is not a floor plan (meshes and units have one). Call its floor_plan().")


def _label(gdstk: Any, text: str, site: Any) -> Any:
    return gdstk.Label(text, tuple(site), layer=LABEL[0], texttype=LABEL[1])


def _um(sites_m: Any) -> Any:
    return 1e6 * np.asarray(sites_m)


def _mm(sites_m: Any) -> Any:
    return 1e3 * np.asarray(sites_m)


def _imported(name: str) -> Any:
    import importlib
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise ImportError(f"optinc.layout needs {name} (this Python has none). Run pip install {name}.") from missing
