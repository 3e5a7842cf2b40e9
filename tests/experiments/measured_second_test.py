"""The checks of a second source of measured chips, on spectra made by closed forms in the files of that source.

    measured_second_test.py     needs the Python module; skipped (77) without h5py and scipy
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import h5py  # noqa: F401  the command needs it
    import numpy as np
    from scipy.io import savemat
except ImportError:
    print("skipped: no h5py, numpy or scipy")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments/scripts"))
from measured_lib import second  # noqa: E402

GROUP_INDEX = 4.18
SLOPE = (2.44 - GROUP_INDEX) / 1550e-9  # of the effective index


def index(at):
    return 2.44 + SLOPE * (at - 1550e-9)


def interferometer(folder, name, delta_m):
    """A spectrum of 1 + cos, in dBm, as the 2014 set-up wrote it: four detectors."""
    at = np.arange(1530e-9, 1572e-9, 20e-12)
    power_db = 10 * np.log10(0.51 + 0.49 * np.cos(2 * np.pi * delta_m * index(at) / at)) - 25
    detectors = np.empty((1, 4), dtype=[("Data", "O")])
    for i in range(4):
        detectors[0, i] = (np.column_stack([at * 1e9, power_db if i == 0 else np.full(at.size, -np.inf)]),)
    savemat(folder / f"{name}_1_Scan1.mat", {"scanResults": detectors})


def ring(folder, radius_um, gap_nm, bus, drop, loss_db_per_cm=5.0):
    """Spectra of a ring between two couplers of these power couplings, as the 2015 set-up wrote them: drop, through, add."""
    at = np.arange(1530e-9, 1572e-9, 10e-12)
    length = 2 * np.pi * radius_um * 1e-6
    turn = 10 ** (-loss_db_per_cm * length * 100 / 20) * np.exp(2j * np.pi * index(at) * length / at)
    t1, t2 = np.sqrt(1 - bus), np.sqrt(1 - drop)
    through = abs((t1 - t2 * turn) / (1 - t1 * t2 * turn)) ** 2
    dropped = bus * drop * abs(turn) / abs(1 - t1 * t2 * turn) ** 2
    power_db = 10 * np.log10(np.column_stack([dropped, through, np.full(at.size, 1e-6)])) - 13
    savemat(folder / f"LukasC_RingDoubleTER{radius_um}g{gap_nm}_1.mat", {"scandata": {"wavelength": at, "power": power_db}})


class Second(unittest.TestCase):
    def rows(self, folder):
        (Path(folder) / "pai2023_mesh").mkdir()
        done = subprocess.run([sys.executable, ROOT / "experiments/measured", folder, "--only", "second", "--json"], capture_output=True, text=True)
        return {row["name"]: row for row in json.loads(done.stdout)["rows"]}, done

    def made(self, folder, factor, drop=1.0):
        """A source whose rings couple `factor` times what the law says, `drop` times that at the second bus."""
        for kind in ("mzi", "ring"):
            (Path(folder) / second.FOLDER / kind).mkdir(parents=True)
        for name in ("LukasChrostowski_MZI2", "ZiheGao_MZI2", "ZiheGao_MZI3"):
            interferometer(Path(folder) / second.FOLDER / "mzi", name, second.DELTA_UM[name] * 1e-6)
        for radius, gaps in ((10, (50, 100, 150, 200)), (3, (100,))):
            for gap in gaps:
                coupling = factor * second.law(gap)
                ring(Path(folder) / second.FOLDER / "ring", radius, gap, coupling, drop * coupling)

    def test_absent(self):
        with tempfile.TemporaryDirectory() as folder:
            rows, done = self.rows(folder)
        self.assertEqual((rows, done.returncode), ({}, 0))
        self.assertIn("second is skipped", done.stderr)
        self.assertIn("holds no folder ubcpdk_spectra", done.stderr)

    # Fails when drop and through are exchanged, when wavelengths of the interferometers are not in nm, or when orders are counted
    # against the wavelength: the couplings, the group index and the slope below are those that the spectra were made with
    def test_what_went_in_comes_out(self):
        with tempfile.TemporaryDirectory() as folder:
            self.made(folder, 1.3)
            rows, done = self.rows(folder)
        for name in ("second-ring-coupling", "second-ring-unlike"):
            self.assertAlmostEqual(rows[name]["value"], 1.3, delta=0.02)
        self.assertAlmostEqual(rows["second-ring-gap"]["value"], second.GAP_1_E_NM, delta=0.5)
        self.assertAlmostEqual(rows["second-ring-drop"]["value"], 1, delta=0.02)
        self.assertAlmostEqual(rows["second-ring-loss"]["value"], 5, delta=0.2)
        self.assertAlmostEqual(rows["second-ring-slope"]["value"], 0, delta=0.03)
        self.assertAlmostEqual(rows["second-group-index"]["value"], GROUP_INDEX, delta=2e-4)
        self.assertAlmostEqual(rows["second-ring-group-index"]["value"], GROUP_INDEX, delta=3e-3)
        self.assertLess(rows["second-mzi-spectra"]["value"], 1e-3)
        self.assertTrue(all(rows[name]["holds"] for name in ("second-ring-coupling", "second-group-index", "second-mzi-spectra")))

    # Fails when the mean of two couplers is not what is compared: alike ones miss a second coupler of twice the power
    def test_couplers_unlike(self):
        with tempfile.TemporaryDirectory() as folder:
            self.made(folder, 1.2, drop=2.0)
            rows, done = self.rows(folder)
        self.assertEqual(done.returncode, 1)
        self.assertAlmostEqual(rows["second-ring-unlike"]["value"], 1.8, delta=0.05)
        self.assertFalse(rows["second-ring-unlike"]["holds"])
        self.assertGreater(rows["second-ring-drop"]["value"], 1.5)


if __name__ == "__main__":
    unittest.main()
