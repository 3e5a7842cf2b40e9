"""Circuits from netlists, against meshes, closed forms and each other."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy
import optinc

try:
    import yaml
except ImportError:
    yaml = None

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
        self.assertEqual([e.emission(AT, {}) is None for e in circuit._elements], [True, False])
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
            if yaml:
                path = Path(scratch) / "ring.yml"
                path.write_text(yaml.safe_dump(RING))
                numpy.testing.assert_array_equal(optinc.Circuit(str(path))(AT), expected)
            path.write_text("[1, 2]")
            if yaml or path.suffix == ".json":
                with self.assertRaisesRegex(ValueError, "is not a netlist"):
                    optinc.Circuit(path)

    def test_what_is_none_is_refused(self):
        def refused(sentence, netlist=RING, at=AT, settings=None, **parts):
            with self.assertRaises(ValueError) as caught:
                optinc.Circuit({**netlist, **parts})(at, settings)
            self.assertEqual(str(caught.exception), sentence)

        bus = RING["instances"]["bus"]
        refused('a netlist without "instances" (name: component). Give some.', {})
        refused('"instances" of the netlist is a list (a mapping is needed). See optinc.Circuit.', instances=["bus"])
        refused('instance "turn" names no component (it is 3). Give the name of a model.', instances={"bus": bus, "turn": 3})
        refused('instance "turn": unknown model "waveguid" (known: waveguide, phase_shifter, heater, carrier_shifter, fibre_coupler, coupler, mmi_2x2, mmi_1x2, mzi, '
                'crossing, ring, add_drop_ring, interface, amplifier). Did you mean "waveguide"?', instances={"bus": bus, "turn": "waveguid"})
        refused('"turn" is not a port (a port is "INSTANCE,PORT"). Write, for example, "bus,in0".', connections={"bus,out1": "turn"})
        refused("port turn,out0 faces nothing (it would end in the air). Connect it, name it among the ports, or let unconnected "
                "ports absorb.", connections={"bus,out1": "turn,in0"}, ports={"in": "bus,in0", "out": "bus,out0", "x": "bus,in1"})
        refused('settings of "turns" (no such instance). Name one of the netlist.', settings={"turns": {}})
        refused('instance "turn": length_m = -1 (finite and >= 0). Give length_m >= 0.', settings={"turn": {"length_m": -1.0}})
        refused('instance "bus": wavelength_m = 1.55 (2e-7..2e-5 m). Try 1.55e-6.', at=1.55)
        loop = {"bus": {"eta_rad": 0.0, "excess_loss_db": 0.0, "eta_slope_rad_per_m": 0.0}, "turn": {"length_m": 0.0}}
        refused('instances "bus" and "turn" lie in a loop in resonance that loses no light (its field has no bound). Give it a loss.',
                settings=loop)
        with self.assertRaises(TypeError):
            optinc.Circuit(RING)(AT, {"turn": {"length_m": "long"}})

    def test_models_say_what_they_take(self):
        for name, settings in optinc.circuit_models().items():
            s = optinc.model_scattering(name, {key: usual for key, (usual, _) in settings.items()}, AT)
            n = len(optinc.model_ports(name))
            self.assertEqual(s.shape, (50, n, n))
            self.assertTrue(all(meaning for _, meaning in settings.values()))


if __name__ == "__main__":
    unittest.main()
