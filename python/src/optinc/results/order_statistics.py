"""What a few trials say of a share or a quantile: exact binomial intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

TAIL = 0.025
"""Probability that a 95 % interval leaves out on either side."""


@dataclass(frozen=True)
class Quantile:
    """An order statistic and its 95 % interval; NaN where too few values were drawn for a limit, or for any."""

    value: float
    low: float
    high: float


@lru_cache(maxsize=64)
def clopper_pearson(n: int) -> tuple[Any, Any]:
    """Limits of the 95 % Clopper-Pearson intervals of hits/n, for hits = 0 .. n: P(K >= hits) = 2.5 % at the lower,
    P(K <= hits) = 2.5 % at the upper. n from 1 on."""
    from scipy import stats  # here: importing it takes a second and 60 MB

    hits = np.arange(1, n + 1)
    low = stats.beta.ppf(TAIL, hits, n + 1 - hits)
    return np.append(0.0, low), np.append(1 - low[::-1], 1.0)  # as many misses as hits: the mirror image


def level_held(values: Any, share: float, falling: bool = False) -> Quantile:
    """The harshest of the levels `values` that a share of them hold, so that count(values >= it) >= share n: of n
    values the ceil(share n)-th harshest. Harsher means greater, or less where `falling`. Its interval: the order
    statistics that bracket the (1 - share) quantile with 95 %, at most 2.5 % left out on either side (binomial, exact;
    David and Nagaraja, Order Statistics, 7.1). NaN values are left out; low <= high.
    """
    from scipy import stats  # here: importing it takes a second and 60 MB

    ascending = np.sort(np.asarray(values, float)[~np.isnan(values)] * (-1 if falling else 1))
    n, p = len(ascending), 1 - share
    if n == 0:
        return Quantile(math.nan, math.nan, math.nan)
    held = max(math.ceil(share * n - 1e-9), 1)
    at_most = stats.binom.cdf(np.arange(n + 1), n, p)  # of values below the quantile
    below = np.flatnonzero(at_most[:n] <= TAIL)  # rank r, from 0, lies above the quantile when at most r are below
    above = np.flatnonzero(1 - at_most[:n] <= TAIL)
    low = float(ascending[below[-1]]) if len(below) else math.nan
    high = float(ascending[above[0]]) if len(above) else math.nan
    value = float(ascending[n - held])
    return Quantile(-value, -high, -low) if falling else Quantile(value, low, high)
