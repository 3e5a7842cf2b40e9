#!/usr/bin/env python3
"""Very many trials of very little work: whatever is done once a trial shows.

Usage: many_trials_test.py OPTINC [TRIALS]      default 100,000; 1,000,000 takes half a minute and some GB"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import faults
import h5py
from tool import OPTINC, differing, optinc

TRIALS = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 100_000
UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9}


def peak_bytes(*arguments):
    """Runs optinc; its largest memory in bytes, and its seconds."""
    process = subprocess.Popen([OPTINC, *map(str, arguments)])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, 1024 * used.ru_maxrss, used.ru_utime + used.ru_stime


class ManyTrials(unittest.TestCase):
    def test_as_many_as_there_are(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            study = faults.mesh_study(folder / "study.toml", TRIALS // 4, 2)
            whole, path = folder / "whole.h5", folder / "killed.h5"
            told = re.search(r"memory\D*([\d.]+) (kB|MB|GB)", optinc("run", study, "--dry-run").stdout)
            status, peak, seconds = peak_bytes("run", study, "-o", whole, "--quiet")
            self.assertEqual(status, 0)
            expected = float(told[1]) * UNITS[told[2]]
            print(f"{TRIALS} trials: {seconds:.1f} s of processor, {peak / 1e6:.0f} MB of memory "
                  f"({expected / 1e6:.0f} MB told before), file of {whole.stat().st_size / 1e6:.0f} MB")
            self.assertLessEqual(peak, 1.5 * expected)
            with h5py.File(whole) as file:
                self.assertEqual(file.attrs["complete"], 1)
                self.assertEqual(file["trials/completed"][()].sum(), TRIALS)
            process = subprocess.Popen([OPTINC, "run", study, "-o", path, "--quiet"])
            journal = faults.journal_of(path)
            self.assertTrue(faults.wait_until(process, lambda: journal.exists()
                                              and journal.stat().st_size > 32 * TRIALS))
            process.kill()
            process.wait()
            status, peak, _ = peak_bytes("resume", path, "--quiet")
            self.assertEqual(status, 0)
            self.assertLessEqual(peak, 1.5 * expected)
            self.assertEqual(differing(whole, path), [])


if __name__ == "__main__":
    unittest.main()
