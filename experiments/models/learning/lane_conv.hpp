#pragma once

#include "experiments/models/learning/matrix.hpp"

namespace optinc {

/// Images that are computed together, in the lanes of one vector register.
inline constexpr int lanes = 16;

/// A convolution over maps of `lanes` images, shape (height width lanes, channels): row (y width + x) lanes + n
/// is pixel (y, x) of image n, so that every copy and every sum runs over whole registers, and a map has as
/// many rows as Eigen's matrix product likes. The border is padded with zeros; outputs are ceil(height /
/// stride) x ceil(width / stride). Weights are a matrix (kernel^2 in, out), rows in the order (dy, dx,
/// channel).
struct LaneConv {
  int in = 1;      ///< channels
  int out = 1;     ///< channels
  int kernel = 3;  ///< 3, padded by one, or 1
  int stride = 1;
  int height = 1;       ///< of the input (pixels)
  int width = 1;        ///< of the input (pixels)
  Eigen::Index at = 0;  ///< of the weights in the flat parameter vector

  /// Rows of the output map.
  int out_height() const { return (height + stride - 1) / stride; }
  /// Columns of the output map.
  int out_width() const { return (width + stride - 1) / stride; }
  /// Inputs of one output.
  Eigen::Index fan_in() const { return Eigen::Index{kernel} * kernel * in; }
  /// Numbers in its kernels.
  Eigen::Index weights() const { return fan_in() * out; }
};

/// output <- conv(input). Leaves in `columns` each output's inputs as a row, for lane_conv_backward.
template <class Real>
void lane_conv(const LaneConv& conv, const Real* weights, const MatrixOf<Real>& input, MatrixOf<Real>& columns,
               MatrixOf<Real>& output);

/// Adds d loss / d weights to weight_gradient, given d loss / d output, and where input_gradient is not null
/// (it then has the input's shape) adds d loss / d input to it. `scratch` is overwritten.
template <class Real>
void lane_conv_backward(const LaneConv& conv, const Real* weights, const MatrixOf<Real>& columns,
                        const MatrixOf<Real>& output_gradient, Real* weight_gradient,
                        MatrixOf<Real>* input_gradient, MatrixOf<Real>& scratch);

}  // namespace optinc
