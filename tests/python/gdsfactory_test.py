#!/usr/bin/env python3
"""Netlists that gdsfactory wrote, unedited, through the shipped mapping: ports and fields are those of sax.

tests/data/gdsfactory holds the exports, what sax computes of them, and the script that made both. Run alone, it prints the
largest difference of every export in FOLDER (default: that folder), with how many have sax's names of ports:

  OPTINC_TOOL=build/ci/bin/optinc PYTHONPATH=build/ci/python tests/python/gdsfactory_test.py --json [FOLDER]

With --anew PYTHON, a Python that has gdsfactory and sax writes the exports now, and it fails where one differs from sax.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy
import optinc

DATA = Path(__file__).resolve().parents[1] / "data/gdsfactory"
TOLERANCE = 1e-10


def by_command_line(netlist, wavelength_m):
    """(ports, S (out, in)) at a wavelength."""
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "made.h5"
        subprocess.run([os.environ["OPTINC_TOOL"], "circuit", netlist, "--mapping", "gdsfactory", "-o", made, "--quiet", "--wavelength-m",
                        repr(wavelength_m), "--points", "1"], check=True, capture_output=True)
        with h5py.File(made) as file:
            s = file["circuit/scattering"][0]
            return [name.decode() for name in file["circuit/port_out"][()]], s[..., 0] + 1j * s[..., 1]


def compared(folder):
    """{export: (whether ports are sax's, largest difference of a field, whether the command line gives the same bits)}."""
    sax = json.loads((folder / "sax.json").read_text(encoding="utf-8"))
    wavelengths = 1e-6 * numpy.array(sax["wavelengths_um"])
    found = {}
    for name, expected in sax["circuits"].items():
        circuit = optinc.Circuit(folder / f"{name}.yml", mapping="gdsfactory")
        s = circuit(wavelengths)
        right = numpy.array(expected["s"])
        order = [circuit.ports.index(port) for port in expected["ports"] if port in circuit.ports]
        off = abs(s[numpy.ix_(range(len(wavelengths)), order, order)] - (right[..., 0] + 1j * right[..., 1])).max()
        ports, told = by_command_line(folder / f"{name}.yml", float(wavelengths[0]))
        found[name] = (set(circuit.ports) == set(expected["ports"]), float(off), ports == list(circuit.ports) and numpy.array_equal(told, s[0]))
    return found


@unittest.skipUnless(os.environ.get("OPTINC_TOOL"), "needs OPTINC_TOOL")
class Exports(unittest.TestCase):
    def test_all_are_those_of_sax(self):
        found = compared(DATA)
        self.assertEqual(set(found), {path.stem for path in DATA.glob("*.yml")})
        for name, (ports, off, same) in found.items():
            with self.subTest(name):
                self.assertTrue(ports)
                self.assertLess(off, TOLERANCE)
                self.assertTrue(same, "command line and package differ")


class Mapping(unittest.TestCase):
    export = DATA / "mzi.yml"

    def test_what_is_not_read_is_named_once(self):
        names = optinc.Circuit(self.export, mapping="gdsfactory").not_read
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({"cross_section", "npoints", "width"}, set(names))
        self.assertFalse({"length", "info.length"} & set(names))  # which the mapping reads

    def test_settings_of_the_kit_and_of_the_model(self):
        circuit = optinc.Circuit(self.export, mapping="gdsfactory")
        as_it_is = circuit(1.55e-6)
        longer = circuit(1.55e-6, settings={"sxt": {"length": 5.1}})
        numpy.testing.assert_allclose(longer, circuit(1.55e-6, settings={"sxt": {"length_m": 5.1e-6}}), atol=1e-12)
        self.assertGreater(abs(longer - as_it_is).max(), 0.01)
        with self.assertRaisesRegex(ValueError, r'instance "sxt": unknown setting of waveguide "lenght"'):
            circuit(1.55e-6, settings={"sxt": {"lenght": 5.1}})

    def test_first_mapping_that_knows_a_component_counts(self):
        own = {"components": {"mmi1x2": {"model": "mmi_1x2", "ports": {"o1": "in0", "o2": "out0", "o3": "out1"},
                                         "settings": {"excess_loss_db": 1.3}}}}
        before, after = (abs(optinc.Circuit(self.export, mapping=mapping)(1.55e-6)[1, 0]) for mapping in ("gdsfactory", [own, "gdsfactory"]))
        self.assertAlmostEqual(20 * numpy.log10(before / after), 2.0, places=9)

    def test_models_come_before_mappings(self):
        def mmi1x2():
            return {("o1", "o2"): 1.0, ("o2", "o1"): 1.0, ("o1", "o3"): 0.0, ("o3", "o1"): 0.0}
        circuit = optinc.Circuit(self.export, models={"mmi1x2": mmi1x2}, mapping="gdsfactory")
        length_m = (4 * 16.637 + 2 * 2 + 0.1) * 1e-6  # of the upper arm
        self.assertAlmostEqual(abs(circuit(1.55e-6)[1, 0]), 10 ** (-150 * length_m / 20), places=9)

    def test_one_way_from_a_dict_and_from_a_file(self):
        netlist = {"instances": {"row": {"component": "straight", "settings": {"length": 10, "npoints": 2, "width": None},
                                         "array": {"columns": 2, "rows": 1, "column_pitch": 20, "row_pitch": 0}}},
                   "nets": ({"p1": "row<0.0>,o2", "p2": "row<1.0>,o1"},), "ports": {"o1": "row<0.0>,o1", "o2": "row<1.0>,o2"},
                   "placements": {"row": {"x": 0.0, "y": 0.0, "rotation": 0, "mirror": False}}, "warnings": {}}
        twice = optinc.Circuit(netlist, mapping="gdsfactory")
        once = optinc.Circuit({"instances": {"g": {"component": "waveguide", "settings": {"length_m": 20e-6}}},
                               "ports": {"o1": "g,in0", "o2": "g,out0"}})
        numpy.testing.assert_allclose(twice(1.55e-6), once(1.55e-6), atol=1e-13)
        all_longer = twice(1.55e-6, settings={"row": {"length": 20}})
        each_longer = twice(1.55e-6, settings={"row<0.0>": {"length": 20}, "row<1.0>": {"length": 20}})
        numpy.testing.assert_array_equal(all_longer, each_longer)

    def test_info_reaches_functions_as_in_sax(self):
        def guide(length=1.0):
            return {("o1", "o2"): 1 / length, ("o2", "o1"): 1 / length}
        circuit = optinc.Circuit({"instances": {"g": {"component": "guide", "settings": {"length": 2.0}, "info": {"length": 4.0, "width": 0.5}}},
                                  "ports": {"o1": "g,o1", "o2": "g,o2"}}, models={"guide": guide})
        self.assertEqual(circuit(1.55e-6)[1, 0], 0.25)


def main(folder):
    found = compared(folder)
    print(json.dumps({"exports": len(found), "ports": sum(ports for ports, _, _ in found.values()), "worst": max(off for _, off, _ in found.values()),
                      "same": sum(same for _, _, same in found.values())}))


def anew(python):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, DATA / "make_exports.py", folder], check=True)
        found = compared(Path(folder))
        wrong = [name for name, (ports, off, same) in found.items() if not (ports and off < TOLERANCE and same)]
        print(f"{len(found)} exports, written now; wrong: {', '.join(wrong) or 'none'}")
        sys.exit(bool(wrong) or set(found) != {path.stem for path in DATA.glob("*.yml")})


if __name__ == "__main__":
    if sys.argv[1:2] == ["--anew"]:
        anew(sys.argv[2])
    elif sys.argv[1:2] == ["--json"]:
        main(Path(sys.argv[2]) if sys.argv[2:] else DATA)
    else:
        unittest.main()
