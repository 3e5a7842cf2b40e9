"""Group main-job: five networks on noisy chips, words and gradients through each; the published network trained anew."""

import statistics
import tempfile
from pathlib import Path

from .claim import OPTINC, ROOT, STUDY, Measured, at, claims_of, machine, progress, shared
from .physics import laws

GROUP = "main-job"
SEEDS = (1, 2, 3)
TIMING_SEEDS = (1, 2, 3, 4, 5)  # the median of five
FIGURES = 2                     # a PNG and a PDF each
WALL = f"s wall ({machine()})"


# -- the runs that several claims share

@shared
def trained(bench, seed):
    """({"onn": ...} of a network trained with `seed`, wall seconds)."""
    file = bench.folder / f"network-{seed}.h5"
    _, seconds, _ = bench.optinc("train", STUDY, "-o", file, "--seed", seed, "--force")
    return bench.answer("inspect", file), seconds


@shared
def study(bench):
    """(what inspect says of the quickstart study, wall seconds)."""
    file = bench.folder / "quickstart.h5"
    _, seconds, _ = bench.optinc("run", STUDY, "-o", file, "--force")
    return bench.answer("inspect", file), seconds


@shared
def clone(bench):
    """A fresh clone of this repository, as committed."""
    changed = bench.run("git", "status", "--porcelain")[0]
    if changed:
        progress("   note: uncommitted changes are not in the clone")
    folder = Path(tempfile.mkdtemp(dir=bench.folder), "optinc")
    bench.run("git", "clone", "--quiet", ROOT, folder)
    return folder


# -- the measurements, one function a kind

def words_right(bench, seed):
    """Words decoded right by the network trained with `seed`; only exact accuracy counts as all."""
    onn = trained(bench, seed)[0]["onn"]
    return onn["words"] * onn["word_accuracy"]


def train_seconds_median(bench):
    return statistics.median(trained(bench, seed)[1] for seed in TIMING_SEEDS)


def law(bench, name):
    """A point of a law, with its own target."""
    found = [entry for entry in laws(bench) if entry["name"].startswith(name)]
    if len(found) != 1:
        raise RuntimeError(f"optinc validate knows {len(found)} laws that begin with '{name}'")
    entry = found[0]
    return Measured(entry["measured"], f"{entry['expected']:.6g} +- {entry['tolerance']:.2g}", entry["verdict"] == "pass")


def network(bench, name):
    """What inspect says of one of the study's networks."""
    return next(n for n in study(bench)[0]["networks"] if n["source"].endswith(name))


def ideal_chip_words(bench):
    return min(n["words"] * n["ideal_chip_word_accuracy"] for n in study(bench)[0]["networks"] if n["margin"] > 0)


def noisy(bench, name, preset):
    """Percent of words right through chips of a preset, all noise, mean over the study's splitter errors."""
    return 100 * statistics.mean(c["word_accuracy_mean"] for c in study(bench)[0]["chips"]
                                 if c["network"].endswith(name) and c["preset"] == preset)


def gradient_error(bench, name, path="chip_noisy"):
    """Relative error of a gradient by one of its ways."""
    return network(bench, name)["gradient"][f"relative_error_{path}"]


def files_from_clone(bench):
    """Result and figures that one command makes in a fresh clone."""
    folder = clone(bench)
    bench.run("experiments/quickstart", cwd=folder)
    results = folder / "results"
    return sum(len(list(results.glob(p))) for p in ("quickstart.h5", "quickstart.html", "figures/*.png", "figures/*.pdf"))


def tests_from_clone(bench):
    """Exit status of the test command in a fresh clone."""
    output, _, status = bench.run("tests/run", cwd=clone(bench), accept=range(-64, 256))
    progress(output[-2000:])
    return status


# -- the claims

TRAIN = f"{OPTINC} train {STUDY} -o network.h5 --seed"
INSPECT = f"{TRAIN} 1 && {OPTINC} inspect network.h5 --json"
RUN = f"{OPTINC} run {STUDY} -o quickstart.h5 --force"
RUN_INSPECT = f"{RUN} && {OPTINC} inspect quickstart.h5 --json"
VALIDATE = f"{OPTINC} validate --json"
CLONE = "git clone . /tmp/optinc && cd /tmp/optinc &&"

CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    *((f"words-seed-{s}", "= 28561", "words of 28561", (words_right, s), f"{TRAIN} {s} && {OPTINC} inspect network.h5") for s in SEEDS),
    *((f"train-seconds-seed-{s}", "<= 40", WALL, (at, (trained, s), 1), f"time {TRAIN} {s}") for s in SEEDS),
    ("train-seconds-median", "<= 40", WALL, train_seconds_median, f"time {TRAIN} N  # N = 1..5, the median"),
    ("mzi-count", "= 41664", "MZIs", (at, (trained, 1), 0, "onn", "mzi_count"), INSPECT),
    ("mzi-count-full-svd", "= 106260", "MZIs", (at, (trained, 1), 0, "onn", "mzi_count_full_svd"), INSPECT),
    *((f"law-uncorrected-{n}", "sigma sqrt(2(N-1))", "relative rms E, splitter errors independent of each other", (law, f"E0 uncorrected N={n}"), VALIDATE) for n in (16, 32, 64)),
    *((f"law-corrected-{n}", "2 sigma^2 sqrt((N^2-1)/6+(N-1)/N)", "relative rms E, splitter errors independent of each other", (law, f"Ec corrected unitary N={n}"), VALIDATE)
      for n in (16, 32, 64)),
    ("ideal-chip-words", "= 28561", "words of 28561 through a perfect chip: the least of the networks that are right themselves",
     ideal_chip_words, RUN_INSPECT),
    *((f"words-{name.replace('_', '-')}-{preset}", target, "% of words right, 20 chips, all noise of set receivers, default link",
       (noisy, name, preset), RUN_INSPECT)
      for name, preset, target in (
          ("published", "design-target", "< 5"), ("published_noise_aware", "design-target", ">= 99.9"),
          ("bottleneck_noise_aware", "design-target", ">= 99.9"), ("bottleneck_noise_aware", "good-lab", ">= 99.8"),
          ("doped_heaters_noise_aware", "doped-heaters", ">= 70"))),
    ("gradient-codes", "<= 0.05", "relative error of a real gradient: its 8-bit codes alone",
     (gradient_error, "bottleneck_noise_aware", "quantised"), RUN_INSPECT),
    ("gradient-published", "> 1", "the same through a chip with all noise", (gradient_error, "/published"), RUN_INSPECT),
    *((f"gradient-{name.replace('_', '-')}", "<= 0.05", "the same through a chip with all noise", (gradient_error, name), RUN_INSPECT)
      for name in ("published_noise_aware", "bottleneck_noise_aware")),
    ("study-seconds", "< 240", WALL, (at, study, 1), f"time {RUN}"),
    ("fresh-clone", f"= {2 + 2 * FIGURES}", "files (1 result, 1 page, figures as PNG and PDF)", files_from_clone, f"{CLONE} ./experiments/quickstart"),
    ("fresh-clone-tests", "= 0", "exit status", tests_from_clone, f"{CLONE} ./tests/run"),
)
