"""A study of meshes and the file of its undisturbed run, made once for the tests of a class."""

import pathlib
import tempfile
import unittest

import faults
from tool import optinc


class MeshRun(unittest.TestCase):
    """`study`, and `whole`, what it gives undisturbed, in `folder`; a class sets trials at each of four points, and ports."""
    trials, ports = 150, 24

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.study = faults.mesh_study(cls.folder / "study.toml", cls.trials, cls.ports)
        cls.whole = cls.folder / "whole.h5"
        assert optinc("run", cls.study, "-o", cls.whole, "--quiet").returncode == 0

    def refused(self, done, *words):
        """A process that ended by refusing, in one line that holds these words."""
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
