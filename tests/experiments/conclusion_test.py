"""What a file of rows comes to, in a sentence: typed-in rows, typed-in sentences."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python/src"))
sys.dont_write_bytecode = True
try:
    import numpy as np
    import xarray
    from optinc.results.conclusion import ENDS, budget_conclusion, rows_conclusion
    from optinc.results.figures import drift
except ModuleNotFoundError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def group(**columns):
    """A group of rows, times in s and energies in J."""
    units = {"total_s": "s", "energy_j": "J", "static_power": "W"}
    return xarray.Dataset({name: ("row", np.array(values), {"units": units.get(name, "1")}) for name, values in columns.items()})


class Conclusions(unittest.TestCase):
    # mutations: the longest iteration is the shortest; NaN or 0 is the least; scenarios of fewer servers are compared
    def test_scenarios_are_compared_at_the_most_servers(self):
        rows = group(name=["ring", "ring", "light"], workload=["net"] * 3, servers=[4, 16, 16], total_s=[0.1, 0.5, 0.25],
                     energy_j=[1.0, np.nan, 3.0])
        self.assertEqual(rows_conclusion(rows, ENDS["interconnect"]),
                         "net, 16 servers: shortest iteration light (0.25 s), least energy light (3 J).")

    def test_what_a_design_does_not_have_is_not_the_least(self):
        rows = group(design=["a", "b", "c"], static_power=[0.0, 2.0, 1.5], mzis=[0, 7, 9])
        self.assertEqual(rows_conclusion(rows, ENDS["designs"]), "Least static power c (1.5 W), fewest MZIs b (7).")

    def test_one_row_needs_no_comparison(self):
        self.assertEqual(rows_conclusion(group(design=["a"], static_power=[1.0], mzis=[1]), ENDS["designs"]), "")

    def test_a_budget_names_its_largest_stages(self):
        budget = xarray.Dataset({"static_power": (("stage", "part"), [[1.0, 1.0], [0.5, 0.0]], {"units": "W"}),
                                 "loss": (("stage", "part"), [[1.0, 0.0], [3.0, 2.0]], {"units": "dB"})}, {"stage": ["unit P", "layer 1"]})
        self.assertEqual(budget_conclusion(budget), "Most static power in unit P (2 W of 2.5 W); most light lost in layer 1 (5 dB of 6 dB).")


class Stretches(unittest.TestCase):
    # mutations: the mean of a stretch is drawn; the band goes up only
    def test_a_peak_of_one_instant_is_seen(self):
        class Value:
            mean = xarray.DataArray(np.where(np.arange(480) == 237, 1.0, 0.0))
            wrong = False
        band, line = drift.over_time(np.arange(480.0), Value(), {"color": "black"})
        self.assertEqual((line.arguments[1].max(), band.arguments[1].min()), (1.0, 0.0))
        self.assertEqual(np.count_nonzero(line.arguments[1]), 1)


if __name__ == "__main__":
    unittest.main()
