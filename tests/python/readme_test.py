"""Examples of python/README.md print what the page says."""

import contextlib
import importlib.util
import io
import os
import re
import tempfile
import unittest
from pathlib import Path

import numpy
import optinc

README = Path(__file__).resolve().parents[2] / "python" / "README.md"


NEEDS = {"layout.write_gds": "gdstk", "layout.draw": "matplotlib", "shipped/": "h5py"}  # what else a line imports


def measured_chip(path):
    """The file that the page's reader has, of the mesh of its first example."""
    mesh = optinc.Mesh(16)
    errors = mesh.fabricate("good-lab", seed=11).errors
    rows = numpy.column_stack([mesh.column, mesh.upper, errors.alpha, errors.beta])
    numpy.savetxt(path, rows[::-1], delimiter=",", header="column,upper,alpha_rad,beta_rad", comments="")


class Readme(unittest.TestCase):
    def test_examples_with_an_output(self):
        names = {}  # as one session: a later example imports nothing again
        found = re.findall(r"```python\n((?:(?!```).)*)```\n```text\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
        self.assertEqual(len(found), 6)
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.addCleanup(os.chdir, os.getcwd())  # the last that is added is the first that runs
        os.chdir(scratch.name)
        measured_chip("measured.csv")
        for example, wanted in found:
            lines = [line for line in example.splitlines()
                     if all(importlib.util.find_spec(module) for use, module in NEEDS.items() if use in line)]
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile("\n".join(lines), README.name, "exec"), names)
            self.assertEqual(printed.getvalue(), wanted)


if __name__ == "__main__":
    unittest.main()
