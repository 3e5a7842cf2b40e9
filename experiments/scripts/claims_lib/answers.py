"""Group faults, its answers: what files of others must give, whoever reads them, and what the tool says of itself."""

import json
import re
import resource

from .claim import OPTINC, Claim, progress
from .python import failures, module

GROUP = "faults"
NETLISTS = "tests/python/netlist_cases_test.py"
HONESTY = "tests/hostile/honesty.py"
INSTANCES = 4_000


def netlists(bench):
    """Counts of the netlists and measured blocks of tests/data/circuits, by the command line and by the package."""
    return bench.once("netlists", lambda: json.loads(bench.run(module(bench), NETLISTS, "--json", accept=(0, 1))[0]))


def netlist_seconds(bench):
    """Processor seconds of a chain of waveguides, each with settings."""
    chain = {f"g{i}": {"component": "waveguide", "settings": {"length_m": 1e-6, "loss_db_per_cm": 1.0}} for i in range(INSTANCES)}
    links = {f"g{i},out0": f"g{i + 1},in0" for i in range(INSTANCES - 1)}
    file = bench.folder / "chain.json"
    file.write_text(json.dumps({"instances": chain, "connections": links,
                                "ports": {"in": "g0,in0", "out": f"g{INSTANCES - 1},out0"}}), encoding="utf-8")
    bench.optinc("list")  # so that it is built
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    bench.optinc("circuit", file, "--quiet", "--wavelength-m", "1.55e-6", "--points", "1")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def studies_told_otherwise(bench):
    """Studies whose memory or file is outside 1/1.5..1.5 of what --dry-run said."""
    bench.optinc("list")
    found = json.loads(bench.run("/usr/bin/python3", HONESTY, OPTINC, "--json", accept=(0, 1))[0])
    progress(f"   {found['studies']} studies; outside: {found['outside']}")
    return len(found["outside"])


def readme_numbers(bench):
    """How many numbers of the README's prose equal those of their sources; 0 where one does not."""
    told, _, code = bench.run("/usr/bin/python3", "tests/readme_numbers_test.py", accept=(0, 1))
    return int(re.search(r"(\d+) numbers of the README compared", told)[1]) if code == 0 else 0


COUNTS = f"{NETLISTS} --json"
CORRECTION = "tests/python/laboratory_test.py -k one_correction"
CLAIMS = [Claim(GROUP, *claim) for claim in (
    # name, target, unit, measurement, command
    ("netlists", "", "netlists and measured blocks, each by the command line and by the package", lambda bench: netlists(bench)["inputs"], COUNTS),
    ("netlists-wrong", "= 0", "of these, neither right nor refused in the words that name the fault", lambda bench: netlists(bench)["wrong"], COUNTS),
    ("netlists-different", "= 0", "of these, on which command line and package differ", lambda bench: netlists(bench)["different"], COUNTS),
    ("netlist-seconds", "< 0.2", f"processor seconds of optinc circuit on {INSTANCES:,} instances with settings", netlist_seconds,
     f"{OPTINC} circuit chain.json --wavelength-m 1.55e-6 --points 1"),
    ("one-correction", "= 0", "failed tests: 0.99996 for one measured mesh by a study and by Python, to 1e-12",
     lambda bench: failures(bench, module(bench), *CORRECTION.split()), CORRECTION),
    ("dry-run", "= 0", "studies whose memory or file is outside 1/1.5..1.5 of what --dry-run says", studies_told_otherwise,
     f"{HONESTY} {OPTINC}"),
    ("readme-numbers", ">= 30", "numbers of the README's prose equal to those of the pages, lists and claims that they quote", readme_numbers,
     "tests/readme_numbers_test.py"),
)]
