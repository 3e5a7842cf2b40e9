#include "experiments/files/readers/measured_block.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "experiments/files/readers/lumerical.hpp"
#include "physics/circuit/spectrum.hpp"
#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

// Between two frequencies of a block, magnitude and phase of an element are interpolated while the phase turns
// by no more than this: then two rows tell which way it turns. A weak element (that moves by less than this
// share of the largest) goes straight where its phase turns by more than `least_turn_rad`: past a zero it has
// any phase.
constexpr double widest_turn_rad = std::numbers::pi / 2, least_turn_rad = 0.5, widest_chord = 0.1;

/// How an element goes from one row to the next.
enum class Between { turning, straight, unknown };

Between between(Complex from, Complex to, double largest) {
  if (from == Complex(0) || to == Complex(0)) return Between::straight;
  const double turn = std::abs(std::arg(to * std::conj(from)));
  if (turn > least_turn_rad && std::abs(to - from) <= widest_chord * largest) return Between::straight;
  return turn <= widest_turn_rad ? Between::turning : Between::unknown;
}

/// Where a block may be off the most between its rows, and by how much.
struct CoarsePlace {
  double off = 0.0, at_hz = 0.0;
};

/// The error of the interpolation as the bends at both ends of an interval foretell it: of something with the
/// second derivative f'', h^2 f'' / 8 in the middle of a step h. Of a phase, times the field. Intervals that
/// are unknown are left out.
CoarsePlace coarsest(const ScatteringSpectrum& block, double largest) {
  const std::vector<double>& hz = block.frequency_hz;
  CoarsePlace worst;
  for (Eigen::Index e = 0; e < block.s.rows(); ++e) {
    const auto at = [&](std::size_t f) { return block.s(e, static_cast<Eigen::Index>(f)); };
    for (std::size_t f = 1; f + 1 < hz.size(); ++f) {  // the bend at row f
      const Between before = between(at(f - 1), at(f), largest), after = between(at(f), at(f + 1), largest);
      if (before != after || before == Between::unknown) continue;
      const double left = hz[f] - hz[f - 1], right = hz[f + 1] - hz[f], step = std::max(left, right);
      const double scale = step * step / (4 * (left + right));
      const auto bend = [&](auto value) {
        return (value(f + 1) - value(f)) / right - (value(f) - value(f - 1)) / left;
      };
      double off = 0.0;
      if (before == Between::straight) {
        off = scale * std::abs(bend(at));
      } else {
        const auto turn = [&](std::size_t to) { return std::arg(at(to) * std::conj(at(to - 1))); };
        const double of_phase = std::abs(at(f)) * (turn(f + 1) / right - turn(f) / left);
        off = scale * std::hypot(of_phase, bend([&](std::size_t row) { return std::abs(at(row)); }));
      }
      if (off > worst.off) worst = {off, hz[f]};
    }
  }
  return worst;
}

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
      const Between way = between(from[e], to[e], largest);
      validate(
          way != Between::unknown,
          "wavelength_m = {} ({} turns a phase by {:.2g} rad from {:.9g} to {:.9g} THz; at most {:.2g} are "
          "interpolated). Measure more finely, or ask for its own frequencies.",
          wavelengths_m[w], file, std::abs(std::arg(to[e] * std::conj(from[e]))), *(above - 1) / 1e12,
          *above / 1e12, widest_turn_rad);
      // magnitude and phase each, because a chord of a circle would lose light
      s(e, static_cast<Eigen::Index>(w)) =
          way == Between::straight ? from[e] + share * (to[e] - from[e])
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
  const double largest = block->s.cwiseAbs().maxCoeff();
  made.scattering = [block, largest, shown_path = path.string()](const CircuitSettings& changed,
                                                                 std::span<const double> wavelengths_m) {
    validate(changed.empty(),
             "a touchstone block has no setting to change (a file measured it). Leave it out.");
    return interpolated(*block, largest, shown_path, wavelengths_m);
  };
  made.warnings = [block, largest, file = path.filename().string()](const CircuitSettings&) {
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
    constexpr double worth_saying = 0.01;
    if (const CoarsePlace worst = coarsest(*block, largest); worst.off > worth_saying)
      lines.push_back(fmt::format(
          "file: {} is coarse: between its rows near {:.9g} THz, a field may be off by {:.2g} (measure more "
          "finely, or ask for its own frequencies)",
          file, worst.at_hz / 1e12, worst.off));
    return lines;
  };
  return made;
}

}  // namespace optinc
