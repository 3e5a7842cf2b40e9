#!/usr/bin/env python3
"""Clocks on the wall that jump, and files from the future: no result, and no end of a run, depends on the date.

Usage: clock_test.py OPTINC JUMPING_CLOCK.so"""

import os
import re
import subprocess
import sys
import time
import unittest

import faults
import h5py
from mesh_run import MeshRun
from tool import OPTINC, differing, optinc

JUMPING_CLOCK = sys.argv.pop(1)
YEAR = 365 * 86400


class Clock(MeshRun):
    trials, ports = 150, 24

    def jumping(self, *arguments):
        allowed = {**os.environ, "LD_PRELOAD": JUMPING_CLOCK, "ASAN_OPTIONS": "verify_asan_link_order=0"}
        done = subprocess.run([OPTINC, *map(str, arguments)], env=allowed, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_a_clock_that_jumps_changes_the_date_of_a_file_alone(self):
        path = self.folder / "jumped.h5"
        start = time.monotonic()
        said = self.jumping("run", self.study, "-o", path)
        lasted = time.monotonic() - start
        self.assertEqual(differing(self.whole, path), [])
        with h5py.File(path) as file:  # it did jump
            self.assertNotEqual(file.attrs["created_utc"][:4], time.strftime("%Y"))
        for seconds in re.findall(r"([\d.]+) s\b", said):  # what is told of time is the time
            self.assertLessEqual(float(seconds), lasted)

    def test_a_time_limit_is_of_the_steady_clock(self):
        path = self.folder / "limited.h5"
        long = ["--set", "run.time_limit_s=0.3", "--trials", 100000, "--threads", 1]
        start = time.monotonic()
        self.jumping("run", self.study, "-o", path, *long)
        self.assertGreater(time.monotonic() - start, 0.3)
        with h5py.File(path) as file:
            self.assertEqual(file.attrs["complete"], 0)
            self.assertGreater(file["trials/completed"][()].sum(), 20)
        path = self.folder / "unlimited.h5"  # an hour has not gone by because the date says so
        self.jumping("run", self.study, "-o", path, "--set", "run.time_limit_s=3600")
        self.assertEqual(differing(self.whole, path), [])

    def test_files_from_the_future_and_the_past_are_gone_on_with(self):
        for years in (10, -40):
            with self.subTest(years=years):
                path = self.folder / f"years{years}.h5"
                process = subprocess.Popen([OPTINC, "run", self.study, "-o", path, "--threads", "1", "--quiet"])
                self.assertTrue(faults.wait_until(process, lambda: faults.trials_kept(path) > 50))
                process.kill()
                process.wait()
                then = time.time() + years * YEAR
                os.utime(faults.journal_of(path), (then, then))
                self.assertEqual(optinc("resume", path, "--quiet").returncode, 0)
                self.assertEqual(differing(self.whole, path), [])
                os.utime(path, (then, then))
                self.assertEqual(optinc("resume", path, "--trials", 151, "--quiet").returncode, 0)
                with h5py.File(path) as file, h5py.File(self.whole) as whole:
                    self.assertEqual(file.attrs["complete"], 1)
                    self.assertTrue((file["trials/mesh_error"][..., :150, :] == whole["trials/mesh_error"][()]).all())


if __name__ == "__main__":
    unittest.main()
