"""Group house: how much code there is, what it takes to compile and test it, and what it makes of hostile input."""

import json
import os
import re
import subprocess

from .claim import OPTINC, ROOT, Claim, progress

GROUP = "house"
BEFORE = "633c870"  # before experiments had rooms; what compiling and lines are compared with
LINES = r"git ls-files experiments tests onn python | grep -E '\.(cpp|hpp|py)$' | xargs cat | wc -l"
COLD = {**os.environ, "CMAKE_C_COMPILER_LAUNCHER": "", "CMAKE_CXX_COMPILER_LAUNCHER": "", "CCACHE_DISABLE": "1"}


def lines(_):
    return int(subprocess.run(["bash", "-c", LINES], cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def clone(bench, revision):
    """A clean checkout of a revision of this repository."""
    def make():
        folder = bench.folder / f"clone-{revision}"
        bench.run("git", "clone", "--quiet", "--no-checkout", ROOT, folder)
        bench.run("git", "checkout", "--quiet", revision, cwd=folder)
        return folder
    return bench.once(f"clone {revision}", make)


def compile_ratio(bench):
    """Seconds that preset release takes to compile, over those of the revision before, in one run."""
    seconds = []
    for revision in (BEFORE, "HEAD"):
        folder = clone(bench, revision)
        subprocess.run(["cmake", "--preset", "release"], cwd=folder, env=COLD, check=True, stdout=subprocess.DEVNULL)
        seconds.append(bench.run("env", "CCACHE_DISABLE=1", "cmake", "--build", "--preset", "release", cwd=folder)[1])
        progress(f"   {revision}: {seconds[-1]:.0f} s")
    return seconds[1] / seconds[0]


def test_seconds(bench):
    """Seconds of the README's test command in an empty clone."""
    folder = clone(bench, "HEAD")
    return bench.run("env", "CCACHE_DISABLE=1", "tests/run", "--no-install", cwd=folder)[1]


def hostile(bench):
    def make():
        bench.optinc("list")  # compiles it
        return json.loads(bench.run("tests/faults/hostile_values", OPTINC, "--json", accept=(0, 1))[0])
    return bench.once("hostile", make)


def damage(bench):
    """Tests of damaged files that fail."""
    bench.optinc("list")  # compiles it
    done = subprocess.run(["/usr/bin/python3", ROOT / "tests/faults/damage_test.py", ROOT / OPTINC], capture_output=True, text=True)
    if not re.search(r"^Ran \d+ tests", done.stderr, re.MULTILINE):
        raise RuntimeError(done.stderr[-2000:])
    return len(re.findall(r"^(FAIL|ERROR):", done.stderr, re.MULTILINE))


HOSTILE = f"tests/faults/hostile_values {OPTINC}"
CLAIMS = [Claim(GROUP, *row) for row in (
    # name, target, unit, measurement, command
    ("lines", "<= 60775", f"lines of C++ and Python; 70,775 at {BEFORE}", lines, LINES),
    ("compile-ratio", "<= 0.67", f"of the time to compile preset release at {BEFORE}", compile_ratio,
     "time cmake --build --preset release"),
    ("test-seconds", "<= 1500", "s for the README's test command in an empty clone, without a compiler cache", test_seconds,
     "git clone . /tmp/optinc && cd /tmp/optinc && tests/run"),
    ("hostile-values", ">= 5000", "hostile values given to a key", lambda bench: hostile(bench)["values"], HOSTILE),
    ("hostile-findings", "= 0", "of these, those that crash, hang, are refused in several lines or silently store a NaN",
     lambda bench: hostile(bench)["findings"], HOSTILE),
    ("damaged-files", "= 0", "tests of damaged files that fail: cut short, flipped bits, all readers", damage,
     f"/usr/bin/python3 tests/faults/damage_test.py {OPTINC}"),
)]
