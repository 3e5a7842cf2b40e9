"""Runs every study that is shipped, made small, opens every group of its file in both engines of xarray, and draws
every figure the study names from the file alone; warnings are errors.

Usage: studies_test.py OPTINC. Exits 77 (skipped) when a module is missing.
"""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STUDIES = sorted((ROOT / "experiments/data/studies").glob("*.toml"))
sys.path.insert(0, str(ROOT / "python/src"))
sys.dont_write_bytecode = True
try:
    import h5netcdf  # noqa: F401
    import h5py
    import netCDF4  # noqa: F401  before warnings become errors: it warns when it is imported
    import xarray

    from optinc.results import open_run
    from optinc.results.__main__ import main
except ModuleNotFoundError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

# A network far too small to be right, two trials, few words
SMALL = ["measure.words=64", "network.hidden=[8,8]", "training.epochs=2", "training.warmup_epochs=1", "gradient.hidden=4",
         "gradient.batch=6000", "drift.instants=5", "comb.channels=3", "learner.steps=4", "learner.evaluations=2", "learner.batch=16",
         "learner.warm_up_steps=1"]


QUIET = ["noise.shot=false", "noise.tia=false", "noise.rin=false",  # a chip's map is made once, and rounds one way
         "noise.lock=false", "learner.engine=map"]


def run_small(optinc, study, output):
    text = study.read_text(encoding="utf-8")
    small = [*SMALL, *(["learner.kind=mlp"] if 'kind = "cnn"' in text else []),
             *(QUIET if 'model = "learning"' in text and "sampling =" not in text and 'rounding = "stochastic"' not in text else [])]
    swept = ["network.hidden"] if "shapes =" in text or '"network.hidden" = [' in text else []
    if '"chip.sigma_eta_rad" = [' in text and '"network.source"' in text:  # many points of large networks
        small += ["chip.sigma_eta_rad=[0.01]"]
        swept += ["chip.sigma_eta_rad"]
    if "full_svd_layers" in text:  # of six layers
        small += ["training.full_svd_layers=[[],[1,3]]"]
        swept += ["training.full_svd_layers"]
    settings = [word for setting in small for word in ("--sweep" if setting.split("=")[0] in swept else "--set", setting)]
    settings = [word.replace("[8,8]", "[[8,8],[4,4]]") if word == "network.hidden=[8,8]" and "network.hidden" in swept else word
                for word in settings]
    return subprocess.run([optinc, "run", study, "-o", output, "--quiet", "--trials", "2", *settings],
                          capture_output=True, text=True, timeout=300)


class Shipped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("error")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.files = {study: Path(folder.name) / f"{study.stem}.h5" for study in STUDIES}
        for study, path in cls.files.items():
            done = run_small(OPTINC, study, path)
            assert done.returncode == 0, f"{study.name}: {done.stderr}"

    def test_all_are_here(self):
        names = {study.stem for study in STUDIES}
        self.assertLessEqual({"quickstart", "ablation", "tolerance_map", "receiver_power", "mesh_scaling",
                              "mesh_comparison", "mesh_balance", "design_space", "drift", "attribution", "calibration",
                              "crosstalk", "receiver_noise", "carry_chain", "robustness", "architectures", "shapes", "cascade",
                              "approximation", "approximated_layers", "learning_images", "learning_cascade", "learning_cascade_even", "learning_clocked",
                              "chip_to_accuracy",
                              "gradient_errors", "learning_drift", "splitter_errors", "rare_errors", "waveform",
                              "noise_links", "noise_shapes", "fitted_shapes", "oscillator_drift", "skew", "receiver_offsets", "unclocked", "sine",
                              "wavelength", "comb", "wafer",
                              "mesh_drift"}, names)

    def test_each_says_what_it_is_for(self):
        for study in STUDIES:
            with self.subTest(study=study.name):
                lines = study.read_text(encoding="utf-8").splitlines()
                self.assertTrue(lines[0].startswith("# ") and lines[0].endswith("."), lines[0])
                self.assertTrue(lines[1].startswith("# "), lines[1])

    def test_groups_open_in_both_engines(self):
        for study, path in self.files.items():
            groups = ["/"]
            with h5py.File(path) as file:
                file.visititems(lambda name, node: groups.append(name) if isinstance(node, h5py.Group) else None)
            self.assertLessEqual({"trials", "summary"}, set(groups))
            for engine in ("h5netcdf", "netcdf4"):
                for group in groups:
                    with self.subTest(study=study.name, engine=engine, group=group), \
                            xarray.open_dataset(path, group=group, engine=engine) as data:
                        for variable in data.variables.values():
                            variable.load()
                            self.assertTrue({"units", "long_name"} <= {*variable.attrs, *variable.encoding})

    def test_every_trial_was_run(self):
        for study, path in self.files.items():
            with self.subTest(study=study.name), open_run(path) as run:
                asked, done = run.asked_and_run
                self.assertEqual((asked, run.incomplete), (done, False))

    def test_figures(self):
        for study, path in self.files.items():
            with self.subTest(study=study.name):
                with open_run(path) as run:
                    wanted = run.config["figures"]
                self.assertTrue(wanted)
                out, err = io.StringIO(), io.StringIO()
                folder = path.with_suffix("")
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    status = main(["figures", str(path), "-o", str(folder)])
                self.assertEqual((status, err.getvalue()), (0, ""))
                self.assertEqual(sorted(os.listdir(folder)),
                                 sorted(f"{name}.{ending}" for name in wanted for ending in ("png", "pdf")))

    def test_a_study_that_names_no_figure_has_those_its_data_allows(self):
        folder = Path(next(iter(self.files.values()))).parent
        study, output = folder / "plain.toml", folder / "plain.h5"
        study.write_text('model = "mesh"\n[mesh]\nports = 4\n[[sweep]]\nvalues = {"chip.sigma_eta_rad" = [0.01, 0.02]}\n')
        done = run_small(OPTINC, study, output)
        self.assertEqual(done.returncode, 0, done.stderr)
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(main(["figures", str(output), "-o", str(folder / "plain")]), 0)
        self.assertIn("metric_vs_parameter.png", os.listdir(folder / "plain"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    OPTINC = sys.argv.pop(1)
    unittest.main()
