"""Results are shared in folders that others can write to: no command that reads one there runs code that lies beside it.

Usage: foreign_code_test.py OPTINC [unittest's arguments]. Exits 77 (skipped) when a module is missing.
"""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from sample_files import FOLDER, ROOT, samples  # first: it finds the package, or skips
from tool import OPTINC

HERE = Path(FOLDER.name)
SHARED, INSTALLED = HERE / "shared", HERE / "installed"
FOREIGN = "from pathlib import Path\nPath(__file__).resolve().parents[{}].joinpath('ran').write_text(__file__)\nraise SystemExit(0)\n"


def setUpModule():
    SHARED.mkdir()
    samples.laws(SHARED / "r.h5")  # which has one figure
    for name in ("h5py", "matplotlib", "scipy", "xarray", "numpy", "sitecustomize"):
        (SHARED / f"{name}.py").write_text(FOREIGN.format(1))
    (SHARED / "optinc").mkdir()
    (SHARED / "optinc/__init__.py").write_text(FOREIGN.format(2))
    (SHARED / "matplotlibrc").write_text("backend: module://h5py\n")
    # what cmake --install lays down of the package
    shutil.copytree(ROOT / "python/src", INSTALLED / "share/optinc/python/src")
    (INSTALLED / "bin").mkdir()
    shutil.copy(ROOT / "cmake/optinc-results", INSTALLED / "bin")


def tearDownModule():
    FOLDER.cleanup()


# Fails when Python is started by -m or -c (the folder comes first on its path), when PYTHONPATH is taken as it is (an empty or
# relative entry is the folder), or when matplotlib reads matplotlibrc there
class ForeignCode(unittest.TestCase):
    def runs_its_own(self, *words):
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}
        for path in ("", ":/nonexistent", "/nonexistent:", "."):
            done = subprocess.run(words, cwd=SHARED, env={**environment, "PYTHONPATH": path, "CDPATH": "."}, capture_output=True,
                                  text=True)
            ran = HERE / "ran"
            self.assertFalse(ran.exists(), ran.exists() and ran.read_text())
            self.assertEqual((done.returncode, done.stderr), (0, ""), path)
        return done.stdout

    def test_absolute_entries_of_pythonpath_are_kept(self):
        """Packages that a cluster's modules bring are found through them."""
        words = [sys.executable, "-E", ROOT / "python/src/results_command.py", "--help"]
        done = subprocess.run(words, env={**os.environ, "PYTHONPATH": str(SHARED)}, capture_output=True, text=True, cwd="/")
        self.assertEqual((HERE / "ran").read_text(), str(SHARED / "matplotlib.py"), done.stderr)
        (HERE / "ran").unlink()

    def test_report(self):
        self.assertEqual(self.runs_its_own(OPTINC.resolve(), "report", "r.h5", "--force"), "r.html\n")

    def test_draw(self):
        self.assertIn(".png", self.runs_its_own(ROOT / "experiments/scripts/draw", "r.h5", "-o", "figures"))

    def test_installed_package(self):
        self.assertIn("laws hold", self.runs_its_own(INSTALLED / "bin/optinc-results", "show", "r.h5"))


if __name__ == "__main__":
    unittest.main()
