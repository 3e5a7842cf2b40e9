"""Files of NumPy from Python to the command line: measured errors and phases."""

import os
import pickle
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy
import optinc

DATA = Path(__file__).parents[1] / "data"
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
            drawn = mesh.fabricate("doped-heaters", seed=4).errors
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
            expected = {variant: optinc.fidelity(unitary, m.on(chip).matrix())
                        for variant, m in (("uncorrected", mesh), ("corrected", mesh.corrected(chip.errors)),
                                           ("corrected_quadrature", mesh.corrected(chip.errors, clipping="quadrature")))}
            for file in ("in_order.npz", "placed.npz", "rows.npy", "rows.csv"):
                (self.folder / "study.toml").write_text(
                    f'model = "mesh"\n[mesh]\nports = 5\ntopology = "{topology}"\ntarget = "target.csv"\nmeasured = "{file}"\n'
                    '[chip]\npreset = "ideal"\n[runner]\ntrials = 1\n[measure]\nmetrics = ["fidelity"]\n')
                self.tool("run", "study.toml", "-o", "found.h5", "--force")
                with open_run(self.folder / "found.h5") as run:
                    found = {variant: float(run.trials["fidelity"].sel(variant=variant).values[0]) for variant in expected}
                for variant, fidelity in expected.items():
                    self.assertAlmostEqual(found[variant], fidelity, places=12, msg=variant)
            self.assertNotAlmostEqual(expected["uncorrected"], expected["corrected"], places=3)

    # Splitters of 0.03 rad, offsets of 0.1 rad: fails where either entrance leaves the offsets in the phases (0.946), or
    # means another correction of the MZI that cannot reach its power.
    def test_one_correction_of_splitters_and_offsets(self):
        from optinc.results import open_run
        rows = numpy.genfromtxt(DATA / "offsets_8.csv", delimiter=",", names=True)
        rows = rows[numpy.lexsort((rows["upper"], rows["column"]))]
        unitary = optinc.haar_unitary(8, seed=44, trial=10)
        numpy.savetxt(self.folder / "target.csv", unitary, delimiter=",")
        mesh = optinc.Mesh.from_unitary(unitary)
        chip = mesh.fabricate("ideal")
        for name in ("alpha", "beta", "theta_offset", "phi_offset"):
            setattr(chip.errors, name, rows[name + "_rad"])
        again = pickle.loads(pickle.dumps(chip))
        (self.folder / "study.toml").write_text(
            f'model = "mesh"\n[mesh]\nports = 8\ntarget = "target.csv"\nmeasured = "{DATA / "offsets_8.csv"}"\n'
            '[chip]\npreset = "ideal"\n[runner]\ntrials = 1\n[measure]\nmetrics = ["fidelity"]\n')
        self.tool("run", "study.toml", "-o", "found.h5")
        with open_run(self.folder / "found.h5") as run:
            study = run.trials["fidelity"].load()
        for variant, clipping, expected in (("corrected", "nearest", 0.99996), ("corrected_quadrature", "quadrature", 0.99938)):
            for measured in (chip, again):
                found = optinc.fidelity(unitary, mesh.corrected(measured.errors, clipping).on(measured).matrix())
                self.assertAlmostEqual(found, float(study.sel(variant=variant)[0]), places=12)
            self.assertAlmostEqual(found, expected, places=5)
        self.assertEqual(mesh.corrected(chip.errors).theta.tolist(), mesh.corrected(chip.errors, "nearest").theta.tolist())

    # Fails where the phases of a drawn chip are corrected for what its calibration left.
    def test_offsets_left_by_calibration_are_unknown(self):
        mesh = optinc.Mesh.from_unitary(optinc.haar_unitary(8, seed=1))
        model = optinc.ErrorModel(sigma_cal_rad=0.05)
        chip = mesh.fabricate(model, seed=2)
        numpy.testing.assert_allclose(mesh.corrected(chip.errors).theta, mesh.theta, atol=1e-14)
        numpy.testing.assert_array_equal(chip.errors.theta_residual, chip.errors.theta_offset)
        chip.errors.theta_offset += 0.3
        numpy.testing.assert_allclose(mesh.corrected(chip.errors).theta, mesh.theta - 0.3, atol=1e-14)

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
