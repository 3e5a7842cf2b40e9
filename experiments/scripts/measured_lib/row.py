"""What a check against measurements is: a number, what independent fits of the same data reached, and its interval."""

import csv
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Row:
    """One check. `most`: what it may be at most, `least`: at least; None: no bound."""
    name: str
    checked: str
    unit: str
    value: float
    most: float | None = None
    least: float | None = None
    interval: tuple = (math.nan, math.nan)  # 95 %
    note: str = ""

    @property
    def holds(self):
        return bool(not math.isnan(self.value) and (self.most is None or self.value <= self.most)
                    and (self.least is None or self.value >= self.least))  # of a number of NumPy, too


@dataclass
class Found:
    """Rows, and the numbers behind them and the figures: datasets by name, each with its unit."""
    rows: list = field(default_factory=list)
    data: dict = field(default_factory=dict)

    def keep(self, name, values, unit):
        self.data[name] = (np.asarray(values), unit)
        return values


def reached(residual):
    """The bound of a row whose residual independent fits reached: a tenth more."""
    return 1.1 * residual


def table(folder, name):
    """Columns of a CSV file by name, numbers as float64."""
    with open(Path(folder) / name, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = {}
    for key in rows[0]:
        texts = [row[key] for row in rows]
        try:
            columns[key] = np.array([float(t) if t else math.nan for t in texts])
        except ValueError:
            columns[key] = np.array(texts)
    return columns


def rms(values):
    """Root mean square of what is there."""
    values = np.asarray(values, float)
    return float(np.sqrt(np.nanmean(values ** 2)))


def bootstrap(statistic, count, seed=1, draws=1000):
    """95 % interval of statistic(indices) over `count` independent units drawn with replacement."""
    draw = np.random.default_rng(seed)
    return tuple(np.quantile([statistic(draw.integers(0, count, count)) for _ in range(draws)], [0.025, 0.975]))
