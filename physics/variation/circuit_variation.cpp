#include "physics/variation/circuit_variation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "physics/circuit/models.hpp"
#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr std::string_view coupler_angles[] = {"eta_rad", "bus_eta_rad", "drop_eta_rad"},
                           splitter_errors[] = {"alpha_rad", "beta_rad"};

}  // namespace

std::vector<std::map<std::string, double>> settings_on_die(const std::vector<DeviceOnDie>& devices,
                                                           const PlaceProcess& process, std::uint64_t seed,
                                                           std::uint32_t chip) {
  validate(process.sites.count() == static_cast<Eigen::Index>(devices.size()),
           "{} devices at {} places (one each). Give as many places.", devices.size(), process.sites.count());
  const ProcessModel& model = process.model;
  const Eigen::MatrixXd changes = dimension_changes(process, seed, chip);
  Stream roughness(seed, Purpose::arm_roughness, chip, 0);
  std::vector<std::map<std::string, double>> all(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const double width = changes(static_cast<Eigen::Index>(d), 0),
                 height = changes(static_cast<Eigen::Index>(d), 1);
    const auto& known = circuit_model(devices[d].model).settings;
    const auto value_of = [&](std::string_view name) {
      const auto given = devices[d].settings.find(std::string(name));
      return given != devices[d].settings.end() ? given->second
                                                : std::ranges::find(known, name, &ModelSetting::name)->usual;
    };
    const auto has = [&](std::string_view name) {
      return std::ranges::find(known, name, &ModelSetting::name) != known.end();
    };
    const double eta_change = eta_change_rad(model, width, height);
    for (const std::string_view name : coupler_angles)
      if (has(name)) all[d][std::string(name)] = value_of(name) * (1 + eta_change / (std::numbers::pi / 4));
    for (const std::string_view name : splitter_errors)
      if (has(name)) all[d][std::string(name)] = value_of(name) + eta_change;
    if (!has("index") || !has("length_m")) continue;
    const double own_width = roughness.normal(), own_height = roughness.normal(),
                 length_m = value_of("length_m");
    const double rough = length_m > 0 ? std::sqrt(model.roughness_length_m / length_m) : 0.0;
    all[d]["index"] =
        value_of("index") + index_change(model, width + rough * model.width.roughness_m * own_width,
                                         height + rough * model.height.roughness_m * own_height);
  }
  return all;
}

}  // namespace optinc
