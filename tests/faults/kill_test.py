#!/usr/bin/env python3
"""A short run killed at random moments, and at each of its calls that change files: what is resumed is what an
undisturbed run gives.

Usage: kill_test.py OPTINC FAULTY_CALLS.so"""

import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py

import faults
from tool import OPTINC, differing, optinc

FAULTY_CALLS = sys.argv.pop(1)


class Kills(unittest.TestCase):
    @staticmethod
    def kill_and_resume(optinc, *arguments):
        return subprocess.run([faults.ROOT / "tests/faults/kill_and_resume", "--optinc", optinc, *arguments],
                              capture_output=True, text=True, timeout=200)

    def test_random_moments(self):
        done = self.kill_and_resume(OPTINC, "--kills", "8", "--seconds", "2", "--seed", "7", "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual((told["kills"], told["survived"], told["wrong"]), (8, 8, []))
        self.assertGreaterEqual(told["seconds_undisturbed"], 2)
        self.assertEqual(sum(told["killed_at"].values()), 8)

    def test_a_loss_is_told(self):
        with tempfile.TemporaryDirectory() as folder:  # a tool that forgets: its resume begins anew
            forgetful = pathlib.Path(folder, "forgetful")
            forgetful.write_text(f"""#!/bin/sh
[ "$1" = resume ] && rm -f "$2.journal" && exec {OPTINC} run "$(dirname "$2")/study.toml" -o "$2" --force --quiet
exec {OPTINC} "$@"
""")
            forgetful.chmod(0o755)
            done = self.kill_and_resume(forgetful, "--kills", "5", "--seconds", "0.5")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("0 of 5 survived", done.stdout)


class EveryCall(unittest.TestCase):
    """One run for each call that changes files, which goes wrong at that call."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.study = faults.mesh_study(cls.folder / "study.toml", 2, 2)
        cls.whole = cls.folder / "whole.h5"
        done = optinc("run", cls.study, "-o", cls.whole, "--quiet")
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def faulty(self, number, kind, *arguments):
        allowed = {**os.environ, "LD_PRELOAD": FAULTY_CALLS, "FAULT_AT": str(number), "FAULT_KIND": kind,
                   "ASAN_OPTIONS": "verify_asan_link_order=0"}
        done = subprocess.run([OPTINC, *map(str, arguments)], capture_output=True, text=True, timeout=60, env=allowed)
        told, _, said = done.stderr.rpartition("fault: ")
        return done.returncode, said.split(" ")[0] if "fault: " in done.stderr else None, told + said

    def each(self, kind, command, look, prepare=lambda folder: None):
        """A run of command(folder) for each of its calls, which goes wrong, until none is left; what it leaves goes
        to look(folder, output, call, status, text)."""
        for number in range(1, 200):
            with tempfile.TemporaryDirectory(dir=self.folder) as name:
                folder = pathlib.Path(name)
                prepare(folder)
                status, call, text = self.faulty(number, kind, *command(folder), "--quiet")
                if call is None:
                    self.assertEqual(status, 0, text)
                    self.assertGreater(number, 12)  # one for each trial at least, or the calls were not seen
                    return
                with self.subTest(kind=kind, number=number, call=call):
                    look(folder, folder / "out.h5", call, status, text)
        self.fail("more calls than a run can have")

    def run_to(self, folder):
        return ["run", self.study, "-o", folder / "out.h5"]

    def ended_well(self, folder, output, more=()):
        """Goes on as the messages say, and looks at what there is."""
        done = optinc("resume", output, "--quiet", *more)
        if done.returncode == 1 and not output.exists() and faults.trials_kept(output) == 0:
            self.assertIn("Start with optinc run", done.stderr)
            done = optinc("run", self.study, "-o", output, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(differing(self.whole, output), [])
        self.assertEqual(sorted(p.name for p in folder.iterdir()), ["out.h5"])

    def test_killed_before_each_call(self):
        seen = set()

        def look(folder, output, call, status, _):
            self.assertEqual(status, -9)
            seen.add(call)
            self.ended_well(folder, output)

        self.each("kill", self.run_to, look)
        self.assertLessEqual({"write", "fsync", "fdatasync", "link", "unlink", "ftruncate"}, seen)

    def test_a_forced_run_killed_before_each_call(self):
        seen = set()

        def look(folder, output, call, status, _):
            self.assertEqual(status, -9)
            seen.add(call)
            if faults.trials_kept(output) > 0:
                self.assertEqual(optinc("resume", output, "--quiet").returncode, 0)
            elif output.read_bytes() == b"old":
                self.assertEqual(optinc(*self.run_to(folder), "--force", "--quiet").returncode, 0)
            self.assertEqual(differing(self.whole, output), [])
            self.assertEqual(sorted(p.name for p in folder.iterdir()), ["out.h5"])

        self.each("kill", lambda folder: [*self.run_to(folder), "--force"], look,
                  prepare=lambda folder: (folder / "out.h5").write_bytes(b"old"))
        self.assertIn("rename", seen)

    def test_torn_writes(self):
        self.each("torn", self.run_to, lambda folder, output, *_: self.ended_well(folder, output))

    def test_a_disk_that_is_full_from_a_call_on(self):
        def look(folder, output, call, status, text):
            if call in ("write", "fsync", "fdatasync"):
                self.assertEqual(status, 1, text)
                self.assertRegex(text, r"optinc: \S+: cannot be (written|flushed to disk|created) \(No space left")
                self.assertFalse(list(folder.glob("*.partial*")))
            if status == 0:  # the last calls only tidy up
                self.assertEqual(differing(self.whole, output), [])
            else:
                self.ended_well(folder, output)

        self.each("full", self.run_to, look)

    def test_a_run_that_grows_is_killed_before_each_call(self):
        shorter = self.folder / "shorter.h5"
        self.assertEqual(optinc("run", self.study, "-o", shorter, "--trials", 1, "--quiet").returncode, 0)
        self.each("kill", lambda folder: ["resume", folder / "out.h5", "--trials", 2],
                  lambda folder, output, *_: self.ended_well(folder, output, ["--trials", 2]),
                  lambda folder: shutil.copy(shorter, folder / "out.h5"))

    def test_trials_of_two_revisions_are_never_credited_to_one(self):
        """mutation: a run that another revision resumes goes on in the journal of the first."""
        started = self.folder / "started.h5"
        for number in itertools.count(1):
            self.faulty(number, "kill", "run", self.study, "-o", started, "--quiet")
            if faults.trials_kept(started) > 1:
                break
            faults.journal_of(started).unlink(missing_ok=True)
        data = faults.journal_of(started).read_bytes()
        (_, _, _, end), *_ = faults.frames(data)
        heading = re.sub(rb"(?m)^# revisions: .*$", b"# revisions: another", data[len(faults.MAGIC) + faults.HEAD.size:end])
        kept = faults.trials_kept(started)

        def prepare(folder):
            faults.journal_of(folder / "out.h5").write_bytes(faults.MAGIC + faults.frame(faults.HEADER, heading) + data[end:])

        def look(folder, output, *_):
            if faults.trials_kept(output) > kept:
                line = re.search(rb"# revisions: .*", faults.journal_of(output).read_bytes())[0]
                self.assertIn(b", ", line)
            if output.exists():
                with h5py.File(output) as file:
                    self.assertRegex(file.attrs["git_revisions"], "another")
            self.assertEqual(optinc("resume", output, "--mixed-revisions", "--quiet").returncode, 0)
            with h5py.File(output) as file:
                self.assertRegex(file.attrs["git_revisions"], "another")

        self.each("kill", lambda folder: ["resume", folder / "out.h5", "--mixed-revisions"], look, prepare)

    def test_a_merge_killed_before_each_call_is_repeated(self):
        parts = [self.folder / f"part{i}.h5" for i in (1, 2)]
        for i, part in enumerate(parts, 1):
            self.assertEqual(optinc("run", self.study, "-o", part, "--shard", f"{i}/2", "--quiet").returncode, 0)
        calls = 0
        for number in range(1, 40):
            output = self.folder / "merged.h5"
            status, call, text = self.faulty(number, "kill", "merge", *parts, "-o", output, "--quiet")
            if call is None:
                self.assertEqual(status, 0, text)
                break
            calls += 1
            again = optinc("merge", *parts, "-o", output, "--force", "--quiet")
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual(differing(self.whole, output), [])
            self.assertEqual([p.name for p in self.folder.glob("merged.h5*")], ["merged.h5"])
            output.unlink()
        self.assertGreaterEqual(calls, 4)


if __name__ == "__main__":
    unittest.main()
