"""Bad arguments: one sentence as ValueError or TypeError, never a crash."""

import random
import subprocess
import sys
import textwrap
import unittest

import numpy
import optinc

NAN = float("nan")


class Sentences(unittest.TestCase):
    def refused(self, error, sentence, call, *arguments, **named):
        with self.assertRaises(error) as caught:
            call(*arguments, **named)
        said = str(caught.exception).partition(" The following argument types")[0]  # which nanobind lists
        self.assertEqual(said, sentence)

    def test_meshes(self):
        eye, mesh = numpy.eye(4), optinc.Mesh(4)
        self.refused(ValueError, "matrix is not unitary (|U^H U - 1| reaches 3.0e+00; 1e-6 is allowed; the nearest unitary matrix "
                     "differs by up to 1.0e+00 in an element). "
                     "Use its polar factor: u v of its SVD u s v.", optinc.Mesh.from_unitary, 2 * eye)
        self.refused(ValueError, "matrix holds NaN or infinity (no phases can realise it). Check how it was made.",
                     optinc.Mesh.from_unitary, eye * NAN)
        self.refused(ValueError, "matrix of 3 x 4 (a mesh realises square ones). Give a square matrix.",
                     optinc.Mesh.from_unitary, eye[:3])
        self.refused(ValueError, "matrix of 0 x 0 (a mesh realises square ones). Give a square matrix.",
                     optinc.Mesh.from_unitary, numpy.zeros((0, 0)))
        self.refused(ValueError, "unitary has shape (4,) (2 axes are needed). Reshape it.",
                     optinc.Mesh.from_unitary, [1, 2, 3, 4])
        self.refused(TypeError, "unitary is an array of <U1 (needs numbers). Convert it.",
                     optinc.Mesh.from_unitary, [["a", "b"], ["c", "d"]])
        self.refused(TypeError, "from_unitary(): incompatible function arguments.", optinc.Mesh.from_unitary, None)
        self.refused(ValueError, 'topology "rekc" is unknown (known: clements, reck, or columns of pairs of ports such as '
                     '"0-1 2-3 | 1-2"). Did you mean "reck"?',
                     optinc.Mesh.from_unitary, eye, "rekc")
        self.refused(ValueError, "ports = 0 (1..4096). Give ports in that range.", optinc.Mesh, 0)
        self.refused(ValueError, "n = 100000 (1..4096). Give n in that range.", optinc.haar_unitary, 100000)
        self.refused(ValueError, "x has shape (2, 3) (the mesh has 4 ports: the last axis). Give (.., 4).",
                     mesh, numpy.ones((2, 3)))
        self.refused(ValueError, "x has shape () (the mesh has 4 ports: the last axis). Give (.., 4).", mesh, 1.0)
        self.refused(ValueError, 'unknown error preset "goodlab" (known: ideal, design-target, '
                     'good-lab, metal-heaters, doped-heaters). Did you mean "good-lab"?', mesh.fabricate, "goodlab")
        self.refused(TypeError, "fabricate(): incompatible function arguments.", mesh.fabricate, "good-lab", seed=-1)
        self.refused(ValueError, "chips = 2 from chip 4294967295 on (chips have numbers below 2^32). Ask for fewer.",
                     mesh.monte_carlo, "ideal", numpy.ones(4), 2, first=2**32 - 1)
        self.refused(ValueError, "x has shape (3,) (the mesh has 4 ports: the last axis). Give (.., 4).",
                     mesh.monte_carlo, "ideal", numpy.ones(3), 2)
        self.refused(ValueError, "fields of power 0 W (what leaves a chip is compared with it). Send light.",
                     mesh.deviations, "ideal", numpy.zeros(4), 2)
        self.refused(ValueError, 'unknown device "tpu" (known: cpu, gpu). Did you mean "cpu"?', mesh.deviations, "ideal", numpy.ones(4), 2,
                     device="tpu")
        if not optinc.gpu_name():
            with self.assertRaisesRegex(ValueError, "no GPU was found|compiled without CUDA"):
                mesh.deviations("ideal", numpy.ones(4), 2, device="gpu")
        with self.assertRaises(MemoryError):
            optinc.Mesh(64).monte_carlo("ideal", numpy.broadcast_to(numpy.ones(64, "c8"), (2**14, 64)), 2**32 - 1)
        self.refused(ValueError, "a clements mesh of 4 ports on a clements chip of 5 (one wiring). "
                     "Fabricate this mesh.", mesh.on, optinc.Mesh(5).fabricate("ideal"))
        self.refused(ValueError, "10 phases or splitter errors for a mesh of 6 MZIs (one each). Give 6.",
                     mesh.corrected, optinc.Mesh(5).fabricate("ideal").errors)
        self.refused(ValueError, "fidelity of a matrix of 3 x 3 with a target of 4 x 4 (square, of one "
                     "size). Give two such matrices.", optinc.fidelity, eye, numpy.eye(3))

    def test_environments_and_wafers(self):
        mesh = optinc.Mesh(4)
        chip = mesh.fabricate("good-lab")
        self.refused(ValueError, "temperature_k = nan (finite). Give a number.", chip.at, NAN)
        self.refused(ValueError, "wavelength_m = inf (finite). Give a number.", chip.matrices, [0.0, float("inf")])
        self.refused(ValueError, "wavelength_m has shape () (1 axes are needed). Reshape it.", chip.matrices, 1e-9)
        self.refused(ValueError, "die_length_m = 1e-06 (0.001..0.3). Give die_length_m in that range.", optinc.Wafer, die_length_m=1e-6)
        self.refused(ValueError, "mesh = 1 on a wafer (a die has one mesh, number 0). Leave it out.", mesh.fabricate, "ideal", mesh=1,
                     wafer=optinc.Wafer())
        process = optinc.ProcessModel()
        with self.assertRaisesRegex(ValueError, "^correlation_length_m"):
            process.correlation_length_m = 0.0
        self.assertEqual(process.correlation_length_m, 4.5e-3)
        with self.assertRaisesRegex(ValueError, "die_length_m|die_width_m"):
            optinc.Mesh(256).fabricate("ideal", wafer=optinc.Wafer(die_length_m=5e-3))

    def test_derivatives(self):
        self.refused(ValueError, 'unknown precision "half" (known: double, single). Use one of these.',
                     optinc.Mesh(4).settled, "half")
        settled, x = optinc.Mesh(4).settled(), numpy.ones((2, 4), complex)
        self.refused(ValueError, "gradient has shape (1, 4) and x (2, 4) (one shape). Give those of one call.",
                     settled.backward, x, x, x[:1])
        self.refused(ValueError, "y has shape (2, 3) (the mesh has 4 ports: the last axis). Give (.., 4).",
                     settled.backward, x, x[:, :3], x)
        self.refused(ValueError, "no parameter gamma of a mesh (theta, phi, output_phase and errors have changes). Choose one.",
                     optinc.Mesh(4).forward_derivative, x, x, gamma=[1])
        self.refused(ValueError, "theta has 2 changes (the mesh has 6). Give one for each.",
                     optinc.Mesh(4).forward_derivative, x, x, theta=[1, 2])
        self.refused(ValueError, "fields (4, 2) and their change (4, 1) at a mesh of 4 ports (both are (ports, words)). Give one row "
                     "per port.", optinc.Mesh(4).forward_derivative, x, x[:1])

    def test_gradients_as_codes(self):
        gradients = numpy.array([1.0, NAN])
        self.refused(ValueError, "gradient element 1 of server 0 is nan (only finite numbers have a code). "
                     "Lower the learning rate.", optinc.block_maxima, gradients)
        self.refused(ValueError, "blocks of 0 elements (each scale serves at least one). Choose 1024.",
                     optinc.block_maxima, gradients, 0)
        self.refused(ValueError, "a gradient of 2 in block 0 of scale 1 (a scale is the largest of all servers). "
                     "Take block_maxima of every server.", optinc.encode, [1.0, 2.0], [1.0])
        self.refused(ValueError, "2 scales for 2 words in blocks of 1024 (there must be 1). Pass the scales that "
                     "quantise gave.", optinc.decode, [1, 2], [1.0, 1.0])
        chip = optinc.carry_chain(4, 8).fabricate("ideal").program()
        self.refused(ValueError, "gradients has shape (2, 3) (needs (4, n): a row for every server). Reshape it.",
                     chip.average_gradients, numpy.ones((2, 3)))
        self.refused(ValueError, "words from number 100 on (a multiple of 512: each block of words has noise of its "
                     "own). Send them in parts of whole blocks.", chip.average, numpy.ones((4, 3), int), first_word=100)
        first = optinc.carry_chain(4, 8, level="first").fabricate("ideal").program()
        self.refused(ValueError, "gradients through a unit that returns no mean (level first, reduction mean). Average its codes.",
                     first.average_gradients, numpy.ones((4, 3)))

    def test_arrays(self):
        chip = optinc.Mesh(4).fabricate("ideal")
        wrong = "alpha has shape (5,) (needs (6,)). Give one number for each."
        self.refused(ValueError, wrong, setattr, chip.errors, "alpha", numpy.zeros(5))
        self.refused(TypeError, "alpha is an array of complex128 (needs real numbers). Convert it.",
                     setattr, chip.errors, "alpha", numpy.zeros(6, complex))
        chip.errors.beta[2] = NAN
        self.refused(ValueError, "beta of MZI 2 (ports 1 and 2) is nan (finite numbers only). Set a finite number.", chip.matrix)
        self.refused(ValueError, "beta of MZI 2 (ports 1 and 2) is nan (finite numbers only). Set a finite number.",
                     chip, numpy.ones(4))
        self.refused(ValueError, "a phase or splitter error of MZI 2 is not finite (numbers only). Set a finite number.",
                     optinc.Mesh(4).corrected, chip.errors)

    # Fails when quantise (decomposition.cpp) takes a phase that is not finite: wrapped, it is 0.
    def test_phases(self):
        for name, place in (("theta", "MZI 5"), ("phi", "MZI 5"), ("output_phase", "port 3")):
            for value in (NAN, float("inf")):
                mesh = optinc.Mesh(4)
                chip = mesh.fabricate("ideal")
                getattr(mesh, name)[-1] = value
                wrong = f"{name} of {place} is {value} (finite numbers only). Set a finite number."
                for model in ("ideal", "good-lab"):
                    self.refused(ValueError, wrong, mesh.fabricate, model)
                self.refused(ValueError, wrong, mesh.on, chip)
                of_mzi = "a phase or splitter error of MZI 5 is not finite (numbers only). Set a finite number."
                self.refused(ValueError, wrong if name == "output_phase" else of_mzi, mesh.corrected, chip.errors)

    def test_losses(self):
        unit = optinc.carry_chain(4, 8)
        for name in ("theta_arm_loss_db", "phi_arm_loss_db", "theta_other_loss_db", "phi_other_loss_db"):
            chip, built = optinc.Mesh(4).fabricate("ideal"), unit.fabricate("ideal")
            getattr(chip.errors, name)[1] = -0.5
            wrong = f"{name} of MZI 1 is -0.5 dB (0 or more: arms do not amplify). Set a value in this range."
            self.refused(ValueError, wrong, chip.matrix)
            self.refused(ValueError, wrong, chip, numpy.ones(4))
            mesh = next(b.mesh for layer in built.errors.layers for b in layer if len(b.mesh.alpha) > 1)
            getattr(mesh, name)[1] = -0.5
            self.refused(ValueError, wrong, built.program)
        chip = optinc.Mesh(4).fabricate("ideal")
        chip.errors.idle_arm_loss_db = -1
        wrong = "idle_arm_loss_db is -1 dB (0 or more: arms do not amplify). Set a value in this range."
        self.refused(ValueError, wrong, chip.matrix)

    def test_models(self):
        self.refused(ValueError, "sigma_eta_rad = -1.0 is out of range (allowed: 0..100). Give at least 0.",
                     optinc.ErrorModel, sigma_eta_rad=-1)
        self.refused(ValueError, "dac_bits = 99 is out of range (allowed: 0..24). Give at most 24.",
                     optinc.ErrorModel, dac_bits=99)
        self.refused(ValueError, "rho_ab = nan is out of range (allowed: -1..1). Give a finite number.",
                     setattr, optinc.ErrorModel(), "rho_ab", NAN)

    def test_units(self):
        unit = optinc.carry_chain(4, 8)
        chip = unit.fabricate("ideal")
        lit = chip.program()
        self.refused(ValueError, "codes reach 256 (codes of 8 bits: 0..255). Clip or rescale them.",
                     lit.average, numpy.full((4, 3), 256))
        self.refused(ValueError, "codes holds -1 to 0 (integers of 32 bits without sign). Give numbers from 0 on.",
                     unit.average, [[-1], [0], [0], [0]])
        self.refused(TypeError, "codes is an array of float64 (needs integers). Convert it.",
                     lit.average, numpy.ones((4, 3)))
        self.refused(ValueError, "codes has shape (3, 4) (needs (4, words): a row for every server). Reshape it.",
                     lit.average, numpy.ones((3, 4), int))
        self.refused(ValueError, "received at server 4 of 4 (0..3). Choose one of them.",
                     lit.average, numpy.ones((4, 1), int), server=4)
        self.refused(ValueError, "bits = 7 (a multiple of 2: digits have two bits). Give an even number.",
                     optinc.carry_chain, 4, 7)
        self.refused(ValueError, "a carry chain for 3 servers (2, 4, 8 or 16: the mean is a shift; other reductions: 2 to 16). Train a network.",
                     optinc.carry_chain, 3, 8)
        parity = ("rounding half-even by a carry chain (half-up, floor: it does not know the quotient's parity). "
                  'Set task.rounding = "half-up".')
        self.refused(ValueError, parity, optinc.carry_chain, 4, 8, rounding="half-even")
        self.refused(ValueError, "step_width = nan (above 0, below 1: sums are whole numbers). Try 0.25.",
                     optinc.carry_chain, step_width=NAN)
        self.refused(ValueError, "word 28561 (0..28560). Give words of the task.",
                     optinc.codes_of_words, unit.task, [28561])
        self.refused(ValueError, "-1 threads (0..1024; 0: one for every processor). Choose a number in that range.",
                     optinc.set_threads, -1)
        for value, remedy in ((-1.0, "at least 1e-09"), (NAN, "a finite number")):
            self.refused(ValueError, f"launch_power_w = {value} is out of range (allowed: 1e-09..1). Give {remedy}.",
                         setattr, optinc.UnitHardware().link, "launch_power_w", value)
        mesh = next(b.mesh for layer in chip.errors.layers for b in layer if len(b.mesh.alpha))
        mesh.alpha[0] = NAN
        self.refused(ValueError, "a phase or splitter error of MZI 0 is not finite (numbers only). Set a finite number.",
                     chip.program)

    def test_networks(self):
        task = optinc.Task(2, 2, "half-up")

        def layer(unitary=1.0, sigma=1.0, bias=(0.0,), reads=(0,), ending="servers"):
            return optinc.SigmaULayer([[[unitary]]], [[sigma]], bias, reads, ending=ending)

        def network(**values):
            return optinc.Network(task, [layer(**values)])

        optinc.Unit(network())
        self.refused(TypeError, "Unit is no Network (what train() ends with, and units, have one). Give its .network.",
                     optinc.save_network, optinc.Unit(network()), "never_made.h5")
        self.refused(ValueError, "instants = 1 is out of range (allowed: 2..2047). Give at least 2.",
                     setattr, optinc.DriftSettings(), "instants", 1)
        self.refused(ValueError, "matrix is not unitary (|U^H U - 1| reaches 3.0e+00; 1e-6 is allowed; the nearest unitary matrix "
                     "differs by up to 1.0e+00 in an element). "
                     "Use its polar factor: u v of its SVD u s v.", lambda: optinc.Unit(network(unitary=2.0)))
        for name, value in (("unitary", NAN), ("sigma", float("inf")), ("bias", [NAN])):
            self.refused(ValueError, "unitary, sigma or bias holds NaN or infinity (finite numbers only). "
                         "Check how they were made.", layer, **{name: value})
        self.refused(ValueError, "0 outputs go to the servers (the task has 1 digits). Correct the network.",
                     optinc.Network, task, [])
        self.refused(ValueError, "layer 0 reads signal 7 (0..0 come before it). Correct the network.", network, reads=[7])
        self.refused(ValueError, 'unknown ending "serves" (known: receivers, light, servers). Did you mean "servers"?',
                     layer, ending="serves")
        self.refused(ValueError, "a layer of 0 inputs and 0 outputs (1 or more). Give reads and bias.",
                     layer, bias=[], reads=[])


class Random(unittest.TestCase):
    def test_two_thousand_random_calls(self):
        script = textwrap.dedent("""
            import sys; sys.path[:0] = PATHS
            import bad_arguments_test
            print(bad_arguments_test.random_calls(2000))
        """).replace("PATHS", repr([str(p) for p in (sys.path[0], *sys.path)]))
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])  # negative: a signal
        calls, refused = map(int, done.stdout.split())
        self.assertGreater(refused, calls // 2)


def random_calls(count):
    """Calls everything public with values that hardly fit; "calls refused"."""
    draw = random.Random(1)
    values = [
        None, True, 0, 1, 3, -1, 2**31, 2**40, 2**70, 0.5, NAN, 1e308, 1j, "", "ideal", "reck", "shipped/none", b"x",
        [], [[]], [1, 2], [[1], [2, 3]], {}, range(4), object(),
        numpy.zeros(0), numpy.zeros((0, 4)), numpy.zeros((4, 0), "u4"), numpy.ones((4, 4)), numpy.eye(4),
        numpy.eye(4) * NAN, numpy.eye(3, dtype="c8"), numpy.ones((4, 5), "u4"), numpy.full((4, 5), 2**32 - 1, "u4"),
        numpy.ones((2, 3, 4), "c8"), numpy.broadcast_to(1.0, (4, 4)), numpy.eye(8)[::2, ::2], numpy.array("text"),
        numpy.array([None, 1]), numpy.zeros(4, "M8[s]"), numpy.zeros(4, [("a", "f4")]), numpy.ones((4, 4), "f2"),
        numpy.ones((4, 4), "g"), numpy.ma.masked_array([1, 2], [0, 1]), numpy.ones((1, 1, 1)),
        optinc.Task(), optinc.ErrorModel(), optinc.NoiseSwitches(), optinc.UnitHardware(),
    ]

    def targets():
        mesh, unit = optinc.Mesh(4), optinc.carry_chain(2, 2)
        chip, built = mesh.fabricate("ideal"), unit.fabricate("ideal")
        values.extend([mesh, chip, chip.errors, unit, built, built.errors, built.program(), mesh.settled("single"),
                       optinc.CalibrationSettings(), optinc.DriftSettings(), optinc.SensitivitySettings(), optinc.Wafer(),
                       optinc.ProcessModel()])
        hardware = optinc.UnitHardware()
        for thing in (optinc, mesh, mesh.settled(), chip, chip.errors, unit, built, built.program(),
                      optinc.ErrorModel(), hardware, hardware.link, optinc.NoiseSwitches(), optinc.Task(), optinc.Mesh, optinc.Unit,
                      optinc.CalibrationSettings(), optinc.DriftSettings(), optinc.SensitivitySettings(), optinc.TrainingSettings(),
                      optinc.Wafer(), optinc.ProcessModel()):
            for name in dir(thing):
                fixed = thing in (optinc, optinc.Mesh, optinc.Unit) and not callable(getattr(thing, name))
                if not fixed and (not name.startswith("_") or name in ("__call__", "__init__")):
                    yield thing, name

    places, refused = list(targets()), 0
    for number in range(count):
        thing, name = draw.choice(places)
        arguments = draw.choices(values, k=draw.randint(0, 4))
        try:
            if callable(getattr(thing, name)):
                getattr(thing, name)(*arguments)
            else:
                setattr(thing, name, draw.choice(values))
        except (ValueError, TypeError, AttributeError, OSError, ImportError, OverflowError) as error:
            refused += 1
            assert str(error), (thing, name)
    return f"{count} {refused}"


if __name__ == "__main__":
    unittest.main()
