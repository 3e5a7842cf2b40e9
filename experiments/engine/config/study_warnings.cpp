#include "experiments/engine/config/study_warnings.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include <fmt/format.h>

#include "experiments/engine/config/model_keys.hpp"
#include "experiments/engine/config/points.hpp"
#include "experiments/engine/config/study_model.hpp"
#include "onn/chip/heater_power.hpp"
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

using Warnings = std::vector<ConfigWarning>;
using Sentences = std::vector<std::string>;

/// Sentences of a device about one key.
void add(Warnings& all, std::string_view key, const Sentences& sentences) {
  for (const std::string& s : sentences) {
    const bool stop = s.ends_with('.');  // a place may follow
    all.push_back({std::string(key), stop ? s.substr(0, s.size() - 1) : s});
  }
}

/// Sentences that open with a field's name, where the section has a key of that name.
void add_by_field(Warnings& all, const StudyConfig& config, std::string_view section,
                  const Sentences& sentences) {
  if (sentences.empty()) return;
  for (const FieldEntry& entry : config_entries(config))
    for (const std::string& s : sentences)
      if (entry.section == section && s.starts_with(std::string(entry.info.key) + " = "))
        add(all, entry.name(), {s});
}

/// Those that open with this field's name: of a device that has fields a study does not set.
Sentences about(std::string_view field, Sentences sentences) {
  std::erase_if(sentences, [&](const std::string& s) { return !s.starts_with(field); });
  return sentences;
}

void add_light(Warnings& all, const UnitHardware& u) {
  add(all, "link.launch_power_w", laser_warnings({.power_w = u.link.launch_power_w}));
  add(all, "link.signal_full_scale_w", laser_warnings({.power_w = u.link.signal_full_scale_w}));
  add(all, "receiver.lo_power_w", laser_warnings({.power_w = u.receiver.lo_power_w}));
  add(all, "laser.rin_db_per_hz", about("rin_db_per_hz", laser_warnings(u.laser)));
  add(all, "laser.linewidth_hz", about("linewidth_hz", laser_warnings(u.laser)));
  const auto diode = photodiode_warnings(u.receiver.photodiode, u.laser.wavelength_m);
  add(all, "receiver.responsivity_a_per_w", about("responsivity_a_per_w", diode));
  add(all, "receiver.dark_current_a", about("dark_current_a", diode));
  const auto front_end = front_end_warnings(u.receiver.front_end);
  add(all, "receiver.tia_noise_a_per_rthz", about("input noise", front_end));
  add(all, "receiver.bandwidth_hz", about("bandwidth_hz", front_end));
  const auto modulator = mzm_warnings(u.modulator);
  add(all, "modulator.leak", about("leak", modulator));
  add(all, "modulator.bandwidth_hz", about("bandwidth_hz", modulator));
}

void add_crosstalk(Warnings& all, const StudyConfig& config) {
  const CrosstalkSettings& s = config.crosstalk;
  if (s.x0 == 0.0) return;  // then nothing else of the section acts
  add_by_field(all, config, "crosstalk", crosstalk_warnings({.x0 = s.x0, .d0_m = s.d0_m}));
  add_by_field(all, config, "layout", floor_plan_warnings(config.hardware.layout));
}

void add_splitters(Warnings& all, const SensitivitySettings& s) {
  DirectionalCoupler coupler;
  coupler.eta_slope_rad_per_m = s.splitter_rad_per_m;
  add(all, "drift.splitter_rad_per_m", about("eta_slope_rad_per_m", coupler_warnings(coupler)));
}

Warnings point_warnings(const StudyConfig& config) {
  Warnings all;
  add_by_field(all, config, "chip", error_warnings(config.chip));
  const StudyModel& model = model_of(config);
  if (model.networks != nullptr) {
    add_crosstalk(all, config);
    add_light(all, config.hardware);
  }
  if (model.warnings != nullptr)
    for (ConfigWarning& warning : model.warnings(config)) all.push_back(std::move(warning));
  if (model.networks != nullptr && config.operation.wavelength_m != 0.0)
    add_splitters(all, config.drift.sensitivity);
  return all;
}

/// A text without what its values make of it.
std::string without_numbers(std::string text) {
  std::erase_if(text, [](unsigned char c) {
    return std::isdigit(c) != 0 || c == '.' || c == '-' || c == '+' || c == 'e';
  });
  return text;
}

}  // namespace

std::vector<ConfigWarning> drift_warnings(const StudyConfig& config) {
  Warnings all;
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

std::vector<std::string> study_warnings(const StudyConfig& config) {
  struct Seen {
    ConfigWarning first;
    std::string words, point;
    std::size_t points;
  };
  std::vector<Seen> seen;
  StudyConfig base = config;
  base.sweeps.clear();
  const std::size_t points = point_count(config);
  for (std::size_t p = 0; p < points; ++p) {
    const StudyConfig there = config_at(base, config, p);
    for (ConfigWarning& warning : point_warnings(there)) {
      std::string words = without_numbers(warning.text);
      const auto known = std::find_if(seen.begin(), seen.end(), [&](const Seen& s) {
        return s.first.key == warning.key && s.words == words;
      });
      if (known != seen.end())
        ++known->points;
      else
        seen.push_back({std::move(warning), std::move(words), point_label(config, p), 1});
    }
  }
  std::vector<std::string> lines = unread_keys(config);
  if (const auto whole = model_of(config).study_warnings)
    for (std::string& line : whole(config)) lines.push_back(std::move(line));
  for (const Seen& s : seen) {
    const std::string place = s.points == points ? (points > 1 ? "at every point, the first " + s.point : "")
                              : s.points > 1 ? fmt::format("at {}, the first of {} points", s.point, s.points)
                                             : "at " + s.point;
    lines.push_back(
        fmt::format("{}: {}{}", s.first.key, s.first.text, place.empty() ? "" : " (" + place + ")"));
  }
  return lines;
}

std::vector<std::string> budget_warnings(const StudyConfig& config, double heater_power_w) {
  Warnings all;
  add_by_field(all, config, "chip", error_warnings(config.chip));
  add_light(all, config.hardware);
  add(all, "laser.power_w", about("power_w", laser_warnings(config.hardware.laser)));
  const auto modulator = mzm_warnings(config.hardware.modulator);
  add(all, "modulator.loss_db", about("insertion_loss_db", modulator));
  add(all, "modulator.v_pi_v", about("v_pi_v", modulator));
  add_by_field(all, config, "layout", floor_plan_warnings(config.hardware.layout));
  const double resistance = config.hardware.die.resistance_k_per_w;
  add(all, "heater.device", die_warnings({resistance, 1.0 / resistance}, heater_power_w));
  std::vector<std::string> lines;
  for (const ConfigWarning& w : all) lines.push_back(fmt::format("{}: {}", w.key, w.text));
  return lines;
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& line : warnings) std::fputs(("optinc: warning: " + line + "\n").c_str(), stderr);
}

}  // namespace optinc
