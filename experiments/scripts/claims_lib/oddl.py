"""Group oddl: circuits of light as a system: their control, their light, and jobs on a whole cluster."""

import json

from .claim import OPTINC, Claim

GROUP = "oddl"
LIST = "experiments/data/lists/oddl.toml"
COMMAND = f"{OPTINC} cluster {LIST}"


def rows(bench, kind):
    """The rows of one kind of the list, as optinc cluster answers them."""
    return bench.once("oddl", lambda: json.loads(bench.optinc("cluster", LIST, "--json", "--quiet")[0]))[kind]


def named(bench, kind, name, **keys):
    """The rows of that name in which keys have these values."""
    return [row for row in rows(bench, kind) if row["name"] == name and all(row[key] == value for key, value in keys.items())]


def limit_us(bench, name):
    return 1e6 * named(bench, "testbeds", name)[0]["limit_tuning_s"]


def ratio(bench, name, tuning_s):
    return named(bench, "testbeds", name, tuning_s=tuning_s)[0]["ratio"]


def within(bench, share=0.05):
    """(conditions whose two ratios are within `share` of 1.6 and 1.7, of the first, of the second)."""
    all_rows = rows(bench, "competitions")
    tree, ring = (lambda row: abs(row["fat_tree_ratio"] / 1.6 - 1) <= share), (lambda row: abs(row["sip_ring_ratio"] / 1.7 - 1) <= share)
    return [sum(map(test, all_rows)) for test in (lambda row: tree(row) and ring(row), tree, ring)]


def light(bench, name, **keys):
    return named(bench, "light_paths", name, **keys)[0]


CLAIMS = [Claim(GROUP, *claim) for claim in (
    ("four-nodes-ring", "<= 1.02", "exchange time of ResNet50's gradient over that on an ideal switch, ring, lasers tuned in 100 ns",
     lambda bench: ratio(bench, "ring, circuits held", 1e-7), COMMAND),
    ("four-nodes-all-to-all", "<= 1.02", "the same, all-to-all, a circuit for every flow",
     lambda bench: ratio(bench, "all-to-all", 1e-7), COMMAND),
    ("limit-ring", "", "us: slowest tuning within 2 % of the ideal switch, ring whose circuits are held",
     lambda bench: limit_us(bench, "ring, circuits held"), COMMAND),
    ("limit-all-to-all", "", "us: the same, all-to-all", lambda bench: limit_us(bench, "all-to-all"), COMMAND),
    ("round-robin-ring", "", "exchange over that of an ideal switch, ring in round-robin slots, 100 ns",
     lambda bench: ratio(bench, "ring, round-robin", 1e-7), COMMAND),
    ("pam4-reach", "= 1", "1 if PAM4 at 53 GBd crosses the switches of 1,024 nodes, -45 dB of crosstalk per port",
     lambda bench: light(bench, "PAM4, 53 GBd", crosstalk_db=-45.0, switch_ports=20)["reaches"], COMMAND),
    ("pam4-crosstalk", "= 0", "the same at -35 dB",
     lambda bench: light(bench, "PAM4, 53 GBd", crosstalk_db=-35.0, switch_ports=20)["reaches"], COMMAND),
    ("blocking", "= 0", "share of connections of a permutation of 1,024 nodes without a wavelength, 64 channels, first fit",
     lambda bench: light(bench, "PAM4, 53 GBd", crosstalk_db=-45.0, switch_ports=20)["blocked_first_fit"], COMMAND),
    ("published-both", "", "conditions of VGG19 on 1,024 nodes within 5 % of 1.6 over a fat-tree and of 1.7 over SiP-Ring",
     lambda bench: within(bench)[0], COMMAND),
    ("published-fat-tree", "", "of these, those within 5 % of the first alone", lambda bench: within(bench)[1], COMMAND),
    ("published-sip-ring", "", "of these, those within 5 % of the second alone", lambda bench: within(bench)[2], COMMAND),
    ("published-draws", "", "of six draws of 1 % scattered nodes, oversubscription 2, 0.48 s of compute time: those within 5 % of both",
     lambda bench: sum(abs(row["fat_tree_ratio"] / 1.6 - 1) <= 0.05 and abs(row["sip_ring_ratio"] / 1.7 - 1) <= 0.05
                       for row in named(bench, "competitions", "ECMP, six draws")), COMMAND),
    ("day-fat-tree", "", "iteration time over that on an ideal network, a day of 1,024 nodes, packed, fat-tree",
     lambda bench: named(bench, "days", "a day, packed", network="fat-tree")[0]["mean_stretch"], COMMAND),
    ("day-oddl", "", "the same on ODDL", lambda bench: named(bench, "days", "a day, packed", network="oddl")[0]["mean_stretch"], COMMAND),
)]
