#include "experiments/cli/devices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/base/text_table.hpp"
#include "physics/devices/catalogue.hpp"
#include "physics/variation/preset_catalogue.hpp"

namespace optinc {
namespace {

/// "24.77 mW": units that take a prefix get the one that leaves 1 to 999 before the point.
std::string quantity(double value, const std::string& unit) {
  constexpr std::array<std::string_view, 13> with_prefix = {"m",   "s",   "W", "V",  "A",   "J",    "Hz",
                                                            "ohm", "J/K", "F", "Bd", "S/s", "bit/s"};
  constexpr std::array<std::string_view, 10> prefixes = {"f", "p", "n", "u", "m", "", "k", "M", "G", "T"};
  if (value == 0.0 || std::find(with_prefix.begin(), with_prefix.end(), unit) == with_prefix.end())
    return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
  // a hair above, lest 1e-3 counts as 0.9999 m
  const int thousands = std::clamp(static_cast<int>(std::floor(std::log10(std::abs(value)) / 3 + 1e-9)), -5, 4);
  return fmt::format("{:.4g} {}{}", value / std::pow(1000.0, thousands),
                     prefixes[static_cast<std::size_t>(thousands + 5)], unit);
}

/// Parts and presets.
const std::vector<Part>& all_entries() {
  static const std::vector<Part> all = [] {
    std::vector<Part> entries = device_catalogue();
    entries.insert(entries.end(), preset_catalogue().begin(), preset_catalogue().end());
    return entries;
  }();
  return all;
}

/// The part or preset of that name. Throws Error as device_entry() does.
const Part& entry_named(std::string_view name) {
  const auto preset = std::ranges::find(preset_catalogue(), name, &Part::name);
  return preset == preset_catalogue().end() ? device_entry(name) : *preset;
}

std::string table(const std::vector<Part>& devices) {
  const std::vector<TextColumn> columns = {
      {"device", Align::left}, {"kind", Align::left}, {"numbers", Align::left, 48}};
  std::vector<std::vector<std::string>> rows;
  for (const Part& d : devices) {
    std::string numbers;
    for (std::size_t k = 0; k < std::min<std::size_t>(d.figures.size(), 2); ++k)
      numbers += fmt::format("{}{} {}", k > 0 ? ", " : "", d.figures[k].name,
                             quantity(d.figures[k].value, d.figures[k].unit));
    rows.push_back({d.name, d.kind, numbers});
  }
  return text_table(columns, rows, 2) +
         "\noptinc devices NAME prints the data of one device and their source.\n";
}

/// Where a figure comes from, and the range of its class.
std::string origin(const Figure& f) {
  std::string text = f.from;
  if (!std::isnan(f.low))
    text +=
        fmt::format("{}{} to {}", text.empty() ? "" : "; ", quantity(f.low, f.unit), quantity(f.high, f.unit));
  return text;
}

std::string page(const Part& d) {
  std::vector<std::vector<std::string>> rows;
  for (const Figure& f : d.figures)
    rows.push_back(
        {f.name, quantity(f.value, f.unit), std::string(name_of(f.known)), f.key.empty() ? "-" : f.key});
  const std::vector<TextColumn> columns = {
      {"parameter", Align::left}, {"value", Align::left}, {"known", Align::left}, {"sets", Align::left}};
  std::string text = fmt::format("{} ({})\n{}\n{}\n", d.name, d.kind, hanging_text("", d.what, 0),
                                 text_table(columns, rows, 1));
  for (const Figure& f : d.figures)
    if (const std::string from = origin(f); !from.empty()) text += hanging_text(f.name + ":", from, 22);
  text += hanging_text("source:", d.source, 8);
  if (!d.measured_on.empty()) text += hanging_text("of:", d.measured_on, 8);
  return text + hanging_text("C++:", d.preset, 8);
}

nlohmann::ordered_json json(const Part& d) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const Figure& f : d.figures) {
    parameters.push_back({{"name", f.name},
                          {"value", f.value},
                          {"unit", f.unit},
                          {"known", name_of(f.known)},
                          {"from", f.from},
                          {"key", f.key}});
    if (!std::isnan(f.low)) parameters.back().update({{"low", f.low}, {"high", f.high}});
  }
  return {{"name", d.name},     {"kind", d.kind},          {"what", d.what},
          {"source", d.source}, {"year", d.year},          {"measured_on", d.measured_on},
          {"preset", d.preset}, {"parameters", parameters}};
}

}  // namespace

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const Part& d : all_entries()) names.push_back(d.name);
  return names;
}

std::string devices_text(std::string_view name) {
  return name.empty() ? table(all_entries()) : page(entry_named(name));
}

std::string devices_json(std::string_view name) {
  if (!name.empty()) return json(entry_named(name)).dump(2) + "\n";
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Part& d : all_entries()) list.push_back(json(d));
  return nlohmann::ordered_json{{"devices", list}}.dump(2) + "\n";
}

}  // namespace optinc
