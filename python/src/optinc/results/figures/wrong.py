"""Shares of words or chips that are wrong, on logarithmic axes that have a 0."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Optional

import numpy as np

from ..run import Run
from ..study import Statistic
from .paint import WHITE_EDGE, Axis, Mark, mark, note

MOST_DECADES = 8  # that are all labelled
DRAWN_WORDS = ("word_accuracy", "cascade_accuracy", "instant_accuracy", "channel_accuracy")
"""Shares of the measure.words words that every trial draws."""


@dataclass(frozen=True)
class Zero:
    """Where a logarithmic axis has its 0: `place`, below `least`, the smallest share that could have been seen."""

    place: float
    least: float
    said: str


def wrong_axis(title: str, least: float, zero: Optional[Zero]) -> Axis:
    """The axis of a share of what is wrong: from the `least` seen up to 1, below it the 0 where some are."""
    end = zero.least if zero else least
    limits = (zero.place / 2 if zero else least / 2, 1.5)
    exponents = np.arange(0, np.log10(end) - 1e-9, -max(1, int(-np.log10(end) / MOST_DECADES) + 1))
    if zero is None and len(exponents) < 3:
        return Axis(title, "decades", [least, 1.0], limits=limits)
    names = ["1" if power == 0 else f"$10^{{{power:.0f}}}$" for power in exponents]
    return Axis(title, "log", [*([zero.place] if zero else []), *10.0 ** exponents], ["0", *names] if zero else names, limits)


def zero_band(zero: Optional[Zero]) -> list[Mark]:
    """The grey band of the 0 of an axis, and what it means."""
    if zero is None:
        return []
    return [mark("axhspan", zero.place / 2, zero.place * 2, color="#e8e8e8", linewidth=0, zorder=0),
            note(0.99, zero.place, zero.said, transform="y", ha="right", fontsize=6, color="#333333",
                 path_effects=WHITE_EDGE, zorder=5)]


def zero_of(run: Run, wrong: Statistic) -> Optional[Zero]:
    """The 0 of the axis of a share of what is wrong, where some mean is 0; none for other metrics. `least` is one draw
    of all at a point; where the file does not say how many there were, a third of the smallest share seen."""
    seen = wrong.mean.values[np.isfinite(wrong.mean.values)]
    if not wrong.wrong or not (seen <= 0).any():
        return None
    draws, what = int(run.require("summary")["completed"].values.max()), "trials"
    if wrong.name in DRAWN_WORDS:
        draws, what = draws * int(run.config.get("measure", {}).get("words", 0)), "words"
    elif wrong.name != "yield":
        draws = 0
    if draws > 0:
        return Zero(1 / draws / 3, 1 / draws, f"none of {draws:,} {what}")
    return Zero(least_seen(wrong) / 9, least_seen(wrong) / 3, "none")


def least_seen(wrong: Statistic) -> float:
    """The least of the means that is more than 0; 1 where there is none."""
    seen = wrong.mean.values
    return float(min([*seen[seen > 0], 1.0]))


def of_wrong(value: Statistic) -> Statistic:
    """Of a share of what is right, that of what is wrong; any other metric as it is."""
    if not value.meaning.complement:
        return value
    said = f"share of {value.meaning.complement}"
    if value.name == "yield":
        said = value.axis_name.replace(" with ", " without ")
    if said == value.axis_name:
        said = f"1 − {said}"
    return replace(value, mean=1 - value.mean, low=1 - value.high, high=1 - value.low, long_name=said, wrong=True)
