"""From a bench to a corrected chip on the command line: plan, measure, optinc twin, program, transfer. Usage: twin_test.py OPTINC

The bench is simulated here, from the definition of a mesh in FORMAT.md, by none of the tool's own code. Exits 77 (skipped) where
h5py or NumPy is missing.

Mutants that fail here: rows of twin_csv() in another order, words and ports of `power` swapped, the nominal voltage not squared,
offsets added instead of subtracted by `optinc program --chip`.
"""

import json
import pathlib
import sys
import tempfile
import unittest

try:
    import h5py
    import numpy
except ModuleNotFoundError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from tool import optinc

PORTS = 6
MZIS = [(column, upper) for column in range(PORTS) for upper in range(column % 2, PORTS - 1, 2)]
NOISE = 2e-4


def coupler(eta):
    return numpy.array([[numpy.cos(eta), 1j * numpy.sin(eta)], [1j * numpy.sin(eta), numpy.cos(eta)]])


def transfer(theta, phi, errors, output=None):
    """U of a chip with errors of splitters and phases."""
    u = numpy.eye(PORTS, dtype=complex)
    for k, (_, upper) in enumerate(MZIS):
        rows = [upper, upper + 1]
        t = (coupler(numpy.pi / 4 + errors["beta"][k]) @ numpy.diag([numpy.exp(1j * (theta[k] + errors["theta_offset"][k])), 1])
             @ coupler(numpy.pi / 4 + errors["alpha"][k]) @ numpy.diag([numpy.exp(1j * (phi[k] + errors["phi_offset"][k])), 1]))
        u[rows] = t @ u[rows]
    return u if output is None else numpy.exp(1j * numpy.asarray(output))[:, None] * u


def table(path):
    """The rows of a CSV file behind its comments."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return numpy.genfromtxt(lines, delimiter=",", names=True, dtype=None, encoding="utf8")


def fidelity(target, found):
    """Overlap up to phases of the outputs, which powers do not show."""
    return abs((found @ target.conj().T).diagonal()).sum() ** 2 / (PORTS * numpy.linalg.norm(found) ** 2)


class Twin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.random = numpy.random.default_rng(1)
        cls.errors = {name: cls.random.normal(0, 0.02, len(MZIS)) for name in ("alpha", "beta", "theta_offset", "phi_offset")}
        cls.words = (cls.random.normal(size=(10, PORTS)) + 1j * cls.random.normal(size=(10, PORTS))) / numpy.sqrt(2 * PORTS)
        done = optinc("twin", "--plan", PORTS, "--set", f"noise={NOISE}", "--splitter-error-rad", 5e-4, "-o", cls.folder / "plan.h5")
        assert done.returncode == 0, done.stderr
        with h5py.File(cls.folder / "plan.h5") as plan:
            cls.theta, cls.phi = plan["theta"][()], plan["phi"][()]
        cls.measured = cls.folder / "measured.h5"
        cls.write(cls.measured)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def write(cls, path, pi_voltage=None, **more):
        """A measurement, in rad, or in V of heaters with this voltage for a phase of pi."""
        random = numpy.random.default_rng(2)
        power = numpy.array([abs(cls.words @ transfer(theta, phi, cls.errors).T) ** 2 for theta, phi in zip(cls.theta, cls.phi)])
        with h5py.File(path, "w") as file:
            for name, phase in (("theta", cls.theta), ("phi", cls.phi)):
                file[name] = phase if pi_voltage is None else pi_voltage * numpy.sqrt(phase / numpy.pi)
                file[name].attrs["units"] = "rad" if pi_voltage is None else "V"
            file["input"] = numpy.stack([cls.words.real, cls.words.imag], axis=-1)
            file["power"] = power + random.normal(0, NOISE, power.shape)
            for name, value in more.items():
                if value is None:
                    del file[name]
                else:
                    file[name][...] = value

    def run_tool(self, *words):
        done = optinc(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_chip_is_found_and_corrected(self):
        folder = self.folder
        told = json.loads(self.run_tool("twin", self.measured, "-o", folder / "twin.csv", "--set", f"noise={NOISE}", "--json"))
        self.assertTrue(told["converged"])
        # a fit takes up a share of the noise, as many parameters of as many readings, and predicts the worse for it
        readings, share = told["fitted"]["readings"], (told["parameters"] - told["unseen"]) / told["fitted"]["readings"]
        self.assertAlmostEqual(told["fitted"]["rms_over_noise"], numpy.sqrt(1 - share), delta=5 / numpy.sqrt(2 * readings))
        self.assertGreater(told["held_out"]["rms_over_noise"], 0.9)
        self.assertLess(told["held_out"]["rms_over_noise"], 1 + 2 * share)
        rows = table(folder / "twin.csv")
        self.assertEqual([(int(r["column"]), int(r["upper"])) for r in rows], MZIS)
        errors = {kind["kind"]: kind["standard_error"] for kind in told["kinds"] if "standard_error" in kind}
        for name in self.errors:  # at five standard errors rms, 15 MZIs
            off = rows[f"{name}_rad"] - self.errors[name]
            self.assertLess(numpy.sqrt(numpy.mean(off**2)), errors[name] * (1 + 5 / numpy.sqrt(2 * len(MZIS))), name)
        target = numpy.fft.fft(numpy.eye(PORTS), norm="ortho")
        numpy.savetxt(folder / "target.csv", target, delimiter=",")
        found = {}
        for name, chip in (("without", ()), ("with", ("--chip", folder / "twin.csv"))):
            self.run_tool("program", folder / "target.csv", "-o", folder / f"{name}.csv", *chip)
            phases = table(folder / f"{name}.csv")
            mzis = phases[phases["kind"] == "mzi"]
            found[name] = fidelity(target, transfer(mzis["theta_rad"], mzis["phi_rad"], self.errors))
        self.assertLess(found["without"], 0.999)
        self.assertGreater(found["with"], 0.99999)

    def test_transfer_and_studies_take_the_twin(self):
        folder = self.folder
        self.run_tool("twin", self.measured, "-o", folder / "twin.h5", "--force")
        numpy.savetxt(folder / "dft.csv", numpy.fft.fft(numpy.eye(PORTS), norm="ortho"), delimiter=",")
        self.run_tool("program", folder / "dft.csv", "-o", folder / "phases.h5", "--chip", folder / "twin.h5")
        self.run_tool("transfer", folder / "phases.h5", "-o", folder / "on_chip.h5", "--chip", folder / "twin.h5")
        with h5py.File(folder / "phases.h5") as file, h5py.File(folder / "on_chip.h5") as matrix:
            theta, phi = file["phases/mesh/theta"][()], file["phases/mesh/phi"][()]
            on_chip = matrix["matrix"][..., 0] + 1j * matrix["matrix"][..., 1]
        self.assertGreater(fidelity(transfer(theta, phi, self.errors), on_chip), 0.9999)
        (folder / "study.toml").write_text('model = "mesh"\n[mesh]\nports = 6\ntarget = "dft.csv"\nmeasured = "twin.h5"\n'
                                           '[chip]\npreset = "ideal"\n[runner]\ntrials = 1\n[measure]\nmetrics = ["fidelity"]\n')
        self.run_tool("run", folder / "study.toml", "-o", folder / "study.h5", "--quiet")
        self.assertIn("corrected", self.run_tool("inspect", folder / "study.h5"))

    def test_losses_are_fitted(self):
        # a measured mesh whose arms lose unequally; what receivers see of a real matrix is it, times a factor
        folder, random = self.folder, numpy.random.default_rng(5)
        self.run_tool("twin", self.measured, "-o", folder / "lossless.csv")
        comments = [line for line in (folder / "lossless.csv").read_text().splitlines() if line.startswith("#")]
        rows = table(folder / "lossless.csv")
        for name in rows.dtype.names:
            if name.endswith("_loss_db"):
                rows[name] = 0.28 + 0.13 * abs(random.normal(size=len(rows)))
        numpy.savetxt(folder / "lossy.csv", rows, delimiter=",", fmt="%.17g", comments="",
                      header="\n".join([*comments, ",".join(rows.dtype.names)]))
        target = numpy.linalg.qr(random.normal(size=(PORTS, PORTS)))[0]
        numpy.savetxt(folder / "real.csv", target, delimiter=",")
        error = {}
        for name, options in (("splitters", ()), ("all", ("--fit", 0))):
            told = self.run_tool("program", folder / "real.csv", "-o", folder / f"{name}.csv", "--chip", folder / "lossy.csv", *options)
            self.run_tool("transfer", folder / f"{name}.csv", "-o", folder / f"{name}.h5", "--chip", folder / "lossy.csv")
            with h5py.File(folder / f"{name}.h5") as file:
                seen = file["matrix"][..., 0]
            error[name] = numpy.linalg.norm(seen * PORTS / (seen * target).sum() - target) / numpy.sqrt(PORTS)
        self.assertLess(error["all"], 0.1 * error["splitters"])
        self.assertRegex(told, r"error of [0-9.e-]+ rms for -?[0-9.]+ dB of headroom")
        done = optinc("program", folder / "real.csv", "-o", folder / "x.csv", "--fit", 0)
        self.assertIn("--chip", done.stderr)

    def test_voltages_give_the_same_chip(self):
        self.write(self.folder / "volts.h5", pi_voltage=4.0)
        self.run_tool("twin", self.folder / "volts.h5", "--drive-of-pi", 4, "-o", self.folder / "volts.csv")
        self.run_tool("twin", self.measured, "-o", self.folder / "phases.csv")
        volts, phases = (table(self.folder / f"{name}.csv") for name in ("volts", "phases"))
        for name in volts.dtype.names:
            numpy.testing.assert_allclose(volts[name], phases[name], atol=1e-6, err_msg=name)
        done = optinc("twin", self.folder / "volts.h5")
        self.assertIn("--drive-of-pi", done.stderr)

    def test_what_is_no_measurement_is_refused(self):
        for name, change, text in (("power", {"power": None}, "neither"), ("theta", {"theta": None}, "theta"),
                                   ("nan", {"theta": numpy.nan}, "finite"), ("inf", {"power": numpy.inf}, "infinite")):
            path = self.folder / f"no_{name}.h5"
            self.write(path, **change)
            done = optinc("twin", path)
            self.assertEqual(done.returncode, 1, name)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn(text, done.stderr)
        for words, text in ((("twin",), "no measurement"), (("twin", self.measured, "--set", "losses=some"), "losses"),
                            (("twin", self.measured, "--set", "nois=1"), "noise"), (("twin", self.measured, "-o", "x.txt"), ".txt"),
                            (("twin", "--plan", 4), "noise"), (("twin", self.measured, "-o", self.measured), "measured.h5")):
            done = optinc(*words)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(text, done.stderr)
        self.assertIn("held_out", self.run_tool("twin", "--keys"))


if __name__ == "__main__":
    unittest.main()
