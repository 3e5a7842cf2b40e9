"""Files of NumPy from Python to the command line: measured errors and phases."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy
import optinc

ERRORS = {"alpha_rad": "alpha", "beta_rad": "beta", "theta_offset_rad": "theta_offset", "phi_offset_rad": "phi_offset",
          "theta_arm_loss_db": "theta_arm_loss_db", "phi_arm_loss_db": "phi_arm_loss_db",
          "theta_other_loss_db": "theta_other_loss_db", "phi_other_loss_db": "phi_other_loss_db"}


@unittest.skipUnless(os.environ.get("OPTINC_TOOL"), "needs OPTINC_TOOL")
class Laboratory(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def tool(self, *words):
        subprocess.run([os.environ["OPTINC_TOOL"], *words, "--quiet"], cwd=self.folder, check=True, capture_output=True)

    # Fails when an error goes to the array of another, or MZIs are counted otherwise than mesh.column and mesh.upper do.
    def test_measured_errors(self):
        from optinc.results import open_run
        for topology in ("clements", "reck"):
            unitary = optinc.haar_unitary(5, seed=3)
            mesh = optinc.Mesh.from_unitary(unitary, topology)
            chip = mesh.fabricate("ideal")
            drawn = mesh.fabricate("foundry", seed=4).errors
            for name in ERRORS.values():
                setattr(chip.errors, name, getattr(drawn, name))
            columns = {column: getattr(drawn, name) for column, name in ERRORS.items()}
            chip.errors.idle_arm_loss_db = numpy.mean([v for k, v in columns.items() if k.endswith("_db")])
            order = numpy.random.default_rng(1).permutation(len(mesh.upper))
            placed = {"column": mesh.column, "upper": mesh.upper} | columns
            rows = numpy.zeros(len(order), [(name, values.dtype) for name, values in placed.items()])
            for name, values in placed.items():
                rows[name] = values[order]
            numpy.savez(self.folder / "in_order.npz", **columns)
            numpy.savez_compressed(self.folder / "placed.npz", **{name: values[order] for name, values in placed.items()})
            numpy.save(self.folder / "rows.npy", rows)
            numpy.savetxt(self.folder / "rows.csv", numpy.stack([rows[name] for name in placed], axis=1), delimiter=",",
                          header=",".join(placed), comments="")
            numpy.savetxt(self.folder / "target.csv", unitary, delimiter=",")
            expected = [optinc.fidelity(unitary, m.on(chip).matrix()) for m in (mesh, mesh.corrected(chip.errors))]
            for file in ("in_order.npz", "placed.npz", "rows.npy", "rows.csv"):
                (self.folder / "study.toml").write_text(
                    f'model = "mesh"\n[mesh]\nports = 5\ntopology = "{topology}"\ntarget = "target.csv"\nmeasured = "{file}"\n'
                    '[chip]\npreset = "ideal"\n[runner]\ntrials = 1\n[measure]\nmetrics = ["fidelity"]\n')
                self.tool("run", "study.toml", "-o", "found.h5", "--force")
                with open_run(self.folder / "found.h5") as run:
                    uncorrected = float(run.trials["fidelity"].sel(variant="uncorrected").values[0])
                self.assertAlmostEqual(uncorrected, expected[0], places=12)
            self.assertNotAlmostEqual(*expected, places=3)

    # Fails when theta and phi are exchanged, or output phases left out.
    def test_phases(self):
        import h5py
        mesh = optinc.Mesh.from_unitary(optinc.haar_unitary(6, seed=5), "reck")
        numpy.savez(self.folder / "phases.npz", column=mesh.column, upper=mesh.upper, lower=mesh.lower, theta_rad=mesh.theta,
                    phi_rad=mesh.phi, output_rad=mesh.output_phase)
        self.tool("transfer", "phases.npz", "-o", "matrix.h5")
        with h5py.File(self.folder / "matrix.h5") as file:
            found = file["matrix"][()]
        numpy.testing.assert_allclose(found[..., 0] + 1j * found[..., 1], mesh.matrix(), atol=1e-14)


if __name__ == "__main__":
    unittest.main()
