"""The package gives the same bits as the command line for the same seed.

Needs h5py, and the tool of the same build in the environment's OPTINC_TOOL; skipped without a tool."""

import functools
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy
import optinc

TOOL = os.environ.get("OPTINC_TOOL")
NATIVE = bool(TOOL) and ", native, " in subprocess.run([TOOL, "--version"], capture_output=True, text=True).stdout
if TOOL:
    import h5py  # who names a tool wants the comparison: without h5py it fails
SEED, TRIAL = 5, 1  # chip 1 of the study
MESHES = f"""
model = "mesh"
run.seed = {SEED}
runner.trials = 2
chip.preset = "good-lab"
mesh.ports = 12
"""
CHIPS = f"""
model = "chip"
run.seed = {SEED}
runner.trials = 2
task.rounding = "half-up"
network.source = "SOURCE"
chip.preset = "good-lab"
[measure]
words = 1500
variants = ["uncorrected", "corrected_quadrature", "noisy"]
"""
DETUNED = MESHES + """
[environment]
temperature_k = 2.0
wavelength_m = 1.5e-9
[drift]
imbalance_m = 3e-6
heater_per_k = -1e-3
"""
WAFER = """
[fabrication]
process = "wafer"
width_field_m = 3e-9
correlation_length_m = 1e-3
die_width_m = 20e-3
heater_power_spread = 0.05
"""
AT_WORK = CHIPS + """
[calibration]
sigma_estimate_rad = 2e-3
[environment]
temperature_k = 3.0
wavelength_m = 2e-11
[drift]
heater_per_k = -1e-3
"""
DRIFT = f"""
model = "drift"
run.seed = {SEED}
runner.trials = 2
task.rounding = "half-up"
network.source = "carry-chain"
chip.preset = "good-lab"
measure.words = 64
[drift]
instants = 5
interval_s = 30.0
"""
TRAINING = f"""
model = "chip"
run.seed = {SEED}
task.servers = 2
task.bits = 4
network.hidden = [16, 16]
chip.preset = "good-lab"
[training]
epochs = 6
batch = 16
noise = 1.0
noise_ramp = 0.5
ceiling = 0.7
"""


@unittest.skipUnless(TOOL, "needs OPTINC_TOOL")
class SameBits(unittest.TestCase):
    def made(self, study, *commands):
        """The file of the last of some commands that work on a study, opened."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = Path(scratch.name)
        (folder / "study.toml").write_text(study)
        for arguments in commands:
            subprocess.run([TOOL, *arguments.split(), "--quiet"], cwd=folder, check=True, capture_output=True)
        file = h5py.File(folder / commands[-1].split()[-1])
        self.addCleanup(file.close)
        return file

    def replay(self, study):
        """The intermediate values of one trial of a study."""
        return self.made(study, "run study.toml -o study.h5", f"replay study.h5 --trial {TRIAL} -o trial.h5")

    def assertSame(self, found, expected):
        """The same bits of a portable tool. One that is compiled for its own processor rounds as its linker chooses."""
        found, expected = numpy.asarray(found), numpy.asarray(expected)
        if NATIVE and expected.dtype.kind in "fc" and expected.size:
            rounding = 1e-12 * numpy.abs(expected[numpy.isfinite(expected)]).max(initial=0.0)
            numpy.testing.assert_allclose(found, expected, rtol=0, atol=rounding)
        else:
            numpy.testing.assert_array_equal(found, expected)

    # Fails when the parts of complex numbers, or rows and columns, are exchanged on the way in.
    def test_matrices_of_numpy(self):
        unitary = optinc.haar_unitary(4, seed=3)
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            numpy.savetxt(folder / "text.csv", unitary, delimiter=",")
            numpy.save(folder / "rows.npy", unitary)
            numpy.save(folder / "columns.npy", numpy.asfortranarray(unitary))
            numpy.savez_compressed(folder / "alone.npz", u=unitary)

            def phases(file):
                subprocess.run([TOOL, "program", file, "-o", "phases.h5", "--quiet", "--force"], cwd=folder, check=True, capture_output=True)
                with h5py.File(folder / "phases.h5") as made:
                    return made["phases/mesh/theta"][()], made["phases/mesh/phi"][()]
            expected = phases("text.csv")
            for file in ("rows.npy", "columns.npy", "alone.npz"):
                numpy.testing.assert_array_equal(phases(file), expected)
            numpy.savez(folder / "two.npz", a=unitary, b=unitary)
            told = subprocess.run([TOOL, "program", "two.npz", "-o", "other.h5"], cwd=folder, capture_output=True, text=True)
            self.assertIn("two.npz: 2 arrays (one, the matrix, is read). Save it alone.", told.stderr)

    # Fails when a fabricated mesh skips the DAC, among much else.
    def test_mesh(self):
        trial = self.replay(MESHES)
        matrix = {name: trial[name]["matrix"][..., 0] + 1j * trial[name]["matrix"][..., 1]
                  for name in ("target", "uncorrected", "corrected_quadrature", "corrected")}
        target = optinc.haar_unitary(12, seed=SEED, trial=TRIAL)
        self.assertSame(target, matrix["target"])
        mesh = optinc.Mesh.from_unitary(target)
        chip = mesh.fabricate("good-lab", seed=SEED, chip=TRIAL)
        for name in ("alpha", "beta", "theta_offset", "phi_offset", "output_offset"):
            self.assertSame(getattr(chip.errors, name), trial["errors"][name])
        chips = {"uncorrected": chip, "corrected_quadrature": mesh.corrected(chip.errors, "quadrature").on(chip),
                 "corrected": mesh.corrected(chip.errors).on(chip)}
        variants = [name.decode() for name in trial["record/variant"]]
        for name, programmed in chips.items():
            self.assertSame(programmed.theta, trial[name]["phases/mesh/theta"])
            self.assertSame(programmed.matrix(), matrix[name])
            fidelity = trial["record/fidelity"][variants.index(name)]
            self.assertSame(optinc.fidelity(target, programmed.matrix()), fidelity)

    @staticmethod
    def wafer():
        process = optinc.ProcessModel()
        process.width_field_m, process.correlation_length_m, process.heater_power_spread = 3e-9, 1e-3, 0.05
        return optinc.Wafer(process, die_width_m=20e-3)

    # Fails when the environment meets heaters without their static phases, or a die other than its own.
    def test_mesh_in_an_environment(self):
        sensitivity = optinc.SensitivitySettings()
        sensitivity.imbalance_m, sensitivity.heater_per_k = 3e-6, -1e-3
        mesh = optinc.Mesh.from_unitary(optinc.haar_unitary(12, seed=SEED, trial=TRIAL))
        for study, wafer in ((DETUNED, None), (DETUNED + WAFER, self.wafer())):
            trial = self.replay(study)
            chip = mesh.fabricate("good-lab", seed=SEED, chip=TRIAL, wafer=wafer)
            for name in ("alpha", "beta", "theta_offset", "phi_offset", "output_offset"):
                self.assertSame(getattr(chip.errors, name), trial["errors"][name])
            for name, programmed in (("uncorrected", chip), ("corrected_quadrature", mesh.corrected(chip.errors, "quadrature").on(chip))):
                matrix = trial[name]["matrix"][..., 0] + 1j * trial[name]["matrix"][..., 1]
                self.assertSame(programmed.at(2.0, 1.5e-9, sensitivity).matrix(), matrix)
                self.assertSame(programmed.matrices([0.0, 1.5e-9], 2.0, sensitivity)[1], matrix)
                self.assertSame(programmed.group_delay(2.0, 1.5e-9, sensitivity), trial[name]["group_delay"])
                self.assertGreater(abs(programmed.matrix() - matrix).max(), 1e-3)

    # Fails when a chip forgets what its dies share, or what its heaters make up for.
    def test_chips_from_wafers(self):
        sensitivity = optinc.SensitivitySettings()
        sensitivity.heater_per_k = -1e-3
        calibration = optinc.CalibrationSettings()
        calibration.sigma_estimate_rad = 2e-3
        self.words("carry-chain", optinc.carry_chain(4, 8), AT_WORK + WAFER,
                   lambda programmed: programmed.at(3.0, 2e-11, sensitivity=sensitivity), calibration, self.wafer())
        trials = self.made(DRIFT + WAFER, "run study.toml -o study.h5")["trials"]
        settings = optinc.DriftSettings()
        settings.instants, settings.interval_s = 5, 30.0
        chip = optinc.carry_chain(4, 8).calibrate("good-lab", seed=SEED, chip=TRIAL, wafer=self.wafer())
        self.assertSame(chip.program().drift(settings).die_k, trials["die_temperature"][TRIAL, 0])

    def test_dies_that_the_command_line_fabricates(self):
        wafer = " ".join(f"--set fabrication.{key}" for key in ("process=wafer", "width_field_m=3e-9", "correlation_length_m=1e-3",
                                                                "die_width_m=50e-3", "die_length_m=30e-3"))
        made = self.made("", f"fabricate shipped/32x5 --preset doped-heaters --seed {SEED} --chip 2 {wafer} -o chip.h5")
        process = optinc.ProcessModel()
        process.width_field_m, process.correlation_length_m = 3e-9, 1e-3
        chip = optinc.Unit.load("shipped/32x5").calibrate("doped-heaters", seed=SEED, chip=2,
                                                          wafer=optinc.Wafer(process, die_length_m=30e-3, die_width_m=50e-3))
        for layer, blocks in enumerate(chip.errors.layers):
            for block, errors in enumerate(blocks):
                self.assertSame(errors.mesh.alpha, made[f"chip/layer{layer}/block{block}/mesh/alpha"])
                self.assertSame(errors.attenuators.beta, made[f"chip/layer{layer}/block{block}/attenuators/beta"])

    def words(self, source, unit, study=CHIPS, at_work=lambda programmed: programmed, calibration=None, wafer=None, **programming):
        trial = self.replay(study.replace("SOURCE", source))
        make = unit.fabricate if calibration is None else functools.partial(unit.calibrate, settings=calibration, wafer=wafer)
        chip = make("good-lab", seed=SEED, chip=TRIAL)
        silent, noisy = optinc.NoiseSwitches(), optinc.NoiseSwitches.all()
        for name, correct, noise in (("uncorrected", False, silent), ("corrected_quadrature", True, silent), ("noisy", True, noisy)):
            words = trial[name]["words"]
            codes = optinc.codes_of_words(unit.task, words["number"][()])
            self.assertSame(optinc.exact_answers(unit.task, codes), words["wanted"])
            programmed = at_work(chip.program(correct=correct, **programming))
            self.assertSame(programmed.transmit(codes, noise).T, words["outputs"])
            self.assertSame(programmed.average(codes, noise), words["decoded"])

    # Both fail when a transmission takes the noise of another chip.
    def test_carry_chain(self):
        self.words("carry-chain", optinc.carry_chain(4, 8))

    def test_trained_network(self):
        self.words("shipped/32x5", optinc.Unit.load("shipped/32x5"))

    # Fails when phase noise is forgotten, or when the environment meets heaters without static phases.
    def test_calibrated_and_warmer(self):
        calibration, sensitivity = optinc.CalibrationSettings(), optinc.SensitivitySettings()
        calibration.sigma_estimate_rad = 2e-3
        sensitivity.heater_per_k = -1e-3
        self.words("carry-chain", optinc.carry_chain(4, 8), AT_WORK,
                   lambda programmed: programmed.at(3.0, 2e-11, sensitivity=sensitivity), calibration)

    # Fails when heat of neighbours is forgotten, or when a warmer chip loses it.
    def test_heat_of_other_heaters(self):
        heat, sensitivity = optinc.CrosstalkSettings(), optinc.SensitivitySettings()
        heat.x0, heat.known, heat.d0_m = 0.02, 0.5, 3e-5
        sensitivity.heater_per_k = -1e-3
        study = AT_WORK.replace("sigma_estimate_rad = 2e-3", "") + "[crosstalk]\nx0 = 0.02\nknown = 0.5\nd0_m = 3e-5\n"
        self.words("carry-chain", optinc.carry_chain(4, 8), study,
                   lambda programmed: programmed.at(3.0, 2e-11, sensitivity=sensitivity), optinc.CalibrationSettings(), crosstalk=heat)

    # Fails when a chip is lit by the attenuators of its unit, or when they are trained by other settings or draws.
    def test_retrained_attenuators(self):
        calibration, training = optinc.CalibrationSettings(), optinc.TrainingSettings()
        calibration.diagonal_epochs, calibration.diagonal_rate = 2, 2e-3
        training.batch = 256
        study = CHIPS + "[calibration]\ndiagonal_epochs = 2\ndiagonal_rate = 2e-3\n[training]\nbatch = 256\n"
        self.words("shipped/32x5", optinc.Unit.load("shipped/32x5"), study, calibration=calibration, training=training)

    # Fails when a chip is another calibration's, when it drifts from another instant on, or when its light does not.
    def test_service(self):
        study = DRIFT + "recalibrate_s = 60.0\nlight_db = 0.5\nramp_k_per_s = 0.02\n"
        trials = self.made(study, "run study.toml -o study.h5")
        drift = optinc.DriftSettings()
        drift.instants, drift.interval_s, drift.recalibrate_s, drift.light_db, drift.ramp_k_per_s = 5, 30.0, 60.0, 0.5, 0.02
        unit = optinc.carry_chain(4, 8)
        codes = optinc.codes_of_words(unit.task, numpy.arange(unit.task.words))
        exact = optinc.exact_answers(unit.task, codes)
        variants = [name.decode() for name in trials["trials/variant"]]
        for variant, again in (("drifting", False), ("recalibrated", True)):
            service = optinc.Service(unit, "good-lab", drift, recalibrate=again, seed=SEED, chip=TRIAL)
            self.assertEqual(service.calibrated, [0, 0, 2, 2, 4] if again else [0] * 5)
            self.assertSame(service.history.light_db, trials["trials/light_drift"][TRIAL, 0])
            for end, instant in ((0, 0), (1, 4)):
                right = service.at(instant).average(codes, instant=instant) == exact
                self.assertEqual(right.mean(), trials["trials/accuracy_all_words"][TRIAL, variants.index(variant), end])
        self.assertGreater(numpy.ptp(trials["trials/accuracy_all_words"][TRIAL, :, 1]), 0)
        with self.assertRaisesRegex(ValueError, "instant 5 of 5"):
            service.at(5)
        self.assertEqual(repr(service), "<Service: 5 instants, 3 calibrations>")

    def test_drift(self):
        trials = self.made(DRIFT, "run study.toml -o study.h5")["trials"]
        settings = optinc.DriftSettings()
        settings.instants, settings.interval_s = 5, 30.0
        history = optinc.carry_chain(4, 8).calibrate("good-lab", seed=SEED, chip=TRIAL).program().drift(settings)
        self.assertSame(history.time_s, trials["time"])
        for name, seen in (("die_temperature", history.die_k), ("laser_drift", history.wavelength_m)):
            self.assertSame(seen, trials[name][TRIAL, 0])

    # Fails when training meets another unit's noise, and when a network loses anything on its way into a file.
    def test_training(self):
        stored = self.made(TRAINING, "train study.toml -o network.h5")
        settings = optinc.TrainingSettings()
        settings.epochs, settings.batch, settings.noise, settings.noise_ramp, settings.ceiling = 6, 16, 1.0, 0.5, 0.7
        told = []
        trained = optinc.train(optinc.Task(2, 4), [16, 16], settings, seed=SEED, model="good-lab", progress=told.append)
        self.assertEqual([epoch.loss for epoch in told], list(stored["training/loss"]))
        self.assertEqual([epoch.epoch for epoch in trained.curve], [1, 2, 3, 4, 5, 6])
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "network.h5"
            optinc.save_network(trained.network, path)
            with self.assertRaisesRegex(FileExistsError, "nothing is overwritten"):
                optinc.save_network(trained.network, path)
            subprocess.run([TOOL, "budget", "--set", f"network.source={path}", "--set", "task.servers=2", "--set", "task.bits=4"],
                           check=True, capture_output=True)
            with h5py.File(path) as file:
                same = []
                stored["network"].visititems(lambda name, item: same.append(name) or self.assertSame(file["network"][name], item)
                                             if isinstance(item, h5py.Dataset) else
                                             self.assertEqual({**file["network"][name].attrs}, {**item.attrs}))
                self.assertGreaterEqual(len(same), 3 * 4)
                self.assertEqual({**file["network"].attrs}, {**stored["network"].attrs})
            again = optinc.load_network(path)
        self.assertSame(again.layers[0].unitary, trained.network.layers[0].unitary)


if __name__ == "__main__":
    unittest.main()
