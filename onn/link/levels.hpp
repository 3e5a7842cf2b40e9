#pragma once

#include <functional>
#include <span>
#include <vector>

#include "onn/chip/chip.hpp"
#include "onn/hardware/unit_hardware.hpp"

// How a value is carried by light: the field of a signal of value 1 on its way from layer to layer.

namespace optinc {

/// Field of a lane of unit P of value 1, sqrt(W), where its light is split for so many reads: sqrt(N launch
/// power)/3, over sqrt(copies); twice that with signed levels.
double lane_field_per_unit_sqrt_w(const Task& task, const LinkSettings& link, int copies = 1);

/// nominal_factor of every layer.
std::vector<double> nominal_factors(const ChipState& chip);

/// Field of a signal of value 1 at the inputs and behind every layer, sqrt(W), (layers) each. All inputs of a
/// layer are dimmed to the weakest of its lanes.
struct FieldsPerUnit {
  std::vector<double> in, out;
};

/// Field ratio, at most 1, that one input of a layer loses on its way to the layer beside what a design knows
/// of.
using LaneRatio = std::function<double(std::size_t layer, std::size_t input)>;

/// Follows a signal of value 1 through the chip, layer by layer:
///
///   in_l  = min over lanes of  ratio(lane) x (visibility x lane_field_per_unit_sqrt_w, or out of its layer),
///
///   out_l = sqrt(full scale)/(largest magnitude of its outputs)  behind receivers,
///
///   out_l = in_l x through_l                                     where no receiver stands.
///
/// `through`: field ratio of every layer (nominal_factors, or with losses that they leave out). `visibility`:
/// mean of unit P's fields over lock errors, which calibration sees.
FieldsPerUnit fields_per_unit(const ChipDesign& design, const LinkSettings& link,
                              std::span<const double> through, double visibility = 1.0,
                              const LaneRatio& ratio = {});

/// What the receivers behind every layer add to what they see, (layers)(outputs): the network's bias, and the
/// part of the averages that signed levels leave out of the light (dark_digit). Layers without receivers: of no
/// meaning.
std::vector<Eigen::VectorXd> receiver_biases(const ChipDesign& design, const LinkSettings& link);

}  // namespace optinc
