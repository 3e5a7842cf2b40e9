"""Group house: what it takes to test the code, and what it makes of hostile input."""

import re
import subprocess

from .claim import OPTINC, ROOT, at, claims_of, shared

GROUP = "house"


def test_seconds(bench):
    """Seconds of the README's test command in an empty clone."""
    folder = bench.folder / "clone-HEAD"
    bench.run("git", "clone", "--quiet", "--no-checkout", ROOT, folder)
    bench.run("git", "checkout", "--quiet", "HEAD", cwd=folder)
    return bench.run("env", "CCACHE_DISABLE=1", "tests/run", "--no-install", cwd=folder)[1]


@shared
def hostile(bench):
    bench.optinc("list")  # compiles it
    return bench.told("tests/faults/hostile_values", OPTINC, "--json")


def damage(bench):
    """Tests of damaged files that fail."""
    bench.optinc("list")  # compiles it
    done = subprocess.run(["/usr/bin/python3", ROOT / "tests/faults/damage_test.py", ROOT / OPTINC], capture_output=True, text=True)
    if not re.search(r"^Ran \d+ tests", done.stderr, re.MULTILINE):
        raise RuntimeError(done.stderr[-2000:])
    return len(re.findall(r"^(FAIL|ERROR):", done.stderr, re.MULTILINE))


HOSTILE = f"tests/faults/hostile_values {OPTINC}"
CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    ("test-seconds", "<= 1500", "s for the README's test command in an empty clone, without a compiler cache", test_seconds,
     "git clone . /tmp/optinc && cd /tmp/optinc && tests/run"),
    ("hostile-values", ">= 5000", "hostile values given to a key", (at, hostile, "values"), HOSTILE),
    ("hostile-findings", "= 0", "of these, those that crash, hang, are refused in several lines or silently store a NaN",
     (at, hostile, "findings"), HOSTILE),
    ("damaged-files", "= 0", "tests of damaged files that fail: cut short, flipped bits, all readers", damage,
     f"/usr/bin/python3 tests/faults/damage_test.py {OPTINC}"),
)
