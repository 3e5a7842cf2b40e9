"""Group system: one chip, described once, whose numbers agree with each other."""

import math
import re

from .claim import OPTINC, ROOT, Measured, at, claims_of, progress, sets, shared, stored
from .learning import HEADLINE, headline

GROUP = "system"
DESIGNS = "experiments/data/lists/published.toml"
POINTS = "experiments/data/lists/at_operating_points.toml"
LIGHT = sets("task.rounding=half-up", "chip.preset=good-lab", "link.signal_full_scale_w=1e-3", "receiver.lo_power_w=1e-2")
NETWORKS = {"published": "shipped/published", "64x5": "shipped/64x5_standin", "chain": "carry-chain"}


# -- the runs that several claims share

@shared
def reference(bench):
    """(worst difference in digits, non-idealities, networks, words) that the contract test of the slow chip met."""
    bench.run("cmake", "--preset", "ci")
    bench.run("cmake", "--build", "--preset", "ci", "--target", "test_onn")
    told = bench.run(ROOT / "build/ci/bin/test_onn", "transmit is the reference*")[0]
    found = re.search(r"worst difference (\S+) digit, (\d+) non-idealities, (\d+) networks, (\d+) words", told)
    progress("   " + found.group(0))
    return tuple(float(value) for value in found.groups())


@shared
def powers(bench, name):
    """[(stage, dBm in the study, dBm in the budget)] at every receiver of a unit with this network."""
    source = sets(f"network.source={NETWORKS[name]}")
    study = bench.folder / f"study-{name}.toml"
    study.write_text('study = "light"\n[runner]\ntrials = 1\n[measure]\nwords = 16\nvariants = ["noisy"]\n')
    power, weakest = stored(bench.result(f"light-{name}", study, *source, *LIGHT), "trials/receiver_power", "trials/received_power")
    layers, weakest = power[0, 0, :], float(weakest[0, 0])
    stages = bench.answer("budget", study, *source, *LIGHT)
    budget = {stage["name"]: stage["received_w"] for stage in stages["stages"]}
    dbm = lambda watts: 10 * math.log10(watts / 1e-3)  # noqa: E731
    found = [(f"layer {number}", dbm(watts), dbm(budget[f"layer {number}"]))
             for number, watts in enumerate(layers, 1) if budget[f"layer {number}"] > 0]
    # the servers' receivers, digit by digit: layers without a budget entry of their own end at unit T
    at_servers = [dbm(watts) for number, watts in enumerate(layers, 1)
                  if not math.isnan(watts) and budget[f"layer {number}"] == 0]
    answers = sorted({round(dbm(answer["answer_received_w"]), 6) for answer in stages["answers"]})
    found += [("a digit at the servers", a, b) for a, b in zip(sorted(at_servers), answers, strict=True)] \
        if len(at_servers) == len(answers) else \
        [("a digit at the servers", a, min(answers, key=lambda b, a=a: abs(a - b))) for a in at_servers]
    found.append(("weakest digit", dbm(weakest), dbm(budget["unit T"])))
    for where, a, b in found:
        progress(f"   {where}: {a:.4f} dBm in the study, {b:.4f} dBm in the budget")
    return found


@shared
def rows_with_rates(bench):
    """[(where, symbol rate, bound, whether it is marked, energy per bit or None)] of all that prints a symbol rate."""
    found = []
    for name, source in NETWORKS.items():
        told = bench.answer("budget", *sets(f"network.source={source}", "task.rounding=half-up"))
        found.append((f"budget {name}", told["symbol_rate_bd"], told["symbol_rate_limit_bd"], not told["rate_reachable"],
                      told["energy_per_bit_j"]))
    designs = [row for path in (DESIGNS, POINTS) for row in bench.answer("compare-costs", path)["designs"]]
    limits = {}
    for row in designs:
        limits[row["design"]] = row["symbol_rate_limit"]
        found.append((f"design {row['design']}", row["symbol_rate"], row["symbol_rate_limit"], not row["rate_reachable"],
                      row["energy_per_bit"]))
    rates = {row["design"]: row["symbol_rate"] for row in designs}
    for (name, servers), row in headline(bench)[0].items():
        if row.get("design"):
            found.append((f"interconnect {name}, {servers} servers", rates[row["design"]], limits[row["design"]],
                          not row["rate_reachable"], None))
    return found


# -- the measurements

def worst_db(bench, name):
    return max(abs(a - b) for _, a, b in powers(bench, name))


def silent(bench):
    """Rows whose rate is beyond the bound of their devices and that are not marked, or that form an energy per bit."""
    rows = rows_with_rates(bench)
    marked = sum(row[3] for row in rows)
    progress(f"   {len(rows)} rows with a symbol rate, {marked} marked as beyond the bound of their devices")
    return sum(rate > bound and (not mark or energy is not None) for _, rate, bound, mark, energy in rows)


def marked(bench):
    return sum(row[3] for row in rows_with_rates(bench))


def by_hand(bench, name):
    """Energy of the headline's iteration over what its printed watts, seconds and bits give by hand."""
    row = headline(bench)[0][name, 4]
    seconds = row["total_s"]
    terms = (row["chips"] * row["chip_static_w"] * seconds, row["chips"] * row["chip_symbol_w"] * row["symbols_s"],
             row["transceivers_w"] * seconds, row["switched_bits"] * 10e-12)
    hand = math.fsum(terms)
    text = (f"by hand {hand:.4g} J: {row['chips']:g} chips x {row['chip_static_w']:.4g} W x {1e3 * seconds:.4g} ms, drivers "
            f"{terms[1]:.3g} J, {row['transceivers_w']:.4g} W of transceivers, switches {terms[3]:.2g} J")
    return Measured(row["energy_j"], text, abs(row["energy_j"] / hand - 1) <= 0.01)


def described_again(bench):
    told = bench.run("python3", "tests/one_description.py")[0]
    return float(re.search(r"(\d+) that describe a device again", told).group(1))


TEST = "build/ci/bin/test_onn 'transmit is the reference*'"
CLAIMS = claims_of(GROUP,
    ("reference-difference", "<= 1e-10", "digit: transmit against a slow chip built from device functions, without noise",
     (at, reference, 0), TEST),
    ("reference-switches", ">= 20", "non-idealities, each alone and all together", (at, reference, 1), TEST),
    ("reference-networks", ">= 7", "networks: trained kind, ceilings, carry chains, both levels of a cascade",
     (at, reference, 2), TEST),
    *((f"dbm-{name}", "<= 0.01", f"largest difference in dB between study and budget at any receiver of {source}", (worst_db, name),
       f"{OPTINC} budget --set network.source={source} and metric receiver_power of a study")
      for name, source in NETWORKS.items()),
    *((f"energy-{short}", "", "J of network energy per iteration, ResNet50, 4 servers", (by_hand, name), f"{OPTINC} interconnect {HEADLINE}")
      for short, name in (("published", "F2 ResNet50 OptINC"), ("96-32", "F2 ResNet50 OptINC, 96-32"), ("chain", "F2 ResNet50 OptINC, carry chain"),
                          ("ring", "F2 ResNet50 ring"))),
    ("rates-silent", "= 0", "rows of budget, designs and interconnect above the bound of their devices, unmarked or with pJ/bit",
     silent, f"{OPTINC} compare-costs {DESIGNS}"),
    ("rates-marked", ">= 1", "rows marked as above the bound of their devices", marked, f"{OPTINC} compare-costs {DESIGNS}"),
    ("one-description", "= 0", "structs that describe a modulator, receiver, converter, heater or laser a second time",
     described_again, "python3 tests/one_description.py"),
)
