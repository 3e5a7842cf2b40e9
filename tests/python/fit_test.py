"""Fits of devices and of a process: what made the data is found again, within the errors that the fit says."""

import tempfile
import unittest
from pathlib import Path

import numpy
import optinc

try:
    import h5py
    import scipy.io
except ImportError:
    raise unittest.SkipTest("no h5py or scipy") from None

from optinc import fit

WAVELENGTHS = numpy.arange(1548e-9, 1552e-9, 2e-12)


def ring_spectrum(settings):
    return abs(optinc.model_scattering("add_drop_ring", settings, WAVELENGTHS)[:, 2:, 0]) ** 2


class Devices(unittest.TestCase):
    def within(self, found, truth, sigmas=5):
        for name, value in truth.items():
            self.assertLess(abs(found[name] - value), sigmas * found.errors[name], f"{name}: {found[name]} +- {found.errors[name]}, {value}")
            self.assertLess(found.errors[name], max(abs(value), 1e-30), name)

    # Fails when the splitting is half of itself, or coupling and loss are exchanged
    def test_ring(self):
        truth = {"bus_eta_rad": 0.05, "loss_db_per_cm": 3.0, "splitting_m": 20e-12}
        settings = {"length_m": 62.8e-6, "bus_excess_loss_db": 0.0, "drop_excess_loss_db": 0.0, "drop_eta_rad": 0.05, **truth}
        through, drop = ring_spectrum(settings).T
        draw = numpy.random.default_rng(1)
        near = WAVELENGTHS[numpy.argmin(through)]
        measured = [3e-6 * p + 6e-9 * draw.normal(size=p.size) for p in (through, drop)]
        found = fit.ring(WAVELENGTHS, *measured, near_m=near, circumference_m=62.8e-6, window_m=0.5e-9)
        self.within(found, truth)
        self.assertLess(found.rms, 0.03)
        without = fit.ring(WAVELENGTHS, *measured, near_m=near, circumference_m=62.8e-6, window_m=0.5e-9, splitting=False)
        self.assertGreater(without.rms, 2 * found.rms)

    # 200 fits would say more; 40 z-scores of four parameters, rms 1 within 5/sqrt(320)
    def test_standard_errors(self):
        length, at = [v.ravel() for v in numpy.meshgrid(numpy.arange(5e-6, 30e-6, 1.5e-6), numpy.linspace(1530e-9, 1570e-9, 9))]
        truth = {"coupling_per_m": 6.2e4, "extra_length_m": 3.3e-6, "eta_relative_slope_per_m": 3e6, "port_ratio": 1.04}
        share = fit.cross_share(truth, length, at)
        draw, scores = numpy.random.default_rng(2), []
        for _ in range(40):
            noisy = share + 0.01 * draw.normal(size=share.size)
            found = fit.coupler(length, at, 1 - noisy, noisy)
            scores.append([(found[name] - value) / found.errors[name] for name, value in truth.items()])
        self.assertLess(abs(numpy.sqrt(numpy.mean(numpy.square(scores))) - 1), 5 / numpy.sqrt(320))

    def test_coupler_is_the_model_of_circuits(self):
        truth = {"coupling_per_m": 6e4, "extra_length_m": 0.0, "eta_relative_slope_per_m": 4e6}
        s = optinc.model_scattering("coupler", {"eta_rad": 0.6, "excess_loss_db": 0.0}, WAVELENGTHS)
        numpy.testing.assert_allclose(fit.cross_share(truth, 1e-5, WAVELENGTHS), abs(s[:, 3, 0]) ** 2, atol=1e-12)

    def test_interferometer(self):
        at = numpy.linspace(1530e-9, 1570e-9, 2001)
        index = 2.4462 - 1.13 * (at - 1550e-9) * 1e6
        power = (1 + 0.98 * numpy.cos(2 * numpy.pi * 100e-6 * index / at)) * 10 ** (-0.1 * ((at - 1552e-9) / 10e-9) ** 2)
        power += 0.01 * numpy.random.default_rng(3).normal(size=at.size)
        found = fit.mzi(at, power, 100e-6, index=2.443)
        self.within(found, {"index": 2.4462, "group_index": 2.4462 + 1.13 * 1.55, "visibility": 0.98})

    def test_columns(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "a.csv").write_text("wavelength_nm,power\n1,2\n3,4\n")
            with h5py.File(folder / "a.h5", "w") as file:
                file["wavelength_nm"], file["power"] = [1.0, 3.0], [2.0, 4.0]
            scipy.io.savemat(folder / "a.mat", {"wavelength_nm": [1.0, 3.0], "power": [2.0, 4.0]})
            for name in ("a.csv", "a.h5", "a.mat"):
                columns = fit.read_columns(folder / name)
                self.assertEqual(columns["wavelength_nm"].tolist(), [1, 3], name)
                self.assertEqual(columns["power"].tolist(), [2, 4], name)
            (folder / "b.csv").write_text("")
            with self.assertRaises((ValueError, StopIteration, IndexError)):
                fit.read_columns(folder / "b.csv")

    def test_too_few_numbers(self):
        with self.assertRaisesRegex(ValueError, "Give more"):
            fit.least_squares(lambda p: numpy.zeros(2), {"a": fit.Start(0, 1), "b": fit.Start(0, 1)}, [1, 2])

    def test_what_the_data_cannot_tell(self):
        found = fit.least_squares(lambda p: (p["a"] + p["b"]) * numpy.arange(5.0), {"a": fit.Start(0, 1), "b": fit.Start(0, 1), "c": fit.Start(0, 1)},
                                  numpy.arange(5.0) * 3 + [0, 0.1, -0.1, 0.1, -0.1])
        self.assertTrue(all(numpy.isinf(found.errors[name]) for name in "abc"))


class Processes(unittest.TestCase):
    # A die drawn from a known process: the three numbers lie in their intervals (each 95 %; seed fixed), turns and offsets notwithstanding.
    # Fails when the field acts on the arms' lengths in place of their difference
    def test_process(self):
        draw = numpy.random.default_rng(5)
        n = 150
        truth = fit.Process(9e-4, 0.6e-3, 400.0, 0.3, {})
        devices = fit.Interferometers(draw.uniform(0, 8e-3, (n, 2)), draw.choice([25, 50, 100, 150, 250], n) * 1e-6, draw.uniform(200e-6, 800e-6, n),
                                      numpy.zeros(n), numpy.repeat(numpy.arange(n // 6), 6))
        shared = draw.normal(0, truth.group_rad, n // 6)[devices.group]
        phases = numpy.linalg.cholesky(devices.covariance(truth)) @ draw.normal(size=n) + shared
        index = 2.4451 + (devices.place_m - devices.place_m.mean(axis=0)) @ [0.3, 0.1] + phases / devices.rad_per_index
        step = devices.wavelength_m / devices.delta_m
        index -= step * numpy.round((index - 2.443) / step)
        made = fit.Interferometers(devices.place_m, devices.delta_m, devices.arms_m, index, devices.group)
        found = fit.process(made)
        for name in ("field_index", "correlation_length_m", "white_rad2_per_m", "group_rad"):
            low, high = found.interval(name)
            self.assertTrue(low < getattr(truth, name) < high, f"{name}: {getattr(found, name)} in {low} .. {high}")
        model = found.model()
        back = numpy.hypot(model.width_field_m * model.index_per_width_per_m, model.height_field_m * model.index_per_height_per_m)
        self.assertAlmostEqual(back / found.field_index, 1)

    def test_preset(self):
        named = optinc.ProcessModel("openebl-2024")
        self.assertEqual(named.correlation_length_m, 0.48e-3)
        self.assertEqual(optinc.ProcessModel().correlation_length_m, 4.5e-3)
        with self.assertRaisesRegex(ValueError, "openebl-2024"):
            optinc.ProcessModel("openebl-2025")


if __name__ == "__main__":
    unittest.main()
