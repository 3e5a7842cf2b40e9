#!/usr/bin/env python3
"""optinc interconnect as a user meets it: the headline list, its file and trace, and lists that cannot be.

Usage: interconnect_test.py OPTINC LIST.toml"""

import json
import pathlib
import sys
import tempfile
import unittest

import h5py
import numpy as np
from tool import optinc

LIST = sys.argv.pop(1)

SMALL = """title = "small"
[preset.slow]
rate_bit_per_s = 1e9
[[scenario]]
name = "ring"
preset = "slow"
servers = [4, 8]
[[scenario]]
name = "unit"
network = "optinc"
collective = "optinc"
reference = "ring"
servers = [4, 8]
preset = ["slow"]
calibrated = true
note = "a note"
[[sensitivity]]
name = "rate"
subject = "unit"
reference = "ring"
servers = 8
key = "rate_bit_per_s"
values = [1e9, 1e12]
apply = "both"
"""


class Interconnect(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.list = self.folder / "list.toml"
        self.list.write_text(SMALL)

    def check_refusal(self, done, *parts):
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    # fails when a preset does not reach its scenario, or `normalised` takes the reference of other servers
    def test_file_and_table_say_the_same(self):
        path = self.folder / "small.h5"
        done = optinc("interconnect", self.list, "-o", path, "--quiet", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        with h5py.File(path) as file:
            for name in ("total", "normalised", "normalised_data", "rate_bit_per_s", "servers"):
                for told_row, value in zip(told["scenarios"], file["interconnect"][name]):
                    self.assertEqual(np.isnan(value) if told_row[name] is None else told_row[name] == value, True, name)
            np.testing.assert_array_equal(file["sensitivity/ratio"], [p["ratio"] for p in told["sensitivity"]])
            self.assertEqual(list(file["sensitivity/nominal"]), [1, 0])
            self.assertEqual(file.attrs["seed"], 1)
            of, sent = file["links/scenario_of"][()], file["links/bytes"][()]
            self.assertEqual([len(of[of == i]) for i in range(4)], [8, 16, 8, 16])
            np.testing.assert_allclose(sent[of == 0], told["scenarios"][0]["sent"])
        rows = {(r["name"], r["servers"]): r for r in told["scenarios"]}
        self.assertEqual(rows["ring", 4]["rate_bit_per_s"], 1e9)
        for n in (4, 8):
            self.assertAlmostEqual(rows["unit", n]["normalised"], rows["unit", n]["total"] / rows["ring", n]["total"], 12)
        # a faster port leaves computing, the same for both, and the latency of the ring's 14 steps
        self.assertAlmostEqual(told["sensitivity"][0]["ratio"], rows["unit", 8]["normalised"], 12)
        self.assertGreater(told["sensitivity"][1]["ratio"], told["sensitivity"][0]["ratio"])
        table = optinc("interconnect", self.list, "--quiet").stdout
        self.assertRegex(table, r"(?m)^  unit .*CALIBRATED: a note$")
        self.assertEqual(table.count("CALIBRATED"), 3)
        self.check_refusal(optinc("interconnect", self.list, "-o", path, "--quiet"), "small.h5", "--force")

    def test_a_trace_of_the_scenario_asked_for(self):
        path = self.folder / "trace.json"
        done = optinc("interconnect", self.list, "--quiet", "--trace", path, "--scenario", "unit")
        self.assertEqual(done.returncode, 0, done.stderr)
        trace = json.loads(path.read_text())
        self.assertEqual(trace["otherData"]["scenario"], "unit")
        self.assertEqual({e["name"] for e in trace["traceEvents"] if e["ph"] == "X"}, {"forward", "backward", "traversal"})
        self.assertEqual({e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"},
                         {f"server {i}" for i in range(4)})

    # fails when the headline list no longer gives the figures that the README claims
    def test_the_headline_list(self):
        done = optinc("interconnect", LIST, "--quiet", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {(r["name"], r["servers"]): r for r in json.loads(done.stdout)["scenarios"]}
        for name, values in (("F1 ResNet50 OptINC", (0.746, 0.662, 0.627)), ("F1 LLaMA OptINC", (0.831, 0.766, 0.737))):
            for n, expected in zip((4, 8, 16), values):
                self.assertAlmostEqual(rows[name, n]["normalised"], expected, delta=0.001)
        for name, expected in (("S0 fat-tree", 1.01), ("S0 SiP-Ring", 1.01), ("S3b fat-tree", 1.61), ("S3b SiP-Ring", 1.68)):
            self.assertAlmostEqual(rows[name, 1024]["normalised"], expected, delta=0.02)
            self.assertEqual(rows[name, 1024]["calibrated"], name.startswith("S3b"))

    def test_lists_that_cannot_be(self):
        for before, after, *parts in (
                ('name = "ring"', 'nam = "ring"', 'list.toml:5', 'unknown key "nam"', "name"),
                ('preset = "slow"', 'preset = "slwo"', 'no preset "slwo"', "slow"),
                ("rate_bit_per_s = 1e9", "rate_bit_per_s = 0", "list.toml:3", "rate_bit_per_s", "1..1e+18"),
                ("servers = [4, 8]", "servers = []", "servers"),
                ("servers = [4, 8]", "servers = [4, 4]", "4 of a scenario that stands above"),
                ('collective = "optinc"', 'collective = "ring"', "unit", "optinc"),
                ('collective = "optinc"', 'collective = "optinc"\nlevels = 1', "8 servers at 1 level", "at most 4"),
                ('reference = "ring"\nservers = [', 'reference = "rnig"\nservers = [', 'no scenario "rnig"', "ring"),
                ('key = "rate_bit_per_s"', 'key = "rate"', 'key = "rate"'),
                ("values = [1e9, 1e12]", "values = [0]", "rate_bit_per_s"),
                ('apply = "both"', 'apply = "all"', "apply = all"),
                ('title = "small"', "title = 3", "title = 3"),
                ("[preset.slow]", "[presets.slow]", 'unknown key "presets"')):
            with self.subTest(after=after):
                self.assertIn(before, SMALL)
                self.list.write_text(SMALL.replace(before, after))
                self.check_refusal(optinc("interconnect", self.list, "--quiet"), *parts)
        self.list.write_text("title = 'none'")
        self.check_refusal(optinc("interconnect", self.list), "no scenarios")
        self.check_refusal(optinc("interconnect"), "no list named", "headline.toml")
        self.check_refusal(optinc("interconnect", self.folder / "missing.toml"), "missing.toml")
        self.assertIn("step_latency_s", optinc("interconnect", "--keys").stdout)


if __name__ == "__main__":
    unittest.main()
