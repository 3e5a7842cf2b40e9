#include "onn/link/light_path.hpp"

#include <cmath>

#include "onn/link/levels.hpp"
#include "physics/devices/power_divider.hpp"

namespace optinc {

FieldBatch apply_transfer(const TransferPlanes& transfer, const FieldBatch& in, bool whole) {
  const bool in_phase = in.im.squaredNorm() == 0.0;  // in one pass: isZero() walks a plane across its rows
  FieldBatch out;
  out.re.noalias() = transfer.re * in.re;
  if (!in_phase) out.re.noalias() -= transfer.im * in.im;
  if (whole) out.im.noalias() = transfer.im * in.re;
  if (whole && !in_phase) out.im.noalias() += transfer.re * in.im;
  return out;
}

namespace {

/// Field in quadrature, of full scale, of modulators that send these levels: eps sqrt(1 - L^2).
Eigen::ArrayXXd leak(const Eigen::ArrayXXd& level, const UnitHardware& hardware) {
  return hardware.modulator.leak * (1 - level.square()).max(0.0).sqrt();
}

}  // namespace

FieldBatch remodulated(const FieldBatch::Plane& values, double largest, const UnitHardware& hardware) {
  const double full_scale = std::sqrt(hardware.link.signal_full_scale_w);
  FieldBatch light(values.rows(), values.cols());
  light.re = full_scale / largest * values;
  if (hardware.modulator.leak > 0) light.im = full_scale * leak(values / largest, hardware);
  return light;
}

std::vector<LayerPath> layer_paths(const LitUnit& unit) {
  const auto& [design, chip, hardware, noise] = unit;
  const LinkSettings& link = hardware.link;
  const double visibility = noise.lock ? std::exp(-link.sigma_lock_rad * link.sigma_lock_rad / 2) : 1.0;
  const FieldsPerUnit units = fields_per_unit(design, link, nominal_factors(chip), visibility);
  std::vector<LayerPath> paths(design.layers.size());
  const std::vector<Eigen::VectorXd> biases = receiver_biases(design, link);
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    LayerPath& path = paths[l];
    path.transfer = {chip.layers[l].transfer.real(), chip.layers[l].transfer.imag()};
    path.inputs_unchanged = true;
    for (int i = 0; i < layer.inputs; ++i) {
      const LaneDesign& lane = layer.lanes[static_cast<std::size_t>(i)];
      const bool from_p = lane.source < 0;
      const auto source = static_cast<std::size_t>(std::max(lane.source, 0));
      const double source_unit =
          from_p ? visibility * lane_field_per_unit_sqrt_w(design.task, link, lane.copies) : units.out[source];
      path.lane_factor.push_back(units.in[l] / source_unit * (from_p ? split_field_factor(lane.copies) : 1.0));
      path.inputs_unchanged = path.inputs_unchanged && lane.source == layer.lanes[0].source && lane.row == i &&
                              path.lane_factor.back() == 1.0;
    }
    const Eigen::Index of_source = layer.lanes[0].source < 0
                                       ? design.task.input_digits()
                                       : design.layers[static_cast<std::size_t>(layer.lanes[0].source)].outputs;
    path.inputs_unchanged = path.inputs_unchanged && layer.inputs == of_source;
    path.bias = biases[l];
    path.gain =
        1.0 / (units.in[l] * chip.layers[l].nominal_factor * homodyne_current_per_field(hardware.receiver));
    if (layer.ending == LayerEnd::servers) path.gain /= split_field_factor(design.task.servers);
  }
  return paths;
}

FieldBatch gathered(const LayerDesign& layer, const LayerPath& path, const FieldBatch& unit_p_lanes,
                    const std::vector<FieldBatch>& light, const std::vector<bool>& received,
                    const UnitHardware& hardware) {
  FieldBatch in(layer.inputs, unit_p_lanes.words());
  const double full_scale = std::sqrt(hardware.link.signal_full_scale_w);
  for (int i = 0; i < layer.inputs; ++i) {
    const LaneDesign& lane = layer.lanes[static_cast<std::size_t>(i)];
    const FieldBatch& from = lane.source < 0 ? unit_p_lanes : light[static_cast<std::size_t>(lane.source)];
    const double factor = path.lane_factor[static_cast<std::size_t>(i)];
    in.re.row(i) = factor * from.re.row(lane.row);
    const bool by_drive = lane.source >= 0 && received[static_cast<std::size_t>(lane.source)];
    if (by_drive && factor != 1 && hardware.modulator.leak > 0)
      in.im.row(i) = full_scale * leak(in.re.row(i) / full_scale, hardware);
    else
      in.im.row(i) = factor * from.im.row(lane.row);
  }
  return in;
}

}  // namespace optinc
