// Semiconductor optical amplifier: saturation, spontaneous emission, chains (row 18 of `optinc validate`).

#include "physics/devices/amplifier.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

constexpr double photon_1550_j = 6.62607015e-34 * 299792458.0 / 1550e-9;

SoaSettings of(GainModel model, double gain_db, double saturation_w) {
  SoaSettings s;
  s.model = model;
  s.small_signal_gain_db = gain_db;
  s.saturation_power_w = saturation_w;
  return s;
}

}  // namespace

// Fails when the input power stands where the output power should, or the root is the wrong one
TEST_CASE("amplifier: the lumped gain satisfies G = G0/(1 + P_out/P_sat)") {
  const SoaSettings s = of(GainModel::lumped, 15, 20e-3);
  const double g0 = std::pow(10, 1.5);
  CHECK(soa_gain(s, 0) == Approx(g0).epsilon(1e-14));
  for (const double in : {1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 1.0}) {
    CAPTURE(in);
    const double g = soa_gain(s, in);
    CHECK(g == Approx(g0 / (1 + g * in / 20e-3)).epsilon(1e-12));
  }
  CHECK(soa_gain(s, 20e-3 / (g0 / 2)) == Approx(g0 / 2).epsilon(1e-12));  // half gain at an output of P_sat
}

// Fails when P_s is taken for P_sat: ln 2 and (G0 - 2)/G0 are what ties the two
TEST_CASE("amplifier: travelling wave satisfies ln(G0/G) = (G - 1) P_in/P_s, with half gain at P_sat") {
  for (const double gain_db : {4.0, 10.0, 15.0, 25.0}) {
    const SoaSettings s = of(GainModel::travelling_wave, gain_db, 20e-3);
    const double g0 = std::pow(10, gain_db / 10), p_s = 20e-3 * (g0 - 2) / (g0 * 0.6931471805599453);
    CAPTURE(gain_db);
    CHECK(soa_gain(s, 0) == Approx(g0).epsilon(1e-13));
    CHECK(soa_gain(s, 20e-3 / (g0 / 2)) == Approx(g0 / 2).epsilon(1e-11));
    double last = g0;
    for (const double in : {1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 1.0, 1e3}) {
      CAPTURE(in);
      const double g = soa_gain(s, in);
      CHECK(std::log(g0 / g) == Approx((g - 1) * in / p_s).epsilon(1e-9).margin(1e-13));
      CHECK(g < last);  // falls, and ends transparent
      CHECK(g >= 1);
      last = g;
    }
    CHECK(last == Approx(1).margin(1e-3));
  }
}

// Fails when the parabola opens upwards, is as wide as twice or half of it, or has another peak
TEST_CASE("amplifier: gain is 3 dB less half a bandwidth from its peak, 12 dB a bandwidth from it") {
  SoaSettings s;
  s.small_signal_gain_db = 20, s.wavelength_m = 1540e-9;
  for (const auto& [off_nm, gain_db] : {std::pair{0.0, 20.0}, {-35.0, 17.0}, {35.0, 17.0}, {70.0, 8.0}})
    CHECK(small_signal_gain_db(s, 70e-9, 1540e-9 + 1e-9 * off_nm) == Approx(gain_db).epsilon(1e-10));
}

// Fails when the chirp turns the other way: more gain is more carriers, less index, less phase
TEST_CASE("amplifier: field factor has the gain's root and -alpha_H/2 ln G of phase") {
  SoaSettings s;
  CHECK(std::abs(soa_field_factor(s, 25) - 5.0) < 1e-15);
  s.linewidth_enhancement = 4;
  CHECK(std::abs(soa_field_factor(s, 2)) == Approx(1.4142135623730951).epsilon(1e-14));
  CHECK(std::arg(soa_field_factor(s, 2)) == Approx(-2 * 0.6931471805599453).epsilon(1e-14));
}

// Fails when noise beats only with the signal. Noise alone: exponential, std = mean
TEST_CASE("MC: amplifier: noise without signal has a power as uncertain as large, 400000 fields") {
  const std::uint64_t seed = 1802;
  CAPTURE(seed);
  constexpr std::size_t n = 400000;
  CHECK(beat_noise_w(0, 3e-6) == Approx(3e-6).epsilon(1e-14));
  std::vector<Complex> fields(n, 0.0);
  Stream stream = test_stream(seed);
  add_ase(fields, 6e-17, 50e9, stream);
  double mean = 0, square = 0, tilt = 0;
  for (const Complex& e : fields) {
    mean += std::norm(e) / n;
    square += std::norm(e) * std::norm(e) / n;
    tilt += (e.real() * e.real() - e.imag() * e.imag()) / n;
  }
  CHECK(std::abs(mean / 3e-6 - 1) < 5 / std::sqrt(1.0 * n));
  // E[P^4] = 24, so the variance of P^2 over its mean 2 squared is (24 - 4)/4
  CHECK(std::abs(square / (2 * 9e-12) - 1) < 5 * std::sqrt(5.0 / n));
  CHECK(std::abs(tilt / 3e-6) < 5 / std::sqrt(1.0 * n));  // both quadratures alike
}

// Fails when gain follows each symbol instead of their mean
TEST_CASE("amplifier: all symbols of a block see one gain, that of their mean power") {
  SoaSettings s = of(GainModel::lumped, 15, 20e-3);
  s.noise_figure_db = 0;
  std::vector<Complex> fields = {0.0, Complex(0.03, 0), Complex(0, -0.06), 0.09};
  const std::vector<Complex> sent = fields;
  Stream stream = test_stream(1803);
  const double gain = soa_amplify(s, fields, 0.0, stream);
  CHECK(gain == soa_gain(s, (0.0009 + 0.0036 + 0.0081) / 4));
  for (std::size_t k = 0; k < 4; ++k) CHECK(std::abs(fields[k] - std::sqrt(gain) * sent[k]) < 1e-15);
}

// Fails when the stage's own gain divides its noise. Friis must agree with noise powers carried along the chain
TEST_CASE("amplifier: the cascade formula is what noise powers add up to") {
  const std::vector<NoisyStage> chain = {loss_stage(3), {100, 5}, loss_stage(12.5), {30, 4}, loss_stage(1)};
  double gain = 1, density = 0;
  for (const NoisyStage& stage : chain) {
    gain *= stage.gain;
    density = density * stage.gain + photon_1550_j * (stage.noise_factor * stage.gain - 1) / 2;
  }
  const NoisyStage all = cascaded_stages(chain);
  CHECK(all.gain == Approx(gain).epsilon(1e-13));
  CHECK(ase_density_w_per_hz(all.noise_factor, all.gain, 1550e-9) == Approx(density).epsilon(1e-12));
  // loss in front of an amplifier adds to its noise figure dB by dB; behind a strong one hardly
  CHECK(10 * std::log10(cascaded_stages(std::vector<NoisyStage>{loss_stage(3), {100, 5}}).noise_factor) ==
        Approx(3 + 6.9897).epsilon(1e-5));
  CHECK(cascaded_stages(std::vector<NoisyStage>{{100, 5}, loss_stage(3)}).noise_factor ==
        Approx(5 + (1.99526231 - 1) / 100).epsilon(1e-8));
  CHECK(cascaded_stages({}).gain == 1.0);
  CHECK(cascaded_stages({}).noise_factor == 1.0);
}

TEST_CASE("amplifier: impossible ones are refused by name, unphysical ones are reported") {
  CHECK_NOTHROW(validate_soa({}));
  CHECK(soa_warnings({}).empty());
  const SoaSettings almae = almae_2021_soa();
  CHECK(almae.noise_figure_db == 6.5);
  CHECK(soa_warnings(almae).empty());
  const auto with = [](double SoaSettings::*field, double value) {
    SoaSettings s;
    s.*field = value;
    return s;
  };
  const auto check = [&](double SoaSettings::*field, double value, const char* name) {
    check_message(refusal([&] { validate_soa(with(field, value)); }), {name});
  };
  check(&SoaSettings::small_signal_gain_db, -1, "small_signal_gain_db");
  check(&SoaSettings::saturation_power_w, 0, "saturation_power_w");
  check(&SoaSettings::noise_figure_db, -1, "noise_figure_db");
  check(&SoaSettings::wavelength_m, 0, "wavelength_m");
  check(&SoaSettings::linewidth_enhancement, std::nan(""), "linewidth_enhancement");
  check_message(refusal([] { validate_soa(of(GainModel::travelling_wave, 3, 1e-2)); }), {"travelling-wave"});
  check_message(refusal([] { soa_gain({}, -1e-3); }), {"input_power_w"});
  check_message(refusal([] { osnr_db({}, 0); }), {"input_power_w"});
  check_message(refusal([] { loss_stage(-1); }), {"loss_db = -1"});
  CHECK(soa_warnings(with(&SoaSettings::noise_figure_db, 2.5)).size() == 1);  // below 2.9 dB at 15 dB of gain
  CHECK(soa_warnings(with(&SoaSettings::noise_figure_db, 13)).size() == 1);
  CHECK(soa_warnings(with(&SoaSettings::small_signal_gain_db, 40)).size() == 1);
  CHECK(soa_warnings(with(&SoaSettings::saturation_power_w, 1)).size() == 1);
  CHECK(soa_warnings(with(&SoaSettings::linewidth_enhancement, 20)).size() == 1);
}
