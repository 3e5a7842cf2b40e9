#include "onn/budget.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "onn/drift.hpp"
#include "onn/heater_estimate.hpp"
#include "onn/transmission.hpp"
#include "physics/core/check_values.hpp"
#include "physics/core/names.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/homodyne.hpp"
#include "physics/devices/lowpass.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/layout/placement.hpp"

namespace optinc {
namespace {

constexpr std::size_t servers_stage = 0, unit_p_stage = 1, first_layer_stage = 2;

struct NamedHeater {
  std::string_view name;
  ThermoOpticShifter (*make)();
};
constexpr std::array<NamedHeater, 7> heaters = {{{"harris-2014-heater", harris_2014_heater},
                                                 {"typical-metal-heater", typical_metal_heater},
                                                 {"typical-doped-silicon-heater", typical_doped_silicon_heater},
                                                 {"dave-2024-metal-clad-heater", dave_2024_metal_clad_heater},
                                                 {"chen-2024-slow-light-heater", chen_2024_slow_light_heater},
                                                 {"typical-undercut-heater", typical_undercut_heater},
                                                 {"lu-2015-suspended-heater", lu_2015_suspended_heater}}};

double loss_db_of_field(double field_ratio) { return loss_db_of_power_ratio(field_ratio * field_ratio); }

/// Everything the tables are made of.
struct Inputs {
  const ChipDesign& design;
  const ChipProgram& program;
  const ErrorModel& model;
  const LinkSettings& link;
  const BudgetSettings& settings;

  std::size_t layers() const { return design.layers.size(); }
  std::size_t unit_t_stage() const { return first_layer_stage + layers(); }
  /// The splitters of a tree that reaches so many ends; one with ends to spare where they are no power of two.
  double excess_db(std::int64_t ends) const {
    SplitterTree tree = settings.splitter;
    tree.outputs = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(ends, 1))));
    return splitter_tree_excess_db(tree);
  }
  double coupler_db() const { return fibre_coupler_loss_db(settings.coupler, settings.laser.wavelength_m); }
  double modulator_db() const {
    return loss_db_of_field(std::abs(mzm_field_factor(settings.modulator, settings.modulator.v_pi_v)));
  }
  double copies_db(int copies) const {
    return loss_db_of_field(split_field_factor(copies)) + excess_db(copies);
  }
  /// Delay line of so long a wait: L = c t / n_g.
  Waveguide line(double wait_s) const {
    Waveguide guide = settings.routing;
    guide.bends = 0;
    guide.length_m =
        wait_s * constants::speed_of_light_m_per_s / group_index(guide.index, settings.laser.wavelength_m);
    return guide;
  }
  /// Waveguide of a layer besides its MZIs: to and from the meshes, and the arms of the output screen.
  Waveguide routing() const {
    Waveguide guide = settings.routing;
    guide.length_m += arm_length_m(settings.floor_plan);
    return guide;
  }
};

/// A table with one row of zeros a part.
BudgetTable table(std::string name, std::string unit, std::size_t stages,
                  std::initializer_list<std::pair<const char*, const char*>> parts) {
  BudgetTable t{std::move(name), std::move(unit), {}};
  for (const auto& [part, source] : parts) t.parts.push_back({part, source, std::vector<double>(stages, 0.0)});
  return t;
}

std::vector<BudgetStage> stages_of(const Inputs& in) {
  const int servers = in.design.task.servers, digits = in.design.task.input_digits();
  const int answers = in.design.task.output_digits();
  const std::int64_t lanes = std::int64_t{servers} * digits, answer_lanes = std::int64_t{servers} * answers;
  std::vector<BudgetStage> stages(in.layers() + 3);
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
  }
  for (const LayerDesign& layer : in.design.layers)
    for (const LaneDesign& lane : layer.lanes)  // one modulator a read
      if (lane.source >= 0 && in.design.layers[static_cast<std::size_t>(lane.source)].received())
        ++stages[first_layer_stage + static_cast<std::size_t>(lane.source)].modulators;
  stages[in.unit_t_stage()] = {.name = "unit T",
                               .inputs = answers,
                               .outputs = static_cast<int>(answer_lanes),
                               .receivers = answer_lanes,
                               .adcs = answer_lanes};
  return stages;
}

BudgetTable losses(const Inputs& in, std::size_t stages) {
  BudgetTable t =
      table("loss", "dB", stages,
            {{"modulator", "MzmSettings at full drive: budget.modulator_loss_db"},
             {"splitting",
              "split_field_factor: digit lanes of a laser, coherent sum of unit P and copies of a lane for its "
              "reads, "
              "copies of unit T"},
             {"splitter excess", "SplitterTree: budget.splitter_loss_db a stage"},
             {"fan-out, fan-in", "LayerDesign::fan_field_factor, 10 log10 r"},
             {"MZIs", "ErrorModel, twice mean_arm_loss_db a column: chip.mzi_loss_db, chip.arm_loss_spread_db"},
             {"attenuators", "BlockDesign::attenuation, the most that one passes"},
             {"waveguides", "Waveguide: budget.routing_m, budget.waveguide_loss_db_per_cm"},
             {"couplers", "FibreCoupler: budget.coupler_loss_db"},
             {"fibres", "Fibre: budget.fibre_m, budget.fibre_connectors"}});
  enum { modulator, splitting, excess, fan, mzis, attenuators, waveguides, couplers, fibres };
  const auto at = [&](int part, std::size_t stage) -> double& {
    return t.parts[static_cast<std::size_t>(part)].by_stage[stage];
  };
  const int servers = in.design.task.servers, digits = in.design.task.input_digits();
  const std::size_t unit_t = in.unit_t_stage();
  at(modulator, servers_stage) = in.modulator_db();
  at(splitting, servers_stage) = loss_db_of_field(split_field_factor(digits));
  at(splitting, unit_p_stage) = -loss_db_of_field(split_field_factor(servers));  // N equal fields add up
  at(splitting, unit_t) = loss_db_of_field(split_field_factor(servers));
  at(excess, servers_stage) = in.excess_db(digits);
  at(excess, unit_p_stage) = at(excess, unit_t) = in.excess_db(servers);
  for (const std::size_t stage : {servers_stage, unit_t}) {
    at(couplers, stage) = in.coupler_db();
    at(fibres, stage) = fibre_loss_db(in.settings.fibre);
  }
  for (std::size_t l = 0; l < in.layers(); ++l) {
    const LayerDesign& layer = in.design.layers[l];
    const std::size_t stage = first_layer_stage + l;
    double most = 0.0;
    for (const BlockDesign& block : layer.blocks)
      most = std::max(most, block.attenuation.cwiseAbs().maxCoeff());
    at(fan, stage) = loss_db_of_field(layer.fan_field_factor());
    at(excess, stage) = in.excess_db(static_cast<std::int64_t>(layer.blocks.size()));
    at(mzis, stage) = layer.columns() * 2 * mean_arm_loss_db(in.model);
    at(attenuators, stage) = most > 0 ? loss_db_of_field(most) : 0.0;
    // light that no receiver meets goes on without a detour: the guides to its reader are its reader's
    if (layer.received()) at(waveguides, stage) = waveguide_loss_db(in.routing());
  }
  return t;
}

/// Watts of one layer's heaters, and of the mean phases it could be expected to have.
double layer_heater_w(const Inputs& in, std::size_t layer, double pi_power_w) {
  return heater_power_w(ChipProgram{{in.program.layers[layer]}}, pi_power_w);
}

HeaterBudget heater_budget(const Inputs& in, const std::vector<BudgetStage>& stages, std::string_view name) {
  HeaterBudget h{std::string(name), heater_of_name(name).p_pi_w, 0.0, 0.0, 0.0};
  for (std::size_t l = 0; l < in.layers(); ++l) {
    h.power_w += layer_heater_w(in, l, h.pi_power_w);
    h.trimmed_w += h.pi_power_w * static_cast<double>(stages[first_layer_stage + l].shifters);
    for (const BlockDesign& block : in.design.layers[l].blocks) {
      const double theta = expected_theta_rad(in.design.layers[l].wiring, block.mesh.ports);
      h.estimate_w += (block.mesh.mzi_count() + block.attenuators.mzi_count()) * h.pi_power_w *
                      (constants::pi + theta) / constants::pi;
    }
  }
  return h;
}

/// Light that every stage's lasers must emit, W: to modulators and local oscillators through what lies before
/// both.
std::vector<double> laser_optical_w(const Inputs& in, const std::vector<BudgetStage>& stages) {
  const auto before = [](double power_w, double loss_db) { return power_w / power_ratio_of_loss_db(loss_db); };
  std::vector<double> optical(stages.size(), 0.0);
  const double lo_w = in.link.receiver.lo_power_w;
  optical[servers_stage] =
      static_cast<double>(stages[servers_stage].modulators) *
      before(in.link.launch_power_w, in.modulator_db() + in.excess_db(in.design.task.input_digits()) +
                                         fibre_loss_db(in.settings.fibre) + in.coupler_db());
  std::int64_t ends = 0;  // of the tree that hands the chip's seed out
  for (std::size_t l = 0; l < in.layers(); ++l)
    ends += stages[first_layer_stage + l].modulators + stages[first_layer_stage + l].receivers;
  for (std::size_t l = 0; l < in.layers(); ++l) {
    const BudgetStage& s = stages[first_layer_stage + l];
    const double used =
        static_cast<double>(s.modulators) * before(in.link.signal_full_scale_w, in.modulator_db()) +
        static_cast<double>(s.receivers) * lo_w;
    optical[first_layer_stage + l] = before(used, in.coupler_db() + in.excess_db(ends));
  }
  optical[in.unit_t_stage()] = before(static_cast<double>(stages[in.unit_t_stage()].receivers) * lo_w,
                                      in.excess_db(in.design.task.input_digits()));
  return optical;
}

BudgetTable watts(const Inputs& in, const std::vector<BudgetStage>& stages,
                  const std::vector<double>& optical_w) {
  BudgetTable t = table("power", "W", stages.size(),
                        {{"heaters", "heater_power_w of the programmed phases, none static: budget.heater"},
                         {"lasers",
                          "light over budget.wall_plug_efficiency: link.launch_power_w, "
                          "link.signal_full_scale_w, link.lo_power_w and the losses before"},
                         {"modulator drivers", "budget.driver_j_per_symbol, budget.symbol_rate_bd"},
                         {"receivers", "FrontEnd: budget.receiver_w each"},
                         {"converters", "adc_power_w: budget.adc_step_j, budget.adc_effective_bits"},
                         {"control", "budget.control_w_per_shifter"},
                         {"static phases",
                          "what heaters take more where every shifter has a random static phase to trim: P_pi "
                          "a shifter in all, on average"}});
  const BudgetSettings& s = in.settings;
  const double pi_power_w = heater_of_name(s.heater).p_pi_w;
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const auto count = [](std::int64_t n) { return static_cast<double>(n); };
    const bool layer = k >= first_layer_stage && k < in.unit_t_stage();
    t.parts[0].by_stage[k] = layer ? layer_heater_w(in, k - first_layer_stage, pi_power_w) : 0.0;
    t.parts[1].by_stage[k] = optical_w[k] / s.wall_plug_efficiency;
    t.parts[2].by_stage[k] = count(stages[k].modulators) * s.driver_j_per_symbol * s.symbol_rate_bd;
    t.parts[3].by_stage[k] = count(stages[k].receivers) * s.front_end.supply_power_w;
    t.parts[4].by_stage[k] = count(stages[k].adcs) * adc_power_w(s.adc, s.symbol_rate_bd, s.adc_step_j);
    t.parts[5].by_stage[k] = count(stages[k].shifters) * s.control_w_per_shifter;
    t.parts[6].by_stage[k] = count(stages[k].shifters) * pi_power_w - t.parts[0].by_stage[k];
  }
  return t;
}

BudgetTable delays(const Inputs& in, const std::vector<BudgetStage>& stages) {
  BudgetTable t = table("delay", "s", stages.size(),
                        {{"MZIs", "waveguide_delay_s of every column: budget.mzi_length_m"},
                         {"waveguides", "waveguide_delay_s: budget.routing_m"},
                         {"receivers", "lowpass_delay_s, Bessel-Thomson: link.bandwidth_hz"},
                         {"modulators", "lowpass_delay_s, one pole: budget.modulator_bandwidth_hz"},
                         {"converters", "budget.adc_delay_s"}});
  const BudgetSettings& s = in.settings;
  Waveguide column = s.routing;
  column.length_m = s.floor_plan.mzi_length_m;
  const double wavelength_m = s.laser.wavelength_m;
  const double receiver = lowpass_delay_s({LowpassShape::bessel_thomson_4, in.link.receiver.bandwidth_hz});
  const double modulator = lowpass_delay_s({LowpassShape::one_pole, s.modulator.bandwidth_hz});
  for (std::size_t k = 0; k < stages.size(); ++k) {
    t.parts[0].by_stage[k] = stages[k].columns * waveguide_delay_s(column, wavelength_m);
    const bool layer = k >= first_layer_stage && k < in.unit_t_stage();
    t.parts[1].by_stage[k] = layer && in.design.layers[k - first_layer_stage].received()
                                 ? waveguide_delay_s(in.routing(), wavelength_m)
                                 : 0.0;
    t.parts[2].by_stage[k] = stages[k].receivers > 0 ? receiver : 0.0;
    t.parts[3].by_stage[k] = stages[k].modulators > 0 ? modulator : 0.0;
    t.parts[4].by_stage[k] = stages[k].adcs > 0 ? s.adc_delay_s : 0.0;
  }
  return t;
}

BudgetTable areas(const Inputs& in, const std::vector<BudgetStage>& stages) {
  BudgetTable t = table("area", "m2", stages.size(),
                        {{"meshes", "FloorPlanSettings: budget.mzi_length_m x budget.mzi_width_m"},
                         {"attenuators", "FloorPlanSettings: budget.mzi_length_m x budget.mzi_width_m"},
                         {"delay lines", "length of waiting light x budget.delay_line_pitch_m"}});
  const double box = in.settings.floor_plan.mzi_length_m * in.settings.floor_plan.mzi_width_m;
  for (std::size_t l = 0; l < in.layers(); ++l)
    for (const BlockDesign& block : in.design.layers[l].blocks) {
      t.parts[0].by_stage[first_layer_stage + l] += block.mesh.mzi_count() * box;
      t.parts[1].by_stage[first_layer_stage + l] += block.attenuators.mzi_count() * box;
    }
  for (std::size_t k = 0; k < stages.size(); ++k)
    t.parts[2].by_stage[k] = stages[k].line_m * in.settings.delay_line_pitch_m;
  return t;
}

void place(const Inputs& in, ChipBudget& b) {
  std::vector<MeshTopology> meshes;
  DieSettings die;
  for (const LayerDesign& layer : in.design.layers)
    for (const BlockDesign& block : layer.blocks)
      for (const MeshTopology* mesh : {&block.mesh, &block.attenuators}) {
        if (mesh->mzi_count() == 0) continue;  // a mesh of one port is a waveguide
        meshes.push_back(*mesh);
        die.width_m = std::max(die.width_m, floor_plan(*mesh, in.settings.floor_plan).length_m);
      }
  if (meshes.empty()) return;
  const DiePlan plan = place_meshes(meshes, in.settings.floor_plan, die);
  b.mesh_area_m2 = plan.mesh_area_m2();
  b.die_area_m2 = plan.area_m2();
}

/// Field that a signal of value 1 has at the inputs of every layer, sqrt(W), to which all its inputs are
/// dimmed: as input_fields_per_unit_sqrt_w, with what splitters, waveguides and delay lines lose besides.
std::vector<double> lossy_fields_per_unit_sqrt_w(const Inputs& in, const ChipBudget& b, const Schedule& s,
                                                 const std::vector<double>& lost) {
  const double unit_p_db = b.loss_db.part("splitter excess").by_stage[unit_p_stage];
  std::vector<double> fields, out;
  for (std::size_t l = 0; l < in.layers(); ++l) {
    const LayerDesign& layer = in.design.layers[l];
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < layer.lanes.size(); ++i) {
      const LaneDesign& lane = layer.lanes[i];
      double db = waveguide_loss_db(in.line(s.waits_s(in.design, l, i)));
      if (lane.source < 0) db += unit_p_db + in.excess_db(lane.copies);
      const double field = lane.source < 0 ? lane_field_per_unit_sqrt_w(in.design.task, in.link, lane.copies)
                                           : out[static_cast<std::size_t>(lane.source)];
      least = std::min(least, field * field_ratio_of_loss_db(db));
    }
    fields.push_back(least);
    out.push_back(layer.received() ? std::sqrt(in.link.signal_full_scale_w) / layer.largest_output
                                   : least * lost[l]);
  }
  return fields;
}

/// Signal, noise and gain at every receiver.
void receive(const Inputs& in, const Schedule& s, ChipBudget& b) {
  std::vector<double> through;  // field ratio of every layer, with what nominal_layer_factor does not know of
  for (std::size_t l = 0; l < in.layers(); ++l)
    through.push_back(nominal_layer_factor(in.design.layers[l], in.model) *
                      field_ratio_of_loss_db(b.loss_db.part("splitter excess").by_stage[first_layer_stage + l] +
                                             b.loss_db.part("waveguides").by_stage[first_layer_stage + l]));
  const std::vector<double> units = lossy_fields_per_unit_sqrt_w(in, b, s, through);
  for (std::size_t l = 0; l < in.layers(); ++l) {
    if (!in.design.layers[l].received()) continue;
    const bool last = in.design.layers[l].ending == LayerEnd::servers;
    const std::size_t stage = first_layer_stage + l, receiver = last ? in.unit_t_stage() : stage;
    const LayerDesign& layer = in.design.layers[l];
    const double largest = last ? pam4_full_scale_digit : layer.largest_output;
    const double field = largest * units[l] * through[l];
    double power_w = field * field;
    if (last) power_w *= power_ratio_of_loss_db(b.loss_db.total(in.unit_t_stage()));
    BudgetStage& at = b.stages[receiver];
    if (last && at.received_w > 0) power_w = std::min(power_w, at.received_w);  // the weakest answer
    at.received_w = power_w;
    const double current_a = homodyne_current_per_field(in.link.receiver) * std::sqrt(power_w);
    at.snr_db = 10 * std::log10(current_a * current_a / homodyne_noise_a2(in.link.receiver, power_w).total());
    if (!last) at.gain_db = 10 * std::log10(in.link.signal_full_scale_w / power_w);
  }
}

/// When light enters every layer, and how much of it waits where.
void wait(const Inputs& in, const Schedule& s, ChipBudget& b) {
  constexpr double instant_s = 1e-18;  // sums of the same times in another order are no wait
  const auto add = [&](std::size_t stage, double wait_s) {
    if (wait_s < instant_s) return;
    BudgetStage& at = b.stages[stage];
    ++at.lines;
    at.line_m += in.line(wait_s).length_m;
    at.wait_s = std::max(at.wait_s, wait_s);
  };
  for (const double line : s.lane_line_s) add(unit_p_stage, line);
  for (std::size_t l = 0; l < in.layers(); ++l) {
    b.stages[first_layer_stage + l].start_s = s.start_s[l];
    for (std::size_t i = 0; i < s.line_s[l].size(); ++i) {
      add(first_layer_stage + l, s.line_s[l][i]);
      const double whole = s.waits_s(in.design, l, i);
      if (whole < std::max(instant_s, b.longest_wait.wait_s)) continue;
      const int source = in.design.layers[l].lanes[i].source;
      const Waveguide line = in.line(whole);
      b.longest_wait = {source < 0 ? b.stages[unit_p_stage].name
                                   : b.stages[first_layer_stage + static_cast<std::size_t>(source)].name,
                        b.stages[first_layer_stage + l].name, whole, line.length_m, waveguide_loss_db(line)};
    }
  }
  b.launch_delay_s = *std::max_element(s.launch_s.begin(), s.launch_s.end());
}

/// Sums over the stages of a way, from the tables of all stages.
BudgetAnswer answer_of(const Inputs& in, const ChipBudget& b, const LightWay& way) {
  BudgetAnswer a;
  a.loss_db = in.copies_db(way.copies);
  const auto add = [&](std::size_t stage) {
    const BudgetStage& at = b.stages[stage];
    a.columns += at.columns;
    a.conversions += at.modulators > 0 && at.receivers > 0;
    a.loss_db += b.loss_db.total(stage);
    a.delay_s += b.delay_s.total(stage);
  };
  for (const std::size_t stage : {servers_stage, unit_p_stage, in.unit_t_stage()}) add(stage);
  for (const std::size_t l : way.layers) add(first_layer_stage + l);
  return a;
}

/// What every answer passed; of the tables only the way of the last one is kept.
void follow(const Inputs& in, const Schedule& s, ChipBudget& b) {
  double latest = -1.0;
  LightWay last;
  for (const std::size_t l : in.design.server_layers()) {
    const LightWay way = critical_way(in.design, s, l);
    const BudgetAnswer answer = answer_of(in, b, way);
    b.answers.insert(b.answers.end(), static_cast<std::size_t>(in.design.layers[l].outputs), answer);
    if (answer.delay_s > latest) {
      latest = answer.delay_s;
      last = way;
    }
  }
  for (std::size_t l = 0; l < in.layers(); ++l) {
    const std::size_t stage = first_layer_stage + l;
    b.stages[stage].on_way = std::find(last.layers.begin(), last.layers.end(), l) != last.layers.end();
    for (BudgetTable* t : {&b.loss_db, &b.delay_s})
      for (BudgetPart& p : t->parts)
        if (!b.stages[stage].on_way) p.by_stage[stage] = 0.0;
  }
  const auto& part = [&](std::string_view name) -> double& {
    const auto found = std::find_if(b.loss_db.parts.begin(), b.loss_db.parts.end(),
                                    [&](const BudgetPart& p) { return p.name == name; });
    return found->by_stage[unit_p_stage];
  };
  part("splitting") += loss_db_of_field(split_field_factor(last.copies));
  part("splitter excess") += in.excess_db(last.copies);
}

void validate_program(const ChipDesign& design, const ChipProgram& program) {
  bool fits = program.layers.size() == design.layers.size() && !design.layers.empty();
  for (std::size_t l = 0; fits && l < design.layers.size(); ++l) {
    fits = program.layers[l].size() == design.layers[l].blocks.size();
    for (std::size_t i = 0; fits && i < program.layers[l].size(); ++i)
      fits =
          program.layers[l][i].mesh.theta.size() == design.layers[l].blocks[i].mesh.mzi_count() &&
          program.layers[l][i].attenuators.theta.size() == design.layers[l].blocks[i].attenuators.mzi_count();
  }
  validate(fits,
           "a program of {} layers for a design of {} (layers, blocks and MZIs must be the same). Program this "
           "design.",
           program.layers.size(), design.layers.size());
}

}  // namespace

std::span<const std::string_view> heater_names() {
  static const auto names = [] {
    std::array<std::string_view, heaters.size()> all;
    std::transform(heaters.begin(), heaters.end(), all.begin(), [](const NamedHeater& h) { return h.name; });
    return all;
  }();
  return names;
}

ThermoOpticShifter heater_of_name(std::string_view name) {
  for (const NamedHeater& heater : heaters)
    if (heater.name == name) return heater.make();
  throw Error(fmt::format("unknown heater \"{}\" (known: {}). Did you mean \"{}\"?", name,
                          join_names(heater_names()), nearest_name(name, heater_names())));
}

void validate_budget(const BudgetSettings& s) {
  heater_of_name(s.heater);
  validate_laser(s.laser);
  validate(s.wall_plug_efficiency > 0 && s.wall_plug_efficiency <= 1,
           "wall_plug_efficiency = {} (above 0, at most 1). Try 0.1.", s.wall_plug_efficiency);
  validate_mzm(s.modulator);
  validate_not_negative("driver_j_per_symbol", s.driver_j_per_symbol);
  validate_positive("symbol_rate_bd", s.symbol_rate_bd);
  validate_splitter_tree(s.splitter);
  fibre_coupler_loss_db(s.coupler, s.laser.wavelength_m);
  validate_fibre(s.fibre);
  validate_waveguide(s.routing);
  validate_floor_plan(s.floor_plan);
  validate_front_end(s.front_end);
  validate_adc(s.adc);
  validate_not_negative("adc_step_j", s.adc_step_j);
  validate_not_negative("adc_delay_s", s.adc_delay_s);
  validate_not_negative("control_w_per_shifter", s.control_w_per_shifter);
  skew_of_name(s.skew);
  validate_not_negative("delay_line_pitch_m", s.delay_line_pitch_m);
}

double BudgetPart::total() const { return std::accumulate(by_stage.begin(), by_stage.end(), 0.0); }

double BudgetTable::total() const {
  double sum = 0.0;
  for (const BudgetPart& p : parts) sum += p.total();
  return sum;
}

double BudgetTable::total(std::size_t stage) const {
  double sum = 0.0;
  for (const BudgetPart& p : parts) sum += p.by_stage.at(stage);
  return sum;
}

const BudgetPart& BudgetTable::part(std::string_view wanted) const {
  std::vector<std::string_view> names;
  for (const BudgetPart& p : parts) {
    if (p.name == wanted) return p;
    names.push_back(p.name);
  }
  throw Error(fmt::format("no part \"{}\" in the budget of {} (there are: {}). Did you mean \"{}\"?", wanted,
                          name, join_names(names), nearest_name(wanted, names)));
}

std::int64_t ChipBudget::mzis() const {
  std::int64_t sum = 0;
  for (const BudgetStage& s : stages) sum += s.mzis;
  return sum;
}

int ChipBudget::columns() const {
  int sum = 0;
  for (const BudgetStage& s : stages) sum += s.on_way ? s.columns : 0;
  return sum;
}

int ChipBudget::conversions() const {
  return static_cast<int>(std::count_if(stages.begin(), stages.end(), [](const BudgetStage& s) {
    return s.on_way && s.modulators > 0 && s.receivers > 0;
  }));
}

double ChipBudget::delay_lines_m() const {
  double sum = 0.0;
  for (const BudgetStage& s : stages) sum += s.line_m;
  return sum;
}

double ChipBudget::most_gain_db() const {
  double most = 0.0;
  for (const BudgetStage& s : stages) most = std::max(most, s.gain_db);
  return most;
}

double ChipBudget::answer_skew_s() const {
  const auto [first, last] =
      std::minmax_element(answers.begin(), answers.end(),
                          [](const BudgetAnswer& a, const BudgetAnswer& b) { return a.delay_s < b.delay_s; });
  return last->delay_s - first->delay_s;
}

double ChipBudget::fan_db() const { return loss_db.part("fan-out, fan-in").total(); }

ChipBudget budget(const ChipDesign& design, const ChipProgram& program, const ErrorModel& model,
                  const LinkSettings& link, const BudgetSettings& settings) {
  validate_errors(model);
  validate_link(link);
  validate_budget(settings);
  validate_program(design, program);
  const Inputs in{design, program, model, link, settings};
  ChipBudget b;
  b.stages = stages_of(in);
  const std::vector<double> optical_w = laser_optical_w(in, b.stages);
  b.loss_db = losses(in, b.stages.size());
  b.power_w = watts(in, b.stages, optical_w);
  b.delay_s = delays(in, b.stages);
  std::vector<double> through_s;
  for (std::size_t l = 0; l < in.layers(); ++l) through_s.push_back(b.delay_s.total(first_layer_stage + l));
  const Schedule times = schedule(design, through_s, skew_of_name(settings.skew));
  wait(in, times, b);
  b.area_m2 = areas(in, b.stages);
  for (const std::string_view name : heater_names()) b.heaters.push_back(heater_budget(in, b.stages, name));
  place(in, b);
  receive(in, times, b);
  follow(in, times, b);  // last: it leaves the critical path alone in the tables
  b.laser_optical_w = std::accumulate(optical_w.begin(), optical_w.end(), 0.0);
  b.passive_received_dbm = dbm_of_watts(settings.laser.power_w) - b.loss_db.total();
  b.optical_delay_s = b.delay_s.part("MZIs").total();
  b.symbol_rate_bd = settings.symbol_rate_bd;
  b.bits_per_s = design.task.servers * design.task.bits() * settings.symbol_rate_bd;
  return b;
}

ChipBudget budget(const ChipDesign& design, const ErrorModel& model, const LinkSettings& link,
                  const BudgetSettings& settings) {
  const ChipErrors perfect = fabricate(design, error_preset("ideal"), 1, 0);
  return budget(design,
                program_chip(design, perfect, model.dac_bits, Programming::uncorrected, dac_mode(model)), model,
                link, settings);
}

}  // namespace optinc
