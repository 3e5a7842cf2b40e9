"""Meshes from Python: what they compute, and that their arrays are their own memory."""

import _thread
import copy
import ctypes
import gc
import itertools
import pickle
import threading
import time
import unittest

import numpy
import optinc

N = 8


class Meshes(unittest.TestCase):
    def setUp(self):
        self.unitary = optinc.haar_unitary(N, seed=2)
        self.mesh = optinc.Mesh.from_unitary(self.unitary)
        self.fields = numpy.random.default_rng(1).normal(size=(3, 5, N, 2)) @ [1, 1j]

    def test_matrix_is_the_unitary(self):
        for topology in ("clements", "reck"):
            mesh = optinc.Mesh.from_unitary(self.unitary, topology)
            numpy.testing.assert_allclose(mesh.matrix(), self.unitary, atol=1e-13)
            self.assertEqual((mesh.topology, mesh.ports, len(mesh.mzis)), (topology, N, N * (N - 1) // 2))

    def test_one_mzi_is_its_formula(self):
        # T = BS diag(e^{i theta}, 1) BS diag(e^{i phi}, 1), BS = [[1, i], [i, 1]] / sqrt(2), then the output phases
        mesh = optinc.Mesh(2)
        mesh.theta[0], mesh.phi[0] = 0.7, -1.1
        mesh.output_phase[:] = 0.2, 0.3
        splitter = numpy.array([[1, 1j], [1j, 1]]) / numpy.sqrt(2)
        expected = splitter @ numpy.diag([numpy.exp(0.7j), 1]) @ splitter @ numpy.diag([numpy.exp(-1.1j), 1])
        numpy.testing.assert_allclose(mesh.matrix(), numpy.diag(numpy.exp([0.2j, 0.3j])) @ expected, atol=1e-15)

    def test_fields_are_those_of_the_matrix(self):
        chip = self.mesh.fabricate("good-lab", seed=3)
        for mesh in (self.mesh, chip):
            expected = self.fields @ mesh.matrix().T
            wide = numpy.repeat(self.fields, 2, axis=1)
            for x in (self.fields, numpy.asfortranarray(self.fields), wide[:, ::2], self.fields.astype(">c16")):
                numpy.testing.assert_allclose(mesh(x), expected, atol=1e-13)
            numpy.testing.assert_allclose(mesh(self.fields[0, 0]), expected[0, 0], atol=1e-13)
            numpy.testing.assert_allclose(mesh(self.fields.astype("c8")), expected, atol=1e-5)

    # Fails when a chip takes another's number, skips the DAC, or depends on the threads.
    def test_monte_carlo_is_chip_by_chip(self):
        model = optinc.ErrorModel(sigma_eta_rad=0.03, sigma_cal_rad=0.02, arm_loss_spread_db=0.1, dac_bits=6)
        self.addCleanup(optinc.set_threads, optinc.threads())
        for x in (self.fields, self.fields.astype("c8"), self.fields[0, 0], self.fields[:0]):
            for threads in (1, 3):
                optinc.set_threads(threads)
                found = self.mesh.monte_carlo(model, x, 40, seed=5, first=7)
                self.assertEqual((found.shape, found.dtype), ((40, *x.shape), x.dtype))
                for c in (0, 19, 39):
                    numpy.testing.assert_array_equal(found[c], self.mesh.fabricate(model, seed=5, chip=7 + c)(x))
        self.assertEqual(self.mesh.monte_carlo("doped-heaters", self.fields, 0).shape, (0, *self.fields.shape))

    # Fails when a chip takes another's number, skips the DAC, or is compared with another mesh than its own.
    def test_deviations_are_those_of_the_fields(self):
        model = optinc.ErrorModel(sigma_eta_rad=0.03, sigma_cal_rad=0.02, arm_loss_spread_db=0.1, mzi_loss_db=0.2, dac_bits=6)
        perfect = self.mesh(self.fields)
        devices = ["cpu", *(["gpu"] if optinc.gpu_name() else [])]
        for device, (x, bound) in itertools.product(devices, ((self.fields, 1e-12), (self.fields.astype("c8"), 1e-5))):
            found = self.mesh.deviations(model, x, 40, seed=5, first=7, device=device)
            self.assertEqual((len(found), found.error.shape), (40, (40,)))
            for c in (0, 19, 39):
                y = self.mesh.fabricate(model, seed=5, chip=7 + c)(self.fields)  # its DAC's steps included
                whole = (abs(perfect) ** 2).sum()
                self.assertAlmostEqual(found.error[c], (abs(y - perfect) ** 2).sum() / whole, delta=bound)
                self.assertAlmostEqual(found.change[c], (perfect.conj() * (y - perfect)).sum() / whole, delta=bound)
                self.assertAlmostEqual(found.power[c], (abs(y) ** 2).sum() / whole, delta=bound)
        chips = self.mesh.deviations("good-lab", numpy.eye(self.mesh.ports), 3)
        for c in range(3):
            self.assertAlmostEqual(
                chips.fidelity[c], optinc.fidelity(self.mesh.matrix(), self.mesh.fabricate("good-lab", chip=c).matrix()), 12)
        self.assertEqual(len(self.mesh.deviations("doped-heaters", self.fields, 0)), 0)

    # Fails when Ctrl-C waits for all chips.
    def test_monte_carlo_interrupted(self):
        mesh, x = optinc.Mesh(64), numpy.ones(64, "c8")
        start = time.perf_counter()
        threading.Timer(0.2, _thread.interrupt_main).start()
        with self.assertRaises(KeyboardInterrupt):
            while time.perf_counter() - start < 60:
                mesh.monte_carlo("doped-heaters", x, 10**6)
        self.assertLess(time.perf_counter() - start, 3)

    def test_settled_meshes_stay_as_they_were(self):
        chip = self.mesh.fabricate("good-lab", seed=3)
        settled, single, copied, before = chip.settled(), chip.settled("single"), chip.copy(), chip(self.fields)
        chip.theta[:] = 0
        chip.errors.alpha[:] = 0.1
        numpy.testing.assert_array_equal(settled(self.fields), before)
        numpy.testing.assert_array_equal(copied(self.fields), before)
        numpy.testing.assert_array_equal(single(self.fields), copied(self.fields.astype("c8")))
        self.assertGreater(abs(chip(self.fields) - before).max(), 1e-3)

    def test_copies_and_files(self):
        chip = self.mesh.fabricate("doped-heaters", seed=3)
        chip.errors.alpha[2] = 0.07
        for thing in (self.mesh, chip):
            for other in (copy.deepcopy(thing), copy.copy(thing), pickle.loads(pickle.dumps(thing))):
                numpy.testing.assert_array_equal(other(self.fields), thing(self.fields))
                other.theta[:] = 0
            numpy.testing.assert_allclose(self.mesh.matrix(), self.unitary, atol=1e-13)
        errors, model = (pickle.loads(pickle.dumps(thing)) for thing in (chip.errors, chip.model))
        for name in ("alpha", "output_offset", "phi_other_loss_db"):
            numpy.testing.assert_array_equal(getattr(errors, name), getattr(chip.errors, name))
        self.assertEqual((errors.idle_arm_loss_db, repr(model)), (chip.errors.idle_arm_loss_db, repr(chip.model)))

    # Fails when a change goes to another parameter than its name says, or words and ports are exchanged on the way.
    def test_forward_derivatives_are_differences(self):
        chip, draws, step = self.mesh.fabricate("doped-heaters", seed=3), numpy.random.default_rng(4), 1e-6
        fields = self.fields.reshape(-1, self.fields.shape[-1])
        x_change = draws.normal(size=fields.shape) + 0j
        for owner, names in ((chip, ("theta", "phi", "output_phase")),
                             (chip.errors, ("alpha", "beta", "theta_arm_loss_db", "phi_arm_loss_db", "theta_other_loss_db",
                                            "phi_other_loss_db"))):
            for name in names:
                values = getattr(owner, name)
                values += 1  # losses of 0 have no difference to one side
                change = draws.normal(size=len(values))
                found = chip.forward_derivative(fields, x_change, **{name: change})
                values += step * change
                above = chip(fields + step * x_change)
                values -= 2 * step * change
                below = chip(fields - step * x_change)
                values += step * change
                numpy.testing.assert_allclose(found, (above - below) / (2 * step), atol=1e-7, err_msg=name)

    # Central differences of a loss that depends on every output, about a chip with all errors.
    def test_derivatives(self):
        chip = self.mesh.fabricate("doped-heaters", seed=3)
        weights = numpy.random.default_rng(2).normal(size=(2, *self.fields.shape))

        def loss(x):
            y = chip(x)
            return (weights[0] * y.real + weights[1] * y.imag).sum()

        found = chip.settled().backward(self.fields, chip(self.fields), weights[0] + 1j * weights[1])
        step = 1e-6
        for owner, names in ((chip, ("theta", "phi", "output_phase")),
                             (chip.errors, ("alpha", "beta", "theta_arm_loss_db", "phi_other_loss_db"))):
            for name in names:
                values = getattr(owner, name)
                values[0] += 1  # losses of 0 have no difference to one side
                found = chip.settled().backward(self.fields, chip(self.fields), weights[0] + 1j * weights[1])
                values[0] += step
                above = loss(self.fields)
                values[0] -= 2 * step
                difference = (above - loss(self.fields)) / (2 * step)
                values[0] += step
                self.assertAlmostEqual(getattr(found, name)[0], difference, delta=1e-6, msg=name)
        for turn, part in ((1, "real"), (1j, "imag")):
            moved = self.fields.copy()
            moved[1, 2, 3] += step * turn
            difference = (loss(moved) - loss(2 * self.fields - moved)) / (2 * step)
            self.assertAlmostEqual(getattr(found.x[1, 2, 3], part), difference, delta=1e-6)

    def test_types_and_shapes(self):
        for given, wanted in (("c8", "c8"), ("f4", "c8"), ("f8", "c16"), ("i4", "c16"), ("bool", "c16"), ("f2", "c16")):
            self.assertEqual(self.mesh(numpy.ones((2, N), given)).dtype, wanted)
        self.assertEqual(self.mesh(numpy.ones((0, N))).shape, (0, N))
        self.assertEqual(self.mesh([1] + [0] * (N - 1)).shape, (N,))

    # Fails when results go elsewhere, or past the end of an array that is too small.
    def test_results_into_an_array(self):
        chip = self.mesh.fabricate("good-lab")
        for call in (self.mesh, chip, chip.settled()):
            out = numpy.full((3, 5, N), 7j)
            self.assertIs(call(self.fields, out=out), out)
            numpy.testing.assert_array_equal(out, call(self.fields))
        read_only = numpy.empty((3, 5, N), complex)
        read_only.flags.writeable = False
        for wrong in (numpy.empty((3, N), complex), numpy.empty((3, 5, N), "c8"), numpy.empty((N, 5, 3), complex).T, read_only, [0]):
            with self.assertRaisesRegex(ValueError, r'numpy.empty\(\(3, 5, %d\), "complex128"\)' % N):
                chip(self.fields, out=wrong)

    def test_read_only_fields(self):
        self.fields.flags.writeable = False
        numpy.testing.assert_allclose(self.mesh(self.fields), self.fields @ self.unitary.T, atol=1e-13)

    # Fails when view_of (arrays.cpp) copies.
    def test_arrays_write_into_the_mesh(self):
        chip = self.mesh.fabricate("ideal")
        numpy.testing.assert_allclose(chip.matrix(), self.unitary, atol=1e-13)
        chip.errors.alpha[3] = 0.1  # a view
        once = chip.matrix()
        self.assertGreater(abs(once - self.unitary).max(), 1e-3)
        chip.errors.alpha = numpy.zeros(28)  # a copy into it
        numpy.testing.assert_allclose(chip.matrix(), self.unitary, atol=1e-13)
        self.assertTrue(numpy.shares_memory(chip.errors.alpha, chip.errors.alpha))
        self.assertFalse(numpy.shares_memory(chip.errors.alpha, self.mesh.fabricate("ideal").errors.alpha))

    # Fails when views do not keep their mesh (rv_policy::reference without an owner): others then write into them.
    def test_views_outlive_their_mesh(self):
        theta, alpha = optinc.Mesh(N).theta, self.mesh.fabricate("doped-heaters").errors.alpha
        theta[:] = 1
        alpha[:] = 2
        gc.collect()
        others = [optinc.Mesh(N).fabricate("ideal") for _ in range(100)]
        for other in others:
            other.theta[:] = other.errors.alpha[:] = 5
        self.assertEqual((theta.tolist(), alpha.tolist()), ([1] * 28, [2] * 28))

    def test_correction(self):
        # small enough for every bar power to be reached: correction is exact
        model = optinc.ErrorModel(sigma_eta_rad=1e-4)
        chip = self.mesh.fabricate(model, seed=4)
        corrected = self.mesh.corrected(chip.errors)
        self.assertEqual(corrected.clipped, 0)
        self.assertLess(abs(corrected.on(chip).matrix() - self.unitary).max(), 1e-12)
        self.assertGreater(abs(chip.matrix() - self.unitary).max(), 1e-5)

    def test_losses_are_fitted_in_phase(self):
        # of a real matrix receivers see t U; fails when losses, the headroom or the oscillators' phase are left out
        target = numpy.linalg.qr(numpy.random.default_rng(3).normal(size=(N, N)))[0]
        mesh = optinc.Mesh.from_unitary(target)
        chip = mesh.fabricate(optinc.ErrorModel(mzi_loss_db=0.56, arm_loss_spread_db=0.13), seed=4)

        def error(fitted, oscillator_rad=0.0):
            seen = fitted.on(chip).matrix()
            t = (seen.real * target).sum() / N
            return numpy.linalg.norm([seen.real / t - target, oscillator_rad * seen.imag / t]) / numpy.sqrt(N), -20 * numpy.log10(t)

        fitted, headroom_db = mesh.fitted(chip.errors)
        self.assertLess(error(fitted)[0], 0.1 * error(mesh.corrected(chip.errors))[0])
        arms = [getattr(chip.errors, f"{name}_arm_loss_db").mean() for name in ("theta", "phi")]
        arms += [getattr(chip.errors, f"{name}_other_loss_db").mean() for name in ("theta", "phi")]
        self.assertAlmostEqual(headroom_db, error(fitted)[1] - 2 * numpy.mean(arms) * N, delta=0.01)
        wary, _ = mesh.fitted(chip.errors, oscillator_rad=0.1, steps=300)
        self.assertLess(error(wary, 0.1)[0], error(fitted, 0.1)[0])
        with self.assertRaisesRegex(ValueError, "imaginary part"):
            self.mesh.fitted(chip.errors)

    def test_same_seed_same_chip(self):
        def alpha(**address):
            return self.mesh.fabricate("doped-heaters", **address).errors.alpha
        numpy.testing.assert_array_equal(alpha(seed=1, chip=2), alpha(seed=1, chip=2))
        for other in ({"seed": 2}, {"chip": 1}, {"mesh": 1}):
            self.assertFalse(numpy.array_equal(alpha(), alpha(**other)))

    def test_fidelity(self):
        # |tr(1^H diag(1, i))|^2 / (2 * 2) = |1 + i|^2 / 4
        self.assertAlmostEqual(optinc.fidelity(numpy.eye(2), numpy.diag([1, 1j])), 0.5, places=15)
        self.assertAlmostEqual(optinc.fidelity(self.unitary, 0.3j * self.unitary), 1, places=14)
        self.assertTrue(numpy.isnan(optinc.fidelity(self.unitary, 0 * self.unitary)))

    def test_threads_change_nothing(self):
        fields = numpy.random.default_rng(2).normal(size=(10000, N, 2)) @ [1, 1j]
        chip = optinc.carry_chain(4, 8).fabricate("good-lab").program()
        codes = numpy.random.default_rng(3).integers(0, 256, (4, 2000))
        before = optinc.threads()
        self.addCleanup(optinc.set_threads, before)
        expected = self.mesh(fields), chip.transmit(codes)
        for count in (1, 3, before):
            optinc.set_threads(count)
            self.assertEqual(optinc.threads(), count)
            numpy.testing.assert_array_equal(self.mesh(fields), expected[0])
            numpy.testing.assert_array_equal(chip.transmit(codes), expected[1])

    # Fails when Working (arrays.hpp) leaves its number of threads to other users of OpenMP.
    def test_threads_of_others_stay(self):
        try:
            openmp = ctypes.CDLL("libgomp.so.1")
        except OSError as missing:
            self.skipTest(str(missing))
        self.addCleanup(optinc.set_threads, optinc.threads())
        before = openmp.omp_get_max_threads()
        optinc.set_threads(before + 3)
        self.mesh(self.fields)
        self.assertEqual(openmp.omp_get_max_threads(), before)

    def test_fabrication_wraps_phases(self):
        self.mesh.theta[0], self.mesh.phi[1], self.mesh.output_phase[2] = -1, 7, -1e-30
        chip = self.mesh.fabricate("ideal")
        found = chip.theta[0], chip.phi[1], chip.output_phase[2]
        numpy.testing.assert_allclose(found, (2 * numpy.pi - 1, 7 - 2 * numpy.pi, 0), atol=1e-14)

    def test_error_model(self):
        model = optinc.error_preset("doped-heaters")
        self.assertEqual(model.preset, "doped-heaters")
        model.dac_bits = 0
        self.assertEqual((model.preset, model.dac_bits), ("custom", 0))
        self.assertIn("good-lab", optinc.error_preset_names())


class InSitu(unittest.TestCase):
    # Fails when words and ports are exchanged on the way, or the errors reach other parameters than their names say
    def test_without_errors_it_is_backward(self):
        chip = optinc.Mesh.from_unitary(optinc.haar_unitary(5, seed=3)).fabricate("ideal")
        chip.errors.alpha[:] = 0.05
        draw = numpy.random.default_rng(1)
        x, g = (draw.normal(size=(2, 7, 5)) + 1j * draw.normal(size=(2, 7, 5)))
        settled = chip.settled()
        exact = settled.backward(x, settled(x), g)
        for how in ({}, {"equal_powers": False, "measured_adjoint": True}, {"measured_adjoint": True, "arriving": 2 * exact.x}):
            for found, wanted in zip(chip.in_situ_gradient(x, g, **how), (exact.theta, exact.phi, exact.output_phase, exact.x), strict=True):
                numpy.testing.assert_allclose(found, wanted, atol=1e-11)
        parts = [chip.in_situ_gradient(x[i:i + 1], g[i:i + 1], reading=0.1, input=0.1, phase_rad=0.1, first_word=i)[0] for i in range(7)]
        whole = chip.in_situ_gradient(x, g, reading=0.1, input=0.1, phase_rad=0.1)[0]
        numpy.testing.assert_allclose(sum(parts), whole, atol=1e-11)
        self.assertGreater(abs(whole - exact.theta).max(), 0.1)
        with self.assertRaisesRegex(ValueError, "phase_rad = -1"):
            chip.in_situ_gradient(x, g, phase_rad=-1)
        with self.assertRaisesRegex(ValueError, "Set measured_adjoint"):
            chip.in_situ_gradient(x, g, arriving=x)
        detected = chip.in_situ_gradient(x, g, detection=0.1, measured_adjoint=True)
        self.assertGreater(abs(detected[3] - exact.x).max(), 0.01)
        gains = [chip.in_situ_gradient(x[i:i + 1], g[i:i + 1], gain=0.1, chip=2)[0] / settled.backward(x[i:i + 1], settled(x[i:i + 1]), g[i:i + 1]).theta
                 for i in range(2)]
        numpy.testing.assert_allclose(*gains, rtol=1e-9)  # of a chip, whatever the word
        self.assertGreater(abs(gains[0] - 1).max(), 0.05)


class Surroundings(unittest.TestCase):
    # Closed forms: a mesh in its cross state whose paths are equal, in which only splitters change, and the delay of its waveguide.
    def test_another_wavelength(self):
        mesh, same = optinc.Mesh(2), optinc.SensitivitySettings()
        same.imbalance_m, same.splitter_rad_per_m = 0.0, 5e6
        chip = mesh.fabricate("ideal")
        at = numpy.linspace(-10e-9, 10e-9, 5)
        numpy.testing.assert_array_equal(chip.matrices(at, sensitivity=same)[2], chip.matrix())
        # theta = 0 crosses: i sin(2 eta) cos(d/2) of splitters of eta = pi/4 + 5e6 dl (all angles in proportion), and a heater that makes up for a static
        # phase with p in 0..2 pi, which another wavelength turns by d = -p dl/l
        turned = numpy.array([chip.at(0.0, change, same).errors.theta_offset[0] for change in at])
        heated = -turned[[0, 1, 3, 4]] / at[[0, 1, 3, 4]] * 1550e-9
        numpy.testing.assert_allclose(heated, heated[0], rtol=1e-9)
        self.assertTrue(0 < heated[0] < 2 * numpy.pi)
        numpy.testing.assert_allclose(abs(chip.matrices(at, sensitivity=same)[:, 0, 1]), numpy.cos(2 * 5e6 * at) * numpy.cos(turned / 2),
                                      atol=1e-12)
        numpy.testing.assert_allclose(chip.at(0.0, at[0], same).errors.alpha, 5e6 * at[0], rtol=1e-12)
        twice, once = chip.at(5.0, 1e-9).at(5.0, -3e-9), chip.at(10.0, -2e-9)  # changes add up
        numpy.testing.assert_allclose(twice.errors.theta_offset, once.errors.theta_offset, rtol=1e-12)
        # splitters change in proportion: the product of both changes, 0.4 and 1.2 %, is left of two angles of pi/4
        left = 2 * numpy.pi / 4 * 4e-3 * 12e-3
        self.assertTrue(0.5 * left < abs(twice.matrix() - once.matrix()).max() < 1.1 * left)
        self.assertGreater(abs(once.matrix() - chip.matrix()).max(), 1e-3)
        delay = chip.group_delay(sensitivity=same)
        self.assertTrue(numpy.isnan(delay[0, 0]))  # nothing passes
        # n_g/c times two columns of 200 um and the output's 80 um, and what the heaters of theta and the output add
        index = 2.44365 + 1.55 * 1.13171
        errors = chip.at(0.0, 1e-12, same).errors
        heaters = -(1550e-9) ** 2 / (2 * numpy.pi * 299792458) * (errors.theta_offset[0] / 2 + errors.output_offset[0]) / 1e-12
        self.assertGreater(heaters, 0)
        self.assertAlmostEqual(delay[0, 1] / (index * mesh.floor_plan().length_m / 299792458 + heaters), 1, 6)

    def test_chips_of_a_wafer_are_kept(self):
        wafer = optinc.Wafer(die_width_m=20e-3)
        corners = wafer.dies
        self.assertLess((abs(corners) ** 2).sum(axis=1).max() ** 0.5, 0.097)
        self.assertEqual(wafer.origin(len(corners) + 3), (1, 3))
        other = pickle.loads(pickle.dumps(wafer))
        self.assertEqual(repr(other), repr(wafer))
        chip = optinc.Mesh(4).fabricate("doped-heaters", seed=2, chip=5, wafer=wafer)
        numpy.testing.assert_array_equal(optinc.Mesh(4).fabricate("doped-heaters", seed=2, chip=5, wafer=other).errors.alpha, chip.errors.alpha)
        again = pickle.loads(pickle.dumps(chip))
        numpy.testing.assert_array_equal(again.at(5.0, 1e-9).matrix(), chip.at(5.0, 1e-9).matrix())
        self.assertGreater(abs(optinc.Mesh(4).fabricate("doped-heaters", seed=2, chip=5).errors.alpha - chip.errors.alpha).max(), 1e-4)
        built = optinc.carry_chain(2, 2).calibrate("doped-heaters", chip=3, wafer=wafer)
        kept = pickle.loads(pickle.dumps(built)).program().at(5.0, 1e-9)
        self.assertEqual(kept.matrix_error, built.program().at(5.0, 1e-9).matrix_error)


class SymmetricMeshes(unittest.TestCase):
    # Fails when the arms are exchanged, or an error of one MZI goes to another.
    def test_the_same_matrix_in_half_the_length(self):
        for ports in (2, 5, 8):
            unitary = optinc.haar_unitary(ports, seed=3)
            mesh = optinc.SymmetricMesh.from_unitary(unitary)
            self.assertEqual((mesh.ports, mesh.shifters, mesh.upper.size), (ports, ports ** 2, ports * (ports - 1) // 2))
            numpy.testing.assert_allclose(mesh.matrix(), unitary, atol=1e-12)
            draws = numpy.random.default_rng(1).normal(0, 0.05, (2, mesh.upper.size))
            standard = optinc.Mesh.from_unitary(unitary).fabricate("ideal")
            standard.errors.alpha, standard.errors.beta = draws
            numpy.testing.assert_allclose(mesh.matrix(*draws), standard.matrix(), atol=1e-12)
            mesh.upper[0] += 0.1
            moved = mesh.matrix()
            mesh.upper[0] -= 0.1
            offset = numpy.eye(1, mesh.upper.size)[0] * 0.1
            numpy.testing.assert_allclose(mesh.matrix(upper_offset=offset), moved, atol=1e-12)
            self.assertGreater(abs(moved - unitary).max(), 0.01)
        with self.assertRaisesRegex(ValueError, "alpha has shape"):
            mesh.matrix(alpha=[0.0])
        with self.assertRaisesRegex(ValueError, "unitary"):
            optinc.SymmetricMesh.from_unitary(numpy.ones((3, 3)))


if __name__ == "__main__":
    unittest.main()
