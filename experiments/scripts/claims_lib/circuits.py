"""Group circuits: netlists beside sax, the laws of rings and circuits, measured chips, wavelengths and wafers."""

import json

from .claim import OPTINC, ROOT, Claim, progress
from .python import module

GROUP = "circuits"
RACE = "PYTHONPATH=build/ci/python bench/circuits.py"
SIZES = (8, 16, 32)


def race(bench):
    """{ports: what bench/circuits.py measured}, in an environment of its own."""
    def make():
        module(bench)
        env = ROOT / "build/jax-env"
        bench.run("python3", "-m", "venv", env)
        bench.run(env / "bin/pip", "install", "--quiet", "jax", "sax", "klujax", "numpy")
        sizes = json.loads(bench.run(env / "bin/python", "bench/circuits.py", *SIZES)[0])
        progress(json.dumps(sizes))
        return sizes
    return bench.once("circuits", make)


def of_race(key, ratio_to=None):
    """(ports) -> (bench) -> a figure of that size, or its ratio to another."""
    def of_size(ports):
        def measure(bench):
            size = race(bench)[str(ports)]
            return size[key] / size[ratio_to] if ratio_to else size[key]
        return measure
    return of_size


def worst(name):
    """Largest deviation of a law over its points, in units of the law (optinc validate)."""
    def measure(bench):
        points = json.loads(bench.optinc("validate", name, "--json", accept=(0, 1))[0])["laws"]
        return max(abs(p["measured"] - p["expected"]) for p in points if p["law"] == name)
    return measure


def worst_relative(name):
    """The same, of the expected value."""
    def measure(bench):
        points = json.loads(bench.optinc("validate", name, "--json", accept=(0, 1))[0])["laws"]
        return max(abs(p["measured"] / p["expected"] - 1) for p in points if p["law"] == name)
    return measure


def law(claim, target, unit, name, measure=worst):
    return claim, target, unit, measure(name), f"{OPTINC} validate '{name}'"


CLAIMS = [Claim(GROUP, *claim) for claim in (
    # name, target, unit, measurement, command
    ("sax-difference", "< 1e-9", "largest difference of any element of S, meshes of 8, 16 and 32 ports, 100 wavelengths",
     lambda bench: max(race(bench)[str(n)]["difference"] for n in SIZES), RACE),
    *((f"sweep-{n}", ">= 10", f"times as fast as sax: first sweep of {n} ports and 100 wavelengths, from the netlist, compilation included",
       of_race("sax_first_s", "first_s")(n), RACE) for n in SIZES),
    *((f"point-{n}", ">= 1", f"times as fast as sax: a wavelength of {n} ports when all is compiled",
       of_race("sax_point_us", "point_us")(n), RACE) for n in SIZES),
    law("energy", "<= 1e-9", "largest element of S^H S - 1, random lossless circuits of up to 200 devices", "energy in a circuit"),
    law("reciprocity", "<= 1e-9", "largest element of S - S^T, the same", "reciprocity of a circuit"),
    law("mesh", "<= 1e-12", "largest difference of a mesh as a netlist to the mesh engine, up to 16 ports", "a mesh as a circuit"),
    law("ring-range", "<= 5e-4", "of lambda^2 / (n_g L): free spectral range of rings", "free spectral range of a ring", worst_relative),
    law("ring-extinction", "<= 1e-5", "of the closed form: extinction of all-pass rings", "extinction of a ring", worst_relative),
    law("ring-critical", "<= 1e-10", "of the power, at critical coupling", "critical coupling of a ring"),
)]
