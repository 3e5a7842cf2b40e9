#pragma once

#include "onn/chip/chip.hpp"
#include "onn/hardware/unit_hardware.hpp"
#include "physics/core/enum_names.hpp"

namespace optinc {

/// Which noise of the link acts; with all of them off the chain is the noiseless network.
struct NoiseSwitches {
  bool shot = false;
  bool tia = false;
  bool rin = false;
  bool lock = false;       ///< phases of servers' fibres; linewidth and dither of direct oscillators
  bool converter = false;  ///< steps and noise of the servers' converters; off: ideal comparators
  bool last_only = false;  ///< receivers are noisy at the servers alone, not at neurons or in unit P
  bool jitter = false;     ///< of clocked receivers' sampling instants
  double scale = 1.0;  ///< of every draw for a word: noisier than it is, errors are frequent enough to count

  /// Every source of noise.
  static constexpr NoiseSwitches all() { return {true, true, true, true, true, false, true}; }
  /// Whether receivers draw anything.
  bool any_receiver_noise() const { return shot || tia || rin; }
};

/// Which receivers draw the noise that NoiseSwitches leave on: all, or those on the chip alone. Servers' are
/// silent then and pass on any current (receiver.overload_a does not cut them): a caller adds their noise as
/// often as it likes, and cuts the sum.
enum class NoisyReceivers { all, neurons };

/// Numbers in which fields and currents are computed. float32 draws the same numbers: noise differs by 1e-6 of
/// itself, or by up to a thousandth where light in quadrature is left out (LayerPath::quadrature_counts). Only
/// words at a threshold are decided differently. Light too weak for it is followed in float64.
enum class Arithmetic { float64, float32 };

template <>
inline constexpr EnumNames enum_names<Arithmetic> = {"arithmetic", {"float64", "float32"}};

/// What words are sent through: a design, a chip made from it and settled, the devices around its meshes, the
/// noise that acts, and the numbers in which transmit() follows it. What it refers to must outlive it.
struct LitUnit {
  const ChipDesign& design;
  const ChipState& chip;
  const UnitHardware& hardware;
  NoiseSwitches noise = {};
  Arithmetic arithmetic = Arithmetic::float64;
};

/// Which random numbers a transmission uses, and at which server it is received.
struct TransmissionSeed {
  std::uint64_t seed = 1;
  std::uint32_t chip = 0;
  std::uint32_t server = 0;   ///< T broadcasts the same light; each server's receiver adds noise of its own
  std::uint32_t instant = 0;  ///< when: noise is drawn anew at every instant of a chip's life
  /// Number of the first word of a call, a multiple of 512: settled words sent in parts draw the noise of all
  /// at once. Words in succession have the neighbours of their own call.
  std::uint64_t first_word = 0;
  /// Number of a wavelength channel, whose limiters and oscillators are its own. Its noise is that of its
  /// instant: channels that are to be noisy apart have instants of their own.
  std::uint32_t channel = 0;
};

}  // namespace optinc
