#include "physics/devices/lowpass.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

using constants::pi;

template <class Real>
struct PoleOf {
  ComplexOf<Real> pole, residue;  // rad/s
};
using Pole = PoleOf<double>;

/// Poles of a real filter; both of a conjugate pair.
template <class Real>
std::vector<PoleOf<Real>> poles_of(const LowpassOf<Real>& filter) {
  const ComplexOf<Real> cut = as_complex(2 * pi * filter.bandwidth_hz);
  if (filter.shape == LowpassShape::one_pole) return {{-cut, cut}};
  // roots of y^4 + 10 y^3 + 45 y^2 + 105 y + 105, whose response falls to half its power at |y| = 2.1139...
  constexpr double half_power = 2.1139176749042154;
  const std::array<Complex, 4> roots = {
      Complex(-2.1037893971796278, 2.6574180418567526), Complex(-2.1037893971796278, -2.6574180418567526),
      Complex(-2.8962106028203722, 0.8672341289345042), Complex(-2.8962106028203722, -0.8672341289345042)};
  std::vector<PoleOf<Real>> poles;
  for (const Complex& root : roots) {
    Complex others = 1.0;
    for (const Complex& other : roots)
      if (&other != &root) others *= root - other;
    poles.push_back({cut * (root / half_power), cut * (105.0 / half_power / others)});
  }
  return poles;
}

/// H(s) from poles and residues.
template <class Real>
ComplexOf<Real> transfer(const std::vector<PoleOf<Real>>& poles, const ComplexOf<Real>& s) {
  ComplexOf<Real> sum = Complex(0);
  for (const PoleOf<Real>& p : poles) sum += p.residue / (s - p.pole);
  return sum;
}

/// Poles of the product of the filters' transfer functions.
template <class Real>
std::vector<PoleOf<Real>> poles_of(std::span<const LowpassOf<Real>> cascade) {
  validate(!cascade.empty(), "a cascade of 0 filters (it has no poles). Give at least one filter.");
  std::vector<PoleOf<Real>> poles;
  for (const LowpassOf<Real>& filter : cascade) {
    validate_positive("bandwidth_hz", value_of(filter.bandwidth_hz));
    for (const LowpassOf<Real>& other : cascade) {
      const double own_hz = value_of(filter.bandwidth_hz), other_hz = value_of(other.bandwidth_hz);
      validate_field(
          &other == &filter || other.shape != filter.shape || std::abs(other_hz - own_hz) >= 1e-4 * own_hz,
          "bandwidth_hz",
          "{} and {} of two filters of one shape in a cascade (their poles coincide). Make "
          "one bandwidth 0.1 % larger.",
          own_hz, other_hz);
    }
    for (PoleOf<Real> p : poles_of<Real>(filter)) {
      for (const LowpassOf<Real>& other : cascade)
        if (&other != &filter) p.residue *= transfer<Real>(poles_of<Real>(other), p.pole);
      poles.push_back(p);
    }
  }
  return poles;
}

/// The answer to one symbol of duration T, sampled at x T, (x + 1) T, ...; 0 < x <= 1.
SymbolResponse sampled_response(const std::vector<Pole>& poles, double symbol_s, double x, int symbols) {
  std::vector<double> h(static_cast<std::size_t>(symbols), 0.0);
  for (const Pole& p : poles) {
    const Complex per_symbol = std::exp(p.pole * symbol_s), step = p.residue / p.pole;
    Complex mode = step * std::exp(p.pole * (x * symbol_s));
    h[0] += (mode - step).real();
    mode *= per_symbol - 1.0;
    for (std::size_t k = 1; k < h.size(); ++k, mode *= per_symbol) h[k] += mode.real();
  }
  const auto peak = std::max_element(h.begin(), h.end());
  return {.main = *peak,
          .before = {std::make_reverse_iterator(peak), h.rend()},
          .after = {peak + 1, h.end()},
          .delay_s = (x + static_cast<double>(peak - h.begin())) * symbol_s};
}

}  // namespace

Complex lowpass_response(std::span<const Lowpass> cascade, double frequency_hz) {
  return transfer<double>(poles_of<double>(cascade), Complex(0, 2 * pi * frequency_hz));
}

double noise_bandwidth_hz(std::span<const Lowpass> cascade) {
  const auto poles = poles_of<double>(cascade);
  Complex energy = 0;  // Parseval: integral over f >= 0 of |H|^2 is half the integral of h^2
  for (const Pole& a : poles)
    for (const Pole& b : poles) energy -= a.residue * b.residue / (a.pole + b.pole);
  return energy.real() / 2;
}

namespace {

/// Noise behind a cascade of these poles is correlated by sum_j weight_j e^(pole_j |lag|).
template <class Real>
std::vector<PoleOf<Real>> correlation_modes(const std::vector<PoleOf<Real>>& poles) {
  std::vector<PoleOf<Real>> modes;
  ComplexOf<Real> energy = Complex(0);
  for (const PoleOf<Real>& b : poles) {
    ComplexOf<Real> shared = Complex(0);
    for (const PoleOf<Real>& a : poles) shared += a.residue * b.residue / (a.pole + b.pole);
    energy += shared;
    modes.push_back({b.pole, shared});
  }
  const ComplexOf<Real> real_energy = as_complex(real_part(energy));
  for (PoleOf<Real>& m : modes) m.residue /= real_energy;
  return modes;
}

/// Noise correlation of these modes, integrated twice from 0 to |t|.
template <class Real>
Real twice_integrated(const std::vector<PoleOf<Real>>& modes, const Real& t) {
  using std::abs, std::exp;
  ComplexOf<Real> sum = Complex(0);
  for (const PoleOf<Real>& m : modes) {
    const ComplexOf<Real> x = m.pole * as_complex(abs(t));
    sum += m.residue * (exp(x) - Complex(1) - x) / (m.pole * m.pole);
  }
  return real_part(sum);
}

}  // namespace

template <class Real>
Real noise_correlation(std::span<const LowpassOf<Real>> cascade, Real lag_s) {
  using std::abs, std::exp;
  ComplexOf<Real> sum = Complex(0);
  for (const PoleOf<Real>& m : correlation_modes<Real>(poles_of<Real>(cascade)))
    sum += m.residue * exp(m.pole * as_complex(abs(lag_s)));
  return real_part(sum);
}

template <class Real>
Real averaged_noise_correlation(std::span<const LowpassOf<Real>> cascade, Real lag_s, Real window_s) {
  validate_positive("window_s", value_of(window_s));
  const auto modes = correlation_modes<Real>(poles_of<Real>(cascade));
  const Real sum = twice_integrated<Real>(modes, lag_s + window_s) -
                   2.0 * twice_integrated<Real>(modes, lag_s) + twice_integrated<Real>(modes, lag_s - window_s);
  return sum / (window_s * window_s);
}

double lowpass_delay_s(std::span<const Lowpass> cascade) {
  Complex mean = 0;
  for (const Pole& p : poles_of<double>(cascade)) mean += p.residue / (p.pole * p.pole);
  return mean.real();
}

std::vector<double> impulse_response_per_s(std::span<const Lowpass> cascade, double step_s, int count) {
  validate_positive("step_s", step_s);
  validate_field(count >= 0, "count", "{} of samples (>= 0). Give count >= 0.", count);
  const auto poles = poles_of<double>(cascade);
  std::vector<double> response;
  for (int k = 0; k < count; ++k) {
    Complex sum = 0;
    for (const Pole& p : poles) sum += p.residue * std::exp(p.pole * (k * step_s));
    response.push_back(sum.real());
  }
  return response;
}

template <class Real>
std::vector<Real> step_response(std::span<const LowpassOf<Real>> cascade, std::span<const Real> times_s,
                                int derivative) {
  using std::exp;
  validate_field(derivative >= -1 && derivative <= 2, "derivative",
                 "{} of a step response (-1, 0, 1 or 2). Give 0.", derivative);
  auto modes = poles_of<Real>(cascade);
  for (PoleOf<Real>& p : modes) {
    if (derivative == 2) p.residue *= p.pole;
    if (derivative == 0) p.residue /= p.pole;
    if (derivative == -1) p.residue /= p.pole * p.pole;
  }
  std::vector<Real> response;
  for (const Real& t : times_s) {
    ComplexOf<Real> sum = Complex(0);
    if (value_of(t) >= 0)
      for (const PoleOf<Real>& p : modes) {
        const ComplexOf<Real> x = p.pole * as_complex(t);
        ComplexOf<Real> from_start = exp(x);
        if (derivative <= 0) from_start -= Complex(1);
        if (derivative < 0) from_start -= x;
        sum += p.residue * from_start;
      }
    response.push_back(real_part(sum));
  }
  return response;
}

#define OPTINC_INSTANTIATE(Real)                                                                          \
  template std::vector<Real> step_response(std::span<const LowpassOf<Real>>, std::span<const Real>, int); \
  template Real noise_correlation(std::span<const LowpassOf<Real>>, Real);                                \
  template Real averaged_noise_correlation(std::span<const LowpassOf<Real>>, Real, Real);
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(ChannelTangent)
#undef OPTINC_INSTANTIATE

namespace {

/// How a mode, the part of a signal that a pole or a conjugate pair of them makes, goes on by one step of held
/// signals: z <- kept z + taken signal + taken_last signal at the last filter; the signal is Re z.
struct HeldMode {
  Complex kept, taken, taken_last;
};

std::vector<HeldMode> held_modes(std::span<const Lowpass> cascade, double step_s) {
  const std::vector<Pole> poles = poles_of<double>(cascade), last = poles_of<double>(cascade.back());
  const std::size_t others = poles.size() - last.size();
  std::vector<HeldMode> modes;
  for (std::size_t i = 0; i < poles.size(); ++i) {
    const Complex pole = poles[i].pole, kept = std::exp(pole * step_s);
    if (pole.imag() < 0) continue;  // its conjugate counts twice
    const Complex taken = (pole.imag() > 0 ? 2.0 : 1.0) * (kept - 1.0) / pole;
    modes.push_back(
        {kept, poles[i].residue * taken, i < others ? Complex(0) : last[i - others].residue * taken});
  }
  return modes;
}

}  // namespace

template <class Real>
typename FieldBatchOf<Real>::Plane filter_held(std::span<const Lowpass> cascade, double step_s,
                                               const typename FieldBatchOf<Real>::Plane& held,
                                               const typename FieldBatchOf<Real>::Plane& at_last,
                                               Eigen::Index early) {
  validate_positive("step_s", step_s);
  const Eigen::Index steps = held.cols();
  validate(at_last.size() == 0 || (at_last.rows() == held.rows() && at_last.cols() == steps),
           "signals ({}, {}) at the last filter meet ({}, {}) at the first (one each, or none). Give as many.",
           at_last.rows(), at_last.cols(), held.rows(), steps);
  validate(early >= 0 && early <= steps, "{} of {} steps left out (0 to all). Give early = 0.", early, steps);
  constexpr int at_once = 64 / sizeof(Real);  // signals, which fill a register
  using Signals = Eigen::Array<Real, at_once, 1>;
  using Together = Eigen::Array<Real, at_once, Eigen::Dynamic>;
  struct Mode {
    Real kept_re, kept_im, taken_re, taken_im, last_re, last_im;
    Signals re, im;
  };
  std::vector<Mode> modes;
  for (const auto& [kept, taken, last] : held_modes(cascade, step_s)) {
    const auto real = [](double x) { return static_cast<Real>(x); };
    modes.push_back({real(kept.real()),
                     real(kept.imag()),
                     real(taken.real()),
                     real(taken.imag()),
                     real(last.real()),
                     real(last.imag()),
                     {},
                     {}});
  }
  const bool two = at_last.size() > 0;
  typename FieldBatchOf<Real>::Plane out(held.rows(), steps);
  Together some = Together::Zero(at_once, steps), more = Together::Zero(at_once, two ? steps : 0);
  for (Eigen::Index first = 0; first < held.rows(); first += at_once) {
    const Eigen::Index signals = std::min<Eigen::Index>(at_once, held.rows() - first);
    some.topRows(signals) = held.middleRows(first, signals);
    if (two) more.topRows(signals) = at_last.middleRows(first, signals);
    for (Mode& m : modes) m.re.setZero(), m.im.setZero();
    for (Eigen::Index k = 0; k < steps; ++k) {
      const Signals value = some.col(k), other = two ? Signals(more.col(k)) : Signals(Signals::Zero());
      Signals sum = Signals::Zero();
      for (Mode& m : modes) {
        const Signals re = m.kept_re * m.re - m.kept_im * m.im + m.taken_re * value + m.last_re * other;
        m.im = m.kept_re * m.im + m.kept_im * m.re + m.taken_im * value + m.last_im * other;
        sum += m.re = re;
      }
      some.col(k) = sum;
    }
    auto rows = out.middleRows(first, signals);
    rows.leftCols(steps - early) = some.topRows(signals).rightCols(steps - early);
    rows.rightCols(early).setZero();
  }
  return out;
}

template FieldBatchOf<double>::Plane filter_held<double>(std::span<const Lowpass>, double,
                                                         const FieldBatchOf<double>::Plane&,
                                                         const FieldBatchOf<double>::Plane&, Eigen::Index);
template FieldBatchOf<float>::Plane filter_held<float>(std::span<const Lowpass>, double,
                                                       const FieldBatchOf<float>::Plane&,
                                                       const FieldBatchOf<float>::Plane&, Eigen::Index);

std::vector<double> filter_held(std::span<const Lowpass> cascade, double step_s, std::span<const double> held) {
  const auto steps = static_cast<Eigen::Index>(held.size());
  const FieldBatch::Plane out =
      filter_held<double>(cascade, step_s, Eigen::Map<const FieldBatch::Plane>(held.data(), 1, steps));
  return {out.data(), out.data() + steps};
}

SymbolResponse symbol_response(std::span<const Lowpass> cascade, double symbol_rate_bd, int samples_per_symbol,
                               int symbols) {
  validate_positive("symbol_rate_bd", symbol_rate_bd);
  validate_field(samples_per_symbol >= 8, "samples_per_symbol",
                 "{} (>= 8, or the best instant is missed). Give samples_per_symbol >= 8.", samples_per_symbol);
  validate_field(symbols >= 2, "symbols", "{} (>= 2, or no neighbour is seen). Give symbols >= 2.", symbols);
  const auto poles = poles_of<double>(cascade);
  const auto at = [&](double x) {  // the instant x + 1 meets the same samples, one symbol later
    return sampled_response(poles, 1 / symbol_rate_bd, x - std::ceil(x) + 1, symbols);
  };
  const auto distortion = [&](double x) { return peak_distortion(at(x)); };
  std::pair best{1.0, distortion(1.0)};
  for (int k = 1; k < samples_per_symbol; ++k) {
    const double x = static_cast<double>(k) / samples_per_symbol, d = distortion(x);
    if (d < best.second) best = {x, d};
  }
  constexpr int bits = 20;
  std::uintmax_t steps = 50;
  const double step = 1.0 / samples_per_symbol;
  const auto refined =
      boost::math::tools::brent_find_minima(distortion, best.first - step, best.first + step, bits, steps);
  return at((refined.second < best.second ? refined : best).first);
}

double peak_distortion(const SymbolResponse& response) {
  double sum = 0.0;
  for (const double h : response.before) sum += std::abs(h);
  for (const double h : response.after) sum += std::abs(h);
  return sum / response.main;
}

double pam_eye_opening(double peak_distortion, int levels) { return 1 - (levels - 1) * peak_distortion; }

double symbol_rate_limit_bd(std::span<const Lowpass> cascade, int levels, double eye_opening) {
  validate_field(levels >= 2, "levels", "{} (>= 2). Give levels >= 2.", levels);
  validate_field(eye_opening >= 0 && eye_opening < 1, "eye_opening",
                 "{} (0 <= eye_opening < 1). Give such a share.", eye_opening);
  const double allowed = (1 - eye_opening) / (levels - 1);
  validate_field(allowed >= 1e-3, "levels",
                 "{} with eye_opening = {} (they allow a peak distortion of {:.3g}; below 0.001 it does not "
                 "grow steadily with the rate). Give fewer levels or a smaller eye_opening.",
                 levels, eye_opening, allowed);
  const double guess_bd = 1 / lowpass_delay_s(cascade);
  const auto surplus = [&](double rate_bd) {
    return pam_eye_opening(peak_distortion(symbol_response(cascade, rate_bd)), levels) - eye_opening;
  };
  std::uintmax_t steps = 100;
  const auto bracket = boost::math::tools::bracket_and_solve_root(
      surplus, guess_bd, 2.0, false, boost::math::tools::eps_tolerance<double>(30), steps);
  return (bracket.first + bracket.second) / 2;
}

}  // namespace optinc
