#!/usr/bin/env python3
"""Disks that are full, folders that take nothing, files that may not grow: refused before work where that can be known,
an error that loses nothing where not.

Usage: disk_test.py OPTINC"""

import contextlib
import os
import resource
import shutil
import subprocess
import unittest

import faults
from mesh_run import MeshRun
from tool import OPTINC, differing, optinc


@contextlib.contextmanager
def mounted(folder, *options):
    """A file system at `folder` for a while; the test is left out where this may not be mounted."""
    folder.mkdir()
    if subprocess.run(["mount", *options, folder], capture_output=True).returncode != 0:
        raise unittest.SkipTest("file systems may not be mounted here (who is root may)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


class Disk(MeshRun):
    trials, ports = 500, 4

    def test_a_disk_that_fills_up(self):
        # room for no journal at all, for half of the trials, and for all of them but not for the result beside them
        size = self.whole.stat().st_size
        for kilobytes in (4, 64, (2000 * 152 + size // 2) // 1024):
            tmpfs = ["-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs"]
            with self.subTest(kilobytes=kilobytes), mounted(self.folder / "small", *tmpfs) as small:
                path = small / "out.h5"
                done = optinc("run", self.study, "-o", path, "--quiet")
                self.refused(done, "No space left on device", str(path))
                self.assertFalse(path.exists())
                self.assertEqual([p.name for p in small.iterdir() if p != faults.journal_of(path)], [])
                before = faults.trials_kept(path)
                subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
                begun = faults.journal_of(path).exists()
                done = optinc(*(["resume", path] if begun else ["run", self.study, "-o", path]))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"trials {2000 - before}/{2000 - before}", done.stderr)  # none was run twice
                self.assertEqual(differing(self.whole, path), [])
            os.rmdir(self.folder / "small")

    def test_a_limit_on_the_size_of_files(self):
        path = self.folder / "limited.h5"
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))  # noqa: E731
        done = subprocess.run([OPTINC, "run", self.study, "-o", path, "--quiet"], capture_output=True, text=True,
                              preexec_fn=limit)
        self.refused(done, "File too large", "optinc resume")
        before = faults.trials_kept(path)
        self.assertGreater(before, 0)
        self.assertEqual(optinc("resume", path, "--quiet").returncode, 0)
        self.assertEqual(differing(self.whole, path), [])

    def test_a_folder_that_is_read_only(self):
        path = self.folder / "source"
        path.mkdir()
        shutil.copy(self.whole, path / "whole.h5")
        (path / "unfinished.h5.journal").write_bytes(faults.MAGIC + faults.frame(faults.HEADER, b"1/1\n"))
        with mounted(self.folder / "fixed", "--bind", str(path)) as fixed:
            subprocess.run(["mount", "-o", "remount,ro,bind", fixed], check=True)
            self.refused(optinc("run", self.study, "-o", fixed / "new.h5"), "new.h5", "Read-only file system")
            self.refused(optinc("run", self.study, "-o", fixed / "whole.h5", "--force"), "Read-only file system")
            self.refused(optinc("resume", fixed / "whole.h5", "--trials", 600), "Read-only file system")
            self.refused(optinc("resume", fixed / "unfinished.h5"), "Read-only file system")
            self.refused(optinc("merge", self.whole, "-o", fixed / "merged.h5"), "Read-only file system")
            # reading needs no more than that
            self.assertEqual(optinc("inspect", fixed / "whole.h5").returncode, 0)
            done = optinc("replay", fixed / "whole.h5", "--trial", 3, "-o", self.folder / "trial.h5")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((path / "whole.h5").read_bytes(), self.whole.read_bytes())

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([OPTINC, "inspect", self.whole], stdout=full, stderr=subprocess.PIPE, text=True)
            self.refused(done, "standard output could not be written")
            path = self.folder / "deaf.h5"  # what cannot be said of a run is left unsaid
            self.assertEqual(subprocess.run([OPTINC, "run", self.study, "-o", path], stderr=full).returncode, 0)
        self.assertEqual(differing(self.whole, path), [])

    def test_an_output_is_never_an_input(self):
        study, whole, chip = self.folder / "study.h5", self.whole, self.folder / "chip.h5"  # by their names, outputs
        shutil.copy(self.study, study)
        chip.write_text("")
        for arguments in (["run", study, "-o", study], ["run", study, "-o", f"{self.folder}/./{study.name}"],
                          ["replay", whole, "--trial", 0, "-o", whole], ["merge", whole, "-o", whole],
                          ["train", chip, "-o", chip],
                          ["run", study, "--set", f"network.source='{whole}'", "-o", whole],
                          ["fabricate", whole, "-o", whole], ["program", whole, "-o", whole],
                          ["transfer", whole, "-o", whole], ["budget", "--network", whole, "-o", whole],
                          ["budget", study, "-o", study], ["compare-costs", study, "-o", study],
                          ["interconnect", study, "-o", study], ["interconnect", study, "--trace", study]):
            with self.subTest(command=arguments[0]):
                files = study.read_bytes(), self.whole.read_bytes()
                self.refused(optinc(*arguments, "--force"), "both input and output")
                self.assertEqual((study.read_bytes(), self.whole.read_bytes()), files)
        linked = self.folder / "linked.h5"
        linked.symlink_to(study)
        self.refused(optinc("run", study, "-o", linked, "--force"), "both input and output")


if __name__ == "__main__":
    unittest.main()
