#include "physics/variation/error_model.hpp"

#include <array>
#include <cmath>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/thermo_optic_shifter.hpp"
#include "physics/variation/error_model_rows.hpp"

namespace optinc {
namespace {

constexpr double coupler_loss_db = 0.05;  // of each of an MZI's two

constexpr std::array<std::string_view, 5> preset_names = {"ideal", "design-target", "good-lab", "metal-heaters",
                                                          "doped-heaters"};
constexpr std::array<FormerName, 1> former_presets = {
    {{"foundry", "doped-heaters",
      "\"foundry\" had the loss of one heater and the power of another. Use \"doped-heaters\", which has its "
      "errors, or \"metal-heaters\", whose arms lose less and nearly the same."}}};

}  // namespace

std::span<const std::string_view> error_preset_names() { return preset_names; }

std::span<const FormerName> former_error_presets() { return former_presets; }

ErrorModel error_preset(std::string_view name) {
  // sigma_eta, rho_ab, sigma_cal, arm-loss spread, DAC and phase noise: assumed (see error_preset's
  // declaration). The mean MZI loss: doped-heaters is two couplers and two heater stages, good-lab the 0.2 dB
  // at which 398 MZIs in series lose 80 dB, design-target half of that.
  constexpr double heater_loss_db = 0.23;  // Harris et al. 2014
  if (name == "ideal") return {};
  if (name == "design-target") return {"design-target", 0.005, 0.5, 1e-3, 0.1, 0.005, 14, 3e-4};
  if (name == "good-lab") return {"good-lab", 0.01, 0.5, 2e-3, 0.2, 0.02, 12, 1e-3};
  if (name == "metal-heaters") {
    const ThermoOpticShifter heater = typical_metal_heater();
    return {"metal-heaters",       0.02, 0.5, 5e-3, 2 * coupler_loss_db + 2 * heater.loss_db,
            heater.loss_spread_db, 12,   1e-3};
  }
  if (name == "doped-heaters")
    return {"doped-heaters", 0.02, 0.5, 5e-3, 2 * coupler_loss_db + 2 * heater_loss_db, 0.13, 12, 1e-3};
  refuse_name("error preset", name, preset_names, former_presets);
}

std::vector<Warning> heater_loss_warnings(const ErrorModel& model, const ThermoOpticShifter& heater) {
  constexpr double tolerated_db = 0.25;
  const double expected_db = 2 * coupler_loss_db + 2 * heater.loss_db;
  if (model.mzi_loss_db == 0 || std::abs(model.mzi_loss_db - expected_db) <= tolerated_db) return {};
  return {{"mzi_loss_db",
           fmt::format(
               "two of these heaters and two couplers lose {:.2g} dB an MZI, and chip.mzi_loss_db is {:.2g}: "
               "the watts are those of another device than the loss",
               expected_db, model.mzi_loss_db)}};
}

ErrorModel at_splitter_error(ErrorModel model, double sigma_eta_rad) {
  model.sigma_eta_rad = sigma_eta_rad;
  return model;
}

ErrorModel scaled_errors(ErrorModel model, double factor) {
  validate(factor >= 0, "errors times {} (0 or more). Give a factor >= 0.", factor);
  for (double* value : {&model.sigma_eta_rad, &model.sigma_cal_rad, &model.mzi_loss_db,
                        &model.arm_loss_spread_db, &model.sigma_phase_rad})
    *value *= factor;
  model.preset = "custom";
  return model;
}

double mean_arm_loss_db(const ErrorModel& model) {
  const double m = model.mzi_loss_db / 2, s = model.arm_loss_spread_db;
  if (s == 0.0) return m;
  const double density = std::exp(-0.5 * (m / s) * (m / s)) / std::sqrt(2 * constants::pi);
  return m * 0.5 * std::erfc(-m / s / std::sqrt(2.0)) + s * density;
}

void validate_spread(std::string_view name, double value) {
  validate_field(std::isfinite(value) && value >= 0.0, name,
                 "{} (a spread or a loss is finite and >= 0). Give {} >= 0.", value, name);
}

void validate_errors(const ErrorModel& m) { validate_rows(m); }

std::vector<Warning> error_warnings(const ErrorModel& m) {
  std::vector<Warning> warnings;
  const auto above = [&](const char* name, double value, double most, const char* unit, const char* why) {
    if (value > most)
      warnings.push_back({name, fmt::format("{} = {} is above {} {}, {}", name, value, most, unit, why)});
  };
  above("sigma_eta_rad", m.sigma_eta_rad, 0.08, "rad", "the worst splitters reported");
  above("sigma_cal_rad", m.sigma_cal_rad, 0.05, "rad", "more than a calibration leaves");
  above("mzi_loss_db", m.mzi_loss_db, 3.6, "dB", "two couplers and two heaters of the lossiest kind");
  above("arm_loss_spread_db", m.arm_loss_spread_db, 0.4, "dB", "wider than between published heaters");
  above("dac_bits", m.dac_bits, 16, "bit", "finer than a phase DAC resolves");
  above("sigma_phase_rad", m.sigma_phase_rad, 0.01, "rad", "more than the drive of a heater makes");
  return warnings;
}

}  // namespace optinc
