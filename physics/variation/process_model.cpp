#include "physics/variation/process_model.hpp"

#include <array>
#include <cmath>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/units.hpp"
#include "physics/variation/error_model.hpp"

namespace optinc {
namespace {

double eta_per_width(const ProcessModel& m) {
  return m.eta_per_width_rad_per_m + m.gap_per_width * m.eta_per_gap_rad_per_m;
}

/// Variance of a splitter's angle that comes from the random fields, rad^2.
double field_variance(const ProcessModel& m) {
  const double from_width = eta_per_width(m) * m.width.field_m;
  const double from_height = m.eta_per_height_rad_per_m * m.height.field_m;
  return from_width * from_width + from_height * from_height;
}

void validate_positive(std::string_view name, double value) {
  validate_field(std::isfinite(value) && value > 0.0, name,
                 "{} (a length is finite and > 0). Give {} in metres.", value, name);
}

void validate_correlation(std::string_view name, double value) {
  validate_field(std::abs(value) <= 1.0, name, "{} (a correlation lies in -1..1). Give -1 <= {} <= 1.", value,
                 name);
}

}  // namespace

ProcessModel default_process() {
  ProcessModel m;
  m.width = {2e-9, 2e-9, 1e-9, 2e-9, 0.09e-9};
  m.height = {0.7e-9, 0.7e-9, 0.3e-9, 0.8e-9, 0.0};
  const ErrorModel doped = error_preset("doped-heaters");
  m.mzi_loss_db = doped.mzi_loss_db;
  m.arm_loss_spread_db = doped.arm_loss_spread_db;
  m.heater_power_spread = 0.02;
  m.heater_resistance_spread = 0.02;
  return with_splitter_statistics(m, {0.02, 0.5}, 100e-6);
}

std::span<const std::string_view> process_preset_names() {
  static constexpr std::array<std::string_view, 2> names = {"default", "openebl-2024"};
  return names;
}

ProcessModel process_preset(std::string_view name) {
  ProcessModel m = default_process();
  if (name == "default") return m;
  if (name != "openebl-2024") refuse_name("process", name, process_preset_names());
  m.width.field_m = 0.33e-9;
  m.width.roughness_m = 0.26e-9;
  m.height.field_m = 0.13e-9;
  m.correlation_length_m = 0.48e-3;
  return m;
}

SplitterStatistics splitter_statistics(const ProcessModel& m, double distance_m) {
  const double field = field_variance(m), white = m.sigma_eta_white_rad * m.sigma_eta_white_rad;
  if (field + white == 0.0) return {};
  const double rho = correlation(m.kernel, m.correlation_length_m, distance_m);
  return {std::sqrt(field + white), (field * rho + white * m.rho_white) / (field + white)};
}

ProcessModel with_splitter_statistics(ProcessModel m, const SplitterStatistics& wanted, double distance_m,
                                      double field_share) {
  validate_spread("sigma_eta_rad", wanted.sigma_eta_rad);
  validate_correlation("rho_ab", wanted.rho_ab);
  const double total = wanted.sigma_eta_rad * wanted.sigma_eta_rad;
  if (field_share >= 0.0) {
    validate_field(field_share <= 1.0, "field_share",
                   "{} (a share of the variance lies in 0..1). Give at most 1.", field_share);
    const double now = field_variance(m);
    validate_field(now > 0.0 || field_share == 0.0 || total == 0.0, "field_share",
                   "{} of the splitters' variance (the random fields have none to scale). Give the "
                   "process a "
                   "field_m, or field_share = 0.",
                   field_share);
    const double scale = now > 0.0 ? std::sqrt(field_share * total / now) : 0.0;
    m.eta_per_width_rad_per_m *= scale;
    m.eta_per_gap_rad_per_m *= scale;
    m.eta_per_height_rad_per_m *= scale;
  }
  const double field = field_variance(m), white = total - field;
  validate_field(white >= -1e-12 * total, "sigma_eta_rad",
                 "{} (the random fields alone make {} rad). Give a larger one, or a field_share.",
                 wanted.sigma_eta_rad, std::sqrt(field));
  m.sigma_eta_white_rad = std::sqrt(std::max(0.0, white));
  m.rho_white = 0.0;
  const double rho = correlation(m.kernel, m.correlation_length_m, distance_m);
  const double lacking = wanted.rho_ab * total - rho * field;
  if (white > 1e-12 * total) m.rho_white = lacking / white;
  validate_field(
      white > 1e-12 * total ? std::abs(m.rho_white) <= 1.0 + 1e-12 : std::abs(lacking) <= 1e-9 * total,
      "rho_ab",
      "{} (the field correlates splitters {} m apart by {}, and its part of the variance leaves too "
      "little white part to make up for it). Change rho_ab, field_share or the correlation length.",
      wanted.rho_ab, distance_m, rho);
  m.rho_white = std::clamp(m.rho_white, -1.0, 1.0);
  return m;
}

bool varies(const ProcessModel& m) {
  double sum = m.heater_power_spread;
  for (const DimensionSpread* d : {&m.width, &m.height})
    sum += d->wafer_bow_m + d->wafer_tilt_m + d->die_m + d->field_m + d->roughness_m;
  return sum > 0.0;
}

double index_change(const ProcessModel& m, double width_change_m, double height_change_m) {
  return m.index_per_width_per_m * width_change_m + m.index_per_height_per_m * height_change_m;
}

double phase_change_rad(const ProcessModel& m, double length_m, double width_change_m, double height_change_m) {
  return 2 * constants::pi * length_m / m.wavelength_m * index_change(m, width_change_m, height_change_m);
}

double eta_change_rad(const ProcessModel& m, double width_change_m, double height_change_m) {
  return eta_per_width(m) * width_change_m + m.eta_per_height_rad_per_m * height_change_m;
}

void validate_process(const ProcessModel& m) {
  for (const auto& [name, d] : {std::pair{"width", m.width}, {"height", m.height}})
    for (const auto& [part, value] : {std::pair{"wafer_bow_m", d.wafer_bow_m},
                                      {"wafer_tilt_m", d.wafer_tilt_m},
                                      {"die_m", d.die_m},
                                      {"field_m", d.field_m},
                                      {"roughness_m", d.roughness_m}})
      validate_spread(fmt::format("{}.{}", name, part), value);
  validate_spread("sigma_eta_white_rad", m.sigma_eta_white_rad);
  validate_spread("mzi_loss_db", m.mzi_loss_db);
  validate_spread("arm_loss_spread_db", m.arm_loss_spread_db);
  validate_spread("heater_power_spread", m.heater_power_spread);
  validate_spread("heater_resistance_spread", m.heater_resistance_spread);
  validate_positive("correlation_length_m", m.correlation_length_m);
  validate_positive("roughness_length_m", m.roughness_length_m);
  validate_positive("wavelength_m", m.wavelength_m);
  validate_correlation("rho_white", m.rho_white);
  for (const auto& [name, value] : {std::pair{"index_per_width_per_m", m.index_per_width_per_m},
                                    {"index_per_height_per_m", m.index_per_height_per_m},
                                    {"eta_per_width_rad_per_m", m.eta_per_width_rad_per_m},
                                    {"eta_per_gap_rad_per_m", m.eta_per_gap_rad_per_m},
                                    {"eta_per_height_rad_per_m", m.eta_per_height_rad_per_m},
                                    {"gap_per_width", m.gap_per_width}})
    validate_field(std::isfinite(value), name, "{} (a sensitivity is finite). Give a number.", value);
}

std::vector<Warning> process_warnings(const ProcessModel& m, double mzi_length_m) {
  std::vector<Warning> warnings;
  const auto range = [&](const char* name, double value, double low, double high) {
    if (value != 0.0 && (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)))
      warnings.push_back(
          {name, fmt::format("{} = {} is outside of {}..{}, what is reported", name, value, low, high)});
  };
  range("width.field_m", m.width.field_m, 0.2e-9, 5e-9);
  range("height.field_m", m.height.field_m, 0.1e-9, 2e-9);
  range("correlation_length_m", m.correlation_length_m, 0.1e-3, 10e-3);
  range("index_per_width_per_m", m.index_per_width_per_m, 1e6, 2.5e6);
  range("index_per_height_per_m", m.index_per_height_per_m, 3.5e6, 4.5e6);
  const double sigma = splitter_statistics(m, mzi_length_m / 2).sigma_eta_rad;
  range("rms splitter angle", sigma, 0.002, 0.08);
  if (m.correlation_length_m < mzi_length_m)
    warnings.push_back(
        {"correlation_length_m",
         fmt::format("correlation_length_m = {} is below the length of an MZI, {}: a device is given the field "
                     "at its centre, "
                     "which over-states the spread of what averages over its length",
                     m.correlation_length_m, mzi_length_m)});
  if (std::max(m.heater_power_spread, m.heater_resistance_spread) > 0.25)
    warnings.push_back({"heater_power_spread",
                        "a heater spread above 25 % draws powers or resistances that are cut off at 10 %"});
  return warnings;
}

}  // namespace optinc
