#!/usr/bin/env python3
"""optinc validate as a user meets it: every law holds in a quick run of under a minute, the file and its figures, choosing
and listing laws, and refusals.

Usage: validate_test.py OPTINC"""

import json
import pathlib
import resource
import tempfile
import unittest

from tool import optinc

LIMIT_S = 60  # of one processor, which no neighbour on the machine makes longer


def processor_seconds():
    """Of all child processes so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Validate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name, "laws.h5")
        before = processor_seconds()
        cls.done = optinc("validate", "--quick", "--json", "-o", cls.path)
        cls.seconds = processor_seconds() - before

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_law_holds_in_under_a_minute(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout[-4000:] + self.done.stderr)
        found = json.loads(self.done.stdout)["laws"]
        self.assertEqual([law["name"] for law in found if law["verdict"] != "pass"], [])
        self.assertLess(self.seconds, LIMIT_S)
        self.assertEqual({law["kind"] for law in found}, {"exact", "conservation", "analytic", "published", "monte-carlo"})
        rows = {law["row"] for law in found}
        self.assertEqual(rows, {*map(str, range(1, 25)), "8b", "10b", "13b"})
        self.assertNotIn("Ec corrected, trained 8-bit", {law["law"] for law in found})  # half a minute of training
        self.assertRegex(self.done.stderr, r"^\d+ laws at \d+ points, quick run: about \d+ s on \d+ threads")

    def test_inspect_shows_the_table(self):
        seen = json.loads(optinc("inspect", self.path, "--json").stdout)
        self.assertEqual(seen["laws"], json.loads(self.done.stdout)["laws"])
        self.assertIn("validate --quick", seen["provenance"]["command"])
        text = optinc("inspect", self.path).stdout
        self.assertIn("E0 uncorrected N=64", text)
        self.assertRegex(text, r"all \d+ points of \d+ laws hold")

    def test_an_output_stays_without_force(self):
        before = self.path.read_bytes()
        refused = optinc("validate", "2", "-o", self.path)
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("--force", refused.stderr)
        self.assertEqual(self.path.read_bytes(), before)
        small = self.path.with_name("small.h5")
        for more in ((), ("--force",)):
            self.assertEqual(optinc("validate", "2", "-o", small, *more).returncode, 0)

    def test_laws_are_listed_and_chosen(self):
        listed = json.loads(optinc("validate", "--list", "--json").stdout)["laws"]
        text = optinc("validate", "--list", "10").stdout.splitlines()
        self.assertEqual(sum(line.startswith("10 ") for line in text), sum(law["row"] == "10" for law in listed))
        self.assertLessEqual(max(map(len, text)), 100)
        done = optinc("validate", "MZI prod", "15", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [line.split()[0] for line in done.stdout.splitlines()[1:-1]]
        self.assertEqual(set(rows), {"2", "15"})
        refused = optinc("validate", "covrage")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("coverage", refused.stderr)

    def test_a_seed_changes_the_samples(self):
        one, two = (json.loads(optinc("validate", "E0 uncorrected,", "--quick", "--json", "--seed", seed).stdout)["laws"]
                    for seed in (1, 2))
        self.assertNotEqual(one[0]["measured"], two[0]["measured"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
