"""Settings and meshes are copied and pickled whole: workers get them, and checkpoints keep them."""

import copy
import inspect
import pickle
import re
import unittest

import numpy
import optinc
from optinc import _core

WAYS = {"pickle": lambda thing: pickle.loads(pickle.dumps(thing)), "copy": copy.copy, "deepcopy": copy.deepcopy}
CLASSES = [c for c in vars(_core).values() if inspect.isclass(c)]


def settable(kind):
    return {name: p for name, p in vars(kind).items() if isinstance(p, property) and p.fset is not None}


def values_of(settings):
    """All values, those of parts too."""
    found = {name: getattr(settings, name) for name in settable(type(settings))}
    return {name: values_of(value) if type(value) in CLASSES else value for name, value in found.items()}


def changed(settings):
    """Every value set to another than it had."""
    for name, told in settable(type(settings)).items():
        value = getattr(settings, name)
        if type(value) in CLASSES:
            changed(value)
        elif isinstance(value, bool):
            setattr(settings, name, not value)
        elif isinstance(value, int):
            setattr(settings, name, value + 2)
        elif isinstance(value, float):
            try:
                setattr(settings, name, 0.9 * value if value else 0.125)
            except ValueError:  # of small ranges
                setattr(settings, name, 1e-10)
        elif isinstance(value, str):
            setattr(settings, name, next(n for n in re.findall(r'"([a-z0-9-]+)"', told.__doc__) if n != value))
        else:
            setattr(settings, name, [*value, 2])
    return settings


def parts_of(settings):
    yield settings
    for name in settable(type(settings)):
        if type(getattr(settings, name)) in CLASSES:
            yield from parts_of(getattr(settings, name))


class Settings(unittest.TestCase):
    def made(self):
        """One of each class that can be made from nothing."""
        for kind in CLASSES:
            if settable(kind):
                try:
                    yield kind()
                except TypeError:
                    pass

    # Fails when a class of settings has no state, or a value is left out of it.
    def test_copies_have_every_value(self):
        seen = set()
        for settings in self.made():
            before, after = values_of(settings), values_of(changed(settings))
            self.assertTrue(all(before[name] != after[name] for name in before), type(settings))
            for part in parts_of(settings):
                seen.add(type(part))
                for how, again in WAYS.items():
                    with self.subTest(how, kind=type(part).__name__):
                        self.assertEqual(values_of(again(part)), values_of(part))
        self.assertGreaterEqual(seen, {getattr(optinc, name) for name in dir(optinc) if name.endswith("Settings")})
        self.assertGreaterEqual(seen, {optinc.NoiseSwitches, optinc.UnitHardware, optinc.ErrorModel, optinc.ProcessModel})
        for kind in CLASSES:  # what is not made from nothing has a test of its own
            if settable(kind) and kind not in seen:
                self.assertIn("__getstate__", vars(kind), kind)

    def test_a_copy_is_independent(self):
        hardware = optinc.UnitHardware()
        again = copy.copy(hardware)
        again.link.launch_power_w *= 2
        self.assertEqual(hardware.link.launch_power_w, optinc.UnitHardware().link.launch_power_w)

    # Fails when a copied part has another value of those that Python cannot set: an AdcSettings has a range.
    def test_copied_hardware_is_the_same_hardware(self):
        chip = optinc.carry_chain(servers=2, bits=4).fabricate("good-lab")
        codes = numpy.random.default_rng(1).integers(0, 16, (2, 200))
        wanted = chip.program().transmit(codes)
        for how, again in WAYS.items():
            parts = optinc.UnitHardware()
            for name in settable(optinc.UnitHardware):
                setattr(parts, name, again(getattr(parts, name)))
            for hardware in (again(optinc.UnitHardware()), parts):
                numpy.testing.assert_array_equal(chip.program(hardware=hardware).transmit(codes), wanted, how)

    def test_pickles_of_another_version(self):
        for kind in (optinc.DriftSettings, optinc.ElectroOptic):
            with self.assertRaisesRegex(ValueError, "a pickle with gamma"):
                kind.__new__(kind).__setstate__({"gamma": 1.0})

    def test_symmetric_meshes(self):
        mesh = optinc.SymmetricMesh.from_unitary(optinc.haar_unitary(5))
        for again in WAYS.values():
            numpy.testing.assert_array_equal(again(mesh).matrix(), mesh.matrix())


class Numbers(unittest.TestCase):
    """What JAX and compiled layers carry a mesh in."""

    # Fails when something that acts on light is left out of the array, or two change places.
    def test_a_mesh_goes_through_an_array(self):
        from optinc._numbers import bits_of, count_of, mesh_of

        draws = numpy.random.default_rng(1)
        for topology in ("clements", "reck"):
            for ports in (1, 2, 5):
                mesh = optinc.Mesh.from_unitary(optinc.haar_unitary(ports, seed=2), topology)
                chip = mesh.fabricate("doped-heaters", seed=3)
                for name in settable(optinc.MeshErrors):
                    value = getattr(chip.errors, name)
                    setattr(chip.errors, name, draws.uniform(0.1, 0.2, numpy.shape(value)))
                for one in (mesh, chip):
                    bits = bits_of(one)
                    self.assertEqual(len(bits), count_of(ports, len(mesh.theta)))
                    again = mesh_of(bits, ports, topology)
                    self.assertIs(type(again), type(one))
                    numpy.testing.assert_array_equal(again.matrix(), one.matrix())


if __name__ == "__main__":
    unittest.main()
