"""Many draws of circuits at once, processes on their layouts, probes, group delays, and streams through them."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy
import optinc

DATA = Path(__file__).resolve().parents[1] / "data"
C = 299792458.0
GROUP_INDEX = 2.44365 + 1.55 * 1.13171  # of the usual waveguide at 1550 nm


def process(**values):
    made = optinc.ProcessModel()
    for of in ("width", "height"):
        for spread in ("wafer_bow_m", "wafer_tilt_m", "die_m", "field_m", "roughness_m"):
            setattr(made, f"{of}_{spread}", 0)
    for name, value in values.items():
        setattr(made, name, value)
    return made


class Sweep(unittest.TestCase):
    # Fails when draws are exchanged with wavelengths, or an instance keeps the values of its first draw.
    def test_draws_are_calls(self):
        inner = {"instances": {"a": "waveguide", "b": "phase_shifter"}, "connections": {"a,out0": "b,in0"}, "ports": {"in": "a,in0", "out": "b,out0"}}
        top = {"instances": {"bus": {"component": "coupler", "settings": {"eta_rad": 0.3}}, "turn": "arm",
                             "row": {"component": "waveguide", "array": {"columns": 2, "rows": 1}}},
               "connections": {"bus,out1": "turn,in", "turn,out": "bus,in1", "bus,out0": "row<0.0>,in0", "row<0.0>,out0": "row<1.0>,in0"},
               "ports": {"in": "bus,in0", "out": "row<1.0>,out0"}}
        circuit = optinc.Circuit({"top": top, "arm": inner})
        draw = numpy.random.default_rng(1)
        lengths, phases, angles, rows = draw.uniform(5e-5, 6e-5, 7), draw.uniform(0, 6, 7), draw.uniform(0.2, 0.4, 7), draw.uniform(1e-5, 2e-5, 7)
        at = numpy.linspace(1.549e-6, 1.551e-6, 3)
        together = circuit.sweep(at, {"turn": {"a": {"length_m": lengths, "loss_db_per_cm": 2.5}, "b": {"phi_rad": phases}},
                                      "bus": {"eta_rad": angles}, "row": {"length_m": rows}})
        self.assertEqual(together.shape, (7, 3, 2, 2))
        for d in range(7):
            alone = circuit(at, {"turn": {"a": {"length_m": lengths[d], "loss_db_per_cm": 2.5}, "b": {"phi_rad": phases[d]}},
                                 "bus": {"eta_rad": angles[d]}, "row": {"length_m": rows[d]}})
            numpy.testing.assert_allclose(together[d], alone, atol=1e-14)

    def test_kits_and_functions(self):
        circuit = optinc.Circuit(DATA / "gdsfactory/mzi.yml", mapping="gdsfactory")
        lengths = numpy.array([1.0, 5.0, 9.0])
        together = circuit.sweep(1.55e-6, {"sxt": {"length": lengths}})
        for length, s in zip(lengths, together):
            numpy.testing.assert_allclose(s, circuit(1.55e-6, {"sxt": {"length": float(length)}}), atol=1e-14)
        of_function = optinc.Circuit({"instances": {"g": "guide"}, "ports": {"a": "g,a", "b": "g,b"}},
                                     models={"guide": lambda wl=1.55, length=1.0: {("a", "b"): length / wl, ("b", "a"): length / wl}})
        numpy.testing.assert_allclose(of_function.sweep(2e-6, {"g": {"length": lengths}})[:, 1, 0], lengths / 2, atol=1e-15)

    def test_refused_in_words(self):
        circuit = optinc.Circuit({"instances": {"g": "waveguide"}, "ports": {"a": "g,in0", "b": "g,out0"}})
        for settings, words in (({"g": {"length_m": 1e-6}}, "no values"), ({"g": {"length_m": [1e-6], "loss_db_per_cm": [1, 2]}}, "1 and 2 values"),
                                ({"g": {"lenght_m": [1e-6]}}, 'instance "g": .*lenght_m'), ({"h": {"length_m": [1e-6]}}, "no such instance"),
                                ({"g": {"length_m": [[1e-6]]}}, r"shape \(1, 1\)"), ({"g": {"length_m": [-1.0]}}, 'instance "g"')):
            with self.subTest(settings), self.assertRaisesRegex(ValueError, words):
                circuit.sweep(1.55e-6, settings)


class Layout(unittest.TestCase):
    def placed(self, places):
        names = [f"g{i}" for i in range(len(places))]
        return optinc.Circuit({"instances": {name: "waveguide" for name in names}, "connections": {f"{a},out0": f"{b},in0" for a, b in zip(names, names[1:])},
                               "ports": {"a": f"{names[0]},in0", "b": f"{names[-1]},out0"},
                               "placements": {name: {"x": x, "y": y} for name, (x, y) in zip(names, places)}})

    # Fails when places are taken in m, or x for y, or the field is drawn for each device by itself.
    def test_covariance_is_that_of_the_places(self):
        circuit = self.placed([(0, 0), (300, 0), (300, 400)])
        wafer = optinc.Wafer(process(width_field_m=2e-9, height_die_m=1e-9, correlation_length_m=400e-6, kernel="exponential"))
        found = circuit.fabricated(wafer, range(20000), seed=5)
        index = numpy.array([found[f"g{i}"]["index"] for i in range(3)])
        width, height = wafer.process.index_per_width_per_m * 2e-9, wafer.process.index_per_height_per_m * 1e-9
        distance = numpy.array([[0, 300, 500], [300, 0, 400], [500, 400, 0]])
        expected = width**2 * numpy.exp(-distance / 400) + height**2
        numpy.testing.assert_allclose(numpy.cov(index) / expected, 1, atol=6 * numpy.sqrt(2 / 20000))
        numpy.testing.assert_allclose(index.mean(1), 2.44365, atol=5 * numpy.sqrt(expected[0, 0] / 20000))

    def test_roughness_is_of_each_guide_by_its_length(self):
        circuit = self.placed([(0, 0), (0, 0)])
        found = circuit.fabricated(optinc.Wafer(process(width_roughness_m=1e-9)), range(5000), settings={"g0": {"length_m": 25e-6}})
        index = numpy.array([found[name]["index"] for name in ("g0", "g1")])  # of 25 and 100 um
        numpy.testing.assert_allclose(numpy.cov(index), [[4 * 4e-6, 0], [0, 4e-6]], atol=1e-6)

    def test_dies_are_the_same_however_they_are_asked_for(self):
        circuit = optinc.Circuit(DATA / "gdsfactory/mzi_lattice.yml", mapping="gdsfactory")
        wafer = optinc.Wafer()
        both, one = circuit.fabricated(wafer, [3, 70]), circuit.fabricated(wafer, [70])
        for instance, settings in one.items():
            for name, values in settings.items():
                self.assertEqual(values[0], both[instance][name][1])
        s = circuit.sweep(1.55e-6, both)
        self.assertGreater(abs(s[0] - s[1]).max(), 1e-3)

    # A cell that is turned by 90 degrees puts (100, 0) at (0, 100); mirrored, (0, 100) goes to (0, -100).
    def test_places_inside_cells_are_turned(self):
        cell = {"instances": {"g": "waveguide", "h": "waveguide"}, "connections": {"g,out0": "h,in0"}, "ports": {"in": "g,in0", "out": "h,out0"},
                "placements": {"g": {"x": 0, "y": 0}, "h": {"x": 100, "y": 0}}}
        top = {"instances": {"a": "cell", "b": "waveguide", "c": "waveguide"}, "connections": {"a,out": "b,in0", "b,out0": "c,in0"},
               "ports": {"in": "a,in", "out": "c,out0"},
               "placements": {"a": {"x": 50, "y": 0, "rotation": 90}, "b": {"x": 50, "y": 100}, "c": {"x": 150, "y": 0}}}
        wafer = optinc.Wafer(process(width_field_m=2e-9, correlation_length_m=50e-6))
        found = optinc.Circuit({"top": top, "cell": cell}).fabricated(wafer, range(50))
        numpy.testing.assert_allclose(found["a"]["h.index"], found["b"]["index"], atol=1e-6)
        self.assertGreater(abs(found["a"]["h.index"] - found["c"]["index"]).max(), 1e-3)

    def test_without_placements_it_is_refused(self):
        circuit = optinc.Circuit({"instances": {"g": "waveguide"}, "ports": {"a": "g,in0", "b": "g,out0"}})
        with self.assertRaisesRegex(ValueError, "without placements"):
            circuit.fabricated(optinc.Wafer(), [0])


@unittest.skipUnless(os.environ.get("OPTINC_TOOL"), "needs OPTINC_TOOL")
class CommandLine(unittest.TestCase):
    netlist = DATA / "gdsfactory/mzi.yml"
    at = ("--wavelength-m", "1.549e-6", "1.551e-6", "--points", "5")

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.made = Path(scratch.name) / "made.h5"

    def tool(self, *words, netlist=None):
        done = subprocess.run([os.environ["OPTINC_TOOL"], "circuit", netlist or self.netlist, "--mapping", "gdsfactory", "--quiet", *self.at, *words],
                              capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else done.stderr

    def stored(self, *words):
        """(draws of settings, S) of a file."""
        self.tool(*words, "-o", self.made, "--force")
        with h5py.File(self.made) as file:
            names = [name.decode() for name in file["circuit_draws/setting"][()]]
            s = file["circuit_draws/scattering"][()]
            return dict(zip(names, file["circuit_draws/settings"][()].T)), s[..., 0] + 1j * s[..., 1]

    # Fails when draws and wavelengths are exchanged, the first sweep varies fastest, or dies are numbered from 1.
    def test_draws_are_those_of_the_package(self):
        circuit, at = optinc.Circuit(self.netlist, mapping="gdsfactory"), numpy.linspace(1.549e-6, 1.551e-6, 5)
        settings, s = self.stored("--sweep", "sxt.length=[1, 5, 9]", "--sweep", "sxb.length_m=[2e-6, 3e-6]")
        numpy.testing.assert_array_equal(settings["sxt.length"], [1, 1, 5, 5, 9, 9])
        numpy.testing.assert_array_equal(settings["sxb.length_m"], [2e-6, 3e-6] * 3)
        numpy.testing.assert_allclose(s, circuit.sweep(at, {"sxt": {"length": settings["sxt.length"]}, "sxb": {"length_m": settings["sxb.length_m"]}}), atol=1e-14)
        process = optinc.ProcessModel()
        process.width_field_m = 7e-9
        settings, s = self.stored("--dies", "6", "--seed", "3", "--set", "fabrication.width_field_m=7e-9", "--set", "sxt.length=5")
        found = circuit.fabricated(optinc.Wafer(process), range(6), seed=3, settings={"sxt": {"length": 5.0}})
        for instance, of in found.items():
            for name, values in of.items():
                numpy.testing.assert_array_equal(settings[f"{instance}.{name}"], values)
        found.setdefault("sxt", {})["length"] = 5.0
        numpy.testing.assert_allclose(s, circuit.sweep(at, found), atol=1e-14)

    # A mean and a standard deviation; dies are the same at every point. Fails when both spreads draw the same numbers.
    def test_spreads_are_normal_and_independent(self):
        words = ("--dies", "4000", "--set", "fabrication.process=independent", "--spread", "sxt.length=[5, 0.1]", "--spread", "sxb.length=[2, 0.3]",
                 "--sweep", "cp1.excess_loss_db=[0, 1]", "--points", "1", "--wavelength-m", "1.55e-6", "--json")
        self.at = ()
        found = json.loads(self.tool(*words))
        drawn = numpy.array([found["settings"][name] for name in ("sxt.length", "sxb.length")]).reshape(2, 2, 4000)
        numpy.testing.assert_array_equal(drawn[:, 0], drawn[:, 1])
        drawn = (drawn[:, 0] - [[5], [2]]) / [[0.1], [0.3]]
        numpy.testing.assert_allclose(drawn.mean(1), 0, atol=5 / 4000**0.5)
        numpy.testing.assert_allclose(numpy.cov(drawn), numpy.eye(2), atol=5 * (2 / 4000) ** 0.5)
        self.assertEqual(found["draws"], 8000)
        through = next(path for path in found["paths"] if (path["from"], path["to"]) == ("o1", "o2"))
        most = numpy.array(through["most"]).reshape(2, 4000)
        numpy.testing.assert_allclose(10 * numpy.log10(most[0] / most[1]), 1, atol=1e-9)

    def test_tables_for_people(self):
        self.assertRegex(self.tool("--dies", "20"), r"20 draws of 16 devices, 2 ports, 5 wavelengths\n\nfrom +to +least, dB: 5 % +median")
        self.assertRegex(self.tool("--sweep", "sxt.length=[1, 5]"), r"sxt.length +o1 to o2, least, dB[^\n]*\n +1 +-?[0-9.]+")

    def test_refused_in_words(self):
        alone = self.made.with_name("alone.json")
        alone.write_text(json.dumps({"instances": {"g": "waveguide"}, "ports": {"a": "g,in0", "b": "g,out0"}}))
        for words, pattern in ((("--sweep", "sxt.length=5"), "--sweep sxt.length=5 .it reads INSTANCE.SETTING="),
                               (("--sweep", "sxt.length=[a]"), "--sweep sxt.length="), (("--sweep", "sxt.lenght=[1]"), 'instance "sxt".*lenght'),
                               (("--dies", "2", "--spread", "sxt.length=[1]"), "a mean and a standard deviation"),
                               (("--spread", "sxt.length=[1, 2]"), "--spread without --dies"),
                               (("--set", "fabrication.width_die_m=1e-9"), "without --dies"), (("--dies", "-1"), "--dies -1"),
                               (("--dies", "2", "--set", "fabrication.widht_die_m=1e-9"), "width_die_m"),
                               (("--dies", "2", "-o", self.made.with_suffix(".s2p")), "made.h5"), (("--dies", "2", "--light", "o1=1"), "--light"),
                               (("--sweep", "sxt.length=[1,2]", "--sweep", f"sxb.length={[1] * 999}", "--dies", "999"), "at most 1000000")):
            with self.subTest(words[:2]):
                self.assertRegex(self.tool(*words), f"^optinc: .*{pattern}")
        self.assertRegex(self.tool("--dies", "2", netlist=alone), "without placements")
        self.assertRegex(self.tool("--dies", "2", "--set", "fabrication.process=independent", netlist=alone), "vary nothing")


class Inside(unittest.TestCase):
    ring = {"instances": {"bus": {"component": "coupler", "settings": {"eta_rad": 0.3, "excess_loss_db": 0, "eta_relative_slope_per_m": 0}},
                          "turn": {"component": "waveguide", "settings": {"length_m": 100e-6}}},
            "connections": {"bus,out1": "turn,in0", "turn,out0": "bus,in1"}, "ports": {"in": "bus,in0", "out": "bus,out0"}}

    # i sin(eta) / (1 - cos(eta) a e^{i phi}), of a ring behind its coupler
    def test_build_up_of_a_ring(self):
        at = numpy.linspace(1.549e-6, 1.551e-6, 5)
        inside = optinc.Circuit(self.ring).fields_inside(at, ["turn,in0", "bus,in0"])
        x = 1e6 * at - 1.55
        turn = 10 ** (-1.5e2 * 100e-6 / 20) * numpy.exp(2j * numpy.pi * (2.44365 - 1.13171 * x - 0.0424756 * x**2) * 100e-6 / at)
        numpy.testing.assert_allclose(inside[:, 0, 0], 1j * numpy.sin(0.3) / (1 - numpy.cos(0.3) * turn), rtol=1e-10)
        numpy.testing.assert_array_equal(inside[:, 1], numpy.tile([1, 0], (5, 1)))  # what enters the circuit there
        for port, words in (("turn", "is not a port"), ("turn,x", "no such port"), ("tern,in0", 'no instance "tern"')):
            with self.assertRaisesRegex(ValueError, words):
                optinc.Circuit(self.ring).fields_inside(at, [port])

    def test_group_delay_of_a_waveguide(self):
        circuit = optinc.Circuit({"instances": {"g": "waveguide"}, "ports": {"a": "g,in0", "b": "g,out0"}})
        delay = circuit.group_delay(1.55e-6)
        self.assertAlmostEqual(delay[1, 0] / (GROUP_INDEX * 100e-6 / C), 1, delta=1e-5)
        self.assertTrue(numpy.isnan(delay[0, 0]))


class Stream(unittest.TestCase):
    # An ideal delay of three samples: what leaves is what entered three samples ago. Fails for the other sign of time.
    def test_delay_of_three_samples(self):
        rate, carrier = 100e9, C / 1.55e-6

        def delay(wl=1.55):
            f = C / (1e-6 * numpy.asarray(wl)) - carrier
            return {("a", "b"): numpy.exp(2j * numpy.pi * f * 3 / rate), ("b", "a"): numpy.exp(2j * numpy.pi * f * 3 / rate)}
        circuit = optinc.Circuit({"instances": {"d": "delay"}, "ports": {"a": "d,a", "b": "d,b"}}, models={"delay": delay})
        sent = numpy.repeat(numpy.random.default_rng(1).integers(0, 4, 32) / 3, 4)
        numpy.testing.assert_allclose(circuit.transmit(sent, rate, 1.55e-6, "a", "b"), numpy.roll(sent, 3), atol=2e-4)

    # A ring filters: a stream far slower than its line is multiplied by its field, one far faster loses its edges.
    def test_slow_stream_sees_the_steady_state(self):
        circuit = optinc.Circuit(Inside.ring)
        sent = 1 + 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(64) / 64)
        slow = circuit.transmit(sent, 64e3, 1.55e-6, "in", "out")
        numpy.testing.assert_allclose(slow, sent * circuit(1.55e-6)[1, 0], atol=1e-5)
        with self.assertRaisesRegex(ValueError, "one axis"):
            circuit.transmit(numpy.ones((2, 2)), 1e9, 1.55e-6, "in", "out")


if __name__ == "__main__":
    unittest.main()
