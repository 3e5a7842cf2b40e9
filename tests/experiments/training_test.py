#!/usr/bin/env python3
"""Training that is ended by signals and resumed gives the file that undisturbed training gives: every dataset and every
attribute, created_utc and command of the root aside.

Usage: training_test.py OPTINC STUDY.toml"""

import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from tool import OPTINC, differing, optinc

STUDY = sys.argv.pop(1)
SETTINGS = ["network.hidden=[32,32,32]", "training.epochs=80", "training.batch=128"]


def arguments(*more):
    return [STUDY, *(word for setting in (*SETTINGS, *more) for word in ("--set", setting)), "--threads", "1", "--quiet"]


def kept(path):
    return pathlib.Path(f"{path}.training")


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def ended(self, which, path, *command):
        """Sends the signal once the training has been kept anew and gone on for a fifth of a second."""
        before = kept(path).stat().st_ino if kept(path).exists() else None
        process = subprocess.Popen([OPTINC, *map(str, command)], stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not (kept(path).exists() and kept(path).stat().st_ino != before):
            time.sleep(0.002)
        time.sleep(0.2)
        process.send_signal(which)
        said = process.communicate()[1]
        self.assertFalse(path.exists(), "the training was over before the signal")
        self.assertTrue(kept(path).exists(), said)
        return process.returncode, said

    def check_kind(self, name, *more):
        whole, path = self.folder / f"{name}-whole.h5", self.folder / f"{name}.h5"
        self.assertEqual(optinc("train", *arguments(*more), "-o", whole).returncode, 0)
        self.assertFalse(kept(whole).exists())
        status, said = self.ended(signal.SIGTERM, path, "train", *arguments(*more), "-o", path)
        self.assertEqual(status, 143)
        self.assertIn(f"optinc resume {path}", said)
        refused = optinc("train", *arguments(*more), "-o", path)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("was not finished", refused.stderr)
        self.ended(signal.SIGKILL, path, "resume", path, "--threads", 1, "--quiet")
        done = optinc("resume", path, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(differing(whole, path), [])
        self.assertFalse(kept(path).exists())
        return whole

    def test_lie_adam(self):
        self.check_kind("lie")

    def test_projected(self):
        self.check_kind("projected", "training.scheme=projected", "training.learning_rate=3e-3")

    def test_on_chips(self):
        start = self.folder / "start.h5"
        self.assertEqual(optinc("train", *arguments("training.epochs=4"), "-o", start).returncode, 0)
        self.check_kind("chips", "training.on_chips=true", f"network.start='{start}'", "training.epochs=20")

    def test_a_study_goes_on_with_its_training(self):
        more = ("runner.trials=2", "measure.words=100", "measure.once=[]")
        sweep = ("--sweep", "chip.sigma_eta_rad=[0.01]")
        whole, path = self.folder / "study-whole.h5", self.folder / "study.h5"
        self.assertEqual(optinc("run", *arguments(*more), *sweep, "-o", whole).returncode, 0)
        status, said = self.ended(signal.SIGINT, path, "run", *arguments(*more), *sweep, "-o", path)
        self.assertEqual(status, 130)
        self.assertIn(f"optinc resume {path}", said)
        self.assertEqual(optinc("resume", path, "--quiet").returncode, 0)
        self.assertEqual(differing(whole, path), [])
        self.assertEqual([p.name for p in self.folder.glob("study.h5*")], ["study.h5"])


if __name__ == "__main__":
    unittest.main()
