"""Group circuits: netlists beside sax, the laws of rings and circuits, measured chips, wavelengths and wafers."""

import json
import math
import re

from .claim import OPTINC, ROOT, Measured, at, claims_of, opened, progress, shared
from .python import module

GROUP = "circuits"
RACE = "PYTHONPATH=build/ci/python bench/circuits.py"
SIZES = (8, 16, 32)
COMB = "experiments/data/studies/comb.toml"
WAFER = "experiments/data/studies/wafer.toml"
COVARIANCE = "MC: errors of meshes on wafers are those of the covariance of their splitters"
MEASURED = """model = "mesh"
[mesh]
measured = "measured.csv"
[chip]
preset = "ideal"
[runner]
trials = 4
"""


@shared
def race(bench, ports):
    """What bench/circuits.py measured, in an environment of its own."""
    module(bench)
    env = ROOT / "build/jax-env"
    bench.run("python3", "-m", "venv", env)
    bench.run(env / "bin/pip", "install", "--quiet", "jax", "sax", "klujax", "numpy")
    found = json.loads(bench.run(env / "bin/python", "bench/circuits.py", ports)[0])[str(ports)]
    progress(json.dumps(found))
    return found


def times_as_fast(bench, ports, theirs, ours):
    """One figure of that size over another."""
    return race(bench, ports)[theirs] / race(bench, ports)[ours]


def worst(bench, name):
    """Largest deviation of a law over its points, in units of the law (optinc validate)."""
    return max(abs(p["measured"] - p["expected"]) for p in bench.answer("validate", name)["laws"] if p["law"] == name)


def worst_relative(bench, name):
    """The same, of the expected value."""
    return max(abs(p["measured"] / p["expected"] - 1) for p in bench.answer("validate", name)["laws"] if p["law"] == name)


@shared
def comb(bench):
    """Neighbouring channels that keep every drawn word, mean over chips, without noise, at the default sensitivities: of the
    network trained for noise, and of the carry chain."""
    with opened(bench.result("comb", COMB, "--set", "measure.variants=['corrected_quadrature']", "--sweep", "drift.imbalance_m=[1e-6]",
                             "--sweep", "drift.splitter_rad_per_m=[4e6]")) as run:
        return run.trials["channels_right"].mean("trial").values.ravel().tolist()


@shared
def wafer(bench):
    """{die-mean, none: share of dies whose mesh errs by at most 0.04}, correlation length 5 mm."""
    with opened(bench.result("wafer", WAFER, "--sweep", "fabrication.correlation_length_m=[5e-3]",
                             "--sweep", "calibration.splitters=['die-mean']")) as run:
        good = (run.trials["mesh_error"] <= 0.04).mean("trial").squeeze()
        return {"die-mean": float(good.sel(variant="corrected_quadrature")), "none": float(good.sel(variant="uncorrected"))}


def wafer_error(bench):
    """rms mesh error of the process over that of draws of the covariance of its splitters; holds where the test does."""
    module(bench)
    bench.run("cmake", "--build", "--preset", "ci", "--target", "test_experiments")
    told, _, code = bench.run(ROOT / "build/ci/bin/test_experiments", COVARIANCE, "-s", accept=(0, 1))
    mean = {name: float(value) for name, value in re.findall(r"(process|covariances)\.mean := (\S+)", told)}
    return Measured(math.sqrt(mean["process"] / mean["covariances"]), "1 within 5 standard errors", code == 0)


def measured_chip(bench):
    """Mean fidelity of corrected meshes of 16 ports whose 120 rows of splitter errors (0.02 rad rms) a file holds."""
    import random  # noqa: PLC0415
    draw = random.Random(1)
    rows = [f"{column},{upper},{draw.gauss(0, 0.02)},{draw.gauss(0, 0.02)}\n" for column in range(16)
            for upper in range(column % 2, 15, 2)]
    (bench.folder / "measured.csv").write_text("column,upper,alpha_rad,beta_rad\n" + "".join(rows))
    (bench.folder / "measured.toml").write_text(MEASURED)
    with opened(bench.result("measured", bench.folder / "measured.toml")) as run:
        return float(run.trials["fidelity"].sel(variant="corrected").mean())


def gained(bench):
    """Yield of dies whose mean splitter error is corrected, less that without correction."""
    return wafer(bench)["die-mean"] - wafer(bench)["none"]


def law(claim, target, unit, name, measure=worst):
    """A row about a law of optinc validate."""
    return claim, target, unit, (measure, name), f"{OPTINC} validate '{name}'"


CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    *((f"sax-difference-{n}", "< 1e-9", f"largest difference of any element of S, a mesh of {n} ports, 100 wavelengths",
       (at, (race, n), "difference"), RACE) for n in SIZES),
    *((f"sweep-{n}", ">= 10", f"times as fast as sax: first sweep of {n} ports and 100 wavelengths, from the netlist, including compilation",
       (times_as_fast, n, "sax_first_s", "first_s"), RACE) for n in SIZES),
    *((f"point-{n}", ">= 1", f"times as fast as sax: one wavelength of {n} ports once warm (sax compiled as a whole up to 16 ports)",
       (times_as_fast, n, "sax_point_us", "point_us"), RACE) for n in SIZES),
    law("energy", "<= 1e-9", "largest element of S^H S - 1, random lossless circuits of up to 200 devices", "energy in a circuit"),
    law("reciprocity", "<= 1e-9", "largest element of S - S^T, random reciprocal circuits", "reciprocity of a circuit"),
    law("mesh", "<= 1e-12", "largest difference between a mesh as a netlist and the mesh engine, up to 16 ports", "a mesh as a circuit"),
    law("ring-range", "<= 5e-4", "relative error of the free spectral range of rings, lambda^2 / (n_g L)", "free spectral range of a ring", worst_relative),
    law("ring-extinction", "<= 1e-5", "relative error of the extinction of all-pass rings, closed form", "extinction of a ring", worst_relative),
    law("ring-critical", "<= 1e-10", "of the power left at critical coupling", "critical coupling of a ring"),
    ("channels-network", ">= 3", "adjacent 100 GHz channels that decode every one of 2,048 words, network trained for noise, no noise, mean of 10 chips",
     (at, comb, 0), f"{OPTINC} run {COMB} -o comb.h5"),
    ("channels-carry-chain", ">= 5", "the same for the carry chain", (at, comb, 1), f"{OPTINC} run {COMB} -o comb.h5"),
    ("wafer-error", "1", "rms error of meshes on wafers over that of draws from the covariance of their splitters", wafer_error,
     f"build/ci/bin/test_experiments '{COVARIANCE}' -s"),
    ("yield-die-mean", ">= 0.5", "yield of 2,088 dies, 16 ports, error at most 0.04, mean splitter error of each die corrected, 5 mm correlation length",
     (at, wafer, "die-mean"), f"{OPTINC} run {WAFER} -o wafer.h5"),
    ("yield-gained", ">= 0.2", "yield of the same dies minus that without correction",
     gained, f"{OPTINC} run {WAFER} -o wafer.h5"),
    ("measured-chip", ">= 0.999", "fidelity of meshes corrected for 120 measured splitters from a file", measured_chip,
     f"{OPTINC} run measured.toml -o measured.h5"),
)
