#include "onn/link/detail/light_path.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "onn/link/detail/levels.hpp"
#include "onn/link/detail/receiver_variance.hpp"
#include "onn/link/power_path.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/modulator.hpp"

namespace optinc {

template <class Real>
FieldBatchOf<Real> apply_transfer(const TransferPlanes<Real>& transfer, const FieldBatchOf<Real>& in,
                                  bool whole) {
  const bool in_phase = in.im.size() == 0 || in.im.squaredNorm() == 0;  // isZero() walks across the rows
  FieldBatchOf<Real> out;
  out.re.noalias() = transfer.re * in.re;
  if (!in_phase) out.re.noalias() -= transfer.im * in.im;
  if (whole) out.im.noalias() = transfer.im * in.re;
  if (whole && !in_phase) out.im.noalias() += transfer.re * in.im;
  return out;
}

namespace {

/// Field in single precision whose square is far from underflow, sqrt(W).
constexpr double least_float_field = 1e-16;

/// Whether light in quadrature can change the noise of a receiver by more than a thousandth, and so its
/// variance by two, where a layer reads real drives alone.
template <class Real>
bool raises_noise(const TransferPlanes<Real>& transfer, const UnitHardware& hardware,
                  const NoiseSwitches& noise) {
  const ReceiverVariance variance = receiver_variance(hardware.receiver, noise);
  const double most = transfer.im.cwiseAbs().rowwise().sum().maxCoeff();
  return variance.per_watt_a2 * most * most * hardware.link.signal_full_scale_w > 2e-3 * variance.dark_a2;
}

/// What fields and gains of a unit follow from: a value of 1 on its way, and the losses that it meets.
struct LightBudget {
  double visibility;  ///< mean of unit P's fields over lock errors
  FieldsPerUnit units;
  PassiveLosses losses;
};

LightBudget light_budget(const LitUnit& unit) {
  const auto& [design, chip, hardware, noise, arithmetic] = unit;
  const double sigma = noise.scale * lock_rms_rad(hardware);
  const double visibility = noise.lock ? std::exp(-sigma * sigma / 2) : 1.0;
  return {visibility, fields_per_unit(design, hardware, nominal_factors(chip), visibility),
          passive_losses(design, hardware)};
}

/// Sets what a layer's path says of its lanes, one by one.
template <class Real>
void set_lanes(LayerPath<Real>& path, const LitUnit& unit, const LightBudget& budget, std::size_t number) {
  const auto& [design, chip, hardware, noise, arithmetic] = unit;
  const std::vector<LaneDesign>& lanes = design.layers[number].lanes;
  const double full_scale = std::sqrt(hardware.link.signal_full_scale_w);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const bool of_unit_p = lanes[i].source < 0;
    const auto source = static_cast<std::size_t>(std::max(lanes[i].source, 0));
    const double source_unit = of_unit_p ? budget.visibility * lane_field_per_unit_sqrt_w(design.task, hardware)
                                         : budget.units.out[source];
    path.lane_driven.push_back(of_unit_p ? hardware.link.averaging == Averaging::incoherent
                                         : design.layers[source].received());
    path.lane_full_scale.push_back(full_scale * field_ratio_of_loss_db(budget.losses.lane_db[number][i]));
    path.lane_factor.push_back(budget.units.in[number] / source_unit);
  }
}

/// Whether a layer's inputs are all outputs of one layer (or of unit P), in order and undimmed, and modulators
/// send their drive.
template <class Real>
bool reads_one_source_unchanged(const LitUnit& unit, const std::vector<LayerPath<Real>>& paths,
                                std::size_t number) {
  const LayerDesign& layer = unit.design.layers[number];
  const LayerPath<Real>& path = paths[number];
  const int source = layer.lanes[0].source;
  if (layer.inputs != (source < 0 ? unit.design.task.input_digits()
                                  : unit.design.layers[static_cast<std::size_t>(source)].outputs))
    return false;
  for (int i = 0; i < layer.inputs; ++i) {
    const LaneDesign& lane = layer.lanes[static_cast<std::size_t>(i)];
    if (lane.source != source || lane.row != i || path.lane_factor[static_cast<std::size_t>(i)] != 1.0)
      return false;
  }
  if (!path.lane_driven[0]) return true;
  const MzmSettings& modulator = unit.hardware.modulator;
  return modulator.linearised && modulator.leak == 0 &&  // a drive that is dimmed elsewhere is cut at each read
         (source < 0 || paths[static_cast<std::size_t>(source)].undimmed);
}

}  // namespace

bool single_precision_follows(const LitUnit& unit) {
  const FieldsPerUnit units = fields_per_unit(unit.design, unit.hardware, nominal_factors(unit.chip));
  return std::ranges::all_of(units.received, [](double field) { return field >= least_float_field; });
}

template <class Real>
std::vector<LayerPath<Real>> layer_paths(const LitUnit& unit) {
  const auto& [design, chip, hardware, noise, arithmetic] = unit;
  const LightBudget budget = light_budget(unit);
  const FieldsPerUnit& units = budget.units;
  std::vector<LayerPath<Real>> paths(design.layers.size());
  const std::vector<Eigen::VectorXd> biases = receiver_biases(design, hardware.link);
  for (std::size_t l = 0; l < paths.size(); ++l) {
    LayerPath<Real>& path = paths[l];
    path.passed = units.received[l] / (units.in[l] * chip.layers[l].nominal_factor);
    path.transfer = {(path.passed * chip.layers[l].transfer.real()).template cast<Real>(),
                     (path.passed * chip.layers[l].transfer.imag()).template cast<Real>()};
    const UnitHardware of_layer = layer_hardware(design.layers[l], hardware);
    path.gain = 1.0 / (units.received[l] * homodyne_current_per_field(of_layer.receiver));
    path.bias = biases[l].template cast<Real>();
    set_lanes(path, unit, budget, l);
    if constexpr (std::is_same_v<Real, float>)
      path.quadrature_counts = hardware.modulator.leak != 0 ||
                               std::ranges::find(path.lane_driven, false) != path.lane_driven.end() ||
                               raises_noise(path.transfer, of_layer, noise);
  }
  for (std::size_t l = 0; l < paths.size(); ++l)
    for (std::size_t i = 0; i < paths[l].lane_factor.size(); ++i)
      if (const int source = design.layers[l].lanes[i].source; source >= 0 && paths[l].lane_factor[i] != 1.0)
        paths[static_cast<std::size_t>(source)].undimmed = false;
  for (std::size_t l = 0; l < paths.size(); ++l)
    paths[l].inputs_unchanged = reads_one_source_unchanged(unit, paths, l);
  return paths;
}

template <class Real>
FieldBatchOf<Real> gathered(const LayerDesign& layer, const LayerPath<Real>& path,
                            const FieldBatchOf<Real>& unit_p_lanes,
                            const std::vector<FieldBatchOf<Real>>& behind, const MzmSettings& modulator) {
  FieldBatchOf<Real> in(layer.inputs, unit_p_lanes.words());
  for (int i = 0; i < layer.inputs; ++i) {
    const LaneDesign& lane = layer.lanes[static_cast<std::size_t>(i)];
    const auto source = static_cast<std::size_t>(std::max(lane.source, 0));
    const FieldBatchOf<Real>& from = lane.source < 0 ? unit_p_lanes : behind[source];
    const auto factor = static_cast<Real>(path.lane_factor[static_cast<std::size_t>(i)]);
    const auto sent = static_cast<Real>(path.lane_full_scale[static_cast<std::size_t>(i)]);
    in.re.row(i) = factor * from.re.row(lane.row);
    if (!path.lane_driven[static_cast<std::size_t>(i)])
      in.im.row(i) = factor * from.im.row(lane.row);
    else if (modulator.linearised && modulator.leak == 0)
      in.re.row(i) = in.re.row(i).cwiseMax(-sent).cwiseMin(sent);
    else
      for (Eigen::Index w = 0; w < in.words(); ++w) {
        const Complex field = mzm_field_of_level(modulator, in.re(i, w) / sent);
        in.re(i, w) = sent * static_cast<Real>(field.real());
        in.im(i, w) = sent * static_cast<Real>(field.imag());
      }
  }
  return in;
}

#define OPTINC_INSTANTIATE(Real)                                                                              \
  template FieldBatchOf<Real> apply_transfer(const TransferPlanes<Real>&, const FieldBatchOf<Real>&, bool);   \
  template std::vector<LayerPath<Real>> layer_paths(const LitUnit&);                                          \
  template FieldBatchOf<Real> gathered(const LayerDesign&, const LayerPath<Real>&, const FieldBatchOf<Real>&, \
                                       const std::vector<FieldBatchOf<Real>>&, const MzmSettings&);
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(float)
#undef OPTINC_INSTANTIATE

}  // namespace optinc
