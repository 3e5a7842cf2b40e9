#include "onn/budget/settings.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "onn/budget/schedule.hpp"
#include "physics/core/check_values.hpp"
#include "physics/core/names.hpp"
#include "physics/devices/power_divider.hpp"

namespace optinc {
namespace {

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
  refuse_name("heater", name, heater_names());
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
  value_of_name<Skew>(s.skew);
  validate_not_negative("delay_line_pitch_m", s.delay_line_pitch_m);
}

}  // namespace optinc
