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
AVERAGES, DRAWS = "which_average", 200
COUNTED = "least_energy_counted"


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


def of_parts(bench, servers):
    """pJ per bit of sums of so many servers from published parts: at owners; of 16 in two levels, of which the upper serves
    four servers a bit."""
    if servers < 16:
        return picojoules(bench, AVERAGES, f"sums of {servers}, owners", *HELD)
    return picojoules(bench, AVERAGES, "sums of 16, lower units", *HELD) + picojoules(bench, AVERAGES, "sums of 16, upper unit", *HELD) / 4


def ratio_of_parts(bench, servers):
    return of_parts(bench, servers) / picojoules(bench, AVERAGES, f"ring of {servers}", *HELD)


@shared
def draws(bench):
    """What optinc operating-point --draws says, by design."""
    told = bench.answer("operating-point", list_of(bench, AVERAGES), *ENERGY, "--draws", DRAWS)
    return {design["design"]: design for design in told["designs"]}


def quantile(bench, design, number, what="energy_per_bit"):
    """pJ per bit at 10, 50 or 90 % of the draws, by the estimate or counted; infinite where they have no point."""
    energy = draws(bench)[design]["quantiles"][number][what]
    return float("inf") if energy is None else 1e12 * energy


def won(bench, servers):
    return draws(bench)[f"sums of {servers}, owners"]["less_than"][f"ring of {servers}"]


def front(bench):
    """Points of sums of 8 and of a ring over symbol rates, with the best number of taps, that decode."""
    found, _ = points(bench, SUMS, *ENERGY, "--rates", 20e9, 28e9, 40e9, 50e9, "--choose", "time.equaliser_taps=1,3,5", "--chips", 20)
    return sum(point["found"] for point in found.values())


def run(name, *options):
    return " ".join((OPTINC, "operating-point", name, *options))


def ratio_counted(bench, name):
    """Energy of sums of 8 over a ring's, with locks and serialisers."""
    return picojoules(bench, COUNTED, name, *HELD) / picojoules(bench, COUNTED, "ring of 8", *HELD)


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
    *((f"ratio-8-counted{more}", "", f"energy per bit of sums of 8 at owners over a ring of the same bits, with locks and serialisers{said}",
       (ratio_counted, f"sums of 8, owners{name}"), run(COUNTED, *HELD))
      for more, said, name in (("", "", ""), ("-multiplexed", ", a wavelength an owner by multiplexers of 2 dB", ", multiplexed"))),
    ("chain", "<= 9", "pJ per bit of the carry chain at the old parts at its least, counted on 100 chips",
     (picojoules, NETWORKS, CHAIN, *ENERGY), run(NETWORKS, *ENERGY)),
    ("96-32", "", "pJ per bit of 96-32 at its least, counted on 100 chips", (picojoules, NETWORKS, TRAINED, *ENERGY), run(NETWORKS, *ENERGY)),
    *((f"parts-ratio-{n}", "", f"energy per bit of sums of {n} over a ring of the same bits, both of published parts at 28 GBd"
       + (", sums in two levels" if n == 16 else ""), (ratio_of_parts, n), run(AVERAGES, *HELD)) for n in SERVERS),
    *((f"draws-{kind}-{n}-{share}", "", f"pJ per bit of {name.format(n)} below which {share} % of {DRAWS} draws of whole parts lie",
       (quantile, name.format(n), number), run(AVERAGES, *ENERGY, "--draws", str(DRAWS)))
      for n in (4, 8) for kind, name in (("sums", "sums of {}, owners"), ("ring", "ring of {}"))
      for number, share in enumerate((10, 50, 90))),
    *((f"draws-won-{n}", "", f"share of the draws in which sums of {n} take less energy than a ring", (won, n),
       run(AVERAGES, *ENERGY, "--draws", str(DRAWS))) for n in (4, 8)),
    ("front", "", "points of list least_energy at 20, 28, 40 and 50 GBd, with 1, 3 or 5 taps, that decode", front,
     run(SUMS, *ENERGY, "--rates 20e9 28e9 40e9 50e9 --choose time.equaliser_taps=1,3,5 --chips 20")),
    ("seconds-sums", "<= 10", "seconds of the search for sums of 8 at owners", (alone, SUMS, "sums of 8, owners", *HELD), run(SUMS, *HELD)),
    ("seconds-96-32", "<= 180", "seconds of the search for 96-32 over all settings", (alone, NETWORKS, TRAINED, *ENERGY), run(NETWORKS, *ENERGY)))
