#include "experiments/study/study_warnings.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include <fmt/format.h>

#include "experiments/base/terminal.hpp"
#include "experiments/study/model_keys.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/study_model.hpp"
#include "onn/chip/chip_design.hpp"
#include "onn/chip/heater_power.hpp"
#include "onn/link/average.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/devices/front_end.hpp"
#include "physics/devices/laser.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/photodiode.hpp"
#include "physics/devices/thermo_optic_shifter.hpp"
#include "physics/thermal/crosstalk.hpp"
#include "physics/thermal/heaters.hpp"

namespace optinc {
namespace {

using StudyWarnings = std::vector<StudyWarning>;
using Warnings = std::vector<Warning>;

/// Warnings of a device about one key.
void add(StudyWarnings& all, std::string_view key, const Warnings& warnings) {
  for (const Warning& w : warnings) all.push_back({std::string(key), w.text, std::string(w.field)});
}

/// Warnings of a device whose fields are the keys of a section.
void add_section(StudyWarnings& all, std::string_view section, const Warnings& warnings) {
  for (const Warning& w : warnings) add(all, fmt::format("{}.{}", section, w.field), {w});
}

/// Those about this field: of a device that has fields a study does not set.
Warnings about(std::string_view field, Warnings warnings) {
  std::erase_if(warnings, [&](const Warning& w) { return w.field != field; });
  return warnings;
}

void add_light(StudyWarnings& all, const UnitHardware& u) {
  add(all, "link.launch_power_w", laser_warnings({.power_w = u.link.launch_power_w}));
  add(all, "link.signal_full_scale_w", laser_warnings({.power_w = u.link.signal_full_scale_w}));
  add(all, "receiver.lo_power_w", laser_warnings({.power_w = u.receiver.lo_power_w}));
  add(all, "laser.rin_db_per_hz", about("rin_db_per_hz", laser_warnings(u.laser)));
  add(all, "laser.linewidth_hz", about("linewidth_hz", laser_warnings(u.laser)));
  const auto diode = photodiode_warnings(u.receiver.photodiode, u.laser.wavelength_m);
  add(all, "receiver.responsivity_a_per_w", about("responsivity_a_per_w", diode));
  add(all, "receiver.dark_current_a", about("dark_current_a", diode));
  const auto front_end = front_end_warnings(u.receiver.front_end);
  add(all, "receiver.tia_noise_a_per_rthz", about("noise", front_end));
  add(all, "receiver.bandwidth_hz", about("bandwidth_hz", front_end));
  const auto modulator = mzm_warnings(u.modulator);
  add(all, "modulator.leak", about("leak", modulator));
  add(all, "modulator.bandwidth_hz", about("bandwidth_hz", modulator));
}

void add_crosstalk(StudyWarnings& all, const StudyConfig& config) {
  const CrosstalkSettings& s = config.crosstalk;
  if (s.x0 == 0.0) return;  // then nothing else of the section acts
  add_section(all, "crosstalk", crosstalk_warnings({.x0 = s.x0, .d0_m = s.d0_m}));
  add_section(all, "layout", floor_plan_warnings(config.hardware.layout));
}

void add_splitters(StudyWarnings& all, const SensitivitySettings& s) {
  DirectionalCoupler coupler;
  coupler.eta_relative_slope_per_m = s.splitter_rad_per_m / coupler.eta_rad;
  add(all, "drift.splitter_rad_per_m", about("eta_relative_slope_per_m", coupler_warnings(coupler)));
}

void add_fabrication(StudyWarnings& all, const StudyConfig& config) {
  const FloorPlanSettings& layout = config.hardware.layout;
  const ProcessModel process = with_white_part(config.fabrication.shared, config.chip);
  for (const Warning& w : process_warnings(process, layout.mzi_length_m)) {
    std::string key(w.field);  // "width.field_m", or what follows from several keys
    std::ranges::replace(key, '.', '_');
    add(all, fmt::format("fabrication.{}", key.find(' ') == std::string::npos ? key : "process"), {w});
  }
  if (config.crosstalk.x0 == 0.0) add_section(all, "layout", floor_plan_warnings(layout));
  if (model_of(config).networks != nullptr)
    add(all, "fabrication.process",
        die_plan_warnings(placed_on_die(meshes_of(network_shape(config)), layout, config.fabrication.wafer)));
}

/// Whether [fabrication] says anything but its defaults.
bool shares_something_else(const StudyConfig& config) {
  const auto entries = config_entries(config), defaults = config_entries({});
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].section == "fabrication" && entries[i].value != defaults[i].value) return true;
  return false;
}

/// Whether the study trains its network, and without the noise of its unit.
bool trains(const StudyConfig& config) {
  return model_of(config).networks != nullptr && config.network.source == "train";
}
bool trains_without_noise(const StudyConfig& config) { return trains(config) && config.training.noise == 0; }

void add_idle_network(StudyWarnings& all, const StudyConfig& config) {
  const NetworkSettings& network = config.network;
  if (model_of(config).networks != nullptr && network.source != "train" &&
      network.start != NetworkSettings().start)
    all.push_back(
        {"network.start",
         fmt::format("\"{}\" has no effect: nothing is trained with network.source = \"{}\". Leave it out, "
                     "or set network.source = \"train\"",
                     network.start, network.source),
         {}});
}

void add_idle_errors(StudyWarnings& all, const StudyConfig& config) {
  for (const auto& [key, measured] : {std::pair("mesh.measured", config.mesh.is_measured()),
                                      std::pair("chip.measured", config.measured_chip.is_measured())})
    if (measured && config.chip.preset != "ideal" && config.chip.preset != "custom")
      all.push_back({key,
                     fmt::format("errors of preset \"{}\" are added to the measured ones. Set chip.preset = "
                                 "\"ideal\", and in [chip] how far the truth may lie from the measurement",
                                 config.chip.preset),
                     {}});
  if (config.fabrication.process == FabricationProcess::independent && shares_something_else(config))
    all.push_back({"fabrication.process",
                   "\"independent\" ignores the other keys of [fabrication]. Set it to \"wafer\" to use them",
                   {}});
}

void add_idle_limiters(StudyWarnings& all, const StudyConfig& config) {
  const LinkSettings& link = config.hardware.link;
  if (trains_without_noise(config) && has_real_limiters(link))
    all.push_back({link.limiter_knee > 0 ? "link.limiter_knee" : "link.sigma_limiter",
                   "acts on chips but not in training, where limiters are hard and equal without "
                   "training.noise. Set training.noise = 1 to train for it",
                   {}});
}

/// Whether keys of clocked receivers alone, or of words in succession, are set.
bool sets_clocked_receivers(const TimingSettings& timing) {
  const TimingSettings unset;
  return timing.equaliser_taps != unset.equaliser_taps || timing.jitter_s != unset.jitter_s ||
         timing.sampler != unset.sampler;
}
bool sets_time(const TimingSettings& timing) {
  const TimingSettings unset;
  const bool own_rate = std::ranges::none_of(parts_set_names(), [&](std::string_view set) {
    return unit_of_parts(set).timing.symbol_rate_bd == timing.symbol_rate_bd;
  });
  return sets_clocked_receivers(timing) || own_rate || timing.lane_skew_s != unset.lane_skew_s ||
         timing.layer_skew_s != unset.layer_skew_s;
}

void add_idle_timing(StudyWarnings& all, const StudyConfig& config) {
  const TimingSettings& timing = config.hardware.timing;
  const bool sends_words = model_of(config).networks != nullptr;
  const auto warn = [&](const char* text) { all.push_back({"time.sampling", text, {}}); };
  if (trains_without_noise(config) && timing.sampling != Sampling::settled)
    warn(
        "acts on chips but not in training, whose words settle without training.noise. Set "
        "training.noise = 1 to train for interference of clocked words");
  if (sends_words && timing.sampling == Sampling::unclocked && sets_clocked_receivers(timing))
    warn("\"unclocked\" ignores samplers, equalisers and jitter. Set it to \"clocked\" to use them");
  if (sends_words && timing.sampling == Sampling::settled && sets_time(timing))
    warn(
        "\"settled\" ignores symbol rate, samplers, equalisers, jitter and skew. Set it to "
        "\"clocked\" to use them");
  if (trains(config) && config.training.noise > 0 && timing.sampling == Sampling::unclocked)
    warn(
        "\"unclocked\" acts on chips but not in training, whose words settle. Train for \"clocked\" "
        "to include interference");
}

/// Of keys that are no mistake where a sweep over ways of averaging has a point that uses them.
StudyWarning unused_anywhere(const char* key, const char* text) {
  StudyWarning warning = {key, text, {}};
  warning.of_all_points = true;
  return warning;
}

void add_idle_neurons(StudyWarnings& all, const StudyConfig& config) {
  if (!(config.hardware.neuron == NeuronSettings{}) &&
      (config.task.sends_sums() || config.task.adder != Adder::light))
    all.push_back(
        unused_anywhere("neuron",
                        "changes nothing without a network: light adds or carries words, and no neuron stands "
                        "in its way"));
}

void add_idle_owner(StudyWarnings& all, const StudyConfig& config) {
  const OwnerSettings& owner = config.hardware.owner;
  if (!(owner == OwnerSettings{}) && !has_owner(config.task, config.hardware) &&
      !decides_sums(config.task, config.hardware))
    all.push_back(
        unused_anywhere("owner",
                        "changes nothing without network.source = \"digit-sums\" and a link.destinations below "
                        "task.servers: sums have no owner"));
}

void add_idle_checks(StudyWarnings& all, const StudyConfig& config) {
  if (config.hardware.link.check_block > 0 && checked_block(config.task, config.hardware) == 0)
    all.push_back(unused_anywhere(
        "link.check_block",
        "changes nothing without network.source = \"digit-sums\": rounding is not linear, so answers "
        "cannot be checked"));
}

void add_idle_yield(StudyWarnings& all, const StudyConfig& config) {
  const Metric* metric = find_metric(config.yield.metric);
  const double limit = config.yield.limit;
  if (metric != nullptr && !metric->complement.empty() && (limit < 0 || limit > 1))
    all.push_back(
        {"yield.limit",
         fmt::format(
             "{} is outside the range of {}, a share from 0 to 1: {} trials pass. Set a value from 0 to 1",
             limit, metric->name, (config.yield.sense == "at-least") == (limit > 1) ? "no" : "all"),
         {}});
}

/// Keys that are read, but can change nothing with their value or with that of another.
void add_idle(StudyWarnings& all, const StudyConfig& config) {
  add_idle_network(all, config);
  add_idle_errors(all, config);
  add_idle_limiters(all, config);
  add_idle_timing(all, config);
  add_idle_neurons(all, config);
  add_idle_owner(all, config);
  add_idle_checks(all, config);
  add_idle_yield(all, config);
}

StudyWarnings point_warnings(const StudyConfig& config) {
  StudyWarnings all;
  add_idle(all, config);
  add_section(all, "chip", error_warnings(config.chip));
  const StudyModel& model = model_of(config);
  if (config.fabrication.process == FabricationProcess::wafer) add_fabrication(all, config);
  if (model.networks != nullptr) {
    add_crosstalk(all, config);
    add_light(all, config.hardware);
  }
  if (model.warnings != nullptr) std::ranges::move(model.warnings(config), std::back_inserter(all));
  if (model.reads_key("environment", "wavelength_m") &&
      (config.environment.wavelength_m != 0.0 || model.reads_key("comb", "spacing_hz")))
    add_splitters(all, config.drift.sensitivity);
  return all;
}

}  // namespace

StudyWarnings drift_warnings(const StudyConfig& config) {
  StudyWarnings all;
  const ThermalDie& die = config.hardware.die;
  const HeaterSettings& heater = config.hardware.heater;
  add(all, "heater.pi_power_w", about("p_pi_w", thermo_optic_warnings(heater)));
  add(all, "heater.pi_power_w",
      die_warnings({die.resistance_k_per_w, 1.0 / die.resistance_k_per_w},
                   expected_heater_power_w(network_shape(config), heater.p_pi_w)));
  add(all, "die.capacity_j_per_k", die_warnings(die, 0.0));
  add_splitters(all, config.drift.sensitivity);
  return all;
}

std::string StudyWarning::line() const {
  const std::string place = point.empty()             ? ""
                            : points == points_of_all ? " (at every point, the first " + point + ")"
                            : points > 1 ? fmt::format(" (at {}, the first of {} points)", point, points)
                                         : " (at " + point + ")";
  return key + ": " + text + place;
}

std::vector<std::string> lines_of(const std::vector<StudyWarning>& warnings) {
  std::vector<std::string> lines;
  for (const StudyWarning& w : warnings) lines.push_back(w.line());
  return lines;
}

StudyWarnings study_warnings(const StudyConfig& config) {
  StudyWarnings all = unread_keys(config), of_points;
  const StudyPoints points(config);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const StudyConfig there = points[p];
    for (StudyWarning& found : point_warnings(there)) {
      const auto known = std::find_if(of_points.begin(), of_points.end(), [&](const StudyWarning& w) {
        return w.key == found.key && w.field == found.field;
      });
      StudyWarning& w = known != of_points.end() ? *known : of_points.emplace_back(std::move(found));
      if (w.points++ == 0) w.point = point_label(config, p);
      w.points_of_all = points.size();
    }
  }
  std::erase_if(of_points, [](const StudyWarning& w) { return w.of_all_points && w.points < w.points_of_all; });
  if (const auto whole = model_of(config).study_warnings)
    std::ranges::move(whole(config), std::back_inserter(all));
  std::ranges::move(of_points, std::back_inserter(all));
  return all;
}

StudyWarnings budget_warnings(const StudyConfig& config, double heater_power_w) {
  StudyWarnings all;
  add_section(all, "chip", error_warnings(config.chip));
  add_light(all, config.hardware);
  add(all, "laser.power_w", about("power_w", laser_warnings(config.hardware.laser)));
  const auto modulator = mzm_warnings(config.hardware.modulator);
  add(all, "modulator.loss_db", about("insertion_loss_db", modulator));
  add(all, "modulator.v_pi_v", about("v_pi_v", modulator));
  add_section(all, "layout", floor_plan_warnings(config.hardware.layout));
  const double resistance = config.hardware.die.resistance_k_per_w;
  add(all, "heater.device", die_warnings({resistance, 1.0 / resistance}, heater_power_w));
  add(all, "heater.device", heater_loss_warnings(config.chip, config.hardware.heater));
  return all;
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& line : warnings) complain("warning: " + line);
}

}  // namespace optinc
