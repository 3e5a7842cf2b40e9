#!/usr/bin/env python3
"""Bad input on the command line is refused in one line that says how to mend it, and destroys nothing.

Usage: command_refusal_test.py OPTINC STUDY.toml"""

import json
import os
import pathlib
import subprocess
import unittest

import h5py
from command import STUDY, Command, run_small
from tool import OPTINC, SMALL_ARGUMENTS, optinc


class Refusal(Command):
    def test_existing_output_stays_without_force(self):
        before = self.path.read_bytes()
        refused = run_small(self.path)
        self.check_refusal(refused, "small.h5", "--force")
        self.assertEqual(self.path.read_bytes(), before)
        self.assertEqual(list(self.path.parent.glob("*.partial*")), [])

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

    def test_a_dry_run_refuses_what_does_not_fit_into_memory(self):
        huge = ("run", "splitter_errors", "--trials", 1000000)
        refused = optinc(*huge, "-o", self.path.with_name("never3.h5"))
        self.check_refusal(refused, "memory", "GB")
        self.assertEqual(optinc(*huge, "--dry-run").stderr, refused.stderr)

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

    def test_commands_that_moved_and_one_that_never_was_say_what_to_call(self):
        for old, now in (("words", "optinc check-network"), ("designs", "optinc compare-costs"), ("draw", "optinc report")):
            done = optinc(old)
            self.assertEqual(done.returncode, 2)
            self.assertIn(now, done.stderr)

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


if __name__ == "__main__":
    unittest.main()
