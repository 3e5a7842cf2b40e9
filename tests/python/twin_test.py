"""The digital twin in Python: what was put into a bench comes back, and the chip is corrected by it."""

import pickle
import unittest

import numpy
import optinc

PORTS = 5


def bench(settings, noise, seed=1):
    """(mesh, the true twin, theta, phi, powers) of a chip under random phases, light in one port after the other."""
    random = numpy.random.default_rng(seed)
    mesh = optinc.Mesh(PORTS)
    truth = optinc.MeshTwin(mesh)
    for name in ("alpha", "beta", "theta_offset", "phi_offset"):
        setattr(truth.errors, name, random.normal(0, 5e-3, len(mesh.upper)))
    truth.output_gain_db = random.normal(0, 0.3, PORTS)
    theta, phi = random.uniform(0, 2 * numpy.pi, (2, settings, len(mesh.upper)))
    powers = []
    for mesh.theta, mesh.phi in zip(theta, phi):
        powers.append(abs(truth.fields(mesh)) ** 2)
    return mesh, truth, theta, phi, numpy.array(powers) + random.normal(0, noise, (settings, PORTS, PORTS))


class Twin(unittest.TestCase):
    # Fails when words and ports are swapped, or a member of the twin is that of another.
    def test_errors_come_back(self):
        mesh, truth, theta, phi, powers = bench(60, 1e-4)
        settings = optinc.TwinSettings()
        settings.noise = 1e-4
        fit = optinc.fit_twin(mesh, theta, phi, powers=powers, settings=settings)
        self.assertTrue(fit.converged)
        self.assertEqual(fit.unseen, 2 * PORTS - 1)  # phases and gains of the inputs
        for name in ("alpha", "beta", "theta_offset"):
            off = (getattr(fit.twin.errors, name) - getattr(truth.errors, name)) / getattr(fit.standard_error.errors, name)
            self.assertLess(numpy.sqrt(numpy.mean(off**2)), 1 + 5 / numpy.sqrt(2 * len(off)), name)
        self.assertTrue(numpy.isinf(fit.standard_error.errors.phi_offset[0]))
        self.assertAlmostEqual(fit.held_out.sigma, 1, delta=0.2)
        self.assertEqual({report.kind for report in fit.kinds if report.unseen > 1e-3},
                         {"phi_offset", "phi_imbalance", "input_gain", "output_gain"})
        mesh.theta, mesh.phi = theta[0], phi[0]
        numpy.testing.assert_allclose(abs(fit.twin.fields(mesh)) ** 2, abs(truth.fields(mesh)) ** 2, atol=1e-3)

    def test_the_chip_is_what_the_fields_say(self):
        mesh = optinc.Mesh.from_unitary(optinc.haar_unitary(PORTS))
        truth = optinc.MeshTwin(mesh, arm_loss_db=0.1)
        numpy.testing.assert_allclose(truth.fields(mesh), mesh.matrix().T * 10 ** (-0.2 * mesh.columns / 20), atol=1e-12)

    # Fails when a number is left out of the state
    def test_a_copy_is_the_same_twin(self):
        mesh, truth, *_ = bench(1, 0)
        truth.theta_scale = numpy.linspace(0.9, 1.1, len(mesh.upper))
        again = pickle.loads(pickle.dumps(truth))
        numpy.testing.assert_array_equal(again.fields(mesh), truth.fields(mesh))

    def test_a_plan_says_what_to_measure(self):
        settings = optinc.TwinSettings()
        settings.noise = 4e-3
        mesh = optinc.Mesh(4)
        plan, more = (optinc.plan_twin(mesh, settings, splitter_error_rad=wanted) for wanted in (1e-3, 5e-4))
        self.assertEqual(plan.theta.shape, plan.phi.shape)
        self.assertAlmostEqual(len(more.theta) / len(plan.theta), 4, delta=1)
        self.assertLess(max(report.standard_error for report in more.kinds[:2]), 5.5e-4)

    def test_missing_powers_and_bad_shapes(self):
        mesh, _, theta, phi, powers = bench(40, 1e-4)
        powers[:, :, 2] = numpy.nan
        self.assertTrue(optinc.fit_twin(mesh, theta, phi, powers=powers).converged)
        for arguments in ({"powers": powers[:3]}, {"powers": powers[:, :, :4]}, {}, {"powers": powers, "inputs": numpy.eye(4)},
                          {"powers": powers, "start": optinc.MeshTwin(optinc.Mesh(3))}):
            with self.assertRaises(ValueError):
                optinc.fit_twin(mesh, theta, phi, **arguments)
        settings = optinc.TwinSettings()
        with self.assertRaises(ValueError):
            settings.losses = "some"
        with self.assertRaises(ValueError):
            optinc.plan_twin(mesh, settings)  # no noise
        settings.losses = "mzi"
        self.assertEqual(pickle.loads(pickle.dumps(settings)).losses, "mzi")


if __name__ == "__main__":
    unittest.main()
