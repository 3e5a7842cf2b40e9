#include "onn/budget/unit_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/core/check.hpp"
#include "physics/devices/adc.hpp"

namespace optinc {
namespace {

std::int64_t full_svd(const SigmaULayer& layer) {
  const std::int64_t out = layer.outputs, in = layer.inputs;
  return out * (out - 1) / 2 + in * (in - 1) / 2 + std::min(out, in);
}

double heaters_w(const ChipBudget& b) {
  return b.static_power_w.part("heaters").total() + b.static_power_w.part("static phases").total();
}

/// A budget with the network it is of.
struct Costed {
  Network network;
  ChipBudget budget;
};

}  // namespace

double UnitCost::energy_per_bit_j() const {
  if (!carries_its_rate()) return std::numeric_limits<double>::quiet_NaN();
  return (static_power_w + symbol_power_w) * slots_per_word / (servers * bits * symbol_rate_bd);
}

double UnitCost::neurons_per_bit_j() const {
  return neurons_w * slots_per_word / (servers * bits * symbol_rate_bd);
}

UnitCost unit_cost(const Network& network, const ChipBudget& b, std::span<const int> approximated) {
  const auto layers = static_cast<int>(network.layers.size());
  UnitCost c;
  c.servers = network.task.servers;
  c.bits = network.task.bits();
  c.mzis = b.mzis();
  c.mzis_full_svd = mzi_count_full_svd(network);
  c.mzis_published = approximated.empty() ? c.mzis : c.mzis_full_svd;
  for (const int number : approximated) {
    validate(number >= 1 && number <= layers, "approximated layer {} of {} (1..{}). Number layers from 1.",
             number, layers, layers);
    const auto l = static_cast<std::size_t>(number - 1);
    c.mzis_published += b.stages[l + 2].mzis - full_svd(network.layers[l]);
  }
  for (std::size_t k = 0; k < b.stages.size(); ++k) {
    c.modulators += b.stages[k].modulators;
    c.receivers += b.stages[k].receivers;
    if (k < static_cast<std::size_t>(layers) + 2) c.neurons += b.stages[k].receivers;  // before unit T
  }
  c.neurons_w = b.neurons_w;
  c.area_m2 = b.die_area_m2;
  c.die_rise_k = b.die_rise_k;
  c.columns = b.columns();
  c.conversions = b.conversions();
  c.loss_db = b.loss_db.total();
  c.most_gain_db = b.most_gain_db();
  c.heater_w = heaters_w(b);
  c.static_power_w = b.static_power_w.total();
  c.symbol_power_w = b.symbol_power_w.total();
  c.delay_s = b.delay_s.total();
  c.symbol_rate_bd = b.symbol_rate_bd;
  c.symbol_rate_limit_bd = b.symbol_rate_limit_bd;
  c.receiver_bandwidth_hz = b.receiver_bandwidth_hz;
  c.slots_per_word = c.servers * c.bits / b.bits_per_word;
  c.delay_lines_m = b.delay_lines_m();
  c.longest_wait_s = b.longest_wait.wait_s;
  c.longest_wait_loss_db = b.longest_wait.loss_db;
  c.launch_delay_s = b.launch_delay_s;
  return c;
}

UnitCost in_series(std::span<const std::pair<int, UnitCost>> levels) {
  validate(!levels.empty(), "a system of no units (one at least). Name its units.");
  UnitCost all = levels.front().second;
  const int first = levels.front().first;
  all = {.servers = first * all.servers,
         .bits = all.bits,
         .symbol_rate_bd = all.symbol_rate_bd,
         .symbol_rate_limit_bd = all.symbol_rate_limit_bd,
         .receiver_bandwidth_hz = all.receiver_bandwidth_hz};
  all.conversions =
      static_cast<int>(levels.size()) - 1;  // what one level receives the next one's modulators send
  for (const auto& [units, c] : levels) {
    validate(units >= 1, "{} units of a level (one at least). Give their number.", units);
    all.mzis += units * c.mzis;
    all.mzis_published += units * c.mzis_published;
    all.mzis_full_svd += units * c.mzis_full_svd;
    all.modulators += units * c.modulators;
    all.receivers += units * c.receivers;
    all.neurons += units * c.neurons;
    all.neurons_w += units * c.neurons_w;
    all.area_m2 += units * c.area_m2;
    all.die_rise_k = std::max(all.die_rise_k, c.die_rise_k);
    all.heater_w += units * c.heater_w;
    all.static_power_w += units * c.static_power_w;
    all.symbol_power_w += units * c.symbol_power_w;
    all.delay_lines_m += units * c.delay_lines_m;
    all.memory_bits += units * c.memory_bits;
    all.columns += c.columns;
    all.conversions += c.conversions;
    all.loss_db += c.loss_db;
    all.delay_s += c.delay_s;
    all.most_gain_db = std::max(all.most_gain_db, c.most_gain_db);
    all.longest_wait_s = std::max(all.longest_wait_s, c.longest_wait_s);
    all.longest_wait_loss_db = std::max(all.longest_wait_loss_db, c.longest_wait_loss_db);
    all.launch_delay_s = std::max(all.launch_delay_s, c.launch_delay_s);
    all.symbol_rate_bd = std::min(all.symbol_rate_bd, c.symbol_rate_bd);
    all.symbol_rate_limit_bd = std::min(all.symbol_rate_limit_bd, c.symbol_rate_limit_bd);
    all.receiver_bandwidth_hz = std::min(all.receiver_bandwidth_hz, c.receiver_bandwidth_hz);
    all.slots_per_word = std::max(all.slots_per_word, c.slots_per_word);
  }
  return all;
}

UnitCost time_shared_cost(const Task& task, const CarryChainSettings& chain, const ErrorModel& model,
                          const UnitHardware& hardware, const BudgetSettings& settings) {
  validate(
      chain.carries == Carries::ripple && task.digits >= 2,
      "one stage for {} digits, carries {} (a ripple chain of two digits at least has a stage of its own). "
      "Set network.carries = \"ripple\".",
      task.digits, name_of(chain.carries));
  const auto costed = [&](int digits) {
    Task of = task;
    of.digits = digits;
    Network network = carry_chain(of, chain);
    ChipBudget b = budget(design_chip(network), model, hardware, settings);
    return Costed{std::move(network), std::move(b)};
  };
  // where the longer word is too long to be numbered, the shorter one gives the same difference
  const bool longer = task.digits < 4;
  const Costed chained = costed(task.digits), other = costed(longer ? task.digits + 1 : task.digits - 1);
  const ChipBudget &more = longer ? other.budget : chained.budget,
                   &less = longer ? chained.budget : other.budget;
  const auto stage = [&](auto of) { return of(more) - of(less); };
  const auto counted = [](std::int64_t BudgetStage::*member) {
    return [member](const ChipBudget& b) {
      std::int64_t sum = 0;
      for (const BudgetStage& s : b.stages) sum += s.*member;
      return sum;
    };
  };
  UnitCost c = unit_cost(chained.network, chained.budget);
  c.mzis = c.mzis_published = stage(counted(&BudgetStage::mzis));
  c.mzis_full_svd = std::abs(mzi_count_full_svd(chained.network) - mzi_count_full_svd(other.network));
  c.modulators = stage(counted(&BudgetStage::modulators));
  c.receivers = stage(counted(&BudgetStage::receivers));
  c.neurons = c.receivers - chained.budget.stages.back().receivers / task.digits;
  c.neurons_w = stage([](const ChipBudget& b) { return b.neurons_w; });
  const auto shifters = static_cast<double>(stage(counted(&BudgetStage::shifters)));
  c.area_m2 =
      stage([](const ChipBudget& b) { return b.area_m2.total() - b.area_m2.part("delay lines").total(); });
  c.heater_w = hardware.heater.p_pi_w * shifters;
  c.static_power_w = c.heater_w + shifters * settings.control_w_per_shifter +
                     chained.budget.static_power_w.part("lasers").total() / task.digits +
                     static_cast<double>(c.receivers) * hardware.receiver.front_end.supply_power_w;
  c.symbol_power_w = stage([](const ChipBudget& b) { return b.symbol_power_w.total(); });
  c.die_rise_k = stage([](const ChipBudget& b) { return b.die_rise_k; });
  const double loop_s = stage([](const ChipBudget& b) { return b.delay_s.total(); });
  const double turns = std::ceil(loop_s * hardware.timing.symbol_rate_bd);
  c.slots_per_word = task.digits + (task.servers > 4 ? 2 : 1);
  c.loss_db = stage([](const ChipBudget& b) { return b.loss_db.total(); });
  c.delay_s = chained.budget.delay_s.total() - task.digits * loop_s +
              c.slots_per_word * turns / hardware.timing.symbol_rate_bd;
  c.delay_lines_m = c.longest_wait_s = c.longest_wait_loss_db = 0.0;  // digits come when they are needed
  c.launch_delay_s = (c.slots_per_word - 1) * turns / hardware.timing.symbol_rate_bd;
  c.memory_bits = 2.0 * task.servers * task.bits() * turns;
  return c;
}

}  // namespace optinc
