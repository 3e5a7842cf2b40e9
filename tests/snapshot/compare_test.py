#!/usr/bin/env python3
"""snapshot.py compare finds what moved between two records: a value, a text, a dataset that is gone or new, another shape
or type; and is silent about dates, and about what is equal.

Exits 77 (skipped) when a module is missing."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
try:
    import h5py
    import numpy as np

    import comparison
    import contents
    import record
    import snapshot
except ModuleNotFoundError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, change=None, told=None):
        found = {"run/a": np.array([[1.0, 2.0], [np.nan, -4.0]]), "run/b": np.arange(3), "run/c@units": ["rad"],
                 "run/zero": np.array(0.0)}
        if change:
            change(found)
        path = self.folder / f"{name}.json"
        record.write(path, {"version": record.VERSION, "processor": "x", "program": "optinc", **(told or {})}, found)
        return path

    def lines(self, change, numbers_only=False):
        old, new = comparison.Record(self.write("old")), comparison.Record(self.write("new", change))
        return comparison.compare(old, new, numbers_only)

    def test_equal(self):
        self.assertEqual(self.lines(None), [])

    def test_one_value_moved(self):
        def change(found):
            found["run/a"][0, 1] = 2.0 + 2.0 ** -51
        (name, text), = self.lines(change)
        self.assertEqual(name, "run/a")
        self.assertEqual(text, "1 of 4 values, max |difference| 4.44e-16, relative 2.22e-16")

    def test_largest_of_several(self):
        def change(found):
            found["run/a"] = np.array([[2.0, 2.0], [7.0, -5.0]])
        (_, text), = self.lines(change)
        self.assertEqual(text, "3 of 4 values, max |difference| 1, relative 0.5, 1 to or from NaN or infinity")

    def test_sign_of_zero(self):
        (name, text), = self.lines(lambda found: found.update({"run/zero": np.array(-0.0)}))
        self.assertEqual((name, text), ("run/zero", "signs of zero or bits of NaN"))

    def test_missing_and_new(self):
        def change(found):
            found["run/d"] = found.pop("run/b")
        self.assertEqual(self.lines(change), [("run/b", "removed"), ("run/d", "added")])

    def test_shape(self):
        (name, text), = self.lines(lambda found: found.update({"run/b": np.arange(4)}))
        self.assertEqual((name, text), ("run/b", "type or shape changed: int64 [3] -> int64 [4]"))

    def test_transposed(self):
        (name, text), = self.lines(lambda found: found.update({"run/b": np.arange(3)[None, :]}))
        self.assertEqual((name, text), ("run/b", "type or shape changed: int64 [3] -> int64 [1, 3]"))

    def test_type(self):
        (name, text), = self.lines(lambda found: found.update({"run/b": np.arange(3.0)}))
        self.assertEqual((name, text), ("run/b", "type or shape changed: int64 [3] -> float64 [3]"))

    def test_text(self):
        def change(found):
            found["run/c@units"] = ["mrad"]
        self.assertEqual(self.lines(change), [("run/c@units", "text, line 1: 'rad' -> 'mrad'")])
        self.assertEqual(self.lines(change, numbers_only=True), [])

    def command(self, *words):
        out, argv = io.StringIO(), sys.argv
        sys.argv = ["snapshot.py", *map(str, words)]
        try:
            with contextlib.redirect_stdout(out):
                return snapshot.main(), out.getvalue()
        finally:
            sys.argv = argv

    def test_exit_status(self):
        old, same = self.write("old"), self.write("same")
        moved = self.write("moved", lambda found: found.update({"run/b": np.array([0, 1, 3])}))
        self.assertEqual(self.command("compare", old, same)[0], 0)
        status, said = self.command("compare", old, moved)
        self.assertEqual(status, 1)
        self.assertIn("run/b: 1 of 3 values, max |difference| 1, relative 0.333\n", said)
        self.assertIn("1 moved in run\n", said)
        self.assertIn("1 of 4 datasets and attributes moved\n", said)
        self.assertNotIn("run/b", self.command("compare", old, moved, "--summary")[1])

    def test_renamed(self):
        def change(found):
            for name in list(found):
                found[name.replace("run/", "other/")] = found.pop(name)
        old, new = self.write("old"), self.write("new", change)
        self.assertEqual(self.command("compare", old, new)[0], 1)
        self.assertEqual(self.command("compare", old, new, "--rename", "run/=other/")[0], 0)

    def test_other_machine_is_told(self):
        old, new = self.write("old"), self.write("new", told={"processor": "y"})
        status, said = self.command("compare", old, new)
        self.assertEqual(status, 0)
        self.assertIn("warning: processor 'x' and 'y'", said)


class Contents(unittest.TestCase):
    def test_hdf5_without_dates(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "f.h5"
            with h5py.File(path, "w") as file:
                file.attrs["created_utc"] = "2025-01-31T12:00:00Z"
                file.attrs["seed"] = np.int64(3)
                group = file.create_group("laws")
                group["seconds"] = np.array([0.1])
                group["measured"] = np.array([[1.0, 2.0]])
                group["x"] = np.array([5.0, 6.0])
                group["x"].make_scale("x")
                group["measured"].dims[1].attach_scale(group["x"])
                group["measured"].attrs["units"] = "rad"
            found = contents.kept(contents.of_file(path))
        self.assertEqual(set(found), {"@seed", "laws/measured", "laws/measured@units", "laws/measured@dimensions", "laws/x",
                                      "laws/x@dimensions"})
        self.assertEqual(found["laws/measured@dimensions"], ["-", "x"])
        np.testing.assert_array_equal(found["laws/measured"], [[1.0, 2.0]])

    def test_json(self):
        found = contents.kept(contents.of_json('{"laws": [{"x": 1.5, "n": "a", "seconds": 3}, {"x": null, "n": "b"}], "provenance": {"command": "c"}}'))
        np.testing.assert_array_equal(found["laws[].x"], [1.5, np.nan])
        self.assertEqual(found["laws[].n"], ["a", "b"])
        self.assertFalse({"laws[].seconds", "provenance.command"} & found.keys())

    def test_table(self):
        found = contents.of_table("# created_utc: now\n# seed: 3\nkind,theta\nmzi,1.5\noutput,\n# end of file\n")
        self.assertEqual(found["comments"], ["# seed: 3", "# end of file"])
        self.assertEqual(found["kind"], ["mzi", "output"])
        np.testing.assert_array_equal(found["theta"], [1.5, np.nan])


if __name__ == "__main__":
    unittest.main(verbosity=1)
