"""What the tests of the command line share: a small study that was run, and what a refusal looks like."""

import pathlib
import resource
import sys
import tempfile
import unittest

from tool import SMALL_ARGUMENTS, optinc

STUDY = sys.argv.pop(1)


def run_small(output, *more):
    return optinc("run", STUDY, "-o", output, "--quiet", *SMALL_ARGUMENTS, *more)


class Command(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name, "small.h5")
        done = run_small(cls.path, "--threads", 2)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check_refusal(self, done, *parts):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def quick(self, *arguments):
        """What a command does that must train nothing: a training takes minutes of the processor under sanitizers."""
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = optinc(*arguments)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start, 20)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done
