#include "onn/margin/rare_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// Times the rms of the locks with which phases are drawn.
constexpr std::array scales = {1.0, 1.6, 2.6, 4.2};
constexpr double far = 4.0;  // phases, in rms
/// Streams of lock errors from here on are of no block of words.
constexpr std::uint32_t beyond_blocks = std::uint32_t{1} << 31;

/// Phases of one draw, in rms of the locks, and their density over that with which they are drawn.
struct Phases {
  std::vector<double> z;
  double weight = 1.0;
  bool beyond = false;
};

Phases drawn_phases(std::size_t servers, double scale, Stream stream) {
  Phases drawn;
  double square = 0.0;
  for (std::size_t n = 0; n < servers; ++n) {
    const double z = scale * stream.normal();
    drawn.z.push_back(z);
    square += z * z;
    drawn.beyond = drawn.beyond || std::abs(z) > far;
  }
  double mixture = 0.0;  // over the density of the locks' phases
  for (const double k : scales)
    mixture += std::pow(k, -static_cast<double>(servers)) * std::exp(square / 2 * (1 - 1 / (k * k)));
  drawn.weight = scales.size() / mixture;
  return drawn;
}

/// Share of wrong of every word sent, at these phases.
Eigen::VectorXd wrong_words(const Margin::Sending& s, std::span<const double> fibre_rad) {
  const OperatingValues<double> values = operating_values(s.unit.hardware);
  const ReceivedLevels<double> levels = received_levels(s.unit, values, s.codes, s.seed, fibre_rad);
  Eigen::VectorXd wrong(s.exact.cols());
  for (Eigen::Index w = 0; w < wrong.size(); ++w) {
    double log_right = 0.0;
    for (Eigen::Index m = 0; m < s.exact.rows(); ++m) {
      const double y = levels.answers.mean(m, w), rms = std::sqrt(levels.answers.variance(m, w));
      const auto passes = [&](double distance, double weight) {
        const double share = rms > 0 ? 0.5 * std::erfc(distance / rms / std::numbers::sqrt2) : distance < 0;
        log_right += std::log1p(-weight * share);
      };
      passes(s.upper(m, w) - y, s.too_high(m, w));
      passes(y - s.lower(m, w), s.too_low(m, w));
    }
    for (const double log_wrong : levels.log_wrong_steps[static_cast<std::size_t>(w)])
      log_right += std::log1p(-std::exp(log_wrong));
    wrong[w] = -std::expm1(log_right);
  }
  return wrong;
}

double variance_of_mean(const Eigen::VectorXd& values) {
  const auto n = static_cast<double>(values.size());
  return n > 1 ? (values.array() - values.mean()).square().sum() / (n * (n - 1)) : 0.0;
}

}  // namespace

RareWords rare_words(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed, int draws) {
  validate(draws >= 1, "{} draws of phases (at least 1). Try 1000.", draws);
  const Margin margin(unit, codes, seed);
  const auto words = static_cast<double>(codes.rows());
  RareWords all;
  double beyond = 0.0, variance = 0.0;
  std::uint32_t number = beyond_blocks;
  for (const Margin::Sending& s : margin.sendings()) {
    validate(received_levels(s.unit, operating_values(s.unit.hardware), s.codes, s.seed).neurons_decide,
             "neurons that do not decide (the noise that they pass on is not Gaussian far out). Count at "
             "least 1/share words of trained networks.");
    const double rms_rad = s.unit.noise.lock ? s.unit.noise.scale * lock_rms_rad(s.unit.hardware) : 0.0;
    const auto servers = static_cast<std::size_t>(s.unit.design.task.combined());
    const auto all_draws = rms_rad > 0 ? static_cast<std::size_t>(draws) * scales.size() : 1;
    std::vector<Phases> phases(all_draws);
    std::vector<Eigen::VectorXd> wrong(all_draws);
    parallel_for(all_draws, [&](std::size_t d) {
      if (rms_rad > 0)
        phases[d] = drawn_phases(servers, scales[d % scales.size()],
                                 Stream(seed.seed, Purpose::lock_error, seed.chip,
                                        number + static_cast<std::uint32_t>(d), seed.instant));
      std::vector<double> rad = phases[d].z;
      for (double& z : rad) z *= rms_rad;
      wrong[d] = phases[d].weight * wrong_words(s, rad);
    });
    number += static_cast<std::uint32_t>(all_draws);
    all.samples += static_cast<std::int64_t>(all_draws) * s.exact.cols();
    // sent by hops, a word is sent several times: shares add up
    const double sent = static_cast<double>(s.exact.cols()) / words;
    Eigen::VectorXd of_draws(static_cast<Eigen::Index>(all_draws)),
        of_words = Eigen::VectorXd::Zero(s.exact.cols());
    for (std::size_t d = 0; d < all_draws; ++d) {
      const double share = sent * wrong[d].mean();
      of_draws[static_cast<Eigen::Index>(d)] = share;
      of_words += wrong[d] / static_cast<double>(all_draws);
      if (phases[d].beyond) beyond += share / static_cast<double>(all_draws);
    }
    all.share += of_draws.mean();
    variance += variance_of_mean(of_draws) + sent * sent * variance_of_mean(of_words);
  }
  all.error = std::sqrt(variance);
  if (all.share > 0) all.beyond_4_sigma = beyond / all.share;
  if (variance > 0) all.counting = all.share * (1 - all.share) / static_cast<double>(all.samples) / variance;
  return all;
}

}  // namespace optinc
