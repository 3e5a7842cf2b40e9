#include "onn/link/detail/stages.hpp"

#include "onn/link/detail/electronics.hpp"
#include "onn/link/oscillators.hpp"
#include "onn/link/power_path.hpp"
#include "physics/core/check.hpp"

namespace optinc {

template <class Real>
UnitStages<Real> unit_stages(const LitUnit& unit, std::vector<LayerPath<Real>> paths,
                             const TransmissionSeed& seed, NoisyReceivers noisy,
                             std::span<const double> instants_s) {
  const auto& [design, chip, hardware, noise, arithmetic] = unit;
  validate(design.task.adder == Adder::light,
           "a unit in which electronics add (\"{}\": words take several hops). Use transmit().",
           name_of(design.task.adder));
  StageInTime in_time = {stage_channel(hardware), analogue_stage(hardware)};
  LateLight late = late_light(unit, seed, in_time, instants_s);
  const auto phases_rad = oscillator_phases(design, hardware.link, noise, seed);
  const auto offsets_a = receiver_offsets_a(design, hardware.receiver, seed);
  const auto ceilings = fabricated_ceilings(design, hardware.link, seed);
  const std::vector<double> linewidth_rad = oscillator_walk_rad(design, hardware);
  UnitStages<Real> made = {
      unit, draw_combiners(design.task, hardware, seed.seed, seed.chip), std::move(late), {}};
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    const bool at_servers = layer.ending == LayerEnd::servers;
    const bool draws = at_servers ? noisy == NoisyReceivers::all : !noise.last_only;
    const UnitHardware of_layer = layer_hardware(layer, hardware);
    StageInTime own_time = {stage_channel(of_layer), analogue_stage(of_layer), in_time.late_parts};
    ReceiverSettings receiver = of_layer.receiver;
    if (at_servers && noisy == NoisyReceivers::neurons) receiver.overload_a = 0.0;
    made.stages.push_back(
        {.layer = layer,
         .modulator = hardware.modulator,
         .path = std::move(paths[l]),
         .oscillator_drift_rad = chip.layers[l].oscillator_rad,
         .oscillator_linewidth_rad = noise.lock ? noise.scale * linewidth_rad[l] : 0.0,
         .receivers = {receiver, hardware.laser, hardware.timing.jitter_s, draws ? noise : NoiseSwitches{},
                       std::move(own_time), phases_rad[l], offsets_a[l]},
         .ceilings = ceilings[l],
         .limiter_knee = hardware.link.limiter_knee,
         .full_scale_w = hardware.link.signal_full_scale_w,
         .converter = hardware.converter});
  }
  return made;
}

template <class Real>
UnitStages<Real> settled(UnitStages<Real> unit) {
  unit.late = {};
  for (Stage<Real>& stage : unit.stages) stage.receivers.in_time = {};
  return unit;
}

template <class Real>
Neighbours neighbours(const UnitStages<Real>& unit) {
  Neighbours all;
  for (const Stage<Real>& stage : unit.stages) {
    if (!stage.layer.received()) continue;
    const auto [earlier, later] = neighbours(stage.receivers.in_time, unit.lit.hardware);
    all.earlier += earlier, all.later += later;
  }
  if (all.later > 0 && unit.analogue()) all.later += 2;  // samples of the words after the last
  return all;
}

#define OPTINC_INSTANTIATE(Real)                                                                               \
  template UnitStages<Real> unit_stages(const LitUnit&, std::vector<LayerPath<Real>>, const TransmissionSeed&, \
                                        NoisyReceivers, std::span<const double>);                              \
  template Neighbours neighbours(const UnitStages<Real>&);                                                     \
  template UnitStages<Real> settled(UnitStages<Real>);
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(float)
#undef OPTINC_INSTANTIATE

}  // namespace optinc
