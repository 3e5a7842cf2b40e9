#include "experiments/files/chips/touchstone_text.hpp"

#include <cmath>

#include "experiments/files/chips/text_frame.hpp"
#include "physics/core/check.hpp"

namespace optinc {

std::string touchstone_text(const Matrix& transfer, const TouchstoneOptions& options, std::string_view title,
                            std::string_view command) {
  const double frequency_hz = options.frequency_hz;
  const Eigen::Index n = transfer.rows(), ports = 2 * n;
  validate(n >= 1 && transfer.cols() == n,
           "matrix of {} x {} (a Touchstone file of 2N ports holds an N x N one). Write .h5 or .csv.", n,
           transfer.cols());
  validate(std::isfinite(frequency_hz) && frequency_hz > 0.0,
           "optical frequency {} Hz (expected a positive one). Give such as 193.4e12.", frequency_hz);
  constexpr std::string_view remarks[] = {
      "ports 1..N inputs, N+1..2N outputs; S = [[0, transpose(T)], [T, 0]]: no reflection, reciprocal"};
  Matrix s = Matrix::Zero(ports, ports);
  s.bottomLeftCorner(n, n) = transfer;
  s.topRightCorner(n, n) = transfer.transpose();
  return touchstone_text({{frequency_hz}, s.reshaped()}, options.convention.value_or(PhaseConvention::rf),
                         title, command, remarks);
}

std::string touchstone_text(const ScatteringSpectrum& spectrum, PhaseConvention convention,
                            std::string_view title, std::string_view command,
                            std::span<const std::string_view> remarks, int version) {
  return text_header('!', title, command, remarks) + touchstone_rows(spectrum, convention, version) +
         text_footer('!');
}

}  // namespace optinc
