#pragma once
// The residual network as its header defines it, one image at a time, in double and never optimised.

#include <cmath>
#include <vector>

#include "experiments/models/learning/resnet.hpp"

namespace optinc {

/// Channels of one image, (height, width) each.
using Planes = std::vector<Eigen::MatrixXd>;

/// Weights: outputs one after the other, of each the window's rows, columns and channels. Zeros around.
inline Planes plain_conv(const Planes& x, const double* weights, int outputs, int kernel, int stride) {
  const Eigen::Index height = x[0].rows(), width = x[0].cols(), reach = kernel / 2;
  Planes y(static_cast<std::size_t>(outputs),
           Eigen::MatrixXd::Zero((height + stride - 1) / stride, (width + stride - 1) / stride));
  for (auto& plane : y) {
    for (Eigen::Index dy = -reach; dy <= reach; ++dy)
      for (Eigen::Index dx = -reach; dx <= reach; ++dx)
        for (const Eigen::MatrixXd& channel : x) {
          const double weight = *weights++;
          for (Eigen::Index i = 0; i < plane.rows(); ++i)
            for (Eigen::Index j = 0; j < plane.cols(); ++j) {
              const Eigen::Index row = i * stride + dy, col = j * stride + dx;
              if (row >= 0 && row < height && col >= 0 && col < width)
                plane(i, j) += weight * channel(row, col);
            }
        }
  }
  return y;
}

inline void plain_group_norm(Planes& x, int groups, const double* gain, const double* bias) {
  const std::size_t each = x.size() / static_cast<std::size_t>(groups);
  for (std::size_t first = 0; first < x.size(); first += each) {
    const auto numbers = static_cast<double>(each) * static_cast<double>(x[0].size());
    double mean = 0.0, variance = 0.0;
    for (std::size_t c = first; c < first + each; ++c) mean += x[c].sum() / numbers;
    for (std::size_t c = first; c < first + each; ++c)
      variance += (x[c].array() - mean).square().sum() / numbers;
    for (std::size_t c = first; c < first + each; ++c)
      x[c] = gain[c] * (x[c].array() - mean) / std::sqrt(variance + 1e-5) + bias[c];
  }
}

/// Outputs before the softmax, (classes).
inline Eigen::VectorXd plain_resnet(const ResNetShape& s, const Eigen::VectorXd& parameters, Planes x) {
  const double* p = parameters.data();
  const auto conv = [&](const Planes& in, int out, int kernel, int stride) {
    const double* const weights = p;
    p += static_cast<std::ptrdiff_t>(in.size()) * kernel * kernel * out;
    return plain_conv(in, weights, out, kernel, stride);
  };
  const auto normed = [&](const Planes& in, int out, int stride) {
    Planes y = conv(in, out, 3, stride);
    plain_group_norm(y, s.groups, p, p + out);
    p += 2 * out;
    return y;
  };
  const auto relu = [](Planes in) {
    for (auto& plane : in) plane = plane.cwiseMax(0.0);
    return in;
  };
  x = relu(normed(x, s.base, 2));
  for (int stage = 0; stage < s.stages; ++stage) {
    const int channels = s.base << stage, stride = stage == 0 ? 1 : 2;
    const Planes y = normed(relu(normed(x, channels, stride)), channels, 1);
    if (stage > 0) x = conv(x, channels, 1, stride);
    for (std::size_t c = 0; c < x.size(); ++c) x[c] += y[c];
    x = relu(std::move(x));
  }
  Eigen::VectorXd features(std::ssize(x));
  for (std::size_t c = 0; c < x.size(); ++c) features[static_cast<Eigen::Index>(c)] = x[c].mean();
  const Eigen::Map<const Eigen::MatrixXd> weights(p, s.classes, features.size());
  return weights * features + Eigen::Map<const Eigen::VectorXd>(p + weights.size(), s.classes);
}

}  // namespace optinc
