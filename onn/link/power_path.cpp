#include "onn/link/power_path.hpp"

#include <algorithm>
#include <bit>

#include "physics/core/units.hpp"
#include "physics/devices/lowpass.hpp"

namespace optinc {

double tree_excess_db(const UnitHardware& hardware, std::int64_t ends) {
  SplitterTree tree = hardware.splitter;
  tree.outputs = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(ends, 1))));
  return splitter_tree_excess_db(tree);
}

int answer_ends(const Task& task, const UnitHardware& hardware) {
  if (task.adder != Adder::light) return 1;
  return hardware.link.destinations > 0 ? hardware.link.destinations : task.servers;
}

UnitHardware layer_hardware(const LayerDesign& layer, const UnitHardware& hardware) {
  return layer.ending == LayerEnd::receivers ? neuron_hardware(hardware) : hardware;
}

namespace {

bool has_one_end(const Task& task, const UnitHardware& hardware) {
  return task.sends_sums() && answer_ends(task, hardware) < task.servers;
}

}  // namespace

bool has_owner(const Task& task, const UnitHardware& hardware) {
  return task.level != CascadeLevel::first && has_one_end(task, hardware);
}

bool decides_sums(const Task& task, const UnitHardware& hardware) {
  return hardware.owner.place == OwnerPlace::unit && has_one_end(task, hardware);
}

Waveguide layer_waveguide(const UnitHardware& hardware) {
  Waveguide guide = hardware.routing;
  guide.length_m += arm_length_m(hardware.layout);
  return guide;
}

Waveguide delay_line(const UnitHardware& hardware, double wait_s) {
  Waveguide guide = hardware.routing;
  guide.bends = 0;
  guide.length_m =
      wait_s * constants::speed_of_light_m_per_s / group_index(guide.index, hardware.laser.wavelength_m);
  return guide;
}

double receiver_delay_s(const UnitHardware& hardware) {
  if (const auto channel = stage_channel(hardware))  // from the start of a symbol to its equalised sample
    return channel->delay_s + channel->equaliser_before / hardware.timing.symbol_rate_bd -
           modulator_delay_s(hardware);
  return lowpass_delay_s(stage_lowpasses(hardware)[1]);
}

double modulator_delay_s(const UnitHardware& hardware) { return lowpass_delay_s(stage_lowpasses(hardware)[0]); }

int sharing_reads(const UnitHardware& hardware, int copies) {
  return hardware.link.averaging == Averaging::coherent ? copies : 1;
}

std::vector<LayerDelay> layer_delays(const ChipDesign& design, const UnitHardware& hardware) {
  Waveguide column = hardware.routing;
  column.length_m = hardware.layout.mzi_length_m;
  const double wavelength_m = hardware.laser.wavelength_m;
  const double column_s = waveguide_delay_s(column, wavelength_m);
  const double guide_s = waveguide_delay_s(layer_waveguide(hardware), wavelength_m);
  const double receiver_s = receiver_delay_s(neuron_hardware(hardware)),
               modulator_s = modulator_delay_s(hardware);
  std::vector<LayerDelay> delays;
  for (const LayerDesign& layer : design.layers)
    delays.push_back({layer.columns() * column_s, layer.received() ? guide_s : 0.0,
                      layer.ending == LayerEnd::receivers ? receiver_s : 0.0, 0.0});
  for (const LayerDesign& layer : design.layers)
    for (const LaneDesign& lane : layer.lanes)
      if (lane.source >= 0 && design.layers[static_cast<std::size_t>(lane.source)].received())
        delays[static_cast<std::size_t>(lane.source)].modulators_s = modulator_s;
  return delays;
}

Schedule unit_schedule(const ChipDesign& design, const UnitHardware& hardware) {
  std::vector<double> through_s;
  for (const LayerDelay& delay : layer_delays(design, hardware)) through_s.push_back(delay.total_s());
  Schedule times = schedule(design, through_s, hardware.link.skew);
  if (hardware.link.averaging == Averaging::coherent) return times;
  // re-modulated lanes have a modulator a read, so that no two reads wait together
  for (std::size_t l = 0; l < design.layers.size(); ++l)
    for (std::size_t i = 0; i < times.line_s[l].size(); ++i) times.line_s[l][i] = times.waits_s(design, l, i);
  std::fill(times.lane_line_s.begin(), times.lane_line_s.end(), 0.0);
  return times;
}

PassiveLosses passive_losses(const ChipDesign& design, const UnitHardware& hardware) {
  const Schedule times = unit_schedule(design, hardware);
  PassiveLosses losses;
  losses.servers_tree_db = tree_excess_db(hardware, design.task.combined());
  losses.answers_tree_db = tree_excess_db(hardware, answer_ends(design.task, hardware));
  losses.coupler_db = fibre_coupler_loss_db(hardware.coupler, hardware.laser.wavelength_m);
  losses.fibre_db = fibre_loss_db(hardware.fibre);
  losses.answer_passages = decides_sums(design.task, hardware) ? 0 : 1;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    // light that no receiver meets goes on without a detour: the guides to its reader are its reader's
    losses.waveguides_db.push_back(layer.received() ? waveguide_loss_db(layer_waveguide(hardware)) : 0.0);
    losses.fan_db.push_back(tree_excess_db(hardware, static_cast<std::int64_t>(layer.blocks.size())));
    auto& lanes = losses.lane_db.emplace_back();
    for (std::size_t i = 0; i < layer.lanes.size(); ++i)
      lanes.push_back(waveguide_loss_db(delay_line(hardware, times.waits_s(design, l, i))) +
                      (layer.lanes[i].source < 0
                           ? tree_excess_db(hardware, sharing_reads(hardware, layer.lanes[i].copies))
                           : 0.0));
  }
  return losses;
}

}  // namespace optinc
