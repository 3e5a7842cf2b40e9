"""Group search: the best point of every design, by gradients of the Gaussian estimate of words wrong, confirmed by counting."""

import re
import time

from .claim import OPTINC, ROOT, at, claims_of, progress, shared

GROUP = "search"
SUMS, NETWORKS = "least_energy", "least_energy_networks"
ENERGY = ("--goal", "energy")
HELD = (*ENERGY, "--hold", "time.symbol_rate_bd")
SERVERS = (4, 8, 16)
CHAIN, TRAINED = "carry chain, signed levels", "96-32 in turn"


@shared
def derivatives(bench):
    """(worst relative difference of derivatives from difference quotients, number of derivatives)."""
    bench.run("cmake", "--preset", "ci")
    bench.run("cmake", "--build", "--preset", "ci", "--target", "test_onn")
    told = bench.run(ROOT / "build/ci/bin/test_onn", "derivatives of words wrong*")[0]
    found = re.search(r"derivatives: worst difference (\S+) of (\d+)", told)
    progress("   " + found.group(0))
    return float(found.group(1)), int(found.group(2))


def list_of(bench, name):
    return ROOT / f"experiments/data/lists/{name}.toml"


@shared
def points(bench, name, *options):
    """What optinc operating-point says of a list, by design, and its seconds."""
    begin = time.monotonic()
    told = bench.answer("operating-point", list_of(bench, name), *options)
    return {point["design"]: point for point in told["points"]}, time.monotonic() - begin


@shared
def alone(bench, name, design, *options):
    """Seconds of a search for one design of a list."""
    text = list_of(bench, name).read_text(encoding="utf-8")
    head, *designs = text.split("[[design]]\n")
    one = bench.folder / "one_design.toml"
    one.write_text(head + "[[design]]\n" + next(d for d in designs if d.startswith(f'name = "{design}"')), encoding="utf-8")
    begin = time.monotonic()
    bench.answer("operating-point", one, *options)
    return time.monotonic() - begin


def picojoules(bench, name, design, *options):
    """Energy per bit at the point, infinite where there is none."""
    point = points(bench, name, *options)[0][design]
    return 1e12 * point["energy_per_bit"] if point["found"] else float("inf")


def ratio(bench, servers):
    return picojoules(bench, SUMS, f"sums of {servers}, owners", *HELD) / picojoules(bench, SUMS, f"ring of {servers}", *HELD)


def run(name, *options):
    return " ".join((OPTINC, "operating-point", name, *options))


CLAIMS = claims_of(
    GROUP,
    ("derivatives", "<= 1e-5", "worst relative difference of derivatives of words wrong and energy from difference quotients: sums, ring, hub, "
     "carry chain; light, depth, bits, bandwidth, rate", (at, derivatives, 0), "build/ci/bin/test_onn 'derivatives of words wrong*'"),
    ("derivatives-counted", "", "derivatives compared", (at, derivatives, 1), "build/ci/bin/test_onn 'derivatives of words wrong*'"),
    *((f"ratio-{n}", "", f"energy per bit of sums of {n} at owners over a ring of the same bits, both at their least at 40 GBd and 1e-4 of words "
       "wrong; without serialisers and demultiplexers", (ratio, n), run(SUMS, *HELD)) for n in SERVERS),
    *((f"sums-{n}", "", f"pJ per bit of sums of {n} at owners at their least", (picojoules, SUMS, f"sums of {n}, owners", *HELD), run(SUMS, *HELD))
      for n in SERVERS),
    *((f"ring-{n}", "", f"pJ per bit of a ring of {n} at its least", (picojoules, SUMS, f"ring of {n}", *HELD), run(SUMS, *HELD)) for n in SERVERS),
    ("adder-8", "", "pJ per bit of an adder chip of 8 servers at its least", (picojoules, SUMS, "adder chip, 8 servers", *HELD), run(SUMS, *HELD)),
    ("chain", "<= 9", "pJ per bit of the carry chain at the old parts at its least, counted on 100 chips",
     (picojoules, NETWORKS, CHAIN, *ENERGY), run(NETWORKS, *ENERGY)),
    ("96-32", "", "pJ per bit of 96-32 at its least, counted on 100 chips", (picojoules, NETWORKS, TRAINED, *ENERGY), run(NETWORKS, *ENERGY)),
    ("seconds-sums", "<= 10", "seconds of the search for sums of 8 at owners", (alone, SUMS, "sums of 8, owners", *HELD), run(SUMS, *HELD)),
    ("seconds-96-32", "<= 180", "seconds of the search for 96-32 over all settings", (alone, NETWORKS, TRAINED, *ENERGY), run(NETWORKS, *ENERGY)))
