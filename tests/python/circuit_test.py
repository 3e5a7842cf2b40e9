"""Circuits from netlists, against meshes, closed forms and each other."""

import gc
import importlib.util
import json
import os
import subprocess
import tempfile
import unittest
import weakref
from pathlib import Path

import numpy
import optinc

try:
    import skrf
except ImportError:
    skrf = None

AT = numpy.linspace(1.54e-6, 1.56e-6, 50)
RING = {"instances": {"bus": {"component": "coupler", "settings": {"eta_rad": 0.4}}, "turn": "waveguide"},
        "connections": {"bus,out1": "turn,in0", "turn,out0": "bus,in1"},
        "ports": {"in": "bus,in0", "out": "bus,out0"}}


def mesh_netlist(mesh, ports):
    """A rectangular mesh as devices that face each other."""
    instances, connections, outer, light, k = {}, {}, {}, [], 0
    for p in range(ports):
        instances[f"in{p}"] = "phase_shifter"
        outer[f"in{p}"] = f"in{p},in0"
        light.append(f"in{p},out0")
    for column in range(ports):
        for upper in range(column % 2, ports - 1, 2):
            instances[f"mzi{k}"] = {"component": "mzi", "settings": {"theta_rad": mesh.theta[k], "phi_rad": mesh.phi[k]}}
            for i in (0, 1):
                connections[light[upper + i]] = f"mzi{k},in{i}"
                light[upper + i] = f"mzi{k},out{i}"
            k += 1
    for p in range(ports):
        instances[f"out{p}"] = {"component": "phase_shifter", "settings": {"phi_rad": mesh.output_phase[p]}}
        connections[light[p]] = f"out{p},in0"
        outer[f"out{p}"] = f"out{p},out0"
    return {"instances": instances, "connections": connections, "ports": outer}


class Circuits(unittest.TestCase):
    # Fails when rows and columns of a matrix are exchanged on the way.
    def test_a_mesh_as_a_netlist(self):
        unitary = optinc.haar_unitary(6, seed=1)
        circuit = optinc.Circuit(mesh_netlist(optinc.Mesh.from_unitary(unitary), 6))
        s = circuit(1.55e-6)
        self.assertEqual(s.shape, (12, 12))
        numpy.testing.assert_allclose(s[6:, :6], unitary, atol=1e-12)
        numpy.testing.assert_array_equal(s[:6, :6], 0)
        self.assertEqual(circuit.sdict(1.55e-6)["in1", "out4"], s[10, 1])

    def test_shapes_and_settings(self):
        ring = optinc.Circuit(RING)
        self.assertEqual((ring.ports, repr(ring)), (("in", "out"), "<Circuit: 2 instances, ports in, out>"))
        s = ring(AT.reshape(5, 10))
        numpy.testing.assert_array_equal(s.reshape(50, 2, 2), ring(AT))
        closed = optinc.model_scattering("ring", {"bus_eta_rad": 0.4, "length_m": 1e-4}, AT)
        numpy.testing.assert_allclose(ring(AT), closed, atol=1e-12)
        other = ring(AT, {"bus": {"eta_rad": 0.2}})
        numpy.testing.assert_array_equal(other, optinc.Circuit({**RING, "instances": {
            "bus": {"component": "coupler", "settings": {"eta_rad": 0.2}}, "turn": "waveguide"}})(AT))
        self.assertGreater(abs(other - ring(AT)).max(), 0.1)

    # Fails when a hierarchy loses a component, or settings of functions are taken in metres.
    def test_hierarchies_and_functions(self):
        chain = {"top": {"instances": {"a": "resonator", "b": "resonator"}, "connections": {"a,out": "b,in"},
                         "ports": {"left": "a,in", "right": "b,out"}}, "resonator": RING}
        one = optinc.Circuit(RING)(AT)
        numpy.testing.assert_allclose(optinc.Circuit(chain)(AT)[:, 1, 0], one[:, 1, 0] ** 2, rtol=1e-12)

        def waveguide(wl=1.55, length_m=1e-4):
            x = wl - 1.55
            phase = 2 * numpy.pi * (2.44365 - 1.13171 * x - 0.0424756 * x**2) * length_m * 1e6 / wl
            passed = 10 ** (-1.5 * 100 * length_m / 20) * numpy.exp(1j * phase)
            return {("in0", "out0"): passed, ("out0", "in0"): passed}

        mine = {**RING, "instances": {**RING["instances"], "turn": "mine"}}
        numpy.testing.assert_allclose(optinc.Circuit(mine, {"mine": waveguide})(AT), one, atol=1e-10)
        longer = {"turn": {"length_m": 1.1e-4}}
        numpy.testing.assert_allclose(optinc.Circuit(mine, {"mine": waveguide})(AT, longer), optinc.Circuit(RING)(AT, longer), atol=1e-10)

    # Fails when one of the two readers of netlists takes a word otherwise.
    @unittest.skipUnless(os.environ.get("OPTINC_TOOL"), "needs OPTINC_TOOL")
    def test_the_command_line_reads_the_same(self):
        from optinc.results import open_run
        chain = {"top": {"instances": {"a": {"component": "resonator", "settings": {"bus": {"eta_rad": 0.3}}}, "b": {"component": "resonator", "settings": {"bus": {"eta_rad": 0.5}, "turn": {"loss_db_per_cm": 3}}},
                                       "c": {"component": "interface", "settings": {"reflection_db": -10}}},
                         "nets": [{"p1": "a,out", "p2": "c,in0"}, {"p1": "c,out0", "p2": "b, in"}],
                         "ports": {"left": "a,in", "right": "b,out"}}, "resonator": RING}
        with tempfile.TemporaryDirectory() as scratch:
            netlist, made = Path(scratch) / "chain.json", Path(scratch) / "chain.h5"
            netlist.write_text(json.dumps(chain))
            subprocess.run([os.environ["OPTINC_TOOL"], "circuit", netlist, "-o", made, "--points", "50", "--set", "b.turn.length_m=1.1e-4",
                            "--quiet"], check=True, capture_output=True)
            with open_run(made) as run:
                numpy.testing.assert_array_equal(
                    run.scattering.values, optinc.Circuit(chain)(run.scattering["wavelength"].values, {"b": {"turn": {"length_m": 1.1e-4}}}))

    # Friis: 3 dB of loss, 15 dB of gain at a noise figure of 7 dB, 2 dB of loss. Fails when emission is not that of the whole chain.
    def test_amplifiers_emit(self):
        chain = optinc.Circuit({"instances": {"a": {"component": "phase_shifter", "settings": {"loss_db": 3}}, "b": "amplifier",
                                              "c": {"component": "phase_shifter", "settings": {"loss_db": 2}}},
                                "connections": {"a,out0": "b,in0", "b,out0": "c,in0"}, "ports": {"in": "a,in0", "out": "c,out0"}})
        gain, photon = 10 ** (-0.3 + 1.5 - 0.2), 6.62607015e-34 * 299792458 / 1.55e-6
        noise = 10**0.3 + (10**0.7 - 1) * 10**0.3 + (10**0.2 - 1) / 10**1.2
        emitted = chain.emission(1.55e-6)
        self.assertAlmostEqual(emitted[1, 1].real / (photon * (noise * gain - 1) / 2), 1, 12)
        read = chain.detect([1.55e-6], "in", 1e-4, {"responsivity_a_per_w": 0.8})
        self.assertAlmostEqual(read.photocurrent_a[0, 1], 0.8 * (1e-4 * gain + emitted[1, 1].real * 50e9) + 30e-9, 15)
        self.assertGreater(chain.detect(1.55e-6, "in", 1e-4, settings={"b": {"noise_figure_db": 4}}).snr[1], read.snr[0, 1])
        with self.assertRaisesRegex(ValueError, 'no port "x" .ports of the circuit: in, out.'):
            chain.detect(1.55e-6, "x", 1e-4)
        self.assertEqual(abs(optinc.Circuit(RING).emission(AT)).max(), 0)

    # Seen not to return with more matrices than instances.
    def test_emission_of_other_instances_is_refused(self):
        from optinc._core import CircuitSolver
        solver = CircuitSolver([("a", ["x", "y"])], [], [("x", ("a", "x")), ("y", ("a", "y"))])
        s = numpy.zeros((1, 2, 2), complex)
        with self.assertRaisesRegex(ValueError, "60 scattering matrices for 1 instances"):
            solver.emission([s] * 60, [None] + [s] * 59)
        with self.assertRaisesRegex(ValueError, 'instance "a" is not Hermitian'):
            solver.emission([s], [s + [[0, 1], [0, 0]]])

    def test_passive_components_are_no_emitters(self):
        chain = {"top": {"instances": {"a": "resonator", "b": "amplifier"}, "connections": {"a,out": "b,in0"},
                         "ports": {"left": "a,in", "right": "b,out0"}}, "resonator": RING}
        circuit = optinc.Circuit(chain)
        self.assertIsNone(optinc.Circuit(RING)._netlist.emission({}, AT))
        self.assertGreater(circuit.emission(1.55e-6)[1, 1].real, 0)
        nested = {"outer": {"instances": {"c": "top"}, "ports": {"left": "c,left", "right": "c,right"}}, **chain}
        numpy.testing.assert_array_equal(optinc.Circuit(nested).emission(AT), circuit.emission(AT))

    @unittest.skipUnless(os.environ.get("OPTINC_TOOL"), "needs OPTINC_TOOL")
    def test_the_command_line_reads_the_same_light(self):
        from optinc.results import open_run
        pair = {"instances": {"a": "amplifier", "s": "coupler", "facet": {"component": "interface", "settings": {"reflection_db": -20}}},
                "connections": {"a,out0": "facet,in0", "facet,out0": "s,in0"},
                "ports": {"in": "a,in0", "dark": "s,in1", "up": "s,out0", "down": "s,out1"}}
        chain = {"top": {"instances": {"p": "pair", "b": {"component": "amplifier", "settings": {"small_signal_gain_db": 8}}},
                         "connections": {"p,up": "b,in0"},
                         "ports": {"in": "p,in", "dark": "p,dark", "up": "b,out0", "down": "p,down"}}, "pair": pair}
        with tempfile.TemporaryDirectory() as scratch:
            netlist, made = Path(scratch) / "chain.json", Path(scratch) / "chain.h5"
            netlist.write_text(json.dumps(chain))
            subprocess.run([os.environ["OPTINC_TOOL"], "circuit", netlist, "-o", made, "--points", "50", "--light", "in=2e-4", "--receiver",
                            "bandwidth_hz=1e10", "--quiet"], check=True, capture_output=True)
            circuit = optinc.Circuit(chain)
            with open_run(made) as run:
                at = run.scattering["wavelength"].values
                import h5py
                with h5py.File(made) as file:
                    numpy.testing.assert_array_equal(file["circuit/emission"], circuit.emission(at).diagonal(axis1=1, axis2=2).real)
                    read = circuit.detect(at, "in", 2e-4, {"bandwidth_hz": 1e10})
                    numpy.testing.assert_array_equal(file["circuit/photocurrent"], read.photocurrent_a)
                    numpy.testing.assert_array_equal(file["circuit/snr"], read.snr)

    def test_files(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "ring.json"
            path.write_text(json.dumps(RING))
            expected = optinc.Circuit(RING)(AT)
            numpy.testing.assert_array_equal(optinc.Circuit(path)(AT), expected)
            nets = {**RING, "connections": {}, "nets": [{"p1": a, "p2": b} for a, b in RING["connections"].items()]}
            numpy.testing.assert_array_equal(optinc.Circuit(nets)(AT), expected)
            path = Path(scratch) / "ring.yml"  # 40e-2 is a number in YAML 1.2, and was text to PyYAML
            path.write_text(json.dumps(RING).replace("0.4", "40e-2"))
            numpy.testing.assert_array_equal(optinc.Circuit(str(path))(AT), expected)
            path.write_text("[1, 2]")
            with self.assertRaisesRegex(ValueError, "ring.yml: no netlist .expected a mapping"):
                optinc.Circuit(path)
            with self.assertRaisesRegex(ValueError, "gone.yml: no such file"):
                optinc.Circuit(Path(scratch) / "gone.yml")

    # A file that scikit-rf wrote, and one that we write for it. Fails when phases are not turned both ways.
    def test_measured_blocks(self):
        data = Path(__file__).resolve().parents[1] / "data/circuits"
        line = optinc.Circuit({"instances": {"m": {"component": "touchstone", "settings": {"file": str(data / "skrf_line.s2p")}}},
                               "ports": {"in": "m,port1", "out": "m,port2"}})
        frequency = numpy.arange(192e12, 195e12, 20e9)
        guide = optinc.model_scattering("waveguide", {}, 299792458 / frequency)
        numpy.testing.assert_allclose(line(299792458 / frequency)[:, 1, 0], guide[:, 1, 0], atol=1e-10)
        with self.assertRaisesRegex(ValueError, 'instance "m": wavelength_m = 1.6e-06'):
            line(1.6e-6)

    @unittest.skipUnless(skrf and os.environ.get("OPTINC_TOOL"), "needs scikit-rf and OPTINC_TOOL")
    def test_scikit_rf_sees_the_group_delay(self):
        with tempfile.TemporaryDirectory() as scratch:
            netlist, made = Path(scratch) / "guide.json", Path(scratch) / "guide.s2p"
            netlist.write_text(json.dumps({"instances": {"g": "waveguide"}, "ports": {"in": "g,in0", "out": "g,out0"}}))
            subprocess.run([os.environ["OPTINC_TOOL"], "circuit", netlist, "-o", made, "--wavelength-m", "1.549e-6", "1.551e-6",
                            "--points", "201", "--quiet"], check=True, capture_output=True)
            index, slope = 2.44365, -1.13171e6  # at 1.55 um; n_g = n - wavelength dn/dwavelength
            self.assertAlmostEqual(skrf.Network(made).group_delay[100, 1, 0].real / ((index - 1.55e-6 * slope) * 1e-4 / 299792458), 1, 3)

    @unittest.skipUnless(importlib.util.find_spec("xarray"), "needs xarray")
    def test_a_spectrum_knows_its_names(self):
        ring = optinc.Circuit(RING)
        spectrum = ring.spectrum(AT, {"bus": {"eta_rad": 0.3}})
        self.assertEqual(spectrum.dims, ("wavelength", "port_out", "port_in"))
        numpy.testing.assert_array_equal(spectrum, ring(AT, {"bus": {"eta_rad": 0.3}}))
        numpy.testing.assert_array_equal(spectrum.wavelength, AT)
        numpy.testing.assert_array_equal(spectrum.sel(port_out="out", port_in="in"), spectrum[:, 1, 0])
        with self.assertRaisesRegex(ValueError, "wavelengths with 0 axes"):
            ring.spectrum(1.55e-6)

    @unittest.skipUnless(importlib.util.find_spec("xarray") and importlib.util.find_spec("matplotlib"), "needs xarray and matplotlib")
    def test_a_plot_shows_the_light_of_a_port(self):
        import matplotlib  # noqa: PLC0415
        matplotlib.use("Agg")
        split = optinc.Circuit({"instances": {"c": "coupler"}, "ports": {"a": "c,in0", "b": "c,in1", "bar": "c,out0", "cross": "c,out1"}})
        axes = split.plot(AT, "a")
        self.assertEqual([line.get_label() for line in axes.lines], ["a to bar", "a to cross"])
        numpy.testing.assert_allclose(axes.lines[1].get_xdata(), 1e9 * AT)
        numpy.testing.assert_allclose(axes.lines[1].get_ydata(), 20 * numpy.log10(abs(split(AT)[:, 3, 0])), atol=1e-9)
        self.assertIs(split.plot(AT, "b", ["bar"], axes=axes), axes)
        self.assertEqual(len(axes.lines), 3)
        with self.assertRaisesRegex(ValueError, 'no port "c"'):
            split.plot(AT, "c")
        matplotlib.pyplot.close("all")

    def test_measured_blocks_that_are_not_passive_are_told(self):
        def told(gain):
            with tempfile.TemporaryDirectory() as scratch:
                file = Path(scratch) / "block.s1p"
                file.write_text(f"# THz S RI R 50\n193 0 {gain}\n194 0.5 0\n")
                return optinc.Circuit({"instances": {"m": {"component": "touchstone", "settings": {"file": str(file)}}}, "ports": {"p": "m,port1"}}).warnings()
        self.assertEqual(told(0.999), [])
        self.assertEqual(told(1.0000001), [])
        self.assertEqual(told(1.1), ["m.file: block.s1p is not passive: at 193 THz it gives 1.21 times the power that enters (noise, calibration, or gain; "
                                     "passive: true takes the nearest passive block)"])

    @unittest.skipUnless(os.environ.get("OPTINC_TOOL"), "needs OPTINC_TOOL")
    def test_a_list_of_wavelengths_and_a_grid_that_misses_a_ring(self):
        with tempfile.TemporaryDirectory() as scratch:
            scratch = Path(scratch)
            (scratch / "ring.json").write_text(json.dumps({"instances": {"r": {"component": "ring", "settings": {
                "length_m": 3e-4, "loss_db_per_cm": 0.01, "bus_eta_rad": 0.01, "bus_eta_relative_slope_per_m": 0, "bus_excess_loss_db": 0}}},
                "ports": {"in": "r,in0", "out": "r,out0"}}))

            def told(*arguments):
                return subprocess.run([os.environ["OPTINC_TOOL"], "circuit", scratch / "ring.json", "--quiet", "--force", *arguments],
                                      capture_output=True, text=True)
            self.assertIn("optinc: warning: from in to out, the power at 15", told("--points", "2001").stderr)
            self.assertEqual(told("--points", "2001", "--set", "r.bus_eta_rad=0.5", "--set", "r.loss_db_per_cm=5").stderr, "")
            (scratch / "at.csv").write_text("# my laser\n1.55e-6\n1.5401e-6, 3\n1.5512e-6\n")
            told("--wavelengths", scratch / "at.csv", "-o", scratch / "out.s2p")
            given = [float(line.split()[0]) for line in (scratch / "out.s2p").read_text().splitlines() if line[0] in "12"]
            numpy.testing.assert_allclose(given, [299792.458 / um for um in (1.5512, 1.55, 1.5401)], rtol=1e-14)
            told("--wavelengths", scratch / "out.s2p", "-o", scratch / "again.s2p")
            self.assertEqual(*([line for line in (scratch / name).read_text().splitlines() if not line.startswith("!")] for name in ("out.s2p", "again.s2p")))
            (scratch / "at.csv").write_text("1550\n")
            self.assertRegex(told("--wavelengths", scratch / "at.csv").stderr, r"wavelength_m = 1550 .2e-7..2e-5 m")
            (scratch / "at.csv").write_text("1.55e-6\n1.55e-6\n")
            self.assertIn("at.csv: a wavelength stands there twice", told("--wavelengths", scratch / "at.csv").stderr)
            self.assertEqual(told("--wavelengths", scratch / "at.csv", "--points", "3").returncode, 2)

    def test_what_is_none_is_refused(self):
        def refused(sentence, netlist=RING, at=AT, settings=None, **parts):
            with self.assertRaises(ValueError) as caught:
                optinc.Circuit({**netlist, **parts})(at, settings)
            self.assertEqual(str(caught.exception), sentence)

        bus = RING["instances"]["bus"]
        refused("no netlist (expected a mapping with instances, connections and ports). See optinc circuit --help.", {})
        refused('"instances" is not a mapping (see optinc circuit --help). Write its entries as NAME: VALUE.', instances=["bus"])
        refused('instance "turn" names no component (expected a model\'s name). Add it.', instances={"bus": bus, "turn": [3]})
        refused("a net without p1 and p2 (two ports). Write {p1: \"a,out0\", p2: \"b,in0\"}.", nets=[{"p1": "bus,out1"}])
        refused('"pic_version" is no netlist (the first key of a hierarchy is the circuit itself, a mapping with "instances"). Put that first.',
                {"pic_version": 2, "chip": RING})
        refused("a key is None (keys are text). Write a name.", instances={None: "coupler"})
        deep = {}
        for _ in range(200):
            deep = {"a": deep}
        refused("lists and mappings more than 100 deep (no netlist is). Flatten it.", info=deep)
        refused('instance "turn": unknown model "waveguid" (known: waveguide, phase_shifter, heater, carrier_shifter, fibre_coupler, coupler, mmi_2x2, mmi_1x2, mzi, '
                'crossing, ring, add_drop_ring, interface, amplifier). Did you mean "waveguide"? Components of a process design kit need a mapping.', instances={"bus": bus, "turn": "waveguid"})
        refused('"turn" is not a port (a port is "INSTANCE,PORT"). Write, for example, "bus,in0".', connections={"bus,out1": "turn"})
        refused("port turn,out0 faces nothing (it would end in the air). Connect it, name it among the ports, or let unconnected "
                "ports absorb.", connections={"bus,out1": "turn,in0"}, ports={"in": "bus,in0", "out": "bus,out0", "x": "bus,in1"})
        refused('settings of "turns" (no such instance). Name one of the netlist.', settings={"turns": {}})
        refused('instance "turn": length_m = -1 (finite and >= 0). Give length_m >= 0.', settings={"turn": {"length_m": -1.0}})
        refused('instance "bus": wavelength_m = 1.55 (2e-7..2e-5 m). Try 1.55e-6.', at=1.55)
        loop = {"bus": {"eta_rad": 0.0, "excess_loss_db": 0.0, "eta_relative_slope_per_m": 0.0}, "turn": {"length_m": 0.0}}
        refused('instances "bus" and "turn" lie in a loop in resonance that loses no light (its field has no bound). Give it a loss.',
                settings=loop)
        for value, shown in (("long", '"long"'), (None, "null"), ([1e-4, 2e-4], "a list"), (numpy.ones(2), "of type ndarray"), (True, "true"),
                             (1j, "of type complex"), (float("nan"), ".nan")):
            sentence = f'instance "turn": setting length_m is {shown}, not a number (settings of models are finite numbers). Write one, in SI units.'
            refused(sentence, settings={"turn": {"length_m": value}})
            refused(sentence, instances={"bus": bus, "turn": {"component": "waveguide", "settings": {"length_m": value}}})
            with self.assertRaisesRegex(ValueError, "setting length_m is "):
                optinc.model_scattering("waveguide", {"length_m": value}, AT)
        for value in (numpy.float32(2**-13), numpy.array(2**-13), 2**-13):
            numpy.testing.assert_array_equal(optinc.Circuit(RING)(AT, {"turn": {"length_m": value}}), optinc.Circuit(RING)(AT, {"turn": {"length_m": 2.0**-13}}))

    # sax's own first example; its answer is 0.0896183 (sax 0.18.2). Fails when models get what they do not take.
    def test_models_as_sax_has_them(self):
        def coupler(coupling=0.5):
            through, cross = (1 - coupling) ** 0.5, 1j * coupling**0.5
            return both_ways({("in0", "out0"): through, ("in0", "out1"): cross, ("in1", "out0"): cross, ("in1", "out1"): through})

        def guide(wl=1.55, neff=2.34, ng=3.4, length=10.0):
            return both_ways({("in0", "out0"): numpy.exp(2j * numpy.pi * (neff - (wl - 1.55) * (ng - neff) / 1.55) * length / wl)})

        def both_ways(s):
            return {**s, **{(b, a): value for (a, b), value in s.items()}}

        mzi = {"instances": {"l": "cp", "t": {"component": "g", "settings": {"length": 25.0, "cross_section": "strip", "npoints": None}},
                             "b": {"component": "g", "settings": {"length": 15.0}}, "r": "cp"},
               "connections": {"l,out0": "b,in0", "b,out0": "r,in0", "l,out1": "t,in0", "t,out0": "r,in1"},
               "ports": {"in0": "l,in0", "in1": "l,in1", "out0": "r,out0", "out1": "r,out1"}}
        circuit = optinc.Circuit(mzi, {"cp": coupler, "g": guide})
        self.assertAlmostEqual(abs(circuit(1.55e-6)[2, 0]) ** 2, 0.0896183, 7)
        self.assertAlmostEqual(abs(circuit(1.55e-6, {"t": {"length": 15.0}})[3, 0]), 1, 12)
        with self.assertRaisesRegex(ValueError, 'setting "l.couplings" .the model of instance "l" does not take it'):
            circuit(1.55e-6, {"l": {"couplings": 0.3}})
        only = optinc.Circuit({"instances": {"a": "g"}, "ports": {"in": "a,in0", "out": "a,out0"}}, {"g": guide})
        with self.assertRaisesRegex(ValueError, r'instance "a": wavelength_m = 1.55 .2e-7..2e-5 m'):
            only(1.55)
        with self.assertRaisesRegex(TypeError, 'instance "a": a model returned float') as caught:
            optinc.Circuit({"instances": {"a": "f"}, "ports": {"in": "a,in0"}}, {"f": lambda: 1.0})
        self.assertIsInstance(caught.exception.__cause__, TypeError)

        def dense(wl=1.55, length=10.0):  # an isolator: half the field from in0 to out0 alone
            s = numpy.zeros((*numpy.shape(wl), 2, 2), complex)
            s[..., 1, 0] = guide(wl, length=length)["in0", "out0"] / 2
            s[..., 0, 0] = 0.1
            return s, {"in0": 0, "out0": 1}

        def sparse(wl=1.55, length=10.0):
            field = guide(wl, length=length)["in0", "out0"] / 2
            return numpy.array([1, 0]), numpy.array([0, 0]), numpy.stack([field, 0 * field + 0.1], -1), {"in0": 0, "out0": 1}

        for form in (dense, sparse):
            found = optinc.Circuit({"instances": {"a": "g"}, "ports": {"in": "a,in0", "out": "a,out0"}}, {"g": form})(AT)
            numpy.testing.assert_array_equal(found[:, 1, 0], only(AT)[:, 1, 0] / 2)
            numpy.testing.assert_array_equal(found[:, 0], numpy.broadcast_to([0.1, 0], (50, 2)))

    # A component that has a model and a netlist: the model, as in sax. Fails with 1 for 0.25.
    def test_a_model_comes_before_a_netlist(self):
        def straight(wl=1.55, length=10.0):
            return {("o1", "o2"): numpy.exp(2j * numpy.pi * 2.34 * length / wl), ("o2", "o1"): numpy.exp(2j * numpy.pi * 2.34 * length / wl)}

        def mzi(wl=1.55):
            return {("o1", "o2"): 0.5 + 0 * wl, ("o2", "o1"): 0.5 + 0 * wl}

        nested = {"top": {"instances": {"x": "mzi"}, "ports": {"in": "x,o1", "out": "x,o2"}},
                  "mzi": {"instances": {"g": "straight"}, "ports": {"o1": "g,o1", "o2": "g,o2"}}}
        for models, power in (({"straight": straight, "mzi": mzi}, 0.25), ({"straight": straight}, 1)):
            self.assertAlmostEqual(abs(optinc.Circuit(nested, models)(1.55e-6)[1, 0]) ** 2, power, 12)

    # The export of gdsfactory 9.45, mzi(delta_length=10): unbalanced by 10 um of 2.4, with 16.6 um of every bend.
    def test_a_netlist_of_gdsfactory(self):
        def pair(field):
            return {("o1", "o2"): field, ("o2", "o1"): field}

        def straight(wl=1.55, length=10.0, neff=2.4):
            return pair(numpy.exp(2j * numpy.pi * neff * length / wl))

        def bend_euler(wl=1.55, angle=90.0, radius=10.0):
            return straight(wl, 16.6)

        def mmi1x2():
            return {("o1", "o2"): 0.5**0.5, ("o1", "o3"): 0.5**0.5, ("o2", "o1"): 0.5**0.5, ("o3", "o1"): 0.5**0.5}

        netlist = Path(__file__).resolve().parents[1] / "data/circuits/g1_mzi_get_netlist.yml"
        s = optinc.Circuit(netlist, {"straight": straight, "bend_euler": bend_euler, "mmi1x2": mmi1x2})(AT)
        numpy.testing.assert_allclose(abs(s[:, 1, 0]) ** 2, numpy.cos(numpy.pi * 2.4 * 10 / (AT * 1e6)) ** 2, atol=1e-9)

    # Python's collector must see through the circuit to a function that knows it.
    def test_a_model_that_knows_its_circuit_is_collected(self):
        def made():
            def wire():
                return {("a", "b"): 1.0, ("b", "a"): 1.0}
            wire.circuit = optinc.Circuit({"instances": {"w": "wire"}, "ports": {"in": "w,a", "out": "w,b"}}, {"wire": wire})
            self.assertEqual(wire.circuit(1.55e-6)[1, 0], 1)
            return weakref.ref(wire)

        gone = made()
        gc.collect()
        self.assertIsNone(gone())

    def test_models_say_what_they_take(self):
        for name, settings in optinc.circuit_models().items():
            s = optinc.model_scattering(name, {key: usual for key, (usual, _) in settings.items()}, AT)
            n = len(optinc.model_ports(name))
            self.assertEqual(s.shape, (50, n, n))
            self.assertTrue(all(meaning for _, meaning in settings.values()))


if __name__ == "__main__":
    unittest.main()
