#include "onn/budget/budget.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <boost/math/tools/toms748_solve.hpp>

#include "onn/budget/detail/parts.hpp"
#include "onn/chip/unit_floor_plan.hpp"
#include "physics/core/check.hpp"
#include "physics/devices/lowpass.hpp"

namespace optinc {
namespace {

using namespace budgeting;

void place(const Inputs& in, ChipBudget& b) {
  for (const char* part : {"delay lines", "modulators", "receivers"})
    b.die_area_m2 += b.area_m2.part(part).total();
  const DiePlan plan = unit_floor_plan(in.design, in.hardware.layout).die;
  b.mesh_area_m2 = plan.mesh_area_m2();
  b.die_area_m2 += plan.area_m2();
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

/// Bound of one stage, a neuron's or server's receiver and the modulator before it, for half of the eye of the
/// 3N + 1 levels that the sum of a digit of N combined servers has.
double symbol_rate_limit(const Task& task, const UnitHardware& hardware) {
  const std::array<Lowpass, 2> stage = stage_lowpasses(hardware);
  const int levels = 3 * task.combined() + 1;
  if (hardware.timing.sampling != Sampling::clocked) return symbol_rate_limit_bd(stage, levels);
  UnitHardware at = hardware;
  const auto surplus = [&](double rate_bd) {
    at.timing.symbol_rate_bd = rate_bd;
    return pam_eye_opening(peak_distortion(*stage_channel(at)), levels) - 0.5;
  };
  std::uintmax_t steps = 60;
  const auto [low, high] =
      boost::math::tools::bracket_and_solve_root(surplus, hardware.receiver.front_end.bandwidth_hz, 1.3, false,
                                                 boost::math::tools::eps_tolerance<double>(16), steps);
  return (low + high) / 2;
}

/// Makes of the budget of a link that of all links, and of a hop that of all hops of a word.
void along_hops(const Task& task, ChipBudget& b) {
  const HopPlan plan = hop_plan(task);
  for (BudgetStage& s : b.stages) {
    s.inputs *= plan.links, s.outputs *= plan.links, s.lines *= plan.links;
    for (std::int64_t BudgetStage::*count :
         {&BudgetStage::shifters, &BudgetStage::modulators, &BudgetStage::receivers, &BudgetStage::adcs})
      s.*count *= plan.links;
  }
  const auto scale = [](BudgetTable& table, double by) {
    for (BudgetPart& part : table.parts)
      for (double& value : part.by_stage) value *= by;
  };
  scale(b.static_power_w, plan.links);
  scale(b.symbol_power_w, plan.links);
  scale(b.area_m2, plan.links);
  scale(b.delay_s, plan.hops);
  for (BudgetAnswer& answer : b.answers) {
    answer.delay_s *= plan.hops;
    answer.conversions += plan.hops - 1;  // decided and sent again
  }
  for (HeaterBudget& heater : b.heaters)
    for (double* watts : {&heater.power_w, &heater.trimmed_w, &heater.estimate_w}) *watts *= plan.links;
  b.laser_optical_w *= plan.links;
  b.bits_per_word /= plan.slots;
}

}  // namespace

ChipBudget budget(const ChipDesign& design, const ChipProgram& program, const ErrorModel& model,
                  const UnitHardware& hardware, const BudgetSettings& settings) {
  validate_errors(model);
  validate_hardware(hardware);
  validate_budget(settings);
  validate_program(design, program);
  const Inputs in{design, program, model, hardware, settings};
  ChipBudget b;
  b.stages = stages_of(in);
  const std::vector<double> optical_w = laser_optical_w(in, b.stages);
  b.loss_db = losses(in, b.stages.size());
  b.static_power_w = static_watts(in, b.stages, optical_w);
  b.symbol_power_w = symbol_watts(in, b.stages);
  b.delay_s = delays(in, b.stages);
  const Schedule times = unit_schedule(design, hardware);
  wait(in, times, b);
  b.area_m2 = areas(in, b.stages);
  for (const std::string_view name : heater_names())
    b.heaters.push_back(heater_budget(in, b.stages, HeaterSettings(name)));
  place(in, b);
  const std::vector<double> received_w = receive(in, b);
  follow(in, times, received_w, b);  // last: it leaves the critical path alone in the tables
  b.laser_optical_w = std::accumulate(optical_w.begin(), optical_w.end(), 0.0);
  b.passive_received_dbm = dbm_of_watts(hardware.laser.power_w) - b.loss_db.total();
  b.optical_delay_s = b.delay_s.part("MZIs").total();
  b.symbol_rate_bd = hardware.timing.symbol_rate_bd;
  b.symbol_rate_limit_bd = symbol_rate_limit(design.task, hardware);
  if (!(hardware.neuron == NeuronSettings{}))
    b.symbol_rate_limit_bd =
        std::min(b.symbol_rate_limit_bd, symbol_rate_limit(design.task, neuron_hardware(hardware)));
  b.bits_per_word = design.task.servers * design.task.bits();
  const auto before = [&](const BudgetPart& part, std::size_t end) {
    return std::accumulate(part.by_stage.begin() + unit_p_stage,
                           part.by_stage.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
  };
  const BudgetPart& drivers = b.symbol_power_w.part("modulator drivers");
  const auto converting = [&](std::size_t end) {
    return before(b.static_power_w.part("receivers"), end) + before(drivers, end) +
           before(b.symbol_power_w.part("clocks and equalisers"), end);
  };
  const std::size_t unit_t = in.unit_t_stage();
  b.neurons_w = converting(unit_t);
  b.die_heat_w = converting(in.decides() ? unit_t + 1 : unit_t) +
                 before(b.static_power_w.part("heaters"), unit_t) +
                 before(b.static_power_w.part("static phases"), unit_t);
  if (in.decides() && in.owned()) b.die_heat_w += drivers.by_stage[in.owner_stage()];
  b.die_rise_k = hardware.die.resistance_k_per_w * b.die_heat_w;
  b.receiver_bandwidth_hz = hardware.receiver.front_end.bandwidth_hz;
  if (in.hops()) along_hops(design.task, b);
  if (const int block = checked_block(design.task, hardware); block > 0)
    b.bits_per_word *= block / (block + 1.0);  // without what is sent again
  return b;
}

ChipBudget budget(const ChipDesign& design, const ErrorModel& model, const UnitHardware& hardware,
                  const BudgetSettings& settings) {
  const ChipErrors perfect = fabricate(design, error_preset("ideal"), 1, 0);
  return budget(design, program(design, perfect, model.dac_bits, Programming::uncorrected, dac_mode(model)),
                model, hardware, settings);
}

}  // namespace optinc
