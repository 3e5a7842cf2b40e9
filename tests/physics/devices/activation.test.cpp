// Activations A0-A5 (row 21 of `optinc validate`).

#include "physics/devices/activation.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

static_assert(FieldActivation<IdealRelu> && FieldActivation<ElectroOptic> &&
              FieldActivation<SaturableAbsorber> && FieldActivation<RingActivation> &&
              FieldActivation<ReceiverRelu> && FieldActivation<LeakyRelu> && FieldActivation<Softplus>);

/// Holds derivatives to differences of fourth order in both directions of z, f_x = f_z + f_z*, f_y = i (f_z -
/// f_z*), at points of size `scale` that keep clear of kinks (chosen by `smooth_at`).
template <class A>
void check_derivatives(
    const A& activation, double scale, std::uint64_t seed,
    const std::function<bool(Complex)>& smooth_at = [](Complex) { return true; }) {
  validate_activation(activation);
  Stream stream = test_stream(seed);
  const double h = 2e-4 * scale;
  for (int trial = 0; trial < 200; ++trial) {
    const double re = stream.normal();
    const Complex z = scale * Complex(re, stream.normal());
    if (!smooth_at(z)) continue;
    CAPTURE(seed, trial, z);
    const auto slope = [&](Complex d) {
      const auto f = [&](double steps) { return activation.forward(z + steps * h * d); };
      return (8.0 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * h);
    };
    const Wirtinger w = activation.derivatives(z);
    const Complex along_x = w.dz + w.dz_conj, along_y = Complex(0, 1) * (w.dz - w.dz_conj);
    const double size = 1 + std::abs(along_x) + std::abs(along_y);
    CHECK(std::abs(slope(1.0) - along_x) / size < 1e-8);
    CHECK(std::abs(slope(Complex(0, 1)) - along_y) / size < 1e-8);
  }
}

}  // namespace

// Row 21. Fails when the f_z* term of A1 is dropped, or a 2 of d sqrt(T) is lost
TEST_CASE("row 21: Wirtinger derivatives of every activation against differences, to 1e-8") {
  const auto off_axis = [](Complex z) { return std::abs(z.real()) > 0.05; };
  check_derivatives(IdealRelu{}, 1, 2100, off_axis);
  check_derivatives(IdealRelu{0.7}, 1, 2101,
                    [](Complex z) { return std::abs((z * std::polar(1.0, -0.7)).real()) > 0.05; });
  check_derivatives(ElectroOptic{0.1, 1.3, 3.14159265358979}, 1, 2102);
  check_derivatives(ElectroOptic{0.4, 0.8, 0.3}, 1, 2103);
  check_derivatives(SaturableAbsorber{SaturableAbsorber::Form::exponential, 2.0, 0.5}, 1, 2104);
  check_derivatives(SaturableAbsorber{SaturableAbsorber::Form::linear, 0.9, 0.5}, 1, 2105);
  check_derivatives(RingActivation{-0.5, 2.0, 0.7, 0.05, false}, 1, 2106);
  check_derivatives(RingActivation{0.2, 2.0, -0.7, 0.3, true}, 1, 2107);
  check_derivatives(LeakyRelu{0.2}, 1, 2108, off_axis);
  check_derivatives(Softplus{3.0}, 1, 2109);
  ReceiverRelu a4;
  a4.receiver.lo_power_w = 1.0;
  a4.gain_sqrt_w_per_a = 0.6;
  a4.threshold_a = 0.2;
  a4.largest_field_sqrt_w = 1.0;
  a4.phase_error_rad = 0.2;
  check_derivatives(a4, 1, 2110, [&](Complex z) {
    const double raw = 0.6 * (1.8 * (z * std::polar(1.0, -0.2)).real() - 0.2);
    return std::abs(raw) > 0.01 && std::abs(raw - 1) > 0.01;
  });
  a4.limiter_knee = 0.2;
  check_derivatives(a4, 1, 2111,
                    [&](Complex z) { return (z * std::polar(1.0, -0.2)).real() - 0.2 / 1.8 > 0.01; });
}

// Fails when f depends on Im z, or passes negative amplitudes
TEST_CASE("A0: rectifies the signed amplitude against its reference, and is homogeneous") {
  const IdealRelu a;
  CHECK(a.forward(Complex(2, 5)) == 2.0);
  CHECK(a.forward(Complex(-2, 5)) == 0.0);
  CHECK(a.derivatives(0.0).dz == 0.0);
  CHECK(std::abs(IdealRelu{1.2}.forward(std::polar(3.0, 1.2)) - 3.0) < 1e-14);
  CHECK(std::abs(IdealRelu{1.2}.forward(std::polar(3.0, 1.2 + 3.14159265358979))) < 1e-13);
  CHECK(a.forward(7.0 * Complex(0.3, 1)).real() == Approx(2.1).epsilon(1e-15));
}

// Row 21. Fails when the tapped power still drives, or psi counts |z|^2 twice
TEST_CASE("row 21: A1 is odd, transmits (1 - a) cos^2(psi/2), peaks first at |z|^2 = pi/g = 125 mW") {
  const double gain = 3.141592653589793 * 0.1 * 0.8 * 1e3 / 10;
  CHECK(gain == Approx(25.13).epsilon(1e-3));
  const ElectroOptic a{0.1, gain, 3.141592653589793};
  for (const Complex z : {Complex(0.1, 0.02), Complex(-0.3, 0.4), Complex(0, 0.25)}) {
    CHECK(std::abs(a.forward(-z) + a.forward(z)) < 1e-16);
    const double psi = gain * std::norm(z) + 3.141592653589793;
    CHECK(std::norm(a.forward(z)) ==
          Approx(0.9 * std::pow(std::cos(psi / 2), 2) * std::norm(z)).epsilon(1e-12));
    // the paper's product form
    const Complex paper = Complex(0, 1) * std::sqrt(0.9) * std::polar(1.0, -psi / 2) * std::cos(psi / 2) * z;
    CHECK(std::abs(a.forward(z) - paper) < 1e-15);
  }
  const double peak = 3.141592653589793 / gain;
  CHECK(peak == Approx(0.125).epsilon(1e-12));
  const auto transmission = [&](double power) { return std::norm(a.forward(std::sqrt(power))) / power; };
  CHECK(transmission(peak) == Approx(0.9).epsilon(1e-12));
  CHECK(transmission(peak * 0.98) < 0.9);
  CHECK(transmission(peak * 1.02) < 0.9);
  CHECK(transmission(1e-9) < 1e-14);  // dark at low power: the bias blocks
}

// Fails when T falls with power, or its dark limit is not e^(-alpha_0) (1 - alpha_0)
TEST_CASE("A2: dark and bright limits, and never less light out for more in") {
  using Form = SaturableAbsorber::Form;
  for (const double alpha : {0.0, 0.3, 0.9, 3.0})
    for (const Form form : {Form::exponential, Form::linear}) {
      if (form == Form::linear && alpha >= 1) continue;
      const SaturableAbsorber a{form, alpha, 2e-3};
      CAPTURE(alpha, static_cast<int>(form));
      CHECK(a.transmission(0) == Approx(form == Form::linear ? 1 - alpha : std::exp(-alpha)).epsilon(1e-14));
      CHECK(a.transmission(1e9) == Approx(1).epsilon(1e-9));
      CHECK(a.transmission(2e-3) == Approx(form == Form::linear ? 1 - alpha / 2 : std::exp(-alpha / 2)));
      double last_t = 0, last_out = -1;
      for (double p = 0; p < 20e-3; p += 0.1e-3) {
        const double out = std::norm(a.forward(std::polar(std::sqrt(p), 1.0)));
        CHECK(a.transmission(p) >= last_t);
        CHECK(out > last_out);
        CHECK(out <= p * (1 + 1e-14));
        last_t = a.transmission(p);
        last_out = out;
      }
    }
}

// Fails when the field's power is not the Lorentzian's, or the shift goes the other way
TEST_CASE("A3: the ring's field has the Lorentzian through-port power, on resonance T_min") {
  for (const bool over : {false, true}) {
    const RingActivation a{-5e9, 20e9, 10e12, 0.05, over};
    CAPTURE(over);
    CHECK(a.transmission(0.5e-3) == Approx(0.05).epsilon(1e-12));  // 0.5 mW pulls the ring on to the laser
    CHECK(a.transmission(1.5e-3) == Approx(1 - 0.95 / 2).epsilon(1e-12));  // half a line width away
    for (double p = 0; p < 5e-3; p += 0.2e-3) {
      const double x = 2 * (-5e9 + 10e12 * p) / 20e9;
      CHECK(std::norm(a.forward(std::polar(std::sqrt(p), 0.4))) ==
            Approx(p * (1 - 0.95 / (1 + x * x))).epsilon(1e-12).margin(1e-18));
    }
  }
  // over-coupled rings turn the field on resonance, under-coupled ones do not
  const double on = std::sqrt(0.5e-3);
  CHECK(RingActivation{-5e9, 20e9, 10e12, 0.05, false}.forward(on).real() > 0);
  CHECK(RingActivation{-5e9, 20e9, 10e12, 0.05, true}.forward(on).real() < 0);
}

// Fails when the threshold acts on the field, or the modulator's limit is missing
TEST_CASE("A4: homodyne, threshold, rectifier, gain, limit") {
  ReceiverRelu a;
  a.receiver.photodiode.responsivity_a_per_w = 0.9;
  a.receiver.lo_power_w = 1e-3;
  const double per_field = 2 * 0.9 * 0.0316227766016838;
  a.gain_sqrt_w_per_a = 1 / per_field;  // so that the field comes back
  CHECK(std::abs(a.forward(Complex(4e-3, 9e-3)) - 4e-3) < 1e-16);
  CHECK(a.forward(Complex(-4e-3, 9e-3)) == 0.0);
  a.threshold_a = per_field * 1e-3;
  CHECK(std::abs(a.forward(4e-3) - 3e-3) < 1e-16);
  CHECK(a.forward(0.9e-3) == 0.0);
  a.threshold_a = -per_field * 1e-3;  // a positive bias lights a dark neuron
  CHECK(std::abs(a.forward(0.0) - 1e-3) < 1e-16);
  a.largest_field_sqrt_w = 3e-3;
  CHECK(a.forward(9e-3) == 3e-3);
  CHECK(a.derivatives(9e-3).dz == 0.0);
  a = {};
  a.phase_error_rad = 0.3;
  CHECK(a.forward(1e-3).real() == Approx(per_field * 1e-3 * std::cos(0.3)).epsilon(1e-12));
}

// Fails when the knee is not Rapp's, overflows, or cuts small signals
TEST_CASE("A4: a soft limit bends towards its ceiling") {
  for (const double knee : {0.02, 0.1, 0.25, 1.0}) {
    for (const double z : {0.01, 0.5, 1.9, 2.0, 2.1, 6.0})  // the formula as it is written
      CHECK(limited(z, 2.0, knee) ==
            Approx(z * std::pow(1 + std::pow(z / 2.0, 1 / knee), -knee)).epsilon(1e-12));
    CHECK(limited(2.0, 2.0, knee) == Approx(2.0 * field_ratio_of_loss_db(6.0206 * knee)).epsilon(1e-6));
    CHECK(limited(1e6, 2.0, knee) == Approx(2.0).epsilon(1e-5));
    CHECK(limited(0.0, 2.0, knee) == 0.0);
    CHECK(limited(1.3, HUGE_VAL, knee) == 1.3);
  }
  for (const double z : {0.5, 2.0, 50.0})
    CHECK(limited(z, 2.0, 1e-4) == Approx(std::min(z, 2.0)).epsilon(1e-4));
  CHECK(limited(1.5, 2.0, 0.0) == 1.5);
  CHECK(limited(2.5, 2.0, 0.0) == 2.0);
}

// Fails when softplus overflows, or lacks the 1/beta
TEST_CASE("A5: leaky slope below zero, softplus between its limits") {
  CHECK(LeakyRelu{0.1}.forward(Complex(-2, 1)) == Complex(-0.2));
  CHECK(LeakyRelu{0.1}.forward(Complex(2, 1)) == Complex(2));
  const Softplus a{100.0};
  CHECK(a.forward(0.0).real() == Approx(0.6931471805599453 / 100).epsilon(1e-14));
  CHECK(a.forward(50.0).real() == Approx(50).epsilon(1e-14));
  CHECK(a.forward(-50.0).real() == 0.0);
  CHECK(a.forward(0.01).real() == Approx(std::log(1 + std::exp(1.0)) / 100).epsilon(1e-14));
  CHECK(a.derivatives(0.0).dz == Complex(0.25));
  CHECK(a.derivatives(-50.0).dz == Complex(0));
}

TEST_CASE("activations: impossible parameters are refused by name") {
  const auto refused = [](const auto& activation, const char* name) {
    check_message(refusal([&] { validate_activation(activation); }), {name});
  };
  refused(IdealRelu{std::nan("")}, "reference_phase_rad");
  refused(ElectroOptic{1.0, 25, 0}, "tap = 1");
  refused(ElectroOptic{0.1, -1, 0}, "gain_rad_per_w");
  refused(ElectroOptic{0.1, 1, HUGE_VAL}, "bias_rad");
  refused(SaturableAbsorber{SaturableAbsorber::Form::linear, 1.0, 1e-3}, "absorption = 1");
  refused(SaturableAbsorber{SaturableAbsorber::Form::exponential, 1.0, 0}, "saturation_power_w");
  refused(RingActivation{0, 0, 1, 0.5, false}, "fwhm_hz");
  refused(RingActivation{0, 1, 1, 1.5, false}, "least_transmission = 1.5");
  refused(RingActivation{std::nan(""), 1, 1, 0.5, false}, "detuning_hz");
  refused(LeakyRelu{1.5}, "slope");
  refused(Softplus{0}, "beta_per_sqrt_w");
  ReceiverRelu a4;
  CHECK_NOTHROW(validate_activation(a4));
  a4.gain_sqrt_w_per_a = 0;
  refused(a4, "gain_sqrt_w_per_a");
  a4 = {};
  a4.receiver.lo_power_w = 0;
  refused(a4, "lo_power_w");
  a4 = {};
  a4.largest_field_sqrt_w = 0;
  refused(a4, "largest_field_sqrt_w");
  a4 = {};
  a4.limiter_knee = -0.1;
  refused(a4, "limiter_knee");
}
