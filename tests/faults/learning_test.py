#!/usr/bin/env python3
"""Trainings that are trials (model learning), ended in their midst: what is kept of them in OUTPUT.trials goes on to
the same bits, and nothing else is taken for it.

Usage: learning_test.py OPTINC"""

import contextlib
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
from faults import journal_of, trials_kept
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

    def in_its_midst(self, path, seconds, end_after):
        """What end_after(seconds) says, which ends a run that long after its beginning: a moment at which it is neither over
        nor, as end_after tells with None, too little has happened. The moment is looked for, since machines are faster and
        slower from one run to the next; a missed one leaves the files of `path` as they were."""
        def files():  # the output, its journal, and what is kept
            return [file for file in (*path.parent.glob(f"{path.name}*"), *kept_in(path).glob("*")) if file.is_file()]
        before = {file: file.read_bytes() for file in files()}
        for _ in range(25):
            status, said = end_after(seconds)
            if status != 0 and said is not None:
                return said
            seconds *= 0.8 if status == 0 else 1.1
            for file in files():
                file.unlink()
            shutil.rmtree(kept_in(path), ignore_errors=True)
            for file, content in before.items():
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(content)
        self.fail("no training was caught in its midst")

    def ended(self, how, path, *command, enough=lambda said: True):
        """Ends a run in the midst of its training, when there is enough of it; returns what it said."""
        def end_after(seconds):
            process = subprocess.Popen([OPTINC, *map(str, command), "--quiet"], stderr=subprocess.PIPE, text=True)
            time.sleep(seconds)
            getattr(process, how)()
            said = process.communicate()[1]
            self.assertIn(process.returncode, (0, {"terminate": 143, "kill": -9}[how]), said)
            return 0 if self.over(path) else process.returncode, said if enough(said) else None
        return self.in_its_midst(path, self.lasts * (0.7 if command[0] == "run" else 0.3), end_after)

    @staticmethod
    def over(path):
        """Whether the one training of an output is done, though the run was killed before it ended: it is in the journal, or
        in the output itself."""
        if trials_kept(path) > 0:
            return True
        if not path.exists():
            return False
        with h5py.File(path) as file:
            return file["trials/completed"][()].any()

    @staticmethod
    def evaluated(path):
        """The file that keeps the one training of an output, where that has been evaluated already; nothing otherwise."""
        for kept in kept_in(path).glob("*"):
            with h5py.File(kept) as file:
                if file["learner"].attrs["step"] > 0 and any(x == x for x in file["record"][()]):
                    return kept
        return None

    def interrupted(self, name):
        """The output of a run that was asked to end in the midst of its training, and the file that keeps it."""
        path = self.folder / name
        said = self.ended("terminate", path, "run", self.study, "-o", path, enough=lambda said: self.evaluated(path))
        self.assertIn(f"optinc resume {path}", said)
        with h5py.File(path) as file:
            self.assertEqual((file.attrs["complete"], file["trials/completed"][()].sum()), (0, 0))
        return path, self.evaluated(path)

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
        self.ended("kill", path, "resume", path)
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
        shutil.copy(kept, f"{kept}.partial-0123456789abcdef")
        shutil.copy(kept, kept.parent / "0123456789abcdef-7.h5")
        self.resumed(path)

    def rank_ended(self, study, path, seconds):
        """Asks a rank for the end of a run, so long after the run has begun; its status and what it said."""
        launcher = ranks.launched(2, "run", study, "-o", path, "--quiet")
        self.assertTrue(faults.wait_until(launcher, lambda: faults.size_of(journal_of(path)) > 1000))
        time.sleep(seconds)
        with contextlib.suppress(KeyError, FileNotFoundError, ProcessLookupError):  # of a run that is over
            os.kill(ranks.processes_of(launcher)[1], signal.SIGTERM)
        said = launcher.communicate(timeout=60)[1]
        return launcher.returncode, said

    @unittest.skipUnless(ranks.MPI, ranks.NO_MPI)
    def test_a_rank_keeps_its_training(self):
        longer = self.folder / "longer.toml"
        longer.write_text(STUDY.format(trials=1, steps=1600).replace("evaluations = 40", "evaluations = 100"))
        path = self.folder / "ranks.h5"

        def end_after(seconds):
            status, said = self.rank_ended(longer, path, seconds)
            return status, said if self.evaluated(path) else None
        said = self.in_its_midst(path, 1.5, end_after)
        self.assertIn(f"optinc resume {path}", said)
        self.mark(self.evaluated(path))
        again = ranks.launched(2, "resume", path, "--quiet")
        said = again.communicate(timeout=60)[1]
        self.assertEqual(again.returncode, 0, said)
        self.assertTrue(self.marked(path))
        self.assertEqual([p.name for p in self.folder.glob(f"{path.name}*")], [path.name])

    @unittest.skipUnless(ranks.MPI, ranks.NO_MPI)
    def test_a_rank_that_is_still_reading_its_data(self):
        path = self.folder / "reading.h5"
        said = self.rank_ended(self.study, path, 0.1)[1]
        self.assertIn(f"optinc resume {path}", said)
        self.resumed(path)

    def test_a_folder_that_takes_nothing_is_a_warning(self):
        path = self.folder / "unkept.h5"
        kept_in(path).write_text("a file where the folder should be\n")
        warning = "warning: a training is not kept"
        said = self.ended("terminate", path, "run", self.study, "-o", path, enough=lambda said: warning in said)
        self.assertIn(f"optinc resume {path}", said)
        kept_in(path).unlink()
        self.resumed(path)


if __name__ == "__main__":
    unittest.main()
