#pragma once

#include "experiments/models/learning/lane_conv.hpp"

namespace optinc {

/// What group_norm_backward needs of the forward pass.
template <class Real>
struct GroupNormWork {
  MatrixOf<Real> normal;                              ///< x^, as x
  Eigen::Array<Real, lanes, Eigen::Dynamic> inverse;  ///< (lanes, groups), 1 / sqrt(var + 1e-5)
};

/// Group normalisation (Wu and He 2018) of maps as LaneConv has them, in place: over the pixels of each group
/// of channels in each image by itself,
///   x^ = (x - mean) / sqrt(var + 1e-5),   y = gain_c x^ + bias_c,
/// so that servers need to agree on no statistics. gain_and_bias: channels gains, then channels biases. The
/// channels must be a multiple of groups.
template <class Real>
void group_norm(int groups, const Real* gain_and_bias, MatrixOf<Real>& map, GroupNormWork<Real>& work);

/// Turns d loss / d y into d loss / d x, in place, and adds the derivatives of gains and biases to `gradient`.
template <class Real>
void group_norm_backward(int groups, const Real* gain_and_bias, const GroupNormWork<Real>& work,
                         MatrixOf<Real>& map_gradient, Real* gradient);

}  // namespace optinc
