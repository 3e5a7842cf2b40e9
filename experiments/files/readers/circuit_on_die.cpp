#include "experiments/files/readers/circuit_on_die.hpp"

#include <utility>

#include "physics/core/check.hpp"
#include "physics/variation/circuit_variation.hpp"

namespace optinc {

PlaceProcess process_at_places(const CircuitComponent& circuit, const std::vector<PlacedDevice>& devices,
                               const ProcessModel& model, const WaferMap& wafer) {
  validate(
      circuit.has_placements,
      "a netlist without placements of all its instances (the process acts where they lie). Write placements: "
      "{{INSTANCE: {{x: 0, y: 0}}}}, in um.");
  Sites sites{Vector(devices.size()), Vector(devices.size())};
  for (std::size_t d = 0; d < devices.size(); ++d) {
    sites.x_m[static_cast<Eigen::Index>(d)] = devices[d].x_m;
    sites.y_m[static_cast<Eigen::Index>(d)] = devices[d].y_m;
  }
  return prepare_places(std::move(sites), model, wafer);
}

std::map<std::string, double> settings_of_die(const std::vector<PlacedDevice>& devices,
                                              const PlaceProcess& process, std::uint64_t seed,
                                              std::uint32_t die) {
  std::vector<DeviceOnDie> on_die;
  for (const PlacedDevice& device : devices) on_die.push_back({device.model, device.settings});
  std::map<std::string, double> found;
  const auto of_devices = settings_on_die(on_die, process, seed, die);
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (const auto& [name, value] : of_devices[d]) found[devices[d].path + "." + name] = value;
  return found;
}

}  // namespace optinc
