#include "physics/devices/lowpass.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

using constants::pi;

struct Pole {
  Complex pole, residue;  // rad/s
};

/// Poles of a real filter; both of a conjugate pair.
std::vector<Pole> poles_of(const Lowpass& filter) {
  const double cut = 2 * pi * filter.bandwidth_hz;
  if (filter.shape == LowpassShape::one_pole) return {{-cut, cut}};
  // roots of y^4 + 10 y^3 + 45 y^2 + 105 y + 105, whose response falls to half its power at |y| = 2.1139...
  constexpr double half_power = 2.1139176749042154;
  const std::array<Complex, 4> roots = {
      Complex(-2.1037893971796278, 2.6574180418567526), Complex(-2.1037893971796278, -2.6574180418567526),
      Complex(-2.8962106028203722, 0.8672341289345042), Complex(-2.8962106028203722, -0.8672341289345042)};
  std::vector<Pole> poles;
  for (const Complex& root : roots) {
    Complex others = 1.0;
    for (const Complex& other : roots)
      if (&other != &root) others *= root - other;
    poles.push_back({cut / half_power * root, cut / half_power * 105.0 / others});
  }
  return poles;
}

}  // namespace

void validate_lowpass(const Lowpass& filter) { validate_positive("bandwidth_hz", filter.bandwidth_hz); }

Complex lowpass_response(const Lowpass& filter, double frequency_hz) {
  validate_lowpass(filter);
  Complex sum = 0;
  for (const Pole& p : poles_of(filter)) sum += p.residue / (Complex(0, 2 * pi * frequency_hz) - p.pole);
  return sum;
}

double noise_bandwidth_hz(const Lowpass& filter) {
  validate_lowpass(filter);
  const auto poles = poles_of(filter);
  Complex energy = 0;  // Parseval: integral over f >= 0 of |H|^2 is half the integral of h^2
  for (const Pole& a : poles)
    for (const Pole& b : poles) energy -= a.residue * b.residue / (a.pole + b.pole);
  return energy.real() / 2;
}

double lowpass_delay_s(const Lowpass& filter) {
  validate_lowpass(filter);
  Complex mean = 0;
  for (const Pole& p : poles_of(filter)) mean += p.residue / (p.pole * p.pole);
  return mean.real();
}

std::vector<double> impulse_response_per_s(const Lowpass& filter, double step_s, int count) {
  validate_lowpass(filter);
  validate_positive("step_s", step_s);
  validate(count >= 0, "count = {} of samples (>= 0). Give count >= 0.", count);
  const auto poles = poles_of(filter);
  std::vector<double> response;
  for (int k = 0; k < count; ++k) {
    Complex sum = 0;
    for (const Pole& p : poles) sum += p.residue * std::exp(p.pole * (k * step_s));
    response.push_back(sum.real());
  }
  return response;
}

std::vector<double> filter_held(const Lowpass& filter, double step_s, std::span<const double> held) {
  validate_lowpass(filter);
  validate_positive("step_s", step_s);
  struct Mode {
    Complex kept, taken, state;
  };
  std::vector<Mode> modes;
  for (const Pole& p : poles_of(filter)) {
    const Complex kept = std::exp(p.pole * step_s);
    modes.push_back({kept, p.residue / p.pole * (kept - 1.0), 0.0});
  }
  std::vector<double> out;
  out.reserve(held.size());
  for (const double value : held) {
    Complex sum = 0;
    for (Mode& m : modes) sum += m.state = m.kept * m.state + m.taken * value;
    out.push_back(sum.real());
  }
  return out;
}

SymbolResponse symbol_response(const Lowpass& filter, double symbol_rate_bd, int samples_per_symbol,
                               int symbols) {
  validate_positive("symbol_rate_bd", symbol_rate_bd);
  validate(samples_per_symbol >= 8,
           "samples_per_symbol = {} (>= 8, or the peak is missed). Give samples_per_symbol >= 8.",
           samples_per_symbol);
  validate(symbols >= 2, "symbols = {} (>= 2, or no neighbour is seen). Give symbols >= 2.", symbols);
  const auto per_symbol = static_cast<std::size_t>(samples_per_symbol);
  std::vector<double> held(per_symbol * static_cast<std::size_t>(symbols), 0.0);
  std::fill_n(held.begin(), per_symbol, 1.0);
  const double step_s = 1 / (symbol_rate_bd * samples_per_symbol);
  const auto out = filter_held(filter, step_s, held);

  const auto peak = static_cast<std::size_t>(std::max_element(out.begin(), out.end()) - out.begin());
  SymbolResponse response;
  response.main = out[peak];
  response.delay_s = static_cast<double>(peak + 1) * step_s;  // out[k] is the end of step k
  for (std::size_t k = peak; k >= per_symbol;) response.before.push_back(out[k -= per_symbol]);
  for (std::size_t k = peak + per_symbol; k < out.size(); k += per_symbol) response.after.push_back(out[k]);
  return response;
}

double peak_distortion(const SymbolResponse& response) {
  double sum = 0.0;
  for (const double h : response.before) sum += std::abs(h);
  for (const double h : response.after) sum += std::abs(h);
  return sum / response.main;
}

double pam_eye_opening(double peak_distortion, int levels) { return 1 - (levels - 1) * peak_distortion; }

}  // namespace optinc
