#include "onn/link/detail/receiver_variance.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// By hand from the charge, so that transmit() and readout_noise(), which share it, are held to more than each
// other. Fails when dark current or a diode is left out, or a switch acts on the other's noise
TEST_CASE("a receiver's variance: shot noise 2 q i B of both diodes, amplifier noise i_n^2 B") {
  const ReceiverSettings receiver;  // 1 mW, 0.9 A/W, 30 nA, 16.9 pA/sqrt(Hz), 32 GHz
  const double q = 1.602176634e-19, b = noise_bandwidth_hz(FrontEnd{});
  const double per_watt = 2 * q * 0.9 * b, dark = 2 * q * (0.9e-3 + 2 * 30e-9) * b;
  const double amplifier = 16.9e-12 * 16.9e-12 * b;
  for (const bool shot : {false, true})
    for (const bool tia : {false, true}) {
      CAPTURE(shot, tia);
      NoiseSwitches noise;
      noise.shot = shot;
      noise.tia = tia;
      const ReceiverVariance v = receiver_variance(receiver, noise);
      CHECK(v.dark_a2 == Approx((shot ? dark : 0) + (tia ? amplifier : 0)).epsilon(1e-12));
      CHECK(v.per_watt_a2 == Approx(shot ? per_watt : 0).epsilon(1e-12));
    }
}
