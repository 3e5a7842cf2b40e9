#!/usr/bin/env python3
"""A study run end to end on the command line: its file read back by h5py, the same numbers on one and two threads, resumed and
replayed, dry runs, signals.

Usage: command_run_test.py OPTINC STUDY.toml"""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import time
import unittest

import h5py
import numpy as np
from command import STUDY, Command, run_small
from tool import OPTINC, SMALL_ARGUMENTS, contents, differing, optinc


class Run(Command):
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

    def test_a_dry_run_trains_nothing(self):
        # fails where it trains the network of 41,664 MZIs, which takes a minute, or waits for a trial of an hour
        self.assertIn("training", self.quick("run", "splitter_errors", "--dry-run").stdout)
        # fails where an outline is asked what its amplifiers cut: published ones have a limit
        self.quick("run", "splitter_errors", "--dry-run", "--set", "parts.set=published")
        study = self.path.with_name("hours.toml")
        study.write_text('study = "hours"\nmodel = "learning"\n[learner]\nsteps = 1000000\n')
        self.assertRegex(self.quick("run", study, "--dry-run").stdout, "(?m)^time +not estimated")

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


if __name__ == "__main__":
    unittest.main()
