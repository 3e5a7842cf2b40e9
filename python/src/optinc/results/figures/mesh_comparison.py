"""Corrected meshes of several kinds of MZIs, against splitter error and against size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np
from matplotlib.figure import Figure

from .. import mesh_laws, style
from ..errors import NotInResult
from ..run import Run
from ..study import Parameter, fixed, meaning, parameter, parameters, say_trials
from .metric_vs_parameter import in_words, plain_name

METRICS = ("mesh_error", "mesh_error_in_phase")
RANGE = 1e7  # of the axis; what lies below it is rounding, and drawn at the edge

Law = Callable[[int, float], float]  # of ports and sigma


@dataclass(frozen=True)
class Series:
    """One line: meshes of a kind, as a variant programs them. By metric: its law, and what names the law and whether
    the name stands above the line."""

    kind: str
    variant: str
    look: Mapping[str, Any]
    laws: Mapping[str, Law]
    names: Mapping[str, tuple[str, bool]]


SERIES = (
    Series("standard", "uncorrected",
           dict(color="#e69f00", linestyle="--", marker="s", label="plain MZIs, uncorrected"),
           {"mesh_error": lambda n, s: mesh_laws.splitters("standard", n, s),
            "mesh_error_in_phase": lambda n, s: mesh_laws.splitters_in_phase("standard", n, s)},
           {"mesh_error": (r"$\sigma\sqrt{2(N-1)}$", True), "mesh_error_in_phase": (r"$\sqrt{3}\,\sigma^2(N-1)$", False)}),
    Series("standard", "corrected_quadrature",
           dict(color="#0060a8", linestyle="-", marker="o", label="plain MZIs, corrected, quadrature"),
           {"mesh_error": lambda n, s: math.sqrt(2) * mesh_laws.corrected("standard", n, s)}, {}),
    Series("standard", "corrected",
           dict(color="#cc79a7", linestyle="-.", marker="D", label="plain MZIs, corrected"),
           {name: lambda n, s: mesh_laws.corrected("standard", n, s) for name in METRICS},
           {name: (r"$0.80\,N^{3/4}\sigma^{3/2}$", name != "mesh_error") for name in METRICS}),
    Series("three-splitter", "corrected_quadrature",
           dict(color="#000000", linestyle=":", marker="^", label="three splitters, corrected"),
           {"mesh_error": lambda n, s: mesh_laws.corrected("three-splitter", n, s)},
           {"mesh_error": (r"$\sigma^2\sqrt{8(4-12/N)}$", False)}),
    Series("balanced", "corrected_quadrature",
           dict(color="#777777", linestyle="-", marker="v", label="three splitters, balanced, corrected"), {}, {}),
)


@style.styled
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
    names = [metric] if isinstance(metric, str) else list(metric or [m for m in METRICS if m in run.trials])
    for name in names:
        if name not in run.trials:
            raise NotInResult(f"{run.path} holds no metric '{name}'. Let measure.metrics name it and run the study again.")
    along = [swept[name] for name in ("sigma_eta_rad", "ports") if name in swept]
    width = style.PAGE_IN if len(along) > 1 else style.COLUMN_IN
    figure, grid = style.panels(len(names), len(along), width, 1.1 + 2.3 * len(names), sharey="row", sharex="col")
    handles: dict[str, Any] = {}
    for index, (axes, (name, x)) in enumerate(zip(grid.flat, [(name, x) for name in names for x in along])):
        rest = others(run, x, at)
        handles.update(draw(run, axes, name, x, rest))
        where = {axis: place for axis, place in rest.items() if axis != swept["kind"].axis}
        style.panel(axes, index, in_words(run, where))
        axes.set_ylabel(style.label("rms of the " + (meaning(run, name).label or name.replace("_", " ")), "1", 26)
                        if index % len(along) == 0 else "")
        if index // len(along) < len(names) - 1:
            axes.set_xlabel("")
    title = f"Meshes for real targets against {' and '.join(plain_name(x) for x in along)}: rms and its 95 % interval, "
    title += f"{say_trials(run)} per point; thin lines: closed forms; at the lower edge: rounding"
    return style.finish(figure, run, title, (list(handles.values()), list(handles)))


def others(run: Run, x: Parameter, at: Optional[Mapping[str, Any]]) -> dict[str, int]:
    """Places on the axes besides x: as `at` says, else the largest mesh, the middle splitter error, the first of all
    others."""
    wanted = dict(at or {})
    for p in parameters(run).values():
        if p.name in ("ports", "sigma_eta_rad") and p.name not in wanted:
            values = np.sort(np.asarray(p.values, float))
            wanted[p.name] = values[-1] if p.name == "ports" else values[len(values) // 2]
    return fixed(run, (x.axis,), {name: value for name, value in wanted.items() if parameter(run, name).axis != x.axis})


def rms_of(squares: Any) -> tuple[Any, Any]:
    """Root of the mean of E^2 over trials, the last axis, and half of its 95 % interval: 1.96 standard errors, from the
    spread of E^2 itself. NaN trials were not run."""
    count = np.isfinite(squares).sum(-1)
    with np.errstate(all="ignore"):
        mean = np.nansum(squares, -1) / count
        variance = np.nansum((squares - mean[..., None]) ** 2, -1) / (count - 1)
        half = 1.96 * np.sqrt(variance / count) / (2 * np.sqrt(mean))
    return np.sqrt(mean), np.nan_to_num(half)


def value_at(run: Run, key: str, places: Mapping[str, int]) -> float:
    """A number of the configuration at a place of the sweeps; NaN where it varies along an axis that is not placed."""
    section, name = key.split(".")
    for p in parameters(run).values():
        if p.key == key:
            return float(p.values[places[p.axis]]) if p.axis in places else math.nan
    return float(run.config[section][name])


def draw(run: Run, axes: Any, name: str, x: Parameter, rest: Mapping[str, int]) -> dict[str, Any]:
    """One panel; returns its lines by their names."""
    kind = parameter(run, "kind")
    factor, unit = style.scale_of(x.values, x.units)
    order = np.argsort(x.values, kind="stable")
    places = np.asarray(x.values, float)[order]
    found = []
    for series in SERIES:
        variants = list(run.require("trials")["variant"].values)
        if series.kind in list(kind.values) and series.variant in variants:
            point = {**rest, kind.axis: list(kind.values).index(series.kind), "variant": variants.index(series.variant)}
            values = run.require("trials")[name].isel(point).transpose(x.axis, "trial").values[order]
            found.append((series, *rms_of(values ** 2)))
    if not found:
        raise NotInResult(f"{run.path} holds none of the meshes that are compared. "
                          f"Sweep mesh.kind over {', '.join(dict.fromkeys(s.kind for s in SERIES))}.")
    largest = max(float(np.nanmax(rms)) for _, rms, _ in found)
    handles = {}
    for series, rms, half in found:
        line = draw_rms(axes, places * factor, rms, half, largest / RANGE, series.look)
        handles[str(series.look["label"])] = line
        draw_law(run, axes, series, name, x, rest, factor)
    style.parameter_axis(axes, (places * factor).tolist(), style.label(x.long_name, unit, 40))
    axes.set_yscale("log")
    return handles


def draw_rms(axes: Any, places: Any, rms: Any, half: Any, least: float, look: Mapping[str, Any]) -> Any:
    """A line of rms values with their intervals; those below `least` are rounding, and stand at the lower edge."""
    shown = rms >= least
    line, = axes.plot(places[shown], rms[shown], markerfacecolor="white", zorder=3, **look)
    known = shown & np.isfinite(half)
    axes.errorbar(places[known], rms[known], np.minimum(half, 0.999 * rms)[known], fmt="none", ecolor=look["color"],
                  capsize=2, elinewidth=0.8)
    if not shown.all():
        edge = {**look, "label": "_", "linestyle": look["linestyle"] if not shown.any() else "none"}
        axes.plot(places[~shown], 0 * places[~shown], transform=axes.get_xaxis_transform(), clip_on=False, zorder=3,
                  **edge)
    return line


def draw_law(run: Run, axes: Any, series: Series, name: str, x: Parameter, rest: Mapping[str, int],
             factor: float) -> None:
    """The closed form of a series between the ends of x, named where x is the splitter error."""
    if name not in series.laws:
        return
    values = np.asarray(x.values, float)
    line = np.geomspace(values.min(), values.max(), 40)
    if x.name == "ports":
        line = np.unique(line.round())
        sigma = value_at(run, "chip.sigma_eta_rad", rest)
        law = np.array([series.laws[name](int(n), sigma) for n in line])
    else:
        ports = int(value_at(run, "mesh.ports", rest))
        law = np.array([series.laws[name](ports, s) for s in line])
    axes.plot(line * factor, law, color=series.look["color"], linewidth=0.7, linestyle="-", zorder=2)
    if name in series.names and x.name != "ports":
        text, above = series.names[name]
        at = 12 if above else 10
        axes.annotate(text, (line[at] * factor, law[at]), xytext=(0, 3) if above else (2, -3),
                      textcoords="offset points", ha="right" if above else "left", va="bottom" if above else "top",
                      fontsize=6.5, color="#222222")
