#!/usr/bin/env python3
"""Files that were damaged, by every command that reads them: an error in one line or the right result, never a crash,
a hang or a changed input. And files of a newer OptINC.

Usage: damage_test.py OPTINC"""

import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

import faults
import h5py
from optinc.results import NotAResult, open_run
from tool import OPTINC, differing, optinc

SEAL = 12  # bytes behind the end of an HDF5 file: FORMAT.md
TRAINING = """[task]
rounding = "half-up"
[network]
hidden = [16, 16]
[training]
warmup_epochs = 0
epochs = 100000
"""
CHIPS = """study = "chips"
[runner]
trials = 2
[task]
rounding = "half-up"
[network]
source = "carry-chain"
[measure]
words = 100
once = []
"""

# what reads a file F; others are sound. Output goes to O.h5, O.csv.
READERS = {
    "result.h5": (["inspect", "F"], ["inspect", "F", "--json"], ["replay", "F", "--trial", "1", "-o", "O.h5"],
                  ["merge", "F", "part.h5", "-o", "O.h5"], ["resume", "F"]),
    "chips.h5": (["inspect", "F"], ["replay", "F", "--trial", "1", "-o", "O.h5"], ["program", "F", "-o", "O.h5"]),
    "network.h5": (["inspect", "F"], ["program", "F", "-o", "O.h5"], ["fabricate", "F", "-o", "O.h5"],
                   ["budget", "--network", "F"], ["program", "F", "--chip", "chip.h5", "-o", "O.csv"],
                   ["check-network", "chips.toml", "--set", "network.source='F'", "--quiet"],
                   ["run", "chips.toml", "--set", "network.source='F'", "-o", "O.h5", "--quiet"],
                   ["train", "training.toml", "--set", "network.start='F'", "--set", "training.epochs=1", "-o", "O.h5",
                    "--quiet"]),
    "chip.h5": (["inspect", "F"], ["program", "network.h5", "--chip", "F", "-o", "O.h5"],
                ["transfer", "phases.h5", "--mesh", "layer0/block0/mesh", "--chip", "F", "-o", "O.csv"]),
    "phases.h5": (["transfer", "F", "--mesh", "layer0/block0/mesh", "-o", "O.h5"],),
    "phases.csv": (["transfer", "F", "--mesh", "layer0/block0/mesh", "-o", "O.h5"],),
    "matrix.h5": (["program", "F", "-o", "O.h5"],),
    "matrix.csv": (["program", "F", "-o", "O.h5"],),
    "matrix.s8p": (["program", "F", "-o", "O.h5"],),
    "laws.h5": (["inspect", "F"], ["inspect", "F", "--json"]),
    "budget.h5": (["inspect", "F"],),
    "unfinished.h5.training": (["resume", "F"],),  # named without its ending
}


class Damage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        (cls.folder / "chips.toml").write_text(CHIPS)
        (cls.folder / "training.toml").write_text(TRAINING)
        faults.mesh_study(cls.folder / "study.toml", 3, 4)
        transfer = "transfer phases.h5 --mesh layer0/block0/mesh -o matrix"
        for command in ("run study.toml -o result.h5", "run study.toml -o part.h5 --shard 1/2",
                        "run chips.toml -o chips.h5", "train training.toml --set training.epochs=1 -o network.h5",
                        "fabricate network.h5 -o chip.h5", "program network.h5 -o phases.h5",
                        "program network.h5 -o phases.csv", "validate 1 --quick -o laws.h5",
                        "budget --network network.h5 -o budget.h5",
                        *(f"{transfer}.{kind}" for kind in ("h5", "csv", "s8p"))):
            done = cls.command(*command.split())
            assert done.returncode == 0, f"{command}: {done.stderr}"
        cls.unfinished = cls.folder / "unfinished.h5"
        process = subprocess.Popen([OPTINC, "train", "training.toml", "-o", cls.unfinished, "--quiet"], cwd=cls.folder)
        assert faults.wait_until(process, pathlib.Path(f"{cls.unfinished}.training").exists)
        process.kill()
        process.wait()
        faults.journal_of(cls.unfinished).unlink()
        cls.sound = {name: (cls.folder / name).read_bytes() for name in READERS}

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def command(cls, *arguments):
        return subprocess.run([OPTINC, *arguments], capture_output=True, text=True, timeout=60, cwd=cls.folder)

    def each_reader(self, name, content):
        """Every command that reads the file, with this content in its place; its exit status and its words."""
        for reader in READERS[name]:
            with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                file = pathlib.Path(folder, name)
                file.write_bytes(content)
                named = str(file).removesuffix(".training")
                words = [re.sub(r"\bF\b", named, re.sub(r"^O\.", f"{folder}/out.", word)) for word in reader]
                done = self.command(*words)
                with self.subTest(file=name, command=" ".join(reader)):
                    self.assertIn(done.returncode, (0, 1), done.stderr)  # a crash is less than 0
                    if done.returncode == 1 and "check-network" not in reader:
                        self.assertRegex(done.stderr, r"^(optinc: warning: .*\n)*optinc: .*\n$")
                        self.assertNotIn("unexpected", done.stderr)
                        self.assertFalse(list(pathlib.Path(folder).glob("out.*")), "something was written all the same")
                    if "resume" not in reader or done.returncode == 1:
                        self.assertEqual(file.read_bytes(), content)
                yield done

    def test_sound_files_are_read(self):
        for name in set(READERS) - {"unfinished.h5.training"}:  # whose training would go on for long
            for done in self.each_reader(name, self.sound[name]):
                if "check-network" not in done.args:  # this network errs, and the check says so
                    self.assertEqual(done.returncode, 0, f"{done.args}: {done.stderr}")

    def test_cut_short(self):
        for name, whole in self.sound.items():
            for size in (0, 1, 7, 100, len(whole) // 3, len(whole) // 2, len(whole) - SEAL - 1):
                for done in self.each_reader(name, whole[:size]):
                    if not name.endswith((".csv", ".s8p")):
                        with self.subTest(size=size):
                            self.assertEqual(done.returncode, 1)
                            self.assertRegex(done.stderr, f"{name}(: |, )")

    def test_a_flipped_bit_of_a_sealed_file_is_always_seen(self):
        draw = random.Random(5)
        for name, whole in self.sound.items():
            if name.endswith((".csv", ".s8p")):
                continue
            for _ in range(6):
                flipped = bytearray(whole)
                flipped[draw.randrange(len(whole) - SEAL)] ^= 1 << draw.randrange(8)
                for done in self.each_reader(name, bytes(flipped)):
                    with self.subTest(file=name):
                        self.assertEqual(done.returncode, 1, done.args)
                        self.assertRegex(done.stderr, f"{name}: damaged ")

    def test_a_flipped_bit_of_a_text_ends_no_program(self):
        draw = random.Random(6)
        for name in ("phases.csv", "matrix.csv", "matrix.s8p"):  # where another digit may be as good as the first
            for _ in range(20):
                flipped = bytearray(self.sound[name])
                flipped[draw.randrange(len(flipped))] ^= 1 << draw.randrange(8)
                for _ in self.each_reader(name, bytes(flipped)):
                    pass

    def test_damaged_files_in_python(self):
        whole = self.sound["result.h5"]
        path = self.folder / "in_python.h5"
        path.write_bytes(whole)
        with open_run(path) as run:
            self.assertEqual(run.trials.sizes["trial"], 3)
        for position in range(0, len(whole) - SEAL, 997):
            flipped = bytearray(whole)
            flipped[position] ^= 2
            path.write_bytes(bytes(flipped))
            with self.assertRaisesRegex(NotAResult, r"in_python.h5 is damaged \("):
                open_run(path)
        path.write_bytes(whole[:-SEAL])
        open_run(path).close()

    # Fails where links, external storage or virtual datasets are followed: the pipe is waited for, the last ends the process
    def test_data_that_lies_elsewhere_is_refused_before_it_is_read(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.addCleanup(pipe.unlink)

        def link(file, name):
            file[name] = h5py.ExternalLink(str(pipe), f"/{name}")

        def loop(file, name):
            file[name] = h5py.SoftLink(f"/{name}")

        def external(file, name):
            file.create_dataset(name, (4, 2, 2), "f8", external=[(str(pipe), 0, 128)])

        def virtual(file, name):
            layout = h5py.VirtualLayout((4, 2, 2), "f8")
            layout[...] = h5py.VirtualSource(".", name, (4, 2, 2))
            file.create_virtual_dataset(name, layout)

        for name, dataset in (("result.h5", "trials/completed"), ("chips.h5", "network/layer0/unitary"), ("network.h5", "network/layer0/unitary"),
                              ("phases.h5", "phases/layer0/block0/mesh/theta"), ("matrix.h5", "matrix"), ("laws.h5", "laws/passed")):
            for change in (link, loop, external, virtual):
                path = self.folder / "elsewhere.h5"
                path.write_bytes(self.sound[name])
                with h5py.File(path, "r+") as file:
                    del file[dataset]
                    change(file, dataset)
                for done in self.each_reader(name, path.read_bytes()):
                    if "check-network" not in done.args and "inspect" not in done.args:
                        self.assertEqual(done.returncode, 1, done.args)
                    if done.returncode == 1:
                        self.assertRegex(done.stderr, f"{dataset}: (a link to elsewhere|a dataset whose values lie elsewhere) \\(")
                with self.subTest(python=name, change=change.__name__), self.assertRaisesRegex(NotAResult, f"{dataset} is a .* elsewhere"):
                    open_run(path)

    def test_an_edited_file_is_read(self):
        path = self.folder / "edited.h5"
        shutil.copy(self.folder / "result.h5", path)
        with h5py.File(path, "r+") as file:  # HDF5 takes the seal off, whether the file grows or not
            file.attrs["title"] = "my own"
        self.assertNotIn(b"OPTINCS1", path.read_bytes())
        self.assertIn("my own", optinc("inspect", path).stdout)
        self.assertEqual((self.folder / "result.h5").read_bytes()[-SEAL:-4], b"OPTINCS1")

    def test_a_file_of_no_version_or_a_newer_one_is_refused(self):
        for name in READERS:
            if name.endswith((".csv", ".s8p")):
                continue
            for version, words in ((99, ("schema_version 99 (this program reads up to", "Use a newer OptINC")),
                                   (0, ("schema_version 0 (this program reads 1 to", "Use another copy"))):
                path = self.folder / "newer.h5"
                path.write_bytes(self.sound[name])
                with h5py.File(path, "r+") as file:
                    file.attrs["schema_version"] = version
                for done in self.each_reader(name, path.read_bytes()):
                    with self.subTest(file=name, command=done.args[1], version=version):
                        self.assertEqual(done.returncode, 1)
                        for part in words:
                            self.assertIn(part, done.stderr)


class Journals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.study = faults.mesh_study(cls.folder / "study.toml", 20, 4)
        cls.whole = cls.folder / "whole.h5"
        assert optinc("run", cls.study, "-o", cls.whole, "--quiet").returncode == 0
        cls.path = cls.folder / "out.h5"
        cls.journal = faults.journal_of(cls.path)
        while not cls.journal.exists():  # killed with some trials done
            cls.path.unlink(missing_ok=True)
            process = subprocess.Popen([OPTINC, "run", cls.study, "-o", cls.path, "--threads", "1", "--quiet"])
            faults.wait_until(process, lambda: faults.trials_in(faults.whole_part(cls.journal)) > 30)
            process.kill()
            process.wait()
        cls.sound = faults.whole_part(cls.journal)
        cls.frames = list(faults.frames(cls.sound))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def resumed(self, content, found):
        """Goes on from a journal with this content, of which `found` trials are to be used."""
        self.journal.write_bytes(content)
        self.path.unlink(missing_ok=True)
        done = optinc("resume", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(differing(self.whole, self.path), [])
        self.assertIn(f"trials {80 - found}/{80 - found}", done.stderr)
        return done.stderr

    def refused(self, content, word):
        self.journal.write_bytes(content)
        self.path.unlink(missing_ok=True)
        done = optinc("resume", self.path)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(word, done.stderr)
        self.assertEqual(self.journal.read_bytes(), content)

    def test_a_damaged_trial_costs_itself_alone(self):
        trials = faults.trials_in(self.sound)
        draw = random.Random(9)
        for kind, place, number, end in self.frames[2:-1:4]:
            self.assertEqual(kind, faults.TRIAL)
            size = self.frames[-1][-1] - self.frames[-2][-1]
            flipped = bytearray(self.sound)
            flipped[end - 1 - draw.randrange(size)] ^= 1 << draw.randrange(8)
            with self.subTest(point=place, trial=number):
                self.assertIn("are damaged; their trials are run again", self.resumed(bytes(flipped), trials - 1))

    def test_a_damaged_network_is_made_anew(self):
        flipped = bytearray(self.sound)
        flipped[self.frames[1][-1] - 10] ^= 1
        self.assertEqual(self.frames[1][0], faults.PRELUDE)
        self.assertIn("are damaged", self.resumed(bytes(flipped), faults.trials_in(self.sound)))

    def test_a_hole_and_what_follows(self):
        trials = faults.trials_in(self.sound)
        size = self.frames[-1][-1] - self.frames[-2][-1]
        begin = self.frames[10][-1]
        for content in (bytes(3 * size), b"\x03\0\0\0" * (3 * size // 4), random.Random(1).randbytes(3 * size)):
            self.resumed(self.sound[:begin] + content + self.sound[begin + 3 * size:], trials - 3)
        self.resumed(self.sound[:begin] + self.sound[begin + size // 2:], trials - 1)  # bytes that are gone

    def test_cut_short(self):
        for size in range(self.frames[1][-1], len(self.sound), 491):
            self.resumed(self.sound[:size], sum(kind == faults.TRIAL and end <= size for kind, *_, end in self.frames))

    def test_without_its_configuration(self):
        for position in range(0, self.frames[0][-1], 601):
            flipped = bytearray(self.sound)
            flipped[position] ^= 16
            self.refused(bytes(flipped), "journal")
        self.refused(self.sound[:20], "nothing to resume")
        self.refused(b"OPTINCJ2" + self.sound[8:], "another version of OptINC")
        self.refused(b"a diary\n" + self.sound[8:], "not a journal of OptINC")
        self.refused(b"", "nothing to resume")

    def test_one_that_is_empty_is_in_nobody_s_way(self):
        self.path.unlink(missing_ok=True)
        self.journal.write_bytes(b"")
        self.assertEqual(optinc("run", self.study, "-o", self.path, "--quiet").returncode, 0)
        self.assertFalse(self.journal.exists())
        self.journal.write_bytes(b"")  # of a process that died when it was to make the study longer
        self.assertEqual(optinc("resume", self.path, "--quiet").returncode, 0)
        self.assertFalse(self.journal.exists())
        self.assertEqual(differing(self.whole, self.path), [])


if __name__ == "__main__":
    unittest.main()
