#!/usr/bin/env python3
"""Processes that meet: two on one output, ranks of MPI of which one dies, signals at awkward moments.

Usage: processes_test.py OPTINC"""

import os
import pathlib
import signal
import subprocess
import time
import unittest

import faults
import h5py
import ranks
from mesh_run import MeshRun
from tool import OPTINC, differing, optinc

# two networks, made without training; chips of a millisecond
NETWORKS = """study = "networks"
model = "chip"
[runner]
trials = {trials}
[measure]
words = 200
once = []
[task]
servers = 4
rounding = "half-up"
[[sweep]]
values = {{"network.source" = ["carry-chain", "shipped/64x4"]}}
"""


def start(*arguments):
    return subprocess.Popen([OPTINC, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            text=True)


class Processes(MeshRun):
    trials, ports = 100, 24

    def alone(self, path):
        self.assertEqual([p.name for p in self.folder.glob(f"{path.name}*")], [path.name])

    def test_of_two_started_at_once_one_runs(self):
        path = self.folder / "twice.h5"
        for _ in range(4):
            both = [start("run", self.study, "-o", path, "--threads", 1, "--quiet") for _ in range(2)]
            said = [process.communicate()[1] for process in both]
            self.assertEqual(sorted(process.returncode for process in both), [0, 1], said)
            self.assertRegex("".join(said), "another process (is writing|has just finished) this run|exists already")
            self.assertEqual(differing(self.whole, path), [])
            self.alone(path)
            path.unlink()

    def test_the_output_of_a_run_is_left_to_it(self):
        path = self.folder / "busy.h5"
        shard, training = self.folder / "shard.h5", self.folder / "quick.toml"
        training.write_text("[network]\nhidden = [8]\n[training]\nepochs = 1\nwarmup_epochs = 0\n")
        self.assertEqual(optinc("run", self.study, "-o", shard, "--shard", "1/2", "--quiet").returncode, 0)
        process = start("run", self.study, "-o", path, "--threads", 1, "--quiet")
        self.assertTrue(faults.wait_until(process, lambda: faults.trials_kept(path) > 5))
        with faults.standing_still(process):
            for arguments in (["merge", shard, "-o", path], ["merge", shard, "-o", path, "--force"],
                              ["train", training, "-o", path], ["train", training, "-o", path, "--force"],
                              ["resume", path]):
                with self.subTest(command=arguments[0]):
                    refused = optinc(*arguments, "--quiet")
                    self.assertEqual(refused.returncode, 1, refused.stderr)
                    self.assertEqual(len(refused.stderr.strip().splitlines()), 1, refused.stderr)
        self.assertEqual(process.communicate()[1], "")
        self.assertEqual(process.returncode, 0)
        self.assertEqual(differing(self.whole, path), [])
        self.alone(path)

    def test_two_trainings_for_one_output(self):
        path = self.folder / "network.h5"
        study = self.folder / "training.toml"
        study.write_text('[network]\nhidden = [32, 32, 32]\n[training]\nepochs = 500\n')
        process = start("train", study, "-o", path, "--threads", 1, "--quiet")
        self.assertTrue(faults.wait_until(process, pathlib.Path(f"{path}.training").exists))
        with faults.standing_still(process):
            before = pathlib.Path(f"{path}.training").read_bytes()
            for arguments in (["train", study, "-o", path], ["train", study, "-o", path, "--force"], ["resume", path]):
                refused = optinc(*arguments, "--quiet")
                self.assertEqual(refused.returncode, 1, refused.stderr)
                self.assertEqual(pathlib.Path(f"{path}.training").read_bytes(), before)
            self.assertIsNone(process.poll())
        process.kill()
        process.communicate()
        # what the dead one held is taken over
        self.assertIn("Continue it with", optinc("train", study, "-o", path, "--quiet").stderr)
        going_on = start("resume", path, "--quiet")
        time.sleep(0.3)
        self.assertIsNone(going_on.poll())
        going_on.terminate()
        self.assertIn(f"optinc resume {path}", going_on.communicate()[1])

    def test_signals_at_a_study_of_several_networks(self):
        study = self.folder / "networks.toml"
        study.write_text(NETWORKS.format(trials=150))
        whole, path = self.folder / "networks-whole.h5", self.folder / "networks.h5"
        self.assertEqual(optinc("run", study, "-o", whole, "--quiet").returncode, 0)
        process = start("run", study, "-o", path, "--threads", 1, "--quiet")
        self.assertTrue(faults.wait_until(process, lambda: faults.trials_kept(path) > 5))
        process.terminate()
        said = process.communicate()[1]
        self.assertEqual(process.returncode, 143, said)
        self.assertIn(f"optinc resume {path}", said)
        with h5py.File(path) as file:
            self.assertEqual(file.attrs["complete"], 0)
            self.assertEqual(file["networks/of_point"][()].tolist(), [0, 1])
            self.assertTrue(0 < file["trials/completed"][()].sum() < 300)
        self.assertEqual(optinc("resume", path, "--quiet").returncode, 0)
        self.assertEqual(differing(whole, path), [])
        self.alone(path)

    def test_a_signal_while_the_file_is_written(self):
        path = self.folder / "late.h5"
        for _ in range(3):
            process = start("run", self.study, "-o", path, "--force", "--quiet")
            # all trials made: before, a partial file only tries whether the folder can be written to
            faults.wait_until(process, lambda: any(self.folder.glob("late.h5.partial-*"))
                              and faults.trials_kept(path) == 4 * self.trials)
            process.terminate()
            said = process.communicate()[1]
            self.assertIn(process.returncode, (0, 143), said)
            self.assertEqual(differing(self.whole, path), [])
            self.alone(path)

    def test_a_closed_pipe_does_not_end_a_run(self):
        path = self.folder / "deaf.h5"
        reader, writer = os.pipe()
        os.close(reader)
        process = subprocess.Popen([OPTINC, "run", self.study, "-o", path], stderr=writer)
        os.close(writer)
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(differing(self.whole, path), [])


@unittest.skipUnless(ranks.MPI, ranks.NO_MPI)
class Ranks(MeshRun):
    trials, ports = 500, 32

    def run_ranks(self, path):
        """A run on three ranks that has some trials already: the launcher, and the ranks' processes by number."""
        launcher = ranks.launched(3, "run", self.study, "-o", path, "--quiet")
        self.assertTrue(faults.wait_until(launcher, lambda: faults.trials_kept(path) > 5))
        processes = ranks.processes_of(launcher)
        self.assertEqual({0, 1, 2}, processes.keys())
        return launcher, processes

    def ended(self, launcher, processes, path, kept):
        said = launcher.communicate(timeout=60)[1]
        self.assertNotEqual(launcher.returncode, 0, said)
        end = time.monotonic() + 20
        while any(pathlib.Path(f"/proc/{pid}").exists() for pid in processes.values()):
            self.assertLess(time.monotonic(), end, "a rank outlived the run")
            time.sleep(0.05)
        if not path.exists():
            self.assertTrue(faults.whole_part(faults.journal_of(path)).startswith(kept))
        done = optinc("resume", path, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(differing(self.whole, path), [])
        self.assertEqual([p.name for p in self.folder.glob(f"{path.name}*")], [path.name])
        return said

    def test_a_rank_that_is_killed(self):
        for number in (0, 2):
            with self.subTest(rank=number):
                path = self.folder / f"rank{number}.h5"
                launcher, processes = self.run_ranks(path)
                kept = faults.whole_part(faults.journal_of(path))
                os.kill(processes[number], signal.SIGKILL)
                self.ended(launcher, processes, path, kept)

    def test_an_end_asked_of_one_rank_ends_the_run_in_order(self):
        for number in (0, 1):
            with self.subTest(rank=number):
                path = self.folder / f"asked{number}.h5"
                launcher, processes = self.run_ranks(path)
                kept = faults.whole_part(faults.journal_of(path))
                os.kill(processes[number], signal.SIGTERM)
                said = self.ended(launcher, processes, path, kept)
                self.assertIn("trials are stored in", said)

    def test_an_end_asked_of_the_launcher(self):
        path = self.folder / "launcher.h5"
        launcher, processes = self.run_ranks(path)
        kept = faults.whole_part(faults.journal_of(path))
        launcher.terminate()
        self.ended(launcher, processes, path, kept)


if __name__ == "__main__":
    unittest.main()
