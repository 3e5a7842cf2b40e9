"""Group python: the package in Python beside the engine, plain PyTorch and the network's own all-reduce."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from .claim import ROOT, at, claims_of, progress, shared

GROUP = "python"
RATES = "PYTHONPATH=build/ci/python bench/python_rates.py"
BENCH_ROW = "forward_from_parameters/f32/ports:64/words:1024"


# -- the runs that several claims share

@shared
def module(bench):
    """The package of preset ci, with the Python whose PyTorch it works with."""
    env = ROOT / "build/python-env"
    bench.run("python3", "-m", "venv", env)
    bench.run(env / "bin/pip", "install", "--quiet", "nanobind>=3,<4", "numpy", "h5py", "xarray")
    bench.run("cmake", "--preset", "ci", "-DOPTINC_PYTHON_MODULE=ON", f"-DPython_EXECUTABLE={env}/bin/python")
    bench.run("cmake", "--build", "--preset", "ci", "--target", "optinc", "optinc_core", "optinc_stub",
              "bench_optinc")
    os.environ["PYTHONPATH"] = str(ROOT / "build/ci/python")
    os.environ["OPTINC_TOOL"] = str(ROOT / "build/ci/bin/optinc")
    return "/usr/bin/python3"


@shared
def rates(bench):
    """Microseconds of calls, by name (bench/python_rates.py)."""
    return json.loads(bench.run(module(bench), "bench/python_rates.py")[0])


@shared
def jax_rates(bench):
    """Microseconds of a mesh in JAX, by name (bench/jax_rates.py), in an environment of its own, with whose headers the module is
    compiled again."""
    module(bench)
    env = ROOT / "build/jax-env"
    bench.run("python3", "-m", "venv", env)
    bench.run(env / "bin/pip", "install", "--quiet", "jax", "sax", "numpy")
    headers = bench.run(env / "bin/python", "-c", "import jax; print(jax.ffi.include_dir())")[0].strip()
    bench.run("cmake", "--preset", "ci", f"-DOPTINC_XLA_INCLUDE={headers}")
    bench.run("cmake", "--build", "--preset", "ci", "--target", "optinc_core")
    return env / "bin/python", json.loads(bench.run(env / "bin/python", "bench/jax_rates.py")[0])


@shared
def torch_2(bench):
    """A Python with the newest PyTorch, in an environment of its own (5 GB)."""
    module(bench)
    env = ROOT / "build/torch-env"
    bench.run("python3", "-m", "venv", env)
    bench.run(env / "bin/pip", "install", "--quiet", "torch", "numpy", "lightning", "transformers", "accelerate")
    return env / "bin/python"


@shared
def engine_us(bench):
    """What the same chip and the same fields take in C++, in microseconds, in a run right after that of Python."""
    rates(bench)
    out = bench.folder / "engine.json"
    bench.run(ROOT / "build/ci/bin/bench_optinc", f"--benchmark_filter=^{BENCH_ROW}", f"--benchmark_out={out}",
              "--benchmark_out_format=json", "--benchmark_repetitions=5")
    rows = json.loads(out.read_text())["benchmarks"]
    return min(row["cpu_time"] * {"ns": 1e-3, "us": 1, "ms": 1e3}[row["time_unit"]]
               for row in rows if row.get("run_type") == "iteration")


@shared
def wheels(bench):
    """Wheels as a release has them and the Python of each, by its version: Debian's, and the newest here for 3.12 and later."""
    names = [*map("python3.{}".format, (14, 13, 12)), *sorted(Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python3"), reverse=True)]
    newest = next((found for found in map(shutil.which, names)  # a shim of pyenv may be found and run nothing
                   if found and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0), None)
    programs = ["/usr/bin/python3", *([newest] if newest else [])]
    bench.run("experiments/scripts/package", "--wheel-only", "--no-install", *(word for p in programs for word in ("--python", p)))
    made = {re.search("-cp(3[0-9]+)-", file.name)[1]: file for file in (ROOT / "build/packages").glob("*.whl")}
    return {version: (file, programs[-1] if version == "312" else programs[0]) for version, file in made.items()}


@shared
def installed(bench, way):
    """Seconds from nothing to the version, the first mesh and the first study, after a virtual environment and pip."""
    package, python = max(wheels(bench).items())[1] if way == "wheel" else ("./python", "python3")
    env, begin, reached = bench.folder / f"env-{way}", time.monotonic(), {}
    bench.run(python, "-m", "venv", env)
    bench.run(env / "bin/pip", "install", "--quiet", "--no-cache-dir", f"{package}[results]")
    for name, command in (
            ("version", [env / "bin/optinc", "--version"]),
            ("mesh", [env / "bin/python", "-I", "-c",
                      "import optinc; optinc.Mesh.from_unitary(optinc.haar_unitary(16)).fabricate('good-lab').matrix()"]),
            ("study", [env / "bin/optinc", "run", "mesh_scaling", "--trials=3", "--sweep=mesh.ports=[8]", "--quiet", "-o", bench.folder / f"{way}.h5"])):
        bench.run(*command, cwd="/")
        reached[name] = time.monotonic() - begin
    return reached


def bundled(bench):
    """Most libraries in a wheel."""
    def libraries(file):
        with zipfile.ZipFile(file) as opened:
            return sum(name.startswith("optinc.libs/") and not name.endswith("/") for name in opened.namelist())
    return max(libraries(file) for file, _ in wheels(bench).values())


def test_here(bench):
    """Failures of the wheels' test, each beside its Python."""
    return sum(bench.run(python, "tests/wheel_test.py", file, accept=(0, 1))[2] for file, python in wheels(bench).values())


def on_debian(bench, release, version):
    """failures() of a wheel's test on a release of Debian, which debootstrap lays into a folder."""
    root, (file, _) = bench.folder / release, wheels(bench)[version]
    bench.run("debootstrap", "--variant=minbase", "--include=binutils,ca-certificates,python3-venv,python3-h5py,python3-h5netcdf,"
              "python3-xarray,python3-scipy,python3-matplotlib,python3-torch", release, root)
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / "etc/ssl/certs")  # a proxy's, too, that this machine trusts
    (root / "optinc").mkdir()
    for copied in (file, ROOT / "tests/wheel_test.py"):
        shutil.copy(copied, root / "optinc")
    return failures(bench, "unshare", "--mount", "--fork", "--pid", f"--mount-proc={root}/proc", "chroot", root, "python3",
                    "/optinc/wheel_test.py", f"/optinc/{file.name}")


def call_ratio(bench, over, under):
    """One time of rates() over another."""
    return rates(bench)[over] / rates(bench)[under]


def million_s(bench, arithmetic):
    """Seconds of a million gradients."""
    return rates(bench)[f"million_gradients_{arithmetic}_us"] / 1e6


def jax_ratio(bench, ours):
    """A mesh in plain JAX over ours."""
    return jax_rates(bench)[1]["plain_jax_us"] / jax_rates(bench)[1][ours]


def failures_of(bench, interpreter, *command):
    """failures() of a test that a Python of this group runs."""
    return failures(bench, interpreter(bench), *command)


def jax_over_numpy(bench):
    """4,096 words through 64 ports in JAX over the call from NumPy."""
    return jax_rates(bench)[1]["many_words_us"] / jax_rates(bench)[1]["many_words_numpy_us"]


def jax_growth(bench):
    """MB that 10,000 calls in JAX leave."""
    return jax_rates(bench)[1]["growth_mb"]


def jax_python(bench):
    """The Python that has JAX and sax."""
    return jax_rates(bench)[0]


def env_python(bench):
    """The Python of the virtual environment that module() makes."""
    module(bench)
    return ROOT / "build/python-env/bin/python"


def failures(bench, *command):
    """1 if a test of a unittest run failed or was skipped, 0 if all passed."""
    told, _, code = bench.run("sh", "-c", '"$0" "$@" 2>&1', *command, accept=(0, 1))
    progress(told)
    return int(code != 0 or "skipped" in told)


@shared
def all_reduce(bench):
    """Seconds of a step of DDP: 25.6 million gradients on four processes."""
    told = bench.run(module(bench), "bench/all_reduce.py")[0]
    progress(told.strip())
    return float(re.search(r"hook (\S+) s", told)[1])


@shared
def overlapped(bench):
    """Seconds of a step beside seconds of backward pass elsewhere: by gloo, by the hook, by the hook with overlap."""
    told = bench.run(module(bench), "bench/all_reduce.py", "1000000", "--backward", "4")[0]
    progress(told.strip())
    return [float(part) for part in re.search(r"all-reduce (\S+) s, by table (\S+) s, overlapping (\S+) s$", told.strip()).groups()]


def over_gloo(bench, way):
    """Seconds of a way of overlapped() over gloo's."""
    return overlapped(bench)[way] / overlapped(bench)[0]


@shared
def conversion(bench):
    """What happens to the accuracy of networks that are converted (bench/conversion.py)."""
    return json.loads(bench.run(module(bench), "bench/conversion.py")[0])


def undocumented(bench):
    """Public names of the package without docstring or example."""
    module(bench)
    sys.path.insert(0, str(ROOT / "docs/site"))
    import python_reference  # noqa: PLC0415
    return len(python_reference.undocumented(ROOT / "build/ci/python/optinc"))


CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    ("call-overhead", "<= 2", "us for one word through a two-port mesh that is set up", (at, rates, "call_us"), RATES),
    ("chip-call", "<= 1.1", "times the C++ row of the same run: chip(x) on (1024, 64) complex64, errors and phases set anew",
     lambda bench: rates(bench)["chip_1024_us"] / engine_us(bench), RATES),
    ("million-gradients", "< 2", "s: 1e6 gradients of four servers through 9,984 MZIs with all noise, arithmetic float32",
     (million_s, "float32"), RATES),
    ("million-gradients-float64", "", "s: the same in float64",
     (million_s, "float64"), RATES),
    ("table-gradients", ">= 10", "million gradients per second by its response table, all noise except phase locks",
     lambda bench: 1e6 / rates(bench)["million_gradients_by_table_us"], RATES),
    ("layer-over-torch", ">= 10", "times as fast as a mesh in plain PyTorch: forward and backward, 64 ports, 64 words",
     (call_ratio, "plain_torch_us", "layer_us"), RATES),
    ("mesh-over-jax", ">= 10", "times as fast as a mesh in plain, jitted JAX: the engine called from Python, forward and backward, 64 ports, 64 words",
     (jax_ratio, "settled_us"), "bench/jax_rates.py"),
    ("called-from-jax", ">= 5", "times as fast as a mesh in plain, jitted JAX: the engine called from JAX, the same",
     (jax_ratio, "jax_us"), "bench/jax_rates.py"),
    ("jax-many-words", "<= 1.2", "times the call from NumPy: 4,096 words through 64 ports, jitted, forward, one thread",
     jax_over_numpy, "bench/jax_rates.py"),
    ("jax-growth", "< 1", "MB that 10,000 calls without jit leave", jax_growth, "bench/jax_rates.py"),
    ("jax-and-sax", "= 0", "failed tests: forward and reverse mode against differences, batches, a mesh in a circuit",
     (failures_of, jax_python, "tests/python/jax/jax_test.py"), "ctest --preset ci -R JAX"),
    ("command-line-bits", "= 0", "failed tests: same bits as the command line for meshes, words, outputs and codes",
     (failures_of, env_python, "-m", "unittest", "tests/python/command_line_test.py"), "ctest --preset ci -R python"),
    ("layers-and-all-reduce", "= 0", "failed tests: gradients against differences, parameters equal on four ranks after 50 steps",
     (failures_of, module, "tests/python/torch/layers_test.py"), "ctest --preset ci -R PyTorch"),
    ("torch-2", "= 0", "failed tests with PyTorch 2 of PyPI: the same, layers compiled, conversion, FSDP2, Lightning, Trainer",
     lambda bench: sum(failures(bench, torch_2(bench), f"tests/python/torch/{file}_test.py") for file in ("layers", "conversion", "torch2", "frameworks")),
     "PYTHONPATH=build/ci/python build/torch-env/bin/python tests/python/torch/torch2_test.py"),
    ("all-reduce-hook", "< 120", "s per step: 25.6e6 gradients on four processes through 9,984 MZIs, all noise",
     all_reduce, "PYTHONPATH=build/ci/python bench/all_reduce.py"),
    ("all-reduce-overhead", "<= 1.5", "times as long as one process takes for as many gradients on as many cores",
     lambda bench: all_reduce(bench) / 25.6 / (rates(bench)["million_gradients_float64_us"] / 1e6),
     "PYTHONPATH=build/ci/python bench/all_reduce.py"),
    ("overlap-step", "<= 1.2", "times gloo's step of 1e6 gradients beside 4 s of backward pass elsewhere: response table, overlap",
     (over_gloo, 2), "PYTHONPATH=build/ci/python bench/all_reduce.py 1000000 --backward 4"),
    ("no-overlap-step", "", "times gloo's step: the same without overlap", (over_gloo, 1),
     "PYTHONPATH=build/ci/python bench/all_reduce.py 1000000 --backward 4"),
    *((f"{network}-{short}", target, f"{unit}: Fashion-MNIST, {network}, 3 epochs", (at, conversion, network, key),
       f"PYTHONPATH=build/ci/python bench/conversion.py {network}")
      for network in ("perceptron", "convolutional", "transformer")
      for short, key, target, unit in (
          ("before", "before", "", "accuracy before conversion"),
          ("exact", "answered_otherwise", "= 0", "of 10,000 images answered otherwise after exact conversion, perfect meshes"),
          ("sigma-u", "sigma_u", "", "accuracy as Sigma U, before any training"),
          ("fine-tuned", "fine_tuned", "", "accuracy as Sigma U, fine-tuned for as many epochs"))),
    ("undocumented", "= 0", "public names, members and examples that are missing", undocumented,
     "PYTHONPATH=build/ci/python python3 tests/python/reference_test.py"),
    *((f"{way}-to-{goal}", target, f"s from an empty folder to {what}, in 3 commands, packages from PyPI{more}",
       (at, (installed, way), goal), f"python3 -m venv .venv && .venv/bin/pip install '{package}[results]'")
      for way, package, more in (("wheel", "build/packages/optinc-....whl", ""), ("source", "./python", ", including compilation"))
      for goal, what, target in (("version", "optinc --version", ""), ("mesh", "the first mesh", "<= 900" if way == "source" else ""),
                                 ("study", "the first study", ""))),
    ("wheel-libraries", "<= 12", "libraries in each wheel, which also holds the tool", bundled, "experiments/scripts/package --wheel-only"),
    ("wheel-here", "= 0", "wheels whose test fails: libraries, none for the network; tool and module, packages from PyPI",
     test_here, "tests/wheel_test.py build/packages/optinc-....whl"),
    *((f"wheel-debian-{number}", "= 0", f"failed tests of the wheel on Debian {number} (debootstrap, as root), beside its PyTorch",
       (on_debian, release, version), f"tests/wheel_test.py optinc-...-cp{version}-....whl")
      for number, release, version in ((12, "bookworm", "311"), (13, "trixie", "312"))),
)
