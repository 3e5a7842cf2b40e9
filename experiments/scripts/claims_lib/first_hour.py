"""Group faults, its first hour: what a newcomer meets first works, soon, and ends well."""

import re
import time

import h5py

from .claim import OPTINC, ROOT, Claim, machine
from .main_job import clone

GROUP = "faults"
STUDY = re.search(r"^```toml file=my_study\.toml\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"),
                  re.MULTILINE | re.DOTALL)[1]


def study(bench):
    """(CPU seconds of the README's study, smallest mean share of words right with all noise)."""
    def make():
        toml, file = bench.folder / "my_study.toml", bench.folder / "my_study.h5"
        toml.write_text(STUDY, encoding="utf-8")
        bench.optinc("list")  # compiles it
        before = time.clock_gettime(time.CLOCK_MONOTONIC), cpu_s()
        bench.optinc("run", toml, "-o", file, "--quiet")
        with h5py.File(file) as result:
            right = result["trials/word_accuracy"][...].mean(axis=1)
            noisy = [name.decode() for name in result["trials/variant"][...]].index("noisy")
            return cpu_s() - before[1], float(right[:, noisy].min())
    return bench.once("first study", make)


def cpu_s():
    """Processor seconds of all children so far."""
    import resource  # noqa: PLC0415
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def quickstart_seconds(bench):
    folder = clone(bench)
    return bench.run("env", "CCACHE_DISABLE=1", "experiments/quickstart", "--no-install", "--results", bench.folder / "quickstart",
                     cwd=folder)[1]


RUN = f"{OPTINC} run my_study.toml -o my_study.h5"
CLAIMS = [Claim(GROUP, *claim) for claim in (
    # name, target, unit, measurement, command
    ("study-seconds", "<= 10", f"processor seconds of the README's study ({machine()})", lambda bench: study(bench)[0], RUN),
    ("study-right", ">= 0.98", "of the words right with all noise, at every point of the README's study", lambda bench: study(bench)[1], RUN),
    ("quickstart-seconds", "", f"s for experiments/quickstart in a fresh clone, packages installed ({machine()})",
     quickstart_seconds, "./experiments/quickstart"),
)]
