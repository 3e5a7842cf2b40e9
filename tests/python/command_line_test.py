"""The package gives the same bits as the command line for the same seed.

Needs h5py, and the tool of the same build in the environment's OPTINC_TOOL; skipped without a tool."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy
import optinc

TOOL = os.environ.get("OPTINC_TOOL")
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
variants = ["uncorrected", "corrected", "noisy"]
"""


@unittest.skipUnless(TOOL, "needs OPTINC_TOOL")
class SameBits(unittest.TestCase):
    def replay(self, study):
        """The intermediate values of one trial of a study, as an open file."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = Path(scratch.name)
        (folder / "study.toml").write_text(study)
        for arguments in ("run study.toml -o study.h5", f"replay study.h5 --trial {TRIAL} -o trial.h5"):
            subprocess.run([TOOL, *arguments.split(), "--quiet"], cwd=folder, check=True, capture_output=True)
        file = h5py.File(folder / "trial.h5")
        self.addCleanup(file.close)
        return file

    def assertSame(self, found, expected):
        numpy.testing.assert_array_equal(found, expected)

    # Fails when a fabricated mesh skips the DAC, among much else.
    def test_mesh(self):
        trial = self.replay(MESHES)
        matrix = {name: trial[name]["matrix"][..., 0] + 1j * trial[name]["matrix"][..., 1]
                  for name in ("target", "uncorrected", "corrected", "corrected_nearest")}
        target = optinc.haar_unitary(12, seed=SEED, trial=TRIAL)
        self.assertSame(target, matrix["target"])
        mesh = optinc.Mesh.from_unitary(target)
        chip = mesh.fabricate("good-lab", seed=SEED, chip=TRIAL)
        for name in ("alpha", "beta", "theta_offset", "phi_offset", "output_offset"):
            self.assertSame(getattr(chip.errors, name), trial["errors"][name])
        chips = {"uncorrected": chip, "corrected": mesh.corrected(chip.errors, "quadrature").on(chip),
                 "corrected_nearest": mesh.corrected(chip.errors).on(chip)}
        variants = [name.decode() for name in trial["record/variant"]]
        for name, programmed in chips.items():
            self.assertSame(programmed.theta, trial[name]["phases/mesh/theta"])
            self.assertSame(programmed.matrix(), matrix[name])
            fidelity = trial["record/fidelity"][variants.index(name)]
            self.assertSame(optinc.fidelity(target, programmed.matrix()), fidelity)

    def words(self, source, unit):
        trial = self.replay(CHIPS.replace("SOURCE", source))
        chip = unit.fabricate("good-lab", seed=SEED, chip=TRIAL)
        silent, noisy = optinc.NoiseSwitches(), optinc.NoiseSwitches.all()
        for name, correct, noise in (("uncorrected", False, silent), ("corrected", True, silent), ("noisy", True, noisy)):
            words = trial[name]["words"]
            codes = optinc.codes_of_words(unit.task, words["number"][()])
            self.assertSame(optinc.exact_answers(unit.task, codes), words["wanted"])
            programmed = chip.program(correct=correct)
            self.assertSame(programmed.transmit(codes, noise).T, words["outputs"])
            self.assertSame(programmed.average(codes, noise), words["decoded"])

    # Both fail when a transmission takes the noise of another chip.
    def test_carry_chain(self):
        self.words("carry-chain", optinc.carry_chain(4, 8))

    def test_trained_network(self):
        self.words("shipped/32x5", optinc.Unit.load("shipped/32x5"))


if __name__ == "__main__":
    unittest.main()
