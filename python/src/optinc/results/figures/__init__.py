"""The standard figures. Each is a function (run, **options) -> matplotlib Figure, signed with its run; it raises
NotInResult where the file lacks what it draws."""

from __future__ import annotations

import sys
from typing import Callable

from matplotlib.figure import Figure

from ..errors import NotAResult
from ..run import Run
from .ablation import ablation
from .budget import budget
from .chip_to_accuracy import chip_to_accuracy, gradient_errors
from .cluster import competition, iteration, testbed
from .comb import comb
from .designs import designs
from .cost_front import cost_front
from .drift import drift
from .error_histogram import error_histogram
from .eye import eye
from .failures import failures
from .gradient import gradient
from .heat_map import heat_map
from .interconnect import arrangements, assumptions, interconnect
from .law import drawable, law
from .learning import learning
from .mesh_balance import mesh_balance
from .mesh_comparison import mesh_comparison
from .metric_vs_parameter import metric_vs_parameter
from .operating_points import operating_points
from .pareto import pareto
from .receiver_noise import receiver_noise
from .scattering import scattering
from .search import search
from .spectrum import spectrum
from .tolerance import tolerance
from .training import training
from .wafer_map import wafer_map
from .waveform import waveform
from .wrong_words import wrong_words

FIGURES: dict[str, Callable[..., Figure]] = {draw.__name__: draw for draw in (
    metric_vs_parameter, heat_map, error_histogram, eye, training, gradient, ablation, pareto, drift, spectrum, comb, receiver_noise, budget,
    designs, interconnect, arrangements, assumptions, testbed, competition, iteration, failures, law, mesh_comparison, mesh_balance, tolerance, search, learning, chip_to_accuracy,
    gradient_errors, wrong_words, cost_front, operating_points, waveform, wafer_map, scattering)}
"""Every figure by name."""

ON_REQUEST = ("pareto",)
"""Drawn only where the study or the user names them: which two metrics to trade is theirs to say."""


def says(name: str) -> str:
    """What a figure shows, in one line: that of its module."""
    return str(sys.modules[FIGURES[name].__module__].__doc__)


def drawn(run: Run, name: str) -> dict[str, Figure]:
    """The figures that NAME stands for, by the names of their files: itself, or one a law. Raises NotInResult where
    the file lacks what they show."""
    if name == "law" and drawable(run):
        return {f"law_{series}": law(run, name=series) for series in drawable(run)}
    return {name: FIGURES[name](run)}


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
