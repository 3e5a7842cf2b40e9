#pragma once

#include <span>
#include <vector>

#include "onn/chip/chip.hpp"
#include "onn/hardware/operating_values.hpp"
#include "onn/hardware/unit_hardware.hpp"

// How a value is carried by light: the field of a signal of value 1 on its way from layer to layer.

namespace optinc {

/// Field of a lane of unit P of value 1, sqrt(W), before it is split for its reads: sqrt(N launch power)/3 less
/// the combiners' excess loss; twice that with signed levels. Of an incoherent average, behind each read's
/// modulator: sqrt(signal full scale)/3.
double lane_field_per_unit_sqrt_w(const Task& task, const UnitHardware& hardware);
/// The same at other settings. Real: double, or a number with derivatives.
template <class Real>
Real lane_field_per_unit_sqrt_w(const Task& task, const UnitHardware& hardware,
                                const OperatingValues<Real>& values);

/// nominal_factor of every layer.
std::vector<double> nominal_factors(const ChipState& chip);

/// Field of a signal of value 1, sqrt(W), (layers) each: at the inputs, all of them dimmed to the weakest of
/// their lanes; at the receivers behind it, the servers' where it ends there; and as the layers that read it
/// find it.
template <class Real>
struct FieldsPerUnitOf {
  std::vector<Real> in, received, out;
};
using FieldsPerUnit = FieldsPerUnitOf<double>;

/// Follows a signal of value 1 through the unit, layer by layer, with every loss on its way (passive_losses):
///
///   in_l       = min over lanes of  lane loss x (visibility x lane_field_per_unit_sqrt_w / sqrt(copies), or
///                out of its layer),
///   received_l = in_l x factor_l x layer loss   (x loss of unit T / sqrt(N) where servers receive it),
///   out_l      = sqrt(full scale)/(largest magnitude of its outputs)   behind receivers,
///   out_l      = received_l                                            where no receiver stands.
///
/// `factors`: nominal field ratio of every layer's meshes (nominal_factors). `visibility`: mean of unit P's
/// fields over lock errors, which calibration sees.
FieldsPerUnit fields_per_unit(const ChipDesign& design, const UnitHardware& hardware,
                              std::span<const double> factors, double visibility = 1.0);
/// The same at other settings.
template <class Real>
FieldsPerUnitOf<Real> fields_per_unit(const ChipDesign& design, const UnitHardware& hardware,
                                      const OperatingValues<Real>& values, std::span<const double> factors,
                                      double visibility);

/// What the receivers behind every layer add to what they see, (layers)(outputs): the network's bias, and the
/// part of the averages that signed levels leave out of the light (dark_digit). Layers without receivers: of no
/// meaning.
std::vector<Eigen::VectorXd> receiver_biases(const ChipDesign& design, const LinkSettings& link);

}  // namespace optinc
