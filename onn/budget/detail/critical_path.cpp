#include <algorithm>

#include "onn/budget/detail/parts.hpp"
#include "onn/link/detail/levels.hpp"
#include "onn/link/unit_p.hpp"
#include "physics/devices/direct_detection.hpp"
#include "physics/devices/homodyne.hpp"

namespace optinc::budgeting {
namespace {

/// Sums over the stages of a path, from the tables of all stages.
BudgetAnswer answer_of(const Inputs& in, const ChipBudget& b, const CriticalPath& path) {
  BudgetAnswer a;
  a.loss_db = in.splitting_db(path.copies) + in.splitters_db(path.copies);
  const auto add = [&](std::size_t stage) {
    const BudgetStage& at = b.stages[stage];
    a.columns += at.columns;
    a.conversions += at.modulators > 0 && at.receivers > 0;
    a.loss_db += b.loss_db.total(stage);
    a.delay_s += b.delay_s.total(stage);
  };
  for (const std::size_t stage : {servers_stage, unit_p_stage, in.unit_t_stage()}) add(stage);
  for (const std::size_t l : path.layers) add(first_layer_stage + l);
  if (in.owned()) add(in.owner_stage());
  return a;
}

/// Signal, noise and gain at the photodiodes of incoherent averages, with digit 3 of every server.
void receive_averages(const Inputs& in, BudgetStage& at) {
  const UnitHardware& u = in.hardware;
  const DirectReceiver receiver = {
      u.receiver.photodiode, u.receiver.front_end, {.rin_db_per_hz = u.laser.rin_db_per_hz}};
  const int lasers = in.design.task.combined();
  at.received_w = averaged_full_scale_w(in.design.task, u);
  const DirectNoise all = direct_noise_a2(receiver, at.received_w);
  const double one_laser_a2 = direct_noise_a2(receiver, at.received_w / lasers).intensity;
  const double current_a = receiver.diode.responsivity_a_per_w * at.received_w;
  at.snr_db = 10 * std::log10(current_a * current_a / (all.shot + all.front_end + lasers * one_laser_a2));
  at.gain_db = 10 * std::log10(u.link.signal_full_scale_w / at.received_w);
}

}  // namespace

std::vector<double> receive(const Inputs& in, ChipBudget& b) {
  std::vector<double> factors;
  for (const LayerDesign& layer : in.design.layers) factors.push_back(nominal_layer_factor(layer, in.model));
  const FieldsPerUnit units = fields_per_unit(in.design, in.hardware, factors);
  if (!in.coherent()) receive_averages(in, b.stages[unit_p_stage]);
  std::vector<double> powers(in.layers(), 0.0);
  for (std::size_t l = 0; l < in.layers(); ++l) {
    const LayerDesign& layer = in.design.layers[l];
    if (!layer.received()) continue;
    const bool last = layer.ending == LayerEnd::servers;
    BudgetStage& at = b.stages[last ? in.unit_t_stage() : first_layer_stage + l];
    const double field = (last ? pam4_full_scale_digit : layer.largest_output) * units.received[l];
    double power_w = powers[l] = field * field;
    if (last && at.received_w > 0) power_w = std::min(power_w, at.received_w);  // the weakest answer
    at.received_w = power_w;
    const UnitHardware of_layer = layer_hardware(layer, in.hardware);
    const double current_a = homodyne_current_per_field(of_layer.receiver) * std::sqrt(power_w);
    at.snr_db = 10 * std::log10(current_a * current_a /
                                homodyne_noise_a2(of_layer.receiver, of_layer.laser, power_w).total());
    if (!last) at.gain_db = 10 * std::log10(in.hardware.link.signal_full_scale_w / power_w);
  }
  return powers;
}

void wait(const Inputs& in, const Schedule& s, ChipBudget& b) {
  constexpr double instant_s = 1e-18;  // sums of the same times in another order are no wait
  const auto add = [&](std::size_t stage, double wait_s) {
    if (wait_s < instant_s) return;
    BudgetStage& at = b.stages[stage];
    ++at.lines;
    at.line_m += delay_line(in.hardware, wait_s).length_m;
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
      const Waveguide line = delay_line(in.hardware, whole);
      b.longest_wait = {source < 0 ? b.stages[unit_p_stage].name
                                   : b.stages[first_layer_stage + static_cast<std::size_t>(source)].name,
                        b.stages[first_layer_stage + l].name, whole, line.length_m, waveguide_loss_db(line)};
    }
  }
  b.launch_delay_s = *std::max_element(s.launch_s.begin(), s.launch_s.end());
}

void follow(const Inputs& in, const Schedule& s, std::span<const double> received_w, ChipBudget& b) {
  double latest = -1.0;
  CriticalPath last;
  for (const std::size_t l : in.design.server_layers()) {
    const CriticalPath path = critical_path(in.design, s, l);
    BudgetAnswer answer = answer_of(in, b, path);
    answer.received_w = received_w[l];
    b.answers.insert(b.answers.end(), static_cast<std::size_t>(in.design.layers[l].outputs), answer);
    if (answer.delay_s > latest) {
      latest = answer.delay_s;
      last = path;
    }
  }
  for (std::size_t l = 0; l < in.layers(); ++l) {
    const std::size_t stage = first_layer_stage + l;
    b.stages[stage].on_critical_path =
        std::find(last.layers.begin(), last.layers.end(), l) != last.layers.end();
    for (BudgetTable* t : {&b.loss_db, &b.delay_s})
      for (BudgetPart& p : t->parts)
        if (!b.stages[stage].on_critical_path) p.by_stage[stage] = 0.0;
  }
  const auto& part = [&](std::string_view name) -> double& {
    const auto found = std::find_if(b.loss_db.parts.begin(), b.loss_db.parts.end(),
                                    [&](const BudgetPart& p) { return p.name == name; });
    return found->by_stage[unit_p_stage];
  };
  part("splitting") += in.splitting_db(last.copies);
  part("splitter excess") += in.splitters_db(last.copies);
}

}  // namespace optinc::budgeting
