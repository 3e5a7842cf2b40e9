#include "onn/link/detail/levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

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

namespace {

/// Losses of every layer's lanes, dB (PassiveLosses::lane_db), of light that waits for receivers. Waits are
/// piecewise linear in the receivers' delay: their slope is that between two delays.
std::vector<std::vector<double>> lane_losses_db(const ChipDesign&, const UnitHardware&,
                                                const PassiveLosses& losses, const OperatingValues<double>&) {
  return losses.lane_db;
}
std::vector<std::vector<OperatingTangent>> lane_losses_db(const ChipDesign& design,
                                                          const UnitHardware& hardware,
                                                          const PassiveLosses& losses,
                                                          const OperatingValues<OperatingTangent>& values) {
  std::vector<std::vector<OperatingTangent>> found;
  for (const auto& of_layer : losses.lane_db) found.emplace_back(of_layer.begin(), of_layer.end());
  const UnitHardware neurons = neuron_hardware(hardware);
  const OperatingValues<OperatingTangent> of_neurons = neuron_values(values);
  const double now_s = receiver_delay_s(neurons), later_s = 1e-3 * now_s;
  std::vector<double> through_s, later_through_s;
  for (const LayerDelay& delay : layer_delays(design, hardware)) {
    through_s.push_back(delay.total_s());
    later_through_s.push_back(delay.total_s() + (delay.receivers_s > 0 ? later_s : 0.0));
  }
  const Schedule times = schedule(design, through_s, hardware.link.skew),
                 later = schedule(design, later_through_s, hardware.link.skew);
  constexpr double one_s = 1e-9, no_slope = 1e-9;
  const double db_per_s = waveguide_loss_db(delay_line(hardware, one_s)) / one_s;
  std::optional<OperatingTangent> delay_s;
  for (std::size_t l = 0; l < found.size(); ++l)
    for (std::size_t i = 0; i < found[l].size(); ++i) {
      const double slope = (later.waits_s(design, l, i) - times.waits_s(design, l, i)) / later_s;
      if (std::abs(slope) < no_slope) continue;
      if (!delay_s && hardware.timing.sampling == Sampling::clocked) {
        const StageChannel<OperatingTangent> channel = stage_channel(neurons, of_neurons);
        delay_s = channel.delay_s + static_cast<double>(channel.equaliser_before) / values.symbol_rate_bd;
      } else if (!delay_s) {
        delay_s = now_s * neurons.receiver.front_end.bandwidth_hz / of_neurons.bandwidth_hz;
      }
      for (std::size_t k = 0; k < operating_variables; ++k)
        found[l][i].slope[k] += slope * db_per_s * delay_s->slope[k];
    }
  return found;
}

template <class Real>
Real field_ratio(const Real& loss_db) {
  using std::exp;
  return exp(-std::numbers::ln10 / 20 * loss_db);
}

}  // namespace

template <class Real>
FieldsPerUnitOf<Real> fields_per_unit(const ChipDesign& design, const UnitHardware& hardware,
                                      const OperatingValues<Real>& values, std::span<const double> factors,
                                      double visibility) {
  using std::sqrt;
  const PassiveLosses losses = passive_losses(design, hardware);
  const auto lane_db = lane_losses_db(design, hardware, losses, values);
  const Real lane_unit = visibility * lane_field_per_unit_sqrt_w(design.task, hardware, values);
  const double unit_t = split_field_factor(answer_ends(design.task, hardware)) *
                        field_ratio_of_loss_db(losses.answers_tree_db +
                                               losses.answer_passages * (losses.coupler_db + losses.fibre_db));
  FieldsPerUnitOf<Real> fields;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    Real least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < layer.lanes.size(); ++i) {
      const LaneDesign& lane = layer.lanes[i];
      const Real field = lane.source < 0 ? lane_unit * split_field_factor(sharing_reads(hardware, lane.copies))
                                         : fields.out[static_cast<std::size_t>(lane.source)];
      least = std::min<Real>(least, field * field_ratio(lane_db[l][i]));
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
