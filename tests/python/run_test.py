"""optinc.run: the numbers of optinc run, its progress, its sentences, and Ctrl-C.

Needs xarray, h5py, and the tool in the environment's OPTINC_TOOL; skipped without a tool. The compiled module is not
needed."""

import contextlib
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import numpy
import optinc

try:
    import h5py
    import xarray  # noqa: F401
except ModuleNotFoundError as missing:
    if __name__ != "__main__":
        raise
    print(f"skipped: {missing}")
    sys.exit(77)

TOOL = os.environ.get("OPTINC_TOOL")
STUDY = """
model = "mesh"
runner.trials = 3
chip.preset = "good-lab"
mesh.ports = 4
"""
LONG = STUDY.replace("ports = 4", "ports = 48").replace("trials = 3", "trials = 1000000")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@unittest.skipUnless(TOOL, "needs OPTINC_TOOL")
class Run(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.study = self.folder / "study.toml"
        self.study.write_text(STUDY)

    def run_study(self, into=None, **options):
        """optinc.run, and what it shows."""
        with contextlib.redirect_stderr(into or io.StringIO()) as shown:
            return optinc.run(self.study, **options), shown.getvalue()

    def script(self, text):
        """A program in place of the tool."""
        program = self.folder / "other"
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        return program

    def refused(self, error, sentence, **options):
        with self.assertRaises(error) as caught:
            self.run_study(**options)
        self.assertEqual(str(caught.exception), sentence)

    # Fails when an option does not reach the tool.
    def test_numbers(self):
        file = self.folder / "typed.h5"
        subprocess.run([TOOL, "run", self.study, "-o", file, "--quiet", "--trials=2", "--seed=3",
                        "--sweep=mesh.ports=[4,6]", "--set=chip.preset=doped-heaters",
                        '--set=measure.metrics=["mesh_error","fidelity"]'], check=True, capture_output=True)
        found, _ = self.run_study(
            trials=numpy.int64(2), seed=3, threads=1, sweep={"mesh.ports": numpy.array([4, 6])},
            settings={"chip.preset": "doped-heaters", "measure.metrics": ("mesh_error", "fidelity")})
        self.assertEqual(found.mesh_error.dims, ("ports", "trial", "variant"))
        with h5py.File(file) as typed:
            self.assertEqual(set(found.variables), set(typed["trials"]))
            for name in ("mesh_error", "fidelity", "completed", "ports"):
                numpy.testing.assert_array_equal(found[name], typed["trials"][name])
            self.assertEqual(found.attrs["schema_version"], typed.attrs["schema_version"])

    def test_output_is_kept(self):
        file = self.folder / "kept.h5"
        first, _ = self.run_study(output=file)
        exists = f"{file}: exists already (nothing is overwritten unasked). Choose another name or give --force."
        self.refused(ValueError, exists, output=file)
        second, _ = self.run_study(output=file, seed=2, force=True)
        self.assertTrue((first.mesh_error != second.mesh_error).all())
        with h5py.File(file) as kept:
            numpy.testing.assert_array_equal(second.mesh_error, kept["trials/mesh_error"])

    def test_progress(self):
        self.assertRegex(self.run_study()[1], r"(?m)^  trials 3/3  \d+\.\d s ")
        self.assertEqual(self.run_study(progress=False)[1], "")
        self.assertIn("\r", self.run_study(Terminal())[1])  # a line that is renewed
        self.assertIn("optinc: warning: ", self.run_study(progress=False, settings={"receiver.bandwidth_hz": 1e9})[1])

    def test_sentences(self):
        wrong = ('--set chip.preset="goodlab": chip.preset = "goodlab" is unknown (known: ideal, design-target, '
                 'good-lab, metal-heaters, doped-heaters, custom). Did you mean "good-lab"?')
        for shown in (io.StringIO(), Terminal()):
            self.refused(ValueError, wrong, settings={"chip.preset": "goodlab"}, into=shown)
            self.assertEqual(shown.getvalue(), "")  # said once
        shown = io.StringIO()
        warns = self.script("echo 'optinc: warning: odd\noptinc: no (why). Do.' >&2; exit 1")
        self.refused(ValueError, "no (why). Do.", tool=warns, into=shown)
        self.assertEqual(shown.getvalue(), "optinc: warning: odd\n")
        self.refused(ValueError, "invalid command line (Could not convert: --trials = many). Try optinc run --help.",
                     trials="many")
        self.study = "-no.toml"
        self.refused(ValueError, "-no.toml: no such file, and none of the shipped studies (optinc list studies). Check the path.")
        self.study = None
        self.refused(TypeError, "expected str, bytes or os.PathLike object, not NoneType")

    def test_tool(self):
        with mock.patch.dict(os.environ, {"OPTINC_TOOL": "/nonexistent/optinc"}):
            self.assertEqual(self.run_study(tool=TOOL)[0].sizes["trial"], 3)
            with self.assertRaisesRegex(FileNotFoundError, "^no program /nonexistent/optinc .* set OPTINC_TOOL to "):
                self.run_study()
        with mock.patch.dict(os.environ, {"PATH": str(Path(TOOL).parent)}):
            del os.environ["OPTINC_TOOL"]
            self.assertEqual(self.run_study()[0].sizes["trial"], 3)
        for does, status in (("kill -9 $$", -9), ("exit 1", 1)):
            other = self.script(does)
            with self.assertRaisesRegex(RuntimeError, rf"^{other} ended with status {status} "):
                self.run_study(tool=other)

    # Fails when the tool of the package is not the one that is run, or a package without one does not say why.
    def test_tool_of_the_package(self):
        with mock.patch.dict(os.environ, {"PATH": "/nonexistent"}), mock.patch("optinc.tool.__file__", str(self.folder / "tool.py")):
            del os.environ["OPTINC_TOOL"]
            with self.assertRaisesRegex(FileNotFoundError, "^no program optinc .* Compile it in a clone"):
                self.run_study()
            (self.folder / "without_tool.txt").write_text("Missing: libhdf5-dev.\n")
            with self.assertRaisesRegex(FileNotFoundError, r"^no program optinc .* Missing: libhdf5-dev\.$"):
                self.run_study()
            (self.folder / "bin").mkdir()
            (self.folder / "bin/optinc").symlink_to(TOOL)
            self.assertEqual(self.run_study()[0].sizes["trial"], 3)

    def test_part_of_the_trials(self):
        found, shown = self.run_study(trials=100000, settings={"run.time_limit_s": 0.5})
        self.assertLess(found.completed.sum(), 100000)
        self.assertRegex(shown, r"(?m)^optinc: \d+ trials are stored in ")

    def test_without_xarray(self):
        with mock.patch.dict(sys.modules, {"xarray": None}):
            for name in [name for name in sys.modules if name.startswith("optinc.results")]:
                del sys.modules[name]
            with self.assertRaisesRegex(ImportError, r"xarray.*Run pip install h5py xarray\.$"):
                self.run_study()

    # As a notebook interrupts a kernel, and as a terminal does. Fails when the tool is not told to end, or is killed.
    def test_interruption(self):
        self.study.write_text(LONG)
        for name, send in (("alone", os.kill), ("group", os.killpg)):
            with self.subTest(name):
                file = self.folder / f"{name}.h5"
                script = f"import optinc\noptinc.run({str(self.study)!r}, output={str(file)!r})"
                process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True,
                                           start_new_session=True)
                self.addCleanup(self.end, process)
                journal = file.with_name(file.name + ".journal")
                while process.poll() is None and not (journal.exists() and journal.stat().st_size > 10000):
                    time.sleep(0.01)
                send(process.pid, signal.SIGINT)
                _, said = process.communicate(timeout=60)
                self.assertIn("optinc resume ", said)
                self.assertTrue(said.endswith("KeyboardInterrupt\n"), said)
                done = self.completed(file)
                self.assertGreater(done, 0)
                subprocess.run([TOOL, "resume", file, "--time-limit=0.5", "--quiet"], check=True, capture_output=True)
                self.assertGreater(self.completed(file), done)

    def end(self, process):
        """Nothing is left running where the test failed."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def completed(self, file):
        with h5py.File(file) as results:
            self.assertEqual(results.attrs["complete"], 0)
            return results["trials/completed"][()].sum()


@unittest.skipIf("optinc._core" in sys.modules, "the compiled module is here")
class WithoutModule(unittest.TestCase):
    def test_compiled_names(self):
        for name in ("Mesh", "load_network"):
            with self.assertRaisesRegex(ImportError, rf"^optinc\.{name} needs the compiled .* pip install \./python "):
                getattr(optinc, name)
        with self.assertRaisesRegex(ImportError, "needs the compiled module"):
            from optinc import Unit  # noqa: F401
        self.assertFalse(hasattr(optinc, "nonsense"))


@unittest.skipUnless(TOOL and importlib.util.find_spec("pandas"), "needs OPTINC_TOOL and pandas")
class Tables(unittest.TestCase):
    def said(self, *words):
        done = subprocess.run([TOOL, *words, "--json", "--quiet"], check=True, capture_output=True)
        return json.loads(done.stdout)

    # Fails when rows, columns or what stands beside them are not those of the command line.
    def test_interconnects(self):
        ring = {"network": "switch", "collective": "ring", "servers": [4, 8]}
        found = optinc.interconnect({"scenario": [ring, {**ring, "name": "tree", "collective": "halving-doubling"}]})
        self.assertEqual(list(found.name), ["scenario 0", "scenario 0", "tree", "tree"])
        self.assertEqual(list(found.servers), [4, 8, 4, 8])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "list.toml"
            file.write_text('title = "two"\n[[scenario]]\nname = "ring"\nnetwork = "switch"\ncollective = "ring"\nservers = [4, 8]\n')
            wanted = self.said("interconnect", str(file))["scenarios"]
            found = optinc.interconnect(file)
        self.assertEqual([list(found.total_s), found.attrs["title"]], [[row["total_s"] for row in wanted], "two"])

    def test_clusters(self):
        found = optinc.cluster({"iteration": [{"workload": "vgg19", "data": [1, 4]}]})
        self.assertEqual(list(found.ranks), [1, 4])
        self.assertGreater(found.iteration_s[1], found.iteration_s[0])
        with self.assertRaisesRegex(ValueError, "no table jobs in the answer of optinc cluster .it has iterations"):
            optinc.cluster({"iteration": [{"workload": "vgg19"}]}, table="jobs")

    def test_budgets(self):
        settings = {"network.source": "carry-chain"}
        wanted, found = self.said("budget", '--set=network.source="carry-chain"'), optinc.budget(settings=settings)
        parts = found.groupby(["quantity", "part"]).value.sum()
        self.assertAlmostEqual(parts["delay", "converters"], wanted["delay"]["parts"]["converters"]["total"], places=20)
        self.assertAlmostEqual(parts["static_power"].sum(), wanted["static_power"]["total"], places=12)
        self.assertEqual(found.attrs["energy_per_bit_j"], wanted["energy_per_bit_j"])
        stages = optinc.budget(settings=settings, table="stages")
        self.assertEqual(list(stages.name), [stage["name"] for stage in wanted["stages"]])

    def test_operating_points(self):
        design = {"design": [{"name": "chain", "set": ["network.source=carry-chain", "time.symbol_rate_bd=1e9"]}]}
        found = optinc.operating_point(design, settings={"parts.set": "idealised"}, wrong=0.01, chips=2, words=500,
                                       bandwidths=[20e9])
        self.assertEqual((list(found.design), list(found.found), list(found.receiver_bandwidth)), (["chain"], [True], [20e9]))

    def test_what_the_tool_refuses(self):
        with self.assertRaisesRegex(ValueError, 'unknown key scenario.netork .*Did you mean "network"'):
            optinc.interconnect({"scenario": [{"netork": "switch"}]})


if __name__ == "__main__":
    unittest.main()
