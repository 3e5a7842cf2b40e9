"""Activations of light: closed forms, differences, and what is refused."""

import pickle
import unittest

import numpy
import optinc

Z = numpy.random.default_rng(1).normal(size=(3, 4, 2)).view(complex)[..., 0] * 0.2


class Activations(unittest.TestCase):
    # Fails when a parameter of one is another's, or fields are taken for powers.
    def test_closed_forms(self):
        device = optinc.ElectroOptic()
        device.tap, device.gain_rad_per_w, device.bias_rad = 0.2, 30.0, 1.0
        psi = 30 * abs(Z) ** 2 + 1
        numpy.testing.assert_allclose(device(Z), 0.5j * 0.8 ** 0.5 * (1 + numpy.exp(-1j * psi)) * Z, rtol=1e-13)
        device = optinc.SaturableAbsorber()
        device.absorption, device.saturation_power_w = 0.7, 0.02
        left = 0.7 / (1 + abs(Z) ** 2 / 0.02)
        numpy.testing.assert_allclose(device(Z), Z * numpy.exp(-left / 2), rtol=1e-13)
        device.form = "linear"
        numpy.testing.assert_allclose(device(Z), Z * (1 - left) ** 0.5, rtol=1e-13)
        device = optinc.RingActivation()
        device.detuning_hz, device.fwhm_hz, device.shift_hz_per_w, device.least_transmission = -4e9, 10e9, 1e11, 0.1
        x = 2 * (-4e9 + 1e11 * abs(Z) ** 2) / 10e9
        numpy.testing.assert_allclose(device(Z), Z * (0.1 ** 0.5 - 1j * x) / (1 - 1j * x), rtol=1e-12)
        device = optinc.LeakyRelu()
        device.slope = 0.3
        numpy.testing.assert_allclose(device(Z), numpy.where(Z.real > 0, Z.real, 0.3 * Z.real))
        device = optinc.Softplus()
        device.beta_per_sqrt_w = 7.0
        numpy.testing.assert_allclose(device(Z), numpy.log1p(numpy.exp(7 * Z.real)) / 7)

    # Fails when the two derivatives are exchanged.
    def test_derivatives_are_differences(self):
        for device in (optinc.ElectroOptic(), optinc.SaturableAbsorber(), optinc.RingActivation(), optinc.Softplus()):
            dz, dz_conj = device.derivatives(Z)
            for step in (1e-6, 1e-6j):
                found = (device(Z + step) - device(Z - step)) / 2
                numpy.testing.assert_allclose(dz * step + dz_conj * numpy.conj(step), found, atol=1e-6 * abs(step) * 1e3)

    # Fails when a pickle leaves a parameter out.
    def test_pickled(self):
        absorber, softplus = optinc.SaturableAbsorber(), optinc.Softplus()
        absorber.form, absorber.absorption, softplus.beta_per_sqrt_w = "linear", 0.3, 7.0
        for device in (absorber, softplus):
            numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(device))(Z), device(Z))

    def test_refusals(self):
        device = optinc.ElectroOptic()
        device.tap = 1.0
        with self.assertRaisesRegex(ValueError, "tap = 1"):
            device(Z)
        with self.assertRaisesRegex(ValueError, "expo"):
            optinc.SaturableAbsorber().form = "expo"
        with self.assertRaisesRegex(TypeError, "needs numbers"):
            optinc.LeakyRelu()("light")


if __name__ == "__main__":
    unittest.main()
