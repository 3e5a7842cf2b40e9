"""Group operating-point: words in succession, and the fastest rate at which they come out right."""

import re
import time
import tomllib

from .claim import OPTINC, ROOT, SPLITTERS, at, claims_of, progress, sets, shared
from .hardware_aware import gradient_error, gradient_options

GROUP = "operating-point"
LIST = "experiments/data/lists/operating_points.toml"
RARE = "experiments/data/lists/rare_errors.toml"
RARE_OPTIONS = ("--wrong", "1e-6", "--chips", "20")
AT_POINTS = "experiments/data/lists/at_operating_points.toml"
BASE = "experiments/data/networks/base.toml"
SHAPES = {"published-shape": "shipped/published_noise_aware", "96-32": "shipped/bottleneck_noise_aware"}
UNCLOCKED = sets("time.sampling=unclocked", "time.symbol_rate_bd=18e9", "receiver.bandwidth_hz=40e9")
POINT = sets("time.sampling=clocked", "time.symbol_rate_bd=40e9", "receiver.bandwidth_hz=24e9")


# -- the runs that several claims share

@shared
def contract(bench):
    """(worst difference of words in succession from the reference, of slow words from settled ones), in digits."""
    bench.run("cmake", "--preset", "ci")
    bench.run("cmake", "--build", "--preset", "ci", "--target", "test_onn")
    told = bench.run(ROOT / "build/ci/bin/test_onn", "transmit of*")[0]
    found = [re.search(rf"{name}: worst difference (\S+) digit", told) for name in ("in succession", "slow words")]
    progress("   " + "; ".join(match.group(0) for match in found))
    return [float(match.group(1)) for match in found]


@shared
def points(bench):
    """What optinc operating-point says of the list, by design."""
    told = bench.answer("operating-point", LIST, "--designs", bench.folder / "points.toml", "--force")
    return {point["design"]: point for point in told["points"]}


def moved_points(bench):
    """Designs of the shipped list whose rate is not within 6 % of the one found, and those that one of them lacks."""
    points(bench)
    found, shipped = ({design["name"]: next(float(value.split("=")[1]) for value in design["set"] if "symbol_rate_bd" in value)
                       for design in tomllib.loads(path.read_text())["design"]}
                      for path in (bench.folder / "points.toml", ROOT / AT_POINTS))
    return sum(abs(found.get(name, 0) / shipped.get(name, 1) - 1) > 0.06 for name in found.keys() | shipped.keys())


@shared
def words(bench, network, drawn, *settings):
    """(share of words wrong on one perfect chip, all noise of the set on, and seconds of the run)."""
    begin = time.monotonic()
    right = bench.trials("words", "word_accuracy", BASE, *ideal_options(network, drawn, *settings))
    return 1 - float(right.mean()), time.monotonic() - begin


def ideal_options(network, drawn, *settings):
    """Options of `optinc run` behind words()."""
    return ("--trials", "1", *sets(f"network.source={network}", "task.rounding=half-up", "chip.preset=ideal", "noise.set=receivers",
                                   f"measure.words={drawn}", "measure.once=[]", 'measure.variants=["noisy"]'), *settings)


def seconds_per_word(bench, drawn, *settings):
    """Seconds that a word takes, less what a run needs to begin. Every word is sent twice, once without noise."""
    network = SHAPES["published-shape"]
    return (words(bench, network, drawn, *settings)[1] - words(bench, network, 1000, *settings)[1]) / (drawn - 1000)


def slowdown(bench):
    return seconds_per_word(bench, 1_000_000, *POINT) / seconds_per_word(bench, 1_000_000)


def words_per_second(bench, drawn, *settings):
    return 1 / seconds_per_word(bench, drawn, *settings, "--set", "measure.arithmetic=float32")


@shared
def rare(bench):
    """What optinc operating-point says of designs where 1e-6 of the words may be wrong."""
    return {point["design"]: point for point in bench.answer("operating-point", RARE, *RARE_OPTIONS)["points"]}


def rare_gbd(bench, design):
    """The symbol rate of such a design, 0 where there is none."""
    return 1e-9 * (rare(bench)[design]["symbol_rate"] or 0)


def picojoules(bench, design, key="energy_per_bit"):
    """Energy per bit of a design at its point."""
    return 1e12 * points(bench)[design][key]


def rate(bench, design):
    point = points(bench)[design]
    return 1e-9 * point["symbol_rate"] if point["found"] else 0.0


RARE_DESIGNS = {"chain": "carry chain, more light, locks of 0.05 rad"}
TEST = "build/ci/bin/test_onn 'transmit of*'"
RUN = f"{OPTINC} operating-point {LIST}"
CLAIMS = claims_of(GROUP,
    ("succession-difference", "<= 1e-9", "digit: words in succession against superposed steps of the levels, 20 to 50 GBd",
     (at, contract, 0), TEST),
    ("settled-limit", "<= 1e-9", "digit: clocked words at 0.4 GBd against settled ones", (at, contract, 1), TEST),
    *((f"wrong-40-gbd-{name}", "<= 1e-4", "of 100,000 words wrong at 40 GBd, perfect meshes, receivers of 24 GHz, default light",
       (at, (words, network, 100_000, *POINT), 0),
       f"{OPTINC} run {BASE} " + " ".join(ideal_options(network, 100_000, *POINT)))
      for name, network in SHAPES.items()),
    *((f"wrong-18-gbd-unclocked-{name}", "<= 1e-4",
       "of 20,000 words wrong at 18 GBd without clocks, perfect meshes, receivers of 40 GHz, default light",
       (at, (words, network, 20_000, *UNCLOCKED), 0),
       f"{OPTINC} run {BASE} " + " ".join(ideal_options(network, 20_000, *UNCLOCKED)))
      for name, network in {**SHAPES, "96-32-interference": "shipped/bottleneck_unclocked_noise_aware"}.items()),
    *((f"fastest-{name}", target, f"GBd with <= 1e-4 of words wrong on 95 of 100 chips: {design}",
       (rate, design), RUN)
      for name, design, target in (
          ("published-shape", "published, noise-aware", ">= 36"), ("96-32", "96-32", ">= 36"),
          ("more-light", "96-32, twice the light", ">= 45"), ("good-lab", "96-32, good-lab", ">= 15"),
          ("chain", "carry chain, more light", ">= 55"),
          ("signed-chain-8", "carry chain for 8 servers, more light, signed levels", ">= 60"),
          ("signed-chain-16", "carry chain for 16 servers, more light, signed levels", ">= 14"),
          ("chain-16", "carry chain for 16 servers, more light", "= 0"), ("as-published", "published, as published", "= 0"))),
    *((f"energy-{name}", "", f"pJ per bit at that rate, including clocks and equalisers: {design}",
       (picojoules, design), RUN)
      for name, design in (("published-shape", "published, noise-aware"), ("96-32", "96-32"),
                           ("chain", "carry chain, more light"))),
    ("points-moved", "= 0", f"designs of {AT_POINTS} whose point differs from that of the search", moved_points,
     f"{OPTINC} operating-point {LIST} --designs points.toml"),
    *((f"gradient-40-gbd-{name}", "<= 0.065", "relative error of a real gradient at 40 GBd, design-target chip, receivers of 24 GHz",
       (gradient_error, network, *POINT),
       " ".join((OPTINC, "run", SPLITTERS, *gradient_options(network), *POINT)))
      for name, network in SHAPES.items()),
    ("fastest-cascade", ">= 40", "GBd with <= 1e-4 of words wrong on 95 of 100 cascades of five carry chains, 16 servers",
     (rate, "cascade of carry chains, more light"), RUN),
    ("energy-cascade", "", "pJ per bit of that cascade", (picojoules, "cascade of carry chains, more light"), RUN),
    *((f"rare-{name}", target, f"GBd with <= 1e-6 of words wrong on 19 of 20 chips: {design}",
       (rare_gbd, design), " ".join((OPTINC, "operating-point", RARE, *RARE_OPTIONS)))
      for name, design, target in (("default-locks-chain", "carry chain, more light", "= 0"), ("chain", RARE_DESIGNS["chain"], ">= 30"))),
    *((f"rare-wrong-{name}", "<= 1e-6", f"share of words wrong at that point, mean of the chips: {design}",
       (at, rare, design, "wrong_words"), " ".join((OPTINC, "operating-point", RARE, *RARE_OPTIONS)))
      for name, design in RARE_DESIGNS.items()),
    ("clocked-rate", "", "words a second simulated, clocked, float32, published shape, each also without noise",
     (words_per_second, 1_000_000, *POINT), f"{OPTINC} run {BASE}"),
    ("unclocked-rate", "", "words a second simulated, unclocked, float32, published shape, each also without noise",
     (words_per_second, 40_000, *UNCLOCKED), f"{OPTINC} run {BASE}"),
    ("clocked-seconds", "<= 2", "run time of a million words in succession over that of settled ones", slowdown, f"{OPTINC} run {BASE}"),
)
