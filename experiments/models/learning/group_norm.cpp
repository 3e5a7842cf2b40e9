#include "experiments/models/learning/group_norm.hpp"

namespace optinc {
namespace {

template <class Real>
using Lane = Eigen::Array<Real, lanes, 1>;
template <class Real>
using Lanes = Eigen::Map<Eigen::Array<Real, lanes, Eigen::Dynamic>>;
template <class Real>
using ConstLanes = Eigen::Map<const Eigen::Array<Real, lanes, Eigen::Dynamic>>;

}  // namespace

template <class Real>
void group_norm(int groups, const Real* gain_and_bias, MatrixOf<Real>& map, GroupNormWork<Real>& work) {
  const Eigen::Index channels = map.cols(), pixels = map.rows() / lanes, per_group = channels / groups;
  work.normal.resize(map.rows(), channels);
  work.inverse.resize(lanes, groups);
  const Real share = Real{1} / static_cast<Real>(per_group * pixels);
  for (Eigen::Index g = 0; g < groups; ++g) {
    const Lanes<Real> x(map.col(g * per_group).data(), lanes, per_group * pixels);
    Lane<Real> mean = Lane<Real>::Zero(), variance = Lane<Real>::Zero();
    for (Eigen::Index j = 0; j < x.cols(); ++j) mean += x.col(j);
    mean *= share;
    for (Eigen::Index j = 0; j < x.cols(); ++j) variance += (x.col(j) - mean).square();
    const Lane<Real> inverse = (variance * share + Real{1e-5}).rsqrt();
    work.inverse.col(g) = inverse;
    for (Eigen::Index c = g * per_group; c < (g + 1) * per_group; ++c) {
      const Real gain = gain_and_bias[c], bias = gain_and_bias[channels + c];
      Lanes<Real> own(map.col(c).data(), lanes, pixels), normal(work.normal.col(c).data(), lanes, pixels);
      for (Eigen::Index j = 0; j < pixels; ++j) {
        const Lane<Real> value = (own.col(j) - mean) * inverse;
        normal.col(j) = value;
        own.col(j) = gain * value + bias;
      }
    }
  }
}

template <class Real>
void group_norm_backward(int groups, const Real* gain_and_bias, const GroupNormWork<Real>& work,
                         MatrixOf<Real>& map_gradient, Real* gradient) {
  const Eigen::Index channels = map_gradient.cols(), pixels = map_gradient.rows() / lanes;
  const Eigen::Index per_group = channels / groups;
  const Real share = Real{1} / static_cast<Real>(per_group * pixels);
  for (Eigen::Index g = 0; g < groups; ++g) {
    // With e = gain dy:  dx = (e - mean(e) - x^ mean(e x^)) / sqrt(var + 1e-5)
    Lane<Real> mean = Lane<Real>::Zero(), along = Lane<Real>::Zero();
    for (Eigen::Index c = g * per_group; c < (g + 1) * per_group; ++c) {
      const Lanes<Real> dy(map_gradient.col(c).data(), lanes, pixels);
      const ConstLanes<Real> normal(work.normal.col(c).data(), lanes, pixels);
      Lane<Real> sum = Lane<Real>::Zero(), product = Lane<Real>::Zero();
      for (Eigen::Index j = 0; j < pixels; ++j) {
        sum += dy.col(j);
        product += dy.col(j) * normal.col(j);
      }
      gradient[c] += product.sum();
      gradient[channels + c] += sum.sum();
      mean += gain_and_bias[c] * sum;
      along += gain_and_bias[c] * product;
    }
    mean *= share;
    along *= share;
    const Lane<Real> inverse = work.inverse.col(g);
    for (Eigen::Index c = g * per_group; c < (g + 1) * per_group; ++c) {
      const Real gain = gain_and_bias[c];
      Lanes<Real> dy(map_gradient.col(c).data(), lanes, pixels);
      const ConstLanes<Real> normal(work.normal.col(c).data(), lanes, pixels);
      for (Eigen::Index j = 0; j < pixels; ++j)
        dy.col(j) = (gain * dy.col(j) - mean - normal.col(j) * along) * inverse;
    }
  }
}

template void group_norm(int, const float*, MatrixOf<float>&, GroupNormWork<float>&);
template void group_norm(int, const double*, MatrixOf<double>&, GroupNormWork<double>&);
template void group_norm_backward(int, const float*, const GroupNormWork<float>&, MatrixOf<float>&, float*);
template void group_norm_backward(int, const double*, const GroupNormWork<double>&, MatrixOf<double>&, double*);

}  // namespace optinc
