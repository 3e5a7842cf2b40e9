"""Holds bench/report to small runs made here, and to a real one of the bench program; warnings are errors.

Usage: report_test.py BENCH_PROGRAM [unittest's arguments]. Exits 77 (skipped) when a module of the figure is missing.
"""

import contextlib
import copy
import io
import json
import subprocess
import sys
import tempfile
import unittest
import warnings
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
try:
    import h5py  # noqa: F401  (the look of the figures comes from the package that reads results)
    import matplotlib.image
    import xarray  # noqa: F401
except ModuleNotFoundError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PROGRAM = None
SCRIPT = str(ROOT / "bench/report")
loader = SourceFileLoader("report", SCRIPT)
report = module_from_spec(spec_from_loader("report", loader))
loader.exec_module(report)

CONTEXT = {
    "date": "2026-01-02T03:04:05+00:00", "cpu": "Some CPU", "compiler": "gcc 12.2.0", "build_type": "Release",
    "flags": "-O3 -march=native", "revision": "0123456789ab", "simd_target": "AVX3", "eigen_simd": "AVX512",
    "fma_peak_f32_flop_per_s": "2.4e+11", "fma_peak_f64_flop_per_s": "1.2e+11", "l2_read_byte_per_s": "2e+11",
    "l2_buffer_bytes": "524288",
}


def row(name, times_us, **counters):
    """Entries of one row, a repetition each, as Google Benchmark writes them, with its median behind them."""
    base = {"run_name": name, "threads": 1, "repetitions": len(times_us), "time_unit": "us", **counters}
    entries = [{**base, "name": name, "run_type": "iteration", "repetition_index": i, "iterations": 10,
                "real_time": 1.5 * t, "cpu_time": t} for i, t in enumerate(times_us)]
    middle = sorted(times_us)[len(times_us) // 2]
    if len(times_us) > 1:
        entries.append({**base, "name": name + "_median", "run_type": "aggregate", "aggregate_name": "median",
                        "real_time": 1.5 * middle, "cpu_time": middle})
    return entries


def forward(name, times_us, gflops=300.0, intensity=30.0, twin=25.0, peak=125.0):
    return row(name, times_us, **{"flop/s": gflops * 1e9, "%peak": peak, "x_twin": twin, "flop/byte": intensity,
                                  "MZI-fields/s": gflops * 1e9 / 28})


def sample():
    """A run with rows of every kind."""
    again = {"f32_flop/s": 2.34e11, "f64_flop/s": 1.17e11, "l2_byte/s": 1.9e11}
    return {"context": dict(CONTEXT), "benchmarks": [
        *forward("forward/f32/ports:8/words:1", [0.20, 0.19, 0.21], 4, 1.4, 1.5, 1.7),
        *forward("forward/f32/ports:64/words:64", [11.0, 10.0, 12.0]),
        *forward("forward/f64/ports:64/words:64", [22.0, 21.0, 23.0], 150, 15),
        *row("forward_two_threads/f32/ports:64/words:64/real_time", [5.0, 5.1, 5.2]),
        *row("settle/f32/ports:64", [5.0, 5.1, 5.2], **{"MZIs/s": 4e8, "x_twin": 18.0}),
        *row("backward/f32/ports:64/words:64", [50.0, 51.0, 52.0], **{"x_forward": 4.8, "label": "inverted"}),
        *row("optinc_words/noiseless/words:64", [450.0], **{"words/s": 140e3}),
        *row("peaks_again/iterations:1", [2e5], **again),
    ]}


class Reports(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, data, name="run.json"):
        path = self.folder / name
        path.write_text(data if isinstance(data, str) else json.dumps(data))
        return str(path)

    def run_report(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = report.main(list(words))
        return status, out.getvalue(), err.getvalue()

    def line(self, text, name):
        found = [line for line in text.splitlines() if line.startswith(name + " ")]
        self.assertEqual(len(found), 1, f"{name} in:\n{text}")
        return found[0].split()

    def refused(self, data, *say):
        """The file is refused with a message that holds all of `say` and names the file."""
        path = self.write(data)
        status, out, err = self.run_report(path)
        self.assertEqual((status, out), (2, ""))
        for text in (path, *say):
            self.assertIn(text, err)
        self.assertNotIn("Traceback", err)

    def test_table(self):
        status, out, err = self.run_report(self.write(sample()))
        self.assertEqual((status, err), (0, ""))
        for text in ("Some CPU", "gcc 12.2.0", "AVX3", "0123456789ab", "FMA peak f32 240 (after the run 234) GFLOP/s"):
            self.assertIn(text, out)
        self.assertEqual(self.line(out, "forward/f32/ports:64/words:64"),
                         "forward/f32/ports:64/words:64 11.0 us 9.1 % 10.7 G MZI-fields/s 300.0 125.0 25.0".split())
        self.assertEqual(self.line(out, "settle/f32/ports:64")[1:], "5.10 us 2.0 % 400 M MZIs/s 18.0".split())
        self.assertEqual(self.line(out, "backward/f32/ports:64/words:64")[-2:], ["4.80", "inverted"])
        self.assertEqual(self.line(out, "optinc_words/noiseless/words:64")[1:],
                         "450 us ? 140 k words/s".split())  # one repetition has no spread
        # real time where the rates are of real time
        self.assertEqual(self.line(out, "forward_two_threads/f32/ports:64/words:64/real_time")[1:3], ["7.65", "us"])
        lines = out.split("\n\n")[1].splitlines()
        column = lines[0].index("GFLOP/s") + len("GFLOP/s")
        self.assertEqual({lines[i][column - 1] for i in (1, 2, 3)}, {"0"}, "columns are not aligned")

    def test_filter_and_aggregates_alone(self):
        data = sample()
        data["benchmarks"] = row("settle/f32/ports:8", [1.0, 1.1, 1.2])[-1:]
        data["benchmarks"].append({**data["benchmarks"][0], "name": "settle/f32/ports:8_cv", "aggregate_name": "cv",
                                   "cpu_time": 0.02, "real_time": 0.02, "time_unit": "us"})
        status, out, _ = self.run_report(self.write(data))
        self.assertEqual(status, 0)
        self.assertEqual(self.line(out, "settle/f32/ports:8")[1:], "1.10 us 4.0 %".split())
        status, out, _ = self.run_report(self.write(sample()), "--filter", "^settle")
        self.assertNotIn("forward/", out)
        status, _, err = self.run_report(self.write(sample()), "--filter", "nothing")
        self.assertEqual(status, 2)
        self.assertIn("no row that matches 'nothing'", err)
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            report.main([self.write(sample()), "--filter", "("])

    def test_row_that_failed_is_named(self):
        data = sample()
        data["benchmarks"].append({"name": "decompose/ports:8", "run_type": "iteration", "error_occurred": True,
                                   "error_message": "not unitary"})
        status, out, _ = self.run_report(self.write(data))
        self.assertEqual(status, 0)
        self.assertIn("decompose/ports:8: not measured (not unitary)", out)

    def test_difference(self):
        old, new = sample(), sample()
        new["context"]["revision"] = "ba9876543210"
        new["benchmarks"] = [
            *forward("forward/f32/ports:8/words:1", [0.10, 0.11, 0.12]),      # twice as fast
            *forward("forward/f32/ports:64/words:64", [11.5, 11.9, 12.5]),    # 8 % more, ranges meet
            *forward("forward/f64/ports:64/words:64", [30.0, 31.0, 32.0]),    # slower
            *row("settle/f32/ports:64", [5.25, 5.25, 5.26]),                  # ranges do not meet, but 3 %
            *row("optinc_words/noiseless/words:64", [900.0]),                 # one repetition
            *row("new_row/f32/ports:8", [1.0]),
        ]
        paths = self.write(old, "old.json"), self.write(new, "new.json")
        status, out, err = self.run_report(*paths)
        self.assertEqual((status, err), (0, ""))
        verdicts = {name: self.line(out, name)[-2:] for name in (entry["run_name"] for entry in new["benchmarks"][:-1])}
        self.assertEqual(verdicts, {
            "forward/f32/ports:8/words:1": ["0.55", "faster"],
            "forward/f32/ports:64/words:64": ["1.08", "same"],
            "forward/f64/ports:64/words:64": ["1.41", "slower"],
            "settle/f32/ports:64": ["1.03", "same"],
            "optinc_words/noiseless/words:64": ["2.00", "?"],
        })
        for text in ("1 faster, 1 slower, 2 same", "1 not judged", "only in new: new_row/f32/ports:8", "ba9876543210",
                     "only in old: forward_two_threads/f32/ports:64/words:64/real_time, backward/f32/"):
            self.assertIn(text, out)
        status, out, _ = self.run_report(*paths, "--noise", "1", "--filter", "settle", "--fail-on-slower")
        self.assertNotIn("only in", out)  # a filter holds for these too
        self.assertEqual((status, self.line(out, "settle/f32/ports:64")[-1]), (1, "slower"))
        status, _, err = self.run_report(*paths, "--filter", "two_threads")
        self.assertEqual(status, 2)
        self.assertIn("share no row", err)

    def test_runs_made_differently_are_refused(self):
        for key, other in (("cpu", "Other CPU"), ("compiler", "clang 14.0.6"), ("build_type", "Debug"),
                           ("flags", "-O2"), ("simd_target", "AVX2")):
            new = sample()
            new["context"][key] = other
            paths = self.write(sample(), "old.json"), self.write(new, "new.json")
            status, out, err = self.run_report(*paths)
            self.assertEqual((status, out), (2, ""), key)
            self.assertIn(f"{key}: {CONTEXT[key]} -> {other}", err)
            self.assertIn("--force", err)
            status, out, err = self.run_report(*paths, "--force")
            self.assertEqual((status, err), (0, ""), key)
            self.assertIn(f"{key}: {CONTEXT[key]} -> {other}", out)

    def test_what_is_no_run_is_refused(self):
        self.refused("", "is empty")
        self.refused("Benchmark  Time  CPU\n", "no whole JSON, at line 1")
        self.refused(json.dumps(sample())[:400], "no whole JSON")
        self.refused([1, 2], "no Google Benchmark file")
        self.refused({"context": {}}, "no Google Benchmark file")
        foreign = sample()
        del foreign["context"]["fma_peak_f32_flop_per_s"]
        self.refused(foreign, "another benchmark program", "fma_peak_f32_flop_per_s")
        for bad in ("nan", "-1", "fast"):
            wrong = sample()
            wrong["context"]["l2_read_byte_per_s"] = bad
            self.refused(wrong, f"l2_read_byte_per_s = '{bad}'")
        nothing = sample()
        nothing["benchmarks"] = []
        self.refused(nothing, "no row")
        for bad in ({"cpu_time": -1}, {"cpu_time": "soon"}, {"cpu_time": None}, {"time_unit": "h"}):
            wrong = copy.deepcopy(sample())
            wrong["benchmarks"][0].update(bad)
            self.refused(wrong, "forward/f32/ports:8/words:1 has cpu_time")
        wrong = sample()
        wrong["benchmarks"].append(3)
        self.refused(wrong, "has no name")
        only_mean = sample()
        only_mean["benchmarks"] = [{**row("a", [1, 2])[-1], "aggregate_name": "mean"}]
        self.refused(only_mean, "aggregates: mean", "--benchmark_repetitions")
        status, _, err = self.run_report(str(self.folder / "missing.json"))
        self.assertEqual(status, 2)
        self.assertIn("No such file", err)
        (self.folder / "bytes.json").write_bytes(b"\xff\xfe\x00")
        status, _, err = self.run_report(str(self.folder / "bytes.json"))
        self.assertEqual(status, 2)
        self.assertIn("no text", err)

    def test_figure(self):
        path = self.write(sample())
        for ending in ("png", "pdf"):
            figure = self.folder / f"deep/roofline.{ending}"
            status, out, err = self.run_report(path, "--figure", str(figure))
            self.assertEqual((status, err), (0, ""))
            self.assertIn(str(figure), out)
            self.assertGreater(figure.stat().st_size, 5000)
        image = matplotlib.image.imread(self.folder / "deep/roofline.png")
        self.assertGreater(image.shape[1], 1200)
        for words, text in ((("--family", "settle"), "it can draw forward"),
                            (("--figure", str(self.folder / "x.nothing")), "End it in .png or .pdf")):
            status, _, err = self.run_report(path, "--figure", str(self.folder / "x.png"), *words)
            self.assertEqual(status, 2)
            self.assertIn(text, err)
        one = sample()
        one["benchmarks"] = forward("forward/f64/ports:8/words:1", [1.0])
        status, _, err = self.run_report(self.write(one), "--figure", str(self.folder / "one.png"))
        self.assertEqual((status, err), (0, ""))

    def test_help_teaches(self):
        result = subprocess.run([SCRIPT, "--help"], capture_output=True, text=True, check=True)
        for text in ("--benchmark_repetitions=5", "bench/report old.json", "--figure", "--fail-on-slower"):
            self.assertIn(text, result.stdout)

    def test_a_real_run(self):
        path = self.folder / "real.json"
        ran = subprocess.run([PROGRAM, "--benchmark_min_time=0.001",
                              "--benchmark_filter=ports:8(/words:(1|64))?(/real_time)?$",
                              f"--benchmark_out={path}", "--benchmark_out_format=json"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("before and after", ran.stderr)
        self.assertNotRegex(ran.stdout, r"(%peak|x_twin)=[^ ]*/s", "a share is printed as a rate")
        status, out, err = self.run_report(str(path), "--figure", str(self.folder / "real.png"))
        self.assertEqual((status, err), (0, ""))
        self.assertIn("after the run", out)
        for name in ("forward/f32/ports:8/words:64", "backward/f32/ports:8/words:64",
                     "forward_direct/f64/ports:8/words:1", "settle/f32/ports:8", "decompose_clements/ports:8",
                     "monte_carlo_chip_corrected/f32/ports:8", "eigen_twin/f64/ports:8/words:64"):
            self.assertGreater(len(self.line(out, name)), 3)
        status, out, err = self.run_report(str(path), str(path))
        self.assertEqual((status, err), (0, ""))
        self.assertIn("0 faster, 0 slower", out)

    def test_program_refuses(self):
        ran = subprocess.run([PROGRAM, "--simd=NOTHING"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("Name one of these", ran.stderr)
        ran = subprocess.run([PROGRAM, "--bogus"], capture_output=True, text=True)
        self.assertNotEqual(ran.returncode, 0)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} BENCH_PROGRAM [unittest's arguments]")
    PROGRAM = sys.argv.pop(1)
    unittest.main()
