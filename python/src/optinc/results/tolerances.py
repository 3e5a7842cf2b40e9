"""How much of an error a share of the chips of a study of model `tolerance` stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping

import numpy as np

from .errors import NotInResult
from .networks import network_of_point, networks
from .order_statistics import level_held
from .run import Run
from .study import Parameter, parameters, shown_parameters
from .table import Table

MEANINGS = {
    "chip": ("factor on all errors of the preset", "1"),
    "chip.sigma_eta_rad": ("rms error of the splitter angles", "rad"),
    "chip.sigma_cal_rad": ("rms error of the calibrated phases", "rad"),
    "chip.sigma_phase_rad": ("rms noise of the phases", "rad"),
    "chip.mzi_loss_db": ("mean loss of an MZI", "dB"),
    "chip.arm_loss_spread_db": ("rms spread of the arms' losses", "dB"),
    "chip.dac_bits": ("resolution of the phase DAC", "bit"),
    "calibration.sigma_estimate_rad": ("rms error of the estimated splitters", "rad"),
    "crosstalk.x0": ("heat that a neighbour gets, as a share", "1"),
    "environment.temperature_k": ("temperature since calibration", "K"),
    "environment.wavelength_m": ("wavelength since calibration", "m"),
    "stand_in.relative_error": ("relative error of every unitary", "1"),
    "laser.rin_db_per_hz": ("intensity noise of the laser", "dB/Hz"),
    "link.sigma_lock_rad": ("rms error of the phase lock", "rad"),
    "link.sigma_oscillator_rad": ("rms phase of the oscillators", "rad"),
    "link.oscillator_loop_hz": ("bandwidth of the oscillators' locks", "Hz"),
    "link.oscillator_dither_rad": ("dither of the oscillators' locks", "rad"),
    "link.sigma_combiner": ("rms error of the combiners", "1"),
    "link.sigma_limiter": ("rms spread of the neurons' ceilings", "1"),
    "link.limiter_knee": ("knee of the neurons' ceilings", "1"),
    "link.level_mismatch": ("mismatch of the levels", "1"),
    "modulator.leak": ("residual light of a dark modulator", "1"),
    "receiver.bandwidth_hz": ("bandwidth of the receivers", "Hz"),
    "link.signal_full_scale_w": ("re-modulated power", "W"),
}
"""Keys that a chip is tried at, in words short enough for an axis, and their units."""

UNITS = {"rad": "rad", "db": "dB", "k": "K", "m": "m", "w": "W", "hz": "Hz", "bits": "bit", "s": "s"}


@dataclass(frozen=True)
class Search:
    """What was made harsher at a sweep point, and between which values. `falling`: less is harsher."""

    key: str
    gentle: float
    harsh: float

    @property
    def falling(self) -> bool:
        """Whether less is harsher."""
        return self.harsh < self.gentle

    @property
    def logarithmic(self) -> bool:
        """Whether the levels span so much that only a logarithmic axis shows them."""
        return min(self.gentle, self.harsh) > 0 and max(self.gentle, self.harsh) >= 20 * min(self.gentle, self.harsh)

    @property
    def meaning(self) -> tuple[str, str]:
        """What the key is called and its unit; of a key not in MEANINGS the unit that its name ends on."""
        return MEANINGS.get(self.key) or (self.key, UNITS.get(re.split("[._]", self.key)[-1], "1"))


def search_at(run: Run, point: Mapping[str, int]) -> Search:
    """What was made harsher at a place on all axes that vary it. Raises NotInResult for another model's file."""
    if run.trials is None or "tolerance" not in run.trials:
        raise NotInResult(f"{run.path} holds no tolerances of chips (its model: {run.provenance.model}). "
                          'Run a study of model = "tolerance".')
    settings: dict[str, Any] = dict(run.config.get("tolerance", {}))
    for p in parameters(run).values():
        if p.key.startswith("tolerance.") and p.axis in point:
            settings[p.key.split(".")[1]] = p.values[point[p.axis]]
    return Search(str(settings.get("key", "chip")), float(settings.get("gentle", 0.01)),
                  float(settings.get("harsh", 10.0)))


def swept_keys(run: Run) -> dict[str, Parameter]:
    """Swept parameters by their whole keys, without the counts of sweeps of several keys."""
    return {p.key or p.name: p for p in shown_parameters(run)}


def tolerance(run: Run, share: float = 0.99) -> Table:
    """A table with a row for every sweep point and variant of a study of model `tolerance`: the harshest level of
    `tolerance.key` at which a `share` of the chips decode every word, with its 95 % interval.

    Columns: `point` (place in the file, from 0); every swept key by its whole name; `variant`; `network` (its name),
    `mzis` and `word_accuracy` (of the network without errors); `tolerance.key`, `tolerance.gentle`, `tolerance.harsh`;
    `chips` (trials run); `tolerance`, `low`, `high` in the unit of the key. The tolerance is an order statistic of the
    chips' own tolerances, the interval a pair of them (order_statistics.level_held), NaN where there are too few chips
    for a limit: at 99 %, 368 are needed for the gentler one. A tolerance equal to `tolerance.harsh` is at least that;
    0, or infinity where harsh lies below gentle, means less than gentle.

    Raises NotInResult for a file of another model, ValueError unless 0 < share < 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"a share of {share} of the chips (needed: more than 0, less than 1). Try 0.99.")
    search_at(run, {})
    data = run.require("trials")["tolerance"].transpose(*run.sweeps, "trial", "variant")
    values, variants = data.values, data["variant"].values
    all_networks, of_point, keys = networks(run), network_of_point(run), swept_keys(run)
    rows: list[dict[str, Any]] = []
    for number, place in enumerate(np.ndindex(*of_point.shape)):
        point = dict(zip(run.sweeps, place))
        search, network = search_at(run, point), all_networks[of_point[place]]
        for v, variant in enumerate(variants):
            held = level_held(values[place][:, v], share, search.falling)
            rows.append({"point": number, **{key: p.values[point[p.axis]] for key, p in keys.items()},
                         "variant": variant, "network": network.name, "mzis": network.mzis,
                         "word_accuracy": network.word_accuracy, "tolerance.key": search.key,
                         "tolerance.gentle": search.gentle, "tolerance.harsh": search.harsh,
                         "chips": int(np.isfinite(values[place][:, v]).sum() + np.isinf(values[place][:, v]).sum()),
                         "tolerance": held.value, "low": held.low, "high": held.high})
    return {name: column_of([row[name] for row in rows]) for name in rows[0]}


def column_of(values: list[Any]) -> "np.ndarray[Any, Any]":
    """A column; text as objects, as in tidy."""
    if any(isinstance(value, str) for value in values):
        return np.array(values, object)
    return np.array(values)
