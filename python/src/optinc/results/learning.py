"""What training through chips came to: the ways gradients took, and how far each ends from the exact average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from .errors import NotInResult
from .networks import label_of
from .run import Run
from .study import by_key, parameters

FLOAT_PATHS = ("exact", "ring", "halving-doubling", "parameter-server")
"""Aggregators that send no codes."""
NAMES = {"exact": "exact average", "ring": "ring of floats", "quantised": "codes, no chip"}
"""What figures and tables call aggregators; others by their own names."""


@dataclass(frozen=True)
class Path:
    """One way of the gradients: a point of the sweep, with its name for people."""

    name: str
    aggregator: str
    place: int


@dataclass(frozen=True)
class Difference:
    """Final value of a path less that of the exact average, both of one start: mean over the trials and the 95 %
    interval of that mean by Student's t."""

    mean: float
    low: float
    high: float
    values: Any


def mean_interval(values: Any) -> tuple[float, float, float]:
    """Mean and its 95 % interval by Student's t; without ends for fewer than two values."""
    from scipy import stats  # here: importing it takes a second and 60 MB

    seen = np.asarray(values, float)
    seen = seen[np.isfinite(seen)]
    if len(seen) < 2:
        mean = float(seen[0]) if len(seen) else float("nan")
        return mean, float("nan"), float("nan")
    half = float(stats.t.ppf(0.975, len(seen) - 1)) * float(np.std(seen, ddof=1)) / len(seen) ** 0.5
    return float(seen.mean()), float(seen.mean()) - half, float(seen.mean()) + half


def path_axis(run: Run) -> str:
    """The sweep that varies how gradients are averaged. Raises NotInResult for a file of another study."""
    trials = run.require("trials")
    if "final_loss" not in trials:
        raise NotInResult(f"{run.path} holds no trainings. Run a study of model learning, as "
                          "experiments/data/studies/learning_images.toml.")
    found = by_key(run, "learner.aggregator")
    if found is not None:
        return found.axis
    raise NotInResult(f"{run.path} has no sweep of learner.aggregator (all kinds of averaging are compared with the "
                      "exact one). Sweep learner.aggregator, with \"exact\" among its values.")


def paths(run: Run) -> list[Path]:
    """Every way of the study, in its order, named by what tells it from the others."""
    axis = path_axis(run)
    keys = {p.key: p.values for p in parameters(run).values() if p.axis == axis and p.key}
    found = []
    for i, aggregator in enumerate(map(str, keys["learner.aggregator"])):
        said = [NAMES.get(aggregator, aggregator)]
        if aggregator in ("chip", "network"):
            if "network.source" in keys:
                said = [label_of(str(keys["network.source"][i]))]
            elif by_key(run, "network.source") is None:  # or they are another sweep's
                said = [label_of(str(run.config["network"]["source"]))]
            if aggregator == "network":
                said.append("no devices")
            elif "chip.preset" in keys:
                said.append(str(keys["chip.preset"][i]))
        if keys.get("learner.error_rate") is not None and float(keys["learner.error_rate"][i]) > 0:
            said.append(f"{float(keys['learner.error_rate'][i]):.3g} wrong")
        if keys.get("learner.offset_lsb") is not None and float(keys["learner.offset_lsb"][i]) != 0:
            said.append(f"{float(keys['learner.offset_lsb'][i]):+.3g} LSB")
        if aggregator == "chip" and "learner.own_copies" in keys:
            every = int(keys["learner.equalise_every"][i]) if "learner.equalise_every" in keys else 0
            said.append("one copy" if not keys["learner.own_copies"][i] else
                        f"own copies, equal every {every} steps" if every else "own copies")
        found.append(Path(", ".join(said), aggregator, i))
    return found


def exact_place(run: Run) -> int:
    """Place of the exact average on the sweep of paths. Raises NotInResult where it is not among them."""
    for path in paths(run):
        if path.aggregator == "exact":
            return path.place
    raise NotInResult(f"{run.path} has no training with the exact average to compare with. Let learner.aggregator take the "
                      "value exact.")


def final(run: Run, metric: str = "final_accuracy", at: Optional[dict[str, int]] = None,
          variant: Optional[str] = None) -> Any:
    """Final values, (paths, trials), at these places of other sweeps and of this variant, or the only one."""
    data = run.require("trials")[metric].isel(at or {})
    names = [str(v) for v in data["variant"].values]
    data = data.isel(variant=names.index(variant) if variant else 0)
    rest = {d: 0 for d in data.dims if d not in (path_axis(run), "trial")}
    return data.isel(rest).transpose(path_axis(run), "trial").values


def differences(run: Run, metric: str = "final_accuracy", at: Optional[dict[str, int]] = None,
                variant: Optional[str] = None) -> list[Difference]:
    """Of every path, trial by trial: equal trials have equal starts and orders of examples."""
    values = final(run, metric, at, variant)
    off = values - values[exact_place(run)]
    return [Difference(*mean_interval(row), row) for row in off]


def difference_table(run: Run) -> dict[str, Any]:
    """A row for every path of a training: its name; the mean over trials of final_accuracy; what the mean differs by from that
    of the exact average, with the ends of its 95 % interval (differences()); where the file says, joules that averaging all
    gradients of a step takes in all (step_energy) and for each server. Columns by name, as table.tidy() returns them."""
    off, found = differences(run), paths(run)
    table = {"path": np.array([path.name for path in found], object), "final_accuracy": np.nanmean(final(run), axis=1),
             "difference": np.array([of.mean for of in off]), "difference_low": np.array([of.low for of in off]),
             "difference_high": np.array([of.high for of in off])}
    if "step_energy" in run.require("trials"):
        table["step_energy"] = final(run, "step_energy")[:, 0]
        table["step_energy_per_server"] = table["step_energy"] / int(run.config["task"]["servers"])
    return table
