"""Group data: the same numbers however a study is run, what running it costs, files that open everywhere."""

import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

from .claim import OPTINC, ROOT, SPLITTERS, at, claims_of, machine, progress, shared

sys.path.insert(0, str(ROOT / "python/src"))

GROUP = "data"
TRIALS = 8              # chips at each of the six points: enough for every way to share them out
RUNS = 5                # the median of five
WARM_START = ["--quiet", "--trials", TRIALS]
MESHES = """study = "meshes"
model = "mesh"
[mesh]
ports = 32
[chip]
preset = "good-lab"
[runner]
trials = 5000
"""


# -- one study, run in every way

@shared
def whole(bench):
    """The study on one thread: what every other way is compared with."""
    file = bench.folder / "one_thread.h5"
    bench.optinc("run", SPLITTERS, "-o", file, "--threads", 1, *WARM_START)
    return file


def on_threads(bench):
    file = bench.folder / "two_threads.h5"
    bench.optinc("run", SPLITTERS, "-o", file, "--threads", 2, *WARM_START)
    return file


def in_shards(bench):
    parts = [bench.folder / f"shard{i}.h5" for i in (1, 2, 3, 4)]
    for i, part in enumerate(parts, 1):
        bench.optinc("run", SPLITTERS, "-o", part, "--shard", f"{i}/4", *WARM_START)
    file = bench.folder / "merged.h5"
    bench.optinc("merge", *parts, "-o", file, "--quiet")
    return file


def on_ranks(bench):
    file = bench.folder / "ranks.h5"
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    bench.optinc("list")  # so that it is built
    bench.run("mpirun", "-n", 4, ROOT / OPTINC, "run", SPLITTERS, "-o", file, *WARM_START)
    return file


def killed(bench):
    """SIGKILL three times while trials run, each time some trials further on, then resumed to the end."""
    file = bench.folder / "killed.h5"
    journal = Path(f"{file}.journal")
    bench.optinc("list")
    for kill in range(3):
        how = ["resume", file, "--quiet"] if kill else ["run", SPLITTERS, "-o", file, *WARM_START]
        had = journal.stat().st_size if kill else 0
        progress(f"   $ optinc {' '.join(map(str, how))}   # killed")
        process = subprocess.Popen([ROOT / OPTINC, *map(str, how)], cwd=ROOT)
        trials_from = None
        while process.poll() is None:
            size = journal.stat().st_size if journal.exists() else 0
            if trials_from is None and size > had + (1_000_000 if kill == 0 else 0):
                trials_from = size  # the network is in it, or a trial more than before
            if trials_from is not None and size > trials_from:
                break
            time.sleep(0.01)
        if process.poll() is not None:
            raise RuntimeError("the run ended before it could be killed")
        process.send_signal(signal.SIGKILL)
        process.wait()
        if file.exists():
            raise RuntimeError("a killed run left a result file")
    bench.optinc("resume", file, "--quiet")
    return file


def differences(bench, way):
    """Datasets and attributes that a way of running gives otherwise than one thread does."""
    from optinc.results import contents, differing
    first = whole(bench)
    found = differing(first, way(bench))
    for name in found:
        progress(f"   differs: {name}")
    progress(f"   {len(contents(first))} datasets and attributes compared")
    return len(found)


# -- what running costs

@shared
def cost(bench):
    """(percent on top of the time inside the trials, trials a second), medians."""
    study = bench.folder / "meshes.toml"
    study.write_text(MESHES)
    shares, rates = [], []
    for _ in range(RUNS):
        bench.optinc("list")
        done = subprocess.run([ROOT / OPTINC, "run", study, "-o", bench.folder / "meshes.h5", "--force"], capture_output=True,
                              text=True, check=True)
        told = re.search(r"([\d.]+)/s on \d+; .* overhead ([\d.]+) %", done.stderr)
        rates.append(float(told[1]))
        shares.append(float(told[2]))
        progress(f"   {told[1]} trials/s, {told[2]} % overhead")
    return statistics.median(shares), statistics.median(rates)


# -- files that open everywhere

STUDIES = "tests/experiments/studies_test.py"


def unclean_groups(bench):
    """Opens, in both engines of xarray, of a group of a shipped study's file (run small) that warn or fail."""
    bench.optinc("list")  # compiles it
    done = subprocess.run(["/usr/bin/python3", ROOT / STUDIES, ROOT / OPTINC, "Shipped.test_groups_open_in_both_engines"],
                          capture_output=True, text=True)
    failed = re.findall(r"^(?:FAIL|ERROR): .*", done.stderr, re.MULTILINE)
    for line in failed:
        progress(f"   {line}")
    if done.returncode and not failed:  # none was opened
        raise RuntimeError(done.stderr[-2000:])
    return len(failed)


RUN = f"{OPTINC} run {SPLITTERS} --trials {TRIALS}"
COMPARE = "then differing(a, b) of optinc.results"

CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    ("same-on-2-threads", "= 0", "datasets and attributes that differ from 1 thread", (differences, on_threads),
     f"{RUN} --threads 1 -o a.h5; --threads 2 -o b.h5; {COMPARE}"),
    ("same-in-4-shards", "= 0", "datasets and attributes that differ from 1 thread", (differences, in_shards),
     f"{RUN} --shard 1/4 -o 1.h5; ..; {OPTINC} merge 1.h5 2.h5 3.h5 4.h5 -o b.h5; {COMPARE}"),
    ("same-on-4-ranks", "= 0", "datasets and attributes that differ from 1 thread", (differences, on_ranks),
     f"mpirun -n 4 {RUN} -o b.h5; {COMPARE}"),
    ("same-after-3-kills", "= 0", "datasets and attributes that differ from 1 thread", (differences, killed),
     f"{RUN} -o b.h5; kill -9; {OPTINC} resume b.h5; kill -9; ..; {COMPARE}"),
    ("overhead", "<= 5", f"% of the time in trials, median of {RUNS} ({machine()})", (at, cost, 0),
     f"{OPTINC} run meshes.toml -o meshes.h5  # 5,000 meshes of 32 ports; its line \"timing\""),
    ("overhead-rate", ">= 1000", f"trials/s of that run, median of {RUNS} ({machine()})", (at, cost, 1), "the same"),
    ("xarray-in-silence", "= 0", "groups of the shipped studies' files that warn or fail, both engines", unclean_groups,
     f"{STUDIES} {OPTINC} Shipped.test_groups_open_in_both_engines"),
)
