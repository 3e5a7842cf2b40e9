"""Group oddl: circuits of light as a system: their control, their light, and jobs on a whole cluster."""

import json
import re

from .claim import OPTINC, ROOT, at, claims_of, machine, shared

GROUP = "oddl"
LIST = "experiments/data/lists/oddl.toml"
DAYS = "experiments/data/lists/oddl_days.toml"
SMALL = "experiments/data/lists/oddl_optinc.toml"
FAILURES = "experiments/data/lists/oddl_failures.toml"
SPLIT = "experiments/data/lists/oddl_parallel.toml"
TRACED = "tests/data/chakra/two_stages.toml"
COMMAND, OF_DAYS, OF_SMALL, OF_FAILURES, OF_SPLIT, OF_TRACED = (f"{OPTINC} cluster {path}" for path in (LIST, DAYS, SMALL, FAILURES, SPLIT, TRACED))
ARRANGEMENTS = "experiments/data/lists/arrangements.toml"
OF_ARRANGEMENTS = f"{OPTINC} interconnect {ARRANGEMENTS}"
FLOWS = "a hundred thousand flows at once*"


@shared
def answered(bench, path):
    """A list as optinc cluster answers it: (rows by kind, seconds, peak bytes)."""
    told, seconds, _ = bench.optinc("cluster", path, "--json", "--quiet")
    return json.loads(told), seconds, bench.peak_bytes


def rows(bench, kind, path=LIST):
    return answered(bench, path)[0][kind]


def named(bench, kind, name, path=LIST, **keys):
    """The rows of that name in which keys have these values."""
    return [row for row in rows(bench, kind, path) if row["name"] == name and all(row[key] == value for key, value in keys.items())]


def of(kind, name, key, path=LIST, **keys):
    """The measurement of a key in the first row of that name in which other keys have these values."""
    return lambda bench: named(bench, kind, name, path, **keys)[0][key]


def limit_us(bench, name):
    return 1e6 * of("testbeds", name, "limit_tuning_s")(bench)


def within(bench, share=0.05):
    """(conditions whose two ratios are within `share` of 1.6 and 1.7, of the first, of the second)."""
    all_rows = rows(bench, "competitions")
    tree, ring = (lambda row: abs(row["fat_tree_ratio"] / 1.6 - 1) <= share), (lambda row: abs(row["sip_ring_ratio"] / 1.7 - 1) <= share)
    return [sum(map(test, all_rows)) for test in (lambda row: tree(row) and ring(row), tree, ring)]


def both_published(bench):
    """Of six draws, those within 5 % of both published ratios."""
    return sum(abs(row["fat_tree_ratio"] / 1.6 - 1) <= 0.05 and abs(row["sip_ring_ratio"] / 1.7 - 1) <= 0.05
               for row in named(bench, "competitions", "ECMP, six draws"))


def off_by_hand(bench):
    """By how much the iteration of a trace is off what it is by hand, relative."""
    return abs(rows(bench, "iterations", TRACED)[0]["iteration_s"] / 8.95e-3 - 1)


def memory_gb(bench):
    return answered(bench, DAYS)[2] / 1e9


def events_a_second(bench):
    return sum(row["events"] for row in rows(bench, "days", DAYS)) / answered(bench, DAYS)[1]


PAM4 = dict(kind="light_paths", name="PAM4, 53 GBd", switch_ports=20)
SIXTEEN = dict(kind="competitions", name="jobs of 16 nodes", path=SMALL, scattered=0.0, overlap=False, compute_s=0.046)


def split_over_oddl(bench, name, network):
    """Iteration of LLaMA-7B, split so, at 100 Gb/s, over that on ODDL."""
    on = {row["network"]: row["iteration_s"] for row in named(bench, "iterations", name, SPLIT, rate_bit_per_s=1e11)}
    return on[network] / on["oddl"]


@shared
def arranged(bench, servers=256):
    """The list of arrangements, as optinc interconnect answers it: scenarios by name."""
    return {row["name"]: row for row in bench.answer("interconnect", ARRANGEMENTS)["scenarios"] if row["servers"] == servers}


def over_ring(bench, name, key):
    """Time (total_s) or energy (energy_j) of an iteration of 256 servers over that of a ring of 32 bits."""
    return arranged(bench)[name][key] / arranged(bench)["ring, 32 bits"][key]


def solved_flows(bench):
    bench.run("cmake", "--preset", "ci")
    bench.run("cmake", "--build", "--preset", "ci", "--target", "test_experiments")
    return float(re.search(r"max-min rates of 100000 flows .*: (\S+) s", bench.run(ROOT / "build/ci/bin/test_experiments", FLOWS)[0]).group(1))


CLAIMS = claims_of(GROUP,
    ("four-nodes-ring", "<= 1.02", "exchange time of ResNet50's gradient over that on an ideal switch, ring, lasers tuned in 100 ns",
     of("testbeds", "ring, circuits held", "ratio", tuning_s=1e-7), COMMAND),
    ("four-nodes-all-to-all", "<= 1.02", "the same, all-to-all, a circuit for every flow",
     of("testbeds", "all-to-all", "ratio", tuning_s=1e-7), COMMAND),
    ("limit-ring", "", "us: slowest tuning within 2 % of the ideal switch, ring whose circuits are held",
     (limit_us, "ring, circuits held"), COMMAND),
    ("limit-all-to-all", "", "us: the same, all-to-all", (limit_us, "all-to-all"), COMMAND),
    ("round-robin-ring", "", "exchange over that of an ideal switch, ring in round-robin slots, 100 ns",
     of("testbeds", "ring, round-robin", "ratio", tuning_s=1e-7), COMMAND),
    ("pam4-reach", "= 1", "1 if PAM4 at 53 GBd crosses the switches of 1,024 nodes, -45 dB of crosstalk per port",
     of(key="reaches", crosstalk_db=-45.0, **PAM4), COMMAND),
    ("pam4-crosstalk", "= 0", "the same at -35 dB",
     of(key="reaches", crosstalk_db=-35.0, **PAM4), COMMAND),
    ("blocking", "= 0", "share of connections of a permutation of 1,024 nodes without a wavelength, 64 channels, first fit",
     of(key="blocked_first_fit", crosstalk_db=-45.0, **PAM4), COMMAND),
    ("published-both", "", "conditions of VGG19 on 1,024 nodes within 5 % of 1.6 over a fat-tree and of 1.7 over SiP-Ring",
     (at, within, 0), COMMAND),
    ("published-fat-tree", "", "of these, those within 5 % of the first alone", (at, within, 1), COMMAND),
    ("published-sip-ring", "", "of these, those within 5 % of the second alone", (at, within, 2), COMMAND),
    ("published-draws", "", "of six draws of 1 % scattered nodes, oversubscription 2, 0.48 s of compute time: those within 5 % of both",
     both_published, COMMAND),
    ("sixteen-aggregation", "", "iteration of VGG19 on 16 nodes, 0.046 s of computing, no overlap: adding in switches of a fat-tree over ODDL",
     of(key="adding_fat_tree_ratio", **SIXTEEN), OF_SMALL),
    ("sixteen-optinc", "", "the same through two levels of OptINC's units at their operating point, codes of 8 bits",
     of(key="optinc_ratio", **SIXTEEN), OF_SMALL),
    *((f"sixteen-{network}-energy", "", f"J of an iteration of it on {network}, light that is switched and amplified included",
       of(key=f"{network}_j", **SIXTEEN), OF_SMALL) for network in ("oddl", "optinc")),
    ("failure-fibre", "= 1", "iteration of VGG19 on 16 ODDL nodes after one of two fibres of a group fails, over that before",
     of("failures", "one of two fibres", "ratio", FAILURES, component="fibre"), OF_FAILURES),
    ("failure-only-fibre", "= 0", "1 if the job goes on after the only fibre of a group fails",
     of("failures", "the only fibre", "goes_on", FAILURES), OF_FAILURES),
    *((f"failure-transceiver-{network}", "", f"iteration after one of two transceivers of a node fails over that before, {network}",
       of("failures", "one of two transceivers", "ratio", FAILURES, network=network), OF_FAILURES)
      for network in ("oddl", "optinc")),
    ("failure-unit", "", "the same after OptINC's unit fails and no spare one takes over",
     of("failures", "unit, no spare", "ratio", FAILURES), OF_FAILURES),
    ("thousand-aggregation", "", "adding in switches over ODDL, VGG19 on 1,024 nodes, 0.046 s of computing, no overlap",
     of("competitions", "ECMP", "adding_fat_tree_ratio", load=0.0, scattered=0.0, oversubscription=1.0, overlap=False, compute_s=0.046),
     COMMAND),
    ("resnet50-optinc", "<= 0.78", "iteration of ResNet50 on 4 servers through OptINC over that of a ring on ODDL, no overlap (published: 0.74)",
     of("competitions", "ResNet50, 4 servers", "optinc_ratio", SMALL, overlap=False), OF_SMALL),
    ("llama-optinc", "<= 0.85", "the same of LLaMA (published: 0.83)",
     of("competitions", "LLaMA, 4 servers", "optinc_ratio", SMALL, overlap=False), OF_SMALL),
    ("split-replicas-aggregation", "", "iteration of LLaMA-7B on 128 nodes at 100 Gb/s, 128 replicas: adding in switches over ODDL",
     (split_over_oddl, "128 replicas", "adding-fat-tree"), OF_SPLIT),
    ("split-stages-optinc", "", "the same of 16 replicas in 8 pipeline stages: OptINC over ODDL",
     (split_over_oddl, "16 replicas in 8 stages", "optinc"), OF_SPLIT),
    ("split-layers-optinc", "", "the same of 16 replicas whose layers lie on 8 ranks each: OptINC over ODDL",
     (split_over_oddl, "16 replicas on 8 ranks each", "optinc"), OF_SPLIT),
    ("trace", "<= 1e-6", "iteration of four ranks whose Chakra traces protoc encoded, over 8.95 ms by hand, less 1",
     off_by_hand, OF_TRACED),
    *((f"arrangement-{name}", target, f"iteration of ResNet50 on 256 servers over that of a ring of 32 bits: {scenario}",
       (over_ring, scenario, "total_s"), OF_ARRANGEMENTS)
      for name, scenario, target in (("tree", "tree of 4", "<= 0.7"), ("adding", "in-network aggregation, 8 bits", "<= 0.7"),
                                     ("fast-circuits", "fast circuits, N/4 units", ""), ("mirrors", "mirrors, N/4 units", ""))),
    *((f"arrangement-energy-{name}", "", f"energy of the network in such an iteration over that of the ring: {scenario}",
       (over_ring, scenario, "energy_j"), OF_ARRANGEMENTS)
      for name, scenario in (("tree", "tree of 4"), ("trained", "tree of 4, trained"), ("radix-16", "tree of 16"),
                             ("adding", "in-network aggregation, 8 bits"), ("fast-circuits", "fast circuits, N/4 units"))),
    *((f"arrangement-units-{name}", target, f"units for 256 servers: {scenario}",
       (at, arranged, scenario, "units"), OF_ARRANGEMENTS)
      for name, scenario, target in (("tree", "tree of 4", "= 85"), ("radix-16", "tree of 16", "= 17"),
                                     ("circuits", "fast circuits, N/4 units", "= 64"))),
    ("day-fat-tree", "", "iteration time over that on an ideal network, a day of 1,024 nodes, packed, fat-tree",
     of("days", "a day, packed", "mean_stretch", DAYS, network="fat-tree"), OF_DAYS),
    ("day-oddl", "", "the same on ODDL", of("days", "a day, packed", "mean_stretch", DAYS, network="oddl"), OF_DAYS),
    *((f"day-delayed-{channels}", target, f"jobs of a day, scattered over ODDL, that wait for a wavelength, {channels} channels",
       of("days", "a day, scattered, fewer channels", "delayed", DAYS, band_hz=channels * 75e9), OF_DAYS)
      for channels, target in ((64, "= 0"), (16, ""))),
    ("day-seconds", "<= 600", f"s for the days' list: a day of 1,024 nodes, packed, and six hours, scattered too ({machine()})",
     (at, (answered, DAYS), 1), OF_DAYS),
    ("day-memory", "<= 4", "GB of memory for it", memory_gb, OF_DAYS),
    ("day-events", "", "events a second of it, iterations that repeat not counted",
     events_a_second, OF_DAYS),
    ("flows", "<= 10", f"s for the max-min rates of 100,000 flows between 1,024 hosts ({machine()})", solved_flows, f"build/ci/bin/test_experiments '{FLOWS}'"),
)
