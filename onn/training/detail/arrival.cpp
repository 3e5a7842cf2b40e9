#include "onn/training/detail/arrival.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "physics/core/units.hpp"

namespace optinc::training {
namespace {

/// sum_k taps_k in(:, n - k), k from -before on, round the end of the words; taps below 1e-6 of the largest are
/// left out.
/// `transposed`: sum_k taps_k in(:, n + k).
MatrixF around_words(const MatrixF& in, std::span<const double> taps, int before, bool transposed = false) {
  constexpr double least = 1e-6;
  const Eigen::Index words = in.cols();
  double largest = 0.0;
  for (const double tap : taps) largest = std::max(largest, std::abs(tap));
  MatrixF out = MatrixF::Zero(in.rows(), words);
  for (std::size_t at = 0; at < taps.size(); ++at) {
    if (std::abs(taps[at]) < least * largest) continue;
    const Eigen::Index k = static_cast<Eigen::Index>(at) - before,
                       shift = (((transposed ? -k : k) % words) + words) % words;
    const auto tap = static_cast<float>(taps[at]);
    out.rightCols(words - shift) += tap * in.leftCols(words - shift);
    out.leftCols(shift) += tap * in.rightCols(shift);
  }
  return out;
}

}  // namespace

bool ArrivalModel::plain() const {
  return oscillator_rad == 0 && dither_rad == 0 &&
         std::ranges::all_of(layers, [](const Layer& l) { return !l.channel && l.walk_rad == 0; });
}

Arrival::Arrival(const ArrivalModel& model, std::size_t layer, Eigen::Index receivers, Eigen::Index words,
                 float scale, Stream& stream)
    : layer_(&model.layers[layer]), scale_(scale) {
  const auto& [channel, walk_rad, jitter_s] = *layer_;
  if (model.oscillator_rad > 0 || model.dither_rad > 0 || walk_rad > 0) {
    MatrixF phase = MatrixF::Zero(receivers, words);
    for (Eigen::Index p = 0; p < receivers; ++p) {
      const double fixed = model.oscillator_rad * stream.normal();
      phase.row(p).setConstant(
          static_cast<float>(fixed + model.dither_rad * std::sin(2 * constants::pi * stream.uniform())));
    }
    if (walk_rad > 0)
      for (Eigen::Index w = 0; w < words; ++w)
        phase.col(w).array() += static_cast<float>(walk_rad * stream.normal());
    cosine_ = phase.array().cos();
  }
  if (channel && jitter_s > 0) {
    late_s_.resize(receivers, words);
    stream.normals(std::span(late_s_.data(), static_cast<std::size_t>(late_s_.size())));
    late_s_ *= static_cast<float>(jitter_s);
  }
}

MatrixF Arrival::values(const MatrixF& light) const {
  MatrixF arrived = light;
  if (cosine_.size() > 0) arrived.array() *= cosine_.array();
  if (const auto& channel = layer_->channel) {
    MatrixF samples = around_words(arrived, channel->response, channel->response_before);
    if (late_s_.size() > 0)
      samples += late_s_.cwiseProduct(
          around_words(arrived, channel->slope, channel->response_before) +
          late_s_.cwiseProduct(around_words(arrived, channel->curvature, channel->response_before)) / 2);
    arrived = around_words(samples, channel->equaliser, channel->equaliser_before);
  }
  return light + scale_ * (arrived - light);
}

MatrixF Arrival::slopes(const MatrixF& by_values) const {
  MatrixF back = by_values;
  if (const auto& channel = layer_->channel) {
    const MatrixF by_samples = around_words(back, channel->equaliser, channel->equaliser_before, true);
    back = around_words(by_samples, channel->response, channel->response_before, true);
    if (late_s_.size() > 0) {
      const MatrixF by_slopes = late_s_.cwiseProduct(by_samples);
      back +=
          around_words(by_slopes, channel->slope, channel->response_before, true) +
          around_words(late_s_.cwiseProduct(by_slopes) / 2, channel->curvature, channel->response_before, true);
    }
  }
  if (cosine_.size() > 0) back.array() *= cosine_.array();
  return by_values + scale_ * (back - by_values);
}

}  // namespace optinc::training
