#!/usr/bin/env python3
"""The same numbers however a study is run: threads, shards, MPI ranks, killed and resumed, grown. Every dataset and every
attribute is compared, created_utc and command of the root aside.

Usage: runner_test.py OPTINC STUDY.toml"""

import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np
from meshes import MESH, journal_of, mesh_study
from tool import OPTINC, SMALL_ARGUMENTS, differing, optinc

STUDY = sys.argv.pop(1)

class Runner(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.study = cls.folder / "mesh.toml"
        mesh_study(cls.study, 150)  # 600 trials of a millisecond or so, at four points
        cls.whole = cls.folder / "whole.h5"
        cls.run_study(cls.study, "-o", cls.whole, "--threads", 2)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @staticmethod
    def run_study(*arguments):
        done = optinc("run", *arguments, "--quiet")
        assert done.returncode == 0, done.stderr

    def same(self, path):
        self.assertEqual(differing(self.whole, path), [])
        self.assertFalse(journal_of(path).exists())

    def start(self, path, *arguments):
        """A run under way whose journal has some trials already."""
        process = subprocess.Popen([OPTINC, *arguments], stderr=subprocess.PIPE, text=True)
        size = journal_of(path).stat().st_size if journal_of(path).exists() else 5000  # a new one begins with the study, 5 kB
        while process.poll() is None and not (journal_of(path).exists() and journal_of(path).stat().st_size > size + 4000):
            time.sleep(0.002)
        return process

    def test_one_thread(self):
        path = self.folder / "one.h5"
        self.run_study(self.study, "-o", path, "--threads", 1)
        self.same(path)

    def test_dies_of_wafers(self):
        """Their random fields are prepared once for all trials and points, by whichever thread or shard comes first."""
        wafers = ["--set", "fabrication.process=wafer", "--sweep", "fabrication.correlation_length_m=[5e-4, 5e-3]", "--trials", 20]
        whole, one, merged = (self.folder / f"wafer_{name}.h5" for name in ("whole", "one", "merged"))
        parts = [self.folder / f"wafer_part{i}.h5" for i in (1, 2)]
        self.run_study(self.study, "-o", whole, *wafers, "--threads", 3)
        self.run_study(self.study, "-o", one, *wafers, "--threads", 1)
        for i, part in enumerate(parts, 1):
            self.run_study(self.study, "-o", part, *wafers, "--shard", f"{i}/2")
        self.assertEqual(optinc("merge", *parts, "-o", merged).returncode, 0)
        self.assertEqual((differing(whole, one), differing(whole, merged)), ([], []))
        with h5py.File(whole) as file:
            self.assertGreater(len(np.unique(file["dies/die_x"][()])), 3)
        self.assertNotEqual(differing(whole, self.whole), [])

    def test_shards_merged(self):
        parts = [self.folder / f"part{i}.h5" for i in (1, 2, 3, 4)]
        for i, part in enumerate(parts, 1):
            self.run_study(self.study, "-o", part, "--shard", f"{i}/4")
            with h5py.File(part) as file:
                self.assertEqual((file.attrs["complete"], file.attrs["shard"]), (0, f"{i}/4"))
        path = self.folder / "merged.h5"
        self.assertEqual(optinc("merge", *reversed(parts), "-o", path).returncode, 0)
        self.same(path)
        some = self.folder / "some.h5"
        done = optinc("merge", parts[0], parts[2], "-o", some)
        self.assertIn("300 of 600", done.stderr)
        self.assertEqual(optinc("resume", some, "--quiet").returncode, 0)
        self.same(some)

    def test_merge_refuses_another_study(self):
        parts = [self.folder / "a1.h5", self.folder / "a2.h5"]
        self.run_study(self.study, "-o", parts[0], "--shard", "1/2")
        self.run_study(self.study, "-o", parts[1], "--shard", "2/2", "--set", "chip.rho_ab=0.25")
        done = optinc("merge", *parts, "-o", self.folder / "never.h5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("chip.rho_ab = 0.25 here and 0.5 there", done.stderr)

    def test_merge_refuses_another_build_and_a_run_under_way(self):
        parts = [self.folder / "b1.h5", self.folder / "b2.h5"]
        for i, part in enumerate(parts, 1):
            self.run_study(self.study, "-o", part, "--shard", f"{i}/2")
        output = self.folder / "built.h5"
        process = self.start(output, "run", self.study, "-o", output, "--threads", "1", "--quiet")
        process.kill()
        process.communicate()
        self.assertIn("under way", optinc("merge", *parts, "-o", output).stderr)
        journal_of(output).unlink()
        with h5py.File(parts[1], "r+") as file:
            file.attrs["build_target"] = "elsewhere"
        done = optinc("merge", *parts, "-o", output)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, 'build_target "elsewhere" here and "(native|portable)" there')
        self.assertFalse(output.exists())

    def test_a_forced_run_that_was_killed_takes_nothing_from_the_file_it_replaces(self):
        path = self.folder / "forced.h5"
        shutil.copy(self.whole, path)
        process = self.start(path, "run", self.study, "-o", path, "--force", "--threads", "1", "--quiet")
        process.kill()
        process.communicate()
        done = optinc("resume", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(int(done.stderr.split("timing: ")[1].split()[0]), 300)  # not only what the old file lacked
        self.same(path)

    def test_an_ablation_is_not_added_twice(self):
        text = MESH.format(trials=150, ports=24) + '[[sweep]]\nmethod = "ablation"\nsources = ["splitters"]\n'
        study = self.folder / "ablated.toml"
        study.write_text(text)
        done = optinc("ablate", study, "-o", self.folder / "never.h5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ablation is there already", done.stderr)
        path = self.folder / "ablated.h5"
        self.run_study(study, "-o", path, "--trials", "2")
        # which point of the other sweeps a share belongs to is told
        self.assertIn("sigma_eta_rad = 0.01, dac_bits = 12", optinc("inspect", path).stdout.split("variance shares")[1])

    def test_killed_three_times_and_resumed(self):
        path = self.folder / "killed.h5"
        kept = 0
        for attempt in range(3):
            process = self.start(path, *(("resume", path) if attempt else ("run", self.study, "-o", path)), "--threads", "1")
            process.send_signal(signal.SIGKILL)
            process.communicate()
            self.assertTrue(journal_of(path).exists())
            self.assertFalse(path.exists())
            self.assertGreater(journal_of(path).stat().st_size, kept)
            kept = journal_of(path).stat().st_size
        done = optinc("resume", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(path) as file:  # the journal remembers the command that began it
            self.assertEqual(file.attrs["command"], f"optinc run {self.study} -o {path} --threads 1; optinc resume {path}")
        # what was finished was not run again
        self.assertLess(int(done.stderr.split("timing: ")[1].split()[0]), 600)
        self.same(path)

    def test_signals_store_what_is_finished(self):
        for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            with self.subTest(signal=number):
                path = self.folder / f"signal{status}.h5"
                process = self.start(path, "run", self.study, "-o", path, "--threads", "1", "--quiet")
                process.send_signal(number)
                told = process.communicate()[1]
                self.assertEqual(process.returncode, status)
                self.assertIn(f"optinc resume {path}", told)
                with h5py.File(path) as file:
                    self.assertEqual(file.attrs["complete"], 0)
                    done = file["trials/completed"][()].astype(bool)
                    self.assertTrue(0 < done.sum() < 600)
                    self.assertTrue(np.isnan(file["trials/fidelity"][()][~done]).all())
                    self.assertFalse(np.isnan(file["trials/fidelity"][()][done]).any())
                self.assertIn("NOT COMPLETE", optinc("inspect", path).stdout)
                self.assertEqual(optinc("resume", path, "--quiet").returncode, 0)
                self.same(path)

    # Fails where the warnings of a network that was trained for noise look for the signal while its results are written
    def test_a_signal_stores_trials_of_a_network_trained_for_noise(self):
        path, study = self.folder / "noise.h5", self.folder / "noise.toml"
        study.write_text('network.source = "shipped/bottleneck_noise_aware"\nrunner.trials = 4000\nmeasure.words = 200\n')
        process = subprocess.Popen([OPTINC, "run", study, "-o", path, "--threads", "1", "--quiet"], stderr=subprocess.PIPE, text=True)
        records = 0  # the first large one holds the network
        while process.poll() is None and records < 3:
            time.sleep(0.01)
            data = journal_of(path).read_bytes() if journal_of(path).exists() else b""
            at, records = 8, 0
            while at + 32 <= len(data):
                kind, _, _, _, size = struct.unpack_from("<IIQQQ", data, at)
                at, records = at + 32 + size, records + (kind == 3)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn(f"optinc resume {path}", told)
        self.assertFalse(journal_of(path).exists())
        with h5py.File(path) as file:
            self.assertGreaterEqual(file["trials/completed"][()].sum(), 3)

    def test_a_time_limit_ends_in_order(self):
        path = self.folder / "limited.h5"
        done = optinc("run", self.study, "-o", path, "--threads", 1, "--set", "run.time_limit_s=0.05")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("optinc resume", done.stderr)
        self.assertEqual(optinc("resume", path, "--quiet").returncode, 0)
        self.same(path)
        with h5py.File(path) as file:  # both commands made it
            self.assertEqual(file.attrs["command"], f"optinc run {self.study} -o {path} --threads 1 --set run.time_limit_s=0.05; "
                                                    f"optinc resume {path} --quiet")

    def test_a_grown_study_is_the_longer_one(self):
        path = self.folder / "grown.h5"
        self.run_study(self.study, "-o", path, "--trials", 40)
        self.assertEqual(optinc("resume", path, "--trials", 150, "--quiet").returncode, 0)
        self.same(path)
        fewer = optinc("resume", path, "--trials", 10)
        self.assertEqual(fewer.returncode, 1)
        self.assertIn("at least 150", fewer.stderr)

    def test_a_run_under_way_is_left_alone(self):
        path = self.folder / "busy.h5"
        process = self.start(path, "run", self.study, "-o", path, "--threads", "1", "--trials", "2000", "--quiet")
        for arguments in (("run", self.study, "-o", path), ("run", self.study, "-o", path, "--force"), ("resume", path)):
            refused = optinc(*arguments)
            self.assertEqual(refused.returncode, 1)
            self.assertEqual(len(refused.stderr.strip().splitlines()), 1, refused.stderr)
        self.assertIsNone(process.poll())
        process.kill()
        process.communicate()
        left = optinc("run", self.study, "-o", path)
        self.assertIn("optinc resume", left.stderr)

    def test_precision_stops_alike_everywhere(self):
        rule = ["--set", "runner.precision=0.03", "--set", "runner.precision_metric=mesh_error", "--trials", "2000"]
        paths = [self.folder / f"precise{i}.h5" for i in (0, 1, 2, 3)]
        self.run_study(self.study, "-o", paths[0], "--threads", 1, *rule)
        self.run_study(self.study, "-o", paths[1], "--threads", 2, *rule)
        for i in (2, 3):
            self.run_study(self.study, "-o", paths[i], "--shard", f"{i - 1}/2", *rule)
        merged = self.folder / "precise.h5"
        self.assertEqual(optinc("merge", paths[2], paths[3], "-o", merged).returncode, 0)
        self.assertEqual(differing(paths[0], paths[1]), [])
        self.assertEqual(differing(paths[0], merged), [])
        with h5py.File(merged) as file:
            run = file["summary/completed"][()]
            self.assertTrue((run % 50 == 0).all() and (run < 2000).all(), run)
            width = file["summary/mesh_error_mean_high"][..., 0] - file["summary/mesh_error_mean_low"][..., 0]
            self.assertTrue((width < 0.032 * file["summary/mesh_error_mean"][..., 0]).all())

    def test_chips_sharded_killed_and_merged(self):
        whole, merged = self.folder / "chips.h5", self.folder / "chips_merged.h5"
        self.run_study(STUDY, "-o", whole, *SMALL_ARGUMENTS)
        parts = [self.folder / f"chips{i}.h5" for i in (1, 2)]
        for i, part in enumerate(parts, 1):
            self.run_study(STUDY, "-o", part, "--shard", f"{i}/2", *SMALL_ARGUMENTS)
        self.assertEqual(optinc("merge", *parts, "-o", merged, "--quiet").returncode, 0)
        self.assertEqual(differing(whole, merged), [])

    @unittest.skipUnless(shutil.which("mpirun") and "libmpi" in subprocess.run(["ldd", OPTINC], capture_output=True, text=True).stdout,
                         "no MPI in this build or on this machine")
    def test_mpi_ranks(self):
        allowed = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        mpirun = ["mpirun", "-n", "4", OPTINC]
        path = self.folder / "ranks.h5"
        done = subprocess.run([*mpirun, "run", self.study, "-o", path, "--quiet"], env=allowed, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.same(path)
        refused = subprocess.run([*mpirun, "run", self.study, "-o", path], env=allowed, capture_output=True, text=True, timeout=120)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("exists already", refused.stderr)
        chips, alone = self.folder / "ranks_chips.h5", self.folder / "alone_chips.h5"
        self.run_study(STUDY, "-o", alone, *SMALL_ARGUMENTS)
        done = subprocess.run([*mpirun, "run", STUDY, "-o", chips, "--quiet", *SMALL_ARGUMENTS], env=allowed, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(differing(alone, chips), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
