#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "onn/budget/detail/parts.hpp"
#include "onn/budget/operating_power.hpp"
#include "onn/chip/heater_power.hpp"

namespace optinc::budgeting {
namespace {

/// A table with one row of zeros a part.
BudgetTable table(std::string name, std::string unit, std::size_t stages,
                  std::initializer_list<std::pair<const char*, const char*>> parts) {
  BudgetTable t{std::move(name), std::move(unit), {}};
  for (const auto& [part, source] : parts) t.parts.push_back({part, source, std::vector<double>(stages, 0.0)});
  return t;
}

/// Watts of one layer's heaters, and of the mean phases it could be expected to have.
double layer_heater_w(const Inputs& in, std::size_t layer, double pi_power_w) {
  return heater_power_w(ChipProgram{{in.program.layers[layer]}}, pi_power_w);
}

}  // namespace

std::vector<BudgetStage> stages_of(const Inputs& in) {
  const int servers = in.design.task.combined(), digits = in.design.task.input_digits();
  const int answers = in.design.task.output_digits();
  const std::int64_t lanes = std::int64_t{servers} * digits, answer_lanes = std::int64_t{in.ends()} * answers;
  std::vector<BudgetStage> stages(in.layers() + 3);
  const bool direct = in.hardware.link.oscillators == Oscillators::direct;
  stages[servers_stage] = {.name = "servers", .outputs = static_cast<int>(lanes), .modulators = lanes};
  stages[unit_p_stage] = {.name = "unit P", .inputs = static_cast<int>(lanes), .outputs = digits};
  for (std::size_t l = 0; l < in.layers(); ++l) {
    const LayerDesign& layer = in.design.layers[l];
    BudgetStage& s = stages[first_layer_stage + l];
    s = {.name = fmt::format("layer {}", l + 1),
         .inputs = layer.inputs,
         .outputs = layer.outputs,
         .blocks = static_cast<int>(layer.blocks.size()),
         .columns = layer.columns()};
    for (const BlockDesign& block : layer.blocks) {
      s.mzis += block.mesh.mzi_count() + block.attenuators.mzi_count();
      s.shifters += 2 * (block.mesh.mzi_count() + block.attenuators.mzi_count()) + block.mesh.ports;
    }
    if (layer.ending == LayerEnd::receivers) s.receivers = layer.outputs;
    if (direct) s.shifters += s.receivers;  // one an oscillator
  }
  for (const LayerDesign& layer : in.design.layers)
    for (const LaneDesign& lane : layer.lanes)  // one modulator a read
      if (lane.source < 0)
        stages[unit_p_stage].modulators += in.coherent() ? 0 : 1;
      else if (in.design.layers[static_cast<std::size_t>(lane.source)].received())
        ++stages[first_layer_stage + static_cast<std::size_t>(lane.source)].modulators;
  if (!in.coherent()) stages[unit_p_stage].receivers = digits;
  const MzmSettings& modulator = in.hardware.modulator;
  const auto swing_v = [&](double lowest, double highest) {
    return mzm_level_drive_v(modulator, highest) - mzm_level_drive_v(modulator, lowest);
  };
  stages[servers_stage].swing_v = servers_swing_v(in.hardware, in.hardware.link.drive_depth);
  if (!in.coherent()) stages[unit_p_stage].swing_v = swing_v(0.0, 1.0);
  for (std::size_t l = 0; l < in.layers(); ++l) {
    const LayerDesign& layer = in.design.layers[l];
    BudgetStage& s = stages[first_layer_stage + l];
    if (s.modulators > 0)
      s.swing_v =
          swing_v(layer.offset / layer.largest_output, (layer.ceiling + layer.offset) / layer.largest_output);
  }
  stages[in.unit_t_stage()] = {.name = "unit T",
                               .inputs = answers,
                               .outputs = static_cast<int>(answer_lanes),
                               .shifters = direct ? answer_lanes : 0,
                               .receivers = answer_lanes,
                               .adcs = answer_lanes};
  if (!in.owned()) return stages;
  const int digits_on = in.design.task.answer_digits();
  const std::int64_t lanes_on = std::int64_t{in.owners_ends()} * digits_on;
  stages.push_back({.name = "owner",
                    .inputs = digits_on,
                    .outputs = static_cast<int>(lanes_on),
                    .shifters = direct ? lanes_on : 0,
                    .modulators = digits_on,
                    .receivers = lanes_on,
                    .adcs = lanes_on,
                    .swing_v = servers_swing_v(in.hardware, in.owner().link.drive_depth)});
  return stages;
}

BudgetTable losses(const Inputs& in, std::size_t stages) {
  BudgetTable t = table(
      "loss", "dB", stages,
      {{"modulator", "MzmSettings: modulator.loss_db; servers' below full drive: link.drive_depth"},
       {"splitting",
        "split_field_factor: servers and chip that share the seed (link.averaging = coherent), digit lanes "
        "of a server, sum of unit P and copies of a lane for its reads, copies of unit T"},
       {"splitter excess", "SplitterTree: splitter.loss_db per stage"},
       {"fan-out, fan-in", "LayerDesign::fan_field_factor, 10 log10 r"},
       {"MZIs", "ErrorModel, twice mean_arm_loss_db per column: chip.mzi_loss_db, chip.arm_loss_spread_db"},
       {"attenuators", "BlockDesign::attenuation, the largest transmission"},
       {"waveguides", "Waveguide: waveguide.length_m, waveguide.loss_db_per_cm"},
       {"couplers", "FibreCoupler: coupler.loss_db"},
       {"fibres", "Fibre: fibre.length_m, fibre.connectors, fibre.multiplexer_loss_db"}});
  enum { modulator, splitting, excess, fan, mzis, attenuators, waveguides, couplers, fibres };
  const auto at = [&](int part, std::size_t stage) -> double& {
    return t.parts[static_cast<std::size_t>(part)].by_stage[stage];
  };
  const int servers = in.design.task.combined(), digits = in.design.task.input_digits();
  const std::size_t unit_t = in.unit_t_stage();
  const double sent_db = in.modulator_db() + loss_db_of_field(in.hardware.link.drive_depth);
  at(modulator, servers_stage) = sent_db;
  at(splitting, servers_stage) = loss_db_of_field(split_field_factor(digits));
  if (in.coherent()) at(splitting, servers_stage) += loss_db_of_field(split_field_factor(in.fed()));
  at(splitting, unit_p_stage) = -loss_db_of_field(split_field_factor(servers));  // N equal digits add up
  at(splitting, unit_t) = loss_db_of_field(split_field_factor(in.ends()));
  const PassiveLosses passive = passive_losses(in.design, in.hardware);
  at(excess, servers_stage) = in.excess_db(digits);
  at(excess, unit_p_stage) = passive.servers_tree_db;
  at(excess, unit_t) = passive.answers_tree_db;
  at(couplers, servers_stage) = passive.coupler_db;
  at(fibres, servers_stage) = passive.fibre_db;
  at(couplers, unit_t) = passive.answer_passages * passive.coupler_db;
  at(fibres, unit_t) = passive.answer_passages * passive.fibre_db;
  if (in.hops()) at(fibres, servers_stage) = 0.0;  // one fibre from end to end
  if (in.owned()) {  // PAM4, up to the chip where a server sends it, split for all servers, and down
    const std::size_t owner = in.owner_stage();
    at(modulator, owner) = in.modulator_db() + loss_db_of_field(in.owner().link.drive_depth);
    at(splitting, owner) = loss_db_of_field(split_field_factor(in.owners_ends()));
    at(excess, owner) = in.excess_db(in.owners_ends());
    at(couplers, owner) = (1 + passive.answer_passages) * passive.coupler_db;
    at(fibres, owner) = (1 + passive.answer_passages) * passive.fibre_db;
  }
  if (in.coherent()) {  // the seed comes to the servers
    at(excess, servers_stage) += in.excess_db(in.fed());
    at(fibres, servers_stage) += passive.fibre_db;
  }
  for (std::size_t l = 0; l < in.layers(); ++l) {
    const LayerDesign& layer = in.design.layers[l];
    const std::size_t stage = first_layer_stage + l;
    double most = 0.0;
    for (const BlockDesign& block : layer.blocks)
      most = std::max(most, block.attenuation.cwiseAbs().maxCoeff());
    at(fan, stage) = loss_db_of_field(layer.fan_field_factor());
    at(excess, stage) = passive.fan_db[l];
    at(mzis, stage) = layer.columns() * 2 * (mean_arm_loss_db(in.model) + layer.measured_arm_loss_db);
    at(attenuators, stage) = most > 0 ? loss_db_of_field(most) : 0.0;
    at(waveguides, stage) = passive.waveguides_db[l];
  }
  return t;
}

HeaterBudget heater_budget(const Inputs& in, const std::vector<BudgetStage>& stages,
                           const HeaterSettings& heater) {
  HeaterBudget h{heater.device, heater.p_pi_w, 0.0, 0.0, 0.0};
  for (const BudgetStage& s : stages) h.trimmed_w += h.pi_power_w * static_cast<double>(s.shifters);
  for (std::size_t l = 0; l < in.layers(); ++l) {
    h.power_w += layer_heater_w(in, l, h.pi_power_w);
    for (const BlockDesign& block : in.design.layers[l].blocks) {
      const double theta = expected_theta_rad(in.design.layers[l].wiring, block.mesh.ports);
      h.estimate_w += (block.mesh.mzi_count() + block.attenuators.mzi_count()) * h.pi_power_w *
                      (constants::pi + theta) / constants::pi;
    }
  }
  return h;
}

template <class Real>
std::vector<Real> laser_optical_w(const Inputs& in, const std::vector<BudgetStage>& stages,
                                  const OperatingValues<Real>& values) {
  const auto before = [](const Real& power_w, double loss_db) {
    return Real(power_w / power_ratio_of_loss_db(loss_db));
  };
  std::vector<Real> optical(stages.size());
  const UnitHardware& u = in.hardware;
  const auto count = [](std::int64_t n) { return static_cast<double>(n); };
  const Real neurons_oscillator_w = neuron_values(values).oscillator_w;
  const double to_chip_db = in.excess_db(in.fed()) + in.coupler_db();
  const double to_server_db = in.excess_db(in.fed()) + fibre_loss_db(u.fibre);
  const double in_server_db = in.excess_db(in.design.task.input_digits());
  optical[servers_stage] =
      count(stages[servers_stage].modulators) *
      before(values.launch_power_w, in.modulator_db() + in_server_db +
                                        (in.hops() ? 0.0 : fibre_loss_db(u.fibre)) + in.coupler_db() +
                                        (in.coherent() ? to_server_db : 0.0));
  const std::vector<double> oscillator_db = oscillator_guides_db(in.design, u);
  std::int64_t ends = stages[unit_p_stage].modulators;  // of the tree that hands the chip's seed out
  for (std::size_t l = 0; l < in.layers(); ++l)
    ends += stages[first_layer_stage + l].modulators + stages[first_layer_stage + l].receivers;
  if (in.decides()) ends += stages[in.unit_t_stage()].receivers;
  if (in.decides() && in.owned()) ends += stages[in.owner_stage()].modulators;
  for (std::size_t l = 0; l < in.layers(); ++l) {
    const BudgetStage& s = stages[first_layer_stage + l];
    const Real used = count(s.modulators) * before(values.signal_full_scale_w, in.modulator_db()) +
                      count(s.receivers) * before(neurons_oscillator_w, oscillator_db[l]);
    optical[first_layer_stage + l] = before(used, to_chip_db + in.excess_db(ends));
  }
  // its photodiodes have no local oscillators
  optical[unit_p_stage] =
      before(count(stages[unit_p_stage].modulators) * before(values.signal_full_scale_w, in.modulator_db()),
             to_chip_db + in.excess_db(ends));
  // the servers' come by their fibres, or, beside the answers, from the chip's seed: past the longest of the
  // last meshes, and as unit T's light from there
  double on_chip_db = to_chip_db + in.excess_db(ends), answers_db = in_server_db + to_server_db;
  if (u.link.oscillators == Oscillators::beside_signal) {
    double guide_db = 0.0;
    for (const std::size_t l : in.design.server_layers()) guide_db = std::max(guide_db, oscillator_db[l]);
    on_chip_db += guide_db;
    answers_db = on_chip_db + in.excess_db(in.ends()) + in.coupler_db() + fibre_loss_db(u.fibre) + in_server_db;
  }
  optical[in.unit_t_stage()] = before(count(stages[in.unit_t_stage()].receivers) * values.oscillator_w,
                                      in.decides() ? on_chip_db : answers_db);
  if (in.owned()) {
    const BudgetStage& owner = stages[in.owner_stage()];
    const OperatingValues<Real> own = owner_values(values);
    const Real sent = in.decides()
                          ? before(own.launch_power_w, in.modulator_db() + to_chip_db + in.excess_db(ends))
                          : Real(optical[servers_stage] / count(stages[servers_stage].modulators) *
                                 own.launch_power_w / values.launch_power_w);
    optical[in.owner_stage()] =
        count(owner.modulators) * sent + before(count(owner.receivers) * own.oscillator_w, answers_db);
  }
  return optical;
}

std::vector<double> laser_optical_w(const Inputs& in, const std::vector<BudgetStage>& stages) {
  return laser_optical_w(in, stages, operating_values(in.hardware));
}

BudgetTable static_watts(const Inputs& in, const std::vector<BudgetStage>& stages,
                         const std::vector<double>& optical_w) {
  BudgetTable t =
      table("static_power", "W", stages.size(),
            {{"heaters", "heater_power_w of the programmed phases, without static phases: heater.device"},
             {"lasers",
              "light_supply: laser.wall_plug_efficiency, laser.booster; light: link.launch_power_w, "
              "link.signal_full_scale_w, receiver.lo_power_w and the losses before"},
             {"receivers", "FrontEnd: receiver.supply_power_w each"},
             {"control", "budget.control_w_per_shifter"},
             {"locks", "budget.lock_w a lane of every server"},
             {"static phases",
              "additional heater power to trim a random static phase in every shifter: P_pi per shifter in "
              "total, on average"}});
  const BudgetSettings& s = in.settings;
  const double pi_power_w = in.hardware.heater.p_pi_w;
  const double light_w = std::accumulate(optical_w.begin(), optical_w.end(), 0.0);
  const double watts_of_light = light_supply(in.hardware.laser, light_w).electrical_w / light_w;
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const auto count = [](std::int64_t n) { return static_cast<double>(n); };
    const bool layer = k >= first_layer_stage && k < in.unit_t_stage();
    t.parts[0].by_stage[k] = layer ? layer_heater_w(in, k - first_layer_stage, pi_power_w) : 0.0;
    t.parts[1].by_stage[k] = optical_w[k] * watts_of_light;
    t.parts[2].by_stage[k] = count(stages[k].receivers) * in.hardware.receiver.front_end.supply_power_w;
    t.parts[3].by_stage[k] = count(stages[k].shifters) * s.control_w_per_shifter;
    t.parts[5].by_stage[k] = count(stages[k].shifters) * pi_power_w - t.parts[0].by_stage[k];
  }
  if (in.coherent() && in.design.task.combined() > 1)
    t.parts[4].by_stage[servers_stage] = static_cast<double>(stages[servers_stage].modulators) * s.lock_w;
  return t;
}

namespace {

/// What electronics take that add, W, of each link: all codes of a word; or, behind sums in light, the sums of
/// a word's digits, wherever they are received.
template <class Real>
Real additions_w(const Inputs& in, const Real& symbol_rate_bd) {
  const Task& task = in.design.task;
  const HopPlan plan = hop_plan(task);
  const Real bit_rate = task.bits() * symbol_rate_bd / plan.slots;
  if (task.outputs == Outputs::analogue) return 0.0;
  if (task.sends_sums()) return addition_j_per_bit * in.ends() * bit_rate;
  if (!in.hops()) return 0.0;
  const double hub_j = task.adder == Adder::hub ? in.settings.hub_j_per_bit : 0.0;
  return (addition_j_per_bit + hub_j) * task.servers / plan.links * bit_rate;
}

/// Bits that a converter of stage k hands on: of PAM4, of a lane's sum, or all of its own.
double bits_handed_on(const Inputs& in, std::size_t k) {
  const Task& task = in.design.task;
  if (!task.sends_sums() || k > in.unit_t_stage()) return 2.0;
  if (task.outputs == Outputs::analogue && in.hardware.converter.bits > 0) return in.hardware.converter.bits;
  return std::ceil(std::log2(task.sums()));
}

/// Bits that servers put in series or take apart in a symbol of every lane, in stage k.
double serial_bits(const Inputs& in, const std::vector<BudgetStage>& stages, std::size_t k) {
  const bool sends = k == servers_stage || k > in.unit_t_stage();
  const double sent = k == servers_stage ? in.design.task.symbol_bits() : 2;
  return (sends ? sent * static_cast<double>(stages[k].modulators) : 0.0) +
         bits_handed_on(in, k) * static_cast<double>(stages[k].adcs);
}

}  // namespace

template <class Real>
SymbolWatts<Real> symbol_watts(const Inputs& in, const std::vector<BudgetStage>& stages,
                               const OperatingValues<Real>& values) {
  const UnitHardware& u = in.hardware;
  const Real& rate = values.symbol_rate_bd;
  const Real adc_w = adc_conversion_j(u.converter, values.converter_bits) * rate,
             owners_adc_w = adc_conversion_j(u.converter, owner_values(values).converter_bits) * rate;
  SymbolWatts<Real> watts;
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const bool of_servers = k == servers_stage || k > in.unit_t_stage();
    const Real swing_v = of_servers ? servers_swing_v(u, k == servers_stage ? values.drive_depth
                                                                            : owner_values(values).drive_depth)
                                    : Real(stages[k].swing_v);
    watts.drivers.push_back(static_cast<double>(stages[k].modulators) * drive_energy_j(u.modulator, swing_v) *
                            rate);
    watts.converters.push_back(static_cast<double>(stages[k].adcs) *
                               (k > in.unit_t_stage() ? owners_adc_w : adc_w));
    watts.clocks.push_back(u.timing.sampling == Sampling::clocked
                               ? static_cast<double>(stages[k].receivers) * u.timing.clocked_receiver_j * rate
                               : Real(0.0));
    watts.serialisers.push_back(in.settings.serialiser_j_per_bit * serial_bits(in, stages, k) * rate);
  }
  watts.additions = additions_w(in, rate);
  const Task& task = in.design.task;
  if (task.outputs == Outputs::analogue)
    watts.dacs = static_cast<double>(stages[servers_stage].modulators) * in.settings.dac_step_j *
                 std::exp2(task.symbol_bits()) * rate;
  return watts;
}

#define OPTINC_INSTANTIATE(Real)                                                             \
  template std::vector<Real> laser_optical_w(const Inputs&, const std::vector<BudgetStage>&, \
                                             const OperatingValues<Real>&);                  \
  template SymbolWatts<Real> symbol_watts(const Inputs&, const std::vector<BudgetStage>&,    \
                                          const OperatingValues<Real>&);
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(OperatingTangent)
#undef OPTINC_INSTANTIATE

BudgetTable symbol_watts(const Inputs& in, const std::vector<BudgetStage>& stages) {
  BudgetTable t =
      table("symbol_power", "W", stages.size(),
            {{"modulator drivers",
              "drive_energy_j of the levels' swing: modulator.driver, modulator.v_pi_v, "
              "link.signed_levels, time.symbol_rate_bd"},
             {"converters", "adc_power_w: converter.step_j, converter.effective_bits, time.symbol_rate_bd"},
             {"clocks and equalisers", "receivers of time.sampling = clocked: time.clocked_receiver_j"},
             {"additions", "addition_j_per_bit; where a hub adds: budget.hub_j_per_bit"},
             {"DACs", "budget.dac_step_j: servers that send a code as one level"},
             {"serialisers", "budget.serialiser_j_per_bit: bits that servers send and receive"}});
  const SymbolWatts<double> watts = symbol_watts(in, stages, operating_values(in.hardware));
  t.parts[0].by_stage = watts.drivers;
  t.parts[1].by_stage = watts.converters;
  t.parts[2].by_stage = watts.clocks;
  t.parts[3].by_stage[in.unit_t_stage()] = watts.additions;
  t.parts[4].by_stage[servers_stage] = watts.dacs;
  t.parts[5].by_stage = watts.serialisers;
  return t;
}

BudgetTable delays(const Inputs& in, const std::vector<BudgetStage>& stages) {
  BudgetTable t =
      table("delay", "s", stages.size(),
            {{"MZIs", "waveguide_delay_s of every column: layout.mzi_length_m"},
             {"waveguides", "waveguide_delay_s: waveguide.length_m"},
             {"receivers",
              "lowpass_delay_s, Bessel-Thomson: receiver.bandwidth_hz; clocked: to the equalised sample"},
             {"modulators", "lowpass_delay_s, one pole: modulator.bandwidth_hz"},
             {"converters", "converter.delay_s"}});
  const auto set = [&](std::size_t stage, const LayerDelay& delay) {
    const double parts[] = {delay.mzis_s, delay.waveguides_s, delay.receivers_s, delay.modulators_s};
    for (std::size_t p = 0; p < std::size(parts); ++p) t.parts[p].by_stage[stage] = parts[p];
  };
  const std::vector<LayerDelay> of_layers = layer_delays(in.design, in.hardware);
  for (std::size_t l = 0; l < in.layers(); ++l) set(first_layer_stage + l, of_layers[l]);
  set(servers_stage, {.modulators_s = modulator_delay_s(in.hardware)});
  if (!in.coherent())
    set(unit_p_stage,
        {.receivers_s = receiver_delay_s(in.hardware), .modulators_s = modulator_delay_s(in.hardware)});
  set(in.unit_t_stage(), {.receivers_s = receiver_delay_s(in.hardware)});
  if (in.owned())
    set(in.owner_stage(),
        {.receivers_s = receiver_delay_s(in.owner()), .modulators_s = modulator_delay_s(in.owner())});
  for (std::size_t k = 0; k < stages.size(); ++k)
    t.parts.back().by_stage[k] = stages[k].adcs > 0 ? in.hardware.converter.delay_s : 0.0;
  return t;
}

BudgetTable areas(const Inputs& in, const std::vector<BudgetStage>& stages) {
  BudgetTable t = table(
      "area", "m2", stages.size(),
      {{"meshes", "FloorPlanSettings: layout.mzi_length_m x layout.mzi_width_m"},
       {"attenuators", "FloorPlanSettings: layout.mzi_length_m x layout.mzi_width_m"},
       {"delay lines",
        "length of waiting light, and of oscillators beside their signals, x waveguide.delay_line_pitch_m"},
       {"modulators", "layout.modulator_area_m2 each"},
       {"receivers", "layout.receiver_area_m2 each"}});
  const LayoutSettings& layout = in.hardware.layout;
  const double box = layout.mzi_length_m * layout.mzi_width_m;
  for (std::size_t l = 0; l < in.layers(); ++l) {
    const std::size_t stage = first_layer_stage + l;
    for (const BlockDesign& block : in.design.layers[l].blocks) {
      t.parts[0].by_stage[stage] += block.mesh.mzi_count() * box;
      t.parts[1].by_stage[stage] += block.attenuators.mzi_count() * box;
    }
  }
  for (std::size_t k = unit_p_stage; k < in.unit_t_stage(); ++k) {
    t.parts[3].by_stage[k] = static_cast<double>(stages[k].modulators) * layout.modulator_area_m2;
    t.parts[4].by_stage[k] = static_cast<double>(stages[k].receivers) * layout.receiver_area_m2;
  }
  if (in.decides())
    t.parts[4].by_stage[in.unit_t_stage()] =
        static_cast<double>(stages[in.unit_t_stage()].receivers) * layout.receiver_area_m2;
  if (in.decides() && in.owned())
    t.parts[3].by_stage[in.owner_stage()] =
        static_cast<double>(stages[in.owner_stage()].modulators) * layout.modulator_area_m2;
  const std::vector<double> oscillator_m = oscillator_guides_m(in.design, in.hardware);
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const bool layer = k >= first_layer_stage && k < in.unit_t_stage();
    const double guide_m = layer ? oscillator_m[k - first_layer_stage] : 0.0;
    t.parts[2].by_stage[k] = (stages[k].line_m + guide_m) * in.hardware.routing.delay_line_pitch_m;
  }
  return t;
}

}  // namespace optinc::budgeting
