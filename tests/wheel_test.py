"""A wheel holds module and tool, runs without this tree, and brings few libraries, none of them for the network.

Usage: wheel_test.py WHEEL [unittest's arguments], wheel_test.py BUILD PYTHON. Installs the wheel into a new virtual environment
beside the packages of the Python that runs this; what these lack comes from PyPI. BUILD is a compiled build, whose wheel
PYTHON makes first, with scikit-build-core and CMake, without compiling and without PyPI; which libraries it needs is up to
the system, and not tested. Needs readelf (binutils).
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Threads of GCC; formatting; SIMD; operating points; studies; netlists; traces; compressed HDF5 (libsz is an interface of libaec)
BUNDLED = {"libgomp", "libfmt", "libhwy", "libnlopt", "libtomlplusplus", "libyaml-cpp", "libprotobuf-lite", "libsz", "libaec"}
# What every Linux has (PEP 600); the wheel's tag says which versions
GIVEN = {"libc", "libm", "libpthread", "libdl", "libgcc_s", "libstdc++", "libz", "ld-linux-x86-64", "ld-linux-aarch64"}
DEBIAN_12 = 36  # minor version of its glibc

FIRST_MESH = "import optinc; m = optinc.Mesh.from_unitary(optinc.haar_unitary(16)); print(optinc.__version__, optinc.fidelity(m.matrix(), m.matrix()))"
FIRST_STUDY = """import optinc
found = optinc.run("mesh_scaling", trials=3, sweep={"mesh.ports": [8]}, settings={"measure.metrics": ["fidelity"]}, progress=False)
print(dict(found.sizes)["trial"])"""
# Two OpenMP libraries in one process, each with its threads, in turn
BESIDE_TORCH = """import sys
for name in sys.argv[1:]: __import__(name)
import numpy as np, optinc, torch
torch.set_num_threads(2); optinc.set_threads(2)
chip = optinc.Mesh.from_unitary(optinc.haar_unitary(64, seed=1)).fabricate("good-lab", seed=1)
x = np.eye(64, dtype=np.complex64)
alone = chip(x)
square = torch.arange(640000, dtype=torch.float64).reshape(800, 800) / 640000
product = square @ square
for _ in range(5):
    assert (chip(x) == alone).all() and torch.equal(square @ square, product)
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libgomp" in line}
print(any("optinc.libs" in name for name in loaded), np.abs(chip.matrix() - alone.T).max() < 1e-4)"""


def base(name):
    """libfmt of libfmt-1234abcd.so.9.1.0 and of libfmt.so.9; NLopt has two libraries, either of which will do."""
    return re.sub(r"(_cxx)?(-[0-9a-f]{8})?\.so.*", "", Path(name).name)


class Contents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if FILE.is_dir():
            raise unittest.SkipTest("a build, which is linked to the system's libraries")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        with zipfile.ZipFile(FILE) as wheel:
            wheel.extractall(cls.folder)

    # Fails when HDF5 is linked as Debian's shared library: libcurl and libcrypto come with it, and 20 more behind these.
    def test_libraries_that_it_brings(self):
        brought = sorted(map(base, (self.folder / "optinc.libs").iterdir()))
        self.assertEqual(brought, sorted(BUNDLED))
        self.assertLessEqual(len(brought), 12)

    # Fails when a library that comes along, or is compiled in, comes without its licence; libsz is of libaec.
    def test_licences_of_what_it_brings(self):
        licences = {path.stem for path in self.folder.glob("*.dist-info/licenses/**/*.txt")}
        self.assertGreaterEqual(licences, BUNDLED - {"libsz"} | {"libhdf5", "zlib", "eigen", "boost", "random123", "cli11", "nlohmann_json"})

    # Fails when a library is neither in the wheel nor on every Linux, or is one for the network, by whatever way.
    def test_libraries_that_it_needs(self):
        binaries = [path for path in self.folder.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
        self.assertGreaterEqual({base(path) for path in binaries}, BUNDLED | {"optinc"})
        for path in binaries:
            shown = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True).stdout
            self.assertLessEqual({base(name) for name in re.findall(r"\(NEEDED\).*\[(.*)\]", shown)}, BUNDLED | GIVEN, path)
            for entry in ":".join(re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", shown)).split(":"):
                self.assertRegex(entry, r"^(\$ORIGIN.*)?$", path)

    def test_runs_on_debian_12_and_any_later_python(self):
        python, abi, platforms = re.fullmatch(r"optinc-[^-]+-(cp3\d+)-([^-]+)-([^-]+)\.whl", FILE.name).groups()
        glibc = [int(minor) for minor in re.findall(r"manylinux_2_(\d+)_", platforms)]
        self.assertTrue(glibc and min(glibc) <= DEBIAN_12, platforms)
        self.assertEqual(abi, "abi3" if int(python[3:]) >= 12 else python)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        venv.create(cls.folder / "env", with_pip=True, system_site_packages=True)
        cls.bin = cls.folder / "env/bin"
        wanted = [f"{FILE}[results]"]
        if FILE.is_dir():
            subprocess.run([PYTHON, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", cls.folder,
                            *map("--config-settings={}".format, ("wheel.py-api=", f"build-dir={cls.folder}/build",
                                                                 f"cmake.define.OPTINC_BUILT={FILE}")), ROOT / "python"], check=True)
            wanted = ["--no-deps", "--no-index", *cls.folder.glob("*.whl")]
        subprocess.run([cls.bin / "pip", "install", "--quiet", *wanted], check=True)

    def told(self, program, *words):
        """What a program of the environment prints, which is not activated."""
        clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "OPTINC_TOOL")}
        done = subprocess.run([self.bin / program, *words], cwd=self.folder, capture_output=True, text=True,
                              env={**clean, "PATH": "/usr/bin:/bin"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_tool(self):
        version = self.told("python", "-c", FIRST_MESH).split()[0]
        self.assertIn(version, self.told("optinc", "--version"))
        # Fails when the data of the wheel are not those that the tool looks for
        self.assertRegex(self.told("optinc", "list", "studies"), rf"^studies of optinc run \({re.escape(str(self.folder))}.*/optinc/share/optinc/studies\)")
        self.told("optinc", "run", "mesh_scaling", "--trials=3", "--sweep=mesh.ports=[8]", "--quiet", "-o", "mesh.h5")
        self.told("optinc", "report", "mesh.h5")  # by the Python of this environment
        self.assertIn("<title>OptINC study: mesh_scaling</title>", (self.folder / "mesh.html").read_text())
        self.assertIn("mesh_error", self.told("optinc-results", "show", "mesh.h5"))

    def test_module(self):
        self.assertAlmostEqual(float(self.told("python", "-c", FIRST_MESH).split()[1]), 1)
        self.assertEqual(self.told("python", "-c", FIRST_STUDY).split(), ["3"])
        self.assertIn("shipped/published", self.told("python", "-c", "import optinc; print(optinc.shipped_networks())"))
        self.told("python", "-c", "import optinc; optinc.Unit.load('shipped/64x5'); optinc.budget(settings={'network.source': 'carry-chain'})")
        if FILE.is_file():  # fails when a wheel was compiled without XLA's headers
            self.told("python", "-c", "import optinc._core; optinc._core.xla_calls()")

    def test_beside_torch(self):
        if "True" not in self.told("python", "-c", "import importlib.util as u; print(u.find_spec('torch') is not None)"):
            self.skipTest("no PyTorch on this system")
        for order in (["torch", "optinc"], ["optinc", "torch"]):
            self.assertEqual(self.told("python", "-c", BESIDE_TORCH, *order).split(), [str(FILE.is_file()), "True"], order)


if __name__ == "__main__":
    FILE = Path(sys.argv.pop(1)).resolve()
    PYTHON = sys.argv.pop(1) if FILE.is_dir() else sys.executable
    unittest.main()
