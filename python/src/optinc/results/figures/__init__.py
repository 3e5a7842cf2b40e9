"""The standard figures. Each is a function (run, **options) -> matplotlib Figure, signed with its run; it raises
NotInResult where the file lacks what it draws."""

from __future__ import annotations

from typing import Callable

from matplotlib.figure import Figure

from ..errors import NotAResult
from ..run import Run
from . import cluster, costs, drift, fronts, maps, meshes, physics, received, sweeps, tolerances, trainings

TABLE: tuple[tuple[Callable[..., Figure], str], ...] = (
    (sweeps.metric_vs_parameter, "Metrics against a swept parameter."),
    (maps.heat_map, "The mean of a metric over two swept parameters."),
    (received.error_histogram, "By how much the wrong codes are wrong."),
    (received.eye, "Levels received for each target digit."),
    (trainings.training, "The learning curve."),
    (received.gradient, "The average gradient that comes back against the exact one."),
    (received.ablation, "Which source of error makes the variance."),
    (fronts.pareto, "Two quantities traded against each other over all sweep points."),
    (drift.drift, "A chip over time."),
    (sweeps.spectrum, "Meshes at other wavelengths than they were calibrated at."),
    (sweeps.comb, "Share of words wrong on the wavelengths of a comb through one chip."),
    (received.receiver_noise, "Wrong digits and words against received power and intensity noise."),
    (costs.budget, "What a chip costs: light, watts and time."),
    (costs.designs, "What several designs cost, side by side."),
    (costs.interconnect, "Training iterations on several networks: against the number of servers, and what they consist of."),
    (costs.arrangements, "What arrangements of units cost in time and energy as servers are added."),
    (costs.assumptions, "How the ratio of two scenarios changes with one assumption at a time."),
    (cluster.testbed, "What circuits of light cost an exchange of gradients."),
    (cluster.competition, "How jobs fare on ODDL, a fat-tree and SiP-Ring."),
    (cluster.iteration, "Where the time of an iteration goes on several networks."),
    (cluster.failures, "What a job loses when a component fails, and how much slower it goes on."),
    (physics.law, "A law of physics, closed form against simulation."),
    (meshes.mesh_comparison, "Corrected meshes of several kinds of MZIs, against splitter error and against size."),
    (meshes.mesh_balance, "What corrected meshes lose to errors that nobody knows."),
    (tolerances.tolerance, "Share of chips that decode every word against the level of an error."),
    (tolerances.search, "Networks compared: how much error their chips stand against how many MZIs they have."),
    (trainings.learning, "Training through every way of averaging: curves, and the final difference to the exact average."),
    (trainings.learning_energy, "What a training loses against the joules that averaging its gradients takes."),
    (trainings.chip_to_accuracy, "From chips' errors to wrong codes to a model's accuracy."),
    (trainings.gradient_errors, "Which errors of gradients hurt a training."),
    (sweeps.wrong_words, "Share of words decoded wrong by several networks against the level of an error."),
    (fronts.cost_front, "Share of words wrong of many networks against what each costs."),
    (fronts.operating_points, "Energy per bit against bit rate of units at their operating points."),
    (fronts.part_draws, "Least energy per bit of designs over draws of parts."),
    (received.waveform, "The eye of every layer, and how far a symbol is from settled light from instant to instant."),
    (maps.wafer_map, "Dies on wafers, coloured by what was measured on them, and their yield."),
    (physics.scattering, "Transmission and reflection of a circuit over wavelength."),
)
"""Every figure, and what it shows in one line."""

FIGURES: dict[str, Callable[..., Figure]] = {draw.__name__: draw for draw, _ in TABLE}
"""Every figure by name."""



def __getattr__(name: str) -> Callable[..., Figure]:
    """A figure, as an attribute of this module."""
    if name in FIGURES:
        return FIGURES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


ON_REQUEST = ("pareto",)
"""Drawn only where the study or the user names them: which two metrics to trade is theirs to say."""


def says(name: str) -> str:
    """What a figure shows, in one line."""
    return next(said for draw, said in TABLE if draw.__name__ == name)


def drawn(run: Run, name: str, **options: object) -> dict[str, Figure]:
    """The figures that NAME stands for, by the names of their files: itself, or one a law. options: those of the figure.
    Raises NotInResult where the file lacks what they show."""
    if name == "law" and (laws := physics.drawable(run)):
        return {f"law_{series}": physics.law(run, name=series) for series in laws}
    return {name: FIGURES[name](run, **options)}


def names_of(run: Run) -> tuple[list[str], bool]:
    """The figures that the study asks for in its key `figures`, and True; else those worth trying, and False.
    Raises NotAResult where the key is no list of figures' names."""
    wanted = run.config.get("figures")
    if wanted is None or wanted == []:  # the tool writes the key, empty where the study names none
        return [name for name in FIGURES if name not in ON_REQUEST], False
    unknown = [str(name) for name in wanted if name not in FIGURES] if isinstance(wanted, list) else [str(wanted)]
    if unknown:
        raise NotAResult(f"{run.path} asks for figures there are not (figures: {', '.join(unknown)}). "
                         f"There are {', '.join(FIGURES)}.")
    return list(wanted), True


__all__ = ["FIGURES", "ON_REQUEST", "drawn", "names_of", "says", *FIGURES]
