"""Everything public says what it is, in Python and in the stubs that type checkers read."""

import inspect
import unittest
from pathlib import Path

import optinc


def said(thing, name):
    """What a docstring says: that of a compiled function opens with its signature."""
    text = thing.__doc__ or ""
    return text.partition("\n\n")[2] if text.startswith(f"{name}(") else text


class Docstrings(unittest.TestCase):
    # Fails when a function of the module has no text beside its signature.
    def test_everything_public_has_one(self):
        for name in optinc.__all__:
            thing = getattr(optinc, name)
            self.assertTrue(said(thing, name), name)
            if inspect.isclass(thing):
                for member in vars(thing):
                    if not member.startswith("_"):
                        self.assertTrue(said(getattr(thing, member), member), f"{name}.{member}")

    # Fails when an object prints as an address.
    def test_everything_says_what_it_is(self):
        for name in optinc.__all__:
            thing = getattr(optinc, name)
            if inspect.isclass(thing):
                self.assertIsNot(thing.__repr__, object.__repr__, name)
        chip = optinc.Mesh(4).fabricate("ideal")
        self.assertTrue(repr(chip.errors).startswith("<FabricatedErrors: alpha=float64 (6,), beta=float64 (6,), "))
        self.assertEqual(repr(optinc.Softplus()), f"<Softplus: beta_per_sqrt_w={optinc.Softplus().beta_per_sqrt_w:.6g}>")
        self.assertIn("laser=LaserSettings", repr(optinc.UnitHardware()))
        self.assertEqual(repr(chip.settled()), "<SettledMesh>")

    def test_a_signature_alone_says_nothing(self):
        self.assertTrue(optinc.fidelity.__doc__.startswith("fidelity("))
        self.assertTrue(said(optinc.fidelity, "fidelity").startswith("Overlap"))

    def test_stubs(self):
        folder = Path(optinc.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        stubs = (folder / "_core.pyi").read_text(encoding="utf-8")
        for name in optinc.__all__:
            if getattr(optinc, name).__module__.endswith("_core"):
                self.assertRegex(stubs, rf"(?m)^(class|def) {name}\b")
        self.assertNotIn("std::", stubs)  # a C++ type without a Python name


if __name__ == "__main__":
    unittest.main()
