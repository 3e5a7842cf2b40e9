#pragma once

#include <cmath>

#include "experiments/models/learning/matrix.hpp"

namespace optinc {

/// Queries, keys and values of causal attention, and what its backward pass needs of the forward pass.
template <class Real>
struct AttentionWork {
  MatrixOf<Real> q, k, v;  ///< (heads head width, tokens), sequences one after the other
  MatrixOf<Real> weights;  ///< (length, length heads sequences): column = the query, row = the key
};

/// Column = query: softmax over the keys up to it, zero beyond.
template <class Scores>
void causal_softmax(Scores&& scores) {
  for (Eigen::Index t = 0; t < scores.cols(); ++t) {
    auto seen = scores.col(t).head(t + 1);
    seen = (seen.array() - seen.maxCoeff()).exp();
    seen /= seen.sum();
    scores.col(t).tail(scores.rows() - t - 1).setZero();
  }
}

/// What every head reads, V softmax(K^T Q / sqrt(head width)) over the tokens up to the query's (Vaswani et al.
/// 2017), into `read`, as q; sequences of `length` tokens.
template <class Real>
void attend(int heads, Eigen::Index length, AttentionWork<Real>& a, MatrixOf<Real>& read) {
  const Eigen::Index width = a.q.rows() / heads, sequences = a.q.cols() / length;
  const Real scale = Real{1} / std::sqrt(static_cast<Real>(width));
  a.weights.resize(length, length * heads * sequences);
  read.resize(a.q.rows(), a.q.cols());
  for (Eigen::Index n = 0; n < sequences; ++n) {
    for (Eigen::Index h = 0; h < heads; ++h) {
      auto scores = a.weights.middleCols((n * heads + h) * length, length);
      const auto part = [&](const MatrixOf<Real>& x) { return x.block(h * width, n * length, width, length); };
      scores.noalias() = scale * (part(a.k).transpose() * part(a.q));
      causal_softmax(scores);
      read.block(h * width, n * length, width, length).noalias() = part(a.v) * scores;
    }
  }
}

/// From d loss / d read to d loss / d q, k, v.
template <class Real>
void attend_backward(int heads, Eigen::Index length, const AttentionWork<Real>& a, const MatrixOf<Real>& dread,
                     MatrixOf<Real>& dq, MatrixOf<Real>& dk, MatrixOf<Real>& dv) {
  const Eigen::Index width = a.q.rows() / heads, sequences = a.q.cols() / length;
  const Real scale = Real{1} / std::sqrt(static_cast<Real>(width));
  for (MatrixOf<Real>* d : {&dq, &dk, &dv}) d->resize(a.q.rows(), a.q.cols());
  MatrixOf<Real> ds(length, length);
  for (Eigen::Index n = 0; n < sequences; ++n) {
    for (Eigen::Index h = 0; h < heads; ++h) {
      const auto p = a.weights.middleCols((n * heads + h) * length, length);
      const auto part = [&](auto& x) { return x.block(h * width, n * length, width, length); };
      part(dv).noalias() = part(dread) * p.transpose();
      ds.noalias() = part(a.v).transpose() * part(dread);
      // softmax: ds = p (dp - sum p dp)
      for (Eigen::Index t = 0; t < length; ++t) {
        const Real along = p.col(t).dot(ds.col(t));
        ds.col(t) = scale * p.col(t).cwiseProduct((ds.col(t).array() - along).matrix());
      }
      part(dq).noalias() = part(a.k) * ds;
      part(dk).noalias() = part(a.q) * ds.transpose();
    }
  }
}

}  // namespace optinc
