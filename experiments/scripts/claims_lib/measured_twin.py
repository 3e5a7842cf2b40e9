"""Group measured: digital twins of simulated benches (bench/twin_benches.py) and of the published 4x4 chip."""

import json

from .claim import ROOT, claims_of, shared
from .measured import COMMAND, checked
from .python import module

GROUP = "measured"
RUN = "PYTHONPATH=build/ci/python bench/twin_benches.py"


@shared
def benches(bench):
    """{ports: numbers} of all benches."""
    python = module(bench)
    return {found["ports"]: found for found in json.loads(bench.run(python, ROOT / "bench/twin_benches.py")[0])}


def of_bench(bench, ports, key):
    """A number of a bench."""
    return benches(bench)[ports][key]


def scatter(bench, ports):
    """By how much the rms of the z-scores of all benches differs from 1."""
    return abs(of_bench(bench, ports, "z_rms") - 1)


def beside_oracle(bench, ports):
    """Error of the corrected matrix over the oracle's, 1 - fidelity each."""
    found = of_bench(bench, ports, "fidelity")
    return (1 - found["twin"]) / (1 - found["oracle"])


CLAIMS = claims_of(
    GROUP,
    *((f"twin-scores-{n}", "<= 0.1", f"rms of z-scores of what readings determine, {n} ports, less 1", (scatter, n), RUN) for n in (8, 16, 32)),
    *((f"twin-held-out-{n}", "<= 1.15", f"error of held-out readings over the noise, {n} ports", (of_bench, n, "held_out_over_noise"), RUN)
      for n in (8, 16, 32)),
    *((f"twin-fidelity-{n}", "<= 1.1", f"1 - fidelity after correction over the oracle's, {n} ports", (beside_oracle, n), RUN) for n in (8, 16, 32)),
    ("twin-seconds", "<= 60", "seconds of a fit of 32 ports with standard errors (s, 2 cores)", (of_bench, 32, "seconds"), RUN),
    *((f"twin-chip-{task}", "", f"check `twin-chip-{task}` of experiments/measured", (checked, "twin", f"twin-chip-{task}"), COMMAND + "twin")
      for task in ("moons", "circle")))
