"""A unit in operation: it drifts, and is calibrated again on schedule."""

from __future__ import annotations

import functools
from copy import copy
from typing import TYPE_CHECKING, Any

from ._core import CalibrationSettings, DriftSettings

if TYPE_CHECKING:
    from ._core import ErrorModel, ProgrammedChip, SensitivitySettings, Unit


class Service:
    """A chip over time: it drifts, and is calibrated again every drift.recalibrate_s, as variant "recalibrated" of studies.

        drift = optinc.DriftSettings()
        drift.instants, drift.interval_s, drift.recalibrate_s = 361, 10.0, 600.0
        service = optinc.Service(optinc.carry_chain(), "good-lab", drift, chip=3)
        service.at(90).average(codes)                         # the chip after 15 minutes
        Averager(lambda step: service.at(min(step // 50, 360)))  # in training: 50 steps in 10 s

    unit: what is fabricated from `model`, an ErrorModel or the name of a preset. recalibrate: False for a chip that is
    calibrated once. Further arguments are those of Unit.calibrate() (seed, chip, calibration: its settings, wafer) and of
    Chip.program() (programming: a dict, such as {"hardware": hardware, "crosstalk": crosstalk}).

    history: DriftHistory of what the chip sees; calibrated: instant of the calibration that each instant lives on.

    Raises ValueError for an unknown preset and impossible settings.
    """

    def __init__(self, unit: Unit, model: ErrorModel | str, drift: DriftSettings | None = None, *, recalibrate: bool = True,
                 sensitivity: SensitivitySettings | None = None, programming: dict[str, Any] | None = None,
                 calibration: CalibrationSettings | None = None, **which: Any) -> None:
        settings = CalibrationSettings() if calibration is None else copy(calibration)
        of_time = DriftSettings() if drift is None else copy(drift)
        self._later = {} if sensitivity is None else {"sensitivity": copy(sensitivity)}

        def programmed(number: int) -> ProgrammedChip:
            return unit.calibrate(model, settings, number=number, **which).program(**(programming or {}))

        self._programmed = functools.lru_cache(maxsize=2)(programmed)
        self.history = self._programmed(0).drift(of_time)
        again = recalibrate and settings.policy != "none"  # which never calibrates
        self.calibrated: list[int] = of_time.calibrated() if again else [0] * of_time.instants

    def at(self, instant: int) -> ProgrammedChip:
        """The chip at an instant of its history, as its last calibration and the drift since then left it.

        A calibration takes what Unit.calibrate() and program() take; the last two are kept. Raises ValueError for an instant
        that is not there.
        """
        if not 0 <= instant < len(self.calibrated):
            raise ValueError(f"instant {instant} of {len(self.calibrated)} (0..{len(self.calibrated) - 1}). Choose one of them.")
        number = len(set(self.calibrated[:instant + 1])) - 1
        return self._programmed(number).in_service(self.history, instant, self.calibrated, **self._later)

    def __repr__(self) -> str:
        return f"<Service: {len(self.calibrated)} instants, {len(set(self.calibrated))} calibrations>"
