#pragma once
// The networks of experiments/models/learning as their headers define them, one image or one text at a time, in
// double and never optimised.

#include <cmath>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "experiments/models/learning/decoder.hpp"
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

/// Logits of the tokens after each of one sequence's, (vocabulary, tokens).
inline Eigen::MatrixXd plain_decoder(const DecoderShape& s, const Eigen::VectorXd& parameters,
                                     std::span<const std::uint16_t> tokens) {
  const double* p = parameters.data();
  const auto matrix = [&](Eigen::Index rows, Eigen::Index cols) {
    const Eigen::MatrixXd read = Eigen::Map<const Eigen::MatrixXd>(p, rows, cols);
    p += read.size();
    return read;
  };
  const auto norm = [](const Eigen::VectorXd& x, const Eigen::VectorXd& gain) -> Eigen::VectorXd {
    return gain.cwiseProduct(x) / std::sqrt(x.squaredNorm() / static_cast<double>(x.size()) + 1e-5);
  };
  const Eigen::Index d = s.width, f = s.hidden, each = d / s.heads, pairs = each / 2;
  // entry i of a head turns with entry i + pairs, as the two parts of a complex number
  const auto turned = [&](Eigen::VectorXd x, Eigen::Index place) {
    for (Eigen::Index h = 0; h < d; h += each)
      for (Eigen::Index i = h; i < h + pairs; ++i) {
        const double angle = static_cast<double>(place) *
                             std::pow(10000.0, -2.0 * static_cast<double>(i - h) / static_cast<double>(each));
        const auto z = std::complex(x[i], x[i + pairs]) * std::polar(1.0, angle);
        x[i] = z.real();
        x[i + pairs] = z.imag();
      }
    return x;
  };
  const Eigen::MatrixXd embedding = matrix(d, s.vocabulary);
  std::vector<Eigen::VectorXd> x;
  for (const std::uint16_t token : tokens) x.emplace_back(embedding.col(token));
  for (int layer = 0; layer < s.layers; ++layer) {
    const Eigen::VectorXd gain1 = matrix(d, 1);
    const Eigen::MatrixXd wq = matrix(d, d), wk = matrix(d, d), wv = matrix(d, d), wo = matrix(d, d);
    const Eigen::VectorXd gain2 = matrix(d, 1);
    const Eigen::MatrixXd w1 = matrix(f, d), w3 = matrix(f, d), w2 = matrix(d, f);
    std::vector<Eigen::VectorXd> q, k, v;
    for (std::size_t t = 0; t < x.size(); ++t) {
      const Eigen::VectorXd n = norm(x[t], gain1);
      q.push_back(turned(wq * n, static_cast<Eigen::Index>(t)));
      k.push_back(turned(wk * n, static_cast<Eigen::Index>(t)));
      v.emplace_back(wv * n);
    }
    for (std::size_t t = 0; t < x.size(); ++t) {
      Eigen::VectorXd read = Eigen::VectorXd::Zero(d);
      for (Eigen::Index h = 0; h < d; h += each) {
        double sum = 0.0;
        for (std::size_t u = 0; u <= t; ++u) {
          const double weight =
              std::exp(q[t].segment(h, each).dot(k[u].segment(h, each)) / std::sqrt(static_cast<double>(each)));
          read.segment(h, each) += weight * v[u].segment(h, each);
          sum += weight;
        }
        read.segment(h, each) /= sum;
      }
      x[t] += wo * read;
      const Eigen::VectorXd n = norm(x[t], gain2), a = w1 * n;
      x[t] += w2 * (a.array() / (1.0 + (-a.array()).exp()) * (w3 * n).array()).matrix();
    }
  }
  const Eigen::VectorXd gain = matrix(d, 1);
  const Eigen::MatrixXd output = matrix(s.vocabulary, d);
  Eigen::MatrixXd logits(s.vocabulary, std::ssize(tokens));
  for (std::size_t t = 0; t < x.size(); ++t)
    logits.col(static_cast<Eigen::Index>(t)) = output * norm(x[t], gain);
  return logits;
}

}  // namespace optinc
