#include "experiments/files/readers/measured_block.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "experiments/files/readers/lumerical.hpp"
#include "physics/circuit/spectrum.hpp"
#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

// Between two frequencies of a block: a phase turns, or a weak element (of the largest) moves, by no more than
// this.
constexpr double widest_turn_rad = 0.5, widest_chord = 0.1;

/// How far outside its frequencies a block is still at its edge: what the digits of the file leave open.
double edge_hz(const ScatteringSpectrum& block) {
  const double most_hz = block.frequency_hz.back();
  constexpr double rounding = 1e-9, coarsest = 1e-7;  // of a frequency that was written as a wavelength; of any
  return std::clamp(block.digit_hz, rounding * most_hz, coarsest * most_hz);
}

/// S of a measured block at some wavelengths. `largest`: |S| of all its elements.
Matrix interpolated(const ScatteringSpectrum& block, double largest, const std::string& file,
                    std::span<const double> wavelengths_m) {
  const std::vector<double>& known = block.frequency_hz;
  const double edge = edge_hz(block);
  Matrix s(block.s.rows(), static_cast<Eigen::Index>(wavelengths_m.size()));
  for (std::size_t w = 0; w < wavelengths_m.size(); ++w) {
    const double asked = constants::speed_of_light_m_per_s / wavelengths_m[w];
    validate(asked >= known.front() - edge && asked <= known.back() + edge,
             "wavelength_m = {} ({:.12g} THz; {} goes from {:.12g} to {:.12g} THz). Stay inside.",
             wavelengths_m[w], asked / 1e12, file, known.front() / 1e12, known.back() / 1e12);
    const double hz = std::clamp(asked, known.front(), known.back());
    constexpr double rounding = 1e-9;
    const auto above = std::ranges::lower_bound(known, hz * (1 - rounding));
    const auto upper = static_cast<Eigen::Index>(above - known.begin());
    if (*above <= hz * (1 + rounding)) {
      s.col(static_cast<Eigen::Index>(w)) = block.s.col(upper);
      continue;
    }
    const auto from = block.s.col(upper - 1), to = block.s.col(upper);
    const double share = (hz - *(above - 1)) / (*above - *(above - 1));
    for (Eigen::Index e = 0; e < s.rows(); ++e) {
      const double turn = std::abs(std::arg(to[e] * std::conj(from[e])));
      validate(turn <= widest_turn_rad || std::abs(to[e] - from[e]) <= widest_chord * largest,
               "wavelength_m = {} ({} turns a phase by {:.2g} rad from {:.9g} to {:.9g} THz; at most {} are "
               "interpolated). Measure more finely, or ask for its own frequencies.",
               wavelengths_m[w], file, turn, *(above - 1) / 1e12, *above / 1e12, widest_turn_rad);
      // magnitude and phase each, because a chord of a circle would lose light; straight past a zero
      s(e, static_cast<Eigen::Index>(w)) =
          turn > widest_turn_rad || from[e] == Complex(0)
              ? from[e] + share * (to[e] - from[e])
              : from[e] * std::polar(1.0 + share * (std::abs(to[e] / from[e]) - 1.0),
                                     share * std::arg(to[e] * std::conj(from[e])));
    }
  }
  return s;
}

}  // namespace

CircuitComponent measured_block_component(const std::filesystem::path& path, const BlockOptions& options) {
  CircuitComponent made;
  ScatteringSpectrum read;
  if (is_lumerical(path)) {
    LumericalBlock theirs = read_lumerical(path, options.convention);
    made.ports = std::move(theirs.ports);
    read = std::move(theirs.spectrum);
  } else {
    read = read_touchstone_spectrum(path, options.convention);
    for (Eigen::Index p = 1; p <= read.ports(); ++p) made.ports.push_back(fmt::format("port{}", p));
  }
  if (options.passive)
    for (Eigen::Index f = 0; f < read.s.cols(); ++f) {
      const Matrix nearest = nearest_passive(read.s.col(f).reshaped(read.ports(), read.ports()));
      read.s.col(f) = nearest.reshaped();
    }
  const auto block = std::make_shared<const ScatteringSpectrum>(std::move(read));
  made.scattering = [block, largest = block->s.cwiseAbs().maxCoeff(), shown_path = path.string()](
                        const CircuitSettings& changed, std::span<const double> wavelengths_m) {
    validate(changed.empty(),
             "a touchstone block has no setting to change (a file measured it). Leave it out.");
    return interpolated(*block, largest, shown_path, wavelengths_m);
  };
  made.warnings = [block, file = path.filename().string()](const CircuitSettings&) {
    constexpr double of_digits = 1e-6;  // files have six digits or more
    double most = 1.0 + of_digits, at_hz = 0.0;
    for (Eigen::Index f = 0; f < block->s.cols(); ++f)
      if (const double out = largest_output(block->s.col(f).reshaped(block->ports(), block->ports()));
          out > most) {
        most = out;
        at_hz = block->frequency_hz[static_cast<std::size_t>(f)];
      }
    std::vector<std::string> lines;
    if (at_hz > 0)
      lines.push_back(
          fmt::format("file: {} is not passive: at {:.9g} THz it gives {:.6g} times the power that enters "
                      "(noise, calibration, or gain; passive: true takes the nearest "
                      "passive block)",
                      file, at_hz / 1e12, most));
    return lines;
  };
  return made;
}

}  // namespace optinc
