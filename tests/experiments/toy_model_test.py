"""A model that one file adds (models/toy_model.cpp) is in every command and in Python, and nothing else knows it.

Usage: toy_model_test.py OPTINC_WITH_TOY OPTINC [unittest's arguments]. Exits 77 (skipped) when a module is missing."""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

from sample_files import ROOT, command  # first: it finds the package, or skips
from optinc.results import figures, metrics, open_run, statistic
from optinc.results.figures.fronts import is_better_high
import h5py
import numpy as np
import tool

PLAIN = Path(sys.argv.pop(1))  # the tool as it is installed; tool.optinc() has the toy
STUDY = """study = "toys"
model = "toy"
[runner]
trials = 4
[yield]
metric = "toy_score"
limit = 12.0
[[sweep]]
values = {"chip.sigma_eta_rad" = [0.01, 0.02]}
"""
SIGMA = np.array([0.01, 0.02])


def scores(trials):
    """What the toy is to measure, over sweep, trial and variant."""
    return (np.arange(trials)[:, None] + 1000 * SIGMA[:, None, None]) * [1.0, 2.0]


class Toy(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.study, self.result = self.folder / "toy.toml", self.folder / "toy.h5"
        self.study.write_text(STUDY)

    def done(self, *words):
        """Standard output of a command that must succeed."""
        ran = tool.optinc(*words)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def run_study(self):
        self.done("run", self.study, "-o", self.result, "--quiet")

    def test_lists_and_explanations(self):
        listed = self.done("list")
        for text in ("model toy: a trial simulates one toy; metrics", "toy_score", "  variants                 plain, doubled"):
            self.assertIn(text, listed)
        self.assertRegex(self.done("explain", "chip.sigma_eta_rad"), r"(?s)models:  .*learning,\s+toy\n")
        self.assertNotIn("toy", self.done("explain", "chip.dac_bits"))
        self.assertRegex(self.done("explain", "toy_score"), r"model toy: .*\[m\]")
        self.assertIn("one toy (toy)", " ".join(self.done("explain", "model").split()))
        self.assertIn("toy_score", self.done("completion", "bash"))
        self.assertIn("toys (model toy), 2 points", self.done("run", self.study, "-o", self.result, "--dry-run"))

    def test_the_engine_names_no_model(self):
        models = re.findall("^model ([a-z]+):", self.done("list"), re.M)
        self.assertGreater(len(models), 6)
        compared = re.compile(f'(?<!section )[=!]= "({"|".join(models)})"|"({"|".join(models)})" [=!]=')
        for room in ("engine", "cli"):
            for path in (ROOT / "experiments" / room).rglob("*.[ch]pp"):
                self.assertIsNone(compared.search(path.read_text()), path)

    def test_keys_that_it_does_not_read(self):
        swept = tool.optinc("run", self.study, "-o", self.result, "--sweep", "chip.dac_bits=[8,9]")
        self.assertEqual(swept.returncode, 1)
        self.assertIn("cannot be swept by model toy", swept.stderr)
        self.assertIn("mesh.ports", tool.optinc("run", self.study, "-o", self.result, "--set", "mesh.ports=8").stderr)

    def test_run_resume_and_replay(self):
        self.run_study()
        with h5py.File(self.result) as file:
            trials = file["trials"]
            np.testing.assert_array_equal(trials["toy_score"], scores(4))
            self.assertEqual((trials.attrs["trial"], trials.attrs["simulates"]), ("toy", "one toy"))
            said = {name: trials["toy_score"].attrs[name] for name in ("label", "better", "kind", "units")}
            self.assertEqual(said, {"label": "score of a toy", "better": "higher", "kind": "number", "units": "m"})
        self.done("resume", self.result, "--trials", "9", "--quiet")
        with h5py.File(self.result) as file:
            np.testing.assert_array_equal(file["trials/toy_score"], scores(9))
            np.testing.assert_array_equal(file["summary/toy_score_mean"], scores(9).mean(1))
            np.testing.assert_array_equal(file["summary/yield"], (scores(9) >= 12).mean(1))
        self.done("replay", self.result, "--point", "1", "--trial", "7", "-o", self.folder / "one.h5", "--quiet")
        with h5py.File(self.folder / "one.h5") as file:
            np.testing.assert_array_equal(file["record/toy_score"], scores(9)[1, 7])

    def test_inspect_and_report(self):
        self.run_study()
        entry = json.loads(self.done("inspect", self.result, "--json"))["trials"][3]
        self.assertEqual((entry["variant"], entry["toy_score_mean"], entry["yield"]), ("doubled", 43.0, 1.0))
        self.assertIn("toy_score", self.done("inspect", self.result))
        self.done("report", self.result)
        page = self.result.with_suffix(".html").read_text()
        for text in ("A trial simulates one toy.", "toy_score", "doubled"):
            self.assertIn(text, page)
        without = tool.subprocess.run([PLAIN, "inspect", self.result], capture_output=True, text=True)
        self.assertEqual(without.returncode, 1)
        self.assertIn("toy", without.stderr)

    def test_python(self):
        self.run_study()
        with open_run(self.result) as run:
            self.assertEqual(metrics(run), ["toy_score", "toy_miss", "yield"])
            self.assertEqual(statistic(run, "toy_score").axis_name, "score of a toy")
            self.assertEqual([is_better_high(run, name) for name in ("toy_score", "toy_miss")], [True, False])
            np.testing.assert_array_equal(statistic(run, "toy_score").mean, scores(4).mean(1))
            figure = figures.FIGURES["pareto"](run, x="toy_score", y="toy_miss")
            self.assertEqual(figure.axes[0].get_xlabel(), "score of a toy (m)")
            title = figures.FIGURES["metric_vs_parameter"](run).texts
            self.assertTrue(any("4 toys" in text.get_text().replace("\xa0", " ") for text in title))
        status, out, err = command("show", self.result)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("toy_score (m): Number of the trial", out)


if __name__ == "__main__":
    unittest.main(verbosity=1)
