#!/usr/bin/env python3
"""Trainings that are trials (model learning), ended in their midst: what is kept of them in OUTPUT.trials goes on to
the same bits, and nothing else is taken for it.

Usage: learning_test.py OPTINC"""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import faults
import h5py
import ranks
from faults import journal_of
from tool import OPTINC, differing, optinc

DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")

# one training of a second or so after the other, through codes with what they left out fed back
STUDY = """study = "learner"
model = "learning"
[runner]
trials = {trials}
[task]
servers = 4
rounding = "half-up"
[network]
source = "carry-chain"
[learner]
kind = "mlp"
width = 32
steps = {steps}
evaluations = 40
batch = 64
aggregator = "quantised"
error_rate = 1e-2
error_feedback = true
optimiser = "adamw"
learning_rate = 1e-3
"""


def kept_in(path):
    return pathlib.Path(f"{path}.trials")


@unittest.skipUnless(DATA.exists(), "no Fashion-MNIST on this machine (Debian: dataset-fashion-mnist)")
class Learning(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.study = cls.folder / "study.toml"
        cls.study.write_text(STUDY.format(trials=1, steps=400))
        cls.whole = cls.folder / "whole.h5"
        start = time.monotonic()
        done = optinc("run", cls.study, "-o", cls.whole, "--quiet")
        assert done.returncode == 0, done.stderr
        cls.lasts = time.monotonic() - start

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def ended(self, how, path, *command, shares=(0.7, 0.6, 0.5)):
        """Ends a run in the midst of its training; returns what it said."""
        for share in shares:  # less, where the machine has become faster
            process = subprocess.Popen([OPTINC, *map(str, command), "--quiet"], stderr=subprocess.PIPE, text=True)
            time.sleep(share * self.lasts)
            getattr(process, how)()
            said = process.communicate()[1]
            if process.returncode != 0:
                break
            self.assertEqual(command[0], "run", "what was kept is used up")
            path.unlink()
        self.assertEqual(process.returncode, {"terminate": 143, "kill": -9}[how], said)
        return said

    @staticmethod
    def has_evaluated(kept):
        with h5py.File(kept) as file:
            return file["learner"].attrs["step"] > 0 and any(x == x for x in file["record"][()])

    def interrupted(self, name):
        """The output of a run that was asked to end in the midst of its training, and the file that keeps it."""
        path = self.folder / name
        for share in (0.7, 0.75, 0.8, 0.85, 0.9, 1.0, 1.1, 1.2):  # more, where the machine has become slower
            said = self.ended("terminate", path, "run", self.study, "-o", path, shares=(share, 0.6, 0.5))
            self.assertIn(f"optinc resume {path}", said)
            with h5py.File(path) as file:
                self.assertEqual((file.attrs["complete"], file["trials/completed"][()].sum()), (0, 0))
            kept = list(kept_in(path).iterdir()) if kept_in(path).exists() else []
            if len(kept) == 1 and self.has_evaluated(kept[0]):
                return path, kept[0]
            shutil.rmtree(kept_in(path), ignore_errors=True)
            path.unlink()
        self.fail("no training was caught in its midst")

    def resumed(self, path, *more, whole=None):
        done = optinc("resume", path, "--quiet", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        if whole is not False:
            self.assertEqual(differing(whole or self.whole, path), [])
        self.assertEqual([p.name for p in self.folder.glob(f"{path.name}*")], [path.name])

    @staticmethod
    def mark(kept):
        """Puts a value that no training gives into what is kept: who goes on from it has it in its result."""
        with h5py.File(kept, "r+") as file:
            state = file["record"][()]
            state[next(i for i, x in enumerate(state) if x == x)] = 0.123456
            file["record"][...] = state

    def marked(self, path):
        with h5py.File(path) as file:
            return any((values[()] == 0.123456).any() for values in file["trials"].values())

    def test_asked_to_end_then_killed(self):
        path, kept = self.interrupted("asked.h5")
        before = kept.read_bytes()
        self.ended("kill", path, "resume", path, shares=[0.3])
        self.assertEqual(kept.read_bytes(), before)  # kept anew every ten seconds only
        self.resumed(path)

    def test_killed_before_anything_was_kept(self):
        path = self.folder / "early.h5"
        self.ended("kill", path, "run", self.study, "-o", path)
        self.assertFalse(path.exists())
        self.resumed(path)

    def test_a_training_that_is_kept_is_gone_on_with(self):
        path, kept = self.interrupted("marked.h5")
        self.mark(kept)
        self.resumed(path, whole=False)
        self.assertTrue(self.marked(path))

    def test_more_trials_do_not_orphan_what_is_kept(self):
        longer = self.folder / "longer.toml"
        longer.write_text(STUDY.format(trials=2, steps=400))
        path, kept = self.interrupted("grown.h5")
        self.mark(kept)
        self.resumed(path, "--trials", 2, whole=False)
        self.assertTrue(self.marked(path))

    def test_what_is_damaged_or_of_another_study_begins_anew(self):
        path, kept = self.interrupted("damaged.h5")
        results, sound = path.read_bytes(), kept.read_bytes()
        flipped = bytearray(sound)
        flipped[len(sound) // 2] ^= 4
        self.mark(kept)
        with h5py.File(kept, "r+") as file:
            file.attrs["identity"] = file.attrs["identity"].replace("adamw", "sgd")
        for what, content in (("flipped", bytes(flipped)), ("cut", sound[:len(sound) // 2]), ("empty", b""),
                              ("foreign", kept.read_bytes())):
            with self.subTest(what=what):
                kept_in(path).mkdir(exist_ok=True)
                path.write_bytes(results)
                kept.write_bytes(content)
                self.resumed(path)

    def test_what_killed_writers_left_goes_with_the_run(self):
        path, kept = self.interrupted("litter.h5")
        shutil.copy(kept, f"{kept}.partial-1")
        shutil.copy(kept, kept.parent / "0123456789abcdef-7.h5")
        self.resumed(path)

    def rank_ended(self, study, path, seconds):
        """Asks a rank for the end of a run, so long after the run has begun."""
        launcher = ranks.launched(2, "run", study, "-o", path, "--quiet")
        self.assertTrue(faults.wait_until(launcher, lambda: faults.size_of(journal_of(path)) > 1000))
        time.sleep(seconds)
        os.kill(ranks.processes_of(launcher)[1], signal.SIGTERM)
        said = launcher.communicate(timeout=60)[1]
        self.assertIn(f"optinc resume {path}", said)

    @unittest.skipUnless(ranks.MPI, ranks.NO_MPI)
    def test_a_rank_keeps_its_training(self):
        longer = self.folder / "longer.toml"
        longer.write_text(STUDY.format(trials=1, steps=1600).replace("evaluations = 40", "evaluations = 100"))
        path = self.folder / "ranks.h5"
        for seconds in (1.5, 2, 2.5, 3, 4):  # a rank is one thread, and slower than the run that was timed
            self.rank_ended(longer, path, seconds)
            kept = next(kept_in(path).iterdir(), None) if kept_in(path).exists() else None
            if kept and self.has_evaluated(kept):
                break
            shutil.rmtree(kept_in(path), ignore_errors=True)
            path.unlink()
        self.mark(kept)
        again = ranks.launched(2, "resume", path, "--quiet")
        said = again.communicate(timeout=60)[1]
        self.assertEqual(again.returncode, 0, said)
        self.assertTrue(self.marked(path))
        self.assertEqual([p.name for p in self.folder.glob(f"{path.name}*")], [path.name])

    @unittest.skipUnless(ranks.MPI, ranks.NO_MPI)
    def test_a_rank_that_is_still_reading_its_data(self):
        path = self.folder / "reading.h5"
        self.rank_ended(self.study, path, 0.1)
        self.resumed(path)

    def test_a_folder_that_takes_nothing_is_a_warning(self):
        path = self.folder / "unkept.h5"
        kept_in(path).write_text("a file where the folder should be\n")
        said = self.ended("terminate", path, "run", self.study, "-o", path)
        self.assertIn("warning: a training is not kept", said)
        self.assertIn(f"optinc resume {path}", said)
        kept_in(path).unlink()
        self.resumed(path)


if __name__ == "__main__":
    unittest.main()
