#include "experiments/files/chips/touchstone_text.hpp"

#include <cmath>
#include <iterator>

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
  const Eigen::Index ports = spectrum.ports();
  const bool by_columns = ports == 2 && version == 1;  // 2-ports of version 1, and them alone
  std::string text = text_header('!', title, command, remarks);
  text += fmt::format("! {}: {}\n", phase_convention_entry, phase_convention_text(convention));
  const auto out = std::back_inserter(text);
  if (version == 2) text += "[Version] 2.0\n";
  text += "# GHz S RI R 50\n";
  if (version == 2) {
    fmt::format_to(out, "[Number of Ports] {}\n", ports);
    if (ports == 2) text += "[Two-Port Data Order] 12_21\n";
    fmt::format_to(out, "[Number of Frequencies] {}\n[Matrix Format] Full\n[Network Data]\n",
                   spectrum.frequency_hz.size());
  }
  for (std::size_t f = 0; f < spectrum.frequency_hz.size(); ++f) {
    const auto s = spectrum.s.col(static_cast<Eigen::Index>(f)).reshaped(ports, ports);
    fmt::format_to(out, "{}", spectrum.frequency_hz[f] / 1e9);
    for (Eigen::Index row = 0; row < ports; ++row)
      for (Eigen::Index column = 0; column < ports; ++column) {
        // every row on a new line, at most four complex numbers a line
        if (ports != 2 && column % 4 == 0 && row + column > 0) text += "\n";
        const Complex ours = by_columns ? s(column, row) : s(row, column);
        const Complex value = convention == PhaseConvention::optics ? ours : conjugated(ours);
        fmt::format_to(out, " {} {}", value.real(), value.imag());
      }
    text += "\n";
  }
  if (version == 2) text += "[End]\n";
  return text + text_footer('!');
}

}  // namespace optinc
