"""Every command of README.md runs; those of docs/*.md name options and files that exist.

Usage: readme_test.py OPTINC [unittest's arguments]. OPTINC is the tool in its build folder. Exits 77 (skipped) when a Python module
is missing. A command of the README that this file does not know fails the test: give it a row in AS_TYPED.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/experiments")]
sys.dont_write_bytecode = True
from guide import has_module, run_page  # noqa: E402  exits 77 where a module is missing
from tool import OPTINC as TYPED, SMALL_ARGUMENTS  # noqa: E402

OPTINC = TYPED.resolve()

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "docs" / name for name in ("results.md", "results-appendix.md", "claims.md", "limitations.md")]
STUDY = "experiments/data/studies/splitter_errors.toml"
SMALL = shlex.join(["--quiet", *SMALL_ARGUMENTS])
TRAINING = shlex.join(["--quiet", *SMALL_ARGUMENTS[:SMALL_ARGUMENTS.index("--sweep")]])

# What the README's tables say, and what is typed for it: the same command on something small, in this order
AS_TYPED = {
    "optinc run STUDY.toml -o FILE": f"optinc run {STUDY} -o r.h5 {SMALL}",
    "optinc resume FILE": "optinc resume r.h5 --trials 3 --quiet",
    "optinc inspect FILE": "optinc inspect r.h5",
    "optinc report FILE": "optinc report r.h5",
    "optinc train STUDY.toml -o FILE": f"optinc train {STUDY} -o n.h5 {TRAINING}",
    "optinc circuit": "optinc circuit --models",
    "optinc circuit NETLIST.yml": """echo '{"instances": {"a": "ring"}, "ports": {"in": "a,in0", "out": "a,out0"}}' > ring.json
optinc circuit ring.json --quiet""",
    "optinc validate": "optinc validate --quick 8",
    "optinc budget": "optinc budget --set network.source=carry-chain",
    "optinc compare-costs LIST": "optinc compare-costs operating_points",
    "optinc operating-point LIST": """printf '[[design]]\\nname = "chain"\\nset = ["network.source=carry-chain"]\\n' > points.toml
optinc operating-point points.toml --chips 1 --words 60 --bandwidths 32e9""",
    "optinc operating-point": "optinc operating-point --help",
    "optinc interconnect LIST": "optinc interconnect headline",
    "optinc interconnect": "optinc interconnect ring_1024",
    "optinc cluster": "optinc cluster --keys",
    "optinc explain KEY": "optinc explain chip.sigma_eta_rad",
    "optinc program": "optinc program n.h5 -o p.h5",
    "./experiments/quickstart --build-only --python .venv": "true",  # tests/wheel_test.py installs a build
    "cmake --install": "true",  # tests/install installs, and compiles against what it installed
}


def commands(text):
    """Inline code that is a command, each once, in order."""
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    return list(dict.fromkeys(s for s in spans if re.match(r"(optinc|cmake|experiments/\w+|(\./)?tests/run) [^/]|\./", s)))


def environment(folder):
    """With `optinc` on the PATH."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    if not (programs / "optinc").exists():
        (programs / "optinc").symlink_to(OPTINC)
    return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}


class Readme(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def type(self, line):
        done = subprocess.run(["bash", "-euc", line], cwd=self.folder, env=environment(self.folder), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def test_commands_of_its_tables(self):
        (self.folder / "experiments").symlink_to(ROOT / "experiments")
        met = commands(README)
        self.assertEqual([c for c in met if c not in AS_TYPED], [])
        for command, line in AS_TYPED.items():
            self.assertIn(command, met, "no longer in the README: remove its row")
            with self.subTest(command):
                self.type(line)

    def test_its_blocks(self):
        if not has_module(OPTINC.parents[1]):
            self.skipTest("no compiled module of the Python package (experiments/scripts/setup python)")
        page = self.folder / "README.md"
        page.write_text(README, encoding="utf-8")
        here = os.getcwd()
        try:
            blocks, wrong = run_page(page, self.folder, environment(self.folder), OPTINC.parents[1], False)
        finally:
            os.chdir(here)
        self.assertGreaterEqual(blocks, 3)
        self.assertEqual(wrong, 0)

    def test_quickstart(self):
        """The script as it is, in a tree whose tool is compiled: `cmake` has nothing to do."""
        self.assertIn("\n./experiments/quickstart ", README)
        for name in ("experiments", "python", "cmake", "CMakePresets.json"):
            source = ROOT / name
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, self.folder / name, **({"symlinks": True} if source.is_dir() else {}))
        (self.folder / "build/release/bin").mkdir(parents=True)
        (self.folder / "build/release/bin/optinc").symlink_to(OPTINC)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/cmake").write_text("#!/bin/sh\n")
        (self.folder / "bin/cmake").chmod(0o755)
        small = ["--quiet", "--trials", "2", "--set", "measure.words=64", "--set", "gradient.hidden=4", "--set", "gradient.batch=6000",
                 "--sweep", 'chip.preset=["ideal"]', "--sweep", "chip.sigma_eta_rad=[0.01]"]
        said = self.type(f"./experiments/quickstart --no-install -- {shlex.join(small)}")
        self.assertRegex(said, r"(?m)^  carry chain, policy = twin +29 .*\d %")
        self.assertIn("Fewest words wrong, ", said)
        for name in ("quickstart.h5", "quickstart.html", "figures/wrong_words.png", "figures/gradient.png"):
            self.assertTrue((self.folder / "results" / name).exists(), name)

    def test_links(self):
        for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
            for link in re.findall(r'(?:\]\(|src(?:set)?=")([^)"#\s]+)', page.read_text(encoding="utf-8")):
                if "://" not in link:
                    self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")

    def test_one_version(self):
        said = re.search(r"(?m)^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"))[1]
        self.assertIn(f'\nversion = "{said}"\n', (ROOT / "python/pyproject.toml").read_text(encoding="utf-8"))
        printed = subprocess.run([OPTINC, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertTrue(printed.startswith(f"optinc {said} ("), printed)
        self.assertIn(f"\n## [{said}]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))

    def test_dependencies_are_listed(self):
        listed = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
        packages = re.findall(r"^build +(lib\S+|nlohmann\S+|zlib\S+)", (ROOT / "experiments/scripts/setup").read_text(), re.MULTILINE)
        self.assertGreater(len(packages), 10)
        self.assertEqual([package for package in packages if f"(`{package}`)" not in listed], [])

    def test_size_and_pictures(self):
        self.assertLessEqual(len(README.splitlines()), 150)
        for name in ("system", "averages"):
            subprocess.run([sys.executable, "-B", ROOT / f"docs/diagrams/{name}.py", "--check"], check=True)


class Pages(unittest.TestCase):
    """Their studies take minutes to hours; every shipped one is run small by studies_test.py."""

    def test_commands_are_accepted(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / "experiments").symlink_to(ROOT / "experiments")
            for page in PAGES:
                text = page.read_text(encoding="utf-8")
                lines = commands(text)
                for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
                    lines += block.replace("\\\n", " ").splitlines()
                self.assertTrue(lines or page.name == "limitations.md", page)
                for words in filter(None, (shlex.split(line, comments=True) for line in lines)):
                    with self.subTest(f"{page.name}: {shlex.join(words)}"):
                        self.accepted(words, folder)

    def accepted(self, words, folder):
        """Whether the command line is one that the program takes, without doing the work."""
        if words[0] != "optinc":  # scripts that install, compile or work for hours: they must be there
            self.assertTrue(os.access(ROOT / words[0], os.X_OK), words)
            return
        if words[1] in ("run", "ablate", "train"):
            words = [*words, "--print-config"]
        elif words[1] == "cluster":  # whole lists take minutes
            words = [*words, "--dry-run" if len(words) > 2 else "--help"]
        elif words[1] == "check-network" and "--words" in words:  # millions of words take minutes
            words = [*words, "--help"]
        elif words[1] in ("budget", "compare-costs", "interconnect", "check-network", "explain", "list", "devices"):
            pass
        else:
            words = [*words[:2], "--help"]
        done = subprocess.run(words, cwd=folder, env=environment(folder), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
