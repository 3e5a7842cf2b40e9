"""What corrected meshes lose to errors that nobody knows."""

from __future__ import annotations

import math
from typing import Any, Callable, Mapping, Optional

import numpy as np
from matplotlib.figure import Figure

from .. import mesh_laws, style
from ..errors import NotInResult
from ..run import Run
from ..study import Parameter, fixed, meaning, parameter, parameters, say_point, say_trials
from .mesh_comparison import RANGE, draw_rms, rms_of, value_at

UNKNOWN = {"sigma_common_rad": "common phases", "sigma_estimate_rad": "estimates of splitters",
           "sigma_cal_rad": "calibration of phases"}

VARIANT = {"mesh_error": "corrected", "mesh_error_in_phase": "corrected_quadrature"}
"""How plain MZIs are programmed: to the nearest they err least in all, into the quadrature least in phase."""

KINDS: dict[str, dict[str, Any]] = {
    "standard": dict(color="#0060a8", linestyle="-", marker="o", label="plain MZIs"),
    "three-splitter": dict(color="#000000", linestyle=":", marker="^", label="three splitters"),
    "balanced": dict(color="#e69f00", linestyle="--", marker="v", label="three splitters, balanced"),
}

LAWS: dict[tuple[str, str], Callable[[str, float, float], float]] = {
    ("mesh_error", "sigma_common_rad"): mesh_laws.common_phase,
    ("mesh_error", "sigma_estimate_rad"): mesh_laws.splitters,
    ("mesh_error", "sigma_cal_rad"): mesh_laws.calibration,
    ("mesh_error_in_phase", "sigma_common_rad"): mesh_laws.common_phase_in_phase,
    ("mesh_error_in_phase", "sigma_estimate_rad"): mesh_laws.splitters_in_phase,
    ("mesh_error_in_phase", "sigma_cal_rad"): mesh_laws.calibration_in_phase,
}


@style.styled
def mesh_balance(run: Run, *, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """rms over meshes of the error of corrected meshes of several kinds against each error that no correction knows,
    the others of them at 0: common phases, estimates of splitters, calibration; with 95 % intervals. Above, the whole
    error; below, where it was measured, that in phase. Thin lines are closed forms (optinc.results.mesh_laws): what
    correction leaves and what is unknown, added in squares. In phase they are drawn of the balanced mesh alone, of
    which correction leaves nothing. What is rounding stands at the edge.

    `at`: values of other sweeps, by parameter name.

    Raises NotInResult where the file sweeps none of the three over kinds of meshes.
    """
    swept = parameters(run)
    unknown = [swept[name] for name in UNKNOWN if name in swept]
    names = [name for name in VARIANT if run.trials is not None and name in run.trials]
    if "kind" not in swept or not unknown or not names:
        raise NotInResult(f"{run.path} compares no meshes with unknown errors (swept: {', '.join(swept) or 'nothing'}). "
                          "Sweep mesh.kind, and mesh.sigma_common_rad or another of the three.")
    figure, grid = style.panels(len(names), len(unknown), style.PAGE_IN if len(unknown) > 1 else style.COLUMN_IN,
                                1.1 + 2.3 * len(names), sharex="col", sharey="row")
    handles: dict[str, Any] = {}
    for row, name in enumerate(names):
        for column, axes in enumerate(grid[row]):
            draw(run, axes, name, unknown[column], at, handles)
            axes.set_yscale("log")
            style.panel(axes, row * len(unknown) + column, UNKNOWN[unknown[column].name])
            axes.set_ylabel("" if column else style.label(f"rms of the {meaning(run, name).label or name}", "1", 26))
            if row < len(names) - 1:
                axes.set_xlabel("")
    title = "Corrected meshes for real targets against errors that nobody knows: rms and its 95 % interval, "
    title += f"{say_trials(run)} per point; thin lines: closed forms; at the lower edge: rounding"
    rest = fixed(run, tuple(p.axis for p in (*unknown, swept["kind"])), at)
    if rest:
        title += f"; at {say_point(run, rest)}"
    return style.finish(figure, run, title, (list(handles.values()), list(handles)))


def alone(run: Run, x: Parameter, at: Optional[Mapping[str, Any]]) -> tuple[dict[str, int], Any]:
    """Places on the other axes and on that of x, in the order of x, at which the other unknown errors are least."""
    others = [p for p in parameters(run).values() if p.name in UNKNOWN and p.name != x.name]
    rest = fixed(run, (x.axis,), at)
    rest.update({p.axis: int(np.argmin(p.values)) for p in others if p.axis != x.axis})
    quiet = np.ones(len(x.values), bool)
    for p in others:
        if p.axis == x.axis:
            quiet &= np.asarray(p.values) == np.min(p.values)
    places = np.flatnonzero(quiet)
    return rest, places[np.argsort(np.asarray(x.values, float)[places], kind="stable")]


def draw(run: Run, axes: Any, name: str, x: Parameter, at: Optional[Mapping[str, Any]],
         handles: dict[str, Any]) -> None:
    """One panel; puts its lines into `handles` by their names."""
    kind, variants = parameter(run, "kind"), list(run.require("trials")["variant"].values)
    rest, places = alone(run, x, at)
    sigma = np.asarray(x.values, float)[places]
    factor, unit = style.scale_of(sigma, x.units)
    variant = variants.index(VARIANT[name]) if VARIANT[name] in variants else 0
    found = {}
    for i, each in enumerate(kind.values):
        if each in KINDS:
            values = run.require("trials")[name].isel({**rest, kind.axis: i, "variant": variant})
            found[str(each)] = rms_of(values.transpose(x.axis, "trial").values[places] ** 2)
    if not found:
        raise NotInResult(f"{run.path} holds none of the meshes that are compared. Sweep mesh.kind over {', '.join(KINDS)}.")
    largest = max(float(np.nanmax(rms)) for rms, _ in found.values())
    line = np.geomspace(sigma[sigma > 0].min(), sigma.max(), 60) if (sigma > 0).any() else np.array([])
    ports = int(value_at(run, "mesh.ports", rest))
    eta = value_at(run, "chip.sigma_eta_rad", rest)
    for each, (rms, half) in found.items():
        drawn = draw_rms(axes, sigma * factor, rms, half, largest / RANGE, KINDS[each])
        handles.setdefault(str(KINDS[each]["label"]), drawn)
        left = mesh_laws.corrected(each, ports, eta) if name == "mesh_error" else 0.0
        if name == "mesh_error" or each == "balanced":
            law = [math.hypot(left, LAWS[name, x.name](each, ports, s)) for s in line]
            axes.plot(line * factor, law, color="#555555", linewidth=0.7, zorder=2)
    style.parameter_axis(axes, (sigma * factor).tolist(), style.label(x.long_name, unit, 28), gap=0.14)
