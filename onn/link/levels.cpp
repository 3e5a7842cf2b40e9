#include "onn/link/levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "onn/link/unit_p.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/power_divider.hpp"

namespace optinc {

double lane_field_per_unit_sqrt_w(const Task& task, const LinkSettings& link, int copies) {
  // N equal digits leave unit P with sqrt(N) times the field of one
  const double full_scale = link.signed_levels ? pam4_full_scale_digit / 2 : pam4_full_scale_digit;
  return std::sqrt(task.servers * link.launch_power_w) / full_scale * split_field_factor(copies);
}

std::vector<double> nominal_factors(const ChipState& chip) {
  std::vector<double> factors;
  for (const LayerState& layer : chip.layers) factors.push_back(layer.nominal_factor);
  return factors;
}

FieldsPerUnit fields_per_unit(const ChipDesign& design, const LinkSettings& link,
                              std::span<const double> through, double visibility, const LaneRatio& ratio) {
  FieldsPerUnit fields;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < layer.lanes.size(); ++i) {
      const LaneDesign& lane = layer.lanes[i];
      const double field = lane.source < 0
                               ? visibility * lane_field_per_unit_sqrt_w(design.task, link, lane.copies)
                               : fields.out[static_cast<std::size_t>(lane.source)];
      least = std::min(least, ratio ? field * ratio(l, i) : field);
    }
    fields.in.push_back(least);
    fields.out.push_back(layer.received() ? std::sqrt(link.signal_full_scale_w) / layer.largest_output
                                          : least * through[l]);
  }
  return fields;
}

std::vector<Eigen::VectorXd> receiver_biases(const ChipDesign& design, const LinkSettings& link) {
  std::vector<Eigen::VectorXd> biases, left_out;  // left_out: value that a layer's light lacks
  for (const LayerDesign& layer : design.layers) {
    Eigen::VectorXd lacking(layer.inputs);
    for (int i = 0; i < layer.inputs; ++i) {
      const LaneDesign& lane = layer.lanes[static_cast<std::size_t>(i)];
      lacking[i] =
          lane.source < 0 ? dark_digit(link) : left_out[static_cast<std::size_t>(lane.source)][lane.row];
    }
    const Eigen::VectorXd shift = layer.weight * lacking;
    biases.push_back(layer.bias + shift);
    left_out.push_back(layer.received() ? Eigen::VectorXd::Zero(layer.outputs) : shift);
  }
  return biases;
}

}  // namespace optinc
