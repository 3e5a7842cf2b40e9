#include "experiments/cli/devices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/base/text_table.hpp"
#include "physics/devices/catalogue.hpp"

namespace optinc {
namespace {

/// "24.77 mW": units that take a prefix get the one that leaves 1 to 999 before the point.
std::string quantity(double value, const std::string& unit) {
  constexpr std::array<std::string_view, 9> with_prefix = {"m", "s", "W", "V", "A", "J", "Hz", "ohm", "J/K"};
  constexpr std::array<std::string_view, 9> prefixes = {"p", "n", "u", "m", "", "k", "M", "G", "T"};
  if (value == 0.0 || std::find(with_prefix.begin(), with_prefix.end(), unit) == with_prefix.end())
    return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
  // a hair above, lest 1e-3 counts as 0.9999 m
  const int thousands = std::clamp(static_cast<int>(std::floor(std::log10(std::abs(value)) / 3 + 1e-9)), -4, 4);
  return fmt::format("{:.4g} {}{}", value / std::pow(1000.0, thousands),
                     prefixes[static_cast<std::size_t>(thousands + 4)], unit);
}

std::string table(const std::vector<DeviceEntry>& devices) {
  const std::vector<TextColumn> columns = {
      {"device", Align::left}, {"kind", Align::left}, {"numbers", Align::left, 52}};
  std::vector<std::vector<std::string>> rows;
  for (const DeviceEntry& d : devices) {
    std::string numbers;
    for (std::size_t k = 0; k < std::min<std::size_t>(d.parameters.size(), 2); ++k)
      numbers += fmt::format("{}{} {}", k > 0 ? ", " : "", d.parameters[k].name,
                             quantity(d.parameters[k].value, d.parameters[k].unit));
    rows.push_back({d.name, d.kind, numbers});
  }
  return text_table(columns, rows, 2) +
         "\noptinc devices NAME prints the data of one device and their source.\n";
}

std::string page(const DeviceEntry& d) {
  std::vector<std::vector<std::string>> rows;
  for (const DeviceParameter& p : d.parameters) rows.push_back({p.name, quantity(p.value, p.unit)});
  const std::vector<TextColumn> columns = {{"parameter", Align::left}, {"value", Align::left}};
  return fmt::format("{} ({})\n{}\n{}\n{}{}", d.name, d.kind, hanging_text("", d.what, 0),
                     text_table(columns, rows, 1), hanging_text("source:", d.source, 8),
                     hanging_text("C++:", d.preset, 8));
}

nlohmann::ordered_json json(const DeviceEntry& d) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const DeviceParameter& p : d.parameters)
    parameters.push_back({{"name", p.name}, {"value", p.value}, {"unit", p.unit}});
  return {{"name", d.name},     {"kind", d.kind},     {"what", d.what},
          {"source", d.source}, {"preset", d.preset}, {"parameters", parameters}};
}

}  // namespace

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const DeviceEntry& d : device_catalogue()) names.push_back(d.name);
  return names;
}

std::string devices_text(std::string_view name) {
  return name.empty() ? table(device_catalogue()) : page(device_entry(name));
}

std::string devices_json(std::string_view name) {
  if (!name.empty()) return json(device_entry(name)).dump(2) + "\n";
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DeviceEntry& d : device_catalogue()) list.push_back(json(d));
  return nlohmann::ordered_json{{"devices", list}}.dump(2) + "\n";
}

}  // namespace optinc
