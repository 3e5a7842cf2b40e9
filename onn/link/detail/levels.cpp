#include "onn/link/detail/levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "onn/link/power_path.hpp"
#include "onn/link/unit_p.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/power_divider.hpp"

namespace optinc {

template <class Real>
Real lane_field_per_unit_sqrt_w(const Task& task, const UnitHardware& hardware,
                                const OperatingValues<Real>& values) {
  using std::sqrt;
  const LinkSettings& link = hardware.link;
  if (link.averaging == Averaging::incoherent) return sqrt(values.signal_full_scale_w) / pam4_full_scale_digit;
  // N equal digits leave unit P with sqrt(N) times the field of one
  const double full_scale = link.signed_levels ? pam4_full_scale_digit / 2 : pam4_full_scale_digit;
  return values.drive_depth * sqrt(task.combined() * values.launch_power_w) / full_scale *
         field_ratio_of_loss_db(tree_excess_db(hardware, task.combined()));
}

double lane_field_per_unit_sqrt_w(const Task& task, const UnitHardware& hardware) {
  return lane_field_per_unit_sqrt_w(task, hardware, operating_values(hardware));
}

std::vector<double> nominal_factors(const ChipState& chip) {
  std::vector<double> factors;
  for (const LayerState& layer : chip.layers) factors.push_back(layer.nominal_factor);
  return factors;
}

template <class Real>
FieldsPerUnitOf<Real> fields_per_unit(const ChipDesign& design, const UnitHardware& hardware,
                                      const OperatingValues<Real>& values, std::span<const double> factors,
                                      double visibility) {
  using std::sqrt;
  const PassiveLosses losses = passive_losses(design, hardware);
  const Real lane_unit = visibility * lane_field_per_unit_sqrt_w(design.task, hardware, values);
  const double unit_t = split_field_factor(answer_ends(design.task, hardware)) *
                        field_ratio_of_loss_db(losses.answers_tree_db + losses.coupler_db + losses.fibre_db);
  FieldsPerUnitOf<Real> fields;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    Real least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < layer.lanes.size(); ++i) {
      const LaneDesign& lane = layer.lanes[i];
      const Real field = lane.source < 0 ? lane_unit * split_field_factor(sharing_reads(hardware, lane.copies))
                                         : fields.out[static_cast<std::size_t>(lane.source)];
      least = std::min<Real>(least, field * field_ratio_of_loss_db(losses.lane_db[l][i]));
    }
    const Real behind = least * factors[l] * field_ratio_of_loss_db(losses.fan_db[l] + losses.waveguides_db[l]);
    fields.in.push_back(least);
    fields.received.push_back(layer.ending == LayerEnd::servers ? behind * unit_t : behind);
    fields.out.push_back(layer.received() ? sqrt(values.signal_full_scale_w) / layer.largest_output : behind);
  }
  return fields;
}

FieldsPerUnit fields_per_unit(const ChipDesign& design, const UnitHardware& hardware,
                              std::span<const double> factors, double visibility) {
  return fields_per_unit(design, hardware, operating_values(hardware), factors, visibility);
}

#define OPTINC_INSTANTIATE(Real)                                                                            \
  template Real lane_field_per_unit_sqrt_w(const Task&, const UnitHardware&, const OperatingValues<Real>&); \
  template FieldsPerUnitOf<Real> fields_per_unit(                                                           \
      const ChipDesign&, const UnitHardware&, const OperatingValues<Real>&, std::span<const double>, double);
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(OperatingTangent)
#undef OPTINC_INSTANTIATE

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
