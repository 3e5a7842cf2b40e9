#!/usr/bin/env python3
"""What the commands tell: help, devices, designs, operating points, circuits, budgets, and the steps to a laboratory and back.

Usage: command_answers_test.py OPTINC STUDY.toml"""

import cmath
import json
import math
import pathlib
import re
import subprocess
import tempfile
import unittest

import h5py
import numpy as np
from command import STUDY, Command
from tool import optinc


class Answers(Command):
    def test_a_shipped_network_is_inspected_by_its_name(self):
        self.assertIn("trained network", optinc("inspect", "shipped/32x5").stdout)

    def test_help_teaches(self):
        commands = re.findall(r"(?m)^  ([\w-]+)  +\w", optinc("--help").stdout.split("Subcommands:")[1].split("\nExample")[0])
        self.assertEqual(set(commands), {"run", "ablate", "resume", "merge", "replay", "report", "train", "program", "fabricate", "transfer", "twin", "circuit",
                                         "inspect", "validate", "check-network", "budget", "compare-costs", "operating-point", "interconnect", "cluster", "explain", "devices", "list", "completion"})
        for command in ((), *((name,) for name in commands)):
            done = optinc(*command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Example:", done.stdout)
        self.assertIn("rad", optinc("explain", "chip.sigma_eta_rad").stdout)
        self.assertRegex(optinc("explain", "word_accuracy").stdout, r"model chip: Fraction of .* \[1\]")
        self.assertRegex(optinc("explain", "receiver").stdout, r"(?m)^  lo_power_w +Local-oscillator power .* \[W\]; default 0\.001$")
        self.assertRegex(optinc("--version").stdout, r"^optinc \d+\.\d+\.\d+(-rc\.\d+)? \(([0-9a-f]{12}|unknown)")
        self.assertRegex(optinc("--version").stdout, r"(?m)^SIMD \w+, (128|256|512) bits; blocks of \d+ floats at 64 ports, \d+ at 256; "
                         r"L1d (\d+ KiB|unknown), L2 (\d+ KiB|unknown)$")
        listed = optinc("explain").stdout.split()
        self.assertIn("runner.trials", listed)
        self.assertRegex(optinc("list").stdout, r"(?m)^  quickstart  ")
        for key in listed:
            self.assertEqual(optinc("explain", key).returncode, 0)
        self.assertEqual([row["key"] for row in json.loads(optinc("explain", "--json").stdout)], listed)

    def test_keys_and_what_is_shipped_are_told_to_scripts(self):
        key, = json.loads(optinc("explain", "receiver.lo_power_w", "--json").stdout)
        self.assertEqual((key["unit"], key["default"]), ("W", 0.001))
        self.assertEqual({row["key"].split(".")[0] for row in json.loads(optinc("explain", "noise", "--json").stdout)}, {"noise"})
        self.check_refusal(optinc("explain", "word_accuracy", "--json"), "is no key or section")
        found = json.loads(optinc("list", "--json").stdout)
        self.assertEqual(list(found), ["studies", "lists", "mappings", "networks", "devices", "presets", "models", "sources", "figures"])
        self.assertIn("good-lab", [entry["name"] for entry in found["presets"]])
        drifting = json.loads(optinc("list", "studies", "DRIFT", "--json").stdout)["studies"]
        self.assertTrue(drifting and all("drift" in (entry["name"] + entry["description"]).lower() for entry in drifting))

    def test_devices_are_listed_and_each_is_explained_with_its_source(self):
        table = optinc("devices").stdout
        devices = json.loads(optinc("devices", "--json").stdout)["devices"]
        self.assertGreater(len(devices), 10)
        for device in devices:
            self.assertRegex(table, rf"(?m)^{device['name']} +{device['kind']} ")
            page = " ".join(optinc("devices", device["name"]).stdout.split())  # lines are wrapped
            for part in (device["what"], device["source"], device["preset"], *(p["name"] for p in device["parameters"])):
                self.assertIn(part, page)
            self.assertEqual(json.loads(optinc("devices", device["name"], "--json").stdout), device)
        # numbers with a prefix for people, plain SI for scripts
        page = optinc("devices", "harris-2014-heater").stdout
        for line in (r"power for pi +24\.77 mW", r"length +61\.6 um", r"bandwidth +130 kHz", r"voltage for pi +4\.977 V",
                     r"insertion loss +0\.23 dB", r"arXiv:1410\.3616"):
            self.assertRegex(page, line)
        power = next(p for d in devices if d["name"] == "harris-2014-heater" for p in d["parameters"] if p["name"] == "power for pi")
        self.assertEqual((power["value"], power["unit"]), (24.77e-3, "W"))

    # fails when a system's units are not added up, or a design's own keys do not go over the list's

    def test_designs_side_by_side_and_lists_that_cannot_be(self):
        path = self.path.with_name("designs.toml")
        good = ('set = ["parts.set=idealised", "task.rounding=half-up", "network.hidden=[8]"]\n[[design]]\nname = "net"\n'
                '[[design]]\nname = "chain"\nset = ["network.source=carry-chain"]\n'
                '[[design]]\nname = "five"\nunits = [{ design = "net", count = 4 }, { design = "chain" }]\n')
        path.write_text(good)
        done = optinc("compare-costs", path, "--quiet", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        net, chain, five = json.loads(done.stdout)["designs"]
        self.assertEqual((net["mzis"], net["untrained"]), (40, True))  # 4-8-4: two blocks of 4, 10 MZIs each, a layer
        self.assertFalse(chain["untrained"])
        self.assertEqual(five["mzis"], 4 * net["mzis"] + chain["mzis"])
        self.assertEqual(five["servers"], 16)
        # neighbours of one network share it; others do not
        path.write_text(good + '[[design]]\nname = "wide"\nset = ["network.hidden=[16]"]\n[[design]]\nname = "wider"\nset = '
                        '["network.hidden=[32]"]\n[[design]]\nname = "slow"\nset = ["network.hidden=[32]", "time.symbol_rate_bd=25e9"]\n')
        *_, wide, wider, slow = json.loads(optinc("compare-costs", path, "--quiet", "--json").stdout)["designs"]
        self.assertEqual([d["mzis"] for d in (wide, wider, slow)], [80, 160, 160])
        self.assertEqual([d["rate_reachable"] for d in (wide, wider, slow)], [False, False, True])
        path.write_text(good)
        table = optinc("compare-costs", path, "--quiet").stdout
        self.assertIn("five", table)
        # fails when a wide table comes back, converters leave the MZIs' side, or a withdrawn figure is printed
        self.assertLessEqual(max(map(len, table.splitlines())), 100)
        self.assertRegex(table, r"(?m)^design +MZIs +receivers +modulators +neurons +neurons pJ/bit +heaters W")
        # 50 GBd are beyond the bound of 32 GHz receivers and 40 GHz modulators: marked, and no energy per bit
        for row in (net, chain, five):
            self.assertLess(row["symbol_rate_limit"], 50e9)
            self.assertFalse(row["rate_reachable"])
            self.assertIsNone(row["energy_per_bit"])
        self.assertRegex(table, r"(?m)^chain \* .* none$")
        slower = json.loads(optinc("compare-costs", path, "--quiet", "--json", "--set", "time.symbol_rate_bd=25e9").stdout)["designs"][1]
        self.assertTrue(slower["rate_reachable"])
        # a study that measures its network's cost says the same of the same unit
        made = self.path.with_name("cost.h5")
        asked = ["--set", "measure.once=['cost']", "--set", "task.rounding=half-up", "--set", "network.source=carry-chain",
                 "--set", "chip.preset=ideal", "--set", "measure.words=64"]
        done = optinc("run", STUDY, "-o", made, "--quiet", "--force", "--trials", 1, *asked)
        self.assertEqual(done.returncode, 0, done.stderr)
        beside = json.loads(optinc("compare-costs", path, "--quiet", "--json", "--set", "chip.preset=ideal").stdout)["designs"][1]
        with h5py.File(made) as file:
            cost = dict(file["cost"].attrs)
        for name, same in (("mzis", "mzis"), ("modulators", "modulators"), ("receivers", "receivers"), ("loss_db", "loss"),
                           ("most_gain_db", "most_gain"), ("static_power_w", "static_power")):
            self.assertAlmostEqual(cost[name], beside[same], 9, name)
        self.assertNotEqual(cost["loss_db"], cost["most_gain_db"])
        self.assertAlmostEqual(slower["energy_per_bit"] * 4 * 8 * 25e9 / (slower["static_power"] + slower["symbol_power"]), 1, places=9)
        for bad, words in ((good.replace("count = 4", "count = 0"), ("count = 0",)),
                           (good.replace('name = "chain"', 'nam = "chain"'), ("unknown key design.nam ", "\"name\"")),
                           (good.replace('design = "chain"', 'design = "chains"'), ('no design "chains"',)),
                           (good.replace("network.hidden=[8]", "network.hidden=[7]"), ("net:", "network.hidden")),
                           (good.replace('[8]"]', '[8]", "training.full_svd_layers=[1]"]').replace('"net"\n', '"net"\napproximated = [2]\n', 1),
                            ("net: approximated", "training.full_svd_layers")),
                           ('title = "none"\n', ("no designs",))):
            path.write_text(bad)
            self.check_refusal(optinc("compare-costs", path, "--quiet"), *words)

    # fails when a cell is not of the point, a unit without one prints watts, or a list of parts is taken for a unit

    def test_operating_points_and_units_that_have_none(self):
        path, made = self.path.with_name("points.toml"), self.path.with_name("points.h5")
        good = ('set = ["parts.set=idealised", "task.rounding=half-up", "task.bits=4", "network.source=carry-chain", "chip.preset=ideal"]\n'
                '[[design]]\nname = "bright"\nset = ["link.launch_power_w=4e-3", "receiver.lo_power_w=4e-3"]\n'
                '[[design]]\nname = "dark"\nset = ["link.launch_power_w=1e-8"]\n')
        path.write_text(good)
        small = ("--chips", 2, "--words", 300, "--wrong", 0.01, "--bandwidths", 24e9, 32e9, "--quiet")
        done = optinc("operating-point", path, *small, "--json", "-o", made, "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        bright, dark = json.loads(done.stdout)["points"]
        self.assertEqual((bright["found"], bright["chips_right"], bright["words"]), (True, 2, 600))
        self.assertAlmostEqual(bright["energy_per_bit"] * bright["bit_rate"] / (bright["static_power"] + bright["symbol_power"]), 1)
        self.assertEqual((dark["found"], dark["symbol_rate"], dark["static_power"]), (False, None, None))
        with h5py.File(made) as file:
            self.assertEqual(file["operating_points/symbol_rate"][0], bright["symbol_rate"])
            self.assertTrue(np.isnan(file["operating_points/energy_per_bit"][1]))
        # the list at its points costs what the points say
        path.write_text(good.replace('name = "bright"', 'name = "bright"\napproximated = [2]\npublished = "so"\npublished_mzis = 9'))
        at_points = path.with_name("at_points.toml")
        self.assertEqual(optinc("operating-point", path, *small, "--designs", at_points, "--force").returncode, 0)
        told = optinc("compare-costs", at_points, "--json", "--quiet")
        self.assertEqual(told.returncode, 0, told.stderr)
        (cost,) = json.loads(told.stdout)["designs"]
        self.assertEqual((cost["published_mzis"], cost["published"]), (9, "so"))
        self.assertIn("approximated = [ 2 ]", at_points.read_text())
        for key in ("symbol_rate", "static_power", "symbol_power"):
            self.assertEqual(cost[key], bright[key], key)
        self.check_refusal(optinc("operating-point", path, *small, "--designs", path, "--force"), "points.toml")
        table = optinc("operating-point", path, *small).stdout
        self.assertRegex(table, r"(?m)^dark +receivers +ideal +clocked +none +none +none")
        self.assertLessEqual(max(map(len, table.splitlines())), 100)
        for bad, words in ((good.replace("network.source=carry-chain", "network.source=untrained"), ("bright:", "untrained")),
                           (good + '[[design]]\nname = "two"\nunits = [{ design = "dark", count = 2 }]\n', ("two:", "units")),
                           (good.replace("[[design]]\n", "[[design]]\ntime_shared = true\n", 1), ("bright:", "time_shared")),
                           (good.replace('set = ["parts', 'set = ["chip.x=1", "parts'), ("bright:", "chip.x"))):
            path.write_text(bad)
            self.check_refusal(optinc("operating-point", path, *small), *words)
        path.write_text(good)
        self.check_refusal(optinc("operating-point", path, "--chips", 0), "chips = 0")

    # fails when nobody is told that facets would make the amplifier lase

    def test_circuits(self):
        path, made = self.path.with_name("ring.yml"), self.path.with_name("ring.h5")
        path.write_text("instances:\n  bus: {component: coupler, settings: {eta_rad: 0.3, excess_loss_db: 0}}\n"
                        "  turn: {component: waveguide, settings: {length_m: 60e-6, loss_db_per_cm: 0}}\n"
                        'connections: {"bus,out1": "turn,in0", "turn,out0": "bus,in1"}\n'
                        'ports: {in: "bus,in0", out: "bus,out0"}\n')
        done = optinc("circuit", path, "-o", made, "--quiet", "--json", "--points", 201)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertEqual((seen["devices"], seen["ports"], seen["wavelengths"]), (2, ["in", "out"], 201))
        self.assertAlmostEqual(seen["largest_out"], 1, 12)  # lossless
        self.assertLess(seen["not_reciprocal"], 1e-12)
        with h5py.File(made) as file:
            self.assertEqual(file["circuit/scattering"].shape, (201, 2, 2, 2))
            self.assertEqual(file["circuit/wavelength"][[0, -1]].tolist(), [1.54e-6, 1.56e-6])
        lossy = optinc("circuit", path, "--wavelength-m", 1.55e-6, "--points", 1, "--set", "turn.loss_db_per_cm=200", "--json", "--quiet")
        t, turn = math.cos(0.3), 10 ** (-200 * 60e-4 / 20) * cmath.exp(2j * math.pi * 2.44365 * 60e-6 / 1.55e-6)
        passed = t - math.sin(0.3) ** 2 * turn / (1 - t * turn)
        self.assertAlmostEqual(json.loads(lossy.stdout)["largest_out"], abs(passed) ** 2, 9)
        self.assertRegex(optinc("circuit", path, "--points", 11, "--quiet").stdout, r"(?m)^in +out +-?0.000 +-?0.000 +15")
        self.assertRegex(optinc("circuit", "--models").stdout, r"(?m)^ +eta_relative_slope_per_m\s+relative slope of the splitting angle")
        amplified = self.path.with_name("amplified.yml")  # 15 dB, noise figure 7 dB
        amplified.write_text('instances: {a: amplifier, b: {component: phase_shifter, settings: {loss_db: 5}}}\n'
                             'connections: {"a,out0": "b,in0"}\nports: {in: "a,in0", out: "b,out0"}\n')
        lit = json.loads(optinc("circuit", amplified, "--wavelength-m", 1.55e-6, "--points", 1, "--light", "in=1e-4", "--receiver",
                                "responsivity_a_per_w=0.5", "--receiver", "optical_bandwidth_hz=1e11", "--json", "--quiet").stdout)
        emitted = 6.62607015e-34 * 299792458 / 1.55e-6 * (10**2.2 - 1) / 2
        self.assertAlmostEqual(lit["emission"]["in"] / emitted, 1, 12)
        self.assertAlmostEqual(lit["emission"]["out"] / (emitted * 10**-0.5), 1, 12)
        self.assertAlmostEqual(lit["receivers"]["out"]["power_w"], 1e-3, 12)
        self.assertAlmostEqual(lit["receivers"]["out"]["photocurrent_a"], 0.5 * (1e-3 + emitted * 10**-0.5 * 1e11) + 30e-9, 12)
        self.check_refusal(optinc("circuit", amplified, "--light", "b=1", "--quiet"), 'no port "b"', "in, out")
        self.check_refusal(optinc("circuit", amplified, "--receiver", "bandwidth_hz=1e9", "--quiet"), "--receiver without --light")
        self.check_refusal(optinc("circuit", amplified, "--light", "in=1", "--receiver", "bandwith_hz=1e9", "--quiet"), "bandwidth_hz")
        self.check_refusal(optinc("circuit", amplified, "--light", "in=1", "--receiver", "rin_db_per_hz=nan", "--quiet"), "rin_db_per_hz=nan")
        self.check_refusal(optinc("circuit", amplified, "--light", "in=inf", "--quiet"), "--light in=inf")
        self.check_refusal(optinc("circuit", amplified, "--light", "in=1", "--receiver", "bandwidth_hz=inf", "--quiet"), "bandwidth_hz = inf")
        self.check_refusal(optinc("circuit", amplified, "--light", "in=1", "-o", amplified.with_suffix(".s2p"), "--quiet"),
                           "such a file holds scattering alone", "amplified.h5")
        self.assertFalse(amplified.with_suffix(".s2p").exists())
        read = amplified.with_suffix(".h5")
        done = optinc("circuit", amplified, "--light", "in=1e-4", "--receiver", "rin_db_per_hz=-inf", "-o", read, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(read) as file:
            self.assertEqual(dict(file["circuit"].attrs), {
                "light_port": "in", "light_power_w": 1e-4, "responsivity_a_per_w": 0.9, "dark_current_a": 30e-9, "noise_a_per_rthz": 16.9e-12,
                "bandwidth_hz": 32e9, "rin_db_per_hz": -math.inf, "optical_bandwidth_hz": 50e9})
        for arguments, words in (((path, "--wavelength-m", 1.5e-6, 1.4e-6), ("ascending order",)), ((path, "--points", 1), ("--points 1",)),
                                 ((path, "--set", "turn.length_m=long"), ("turn.length_m=long", "NUMBER")), ((), ("no netlist",)),
                                 ((path, "-o", path, "--force"), ("ring.yml",)), ((path, "-o", made), ("exists",)),
                                 ((path, "-o", path.with_suffix(".s3p")), ("2 ports", ".s2p"))):
            self.check_refusal(optinc("circuit", *arguments, "--quiet"), *words)

    def test_a_budget_adds_up_and_needs_a_network(self):
        path = self.path.with_name("budget.h5")
        done = optinc("budget", "--network", self.path, "--quiet", "--json", "-o", path, "--set", "chip.mzi_loss_db=0.2", "--set",
                      "heater.device=typical-undercut-heater", "--set", "parts.set=idealised")
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        for table in ("loss", "static_power", "symbol_power", "delay", "area"):
            parts = seen[table]["parts"].values()
            self.assertAlmostEqual(sum(p["total"] for p in parts) / seen[table]["total"], 1, places=12)
            self.assertTrue(all(len(p["by_stage"]) == len(seen["stages"]) and p["source"] for p in parts))
        named = {part["key"]: part for part in seen["parts"]}
        self.assertEqual((named["heater.device"]["part"], named["heater.device"]["overridden"]), ("typical-undercut-heater", []))
        self.assertIn("link.launch_power_w", seen["keys_without_part"])
        columns = sum(stage["columns"] for stage in seen["stages"])
        self.assertEqual(columns, seen["columns"])
        self.assertAlmostEqual(seen["loss"]["parts"]["MZIs"]["total"] / columns, 0.2, places=4)  # the spread's cut at 0
        chosen = next(h for h in seen["heaters"] if h["name"] == "typical-undercut-heater")
        self.assertAlmostEqual(chosen["heater_power_w"], seen["static_power"]["parts"]["heaters"]["total"], places=12)
        self.assertAlmostEqual(chosen["heater_power_trimmed_w"], chosen["heater_power_w"] + seen["static_power"]["parts"]["static phases"]["total"], places=9)
        with h5py.File(path) as file:
            self.assertAlmostEqual(file["budget/static_power"][()].sum(), seen["static_power"]["total"], places=9)
            self.assertTrue(np.isnan(file["budget/energy_per_bit"][()]))  # 50 GBd are beyond the bound
            self.assertAlmostEqual(file["budget/symbol_rate_limit"][()] / 45.77e9, 1, places=3)
        text = optinc("budget", "--network", self.path, "--set", "parts.set=idealised").stdout
        for part in ("Stages", "Loss, dB", "power that does not depend on the symbol rate, W", "Delay, ns", "mm^2", "out of reach",
                     "harris-2014-heater", "at 50 GBd*", "at most 45.8 GBd"):
            self.assertIn(part, text)
        self.assertNotIn("pJ/bit", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        doped = json.loads(optinc("budget", "--network", self.path, "--json", "--set", "chip.preset=doped-heaters").stdout)
        # 0.56 dB an MZI: 2 E[max(0, X)] of X ~ N(0.28 dB, 0.13 dB), Phi(0.28/0.13) = 0.984374, phi(0.28/0.13) = 0.039224
        column_db = 2 * (0.28 * 0.984374 + 0.13 * 0.039224)
        self.assertAlmostEqual(doped["loss"]["parts"]["MZIs"]["total"] / doped["columns"], column_db, places=4)
        driven = optinc("budget", "--network", self.path, "--set", "modulator.driver=zhang-2025-driver", "--set", "receiver.device=zhang-2025-receiver",
                        "--set", "receiver.supply_power_w=0.04")
        self.assertEqual(driven.returncode, 0, driven.stderr)
        self.assertRegex(driven.stdout, r"modulator\.driver +zhang-2025-driver +1 read, 1 assumed +-")
        self.assertRegex(driven.stdout, r"receiver\.device +zhang-2025-receiver +4 read +supply_power_w")
        mesh = self.path.with_name("mesh.toml")
        mesh.write_text('model = "mesh"\n')
        self.check_refusal(optinc("budget", mesh), "model mesh")
        self.check_refusal(optinc("budget", "--network", self.path, "--set", "heater.device=harris"), "heater.device", "harris-2014-heater")
        self.check_refusal(optinc("budget", "--network", self.path.with_name("none.h5")), "none.h5")
        self.assertIn("Budget of 4-64-64-64-64-4 ", optinc("budget", "--network", "shipped/64x4").stdout)
        # fails where task.rounding is not that of the network, or the carry chain is looked for as a file
        self.assertIn("for 4 servers and 8 bits", optinc("budget", "--network", "carry-chain").stdout)
        chain = self.path.with_name("chain.h5")  # whose widths no trained network may have
        done = optinc("run", STUDY, "-o", chain, "--quiet", "--set", "network.source=carry-chain", "--set", "task.rounding=half-up",
                      "--set", "measure.once=[]", "--set", "measure.words=100", "--trials", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(optinc("budget", "--network", chain).stdout, r"^Budget of (\d+-)+\d+ for 4 servers")

    def test_a_budget_trains_nothing_and_says_what_it_is_of(self):
        done = self.quick("budget", "quickstart", "--json")
        self.assertIn("warning: network.source", done.stderr)
        self.assertIn("--network", done.stderr)
        self.assertGreater(json.loads(done.stdout)["static_power"]["total"], 0)

    def test_without_a_command_it_says_how_to_start(self):
        done = optinc()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for next_command in ("optinc list ", "optinc run quickstart ", "optinc --help "):
            self.assertIn(f"\n  {next_command}", done.stderr)

    def test_help_and_versions_are_found_where_other_tools_have_them(self):
        self.assertEqual(optinc("help").stdout, optinc("--help").stdout)
        self.assertEqual(optinc("help", "run").stdout, optinc("run", "--help").stdout)
        self.assertIn("unknown command \"nosuch\"", optinc("help", "nosuch").stderr)
        found = optinc("help", "Splitter").stdout  # in any case, in names and meanings
        for line in ("keys of a study (optinc explain KEY)", "  chip.sigma_eta_rad ", "  splitter_errors "):
            self.assertIn(f"\n{line}", "\n" + found)
        self.assertNotIn("heater.device", found)
        self.assertIn("not expected: extra", optinc("run", STUDY, "-ox.h5", "extra").stderr)
        self.assertEqual(optinc("-V").stdout, optinc("--version").stdout)

    def test_devices_and_keys_are_offered_by_what_they_contain(self):
        done = optinc("devices", "heater")
        self.check_refusal(done, "harris-2014-heater", "typical-metal-heater")
        self.assertNotIn("wafer-scale-crossing", done.stderr.split("Did you mean")[1])

    def test_the_steps_to_a_laboratory_and_back(self):
        folder = self.path.parent
        for arguments in (("program", self.path, "-o", folder / "phases.csv"),
                          ("fabricate", self.path, "-o", folder / "chip.h5", "--preset", "doped-heaters", "--chip", 1),
                          ("program", self.path, "-o", folder / "corrected.h5", "--chip", folder / "chip.h5"),
                          ("transfer", folder / "phases.csv", "-o", folder / "m.csv", "--mesh", "layer1/block0/mesh"),
                          ("program", folder / "m.csv", "-o", folder / "again.csv"),
                          ("transfer", folder / "again.csv", "-o", folder / "again.s16p")):
            done = optinc(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.path) as file:
            wanted = file["network/layer1/unitary"][0]
        table = np.loadtxt(folder / "m.csv", delimiter=",", skiprows=0, comments="#", converters=None, usecols=(0, 1, 2, 3),
                           dtype=str)[1:].astype(float)
        found = np.zeros((8, 8))
        found[table[:, 0].astype(int), table[:, 1].astype(int)] = table[:, 2]
        np.testing.assert_allclose(found, wanted, atol=1e-12)

    # Files of network analysers hold exp(-j beta L), ours exp(+i beta L). Fails when one of the two ways is not turned.

    def test_matrices_in_touchstone_have_the_sign_of_phase_that_was_asked_for(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            wanted = np.diag([0.6 + 0.8j, 1j])
            (folder / "wanted.csv").write_text("0.6+0.8j,0\n0,1j\n")

            def forward(path):
                """S from the inputs to the outputs, as the file has it."""
                numbers = [float(cell) for line in path.read_text().splitlines() if line[0] not in "!#" for cell in line.split()][1:]
                return (np.array(numbers[::2]) + 1j * np.array(numbers[1::2])).reshape(4, 4)[2:, :2]

            def sent(*arguments):
                done = optinc(*arguments)
                self.assertEqual(done.returncode, 0, done.stderr)

            sent("program", folder / "wanted.csv", "-o", folder / "phases.csv")
            for name, convention, held in (("rf.s4p", (), wanted.conj()), ("optics.s4p", ("--convention", "optics"), wanted)):
                sent("transfer", folder / "phases.csv", "-o", folder / name, *convention)
                np.testing.assert_allclose(forward(folder / name), held, atol=1e-12)
                foreign = folder / f"foreign_{name}"  # without the header that says which it is
                foreign.write_text("".join(line + "\n" for line in (folder / name).read_text().splitlines() if line[0] != "!"))
                for source in (folder / name, foreign):
                    sent("program", source, "-o", folder / "again.csv", *(convention if source == foreign else ()), "--force")
                    sent("transfer", folder / "again.csv", "-o", folder / "again.s4p", "--convention", "optics", "--force")
                    np.testing.assert_allclose(forward(folder / "again.s4p"), wanted, atol=1e-12)
            self.check_refusal(optinc("program", folder / "rf.s4p", "-o", folder / "x.csv", "--convention", "optics"), "OptINC wrote the file", "Leave it out")
            self.check_refusal(optinc("transfer", folder / "phases.csv", "-o", folder / "x.s4p", "--convention", "physics"), "rf, optics")

    def test_completion_scripts_are_scripts(self):
        script = optinc("completion", "bash").stdout
        asked = subprocess.run(["bash", "-c", script + "\nCOMP_WORDS=(optinc re); COMP_CWORD=1; _optinc; echo ${COMPREPLY[@]}\n"
                                "COMP_WORDS=(optinc run --th); COMP_CWORD=2; _optinc; echo ${COMPREPLY[@]}\n"
                                "COMP_WORDS=(optinc explain chip.sigma_e); COMP_CWORD=2; _optinc; echo ${COMPREPLY[@]}\n"
                                "COMP_WORDS=(optinc devices harris); COMP_CWORD=2; _optinc; echo ${COMPREPLY[@]}\n"
                                "COMP_WORDS=(optinc devices --j); COMP_CWORD=2; _optinc; echo ${COMPREPLY[@]}\n"
                                "COMP_WORDS=(optinc explain mesh_error_in); COMP_CWORD=2; _optinc; echo ${COMPREPLY[@]}\n"
                                "COMP_WORDS=(optinc fabricate --preset dop); COMP_CWORD=3; _optinc; echo ${COMPREPLY[@]}\n"
                                "COMP_WORDS=(optinc inspect shipped/32); COMP_CWORD=2; _optinc; echo ${COMPREPLY[@]}"],
                               capture_output=True, text=True, timeout=60)
        self.assertEqual(asked.stdout.split("\n")[:8], ["resume replay report", "--threads", "chip.sigma_eta_rad", "harris-2014-heater",
                                                        "--json", "mesh_error_in_phase", "doped-heaters", "shipped/32x5"], asked.stderr)
        self.assertIn("complete -c optinc", optinc("completion", "fish").stdout)
        (self.path.parent / "my study.toml").touch()
        spaced = subprocess.run(["bash", "-c", script + "\nCOMP_WORDS=(optinc run my); COMP_CWORD=2; _optinc; printf '%s|' \"${COMPREPLY[@]}\""],
                                capture_output=True, text=True, cwd=self.path.parent)
        self.assertEqual(spaced.stdout, "my study.toml|")


if __name__ == "__main__":
    unittest.main()
