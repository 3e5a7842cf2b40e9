"""Holds the commands that write a page, `optinc report` and the package's, to what they refuse and what they leave alone.

Usage: report_command_test.py OPTINC [unittest's arguments]. Exits 77 (skipped) when a module is missing.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from sample_files import FILES, FOLDER, ROOT, command, make_files, samples  # first: it finds the package, or skips
import h5py
from tool import OPTINC, optinc


def setUpModule():
    make_files()


def tearDownModule():
    FOLDER.cleanup()


def report(path, *more):
    """Exit status, standard output and standard error of the package's command."""
    return command("report", path, *more)


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = Path(shutil.copy(FILES["bare"], self.folder / "bare.h5"))

    def refused(self, *words, why, status=1):
        before = {path: path.read_bytes() for path in self.folder.iterdir()}
        told = report(*words)
        self.assertEqual((told[0], told[1], len(told[2].splitlines())), (status, "", 1), told)
        self.assertRegex(told[2], rf"optinc-results: .*{why}")
        self.assertRegex(told[2], r"optinc-results: .*\(.*\)\. ")
        self.assertEqual({path: path.read_bytes() for path in self.folder.iterdir()}, before)

    def test_beside_the_file_unless_told(self):
        self.assertEqual(report(self.file), (0, f"{self.folder / 'bare.html'}\n", ""))
        self.assertEqual(report(self.file, "-o", self.folder / "other")[0], 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bare.h5", "bare.html", "other"])
        self.assertEqual((self.folder / "other").read_bytes(), (self.folder / "bare.html").read_bytes())

    def test_overwrites_nothing_unasked(self):
        page = self.folder / "bare.html"
        page.write_text("mine")
        self.refused(self.file, why="bare.html exists already")
        self.assertEqual(report(self.file, "--force")[0], 0)
        self.assertIn("<!DOCTYPE html>", page.read_text(encoding="utf-8"))
        for more in ((), ("--force",)):
            self.refused(self.file, "-o", self.file, *more, why="is the result itself")
        (self.folder / "dangling").symlink_to(self.folder / "nowhere")
        told = report(self.file, "-o", self.folder / "dangling")
        self.assertEqual((told[0], (self.folder / "nowhere").exists()), (1, False))

    def test_one_that_appears_meanwhile_stays(self):
        from optinc._files import creating
        page = self.folder / "page.html"
        with self.assertRaises(FileExistsError), creating(page, force=False) as out:
            out.write(b"late")
            page.write_text("mine")
        self.assertEqual((page.read_text(), sorted(os.listdir(self.folder))), ("mine", ["bare.h5", "page.html"]))

    # Fails where partial files have names that can be told beforehand, or are opened through links
    def test_no_link_in_the_folder_is_written_through(self):
        from optinc import _files
        page, victim = self.folder / "page.html", self.folder / "victim"
        victim.write_text("mine")
        for name in (f"page.html.partial-{os.getpid()}", ".page.html.part"):
            (self.folder / name).symlink_to(victim)
        with _files.creating(page, force=False):
            self.assertTrue(any(re.fullmatch(r"page\.html\.partial-[0-9a-f]{16}", name) for name in os.listdir(self.folder)))
        (self.folder / "page.html.partial-0123456789abcdef").symlink_to(victim)
        with unittest.mock.patch("secrets.token_hex", return_value="0123456789abcdef"), self.assertRaises(FileExistsError):
            with _files.creating(page, force=True):
                pass
        self.assertEqual(victim.read_text(), "mine")

    def test_refuses_what_it_cannot_do(self):
        self.refused(self.folder / "none.h5", why="cannot be opened")
        self.refused(self.file, "-o", self.folder / "no" / "page.html", why="there is no folder")
        with samples.result(self.folder / "wrong.h5", 'figures = ["pie"]'):
            pass
        self.refused(self.folder / "wrong.h5", why="figures there are not")
        self.assertFalse(list(self.folder.glob("*.html")))

    # Fails where only what was foreseen is caught
    def test_a_file_that_lacks_something_is_refused_in_a_line(self):
        lacking = self.folder / "lacking.h5"
        for what in ("summary/variant", "summary/completed", "trials/variant"):
            with self.subTest(lacks=what):
                shutil.copy(FILES["one_sweep"], lacking)
                with h5py.File(lacking, "r+") as file:
                    del file[what]
                self.refused(lacking, why="lacking.h5.* damaged, or not as OptINC wrote it")

    def test_the_tool_has_the_package_write_it(self):
        done = optinc("report", FILES["paired_keys"], "-o", self.folder / "page.html")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{self.folder / 'page.html'}\n", ""))
        self.assertEqual(report(FILES["paired_keys"], "-o", self.folder / "by_package.html")[0], 0)
        self.assertEqual((self.folder / "page.html").read_bytes(), (self.folder / "by_package.html").read_bytes())
        done = optinc("report", FILES["paired_keys"], "-o", self.folder / "page.html")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1))
        (self.folder / "bare.html").write_text("an earlier one")
        self.assertEqual(optinc("report", self.file, "--force").returncode, 0)
        self.assertNotIn("an earlier one", (self.folder / "bare.html").read_text(encoding="utf-8"))
        self.assertEqual(optinc("report").returncode, 2)
        self.assertEqual(optinc("report", self.file, "--pdf").returncode, 2)
        self.assertIn("optinc report results.h5", optinc("report", "--help").stdout)

    def test_the_tool_says_what_is_missing(self):
        launcher = ROOT / "python/src/results_command.py"
        bare = subprocess.run([sys.executable, "-E", "-S", launcher, "report", self.file])  # -S: without Debian's packages
        self.assertEqual(bare.returncode, 69)
        share, program = self.folder / "share/optinc/python/src", self.folder / "bin/optinc"  # an installed tool
        share.mkdir(parents=True)
        program.parent.mkdir()
        shutil.copy(OPTINC, program)
        (share / launcher.name).write_text(f"raise SystemExit({bare.returncode})\n")
        done = subprocess.run([program, "report", self.file], capture_output=True, text=True)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
        self.assertIn("apt-get install python3-h5py python3-matplotlib python3-scipy python3-xarray", done.stderr)


if __name__ == "__main__":
    unittest.main()
