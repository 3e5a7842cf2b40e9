#!/usr/bin/env python3
"""The tool as a user meets it: one small study run end to end, its file read back by h5py and xarray, the same
numbers on one and two threads, and every kind of bad input refused in one line that destroys nothing.

Usage: command_line.py OPTINC STUDY.toml"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import h5py
import numpy as np
import xarray

OPTINC = sys.argv.pop(1)
STUDY = sys.argv.pop(1)

# a network far too small to be right, two chips, few words: every step of the main job in about two seconds
SMALL = [
    "network.hidden=[8,8]", "training.epochs=2", "training.warmup_epochs=1", "levels.sigma_eta_rad=[0.01,0.02]",
    "levels.chips=2", "levels.words=600", "gradient.hidden=4", "gradient.batch=6000",
]
# what a run may write differently: when, by what command, and how long it took
PER_RUN_ATTRIBUTES = {"created_utc", "command", "train_seconds"}


def optinc(*arguments):
    return subprocess.run([OPTINC, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def run_small(output, *more):
    settings = [word for setting in SMALL for word in ("--set", setting)]
    return optinc("run", STUDY, "-o", output, "--quiet", *settings, *more)


def contents(path):
    """Every dataset and attribute of a file, by path."""
    found = {}

    def take(name, node):
        for key in node.attrs:
            if key not in PER_RUN_ATTRIBUTES and key not in ("DIMENSION_LIST", "REFERENCE_LIST"):
                found[f"{name}@{key}"] = np.asarray(node.attrs[key]).tolist()
        if isinstance(node, h5py.Dataset):
            found[name] = (node.dtype.str, node.shape, node[()].tobytes() if node.dtype.kind != "O" else node[()].tolist())

    with h5py.File(path) as file:
        take("/", file)
        file.visititems(take)
    return found


class MainJob(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name, "small.h5")
        done = run_small(cls.path, "--threads", 2)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_inspect_as_json(self):
        seen = json.loads(optinc("inspect", self.path, "--json").stdout)
        self.assertEqual(seen["onn"]["words"], 28561)
        self.assertEqual(seen["onn"]["rounding"], "half-even")
        for key in ("word_accuracy", "mzi_count", "mzi_count_full_svd", "train_seconds", "margin"):
            self.assertIn(key, seen["onn"])
        self.assertEqual(len(seen["chips"]), 2 * 3)
        for chip in seen["chips"]:
            self.assertEqual(chip["trials"], 2)
            self.assertLessEqual(chip["word_accuracy_min"], chip["word_accuracy_mean"])
        gradient = seen["gradient"]
        self.assertEqual(gradient["words"], 785 * 4 + 5 * 10)
        self.assertEqual(gradient["relative_error_exact"], 0)
        self.assertTrue(0 < gradient["relative_error_quantised"] < 0.2)
        self.assertGreaterEqual(gradient["relative_error_chip"], gradient["relative_error_quantised"])
        self.assertRegex(seen["provenance"]["run_id"], "^[0-9a-f]{16}$")

    def test_summaries_are_those_of_the_raw_results(self):
        seen = json.loads(optinc("inspect", self.path, "--json").stdout)
        with h5py.File(self.path) as file:
            accuracy = file["chips/word_accuracy"][()]
            counts = file["chips/code_error_count"][()]
            bins = file["chips/code_error"][()]
            exact, received = file["gradient/average"][()], file["gradient/received"][()]
            errors = file["gradient/relative_error"][()]
        np.testing.assert_allclose([c["word_accuracy_mean"] for c in seen["chips"]], accuracy.reshape(6, 2).mean(1))
        # the histogram's zero bin counts the words that are right, all bins every word
        np.testing.assert_allclose(counts[:, :, bins == 0][..., 0] / 1200, accuracy.mean(2))
        self.assertTrue((counts.sum(2) == 1200).all())
        computed = np.linalg.norm(received.astype(float) - exact, axis=1) / np.linalg.norm(exact.astype(float))
        np.testing.assert_allclose(errors, computed, rtol=1e-6)

    def test_every_group_opens_in_xarray(self):
        groups = []
        with h5py.File(self.path) as file:
            file.visititems(lambda name, node: groups.append(name) if isinstance(node, h5py.Group) else None)
        self.assertIn("network/layer0", groups)
        for engine in ("h5netcdf", "netcdf4"):
            for group in groups:
                with self.subTest(engine=engine, group=group), warnings.catch_warnings():
                    warnings.simplefilter("error")
                    warnings.filterwarnings("ignore", message="numpy.ndarray size changed")
                    warnings.filterwarnings("ignore", category=DeprecationWarning)
                    with xarray.open_dataset(self.path, group=group, engine=engine) as data:
                        for variable in data.variables.values():
                            variable.load()
                            self.assertIn("long_name", variable.attrs)

    def test_threads_do_not_change_a_bit(self):
        one = self.path.with_name("one.h5")
        self.assertEqual(run_small(one, "--threads", 1).returncode, 0)
        a, b = contents(self.path), contents(one)
        self.assertEqual(a.keys(), b.keys())
        self.assertEqual([name for name in a if a[name] != b[name]], [])

    def test_another_seed_changes_the_result(self):
        other = self.path.with_name("other.h5")
        self.assertEqual(run_small(other, "--seed", 2).returncode, 0)
        self.assertNotEqual(contents(self.path)["chips/margin"], contents(other)["chips/margin"])

    def test_config_in_force_reruns_to_the_same_identity(self):
        with h5py.File(self.path) as file:
            text, run_id = file.attrs["config_toml"], file.attrs["run_id"]
        study = self.path.with_name("again.toml")
        study.write_text(text)
        again = self.path.with_name("again.h5")
        done = optinc("run", study, "-o", again, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(again) as file:
            self.assertEqual(file.attrs["run_id"], run_id)

    def test_a_network_alone(self):
        path = self.path.with_name("network.h5")
        done = optinc("train", STUDY, "-o", path, "--quiet", "--set", "network.hidden=[8]", "--set", "training.epochs=1",
                      "--set", "training.warmup_epochs=0")
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(optinc("inspect", path, "--json").stdout)
        self.assertNotIn("chips", seen)
        self.assertEqual(seen["onn"]["mzi_count"], 2 * (6 + 4) + 2 * (6 + 4))

    def test_existing_output_stays_without_force(self):
        before = self.path.read_bytes()
        refused = run_small(self.path)
        self.check_refusal(refused, "small.h5", "--force")
        self.assertEqual(self.path.read_bytes(), before)
        self.assertEqual(list(self.path.parent.glob("*.partial*")), [])

    def check_refusal(self, done, *parts):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_bad_input_is_refused_in_one_line(self):
        folder = self.path.parent
        output = folder / "never.h5"
        text = folder / "text.h5"
        text.write_text("this is not HDF5")
        bad_toml = folder / "bad.toml"
        bad_toml.write_text("[chip]\nsigma_eta_rd = 0.01\n")
        closed = folder / "closed"
        closed.mkdir()
        cases = {
            "misspelt key": (["run", bad_toml, "-o", output], ["bad.toml:2:1", "sigma_eta_rd", "sigma_eta_rad"]),
            "misspelt --set": (["run", STUDY, "-o", output, "--set", "levels.chip=3"], ["levels.chip", "levels.chips"]),
            "unknown section": (["run", STUDY, "-o", output, "--set", "chps.x=1"], ["chps"]),
            "wrong type": (["run", STUDY, "-o", output, "--set", "levels.chips=many"], ["levels.chips", "integer"]),
            "out of range": (["run", STUDY, "-o", output, "--set", "chip.rho_ab=2"], ["chip.rho_ab", "2", "-1..1"]),
            "unknown name": (["run", STUDY, "-o", output, "--set", "task.rounding=up"], ["task.rounding", "half-up"]),
            "unknown preset": (["run", STUDY, "-o", output, "--set", "chip.preset=foundri"], ["foundri", "foundry"]),
            "widths": (["run", STUDY, "-o", output, "--set", "network.hidden=[6]"], ["4 and 6"]),
            "missing study": (["run", folder / "none.toml", "-o", output], ["none.toml"]),
            "missing data": (["run", STUDY, "-o", output, "--set", "gradient.data=/nowhere"],
                             ["/nowhere", "dataset-fashion-mnist"]),
            "missing folder": (["run", STUDY, "-o", folder / "no" / "x.h5"], ["x.h5"]),
            "unwritable folder": (["run", STUDY, "-o", "/proc/x.h5"], ["/proc/x.h5"]),
            "small batch": (["run", STUDY, "-o", output, "--set", "training.batch=2"], ["training.batch", "4"]),
            "warm-up": (["run", STUDY, "-o", output, "--set", "training.epochs=2"], ["training: warmup_epochs = 3"]),
            "too many words": (["run", STUDY, "-o", output, "--set", "task.bits=16"], ["task", "815730721"]),
            "negative seed": (["run", STUDY, "-o", output, "--seed", "-1"], ["run.seed", "-1"]),
            "no output": (["run", STUDY], ["-o"]),
            "workers": (["run", STUDY, "-o", output, "--set", "gradient.batch=255"], ["255"]),
            "not HDF5": (["inspect", text], ["text.h5", "HDF5"]),
            "missing file": (["inspect", folder / "none.h5"], ["none.h5"]),
            "unknown explain": (["explain", "chip.sigma"], ["chip.sigma"]),
        }
        for name, (arguments, parts) in cases.items():
            with self.subTest(name):
                self.check_refusal(optinc(*arguments), *parts)
                self.assertFalse(output.exists())
        self.assertEqual(text.read_text(), "this is not HDF5")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_unwritable_folder(self):
        folder = self.path.parent / "read_only"
        folder.mkdir()
        folder.chmod(0o500)
        self.check_refusal(run_small(folder / "x.h5"), "read_only")

    def test_unusable_command_lines_say_so_in_one_line(self):
        for arguments, parts in ((["rnu"], ["rnu", "optinc run"]), ([], ["run, train"]), (["run", STUDY, "--forse"], ["--forse"])):
            done = optinc(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            for part in parts:
                self.assertIn(part, done.stderr)

    def test_a_closed_standard_error_does_not_end_a_run_and_a_full_standard_output_is_told(self):
        path = self.path.with_name("unheard.h5")
        settings = [word for setting in SMALL for word in ("--set", setting)]
        with open("/dev/full", "w") as full:
            done = subprocess.run([OPTINC, "run", STUDY, "-o", path, *settings], stderr=full, timeout=300)
            self.assertEqual(done.returncode, 0)
            done = subprocess.run([OPTINC, "inspect", path], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)

    def test_foreign_hdf5_is_named(self):
        path = self.path.with_name("foreign.h5")
        with h5py.File(path, "w") as file:
            file["x"] = 1
        self.check_refusal(optinc("inspect", path), "foreign.h5")

    def test_help_teaches(self):
        for command in ((), ("run",), ("train",), ("inspect",), ("validate",), ("explain",)):
            done = optinc(*command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Example:", done.stdout)
        self.assertIn("rad", optinc("explain", "chip.sigma_eta_rad").stdout)
        listed = optinc("explain").stdout.split()
        self.assertIn("levels.chips", listed)

    def test_print_config_is_whole_and_loadable(self):
        done = optinc("run", STUDY, "--print-config", "--set", "levels.chips=7")
        self.assertTrue(re.search(r"^chips = 7\b", done.stdout, re.M), done.stdout)
        for key in optinc("explain").stdout.split():
            self.assertRegex(done.stdout, rf"(?m)^{key.split('.')[-1]} = ")


if __name__ == "__main__":
    unittest.main(verbosity=2)
