#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "physics/devices/activation.hpp"
#include "physics/devices/amplifier.hpp"

// Constants are typed again here: expected values take nothing from the simulator.

namespace optinc {
namespace {

constexpr double pi = std::numbers::pi;

double watt_of_dbm(double dbm) { return 1e-3 * std::pow(10.0, dbm / 10); }

// -- amplifier

constexpr double soa_gain_db = 20, soa_noise_figure_db = 7, optical_bandwidth = 50e9;

SoaSettings soa() {
  SoaSettings s;
  s.small_signal_gain_db = soa_gain_db;
  s.noise_figure_db = soa_noise_figure_db;
  s.saturation_power_w = 1e6;  // out of the way
  return s;
}

/// sqrt(2 P S B + (S B)^2) with S = h nu (F G - 1)/2 behind the amplifier.
double beat_noise(double input_dbm) {
  const double gain = std::pow(10.0, soa_gain_db / 10), factor = std::pow(10.0, soa_noise_figure_db / 10);
  const double power = gain * watt_of_dbm(input_dbm);
  const double noise = 6.62607015e-34 * 299792458 / 1550e-9 * (factor * gain - 1) / 2 * optical_bandwidth;
  return std::sqrt(2 * power * noise + noise * noise);
}

double amplified_power(double input_dbm, const LawTrial& trial) {
  Stream stream = trial.stream(Purpose::test);
  Complex field[] = {std::sqrt(watt_of_dbm(input_dbm))};
  soa_amplify(soa(), field, optical_bandwidth, stream);
  return std::norm(field[0]);
}

// -- electro-optic activation, at random parameters and fields

struct Activation {
  ElectroOptic f;
  Complex z;
};
Activation draw_activation(const LawTrial& trial) {
  Stream s = trial.stream(Purpose::test);
  const auto within = [&s](double low, double high) { return low + (high - low) * s.uniform(); };
  const ElectroOptic f = {within(0, 0.5), within(1, 50), within(0, 2 * pi)};
  return {f, std::polar(within(0.05, 0.5), within(0, 2 * pi))};
}

/// Largest distance of f_z, f_z* from the differences of fourth order in x and y, f_x = f_z + f_z*,
/// f_y = i (f_z - f_z*).
double wirtinger_defect(double, const LawTrial& trial) {
  const auto [f, z] = draw_activation(trial);
  constexpr double h = 2e-4;
  const auto slope = [&f = f, z = z](Complex step) {
    const auto across = [&](double k) { return f.forward(z + k * step) - f.forward(z - k * step); };
    return (8.0 * across(1) - across(2)) / (12 * h);
  };
  const Complex i(0, 1), along_x = slope(h), along_y = slope(h * i);
  const Wirtinger d = f.derivatives(z);
  return std::max(std::abs(d.dz - (along_x - i * along_y) / 2.0),
                  std::abs(d.dz_conj - (along_x + i * along_y) / 2.0));
}

double oddness_defect(double, const LawTrial& trial) {
  const auto [f, z] = draw_activation(trial);
  return std::abs(f.forward(-z) + f.forward(z)) / std::abs(z);
}

/// |f|^2 against (1 - a) cos^2(psi/2) |z|^2, over |z|^2.
double power_defect(double, const LawTrial& trial) {
  const auto [f, z] = draw_activation(trial);
  const double power = std::norm(z), c = std::cos((f.gain_rad_per_w * power + f.bias_rad) / 2);
  return std::abs(std::norm(f.forward(z)) / power - (1 - f.tap) * c * c);
}

std::vector<Law> amplifier_laws() {
  const LawAxis input = {"P_in", "dBm", "power into the amplifier"};
  return {
      {.row = "18",
       .name = "OSNR of an SOA",
       .kind = LawKind::analytic,
       .formula = "58 - NF + P_in, NF = 7 dB, 0.1 nm",
       .quantity = "optical signal to noise ratio",
       .unit = "dB",
       .expected = [](double dbm) { return 58 - soa_noise_figure_db + dbm; },
       .absolute_tolerance = 0.1,
       .measure = value_of([](double dbm) { return osnr_db(soa(), watt_of_dbm(dbm)); }),
       .axis = input,
       .points = {{-30}, {-20}, {-10}}},
      {.row = "18",
       .name = "beat noise behind an SOA",
       .kind = LawKind::monte_carlo,
       .formula = "sqrt(2 P S B + (S B)^2), G = 20 dB, NF = 7 dB, B = 50 GHz",
       .quantity = "deviation of the power",
       .unit = "W",
       .sample = "power of one amplified field",
       .expected = beat_noise,
       .relative_tolerance = 0.015,
       .measure = over_trials(Statistic::deviation, amplified_power),
       .axis = input,
       .points = {{-40, 100000}, {-30, 100000}, {-20, 100000}, {-10, 100000}}},
  };
}

std::vector<Law> activation_laws() {
  return {
      {.row = "21",
       .name = "electro-optic Wirtinger derivatives",
       .formula = "differences of fourth order",
       .quantity = "largest deviation",
       .expected = constant(0),
       .absolute_tolerance = 1e-8,
       .measure = largest_of(wirtinger_defect),
       .points = {{0, 2000}}},
      {.row = "21",
       .name = "electro-optic activation odd",
       .formula = "f(-z) = -f(z)",
       .quantity = "largest |f(-z) + f(z)| / |z|",
       .expected = constant(0),
       .absolute_tolerance = 1e-15,
       .measure = largest_of(oddness_defect),
       .points = {{0, 2000}}},
      {.row = "21",
       .name = "electro-optic power",
       .formula = "|f|^2 = (1 - a) cos^2((g |z|^2 + phi_b)/2) |z|^2",
       .quantity = "largest deviation over |z|^2",
       .expected = constant(0),
       .absolute_tolerance = 1e-13,
       .measure = largest_of(power_defect),
       .points = {{0, 2000}}},
  };
}

}  // namespace

std::vector<Law> light_laws() {
  std::vector<Law> list;
  for (const auto& part : {amplifier_laws, activation_laws})
    for (Law& law : part()) list.push_back(std::move(law));
  return list;
}

}  // namespace optinc
