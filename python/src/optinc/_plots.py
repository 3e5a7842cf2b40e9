"""A picture of what an object holds."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from . import (
    ChipDeviations,
    DriftHistory,
    Mesh,
    MeshChip,
    MeshErrors,
    MeshFloorPlan,
    TrainingResult,
    UnitFloorPlan,
    Wafer,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _panels(count: int) -> tuple[Figure, Any]:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as missing:
        raise ImportError(f"plot() needs matplotlib ({missing}). Run pip install matplotlib.") from missing
    figure = Figure(figsize=(3.4 * count, 3.0), layout="constrained")
    return figure, figure.subplots(1, count, squeeze=False)[0]


def _histograms(panel: Any, values: dict[str, Any]) -> None:
    for name, found in values.items():
        panel.hist(found, bins=30, histtype="step", label=name)
    panel.locator_params(axis="x", nbins=4)
    panel.set_ylabel("count")
    panel.legend(frameon=False)


@functools.singledispatch
def plot(thing: Any) -> Figure:
    """A figure of what an object holds, for a notebook or plot(thing).savefig("thing.pdf").

    A DriftHistory over time; the curve of a TrainingResult; histograms of ChipDeviations and of MeshErrors; the dies of a
    Wafer; meshes as by their draw(), floor plans as by layout.draw(). Raises TypeError for anything else, ImportError without
    matplotlib.
    """
    raise TypeError(f"{type(thing).__name__} has no plot (DriftHistory, TrainingResult, ChipDeviations, MeshErrors, Wafer, meshes and "
                    "floor plans have). Draw its arrays.")


@plot.register(DriftHistory)
def _(history: DriftHistory) -> Figure:
    figure, (warm, long) = _panels(2)
    hours = history.time_s / 3600
    for name, values in (("ambient", history.ambient_k), ("die", history.die_k)):
        warm.plot(hours, values, label=name)
    warm.legend(frameon=False)
    long.plot(hours, history.wavelength_m * 1e12)
    for panel, label in ((warm, "temperature (K)"), (long, "wavelength (pm)")):
        panel.set_xlabel("time since calibration (h)")
        panel.set_ylabel(label)
    return figure


@plot.register(TrainingResult)
def _(result: TrainingResult) -> Figure:
    figure, (loss, wrong) = _panels(2)
    epochs = [report.epoch for report in result.curve]
    loss.semilogy(epochs, [report.loss for report in result.curve])
    wrong.plot(epochs, [1 - report.word_accuracy for report in result.curve])
    wrong.set_yscale("symlog", linthresh=1e-5)
    for panel, label in ((loss, "mean loss"), (wrong, "share of words wrong")):
        panel.set_xlabel("epoch")
        panel.set_ylabel(label)
    return figure


@plot.register(ChipDeviations)
def _(found: ChipDeviations) -> Figure:
    figure, panels = _panels(3)
    for panel, values, label in zip(panels, (1 - found.fidelity, found.error, found.power), ("1 - fidelity", "error", "power left")):
        panel.hist(values, bins=30, histtype="step")
        panel.locator_params(axis="x", nbins=4)
        panel.set_xlabel(label)
        panel.set_ylabel("chips")
    return figure


@plot.register(MeshErrors)
def _(errors: MeshErrors) -> Figure:
    figure, panels = _panels(3)
    for panel, label, names in zip(panels, ("splitter angle (rad)", "phase offset (rad)", "loss of an arm (dB)"),
                                   (("alpha", "beta"), ("theta_offset", "phi_offset"), ("theta_arm_loss_db", "phi_arm_loss_db"))):
        _histograms(panel, {name.removesuffix("_arm_loss_db"): np.asarray(getattr(errors, name)) for name in names})
        panel.set_xlabel(label)
    return figure


@plot.register(Wafer)
def _(wafer: Wafer) -> Figure:
    from matplotlib.patches import Rectangle
    figure, (panel,) = _panels(1)
    corners = 1e3 * wafer.dies
    steps = [np.diff(np.unique(np.round(axis, 6))) for axis in corners.T]
    size = [step.min() if step.size else 10.0 for step in steps]
    for number, corner in enumerate(corners):
        panel.add_patch(Rectangle(corner, *size, fill=False))
        panel.text(*(corner + np.divide(size, 2)), str(number), ha="center", va="center", fontsize=6)
    panel.set(xlabel="x (mm)", ylabel="y (mm)", aspect="equal", xlim=(corners[:, 0].min() - 2, corners[:, 0].max() + size[0] + 2),
              ylim=(corners[:, 1].min() - 2, corners[:, 1].max() + size[1] + 2))
    return figure


@plot.register(Mesh)
@plot.register(MeshChip)
def _(mesh: Any) -> Figure:
    drawn: Figure = mesh.draw()
    return drawn


@plot.register(MeshFloorPlan)
@plot.register(UnitFloorPlan)
def _(plan: Any) -> Figure:
    from . import layout
    return layout.draw(plan)
