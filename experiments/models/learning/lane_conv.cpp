#include "experiments/models/learning/lane_conv.hpp"

#include <algorithm>

namespace optinc {
namespace {

/// Calls run(row of the columns, row of the input or -1 on the padding, registers in a line, step of the input
/// between them) for every line of outputs of one tap that can be copied as a whole.
template <class Run>
void lines_of_tap(const LaneConv& c, int dy, int dx, const Run& run) {
  const int pad = c.kernel / 2, rows = c.out_height(), cols = c.out_width();
  // x stride + dx - pad must lie in 0..width - 1
  const int first = dx < pad ? (pad - dx + c.stride - 1) / c.stride : 0;
  const int last = std::min(cols - 1, (c.width - 1 + pad - dx) / c.stride);
  for (int y = 0; y < rows; ++y) {
    const int from = y * c.stride + dy - pad;
    const Eigen::Index to = Eigen::Index{y} * cols;
    if (from < 0 || from >= c.height) {
      run(to, Eigen::Index{-1}, cols);
      continue;
    }
    if (first > 0) run(to, Eigen::Index{-1}, first);
    if (last >= first)
      run(to + first, Eigen::Index{from} * c.width + first * c.stride + dx - pad, last - first + 1);
    if (last + 1 < cols) run(to + last + 1, Eigen::Index{-1}, cols - 1 - last);
  }
}

template <class Real>
using Lane = Eigen::Map<Eigen::Array<Real, lanes, 1>>;

template <class Real>
void gather(const LaneConv& c, const MatrixOf<Real>& input, MatrixOf<Real>& columns) {
  columns.resize(Eigen::Index{c.out_height()} * c.out_width() * lanes, c.fan_in());
  Eigen::Index column = 0;
  for (int dy = 0; dy < c.kernel; ++dy) {
    for (int dx = 0; dx < c.kernel; ++dx) {
      for (int channel = 0; channel < c.in; ++channel, ++column) {
        Real* const to = columns.col(column).data();
        const Real* const from = input.col(channel).data();
        lines_of_tap(c, dy, dx, [&](Eigen::Index row, Eigen::Index source, int count) {
          if (source < 0) {
            std::fill_n(to + row * lanes, count * lanes, Real{0});
          } else if (c.stride == 1) {
            std::copy_n(from + source * lanes, count * lanes, to + row * lanes);
          } else {
            for (int i = 0; i < count; ++i)
              std::copy_n(from + (source + i * c.stride) * lanes, lanes, to + (row + i) * lanes);
          }
        });
      }
    }
  }
}

/// The transpose of gather.
template <class Real>
void scatter(const LaneConv& c, MatrixOf<Real>& columns, MatrixOf<Real>& input) {
  Eigen::Index column = 0;
  for (int dy = 0; dy < c.kernel; ++dy) {
    for (int dx = 0; dx < c.kernel; ++dx) {
      for (int channel = 0; channel < c.in; ++channel, ++column) {
        Real* const from = columns.col(column).data();
        Real* const to = input.col(channel).data();
        lines_of_tap(c, dy, dx, [&](Eigen::Index row, Eigen::Index target, int count) {
          if (target < 0) return;
          for (int i = 0; i < count; ++i)
            Lane<Real>(to + (target + i * c.stride) * lanes) += Lane<Real>(from + (row + i) * lanes);
        });
      }
    }
  }
}

}  // namespace

template <class Real>
void lane_conv(const LaneConv& conv, const Real* weights, const MatrixOf<Real>& input, MatrixOf<Real>& columns,
               MatrixOf<Real>& output) {
  gather(conv, input, columns);
  output.noalias() = columns * Eigen::Map<const MatrixOf<Real>>(weights, conv.fan_in(), conv.out);
}

template <class Real>
void lane_conv_backward(const LaneConv& conv, const Real* weights, const MatrixOf<Real>& columns,
                        const MatrixOf<Real>& output_gradient, Real* weight_gradient,
                        MatrixOf<Real>* input_gradient, MatrixOf<Real>& scratch) {
  Eigen::Map<MatrixOf<Real>>(weight_gradient, conv.fan_in(), conv.out).noalias() +=
      columns.transpose() * output_gradient;
  if (input_gradient == nullptr) return;
  scratch.noalias() =
      output_gradient * Eigen::Map<const MatrixOf<Real>>(weights, conv.fan_in(), conv.out).transpose();
  scatter(conv, scratch, *input_gradient);
}

template void lane_conv(const LaneConv&, const float*, const MatrixOf<float>&, MatrixOf<float>&,
                        MatrixOf<float>&);
template void lane_conv(const LaneConv&, const double*, const MatrixOf<double>&, MatrixOf<double>&,
                        MatrixOf<double>&);
template void lane_conv_backward(const LaneConv&, const float*, const MatrixOf<float>&, const MatrixOf<float>&,
                                 float*, MatrixOf<float>*, MatrixOf<float>&);
template void lane_conv_backward(const LaneConv&, const double*, const MatrixOf<double>&,
                                 const MatrixOf<double>&, double*, MatrixOf<double>*, MatrixOf<double>&);

}  // namespace optinc
