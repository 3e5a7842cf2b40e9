"""Group house: how much code there is, what a change of it takes, and what it makes of hostile input."""

import json
import re
import subprocess
from pathlib import Path

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


BEFORE = "1212bdff"
"""The revision against which less code is counted."""
NO_CODE = "Markdown,SVG,Jupyter Notebook"


@shared
def code_lines(bench, revision, *folders):
    """Lines of code in folders of a revision, by cloc; all languages but pages and pictures."""
    folder = bench.folder / f"lines-{revision}"
    if not folder.exists():
        bench.run("git", "clone", "--quiet", "--no-checkout", ROOT, folder)
        bench.run("git", "checkout", "--quiet", revision, cwd=folder)
    told, *_ = bench.run("cloc", "--vcs=git", "--json", f"--exclude-lang={NO_CODE}", *(folders or (".",)), cwd=folder)
    return json.loads(told)["SUM"]["code"]


def fewer_lines(bench):
    return code_lines(bench, BEFORE) - code_lines(bench, "HEAD")


def tests_over_sources(bench):
    return code_lines(bench, "HEAD", "tests") / code_lines(bench, "HEAD", "physics", "onn", "experiments", "python")


def arrows_up(bench):
    told, *_ = bench.run("tests/check_includes.py", accept=(0, 1))
    return int(re.search(r"(\d+) places that break the plan", told)[1])


@shared
def configured(bench, preset, *options):
    """A build folder of a preset."""
    folder = bench.folder / preset
    bench.run("cmake", "--preset", preset, "-B", folder, *options)
    return folder


def physics_steps(bench):
    """Files to compile before test_physics runs, in a build of physics and onn alone, eight at a time."""
    told, *_ = bench.run("ninja", "-t", "commands", "test_physics", cwd=configured(bench, "ci", "-DOPTINC_EXPERIMENTS=OFF", "-DOPTINC_GPU=OFF"))
    return len(re.findall(r" -c \S+$", told, re.MULTILINE))


def seconds_after(bench, touched, room):
    """Seconds from a change of a file to a room whose tests pass, everything compiled before."""
    target = f"test_{room}"
    folder = configured(bench, "loop")
    build = ("cmake", "--build", folder, "--target", target)
    bench.run(*build)
    (ROOT / touched).touch()
    built = bench.run(*build)[1]
    return built + bench.run(folder / "bin" / target, "~MC:*")[1]


HOSTILE = f"tests/faults/hostile_values {OPTINC}"
CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    ("test-seconds", "<= 1500", "s for the README's test command in an empty clone, without a compiler cache", test_seconds,
     "git clone . /tmp/optinc && cd /tmp/optinc && tests/run"),
    ("lines-fewer", ">= 11000", f"lines of code fewer than at {BEFORE}: cloc, without Markdown, SVG and notebooks", fewer_lines,
     f"cloc --vcs=git --exclude-lang='{NO_CODE}' ."),
    ("tests-over-sources", "<= 0.51", "lines of tests/ over those of physics, onn, experiments and python", tests_over_sources,
     f"cloc --vcs=git --exclude-lang='{NO_CODE}' tests"),
    ("arrows-up", "= 0", "includes against the order of rooms", arrows_up, "tests/check_includes.py"),
    ("physics-steps", "<= 35", "files to compile before test_physics runs, without experiments", physics_steps,
     "cmake --preset ci -DOPTINC_EXPERIMENTS=OFF && ninja -C build/ci -t commands test_physics"),
    *((f"loop-{Path(touched).stem.replace('_', '-')}", f"<= {limit}", f"s from touching {touched} to the tests of {room}, preset loop",
       (seconds_after, touched, room), f"touch {touched} && cmake --build build/loop --target test_{room} && build/loop/bin/test_{room}")
      for touched, room, limit in (("physics/devices/coupler.cpp", "physics", 60), ("physics/devices/laser.hpp", "physics", 120),
                                   ("onn/hardware/unit_hardware.hpp", "onn", 120),
                                   ("experiments/study/study_config.hpp", "experiments", 180))),
    ("hostile-values", ">= 5000", "hostile values given to a key", (at, hostile, "values"), HOSTILE),
    ("hostile-findings", "= 0", "of these, those that crash, hang, are refused in several lines or silently store a NaN",
     (at, hostile, "findings"), HOSTILE),
    ("damaged-files", "= 0", "tests of damaged files that fail: cut short, flipped bits, all readers", damage,
     f"/usr/bin/python3 tests/faults/damage_test.py {OPTINC}"),
)
