"""Group measured: measured chips, of public data sets in a folder that OPTINC_MEASURED names (default: ../shared/measured)."""

import json
import os

from .claim import ROOT, Measured, claims_of, shared
from .python import module

GROUP = "measured"
COMMAND = "PYTHONPATH=build/ci/python experiments/measured FOLDER --only "
CHECKS = {
    "mesh": ("mesh-prediction-moons", "mesh-prediction-circle", "mesh-share-moons", "mesh-share-circle", "mesh-phase-moons", "mesh-phase-circle",
             "gradient-median-moons-correct-phase", "gradient-p90-moons-correct-phase", "gradient-median-circle-measured-phase",
             "gradient-p90-circle-measured-phase"),
    "rings": ("ring-coupling", "ring-loss", "ring-dips", "ring-spectra", "ring-circuit"),
    "couplers": ("coupler-length", "coupler-gap", "coupler-gap-wide"),
    "interferometers": ("strip-group-index", "strip-index", "strip-loss", "mzi-spectra", "process-20-50", "process-50-80", "process-80-120",
                        "process-120-200", "process-200-300", "process-above-300"),
    "nitride": ("nitride-coupling",),
    "second": ("second-group-index", "second-mzi-spectra", "second-ring-coupling", "second-ring-unlike", "second-ring-group-index",
               "second-ring-spectra"),
}


@shared
def rows_of(bench, group):
    """{name: row} of a group of checks."""
    module(bench)
    folder = os.environ.get("OPTINC_MEASURED", ROOT.parent / "shared/measured")
    told = bench.run("experiments/measured", folder, "--only", group, "--json", accept=(0, 1))[0]
    return {row["name"]: row for row in json.loads(told)["rows"]}


def checked(bench, group, name):
    """What a check gave, with the bound that it has."""
    rows = rows_of(bench, group)
    if name not in rows:
        raise RuntimeError(f"the folder holds no data of group {group} (docs/measured.md says where to get them)")
    row = rows[name]
    bounds = [f"{sign} {row[key]:.4g}" for key, sign in (("least", ">="), ("most", "<=")) if row[key] is not None]
    return Measured(row["value"], " and ".join(bounds), row["holds"])


CLAIMS = claims_of(GROUP, *((name, "", f"check `{name}` of docs/measured.md", (checked, group, name), COMMAND + group)
                            for group, names in CHECKS.items() for name in names))
