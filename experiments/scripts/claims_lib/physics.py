"""Group physics: the closed-form laws that the simulator keeps, and proof that they would see it broken."""

import json

from .claim import OPTINC, ROOT, Measured, at, claims_of, machine, progress, shared

GROUP = "physics"
DRIFT = "experiments/data/studies/drift.toml"
MUTATIONS = "tests/mutations/mutations.py"
MONTE_CARLO_ROWS = ("8", "8b", "9", "10", "10b", "11", "12", "13", "14", "16", "18", "22")  # of `optinc validate`


# -- the runs that several claims share

@shared
def validated(bench):
    """(every point of every law of a full optinc validate, wall seconds); a law that fails is an answer."""
    text, seconds, _ = bench.optinc("validate", "--json", accept=(0, 1))
    points = json.loads(text)["laws"]
    progress(f"   {len(points)} points of {len({p['law'] for p in points})} laws in {seconds:.0f} s")
    return points, seconds


def laws(bench):
    return validated(bench)[0]


@shared
def mutated(bench):
    """What tests/mutations says: {"mutations": [..], "missed": ..}."""
    return bench.told(ROOT / MUTATIONS, "--json")


# -- the measurements

def laws_failing(bench):
    failing = {point["law"] for point in laws(bench) if point["verdict"] != "pass"}
    for name in sorted(failing):
        progress(f"   does not hold: {name}")
    return len(failing)


def distance(point):
    """How far off a point is, in tolerances."""
    return abs(point["measured"] - point["expected"]) / point["tolerance"]


def row(bench, number):
    """The Monte-Carlo point of a row that lies farthest off; holds where all do."""
    points = [p for p in laws(bench) if p["row"] == number and p["kind"] == "monte-carlo"]
    worst = max(points, key=distance)
    progress(f"   {len(points)} points; farthest off: {worst['name']}, {worst['trials']} trials, {distance(worst):.2f} of its tolerance")
    return Measured(worst["measured"], f"{worst['expected']:.5g} +- {worst['tolerance']:.2g}", all(p["verdict"] == "pass" for p in points))


@shared
def drifted(bench):
    """(summary of the file, wall seconds of the drift alone): an hour of the 8-bit OptINC at one point of study `drift`."""
    network, result = bench.folder / "network.h5", bench.folder / "drift.h5"
    bench.optinc("train", DRIFT, "-o", network, "--quiet")
    _, seconds, _ = bench.optinc("run", DRIFT, "-o", result, "--quiet", "--set", f"network.source={network}",
                                 "--sweep", "drift.imbalance_m=[1e-5]")
    import h5py  # noqa: PLC0415  only this claim needs it
    with h5py.File(result) as file:
        trials = file["trials"]
        changes = trials["phase_drift"][0, 0, 0]
        return {"instants": changes.size, "still": int((changes[1:] == changes[:-1]).sum()),
                "ends": trials["accuracy_all_words"].shape[-1], "mzis": int(file["onn"].attrs["mzi_count"]),
                "seconds": seconds}


# -- the claims

VALIDATE = f"{OPTINC} validate --json"
RUN_DRIFT = f"time {OPTINC} run {DRIFT} -o drift.h5 --sweep 'drift.imbalance_m=[1e-5]'"
SECONDS = f"s wall ({machine()})"

CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    ("laws-failing", "= 0", "laws that fail in a full run", laws_failing, VALIDATE),
    ("laws-points", ">= 200", "points checked", lambda bench: len(laws(bench)), VALIDATE),
    ("laws-seconds", "<= 300", SECONDS, (at, validated, 1), f"time {VALIDATE}"),
    *((f"row-{r}", "closed form", "value at the point farthest from its law", (row, r), f"{OPTINC} validate {r}") for r in MONTE_CARLO_ROWS),
    ("drift-mzis", "= 41664", "MZIs of the chip that drifts", (at, drifted, "mzis"), RUN_DRIFT),
    ("drift-instants", ">= 360", "instants in one hour, 2,048 words each, twice (with and without re-calibration)",
     (at, drifted, "instants"), RUN_DRIFT),
    ("drift-still", "= 0", "instants whose phases equal those of the instant before", (at, drifted, "still"), RUN_DRIFT),
    ("drift-ends", "= 2", "instants with all 28,561 words", (at, drifted, "ends"), RUN_DRIFT),
    ("drift-seconds", "< 180", SECONDS, (at, drifted, "seconds"), RUN_DRIFT),
    ("mutations-missed", "= 0", "deliberately broken models that no law detects", (at, mutated, "missed"), f"{MUTATIONS} --json"),
)
