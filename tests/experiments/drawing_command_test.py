"""Holds the command line of figures and tables to small files that follow FORMAT.md; warnings are errors.

Usage: drawing_command_test.py [unittest's arguments]. Exits 77 (skipped) when a module is missing.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from sample_files import FILES, FOLDER, ROOT, command, make_files, samples  # first: it finds the package, or skips
import h5py
import optinc.results as results
from optinc.results import figures, headlines


def setUpModule():
    make_files()


def tearDownModule():
    FOLDER.cleanup()


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def names(self):
        return sorted({path.stem for path in self.folder.iterdir()})

    def test_another_study_stands_beside(self):
        # fails where --beside is not handed on, or taken for a figure that shows one file
        asked = ("figures", FILES["trained_at_energies"], "-o", self.folder, "--beside", FILES["trained_at_energies"])
        self.assertEqual(command(*asked, "--only", "learning_energy")[0], 0)
        status, _, err = command(*asked)
        self.assertEqual((status, "--beside is for --only learning_energy" in err), (1, True))

    def test_a_study_of_chips_has_its_five_figures(self):
        status, out, err = command("figures", FILES["one_sweep"], "-o", self.folder)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(self.names(), ["error_histogram", "eye", "gradient", "metric_vs_parameter", "training"])
        self.assertEqual(len(os.listdir(self.folder)), 10)
        self.assertEqual(len(out.splitlines()), 5)

    def test_files_are_the_same_twice(self):
        written = []
        for _ in range(2):
            self.assertEqual(command("figures", FILES["sparse"], "-o", self.folder, "--only", "training")[0], 0)
            written.append({path.name: path.read_bytes() for path in self.folder.iterdir()})
        self.assertEqual(list(map(len, written)), [2, 2])
        self.assertEqual(written[0], written[1])
        self.assertTrue(written[0]["training.pdf"].startswith(b"%PDF"))

    def test_a_figure_for_every_law_of_several_points(self):
        status, out, err = command("figures", FILES["laws"], "-o", self.folder)
        self.assertEqual((status, err, self.names()), (0, "", ["law_e0_uncorrected"]))
        with results.open_run(FILES["laws"]) as run:
            self.assertEqual(run.series, ("e0_uncorrected", "e0_alone"))
            figure = figures.FIGURES["law"](run, name="e0_uncorrected")
            self.assertIn("8 sigma", " ".join(figure._suptitle.get_text().split()))
            self.assertEqual(figure.axes[1].get_xlabel(), "rms error of the splitters, sigma (mrad)")
            for name in ("e0_alone", "E0"):
                with self.assertRaises(results.NotInResult):
                    figures.FIGURES["law"](run, name=name)
            self.assertIn("4 of 5 points of laws hold\n  MZIs: 6.06, expected 6 +- 0.18", headlines.headlines(run))

    def test_a_law_near_zero_is_drawn_by_differences(self):
        path = shutil.copy(FILES["laws"], self.folder / "laws.h5")
        for tolerance, sign in ((0.4, "/"), (0.9, "-")):  # of the expected value at the last point
            with h5py.File(path, "r+") as file:
                series = file["series/e0_uncorrected"]
                series["tolerance"][2] = tolerance * series["expected"][2]
            with results.open_run(path) as run:
                below = figures.FIGURES["law"](run, name="e0_uncorrected").axes[1]
            self.assertEqual(below.get_ylabel(), f"simulation {sign}\nclosed form")

    def test_draws_what_the_study_names(self):
        self.assertEqual(command("figures", FILES["two_sweeps"], "-o", self.folder)[0], 0)
        self.assertEqual(self.names(), ["heat_map", "metric_vs_parameter", "pareto"])

    def test_only(self):
        self.assertEqual(command("figures", FILES["one_sweep"], "-o", self.folder, "--only", "eye")[0], 0)
        self.assertEqual(self.names(), ["eye"])
        status, _, err = command("figures", FILES["two_sweeps"], "-o", self.folder, "--only", "heat_map", "--only", "eye")
        self.assertEqual((status, len(err.splitlines())), (1, 1))
        self.assertEqual(self.names(), ["eye"])

    def test_leaves_out_and_says_so(self):
        path = self.folder / "some.h5"
        with samples.result(path, 'figures = ["training", "eye"]') as file:
            samples.network_groups(file, epochs=3)
            del file["eye"]
        status, out, err = command("figures", path, "-o", self.folder / "out")
        self.assertEqual((status, len(out.splitlines()), len(err.splitlines())), (0, 1, 1))
        self.assertIn("left out eye", err)

    def test_figures_there_are_not(self):
        path = self.folder / "some.h5"
        for wanted in ('["pie"]', '"eye"', "[3]"):
            with samples.result(path, f"figures = {wanted}"):
                pass
            status, _, err = command("figures", path, "-o", self.folder / "out")
            self.assertEqual((status, len(err.splitlines()), (self.folder / "out").exists()), (1, 1, False), err)

    def test_errors_take_one_line(self):
        for words in (("show", self.folder / "none.h5"), ("figures", FILES["bare"], "-o", self.folder / "out"),
                      ("table", FILES["one_sweep"], "-o", self.folder / "x.csv", "--metric", "speed"),
                      ("table", FILES["one_sweep"], "-o", self.folder / "no" / "x.csv")):
            status, out, err = command(*words)
            self.assertEqual((status, out, len(err.splitlines())), (1, "", 1), err)
            self.assertEqual(os.listdir(self.folder), [])

    def test_table_and_show(self):
        status, _, err = command("table", FILES["text_axis"], "-o", self.folder / "x.csv", "--metric", "word_accuracy")
        self.assertEqual((status, err), (0, ""))
        with open(self.folder / "x.csv", encoding="utf-8") as file:
            self.assertEqual(file.readline(), "preset,trial,variant,completed,word_accuracy\n")
        for name, path in FILES.items():
            status, out, err = command("show", path)
            self.assertEqual((status, err), (0, ""), name)
            made = "run 00112233445566ff, seed 1," if name not in ("laws", "side_by_side", "fastest", "over_parts", "joined", "of_a_circuit", "of_receivers", "of_draws", "of_a_cluster") else "seed 1,"
            self.assertIn("\n2025-" if name in ("of_a_circuit", "of_receivers", "of_draws", "of_a_cluster") else made, out)  # nothing is drawn at random in a circuit
        with results.open_run(FILES["one_sweep"]) as run:
            mean = float(run.summary["word_accuracy_mean"].sel(sigma_eta_rad=0.03, variant="corrected_quadrature"))
            self.assertIn(f"{mean:.5g} [", headlines.headlines(run))
        with results.open_run(FILES["crowded"]) as run:
            points = run.summary["completed"].size
            self.assertIn(f"  ... and {3 * points - 60} more: ", headlines.headlines(run))
        with results.open_run(FILES["incomplete"]) as run:
            self.assertIn("86 of 120 trials run: INCOMPLETE", headlines.headlines(run))

    def test_a_table_takes_no_file_unasked(self):
        mine, result = self.folder / "mine.csv", self.folder / "result.h5"
        mine.write_text("my own")
        result.write_bytes(FILES["one_sweep"].read_bytes())
        before = result.read_bytes()
        for out, words in ((mine, "--force"), (result, "is the result itself"), (self.folder / "." / "result.h5", "is the result itself"),
                           (self.folder, "is a folder"), (Path("/proc/x.csv"), "/proc/x.csv cannot be written")):
            status, _, err = command("table", result, "-o", out, *(["--force"] if out != mine else []))
            self.assertEqual((status, len(err.splitlines())), (1, 1), err)
            self.assertIn(words, err)
        self.assertEqual((mine.read_text(), result.read_bytes()), ("my own", before))
        self.assertEqual(command("table", result, "-o", mine, "--force")[0], 0)
        self.assertTrue(mine.read_text().startswith("sigma_eta_rad,"))
        self.assertEqual(self.names(), ["mine", "result"])

    def test_laws_that_all_hold(self):
        path = self.folder / "laws.h5"
        path.write_bytes(FILES["laws"].read_bytes())
        with h5py.File(path, "r+") as file:
            file["laws/passed"][...] = 1
            count = len(file["laws/passed"])
        status, out, err = command("show", path)
        self.assertEqual((status, err), (0, ""))
        self.assertIn(f"{count} of {count} points of laws hold", out)

    def test_names_do_not_command_a_terminal(self):
        path = self.folder / "sent.h5"
        path.write_bytes(FILES["one_sweep"].read_bytes())
        with h5py.File(path, "r+") as file:
            file.attrs["title"] = file.attrs["command"] = "a\x1b]0;b\x07\nc"
        status, out, _ = command("show", path)
        self.assertEqual((status, out.count("a\ufffd]0;b\ufffd c")), (0, 2), out)

    def test_draw_script(self):
        if os.name != "posix":
            self.skipTest("a bash script")
        done = subprocess.run([ROOT / "experiments/scripts/draw", FILES["over_time"], "-o", self.folder, "--only", "drift"],
                              capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(self.folder)), ["drift.pdf", "drift.png"])
        help_text = subprocess.run([ROOT / "experiments/scripts/draw", "--help"], capture_output=True, text=True)
        self.assertEqual(help_text.returncode, 0)
        self.assertIn("--only gradient", help_text.stdout)


if __name__ == "__main__":
    unittest.main()
