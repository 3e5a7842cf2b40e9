#pragma once

#include <vector>

#include "onn/link/transmission.hpp"

namespace optinc {

/// Instants of a symbol that waveforms are looked at: 1/16 of it apart, from half a symbol early on. Early or
/// late for a clocked receiver's sample, and for the middle of an unclocked symbol.
inline constexpr int waveform_instants = samples_per_symbol;
/// Symbols after a symbol's middle at which an instant lies, by its number from 0.
constexpr double waveform_instant(int number) { return number / static_cast<double>(waveform_instants) - 0.5; }

/// Levels that eyes count, in shares of full scale: bins from least to most.
struct EyeLevels {
  static constexpr int count = 80;
  static constexpr double least = -0.5, most = 1.5, width = (most - least) / count;
  /// Level in the middle of a bin, in shares of full scale.
  static constexpr double middle(int bin) { return least + (bin + 0.5) * width; }
};

/// What the receivers of one layer make of words in succession, in shares of full scale (neurons: what drives a
/// modulator fully; servers: digit 3).
struct LayerWaveform {
  /// (instants) rms difference of what goes on, behind rectifiers and ceilings, from settled words without
  /// noise; over receivers and words. Of layers that nothing receives it has no elements.
  Eigen::VectorXd deviation;
  /// (instants, levels) receivers' samples of that level, before rectifiers; levels beyond the bins are left
  /// out.
  Eigen::MatrixXd eye;
  double settled_deviation = 0.0;  ///< the same difference of settled words with noise

  /// At its best instant.
  double least_deviation() const { return deviation.minCoeff(); }
};

/// The waveforms of every layer, by sending the words in time, clocked or not, and settled. Interference and
/// noise of the layers before are part of a layer's own. Noise at the instants of a clocked symbol is drawn for
/// each of them alone. Throws Error where transmit() does, and for settled words, which have no shape in time.
std::vector<LayerWaveform> layer_waveforms(const LitUnit& unit, const Codes& codes,
                                           const TransmissionSeed& seed);

}  // namespace optinc
