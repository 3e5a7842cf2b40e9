"""Group python: the package in Python beside the engine, plain PyTorch and the network's own all-reduce."""

import json
import os
import re
import time

from .claim import ROOT, Claim

GROUP = "python"
RATES = "PYTHONPATH=build/ci/python bench/python_rates.py"
BENCH_ROW = "forward_from_parameters/f32/ports:64/words:1024"


# -- the runs that several claims share

def module(bench):
    """The package of preset ci, with the Python whose PyTorch it works with."""
    def make():
        env = ROOT / "build/python-env"
        bench.run("python3", "-m", "venv", env)
        bench.run(env / "bin/pip", "install", "--quiet", "nanobind>=3,<4", "numpy", "h5py", "xarray")
        bench.run("cmake", "--preset", "ci", "-DOPTINC_PYTHON_MODULE=ON", f"-DPython_EXECUTABLE={env}/bin/python")
        bench.run("cmake", "--build", "--preset", "ci", "--target", "optinc_core", "optinc_stub", "bench_optinc")
        os.environ["PYTHONPATH"] = str(ROOT / "build/ci/python")
        return "/usr/bin/python3"
    return bench.once("module", make)


def rates(bench):
    """Microseconds of calls, by name (bench/python_rates.py)."""
    return bench.once("rates", lambda: json.loads(bench.run(module(bench), "bench/python_rates.py")[0]))


def engine_us(bench):
    """What the same chip and the same fields take in C++, in microseconds, in a run right after that of Python."""
    def make():
        rates(bench)
        out = bench.folder / "engine.json"
        bench.run(ROOT / "build/ci/bin/bench_optinc", f"--benchmark_filter=^{BENCH_ROW}", f"--benchmark_out={out}",
                  "--benchmark_out_format=json", "--benchmark_repetitions=5")
        rows = json.loads(out.read_text())["benchmarks"]
        return min(row["cpu_time"] * {"ns": 1e-3, "us": 1, "ms": 1e3}[row["time_unit"]]
                   for row in rows if row.get("run_type") == "iteration")
    return bench.once("engine", make)


def installed(bench):
    """Seconds from nothing to the first mesh: a new virtual environment, pip, compilation, import, one mesh."""
    def make():
        begin = time.monotonic()
        env = bench.folder / "env"
        bench.run("python3", "-m", "venv", env)
        bench.run(env / "bin/pip", "install", "--quiet", "./python")
        bench.run(env / "bin/python", "-I", "-c",
                  "import optinc; optinc.Mesh.from_unitary(optinc.haar_unitary(16)).fabricate('good-lab').matrix()", cwd="/")
        return time.monotonic() - begin
    return bench.once("installed", make)


def failures(bench, *command):
    """Tests of a unittest run that failed."""
    told = bench.run(*command, accept=(0, 1))
    return 0 if told[2] == 0 else 1


def all_reduce(bench):
    """(seconds of the hook for 25.6 million gradients on four processes, seconds of gloo's all-reduce)."""
    def make():
        told = bench.run(module(bench), "bench/all_reduce.py")[0]
        found = re.search(r"hook (\S+) s, all-reduce (\S+) s", told)
        return float(found[1]), float(found[2])
    return bench.once("all-reduce", make)


CLAIMS = [Claim(GROUP, *claim) for claim in (
    # name, target, unit, measurement, command
    ("call-overhead", "<= 2", "us: two ports, one word, through a mesh that is set up", lambda bench: rates(bench)["call_us"], RATES),
    ("chip-call", "<= 1.1", "times the C++ row of the same run: chip(x) on (1024, 64) complex64, errors and phases set anew",
     lambda bench: rates(bench)["chip_1024_us"] / engine_us(bench), RATES),
    ("million-gradients", "< 2", "s: 1e6 gradients of four servers through 9,984 MZIs with all noise",
     lambda bench: rates(bench)["million_gradients_us"] / 1e6, RATES),
    ("layer-over-torch", ">= 10", "times as fast as a mesh in plain PyTorch: forward and backward, 64 ports, 64 words",
     lambda bench: rates(bench)["plain_torch_us"] / rates(bench)["layer_us"], RATES),
    ("command-line-bits", "= 0", "failed tests: same bits as the command line for meshes, words, outputs and codes",
     lambda bench: failures(bench, ROOT / "build/python-env/bin/python", "-m", "unittest", "tests/python/command_line_test.py")
     if module(bench) else None, "ctest --preset ci -R python"),
    ("layers-and-all-reduce", "= 0", "failed tests: gradients against differences, parameters equal on four ranks after 50 steps",
     lambda bench: failures(bench, module(bench), "tests/python/torch/layers_test.py"), "ctest --preset ci -R PyTorch"),
    ("all-reduce-hook", "< 200", "s a step: 25.6e6 gradients on four processes through 9,984 MZIs, all noise",
     lambda bench: all_reduce(bench)[0], "PYTHONPATH=build/ci/python bench/all_reduce.py"),
    ("all-reduce-gloo", "> 0", "s: gloo's own all-reduce of the same gradients, for comparison",
     lambda bench: all_reduce(bench)[1], "PYTHONPATH=build/ci/python bench/all_reduce.py"),
    ("pip-install", "<= 900", "s from an empty virtual environment to the first mesh, compilation included", installed,
     "pip install ./python"),
)]
