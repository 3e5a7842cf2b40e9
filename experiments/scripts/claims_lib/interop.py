"""Group interop: layouts of gdsfactory, files of scikit-rf and circuits of sax beside ours."""

import json

from .answers import COUNTS, netlists
from .circuits import race
from .claim import ROOT, at, claims_of, shared
from .python import module

GROUP = "interop"
EXPORTS = "tests/python/gdsfactory_test.py --json"
MAKE = "tests/data/gdsfactory/make_exports.py"
BENCH = "PYTHONPATH=build/ci/python bench/interop.py "
VERSIONS = "gdsfactory==9.45.0", "sax==0.18.2"


@shared
def exports(bench):
    """Of the committed exports: how many have sax's ports, the worst difference, and on how many tool and package agree."""
    return json.loads(bench.run(module(bench), *EXPORTS.split())[0])


@shared
def exports_anew(bench):
    """The same of exports that gdsfactory writes now, in an environment of its own (1.3 GB)."""
    python = module(bench)
    env, folder = ROOT / "build/gdsfactory-env", bench.folder / "exports"
    bench.run("python3", "-m", "venv", env)
    bench.run(env / "bin/pip", "install", "--quiet", *VERSIONS)
    folder.mkdir()
    bench.run(env / "bin/python", MAKE, folder)
    return json.loads(bench.run(python, *EXPORTS.split(), folder)[0])


@shared
def rf(bench):
    """What scikit-rf makes of our files and we of its, in an environment of its own."""
    module(bench)
    env = ROOT / "build/rf-env"
    bench.run("python3", "-m", "venv", env)
    bench.run(env / "bin/pip", "install", "--quiet", "numpy", "scikit-rf")
    return json.loads(bench.run(env / "bin/python", "bench/interop.py", "rf")[0])


@shared
def memory(bench):
    """Most memory [MB] of a chain of 5,000 couplers at 1,001 wavelengths in Python."""
    return json.loads(bench.run(module(bench), "bench/interop.py", "memory")[0])["peak_mb"]


@shared
def monte_carlo(bench):
    """Circuits a second, and the worst difference from sax, in the environment of group circuits."""
    race(bench, 8)  # which makes it
    return json.loads(bench.run(ROOT / "build/jax-env/bin/python", "bench/interop.py", "monte-carlo")[0])


@shared
def layout(bench):
    """Layout-aware yield of an export beside that of the covariance, in standard errors, and the largest difference of their quantiles."""
    return json.loads(bench.run(module(bench), "bench/interop.py", "layout")[0])


CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    ("exports", "= 10", "unedited exports of gdsfactory 9 (mzi, rings, lattice, array, hierarchy, cells, 4x4 mesh) with the ports of sax",
     (at, exports, "ports"), EXPORTS),
    ("exports-difference", "< 1e-10", "largest difference from sax of a field of these, five wavelengths", (at, exports, "worst"), EXPORTS),
    ("exports-same", "= 10", "of these, equal bits on the command line and in Python", (at, exports, "same"), EXPORTS),
    ("exports-anew", "= 10", "the same exports, written by gdsfactory now, with the ports of sax", (at, exports_anew, "ports"), MAKE),
    ("exports-anew-difference", "< 1e-10", "largest difference of these from sax", (at, exports_anew, "worst"), MAKE),
    ("rf-round-trip", "< 1e-12", "largest change of blocks of 1, 2, 3 and 8 ports in RI, MA and DB, scikit-rf to us and back",
     (at, rf, "round_trip"), BENCH + "rf"),
    ("rf-version-2", "< 1e-12", "the same blocks in version 2, ours read by scikit-rf, and by us again", (at, rf, "version_2"), BENCH + "rf"),
    ("rf-group-delay", "<= 1e-4", "relative error of the group delay that scikit-rf sees of 100 um of waveguide, n_g L / c",
     lambda bench: abs(rf(bench)["group_delay"]), BENCH + "rf"),
    ("rf-ring", "<= 1e-5", "largest difference of a ring of a waveguide and a line of scikit-rf from one of two waveguides", (at, rf, "ring"), BENCH + "rf"),
    ("cases-wrong", "= 0", "netlists and blocks of others, neither right nor refused in words", lambda bench: netlists(bench)["wrong"], COUNTS),
    ("cases-different", "= 0", "of these, on which command line and package differ", lambda bench: netlists(bench)["different"], COUNTS),
    ("memory", "< 200", "MB of memory of 5,000 couplers at 1,001 wavelengths in Python", memory, BENCH + "memory"),
    ("monte-carlo", "", "circuits of 16 ports a second, 1,000 with drawn phases in one call, one wavelength each", (at, monte_carlo, "per_s"), BENCH + "monte-carlo"),
    ("monte-carlo-sax", "", "the same by sax, compiled as a whole, arrays of settings in one call", (at, monte_carlo, "sax_per_s"), BENCH + "monte-carlo"),
    ("monte-carlo-ratio", "> 1", "circuits a second over those of sax, the faster of its two ways",
     lambda bench: monte_carlo(bench)["per_s"] / max(monte_carlo(bench)[way] for way in ("sax_per_s", "sax_call_per_s")), BENCH + "monte-carlo"),
    ("monte-carlo-difference", "< 1e-9", "largest difference of any field of these 1,000 circuits", (at, monte_carlo, "difference"), BENCH + "monte-carlo"),
    ("layout-yield", "< 4", "standard errors between the yield of 20,000 dies with gdsfactory's MZI at its placements and that of an independent "
     "Monte Carlo of the covariance", (at, layout, "errors_apart"), BENCH + "layout"),
    ("layout-quantiles", "< 0.02", "largest difference of 19 quantiles of their transmissions", (at, layout, "quantiles_apart"), BENCH + "layout"),
)
