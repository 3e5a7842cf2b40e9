#!/usr/bin/env python3
"""What may lie where a run reads and writes: files of others, pipes, links, results that cannot be read just now. Nothing
of anybody else's is replaced or removed, and nothing finished is lost.

Usage: places_test.py OPTINC"""

import os
import pathlib
import shutil
import stat
import subprocess
import unittest

import faults
import h5py
from faults import journal_of
from mesh_run import MeshRun
from tool import OPTINC, differing, optinc


class Places(MeshRun):
    trials, ports = 20, 8

    def grown_and_killed(self, name):
        """A finished result whose longer run was killed; the trials of both are in two files."""
        path = self.folder / name
        shutil.copy(self.whole, path)
        process = subprocess.Popen([OPTINC, "resume", path, "--trials", "2000", "--quiet"])
        self.assertTrue(faults.wait_until(process, lambda: faults.trials_kept(path) > 10))
        process.kill()
        process.wait()
        return path

    # Fails where a result that cannot be read counts as none
    def test_results_that_cannot_be_read_just_now_are_not_replaced(self):
        path = self.grown_and_killed("unreadable.h5")
        sound = path.read_bytes()
        flipped = bytearray(sound)
        flipped[len(sound) // 2] ^= 1
        other = self.folder / "other.h5"
        self.assertEqual(optinc("run", self.study, "-o", other, "--seed", "9", "--quiet").returncode, 0)
        for what, content in (("flipped", bytes(flipped)), ("cut", sound[:-100]), ("foreign", b"notes\n"),
                              ("of another study", other.read_bytes())):
            with self.subTest(what=what):
                path.write_bytes(content)
                journal = journal_of(path).read_bytes()
                self.refused(optinc("resume", path, "--quiet"), "unreadable.h5", "move it away")
                self.assertEqual(path.read_bytes(), content)
                self.assertEqual(journal_of(path).read_bytes(), journal)
        path.write_bytes(sound)
        kept = faults.trials_kept(path)
        self.assertEqual(optinc("resume", path, "--time-limit", "0.01", "--quiet").returncode, 0)
        with h5py.File(path) as file, h5py.File(self.whole) as whole:
            self.assertGreaterEqual(file["trials/completed"][()].sum(), kept + whole["trials/completed"][()].sum())

    def test_a_notebook_that_holds_the_results(self):
        path = self.grown_and_killed("held.h5")
        with h5py.File(path, "a"):
            self.refused(optinc("resume", path, "--quiet"), "held.h5", "move it away")
        self.assertEqual(differing(self.whole, path), [])

    # Fails where the file of a run is written over whatever appeared at its place
    def test_a_file_that_appears_while_a_run_computes(self):
        study = faults.mesh_study(self.folder / "longer.toml", 300, 16)
        path, grid = self.folder / "appeared.h5", self.folder / "grid.csv"
        grid.write_text("1,0\n0,1\n")
        process = subprocess.Popen([OPTINC, "run", study, "-o", path, "--quiet"], stderr=subprocess.PIPE, text=True)
        self.assertTrue(faults.wait_until(process, lambda: faults.trials_kept(path) > 2))
        self.assertEqual(optinc("program", grid, "-o", path).returncode, 0)
        phases = path.read_bytes()
        said = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("appeared", said)
        self.assertEqual(path.read_bytes(), phases)
        self.refused(optinc("resume", path, "--quiet"), "move it away")
        self.assertEqual(path.read_bytes(), phases)
        path.unlink()
        self.assertEqual(faults.trials_kept(path), 1200)
        self.assertEqual(optinc("resume", path, "--quiet").returncode, 0)
        whole = self.folder / "longer.h5"
        self.assertEqual(optinc("run", study, "-o", whole, "--quiet").returncode, 0)
        self.assertEqual(differing(whole, path), [])

    # Fails where a forced run loses its right to replace when it is resumed
    def test_a_forced_run_that_was_killed_still_replaces(self):
        study = faults.mesh_study(self.folder / "forced.toml", 600, 16)
        path = self.folder / "forced.h5"
        path.write_text("something old\n")
        process = subprocess.Popen([OPTINC, "run", study, "-o", path, "--force", "--quiet"])
        self.assertTrue(faults.wait_until(process, lambda: faults.trials_kept(path) > 2))
        process.kill()
        process.wait()
        self.assertEqual(path.read_text(), "something old\n")
        self.assertEqual(optinc("resume", path, "--quiet").returncode, 0)
        self.assertEqual(h5py.File(path).attrs["complete"], 1)

    # Fails where a reader opens whatever has the name
    def test_pipes_are_not_waited_for(self):
        pipe = self.folder / "pipe.h5"
        os.mkfifo(pipe)
        out = self.folder / "never.h5"
        for arguments in (("inspect", pipe), ("resume", pipe), ("merge", pipe, "-o", out), ("replay", pipe, "--trial", 0, "-o", out),
                          ("program", pipe, "-o", out), ("fabricate", pipe, "-o", out), ("budget", "--network", pipe),
                          ("run", self.study, "-o", pipe, "--force"), ("report", pipe)):
            with self.subTest(command=arguments[0]):
                done = optinc(*arguments, timeout=20)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertTrue(stat.S_ISFIFO(pipe.lstat().st_mode))
        self.assertFalse(out.exists())
        os.mkfifo(journal_of(out))
        self.refused(optinc("run", self.study, "-o", out, "--quiet", timeout=20), "not a plain file")
        self.assertTrue(stat.S_ISFIFO(journal_of(out).lstat().st_mode))
        journal_of(out).unlink()

    # Fails where what is written beside an output is opened through a link that somebody laid there
    def test_no_link_beside_the_output_is_written_through(self):
        out, victim = self.folder / "linked.h5", self.folder / "victim"
        for content in (b"", None):  # an empty file, and none
            if content is None:
                victim.unlink()
            else:
                victim.write_bytes(content)
            journal_of(out).symlink_to(victim)
            self.refused(optinc("run", self.study, "-o", out, "--quiet"), "linked.h5.journal")
            self.assertEqual(victim.read_bytes() if victim.exists() else None, content)
            journal_of(out).unlink()
        # partial files: names that could be told beforehand were PATH.partial-PID
        victim.write_text("mine")
        table = self.folder / "phases.csv"
        for process in range(os.getpid(), os.getpid() + 2000):
            (self.folder / f"phases.csv.partial-{process}").symlink_to(victim)
        self.assertEqual(optinc("program", "shipped/32x5", "-o", table).returncode, 0)
        self.assertEqual(victim.read_text(), "mine")
        self.assertFalse(table.is_symlink())
        for link in self.folder.glob("phases.csv.partial-*"):
            link.unlink()

    def test_a_link_leads_to_the_file_that_is_replaced(self):
        target, link = self.folder / "target.h5", self.folder / "link.h5"
        target.write_text("old\n")
        link.symlink_to(target.name)
        self.refused(optinc("run", self.study, "-o", link, "--quiet"), "exists already")
        self.assertEqual(optinc("run", self.study, "-o", link, "--force", "--quiet").returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(differing(self.whole, target), [])
        page = self.folder / "page.html"
        page.symlink_to("elsewhere.html")  # leads nowhere
        self.assertEqual(optinc("report", target, "-o", page, "--force").returncode, 1)
        self.assertTrue(page.is_symlink())

    # Fails where leftovers are told by how their names begin, or places are emptied without a look
    def test_files_of_others_beside_the_output_stay(self):
        path = self.folder / "beside.h5"
        theirs = [self.folder / f"beside.h5.partial-{name}" for name in ("notes.md", "12", "0123456789abcdeg", "0123456789abcdef-2")]
        ours = [self.folder / f"beside.h5.partial-{name}" for name in ("0123456789abcdef", "0" * 16)]
        for file in theirs + ours:
            file.write_text("text\n")
        self.assertEqual(optinc("run", self.study, "-o", path, "--quiet").returncode, 0)
        self.assertEqual([f.exists() for f in theirs + ours], [True] * 4 + [False] * 2)
        path.unlink()
        for place in (journal_of(path), pathlib.Path(f"{path}.training")):
            place.write_text("notes\n")
            for more in ((), ("--force",)):
                self.refused(optinc("run", self.study, "-o", path, "--quiet", *more), place.name, "Move it away")
            self.assertEqual(place.read_text(), "notes\n")
            place.unlink()

    # Fails where the first of two values is taken
    def test_shards_that_contradict_each_other_are_not_merged(self):
        first, changed, second = (self.folder / f"{name}.h5" for name in ("first", "changed", "second"))
        for path, shard in ((first, "1/2"), (second, "2/2")):
            self.assertEqual(optinc("run", self.study, "-o", path, "--shard", shard, "--quiet").returncode, 0)
        shutil.copy(first, changed)
        with h5py.File(changed, "r+") as file:
            there = tuple(int(where[0]) for where in file["trials/completed"][()].nonzero())
            file["trials/mesh_error"][there] = file["trials/mesh_error"][there] * 1.5
        out = self.folder / "merged.h5"
        self.refused(optinc("merge", first, changed, second, "-o", out), "changed.h5", f"trial {there[-1]} of point")
        self.assertFalse(out.exists())
        self.assertEqual(optinc("merge", first, first, second, "-o", out, "--quiet").returncode, 0)
        self.assertEqual(differing(self.whole, out), [])


if __name__ == "__main__":
    unittest.main()
