"""The documentation builds as a site without a broken link, and its check of links can fail. Needs mkdocs-material, nbconvert.

    python3 tests/site_test.py [--api DOXYGEN_HTML] [--python PACKAGE]    what docs/site/build is given
"""

import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "docs/site/build"
sys.dont_write_bytecode = True
sys.path.insert(0, str(BUILD.parent))
loader = importlib.machinery.SourceFileLoader("site_build", str(BUILD))
build = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_build", loader))
loader.exec_module(build)


class Site(unittest.TestCase):
    def test_builds_without_a_broken_link(self):
        with tempfile.TemporaryDirectory() as scratch:
            done = subprocess.run([sys.executable, BUILD, "--out", Path(scratch) / "site", *GIVEN], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"^[4-6]\d pages in \S+, 0 broken links\n$")
            self.assertIn("widths.css", (Path(scratch) / "site/docs/results.html").read_text())  # figures on a telephone

    def test_broken_links_are_found(self):
        with tempfile.TemporaryDirectory() as scratch:
            site = Path(scratch)
            (site / "other.html").write_text("<h2 id='there'></h2>")
            (site / "page.html").write_text("<a href='other.html#there'></a><a href='other.html#gone'></a><a href='gone.html'></a>"
                                            "<a href='https://example.org'></a><script src='https://example.org/x.js'></script>")
            count, wrong = build.broken(site)
            self.assertEqual(count, 2)
            self.assertEqual(wrong, ["page.html: no anchor other.html#gone", "page.html: gone.html", "page.html: loads https://example.org/x.js"])

    def test_another_folder_is_not_replaced(self):
        with tempfile.TemporaryDirectory() as scratch:
            (Path(scratch) / "thesis.tex").write_text("years of work")
            done = subprocess.run([sys.executable, BUILD, "--out", scratch], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("is not a site of an earlier run", done.stderr)
            self.assertTrue((Path(scratch) / "thesis.tex").exists())


if __name__ == "__main__":
    GIVEN = sys.argv[1:]
    del sys.argv[1:]
    unittest.main()
