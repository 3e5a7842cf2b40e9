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
template <class Real>
std::vector<Real> samples_at(std::span<const LowpassOf<Real>> cascade, Sampler sampler, Real symbol_s, Real x,
                             int symbols, int derivative = 0) {
  const bool averages = sampler == Sampler::integrate_and_dump;
  std::vector<Real> times_s;
  for (int k = averages ? -2 : -1; k < symbols; ++k) times_s.push_back((x + static_cast<double>(k)) * symbol_s);
  std::vector<Real> s = step_response<Real>(cascade, times_s, averages ? derivative - 1 : derivative);
  if (averages) {  // the mean over the last symbol, from the integral's difference
    for (std::size_t k = 0; k + 1 < s.size(); ++k) s[k] = (s[k + 1] - s[k]) / symbol_s;
    s.pop_back();
  }
  std::vector<Real> samples(static_cast<std::size_t>(symbols));
  for (std::size_t k = 0; k < samples.size(); ++k) samples[k] = s[k + 1] - s[k];
  return samples;
}

/// Correlation of the noise of samples 0, 1 .. symbols apart.
template <class Real>
std::vector<Real> noise_correlations(const LowpassOf<Real>& receiver, Sampler sampler, Real symbol_s,
                                     Eigen::Index symbols) {
  std::vector<Real> r;
  const std::span filter(&receiver, 1);
  for (Eigen::Index k = 0; k < symbols; ++k) {
    const Real lag_s = static_cast<double>(k) * symbol_s;
    r.push_back(sampler == Sampler::track_and_hold ? noise_correlation<Real>(filter, lag_s)
                                                   : averaged_noise_correlation<Real>(filter, lag_s, symbol_s));
  }
  return r;
}

/// The same as a matrix, (symbols, symbols).
Eigen::MatrixXd correlation_matrix(const std::vector<double>& r) {
  const auto symbols = static_cast<Eigen::Index>(r.size());
  Eigen::MatrixXd matrix(symbols, symbols);
  for (Eigen::Index k = 0; k < symbols; ++k) {
    matrix.diagonal(k).setConstant(r[static_cast<std::size_t>(k)]);
    matrix.diagonal(-k).setConstant(r[static_cast<std::size_t>(k)]);
  }
  return matrix;
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

template <class A, class B>
auto convolved(const std::vector<A>& a, const std::vector<B>& b) {
  std::vector<decltype(a[0] * b[0])> product(a.size() + b.size() - 1);
  for (std::size_t m = 0; m < a.size(); ++m)
    for (std::size_t k = 0; k < b.size(); ++k) product[k + m] += a[m] * b[k];
  return product;
}

/// Half of the derivatives of what fit() makes least, in every tap and in the sampling instant, in symbols: `h`
/// samples, `slope` their derivatives in the instant, r covariances of the noise that taps meet.
std::vector<ChannelTangent> stationarity(const std::vector<ChannelTangent>& h,
                                         const std::vector<ChannelTangent>& slope,
                                         const std::vector<ChannelTangent>& r, const std::vector<double>& taps,
                                         std::size_t own) {
  std::vector<ChannelTangent> left = convolved(h, taps);
  left[own] -= ChannelTangent(1);
  std::vector<ChannelTangent> found;
  for (std::size_t m = 0; m < taps.size(); ++m) {
    auto& of_tap = found.emplace_back();
    for (std::size_t k = 0; k < h.size(); ++k) of_tap += left[k + m] * h[k];
    for (std::size_t n = 0; n < taps.size(); ++n) of_tap += r[m > n ? m - n : n - m] * taps[n];
  }
  const std::vector<ChannelTangent> turned = convolved(slope, taps);
  auto& of_instant = found.emplace_back();
  for (std::size_t k = 0; k < left.size(); ++k) of_instant += left[k] * turned[k];
  return found;
}

/// A channel whose numbers have derivatives in bandwidth, rate and instant.
struct DifferentiatedChannel {
  std::array<LowpassOf<ChannelTangent>, 2> cascade;
  ChannelTangent symbol_s;
  Sampler sampler;
  int symbols;

  DifferentiatedChannel(const Lowpass& sender, const Lowpass& receiver, double symbol_rate_bd, Sampler how,
                        int followed)
      : cascade{{{sender.shape, sender.bandwidth_hz},
                 {receiver.shape, ChannelTangent::variable(receiver.bandwidth_hz, 0)}}},
        symbol_s(ChannelTangent(1) / ChannelTangent::variable(symbol_rate_bd, 1)),
        sampler(how),
        symbols(followed) {}

  std::vector<ChannelTangent> samples(const ChannelTangent& x, int derivative) const {
    return samples_at<ChannelTangent>(cascade, sampler, symbol_s, x, symbols, derivative);
  }
  std::vector<ChannelTangent> noise(Eigen::Index taps) const {
    return noise_correlations<ChannelTangent>(cascade[1], sampler, symbol_s, taps);
  }
};

/// By how much taps, multiplier and instant (rows: taps, 1, 1) move with bandwidth and rate (columns 0, 1) so
/// that what fit() makes least stays least, and by a Newton step towards its least (column 2): second
/// derivatives times moves undo the first. Taps add up to 1.
Eigen::MatrixXd moves(const DifferentiatedChannel& channel, double x, const std::vector<double>& equaliser,
                      std::size_t own, double noise_weight) {
  const auto taps = static_cast<Eigen::Index>(equaliser.size());
  const ChannelTangent instant = ChannelTangent::variable(x, 2);
  const std::vector<ChannelTangent> h = channel.samples(instant, 0);
  std::vector<ChannelTangent> slope = channel.samples(instant, 1), weighted = channel.noise(taps);
  for (ChannelTangent& r : weighted) r *= noise_weight * noise_weight;
  for (ChannelTangent& s : slope) s *= channel.symbol_s;
  const auto first = stationarity(h, slope, weighted, equaliser, own);
  Eigen::MatrixXd second = Eigen::MatrixXd::Zero(taps + 2, taps + 2),
                  change = Eigen::MatrixXd::Zero(taps + 2, 3);
  const auto length = static_cast<Eigen::Index>(h.size());
  for (Eigen::Index m = 0; m < taps; ++m) {
    for (Eigen::Index n = 0; n < taps; ++n) {
      for (Eigen::Index k = std::max<Eigen::Index>(0, n - m); k < length && k + m - n < length; ++k)
        second(m, n) += h[static_cast<std::size_t>(k)].value * h[static_cast<std::size_t>(k + m - n)].value;
      second(m, n) += weighted[static_cast<std::size_t>(std::abs(m - n))].value;
    }
    second(m, taps) = second(taps, m) = 1.0;
  }
  for (Eigen::Index row = 0; row < taps + 2; ++row) {
    if (row == taps) continue;
    const ChannelTangent& of = first[static_cast<std::size_t>(std::min(row, taps))];
    second(row, taps + 1) = second(taps + 1, row) = of.slope[2];
    change(row, 0) = -of.slope[0], change(row, 1) = -of.slope[1], change(row, 2) = -of.value;
  }
  // the multiplier's part of the first derivatives in the taps is free: it is solved for, too
  return second.fullPivLu().solve(change);
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
      noise_weight * noise_weight *
      correlation_matrix(noise_correlations<double>(receiver, sampler, symbol_s, taps));
  int symbols = most_symbols;  // that count
  for (const auto h = samples_at<double>(cascade, sampler, symbol_s, 0.0, symbols);
       symbols > 2 && std::abs(h[static_cast<std::size_t>(symbols) - 2]) < least_sample;)
    --symbols;
  struct Choice {
    int own = 0;
    Fit best;
  };
  const auto at = [&](double x) {
    const std::vector<double> h = samples_at<double>(cascade, sampler, symbol_s, x, symbols);
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
  Choice chosen = at(x);
  const DifferentiatedChannel with = {sender, receiver, symbol_rate_bd, sampler, symbols};
  const double step = moves(with, x, {chosen.best.taps.begin(), chosen.best.taps.end()},
                            static_cast<std::size_t>(chosen.own + taps / 2), noise_weight)(taps + 1, 2);
  if (std::abs(step) < 1e-4 && x + step > 0 && x + step < 1) {  // the other half of the digits
    x += step;
    chosen = at(x);
  }
  ClockedChannel channel;
  channel.sampler = sampler;
  channel.response = samples_at<double>(cascade, sampler, symbol_s, x, symbols);
  channel.slope = samples_at<double>(cascade, sampler, symbol_s, x, symbols, 1);
  channel.curvature = samples_at<double>(cascade, sampler, symbol_s, x, symbols, 2);
  channel.response_before = chosen.own;
  channel.colour =
      moving_average(correlation_matrix(noise_correlations<double>(receiver, sampler, symbol_s, most_symbols)));
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
  later.response = samples_at<double>(cascade, channel.sampler, symbol_s, x, symbols);
  later.slope = samples_at<double>(cascade, channel.sampler, symbol_s, x, symbols, 1);
  later.curvature = samples_at<double>(cascade, channel.sampler, symbol_s, x, symbols, 2);
  return later;
}

ChannelTangents channel_tangents(const ClockedChannel& channel, const Lowpass& sender, const Lowpass& receiver,
                                 double symbol_rate_bd, double noise_weight) {
  const DifferentiatedChannel with = {sender, receiver, symbol_rate_bd, channel.sampler,
                                      static_cast<int>(channel.response.size())};
  ChannelTangent x = channel.delay_s * symbol_rate_bd - channel.response_before;
  const Eigen::MatrixXd moved =
      moves(with, x.value, channel.equaliser, static_cast<std::size_t>(channel.own()), noise_weight);
  const auto with_slopes = [&](double value, Eigen::Index row) {
    ChannelTangent t(value);
    t.slope = {moved(row, 0), moved(row, 1), 0.0};
    return t;
  };
  const auto taps = static_cast<Eigen::Index>(channel.equaliser.size());
  x = with_slopes(x.value, taps + 1);
  ChannelTangents found;
  found.response = with.samples(x, 0);
  found.slope = with.samples(x, 1);
  for (Eigen::Index m = 0; m < taps; ++m)
    found.equaliser.push_back(with_slopes(channel.equaliser[static_cast<std::size_t>(m)], m));
  found.noise = with.noise(taps);
  found.delay_s = (x + static_cast<double>(channel.response_before)) * with.symbol_s;
  return found;
}

}  // namespace optinc
