#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "onn/hardware/unit_hardware.hpp"
#include "physics/core/tangent.hpp"

namespace optinc {

/// How many settings of an operator's are continuous.
inline constexpr std::size_t operating_variables = 14;

/// The continuous settings that the operator of a unit chooses, apart from its devices: light, drives,
/// converters, bandwidth and rate. Real: double, or a number with derivatives. Formulas that are templates over
/// Real take these and, for everything else, the UnitHardware.
template <class Real>
struct OperatingValues {
  Real launch_power_w{};                              ///< link.launch_power_w
  Real drive_depth{};                                 ///< link.drive_depth
  Real signal_full_scale_w{};                         ///< link.signal_full_scale_w, neurons' light
  Real oscillator_w{};                                ///< receiver.lo_power_w
  Real converter_bits{};                              ///< converter.effective_bits
  Real bandwidth_hz{};                                ///< receiver.bandwidth_hz
  Real symbol_rate_bd{};                              ///< time.symbol_rate_bd
  Real neuron_oscillator_w{}, neuron_bandwidth_hz{};  ///< NeuronSettings; 0: as the servers'
  Real owner_launch_power_w{}, owner_oscillator_w{}, owner_converter_bits{}, owner_drive_depth{},
      owner_bandwidth_hz{};  ///< OwnerSettings; 0: as the unit

  /// All of them, in this order.
  std::array<Real*, operating_variables> all() {
    return {&launch_power_w,      &drive_depth,          &signal_full_scale_w, &oscillator_w,
            &converter_bits,      &bandwidth_hz,         &symbol_rate_bd,      &neuron_oscillator_w,
            &neuron_bandwidth_hz, &owner_launch_power_w, &owner_oscillator_w,  &owner_converter_bits,
            &owner_drive_depth,   &owner_bandwidth_hz};
  }
};

/// Keys of the values, in their order.
inline constexpr std::array<std::string_view, operating_variables> operating_keys = {
    "link.launch_power_w",      "link.drive_depth",      "link.signal_full_scale_w", "receiver.lo_power_w",
    "converter.effective_bits", "receiver.bandwidth_hz", "time.symbol_rate_bd",      "neuron.oscillator_w",
    "neuron.bandwidth_hz",      "owner.launch_power_w",  "owner.oscillator_w",       "owner.converter_bits",
    "owner.drive_depth",        "owner.bandwidth_hz"};

/// A number with a derivative in each of them.
using OperatingTangent = Tangent<double, static_cast<int>(operating_variables)>;

/// Those of a unit.
OperatingValues<double> operating_values(const UnitHardware& hardware);
/// A unit with these in place of its own.
UnitHardware with_values(UnitHardware hardware, OperatingValues<double> values);

/// Each of them as the variable of its number.
OperatingValues<OperatingTangent> as_variables(OperatingValues<double> values);

/// The settings of an owner that sends its answers on (owner_hardware()): its own, where they are not 0.
template <class Real>
OperatingValues<Real> owner_values(OperatingValues<Real> v) {
  if (value_of(v.owner_launch_power_w) > 0) v.launch_power_w = v.owner_launch_power_w;
  if (value_of(v.owner_oscillator_w) > 0) v.oscillator_w = v.owner_oscillator_w;
  if (value_of(v.owner_converter_bits) > 0) v.converter_bits = v.owner_converter_bits;
  if (value_of(v.owner_drive_depth) > 0) v.drive_depth = v.owner_drive_depth;
  if (value_of(v.owner_bandwidth_hz) > 0) v.bandwidth_hz = v.owner_bandwidth_hz;
  return v;
}

/// The settings of neurons' receivers (neuron_hardware()): their own, where they are not 0.
template <class Real>
OperatingValues<Real> neuron_values(OperatingValues<Real> v) {
  if (value_of(v.neuron_oscillator_w) > 0) v.oscillator_w = v.neuron_oscillator_w;
  if (value_of(v.neuron_bandwidth_hz) > 0) v.bandwidth_hz = v.neuron_bandwidth_hz;
  return v;
}

/// Clocked channel of a stage, stage_channel(), in numbers that may carry derivatives.
template <class Real>
struct StageChannel {
  std::vector<Real> response, slope;  ///< as those of ClockedChannel
  std::vector<Real> equaliser;
  int response_before = 0, equaliser_before = 0;
  Real noise_gain2{1.0};  ///< variance behind the equaliser of receiver noise of variance 1
  Real delay_s{};         ///< from the start of a symbol to its own sample
};

/// That of a unit at these settings; of settled words, a channel that does nothing.
template <class Real>
StageChannel<Real> stage_channel(const UnitHardware& hardware, const OperatingValues<Real>& values);

}  // namespace optinc
