"""What a few trials say of a share or a quantile: exact binomial intervals, by numpy alone."""

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


def binomial_at_most(hits: Any, n: int, p: Any) -> Any:
    """P(K <= hits) of K ~ B(n, p), hits < n whole and not negative, 0 < p < 1, arrays alike: the regularised
    incomplete beta function I_{1-p}(n - hits, hits + 1) by its continued fraction (DLMF 8.17.22, Lentz's method)."""
    k, p = np.broadcast_arrays(np.asarray(hits, float), np.asarray(p, float))
    a, b, x = n - k, k + 1, 1 - p
    swapped = x > (a + 1) / (a + b + 2)
    a, b, x, y = np.where(swapped, b, a), np.where(swapped, a, b), np.where(swapped, p, x), np.where(swapped, x, p)
    log_factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n + 1)))))
    at = np.rint(k).astype(int)
    log_front = log_factorial[n] - log_factorial[n - at - 1] - log_factorial[at] + a * np.log(x) + b * np.log(y)
    tiny = 1e-300
    c, d = np.ones_like(x), 1 / np.maximum(1 - (a + b) * x / (a + 1), tiny)
    fraction = d.copy()
    for m in range(1, 100 + 10 * math.isqrt(n)):
        before = fraction
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d, c = 1 + term * d, 1 + term / c
            d, c = 1 / np.where(np.abs(d) < tiny, tiny, d), np.where(np.abs(c) < tiny, tiny, c)
            fraction = fraction * c * d
        if np.all(np.abs(fraction - before) <= 1e-14 * np.abs(fraction)):
            break
    share = np.exp(log_front) * fraction / a
    return np.where(swapped, 1 - share, share)


@lru_cache(maxsize=64)
def clopper_pearson(n: int) -> tuple[Any, Any]:
    """Limits of the 95 % Clopper-Pearson intervals of hits/n, for hits = 0 .. n: P(K >= hits) = 2.5 % at the lower,
    P(K <= hits) = 2.5 % at the upper. n from 1 on."""
    hits = np.arange(n)
    low, high = np.zeros(n), np.ones(n)
    for _ in range(50):
        middle = (low + high) / 2
        above = binomial_at_most(hits, n, middle) > TAIL
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    upper = np.append(high, 1.0)
    return 1 - upper[::-1], upper  # as many misses as hits: the lower limit is the upper one seen from the other end


def level_held(values: Any, share: float, falling: bool = False) -> Quantile:
    """The harshest of the levels `values` that a share of them hold, so that count(values >= it) >= share n: of n
    values the ceil(share n)-th harshest. Harsher means greater, or less where `falling`. Its interval: the order
    statistics that bracket the (1 - share) quantile with 95 %, at most 2.5 % left out on either side (binomial, exact;
    David and Nagaraja, Order Statistics, 7.1). NaN values are left out; low <= high.
    """
    ascending = np.sort(np.asarray(values, float)[~np.isnan(values)] * (-1 if falling else 1))
    n, p = len(ascending), 1 - share
    if n == 0:
        return Quantile(math.nan, math.nan, math.nan)
    held = max(math.ceil(share * n - 1e-9), 1)
    at_most = np.append(binomial_at_most(np.arange(n), n, p), 1.0)  # of values below the quantile
    below = np.flatnonzero(at_most[:n] <= TAIL)  # rank r, from 0, lies above the quantile when at most r are below
    above = np.flatnonzero(1 - at_most[:n] <= TAIL)
    low = float(ascending[below[-1]]) if len(below) else math.nan
    high = float(ascending[above[0]]) if len(above) else math.nan
    value = float(ascending[n - held])
    return Quantile(-value, -high, -low) if falling else Quantile(value, low, high)
