"""Meshes of several kinds of MZIs, corrected and not, against splitter error, size and what nobody knows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np
from matplotlib.figure import Figure

from .. import mesh_laws, style
from ..errors import NotInResult
from ..run import Run
from ..study import Parameter, fixed, meaning, parameter, parameters, say_point, say_trials
from .paint import Axis, Panel, line, mark, paint
from .words import in_words, listed, plain_name

METRICS = ("mesh_error", "mesh_error_in_phase")
RANGE = 1e7  # of the axis; what lies below it is rounding, and drawn at the edge

Law = Callable[[int, float], float]
"""A closed form of ports and an error."""


@dataclass(frozen=True)
class Series:
    """One line: meshes of a kind, as a variant programs them. By metric: its law, and what names the law and whether
    the name stands above the line."""

    kind: str
    variant: str
    look: Mapping[str, Any]
    laws: Mapping[str, Law] = field(default_factory=dict)
    names: Mapping[str, tuple[str, bool]] = field(default_factory=dict)


COMPARED = (
    Series("standard", "uncorrected",
           dict(color="#e69f00", linestyle="--", marker="s", label="plain MZIs, uncorrected"),
           {"mesh_error": lambda n, s: mesh_laws.splitters("standard", n, s),
            "mesh_error_in_phase": lambda n, s: mesh_laws.splitters_in_phase("standard", n, s)},
           {"mesh_error": (r"$\sigma\sqrt{2(N-1)}$", True), "mesh_error_in_phase": (r"$\sqrt{3}\,\sigma^2(N-1)$", False)}),
    Series("standard", "corrected_quadrature",
           dict(color="#0060a8", linestyle="-", marker="o", label="plain MZIs, corrected, quadrature"),
           {"mesh_error": lambda n, s: math.sqrt(2) * mesh_laws.corrected("standard", n, s)}),
    Series("standard", "corrected",
           dict(color="#cc79a7", linestyle="-.", marker="D", label="plain MZIs, corrected"),
           {name: lambda n, s: mesh_laws.corrected("standard", n, s) for name in METRICS},
           {name: (r"$0.80\,N^{3/4}\sigma^{3/2}$", name != "mesh_error") for name in METRICS}),
    Series("three-splitter", "corrected_quadrature",
           dict(color="#000000", linestyle=":", marker="^", label="three splitters, corrected"),
           {"mesh_error": lambda n, s: mesh_laws.corrected("three-splitter", n, s)},
           {"mesh_error": (r"$\sigma^2\sqrt{8(4-12/N)}$", False)}),
    Series("balanced", "corrected_quadrature",
           dict(color="#777777", linestyle="-", marker="v", label="three splitters, balanced, corrected")),
)


def mesh_comparison(run: Run, *, metric: Union[str, Sequence[str], None] = None,
                    at: Optional[Mapping[str, Any]] = None) -> Figure:
    """rms over meshes of the error of meshes of several kinds, uncorrected and corrected for known splitters, with 95 %
    intervals: against the splitter error at the largest size, and against the size at the middle splitter error. Thin
    lines are closed forms (optinc.results.mesh_laws), named by their powers; what is rounding stands at the edge.

    `metric`: one or several names; mesh_error and mesh_error_in_phase by default. `at`: other values of
    `sigma_eta_rad` and `ports`, and of what else was swept.

    Raises NotInResult where the file compares no kinds of meshes, over splitter errors or sizes.
    """
    swept = parameters(run)
    if "kind" not in swept or not {"sigma_eta_rad", "ports"} & set(swept) or run.trials is None:
        raise NotInResult(f"{run.path} compares no meshes (swept: {', '.join(swept) or 'nothing'}). "
                          "Sweep mesh.kind, and chip.sigma_eta_rad or mesh.ports.")
    names = listed(metric) or [name for name in METRICS if name in run.trials]
    if unknown := [name for name in names if name not in run.trials]:
        raise NotInResult(f"{run.path} holds no metric '{unknown[0]}'. Let measure.metrics name it and run the study again.")
    along = [swept[name] for name in ("sigma_eta_rad", "ports") if name in swept]
    panels = []
    for name in names:
        for x in along:
            rest = other_places(run, x, at)
            ports, sigma = number_at(run, "mesh.ports", rest), number_at(run, "chip.sigma_eta_rad", rest)
            values = np.asarray(x.values, float)
            smooth = np.geomspace(values.min(), values.max(), 40)
            smooth = np.unique(smooth.round()) if x.name == "ports" else smooth
            factor, unit = style.scale_of(values, x.units)
            drawn = rms_lines(run, name, x, COMPARED, rest, np.argsort(values, kind="stable"))
            for series in (s for s in COMPARED if name in s.laws and drawn_of(run, s)):
                law = np.array([series.laws[name](int(v), sigma) if x.name == "ports" else series.laws[name](int(ports), v)
                                for v in smooth])
                drawn.append(mark("plot", smooth * factor, law, color=series.look["color"], linewidth=0.7, zorder=2))
                if name in series.names and x.name != "ports":
                    drawn.append(law_name(*series.names[name], smooth * factor, law))
            where = {axis: place for axis, place in rest.items() if axis != swept["kind"].axis}
            panels.append(Panel(drawn, Axis(style.label(x.long_name, unit, 40), "values", values * factor),
                                rms_axis(run, name), in_words(run, where)))
    title = (f"Meshes for real targets against {' and '.join(plain_name(x) for x in along)}: rms and its 95 % interval, "
             f"{say_trials(run)} per point; thin lines: closed forms; at the lower edge: rounding")
    return paint_meshes(run, title, panels, len(along))


UNKNOWN = {"sigma_common_rad": "common phases", "sigma_estimate_rad": "estimates of splitters",
           "sigma_cal_rad": "calibration of phases"}
BALANCED = {  # plain MZIs programmed to the nearest err least in all, into the quadrature least in phase
    metric: tuple(Series(kind, variant, look) for kind, look in (
        ("standard", dict(color="#0060a8", linestyle="-", marker="o", label="plain MZIs")),
        ("three-splitter", dict(color="#000000", linestyle=":", marker="^", label="three splitters")),
        ("balanced", dict(color="#e69f00", linestyle="--", marker="v", label="three splitters, balanced"))))
    for metric, variant in (("mesh_error", "corrected"), ("mesh_error_in_phase", "corrected_quadrature"))}
UNKNOWN_LAWS: dict[tuple[str, str], Callable[[str, float, float], float]] = {
    ("mesh_error", "sigma_common_rad"): mesh_laws.common_phase,
    ("mesh_error", "sigma_estimate_rad"): mesh_laws.splitters,
    ("mesh_error", "sigma_cal_rad"): mesh_laws.calibration,
    ("mesh_error_in_phase", "sigma_common_rad"): mesh_laws.common_phase_in_phase,
    ("mesh_error_in_phase", "sigma_estimate_rad"): mesh_laws.splitters_in_phase,
    ("mesh_error_in_phase", "sigma_cal_rad"): mesh_laws.calibration_in_phase,
}


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
    names = [name for name in METRICS if run.trials is not None and name in run.trials]
    if "kind" not in swept or not unknown or not names:
        raise NotInResult(f"{run.path} compares no meshes with unknown errors (swept: {', '.join(swept) or 'nothing'}). "
                          "Sweep mesh.kind, and mesh.sigma_common_rad or another of the three.")
    panels, variants = [], list(run.require("trials")["variant"].values)
    for name in names:
        kinds = [each if each.variant in variants else replace(each, variant=variants[0]) for each in BALANCED[name]]
        for x in unknown:
            rest, places = alone(run, x, at)
            sigma = np.asarray(x.values, float)[places]
            factor, unit = style.scale_of(sigma, x.units)
            smooth = np.geomspace(sigma[sigma > 0].min(), sigma.max(), 60) if (sigma > 0).any() else np.array([])
            ports, eta = int(number_at(run, "mesh.ports", rest)), number_at(run, "chip.sigma_eta_rad", rest)
            drawn = rms_lines(run, name, x, kinds, rest, places)
            for series in (s for s in kinds if drawn_of(run, s) and (name == "mesh_error" or s.kind == "balanced")):
                left = mesh_laws.corrected(series.kind, ports, eta) if name == "mesh_error" else 0.0
                law = [math.hypot(left, UNKNOWN_LAWS[name, x.name](series.kind, ports, s)) for s in smooth]
                drawn.append(mark("plot", smooth * factor, law, color="#555555", linewidth=0.7, zorder=2))
            panels.append(Panel(drawn, Axis(style.label(x.long_name, unit, 28), "values", sigma * factor, options={"gap": 0.14}),
                                rms_axis(run, name), UNKNOWN[x.name]))
    title = ("Corrected meshes for real targets against errors that nobody knows: rms and its 95 % interval, "
             f"{say_trials(run)} per point; thin lines: closed forms; at the lower edge: rounding")
    rest = fixed(run, tuple(p.axis for p in (*unknown, swept["kind"])), at)
    return paint_meshes(run, title + (f"; at {say_point(run, rest)}" if rest else ""), panels, len(unknown))


def paint_meshes(run: Run, title: str, panels: list[Panel], columns: int) -> Figure:
    """A row of panels a metric."""
    size = style.PAGE_IN if columns > 1 else style.COLUMN_IN, 1.1 + 2.3 * (len(panels) // columns)
    return paint(run, title, panels, size, columns, outer="xy", sharey="row", sharex="col")


def rms_axis(run: Run, name: str) -> Axis:
    """The axis of the rms of a metric."""
    return Axis(style.label(f"rms of the {meaning(run, name).label or name.replace('_', ' ')}", "1", 26), "log")


def law_name(text: str, above: bool, x: Any, law: Any) -> Any:
    """The powers of a law beside its line."""
    at = 12 if above else 10
    return mark("annotate", text, (x[at], law[at]), xytext=(0, 3) if above else (2, -3), textcoords="offset points",
                ha="right" if above else "left", va="bottom" if above else "top", fontsize=6.5, color="#222222")


def other_places(run: Run, x: Parameter, at: Optional[Mapping[str, Any]]) -> dict[str, int]:
    """Places on the axes besides x: as `at` says, else the largest mesh, the middle splitter error, the first of all
    others."""
    wanted = dict(at or {})
    for p in parameters(run).values():
        if p.name in ("ports", "sigma_eta_rad") and p.name not in wanted:
            values = np.sort(np.asarray(p.values, float))
            wanted[p.name] = values[-1] if p.name == "ports" else values[len(values) // 2]
    return fixed(run, (x.axis,), {name: value for name, value in wanted.items() if parameter(run, name).axis != x.axis})


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


def drawn_of(run: Run, series: Series) -> Optional[dict[str, int]]:
    """Places of a series among the kinds and variants; None where the study has not both."""
    kinds, variants = list(parameter(run, "kind").values), list(run.require("trials")["variant"].values)
    if series.kind not in kinds or series.variant not in variants:
        return None
    return {parameter(run, "kind").axis: kinds.index(series.kind), "variant": variants.index(series.variant)}


def rms_lines(run: Run, name: str, x: Parameter, all_series: Sequence[Series], rest: Mapping[str, int], order: Any) -> list[Any]:
    """rms over trials of every series, with its interval; what is rounding stands at the lower edge."""
    factor, _ = style.scale_of(np.asarray(x.values)[order], x.units)
    places = np.asarray(x.values, float)[order] * factor
    found = []
    for series in all_series:
        if (point := drawn_of(run, series)) is not None:
            values = run.require("trials")[name].isel({**rest, **point}).transpose(x.axis, "trial").values[order]
            found.append((series.look, *rms_of(values ** 2)))
    if not found:
        raise NotInResult(f"{run.path} holds none of the meshes that are compared. "
                          f"Sweep mesh.kind over {', '.join(dict.fromkeys(s.kind for s in all_series))}.")
    least = max(float(np.nanmax(rms)) for _, rms, _ in found) / RANGE
    drawn = []
    for look, rms, half in found:
        shown = rms >= least
        low, high = np.maximum(rms - half, 1e-3 * rms), rms + np.minimum(half, 0.999 * rms)
        drawn.append(line(places[shown], rms[shown], {**look, "zorder": 3}, low[shown], high[shown]))
        if not shown.all():
            edge = {**look, "label": "_", "linestyle": look["linestyle"] if not shown.any() else "none"}
            drawn.append([mark("plot", places[~shown], 0 * places[~shown], transform="x", clip_on=False, zorder=3, **edge)])
    return drawn


def rms_of(squares: Any) -> tuple[Any, Any]:
    """Root of the mean of E^2 over trials, the last axis, and half of its 95 % interval: 1.96 standard errors, from the
    spread of E^2 itself. NaN trials were not run."""
    number = np.isfinite(squares).sum(-1)
    with np.errstate(all="ignore"):
        mean = np.nansum(squares, -1) / number
        variance = np.nansum((squares - mean[..., None]) ** 2, -1) / (number - 1)
        half = 1.96 * np.sqrt(variance / number) / (2 * np.sqrt(mean))
    return np.sqrt(mean), np.nan_to_num(half)


def number_at(run: Run, key: str, places: Mapping[str, int]) -> float:
    """A number of the configuration at a place of the sweeps; NaN where it varies along an axis that is not placed."""
    section, name = key.split(".")
    for p in parameters(run).values():
        if p.key == key:
            return float(p.values[places[p.axis]]) if p.axis in places else math.nan
    return float(run.config[section][name])
