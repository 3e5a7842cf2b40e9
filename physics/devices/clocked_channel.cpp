#include "physics/devices/clocked_channel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <Eigen/Dense>
#include <boost/math/tools/minima.hpp>

#include "physics/core/check_values.hpp"

namespace optinc {
namespace {

constexpr double least_sample = 1e-12;  // of what a symbol leaves; later ones are cut
constexpr int most_symbols = 64;

/// So many samples at (x + k) T of the answer to one symbol from its start on, or derivatives in time of that
/// answer.
std::vector<double> samples_at(std::span<const Lowpass> cascade, Sampler sampler, double symbol_s, double x,
                               int symbols, int derivative = 0) {
  const bool averages = sampler == Sampler::integrate_and_dump;
  std::vector<double> times_s;
  for (int k = averages ? -2 : -1; k < symbols; ++k) times_s.push_back((x + k) * symbol_s);
  std::vector<double> s = step_response(cascade, times_s, averages ? derivative - 1 : derivative);
  if (averages) {  // the mean over the last symbol, from the integral's difference
    for (std::size_t k = 0; k + 1 < s.size(); ++k) s[k] = (s[k + 1] - s[k]) / symbol_s;
    s.pop_back();
  }
  std::vector<double> samples(static_cast<std::size_t>(symbols));
  for (std::size_t k = 0; k < samples.size(); ++k) samples[k] = s[k + 1] - s[k];
  return samples;
}

/// Correlation of the noise of samples so many symbols apart, (symbols, symbols).
Eigen::MatrixXd noise_correlations(const Lowpass& receiver, Sampler sampler, double symbol_s,
                                   Eigen::Index symbols) {
  Eigen::MatrixXd r(symbols, symbols);
  const std::span filter(&receiver, 1);
  for (Eigen::Index k = 0; k < symbols; ++k) {
    const double lag_s = static_cast<double>(k) * symbol_s;
    const double at = sampler == Sampler::track_and_hold ? noise_correlation(filter, lag_s)
                                                         : averaged_noise_correlation(filter, lag_s, symbol_s);
    r.diagonal(k).setConstant(at);
    r.diagonal(-k).setConstant(at);
  }
  return r;
}

/// The moving average of white noise whose correlations are r. Rows of the Cholesky factor of a long r tend to
/// it (F. L. Bauer 1955, Arch. Elektr. Uebertr. 9, 285).
std::vector<double> moving_average(const Eigen::MatrixXd& r) {
  constexpr double least = 1e-9;  // far below what any sample shows; keeps the factor real at very high rates
  const Eigen::MatrixXd all = r + least * Eigen::MatrixXd::Identity(r.rows(), r.cols());
  const Eigen::VectorXd row = all.llt().matrixL().toDenseMatrix().bottomRows(1).transpose().reverse();
  Eigen::Index length = row.size();
  while (length > 1 && std::abs(row[length - 1]) < 1e-6) --length;
  const Eigen::VectorXd kept = std::sqrt(r(0, 0)) * row.head(length).normalized();
  return {kept.begin(), kept.end()};
}

/// The best taps for these samples and the symbol's own at place `own`, and what is left of interference and
/// noise.
struct Fit {
  Eigen::VectorXd taps;
  double cost = 0.0;
};

/// noise: covariance of the noise that taps meet, in units of the values sent.
Fit fit(const std::vector<double>& h, int own, const Eigen::MatrixXd& noise) {
  const auto symbols = static_cast<Eigen::Index>(h.size());
  const Eigen::Index taps = noise.rows(), length = symbols + taps - 1;
  Eigen::MatrixXd shifted = Eigen::MatrixXd::Zero(length, taps);  // column m: h, m samples later
  for (Eigen::Index m = 0; m < taps; ++m)
    for (Eigen::Index k = 0; k < symbols; ++k) shifted(k + m, m) = h[static_cast<std::size_t>(k)];
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(length);
  wanted[own + taps / 2] = 1.0;
  // minimum under sum c = 1: the normal equations with a multiplier
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(taps + 1, taps + 1);
  system.topLeftCorner(taps, taps) = shifted.transpose() * shifted + noise;
  system.topRightCorner(taps, 1).setOnes();
  system.bottomLeftCorner(1, taps).setOnes();
  Eigen::VectorXd right(taps + 1);
  right << shifted.transpose() * wanted, 1.0;
  Fit best;
  best.taps = system.fullPivLu().solve(right).head(taps);
  best.cost = (shifted * best.taps - wanted).squaredNorm() + best.taps.dot(noise * best.taps);
  return best;
}

std::vector<double> convolved(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> product(a.size() + b.size() - 1, 0.0);
  for (std::size_t m = 0; m < a.size(); ++m)
    for (std::size_t k = 0; k < b.size(); ++k) product[k + m] += a[m] * b[k];
  return product;
}

}  // namespace

double ClockedChannel::noise_gain() const {
  double sum = 0.0;
  for (const double c : convolved(equaliser, colour)) sum += c * c;
  return std::sqrt(sum);
}

std::vector<double> ClockedChannel::equalised() const { return convolved(equaliser, response); }

int ClockedChannel::own() const { return response_before + equaliser_before; }

double peak_distortion(const ClockedChannel& channel) {
  const std::vector<double> g = channel.equalised();
  const double own = g[static_cast<std::size_t>(channel.own())];
  double others = -std::abs(own);
  for (const double x : g) others += std::abs(x);
  return others / own;
}

ClockedChannel clocked_channel(const Lowpass& sender, const Lowpass& receiver, double symbol_rate_bd, int taps,
                               double noise_weight, Sampler sampler) {
  validate_positive("symbol_rate_bd", symbol_rate_bd);
  validate_field(taps >= 1 && taps <= 99 && taps % 2 == 1, "equaliser_taps",
                 "{} (odd, 1 to 99; 1 for no equaliser). Give 1, 3 or 5.", taps);
  validate_not_negative("noise_weight", noise_weight);
  const std::array<Lowpass, 2> cascade = {sender, receiver};
  const double symbol_s = 1 / symbol_rate_bd;
  const Eigen::MatrixXd noise =
      noise_weight * noise_weight * noise_correlations(receiver, sampler, symbol_s, taps);
  int symbols = most_symbols;  // that count
  for (const auto h = samples_at(cascade, sampler, symbol_s, 0.0, symbols);
       symbols > 2 && std::abs(h[static_cast<std::size_t>(symbols) - 2]) < least_sample;)
    --symbols;
  struct Choice {
    int own = 0;
    Fit best;
  };
  const auto at = [&](double x) {
    const std::vector<double> h = samples_at(cascade, sampler, symbol_s, x, symbols);
    const int peak = static_cast<int>(std::max_element(h.begin(), h.end()) - h.begin());
    return Choice{peak, fit(h, peak, noise)};
  };
  const auto cost = [&](double x) { return at(x - std::floor(x)).best.cost; };
  constexpr int instants = 32, bits = 26;
  std::pair best{0.0, cost(0.0)};
  for (int k = 1; k < instants; ++k)
    if (const double x = static_cast<double>(k) / instants, c = cost(x); c < best.second) best = {x, c};
  std::uintmax_t steps = 60;
  const auto refined = boost::math::tools::brent_find_minima(cost, best.first - 1.0 / instants,
                                                             best.first + 1.0 / instants, bits, steps);
  double x = refined.second < best.second ? refined.first : best.first;
  x -= std::floor(x);
  const Choice chosen = at(x);
  ClockedChannel channel;
  channel.sampler = sampler;
  channel.response = samples_at(cascade, sampler, symbol_s, x, symbols);
  channel.slope = samples_at(cascade, sampler, symbol_s, x, symbols, 1);
  channel.curvature = samples_at(cascade, sampler, symbol_s, x, symbols, 2);
  channel.response_before = chosen.own;
  channel.colour = moving_average(noise_correlations(receiver, sampler, symbol_s, most_symbols));
  channel.equaliser.assign(chosen.best.taps.begin(), chosen.best.taps.end());
  channel.equaliser_before = taps / 2;
  channel.delay_s = (x + chosen.own) * symbol_s;
  return channel;
}

ClockedChannel sampled_later(const ClockedChannel& channel, const Lowpass& sender, const Lowpass& receiver,
                             double symbol_rate_bd, double later_s) {
  const std::array<Lowpass, 2> cascade = {sender, receiver};
  const double symbol_s = 1 / symbol_rate_bd;
  validate_field(std::abs(later_s) < symbol_s, "later_s", "{} at {} Bd (less than a symbol). Try 0.", later_s,
                 symbol_rate_bd);
  ClockedChannel later = channel;
  later.response_before += 1;  // a symbol may begin before the instant that was before its start
  later.delay_s += later_s;
  const double x = later.delay_s / symbol_s - later.response_before;
  const int symbols = static_cast<int>(channel.response.size()) + 2;
  later.response = samples_at(cascade, channel.sampler, symbol_s, x, symbols);
  later.slope = samples_at(cascade, channel.sampler, symbol_s, x, symbols, 1);
  later.curvature = samples_at(cascade, channel.sampler, symbol_s, x, symbols, 2);
  return later;
}

}  // namespace optinc
