#!/usr/bin/env python3
"""The tool as a user meets it: one small study run end to end, its file read back by h5py, the same
numbers on one and two threads, and every kind of bad input refused in one line that destroys nothing.

Usage: command_line.py OPTINC STUDY.toml"""

import cmath
import fcntl
import json
import math
import os
import pathlib
import pty
import re
import resource
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

import h5py
import numpy as np
from tool import OPTINC, SMALL_ARGUMENTS, contents, differing, optinc

STUDY = sys.argv.pop(1)


def run_small(output, *more):
    return optinc("run", STUDY, "-o", output, "--quiet", *SMALL_ARGUMENTS, *more)


class MainJob(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name, "small.h5")
        done = run_small(cls.path, "--threads", 2)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_inspect_as_json(self):
        seen = json.loads(optinc("inspect", self.path, "--json").stdout)
        self.assertEqual(seen["onn"]["words"], 28561)
        self.assertEqual(seen["onn"]["rounding"], "half-even")
        for key in ("word_accuracy", "mzi_count", "mzi_count_full_svd", "margin"):
            self.assertIn(key, seen["onn"])
        self.assertEqual(len(seen["chips"]), 2 * 3)
        for chip in seen["chips"]:
            self.assertEqual(chip["trials"], 2)
            self.assertLessEqual(chip["word_accuracy_min"], chip["word_accuracy_mean"])
        gradient = seen["gradient"]
        self.assertEqual(gradient["words"], 785 * 4 + 5 * 10)
        self.assertEqual(gradient["relative_error_exact"], 0)
        self.assertTrue(0 < gradient["relative_error_quantised"] < 0.2)
        self.assertGreaterEqual(gradient["relative_error_chip"], gradient["relative_error_quantised"])
        self.assertRegex(seen["provenance"]["run_id"], "^[0-9a-f]{16}$")

    def test_summaries_are_those_of_the_raw_results(self):
        seen = json.loads(optinc("inspect", self.path, "--json").stdout)
        with h5py.File(self.path) as file:
            accuracy = file["trials/word_accuracy"][()]  # sigma, trial, variant
            counts = file["trials/code_error_count"][()].sum(1)
            bins = file["trials/code_error"][()]
            np.testing.assert_array_equal(file["summary/code_error_count_sum"], counts)
            np.testing.assert_allclose(file["summary/word_accuracy_mean"], accuracy.mean(1), rtol=1e-14)
            np.testing.assert_allclose(file["summary/word_accuracy_std"], accuracy.std(1, ddof=1), rtol=1e-10)
            exact, received = file["gradient/average"][()], file["gradient/received"][()]
            errors = file["gradient/relative_error"][()]
        np.testing.assert_allclose([c["word_accuracy_mean"] for c in seen["chips"]], accuracy.mean(1).ravel())
        # the histogram's zero bin counts the words that are right, all bins every word
        np.testing.assert_allclose(counts[:, :, bins == 0][..., 0] / 1200, accuracy.mean(1))
        self.assertTrue((counts.sum(2) == 1200).all())
        computed = np.linalg.norm(received.astype(float) - exact, axis=1) / np.linalg.norm(exact.astype(float))
        np.testing.assert_allclose(errors, computed, rtol=1e-6)

    def test_threads_do_not_change_a_bit(self):
        one = self.path.with_name("one.h5")
        self.assertEqual(run_small(one, "--threads", 1).returncode, 0)
        self.assertEqual(differing(self.path, one), [])

    def test_another_seed_changes_the_result(self):
        other = self.path.with_name("other.h5")
        self.assertEqual(run_small(other, "--seed", 2).returncode, 0)
        self.assertNotEqual(contents(self.path)["trials/margin"], contents(other)["trials/margin"])

    def test_config_in_force_reruns_to_the_same_identity(self):
        with h5py.File(self.path) as file:
            text, run_id = file.attrs["config_toml"], file.attrs["run_id"]
        study = self.path.with_name("again.toml")
        study.write_text(text)
        again = self.path.with_name("again.h5")
        done = optinc("run", study, "-o", again, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(again) as file:
            self.assertEqual(file.attrs["run_id"], run_id)

    def test_inspect_tells_the_intervals_of_the_file(self):
        # fails where they are computed again
        path = self.path.with_name("other.h5")
        path.write_bytes(self.path.read_bytes()[:-12])  # without its seal
        with h5py.File(path, "r+") as file:
            file["summary/word_accuracy_mean_low"][...] = 0.125
        chips = json.loads(optinc("inspect", path, "--json").stdout)["chips"]
        self.assertEqual([chip["word_accuracy_mean_low"] for chip in chips], [0.125] * 6)

    def test_a_network_alone(self):
        path = self.path.with_name("network.h5")
        done = optinc("train", STUDY, "-o", path, "--quiet", "--set", "network.hidden=[8]", "--set", "training.epochs=1",
                      "--set", "training.warmup_epochs=0")
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(optinc("inspect", path, "--json").stdout)
        self.assertNotIn("chips", seen)
        self.assertEqual(seen["onn"]["mzi_count"], 2 * (6 + 4) + 2 * (6 + 4))

    def test_existing_output_stays_without_force(self):
        before = self.path.read_bytes()
        refused = run_small(self.path)
        self.check_refusal(refused, "small.h5", "--force")
        self.assertEqual(self.path.read_bytes(), before)
        self.assertEqual(list(self.path.parent.glob("*.partial*")), [])

    def check_refusal(self, done, *parts):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_bad_input_is_refused_in_one_line(self):
        folder = self.path.parent
        output = folder / "never.h5"
        text = folder / "text.h5"
        text.write_text("this is not HDF5")
        bad_toml = folder / "bad.toml"
        bad_toml.write_text("[chip]\nsigma_eta_rd = 0.01\n")
        pipe, scenarios = folder / "pipe.toml", pathlib.Path(__file__).parents[2] / "experiments/data/lists/headline.toml"
        os.mkfifo(pipe)
        two_lines = folder / "two_lines.toml"
        two_lines.write_text('[[scenario]]\nname = "a\\nb"\n')
        closed = folder / "closed"
        closed.mkdir()
        cases = {
            "misspelt key": (["run", bad_toml, "-o", output], ["bad.toml:2:1", "sigma_eta_rd", "sigma_eta_rad"]),
            "misspelt --set": (["run", STUDY, "-o", output, "--set", "runner.trial=3"], ["runner.trial", "runner.trials"]),
            "unknown section": (["run", STUDY, "-o", output, "--set", "chps.x=1"], ["chps"]),
            "wrong type": (["run", STUDY, "-o", output, "--set", "runner.trials=many"], ["runner.trials", "integer"]),
            "out of range": (["run", STUDY, "-o", output, "--set", "chip.rho_ab=2"], ["chip.rho_ab", "2", "-1..1"]),
            "unknown name": (["run", STUDY, "-o", output, "--set", "task.rounding=up"], ["task.rounding", "half-up"]),
            "unknown preset": (["run", STUDY, "-o", output, "--set", "chip.preset=doped-heater"], ["doped-heater", "doped-heaters"]),
            "widths": (["run", STUDY, "-o", output, "--set", "network.hidden=[6]"], ["4 and 6"]),
            "missing study": (["run", folder / "none.toml", "-o", output], ["none.toml"]),
            "missing data": (["run", STUDY, "-o", output, "--set", "gradient.data=/nowhere"],
                             ["/nowhere", "dataset-fashion-mnist"]),
            "missing folder": (["run", STUDY, "-o", folder / "no" / "x.h5"], ["x.h5"]),
            "unwritable folder": (["run", STUDY, "-o", "/proc/x.h5"], ["/proc/x.h5"]),
            "small batch": (["run", STUDY, "-o", output, "--set", "training.batch=2"], ["training.batch", "4"]),
            "warm-up": (["run", STUDY, "-o", output, "--set", "training.epochs=2"], ["training.warmup_epochs = 3"]),
            "too many words": (["run", STUDY, "-o", output, "--set", "task.bits=16"], ["task", "815730721"]),
            "sweep of no device": (["run", STUDY, "-o", output, "--sweep", "task.bits=[2,4]"], ["task.bits", "link, neuron, owner, time, noise"]),
            "sweep of a misspelt key": (["run", STUDY, "-o", output, "--sweep", "chip.sigma_eta=[0.1]"], ["chip.sigma_eta_rad"]),
            "sweep out of range": (["run", STUDY, "-o", output, "--sweep", "chip.dac_bits=[8,99]"], ["chip.dac_bits", "0..24"]),
            "metric of the other model": (["run", STUDY, "-o", output, "--set", "measure.metrics=['fidelity']"], ["fidelity", "margin"]),
            "too large": (["run", STUDY, "-o", output, "--trials", "100000000"], ["memory", "measure.metrics"]),
            "shard": (["run", STUDY, "-o", output, "--shard", "5/4"], ["5/4", "1/4"]),
            "nothing to resume": (["resume", output], ["never.h5", "optinc run"]),
            "merge of no study": (["merge", text, "-o", output], ["text.h5"]),
            "replay beyond": (["replay", self.path, "--trial", 2, "-o", output], ["--trial 2", "0..1"]),
            "ablation of nothing": (["ablate", STUDY, "-o", output, "--set", "chip.preset=ideal", "--set", "noise.shot=false",
                                     "--set", "noise.tia=false", "--set", "noise.rin=false", "--set", "noise.lock=false",
                                     "--set", "noise.converter=false"], ["ideal"]),
            "network of another task": (["run", STUDY, "-o", output, "--set", f"network.source={self.path}", "--set",
                                         "task.rounding=floor"], ["half-even", "floor"]),
            "shell": (["completion", "tcsh"], ["tcsh", "bash"]),
            "phases of a study": (["transfer", self.path, "-o", folder / "x.csv"], ["small.h5"]),
            "seed that some readers round": (["run", STUDY, "-o", output, "--set", "run.seed=9007199254740993"],
                                             ["run.seed = 9007199254740993", "0..9007199254740992"]),
            "sweeps that are set": (["run", STUDY, "-o", output, "--set", "sweep=[]"], ["--sweep section.key=[values]"]),
            "set and swept": (["run", STUDY, "-o", output, "--set", "network.source=a/b.h5", "--sweep", "network.source=['x.h5','y.h5']"],
                              ['Write --sweep network.source=["a/b.h5"]']),
            "a pipe": (["run", pipe, "-o", output], ["pipe.toml: a pipe", "/dev/stdin"]),
            "a name that commands a terminal": (["run", STUDY, "-o", output, "--set", 'study="a\\u001bb"'], ["control character"]),
            "a name of two lines": (["interconnect", two_lines], ["two_lines.toml:2:8", "control character"]),
            "a chip of other sections": (["fabricate", "shipped/32x5", "-o", output, "--set", "run.seed=5"], ["run.seed=5", "--seed"]),
            "a trace in the place of results": (["interconnect", scenarios, "-o", output, "--trace", folder / "." / "never.h5", "--force"],
                                                ["--trace", "never.h5"]),
            "no output": (["run", STUDY], ["-o"]),
            "workers": (["run", STUDY, "-o", output, "--set", "gradient.batch=255"], ["255"]),
            "not HDF5": (["inspect", text], ["text.h5", "HDF5"]),
            "missing file": (["inspect", folder / "none.h5"], ["none.h5"]),
            "prefix": (["run", STUDY, "-o", output, "--set", "training.warmup=2"], ["Did you mean training.warmup_epochs?"]),
            "text without quotes": (["run", STUDY, "-o", output, "--set", "measure.metrics=[margin]"], ["quotes"]),
            "no such shipped network": (["fabricate", "shipped/64x55", "-o", folder / "chip.h5"], ["Did you mean \"shipped/64x5\"?"]),
            "half a custom chip": (["run", STUDY, "-o", output, "--set", "chip.preset='custom'"], ["chip.sigma_eta_rad, chip."]),
            "failed in its first trial": (["run", STUDY, "-o", output, "--quiet", "--set", "network.source=shipped/32x5", "--set",
                                           "task.rounding=half-up", "--set", "calibration.diagonal_epochs=4", "--set",
                                           "training.noise=1"], ["diagonal_epochs = 4", "no ceiling"]),
            "unknown explain": (["explain", "chip.sigma"], ["chip.sigma"]),
            "unknown device": (["devices", "harris-heater"], ["harris-heater", "Did you mean \"harris-2014-heater\"?"]),
        }
        for name, (arguments, parts) in cases.items():
            with self.subTest(name):
                self.check_refusal(optinc(*arguments), *parts)
                self.assertFalse(output.exists())
                self.assertEqual(list(folder.glob("*.journal")), [])
        self.assertEqual(text.read_text(), "this is not HDF5")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_unwritable_folder(self):
        folder = self.path.parent / "read_only"
        folder.mkdir()
        folder.chmod(0o500)
        self.check_refusal(run_small(folder / "x.h5"), "read_only")

    def test_unusable_command_lines_say_so_in_one_line(self):
        for arguments, parts in ((["rnu"], ["rnu", 'mean "run"?']), (["run", STUDY, "--forse"], ['"--forse"', 'mean "--force"?']),
                                 (["run", STUDY, "--trails", 3], ['"--trails"', 'mean "--trials"?']),
                                 (["run", STUDY, "--xyzzy=3"], ['"--xyzzy"', "See optinc run --help."]),
                                 (["--verbose"], ['"--verbose"', "--version", "See optinc COMMAND --help."]),
                                 (["interconnect", STUDY, "-o", "x.csv"], ["x.csv would be an HDF5 file. Name it x.h5;"]),
                                 (["list", "netwroks", "-q"], ['"-q"']),
                                 (["run", STUDY, "--seed", "-1"], ["--seed: -1"]), (["validate", "--seed", "-1"], ["--seed: -1"]),
                                 (["run", STUDY, "--seed", 2**64], ["--seed: 18446744073709551616"]),
                                 (["fabricate", "shipped/32x5", "--seed", 2**53 + 1], ["--seed: 9007199254740993"]),
                                 (["replay", self.path, "--trial", -1], ["--trial: -1"]),
                                 (["interconnect", "--servers", "0", "x.toml"], ["not in range 1 to"])):
            done = optinc(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            for part in parts:
                self.assertIn(part, done.stderr)

    def test_a_closed_standard_error_does_not_end_a_run_and_a_full_standard_output_is_told(self):
        path = self.path.with_name("unheard.h5")
        with open("/dev/full", "w") as full:
            done = subprocess.run([OPTINC, "run", STUDY, "-o", path, *SMALL_ARGUMENTS], stderr=full, timeout=300)
            self.assertEqual(done.returncode, 0)
            done = subprocess.run([OPTINC, "inspect", path], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)

    def test_the_command_of_a_file_repeats_it_whatever_the_words(self):
        name = self.path.with_name("it's a\nname {1,2}.h5")
        self.assertEqual(run_small(name).returncode, 0)
        with h5py.File(name) as file:
            words = file.attrs["command"]
        self.assertEqual(len(words.splitlines()), 1)
        echoed = subprocess.run(["bash", "-c", f"printf '%s\\0' {words}"], capture_output=True, text=True).stdout
        self.assertIn(str(name), echoed.split("\0"))
        self.assertEqual(len(optinc("inspect", name).stdout.splitlines()), len(optinc("inspect", self.path).stdout.splitlines()))
        with h5py.File(name, "r+") as file:
            file.attrs["title"] = "a\x1b]0;b\x07\nc"
        self.assertEqual(optinc("inspect", name).stdout.splitlines()[0], "a?]0;b??c")
        name.unlink()

    def test_a_shipped_network_is_inspected_by_its_name(self):
        self.assertIn("trained network", optinc("inspect", "shipped/32x5").stdout)

    def test_foreign_hdf5_is_named(self):
        path = self.path.with_name("foreign.h5")
        with h5py.File(path, "w") as file:
            file["x"] = 1
        self.check_refusal(optinc("inspect", path), "foreign.h5")

    # Fails with SIGSEGV where nothing limits the depth of what the parser of TOML recurses over
    def test_toml_that_is_nested_deeper_than_a_stack_is_refused_however_it_comes(self):
        far = ".".join("a" * 40000)
        path = self.path.with_name("deep.toml")
        path.write_text(f"[{far}]\n")
        for words in (["run", path, "--dry-run"], ["train", path, "-o", path.with_suffix(".h5")], ["budget", path], ["check-network", path],
                      ["compare-costs", path], ["interconnect", path], ["cluster", path], ["operating-point", path],
                      ["run", STUDY, "--dry-run", "--set", f"{far}=1"], ["run", STUDY, "--dry-run", "--sweep", f"{far}=[1]"]):
            self.check_refusal(optinc(*words), "nested too deeply")
        result = self.path.with_name("deep.h5")
        result.write_bytes(self.path.read_bytes())
        with h5py.File(result, "r+") as file:
            file.attrs["config_toml"] = f"{file.attrs['config_toml']}\n[{far}]\n"
        for words in (["inspect", result], ["resume", result], ["replay", result, "--trial", "1", "-o", path.with_name("never.h5")],
                      ["merge", result, self.path, "-o", path.with_name("never.h5")]):
            self.check_refusal(optinc(*words), "nested too deeply")

    # Fails where messages hold what a file calls something as it is: every name of a file, and of files themselves
    def test_no_text_of_others_commands_the_terminal(self):
        hostile, commanding = "\x1b[31m \x9b31m \u202e \u2066 x", "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
        network = self.path.with_name("network.h5")
        for where, name in (("/", "title"), ("/", "command"), ("network/layer0", "ending"), ("network/layer0", "wiring"), ("network", "reduction"),
                            ("network", "rounding")):
            network.write_bytes((pathlib.Path(__file__).resolve().parents[2] / "experiments/data/networks/32x5.h5").read_bytes())
            with h5py.File(network, "r+") as file:
                file[where].attrs[name] = hostile
            for words in (["inspect", network], ["inspect", network, "--json"], ["budget", "--network", network],
                          ["program", network, "-o", self.path.with_name("never.csv"), "--force"]):
                done = optinc(*words)
                self.assertNotRegex(done.stdout + done.stderr, commanding, f"{name}: {words[0]}")
                if done.returncode:
                    self.assertEqual(done.stderr.count("\n"), 1)
            if where == "/" and name == "title":
                self.assertEqual(json.loads(optinc("inspect", network, "--json").stdout)["provenance"]["title"], hostile)
        for words in (["inspect", hostile], ["run", hostile, "--dry-run"], ["run", STUDY, "--dry-run", "--set", f"study='{hostile}'"],
                      ["explain", hostile], [hostile], ["run", STUDY, f"--{hostile}"]):
            done = optinc(*words)
            self.assertNotIn(done.returncode, (0, -11))
            self.assertNotRegex(done.stdout + done.stderr, commanding, words)

    def test_a_name_of_megabytes_is_not_repeated_whole(self):
        for words in (["explain", "x" * 100_000], ["run", STUDY, "--dry-run", "--set", f"chip.{'x' * 100_000}=1"], ["inspect", "x" * 100_000]):
            done = optinc(*words)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith("optinc: ") and done.stderr.count("\n") == 1)
            self.assertLess(len(done.stderr), 2500)

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
    def test_devices_unlike_anything_built_are_warned_of_in_circuits(self):
        path = self.path.with_name("soa.yml")
        path.write_text("inner:\n  instances: {soa: {component: amplifier, settings: {small_signal_gain_db: 20, noise_figure_db: 8}},\n"
                        "              phase: {component: carrier_shifter}}\n"
                        '  connections: {"soa,out0": "phase,in0"}\n  ports: {in: "soa,in0", out: "phase,out0"}\n')
        outer = 'outer:\n  instances: {a: inner}\n  ports: {in: "a,in", out: "a,out"}\n'
        path.write_text(outer + path.read_text())
        alone = ("circuit", path, "--wavelength-m", 1.55e-6, "--points", 1, "--quiet")
        self.assertNotIn("warning", optinc(*alone).stderr)
        told = optinc(*alone, "--set", "a.soa.small_signal_gain_db=60", "--set", "a.soa.noise_figure_db=20",
                      "--set", "a.phase.holes_per_m3=2e26")
        self.assertEqual(told.returncode, 0, told.stderr)
        for words in ("a.soa.small_signal_gain_db: ", "lase", "a.soa.noise_figure_db: ", "a.phase.holes_per_m3: "):
            self.assertIn(words, told.stderr)

    # fails when a law, a spectrum or an override does not reach what is printed
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

    def test_print_config_is_whole_and_loadable(self):
        done = optinc("run", STUDY, "--print-config", "--trials", "7")
        self.assertTrue(re.search(r"^trials = 7\b", done.stdout, re.M), done.stdout)
        for key in optinc("explain").stdout.split():
            if not key.startswith("sweep."):
                self.assertRegex(done.stdout, rf"(?m)^{key.split('.')[-1]} = ")

    def test_a_dry_run_says_what_a_run_takes_and_writes_nothing(self):
        output = self.path.with_name("dry.h5")
        done = optinc("run", STUDY, "-o", output, "--dry-run", *SMALL_ARGUMENTS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?s)2 points.*trials   4 in all.*time +[\d.]+ m?s on.*memory .*MB.*file ")
        self.assertFalse(output.exists())

    def quick(self, *arguments):
        """What a command does that must train nothing: a training takes minutes of the processor under sanitizers."""
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = optinc(*arguments)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start, 20)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_a_dry_run_trains_nothing(self):
        # fails where it trains the network of 41,664 MZIs, which takes a minute, or waits for a trial of an hour
        self.assertIn("training", self.quick("run", "splitter_errors", "--dry-run").stdout)
        # fails where an outline is asked what its amplifiers cut: published ones have a limit
        self.quick("run", "splitter_errors", "--dry-run", "--set", "parts.set=published")
        study = self.path.with_name("hours.toml")
        study.write_text('study = "hours"\nmodel = "learning"\n[learner]\nsteps = 1000000\n')
        self.assertRegex(self.quick("run", study, "--dry-run").stdout, "(?m)^time +not estimated")

    def test_a_budget_trains_nothing_and_says_what_it_is_of(self):
        done = self.quick("budget", "quickstart", "--json")
        self.assertIn("warning: network.source", done.stderr)
        self.assertIn("--network", done.stderr)
        self.assertGreater(json.loads(done.stdout)["static_power"]["total"], 0)

    def test_a_dry_run_refuses_what_does_not_fit_into_memory(self):
        huge = ("run", "splitter_errors", "--trials", 1000000)
        refused = optinc(*huge, "-o", self.path.with_name("never3.h5"))
        self.check_refusal(refused, "memory", "GB")
        self.assertEqual(optinc(*huge, "--dry-run").stderr, refused.stderr)

    def test_a_signal_is_obeyed_within_a_long_trial(self):
        # fails without the alarm: the trial alone takes a minute, and a scheduler kills after 10 to 30 s
        folder = self.path.parent / "long"
        folder.mkdir()
        output, study = folder / "long.h5", folder / "long.toml"
        study.write_text('study = "long"\n[network]\nsource = "shipped/published_even_chips"\n[measure]\nonce = []\n[runner]\ntrials = 2\n'
                         '[calibration]\npolicy = "in-situ"\nin_situ_steps = 20000\n')
        with subprocess.Popen([OPTINC, "run", study, "-o", output, "--quiet"], stderr=subprocess.PIPE, text=True) as run:
            time.sleep(3)
            self.assertIsNone(run.poll())
            start = time.monotonic()
            run.terminate()
            said = run.communicate(timeout=60)[1]
            self.assertLess(time.monotonic() - start, 20)
        self.assertEqual(run.returncode, 143)
        self.assertIn("resume", said)

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

    def test_a_name_of_nothing_suggests_nothing(self):
        self.check_refusal(optinc("run", "nofile.toml", "--dry-run"), "nofile.toml: no such file", "(optinc list studies). Check the path.")
        self.check_refusal(optinc("list", "nothing"), 'unknown kind "nothing"', "Use one of these.")

    def test_lists_and_kinds_by_name(self):
        names = [line.split()[0] for line in optinc("list", "lists").stdout.splitlines()[1:] if line.startswith("  ") and line[2] != " "]
        self.assertEqual(names, sorted(path.stem for path in (pathlib.Path(STUDY).parents[1] / "lists").glob("*.toml")))
        some = optinc("list", "studies", "drift").stdout.splitlines()
        self.assertTrue(some[0].startswith("studies of optinc run") and any(line.startswith("  mesh_drift ") for line in some), some)
        self.assertFalse(any(line.startswith("  comb ") for line in some))
        self.check_refusal(optinc("list", "networks", "nowhere"), 'no networks hold "nowhere"', "Try optinc help nowhere.")
        for command, name in (("cluster", "oddl"), ("interconnect", "ring_1024"), ("compare-costs", "noise_aware.toml")):
            more = ["--dry-run"] if command == "cluster" else []
            self.assertEqual(optinc(command, name, "--quiet", *more).returncode, 0)
        own = self.path.with_name("own.toml")
        own.write_text('[[scenario]]\nname = "u"\nnetwork = "optinc"\ncollective = "optinc"\nbits = 8\n'
                       'designs = "at_operating_points.toml"\ndesign = "96-32"\n')
        self.assertEqual(optinc("interconnect", own, "--quiet").returncode, 0)
        self.check_refusal(optinc("cluster", "odl"), "shipped lists", 'mean "oddl"')

    def test_progress_stays_on_one_line_of_the_terminal(self):
        """Red where its width is not asked for: a line of 147 characters in 60 columns scrolls at every update."""
        output = self.path.with_name("seen.h5")
        for columns in (40, 60, 80):
            master, end = pty.openpty()
            fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            words = ["run", STUDY, "-o", output, "--force", *SMALL_ARGUMENTS, "--trials", "40", "--set", "measure.words=20000",
                     "--sweep", "receiver.bandwidth_hz=[16e9, 32e9]", "--sweep", "link.signal_full_scale_w=[1e-4, 2e-4]"]
            run = subprocess.Popen([OPTINC, *map(str, words)], stderr=end, stdout=subprocess.DEVNULL)
            os.close(end)
            said = b""
            try:
                while piece := os.read(master, 65536):
                    said += piece
            except OSError:  # its end is closed
                pass
            os.close(master)
            self.assertEqual(run.wait(timeout=60), 0)
            renewed = [line for line in re.split("\r\n|\r\x1b\\[K", said.decode()) if "left" in line]
            self.assertGreater(len(renewed), 0)
            for line in renewed:
                self.assertLess(len(line), columns, line)
                self.assertRegex(line, r" \d+/\d+  [\d.]+/s, \d+ s left")
            self.assertIn(b"bandwidth_hz", said)  # the last line has the whole note

    def test_commands_that_moved_and_one_that_never_was_say_what_to_call(self):
        for old, now in (("words", "optinc check-network"), ("designs", "optinc compare-costs"), ("draw", "optinc report")):
            done = optinc(old)
            self.assertEqual(done.returncode, 2)
            self.assertIn(now, done.stderr)

    def test_devices_and_keys_are_offered_by_what_they_contain(self):
        done = optinc("devices", "heater")
        self.check_refusal(done, "harris-2014-heater", "typical-metal-heater")
        self.assertNotIn("wafer-scale-crossing", done.stderr.split("Did you mean")[1])

    def test_a_run_resumes_from_another_folder(self):
        folder = self.path.parent / "elsewhere"
        folder.mkdir()
        (folder / "U.csv").write_text("0,1\n1,0\n")
        (folder / "s.toml").write_text('study = "own"\nmodel = "mesh"\n[mesh]\nports = 2\ntarget = "U.csv"\n[runner]\ntrials = 3\n')
        output = folder / "own.h5"
        done = subprocess.run([OPTINC, "run", "elsewhere/s.toml", "-o", "elsewhere/own.h5", "--quiet"], cwd=folder.parent)
        self.assertEqual(done.returncode, 0)
        done = optinc("resume", output, "--trials", 5, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(output) as file:
            self.assertEqual(file["trials/trial"].shape, (5,))

    def test_replay_repeats_a_trial_to_the_bit(self):
        trial = self.path.with_name("trial.h5")
        done = optinc("replay", self.path, "--point", 1, "--trial", 1, "-o", trial)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"sigma_eta_rad = 0.02: all \d+ values as the study recorded them")
        with h5py.File(trial) as one, h5py.File(self.path) as study:
            np.testing.assert_array_equal(one["record/margin"], study["trials/margin"][1, 1])
            decoded, wanted = one["corrected_quadrature/words/decoded"][()], one["corrected_quadrature/words/wanted"][()]
            self.assertEqual((decoded == wanted).mean(), study["trials/word_accuracy"][1, 1, 1])
            drawn = one["chip/layer0/block0/mesh/alpha"][()]
            self.assertEqual(one.attrs["point_label"], "sigma_eta_rad = 0.02")
        self.assertGreater(abs(drawn).max(), 0)

    def test_a_replay_that_differs_says_how_much_and_fails(self):
        changed, trial = self.path.with_name("changed.h5"), self.path.with_name("other_trial.h5")
        changed.write_bytes(self.path.read_bytes())
        with h5py.File(changed, "r+") as file:
            file["trials/margin"][0, 0, 1] += 1e-9
        done = optinc("replay", changed, "--trial", 0, "-o", trial)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"sigma_eta_rad = 0.01: 1 of \d+ values differ")
        self.assertTrue(trial.exists())
        self.assertEqual(optinc("replay", changed, "--trial", 1, "-o", trial, "--force").returncode, 0)

    def test_what_is_legal_but_unlike_anything_built_is_told_and_stored(self):
        path = self.path.with_name("unlike.h5")
        odd = ("--set", "receiver.responsivity_a_per_w=2.0", "--set", "mesh.kind=balanced")
        expected = (r"optinc: warning: mesh.kind: model chip does not read it .*\n"
                    r"optinc: warning: receiver.responsivity_a_per_w: .* above the quantum limit .* \(at every point, the first "
                    r"sigma_eta_rad = 0.01\)\n"
                    r"optinc: warning: chip.sigma_eta_rad: sigma_eta_rad = 0.5 .* \(at sigma_eta_rad = 0.5\)\n")
        sweep = ("--sweep", "chip.sigma_eta_rad=[0.01,0.5]", "--set", "measure.once=[]", "--trials", 1)
        done = optinc("run", STUDY, "-o", path, "--quiet", *SMALL_ARGUMENTS[:-2], *odd, *sweep)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, f"^{expected}")
        with h5py.File(path) as file:
            self.assertEqual(["optinc: warning: " + line for line in file.attrs["warnings"].split("\n")],
                             done.stderr.splitlines()[:3])
        dry = optinc("run", STUDY, "--dry-run", *SMALL_ARGUMENTS[:-2], *odd, *sweep)
        self.assertRegex(dry.stderr, f"^{expected}")
        network = self.path.with_name("warned_network.h5")
        done = optinc("train", STUDY, "-o", network, "--quiet", *SMALL_ARGUMENTS[:-2], *odd)
        self.assertIn("warning: receiver.responsivity_a_per_w", done.stderr)
        with h5py.File(network) as file:
            self.assertIn("quantum limit", file.attrs["warnings"])
        budget = self.path.with_name("warned_budget.h5")
        done = optinc("budget", "--network", self.path, "-o", budget, "--set", "die.resistance_k_per_w=50.0",
                      "--set", "heater.device=typical-metal-heater")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "warning: heater.device: .* W of heaters warm the die by .* K, more than 60 K")
        with h5py.File(budget) as file:
            self.assertIn("more than 60 K", file.attrs["warnings"])
        with h5py.File(self.path) as file:  # an ordinary study has nothing to warn of
            self.assertNotIn("warnings", file.attrs)

    def test_a_dry_run_refuses_what_a_run_refuses(self):
        for arguments, parts in (
                (("--set", "crosstalk.x0=0.7", "--sweep", "crosstalk.known=[0.5,2.0]"), ("known = 2.0: crosstalk.known = 2",)),
                (("--sweep", "layout.coupler_length_m=[20e-6,9e-3]"), ("coupler_length_m = 0.009: layout.coupler_length_m = 0.009",)),
                (("--sweep", "mesh.kind=['standard','balanced']"), ("mesh.kind cannot be swept by model chip", "read by: mesh")),
                (("--sweep", "chip.dac_bits=[8,8]"), ("chip.dac_bits = 8 is swept twice",))):
            seen = set()
            for how in (("--dry-run",), ("-o", self.path.with_name("never2.h5"))):
                done = optinc("run", STUDY, *how, *SMALL_ARGUMENTS[:-2], *arguments)
                self.check_refusal(done, *parts)
                seen.add(done.stderr)
            self.assertEqual(len(seen), 1)

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
    unittest.main(verbosity=2)
