"""Group search: the best point of every design, by gradients of the Gaussian estimate of words wrong, confirmed by counting."""

import re
import time

from .claim import OPTINC, ROOT, at, claims_of, progress, shared

GROUP = "search"
SUMS, NETWORKS = "least_energy", "least_energy_networks"
ENERGY = ("--goal", "energy")
HELD = (*ENERGY, "--hold", "time.symbol_rate_bd")
PARTS = (*HELD, "--chips", 20)  # as docs/results.md has it
ALL_COUNTED = ("--set", "budget.lock_w=5e-3", "--set", "budget.serialiser_j_per_bit=0.2e-12", "--set", "fibre.multiplexer_loss_db=2")
SERVERS = (4, 8, 16)
CHAIN, TRAINED = "carry chain, signed levels", "96-32"
AVERAGES, MANY = "which_average", "which_average_many"
DRAWN, DRAWS = "which_average_draws", (*ENERGY, "--draws", 200, "--chips", 20)
DRAWN_SUMS = {4: "sums of 4, owners", 8: "sums of 8, owners", 16: "sums of 16, two levels"}
OF_UNIT = {16: 4, 64: 8, 256: 16}  # servers of two levels: those of a unit
ARCHITECTURES = "architectures"
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


def list_for(servers):
    return MANY if servers in OF_UNIT else AVERAGES


def of_parts(bench, servers, *more):
    """pJ per bit of sums of so many servers from published parts: at owners; of 16 and more in two levels, of which the upper
    serves all servers of a unit a bit. `more`: further options."""
    if servers not in OF_UNIT:
        return picojoules(bench, AVERAGES, f"sums of {servers}, owners", *PARTS, *more)
    lower, upper = (picojoules(bench, MANY, f"sums of {servers}, {unit}", *PARTS, *more) for unit in ("lower units", "upper unit"))
    return lower + upper / OF_UNIT[servers]


def ratio_of_parts(bench, servers, *more):
    return of_parts(bench, servers, *more) / picojoules(bench, list_for(servers), f"ring of {servers}", *PARTS, *more)


def nanoseconds(bench, servers, way):
    """From the first symbol in to its code out at the point, fibres left out, of sums or a ring; infinite without a point."""
    designs = ([f"ring of {servers}"] if way == "ring" else [f"sums of {servers}, owners"] if servers not in OF_UNIT
               else [f"sums of {servers}, lower units", f"sums of {servers}, upper unit"])
    found = [points(bench, list_for(servers), *PARTS)[0][design] for design in designs]
    return sum(1e9 * point["delay"] if point["found"] else float("inf") for point in found)


@shared
def architectures(bench):
    """What optinc compare-costs says of units with neurons, by design."""
    told = bench.answer("compare-costs", list_of(bench, ARCHITECTURES))
    return {design["design"]: design for design in told["designs"]}


def undercut(bench):
    """Candidates whose neurons alone take less than sums of as many servers in all."""
    sums = {n: picojoules(bench, SUMS, f"sums of {n}, owners", *HELD) for n in SERVERS}
    return sum(1e12 * of["neurons_per_bit"] < sums[of["servers"]] for of in architectures(bench).values())


def neurons_paid(bench):
    """Neurons of 96-32's kind that take, without light, what sums of four take in all."""
    of = architectures(bench)[TRAINED]
    return picojoules(bench, SUMS, "sums of 4, owners", *HELD) / (1e12 * of["neurons_per_bit"] / of["neurons"])


@shared
def draws(bench, *more):
    """What optinc operating-point --draws says, by design."""
    return {design["design"]: design for design in bench.answer("operating-point", list_of(bench, DRAWN), *DRAWS, *more)["designs"]}


def quantile(bench, design, number):
    """pJ per bit at 10, 50 or 90 % of the draws, by the estimate; infinite where they have no point."""
    energy = draws(bench)[design]["quantiles"][number]["energy_per_bit"]
    return float("inf") if energy is None else 1e12 * energy


def won(bench, servers, *more):
    return draws(bench, *more)[DRAWN_SUMS[servers]]["less_than"][f"ring of {servers}"]


def counted_draws(bench):
    """(estimated, counted) energy of every draw at a quantile that has a point; counted: infinite where none is confirmed."""
    return [(of["energy_per_bit"], float("inf") if of["counted"] is None else of["counted"])
            for design in draws(bench).values() for of in design["quantiles"] if of["draw"] >= 0]


def off_by_counting(bench):
    """Worst relative difference of a draw's energy once counted from the estimate."""
    return max(abs(counted / estimated - 1) for estimated, counted in counted_draws(bench))


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
       (ratio_counted, f"sums of 8, {name}"), run(COUNTED, *HELD))
      for more, said, name in (("", "", "owners"), ("-multiplexed", ", a wavelength an owner by multiplexers of 2 dB", "owners, multiplexed"),
                              ("-at-the-unit", ", decided by the unit", "at the unit"))),
    ("chain", "<= 9", "pJ per bit of the carry chain at the old parts at its least, counted on 100 chips",
     (picojoules, NETWORKS, CHAIN, *ENERGY), run(NETWORKS, *ENERGY)),
    ("96-32", "<= 83", "pJ per bit of 96-32 at its least, counted on 100 chips; 83 with its light as it was trained", (picojoules, NETWORKS, TRAINED, *ENERGY), run(NETWORKS, *ENERGY)),
    *((f"parts-ratio-{n}", "", f"energy per bit of sums of {n} over a ring of the same bits, both of published parts at 28 GBd"
       + (", sums in two levels" if n in OF_UNIT else ""), (ratio_of_parts, n), run(list_for(n), *map(str, PARTS))) for n in (*SERVERS, 64)),
    *((f"parts-all-counted-{n}", "", f"the same for {n} servers with phase locks, serialisers and, for sums, multiplexers of 2 dB",
       (ratio_of_parts, n, *ALL_COUNTED), run(list_for(n), *map(str, PARTS), *ALL_COUNTED)) for n in SERVERS),
    ("parts-sums-256", "", "pJ per bit of sums of 256 in two levels of 16, of published parts; infinite: no converter tells sums of 16 apart",
     (of_parts, 256), run(MANY, *map(str, PARTS))),
    *((f"parts-ring-{n}", "", f"pJ per bit of a ring of {n} of published parts", (picojoules, MANY, f"ring of {n}", *PARTS), run(MANY, *map(str, PARTS)))
      for n in (64, 256)),
    *((f"latency-{way}-{n}", "", f"ns from the first symbol in to its code out, fibres left out: {said} of {n}", (nanoseconds, n, way),
       run(list_for(n), *map(str, PARTS))) for n in (8, 64) for way, said in (("sums", "sums"), ("ring", "a ring"))),
    ("architectures", "", "units with neurons in list architectures", lambda bench: len(architectures(bench)), f"{OPTINC} compare-costs {ARCHITECTURES}"),
    ("architectures-below", "", "of these, those whose neurons' receivers, drivers and clocks alone take less than sums of as many servers in all",
     undercut, f"{OPTINC} compare-costs {ARCHITECTURES}"),
    ("neurons-paid", "", "neurons that take, without light, converters and heaters, what sums of four take in all (96-32 has 480)", neurons_paid,
     f"{OPTINC} compare-costs {ARCHITECTURES}"),
    *((f"draws-{kind}-{n}-{share}", "", f"pJ per bit of {name} below which {share} % of 200 draws of whole parts lie; infinite: no point there",
       (quantile, name, number), run(DRAWN, *map(str, DRAWS)))
      for n in SERVERS for kind, name in (("sums", DRAWN_SUMS[n]), ("ring", f"ring of {n}")) for number, share in enumerate((10, 50, 90))),
    *((f"draws-won-{n}", "", f"share of the draws in which sums of {n} take less energy than a ring", (won, n), run(DRAWN, *map(str, DRAWS)))
      for n in SERVERS),
    *((f"draws-all-counted-won-{n}", "", "the same with phase locks, serialisers and, for sums, multiplexers of 2 dB",
       (won, n, *ALL_COUNTED), run(DRAWN, *map(str, DRAWS), *ALL_COUNTED)) for n in SERVERS),
    ("draws-counted", "", "draws at 10, 50 and 90 % of each design that have a point, and whose words were counted",
     lambda bench: len(counted_draws(bench)), run(DRAWN, *map(str, DRAWS))),
    ("draws-unconfirmed", "= 0", "of these that miss the share of wrong words when they are counted, at any light that was tried",
     lambda bench: sum(counted == float("inf") for _, counted in counted_draws(bench)), run(DRAWN, *map(str, DRAWS))),
    ("draws-off", "", "worst relative difference of their energies once counted (20 chips) from the estimate", off_by_counting,
     run(DRAWN, *map(str, DRAWS))),
    ("front", "", "points of list least_energy at 20, 28, 40 and 50 GBd, with 1, 3 or 5 taps, that decode", front,
     run(SUMS, *ENERGY, "--rates 20e9 28e9 40e9 50e9 --choose time.equaliser_taps=1,3,5 --chips 20")),
    ("seconds-sums", "<= 10", "seconds of the search for sums of 8 at owners", (alone, SUMS, "sums of 8, owners", *HELD), run(SUMS, *HELD)),
    ("seconds-96-32", "<= 180", "seconds of the search for 96-32 over all settings", (alone, NETWORKS, TRAINED, *ENERGY), run(NETWORKS, *ENERGY)))
