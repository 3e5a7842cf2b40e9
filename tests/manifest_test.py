"""The manifest of results names everything that the pages show, and experiments/results finds what is stale.

Usage: manifest_test.py [unittest's arguments].
"""

import contextlib
import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True


def script():
    """experiments/results as a module of its own, whose folders a test may change."""
    loader = SourceFileLoader("results_script", str(ROOT / "experiments/results"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("results_script", loader))
    loader.exec_module(module)
    return module


class Manifest(unittest.TestCase):
    def setUp(self):
        self.script = script()
        self.entries = self.script.manifest()
        self.named = {name for entry in self.entries for name in entry.inputs}

    def test_names_every_study_and_list(self):
        files = {str(f.relative_to(ROOT)) for kind in ("studies", "lists") for f in (ROOT / "experiments/data" / kind).glob("*.toml")}
        self.assertEqual(files - self.named, set())

    def test_makes_every_network_and_every_picture(self):
        networks = {file.stem for file in (ROOT / "experiments/data/networks").glob("*.h5")}
        self.assertEqual(networks, {entry.name for entry in self.entries if entry.group == "networks"})
        pictures = {file.name for file in (ROOT / "docs/gallery").glob("*.png")} - {"walkthrough.png"}  # made by a test
        self.assertEqual(pictures, {figure[0] for entry in self.entries for figure in entry.figures})

    def test_measures_every_group_of_claims(self):
        listed = subprocess.run([sys.executable, ROOT / "experiments/claims"], capture_output=True, text=True, check=True).stdout
        groups = {line.split()[0] for line in listed.splitlines()[1:]}
        self.assertEqual(groups, {entry.name for entry in self.entries if entry.group == "claims"})

    def test_claims_that_are_kept_are_not_of_speed(self):
        sys.path.insert(0, str(ROOT / "experiments/scripts"))
        from claims_lib import all_claims
        timed = [c.name for c in all_claims() if c.group in self.script.UNTIMED and re.search(r"^(s|ms|us|ns|minutes|MB)\b|^seconds of|faster|\bs wall", c.unit)]
        self.assertEqual(timed, [])

    def test_claims_depend_on_their_own_modules(self):
        names = {group: {Path(file).stem for file in self.script.claims_code(group)} for group in ("rare", "faults")}
        self.assertIn("experiments/scripts/claims_lib/learning.py", self.script.claims_code("averaging"))  # within a function
        self.assertEqual(names["rare"], {"__init__", "claim", "rare", "python"})  # of which it imports one
        self.assertLessEqual({"faults", "answers", "first_hour", "python"}, names["faults"])  # three modules of one group
        every = set().union(*(self.script.claims_code(e.name) for e in self.entries if e.group == "claims"))
        self.assertEqual(every, {str(f.relative_to(ROOT)) for f in (ROOT / self.script.CLAIMS).glob("*.py")})

    def test_a_shipped_network_tells_how_it_was_trained(self):
        entry = next(e for e in self.entries if e.id == "networks/published_chips")
        file, *words = entry.stages.splitlines()[-1].split()
        command = " ".join(["optinc train base.toml -o", file, *(f"--set '{word}'" for word in words)])
        self.script.document = lambda path: {"provenance": {"command": command.replace("experiments/data/networks/", "elsewhere/")}}
        self.assertEqual(entry.trained_otherwise(), "")
        self.script.document = lambda path: {"provenance": {"command": command.replace("training.epochs=", "training.epochs=1")}}
        self.assertRegex(entry.trained_otherwise(), r"^trained with training.epochs=1(\d+), not training.epochs=\1$")
        entry = next(e for e in self.entries if e.id == "networks/doped_heaters_noise_aware")
        file, *words = entry.stages.splitlines()[-1].replace("doped-heaters", "foundry").split()
        command = " ".join(["optinc train base.toml -o", file, *(f"--set '{word}'" for word in words)])
        self.script.document = lambda path: {"provenance": {"command": re.sub(r"build/networks/\w+", "elsewhere/first", command)}}
        self.assertEqual(entry.trained_otherwise(), "")
        self.script.document = lambda path: {"provenance": {"command": re.sub(r"--set 'network.start=\S+'", "", command)}}
        self.assertEqual(entry.trained_otherwise(), "trained with less, not network.start")

    # Fails when a table reads what an entry behind its own writes: a run of all has no such file yet
    def test_tables_read_what_ran_before(self):
        ids = [entry.id for entry in self.entries]
        for at, entry in enumerate(self.entries):
            for name in re.findall(r'"\.\./(\w+)/', json.dumps(entry.tables)):
                self.assertIn(f"{entry.group}/{name}", ids[:at], entry.id)

    def test_knows_the_order_of_rooms(self):
        sys.path.insert(0, str(ROOT / "tests"))
        from check_includes import FLOORS
        order = dict.fromkeys(room.split("/")[0] for floor in FLOORS["experiments"] for room in floor)
        self.assertEqual((*self.script.ROOMS, "cli"), tuple(order))

    def test_shards_take_every_entry_once(self):
        shares = [self.script.choose(self.entries, [], f"{k}/3") for k in (1, 2, 3)]
        self.assertEqual(sorted(e.id for e in self.entries), sorted(e.id for share in shares for e in share))
        minutes = [sum(e.minutes for e in share) for share in shares]
        self.assertLess(max(minutes) - min(minutes), max(e.minutes for e in self.entries))

    def test_refuses_what_it_does_not_know(self):
        with self.assertRaisesRegex(self.script.Failure, "no entry or group 'chip'"):
            self.script.choose(self.entries, ["chip"], None)
        with self.assertRaisesRegex(self.script.Failure, "no key hours"):
            self.script.Entry("chips", "skew", {"hours": 1, "minutes": 1})


class Tree(unittest.TestCase):
    """A tree of one study and one source."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.script = Path(folder.name), script()
        for name, place in {"ROOT": "", "DATA": "experiments/data", "RECORDS": "experiments/data/records", "OUT": "build/results"}.items():
            setattr(self.script, name, self.root / place)
        self.write("experiments/data/studies/small.toml", "a = 1  # how many\n")
        self.write("experiments/data/results.toml", '[chips]\nsmall = { run = "echo small", minutes = 1 }\n')
        self.write("physics/law.cpp", 'int law() { return 1; }  // one\nconst char* name = "a // b";\n')
        for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all"]):
            subprocess.run(["git", *words], cwd=self.root, check=True)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def state(self):
        self.script.code.cache_clear()
        return self.script.manifest()[0].stale()

    def run_all(self, **options):
        self.script.code.cache_clear()
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            return self.script.run_all(self.script.manifest(), **options)

    def test_what_ran_is_fresh_until_something_changes(self):
        self.assertEqual(self.state(), "never run")
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(self.state(), "")
        record = json.loads((self.root / "experiments/data/records/chips/small.json").read_text())
        self.assertNotIn("dirty", record["revision"])
        self.write("experiments/data/studies/small.toml", "a = 1\n")
        self.write("physics/law.cpp", 'int law() {\n  return 1;\n}\nconst char* name = "a // b";\n')
        self.assertEqual(self.state(), "", "comments and spaces change no result")
        self.write("physics/law.cpp", 'int law() { return 1; }\nconst char* name = "a // c";\n')
        self.assertRegex(self.state(), "^code since ")
        self.write("experiments/data/studies/small.toml", "a = 2\n")
        self.assertRegex(self.state(), "^experiments/data/studies/small.toml, code since ")
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(self.state(), "")

    def test_an_interrupted_study_goes_on(self):
        command = "optinc run small \\\n  -o small.h5 --trials 3"
        self.assertEqual(self.script.going_on(command, self.root), command)
        for left in ("small.h5.journal", "small.h5"):  # killed; interrupted, or its time up
            self.write(left, "")
            self.assertEqual(self.script.going_on(command, self.root), "optinc resume small.h5")
            (self.root / left).unlink()
        self.write("small.h5", "")
        for other in ("for x in a; do optinc run $x -o small.h5; done", "optinc budget -o small.h5"):
            self.assertEqual(self.script.going_on(other, self.root), other)

    # Fails when results of a tool of other sources are recorded with the hash of these
    def test_the_tool_is_of_these_sources(self):
        self.script.TOOL = self.root / "build/tool"
        with self.assertRaisesRegex(self.script.Failure, "build/tool is not there"):
            self.script.check_tool()
        commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=self.root, check=True, capture_output=True, text=True).stdout.strip()
        self.write("build/tool", f"#!/bin/sh\necho 'optinc 1.0 ({commit}, native)'\n")
        self.script.TOOL.chmod(0o755)
        self.script.check_tool()
        self.write("physics/law.cpp", "int law() { return 2; }\n")
        with self.assertRaisesRegex(self.script.Failure, f"of {commit}, not of these sources"):
            self.script.check_tool()

    def test_code_is_that_of_the_rooms_that_a_command_runs(self):
        self.write("experiments/run/a.cpp", "int a;\n")
        self.write("experiments/designs/b.cpp", "int b;\n")
        subprocess.run(["git", "add", "-A"], cwd=self.root, check=True)
        for command, room, is_stale in (("run", "run", True), ("run", "designs", False), ("budget", "designs", True), ("list", "designs", True)):
            self.write("experiments/data/results.toml", f'[chips]\nsmall = {{ run = "true || optinc {command}", minutes = 1 }}\n')
            self.assertEqual(self.run_all(), 0)
            self.write(f"experiments/{room}/a.cpp", f"int {command}_{room};\n")
            subprocess.run(["git", "add", "-A"], cwd=self.root, check=True)
            self.assertEqual(bool(self.state()), is_stale, (command, room))

    # Fails when a record is kept fresh for code other than that of which a comparison tells, or for one that found a change
    def test_code_that_moved_no_bit_leaves_what_ran_fresh(self):
        def git(*words):
            return subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True, text=True).stdout.strip()

        def changed(text):
            """The file of a snapshot, taken by a tool of a commit with this law."""
            self.write("physics/law.cpp", text)
            git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-a", "-m", "law")
            file = self.root / f"{git('rev-parse', '--short=12', 'HEAD')}.json"
            file.write_text(json.dumps({"program": f"optinc 1.0 ({file.stem}, native, GCC)"}))
            return file

        def moved(before, after):
            self.script.code.cache_clear()
            return [entry.id for entry in self.script.moved(self.script.manifest(), before, after)]

        self.write("tests/snapshot/snapshot.py", "import pathlib, sys\nprint('0 of 9 datasets moved')\nsys.exit(pathlib.Path('moved').exists())\n")
        self.write("tests/snapshot/runs.py", 'Run("a", ["run", "studies/a.toml"])\n')
        before = changed("int law() { return 3; }\n")
        self.assertEqual(self.run_all(), 0)
        after, later = changed("int law() { return 2 + 1; }\n"), changed("int law() { return 1 + 2; }\n")
        lost = self.root / "lost.json"
        lost.write_text(json.dumps({"program": "optinc 1.0 (0123456789ab, native, GCC)"}))
        with self.assertRaisesRegex(self.script.Failure, "commit 0123456789ab is not in this repository"):
            moved(lost, after)
        with self.assertRaisesRegex(self.script.Failure, "one compiler and target are asked for, and two commits"):
            moved(before, before)
        with self.assertRaisesRegex(self.script.Failure, "FileNotFoundError.*two records of tests/snapshot"):
            moved(before, self.root / "none.json")
        self.assertEqual(moved(before, after), [], "the code is that of a later commit")
        self.assertEqual(moved(after, later), [], "the record is of an earlier one")
        with contextlib.chdir(self.root):
            self.write("moved", "")
            with self.assertRaisesRegex(self.script.Failure, "the records differ"):
                moved(before, later)
            (self.root / "moved").unlink()
            self.assertRegex(self.state(), "^code since ")
            self.assertEqual(moved(before, later), ["chips/small"])
        self.assertEqual(self.state(), "")
        record = json.loads((self.root / "experiments/data/records/chips/small.json").read_text())
        self.assertEqual(record["moved"], [f"{before.stem} to {later.stem}: 0 of 9 datasets moved"])
        self.write("experiments/data/results.toml", '[torch]\nsmall = { run = "echo small", minutes = 1 }\n')
        self.assertEqual(self.run_all(), 0)
        self.write("experiments/train_torch", "print()\n")
        git("add", "experiments/train_torch")
        later, last = (changed(f"int law() {{ return {law}; }}\n") for law in ("4 - 1", "5 - 2"))
        self.assertEqual(moved(later, last), [], "a snapshot runs no Python")
        said = """{ run = "echo '{\\"claims\\": []}'", minutes = 1 }"""
        self.write("experiments/data/results.toml", f"[claims]\nrare = {said}\nscale = {said}\n")
        for group in ("rare", "scale"):
            self.write(f"{self.script.CLAIMS}/{group}.py", f'GROUP = "{group}"\n')
        self.write(f"{self.script.CLAIMS}/__init__.py", "")
        self.assertEqual(self.run_all(), 0)
        last, other = changed("int law() { return 6 - 3; }\n"), changed("int law() { return 7 - 4; }\n")
        self.assertEqual(moved(last, other), [], "the records are of earlier ones")
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(moved(other, changed("int law() { return 8 - 5; }\n")), ["claims/rare"], "the other is of speed")
        for command, kept in (("cluster", []), ("run", ["chips/small"])):  # what the snapshot runs
            self.write("experiments/data/results.toml", f"[chips]\nsmall = {{ run = 'true || optinc {command} small', minutes = 1 }}\n")
            before = changed(f"int law() {{ return 30 / {len(command)}; }}\n")
            self.assertEqual(self.run_all(), 0)
            self.assertEqual(moved(before, changed(f"int law() {{ return 30 - {len(command)}; }}\n")), kept)

    def test_archive_holds_what_is_fresh_and_is_whole(self):
        file, out = self.root / "archive.tar.gz", self.root / "out"
        with self.assertRaisesRegex(self.script.Failure, "no entry is fresh"):
            self.script.archive(self.script.manifest(), file)
        self.assertEqual(self.run_all(), 0)
        self.script.archive(self.script.manifest(), file)
        with tarfile.open(file) as packed:
            packed.extractall(out)
        top = out / "optinc-results"
        self.assertEqual((top / "chips/small/0.out").read_text(), "small\n")
        self.assertEqual(json.loads((top / "chips/small/record.json").read_text())["commands"], ["echo small"])
        subprocess.run(["sha256sum", "--quiet", "--strict", "-c", "SHA256SUMS"], cwd=top, check=True)
        with self.assertRaisesRegex(self.script.Failure, "exists already"):
            self.script.archive(self.script.manifest(), file)

    def test_goes_on_behind_the_last_finished_command(self):
        self.write("experiments/data/results.toml", '[chips]\nsmall = { run = ["echo >> $ROOT/ran", "test -e $ROOT/go"], minutes = 1 }\n')
        self.assertEqual(self.run_all(), 1)
        self.write("go", "")
        self.assertEqual(self.run_all(), 0)
        self.assertEqual((self.root / "ran").read_text(), "\n")
        self.write("physics/law.cpp", "int law() { return 2; }\n")
        self.assertEqual(self.run_all(), 0)
        self.assertEqual((self.root / "ran").read_text(), "\n\n", "of other code all runs again")

    def test_what_is_fresh_runs_again_from_the_start_where_that_is_asked(self):
        self.write("experiments/data/results.toml", '[chips]\nsmall = { run = ["echo >> $ROOT/ran", "test ! -e $ROOT/stop"], minutes = 1 }\n')
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(self.run_all(), 0)
        self.assertEqual((self.root / "ran").read_text(), "\n")
        self.write("stop", "")
        for attempt in range(2):  # the second goes on where the first was stopped
            self.assertEqual(self.run_all(again=True), 1)
            self.assertEqual((self.root / "ran").read_text(), "\n\n")

    def test_a_failed_command_leaves_no_record(self):
        self.write("experiments/data/results.toml", '[chips]\nsmall = { run = "false", minutes = 1 }\n')
        self.assertEqual(self.run_all(), 1)
        self.assertEqual(self.state(), "never run")

    def test_tables_have_the_numbers_of_what_ran(self):
        self.write("experiments/data/results.toml", """[chips.small]
run = "echo '[{\\"x\\": 2, \\"of\\": [{\\"mean\\": 0.25, \\"low\\": 0.125}]}, {\\"x\\": 3, \\"mean\\": 0.5, \\"low\\": null}]'"
minutes = 1
[chips.small.tables.right]
file = "0.out"
scale = 100
rows = { "right (%)" = { field = ["mean", "low"] }, "mean" = { field = "mean", scale = 1 }, "-" = { at.3 = { field = "mean" } } }
columns = { "2" = { x = 2.0 }, "3" = { x = 3 } }
""")
        self.assertEqual(self.run_all(), 0)
        table = (self.root / "experiments/data/records/numbers/right.csv").read_text()
        self.assertEqual(table, ",2,3\nright (%),25.0 12.5,\nmean,0.25,0.5\n-,,50.0\n")
        entry = self.script.manifest()[0]
        self.assertEqual(self.script.cell(entry, {"file": "0.out", "field": "mean", "pick": "least"}), "0.25")
        self.assertEqual([self.script.cell(entry, {"file": "0.out", "field": "mean", "pick": share}) for share in (0.4, 0.5)], ["0.25", "0.5"])
        self.assertEqual(self.script.cell(entry, {"file": "0.out", "field": "mean", "x": 2, "scale": 8, "over": {"x": 3, "scale": 1}}), "4.0")
        self.assertEqual(self.script.cell(entry, {"file": "0.out", "field": "mean", "x": 2, "over": {"x": 3, "field": "low"}}), "")
        self.assertEqual(self.script.cell(entry, {"file": "0.out", "field": "mean", "x": 2, "plus": {"x": 3}, "over": {"x": 3}}), "1.5")
        self.assertEqual(self.script.cell(entry, {"file": "0.out", "field": "mean", "pick": "mean"}), "0.375")
        with self.assertRaisesRegex(self.script.Failure, "2 rows of chips/small/0.out have mean and {}"):
            self.script.cell(entry, {"file": "0.out", "field": "mean"})

    def test_a_list_is_the_share_of_its_numbers_and_hides_what_it_holds(self):
        self.write("experiments/data/results.toml", """[chips.small]
run = "echo '[{\\"x\\": 2, \\"e\\": [1, null, 3, 4], \\"in\\": [{\\"e\\": 5, \\"q\\": 1}]}]'"
minutes = 1
said = { "right in {} % of {}" = [{ file = "0.out", field = "e", scale = 100 }, { file = "0.out", field = "e", q = 1 }] }
""")
        self.assertEqual(self.run_all(), 0)
        self.assertEqual((self.root / "experiments/data/records/numbers/said-small.csv").read_text(), "right in {} % of {},75.0,5.0\n")

    def test_sentences_have_the_numbers_of_their_source(self):
        sys.path.insert(0, str(ROOT / "tests"))
        import results_numbers
        page = "It is right in\n70 % of 5.0, not in 70 % of 6."
        said, count, wrong = results_numbers.spoken(page, "right in {} % of {}", [75.0, 5.0])
        self.assertEqual((said, count), (page.replace("in\n70", "in\n75"), 1))
        self.assertEqual(wrong, ["right in {} % of {}: 70; the source has 75"])
        self.assertEqual(results_numbers.spoken(said, "right in {} % of {}", [75.3, 5.01]), (said, 1, []))

    # Fails when tables of what is fresh are written before what they read is
    def test_tables_follow_the_entries_that_they_read(self):
        for said in (1.5, 2.5):
            self.write("experiments/data/results.toml", f"""[chips]
first = {{ run = "echo '[{{\\"x\\": {said}}}]'", minutes = 1 }}
[chips.second]
run = "true"
minutes = 1
tables.both = {{ file = "../first/0.out", field = "x", columns.x = {{}}, rows.y = {{}} }}
""")
            self.script.document.cache_clear()
            self.assertEqual(self.run_all(), 0)
            self.assertEqual((self.root / "experiments/data/records/numbers/both.csv").read_text(), f",x\ny,{said}\n")

    # Fails when what one entry writes of a table takes another's column away, whose files are on another machine
    def test_a_table_of_two_entries(self):
        def entry(name, said):
            return f"""[chips.{name}]
run = "echo '[{{\\"x\\": {said}}}]'"
minutes = 1
tables.both = {{ file = "0.out", field = "x", columns.{name} = {{}}, rows.y = {{}} }}
"""
        table = self.root / "experiments/data/records/numbers/both.csv"
        for left, right, text in ((1.5, 3.5, ",left,right\ny,1.5,3.5\n"), (1.5, 4.5, ",left,right\ny,1.5,4.5\n")):
            self.write("experiments/data/results.toml", entry("left", left) + entry("right", right))
            self.script.document.cache_clear()
            self.assertEqual(self.run_all(), 0)
            self.assertEqual(table.read_text(), text)
            shutil.rmtree(self.root / "build/results/chips/left", ignore_errors=True)
        self.write("experiments/data/results.toml", entry("left", 1.5) + entry("right", 5.5).replace('field = "x"', 'field = "y"'))
        self.script.document.cache_clear()
        self.assertEqual(self.run_all(), 1)
        self.assertEqual(table.read_text(), text, "a cell that cannot be read leaves the others")
        self.write("experiments/data/results.toml", entry("left", 1.5) + entry("right", 4.5))
        self.script.document.cache_clear()
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(table.read_text(), text, "what failed has files, but not of the record")
        self.write("experiments/data/results.toml", entry("right", 6.5))
        self.script.document.cache_clear()
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(table.read_text(), ",right\ny,6.5\n")


if __name__ == "__main__":
    unittest.main()
