#include "experiments/files/readers/circuit_component.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "experiments/files/readers/text.hpp"
#include "physics/circuit/models.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

using Kind = DocumentNode::Kind;

/// Adds the settings of a mapping under their paths. `visited`: entries so far.
void take_settings(const DocumentNode& from, const std::string& prefix, std::size_t& visited,
                   CircuitSettings& into) {
  constexpr std::size_t most_settings = 10'000, longest_path = 1000;  // aliases of YAML multiply
  for (const auto& [key, line, value] : from.entries) {
    validate(++visited <= most_settings && prefix.size() <= longest_path,
             "over {} settings, or a path over {} characters. Use fewer.", most_settings, longest_path);
    const std::string name = prefix + key;
    if (value->kind == Kind::mapping)
      take_settings(*value, name + ".", visited, into);
    else
      validate(into.emplace(name, SettingValue(value)).second, "setting {} stands there twice. Remove one.",
               name);
  }
}

}  // namespace

SettingValue::SettingValue(double number) {
  DocumentNode node;
  node.kind = Kind::number;
  node.number = number;
  node.text = fmt::format("{}", number);
  node_ = std::make_shared<const DocumentNode>(std::move(node));
}

double SettingValue::number(const std::string& setting) const {
  double value = node_->number;
  const bool is_number =
      node_->kind == Kind::number || (node_->kind == Kind::text && core_number(node_->text, value));
  const std::string what = node_->kind == Kind::text   ? fmt::format("\"{}\"", shown(node_->text))
                           : node_->kind == Kind::list ? "a list"
                                                       : shown(node_->text);
  validate(is_number && std::isfinite(value),
           "setting {} is {}, not a number (settings of models are finite numbers). Write one, in SI units.",
           setting, what);
  return value;
}

bool operator<(const SettingValue& a, const SettingValue& b) {
  const auto key = [](const SettingValue& value) {  // what has neither text nor object is only like itself
    const DocumentNode& node = value.node();
    const bool is_list = node.kind == Kind::list || node.kind == Kind::mapping;
    return std::tuple(node.kind, std::string_view(node.text),
                      is_list || node.kind == Kind::object ? static_cast<const void*>(&node) : nullptr);
  };
  return key(a) < key(b);
}

CircuitSettings settings_of(const DocumentNode& mapping) {
  CircuitSettings settings;
  std::size_t visited = 0;
  take_settings(mapping, "", visited, settings);
  return settings;
}

Matrix swept_scattering(const CircuitComponent& component, const CircuitSettings& fixed, const SweepPart& sweep,
                        std::span<const double> wavelengths_m) {
  if (component.swept) return component.swept(fixed, sweep, wavelengths_m);
  const auto ports = static_cast<Eigen::Index>(component.ports.size()),
             width = static_cast<Eigen::Index>(wavelengths_m.size());
  Matrix found(ports * ports, static_cast<Eigen::Index>(sweep.count) * width);
  CircuitSettings settings = fixed;
  for (std::size_t draw = 0; draw < sweep.count; ++draw) {
    for (const auto& [path, values] : sweep.of) settings.insert_or_assign(path, values[sweep.first + draw]);
    found.middleCols(static_cast<Eigen::Index>(draw) * width, width) =
        component.scattering(settings, wavelengths_m);
  }
  return found;
}

std::size_t wavelengths_at_once(const CircuitComponent& circuit) {
  constexpr std::size_t elements = std::size_t{1} << 22, per_device = 16, least = 16;
  return std::max(least, elements / (per_device * std::max<std::size_t>(circuit.devices, 1)));
}

std::map<std::string, double> numbers_of(const CircuitSettings& settings) {
  std::map<std::string, double> numbers;
  for (const auto& [name, value] : settings) numbers[name] = value.number(name);
  return numbers;
}

CircuitComponent model_component(const std::string& name) {
  const CircuitModel& model = circuit_model(name);
  CircuitComponent made{
      model.ports, 1, {}, [&model](const CircuitSettings& settings, std::span<const double> wavelengths_m) {
        return model_scattering(model, numbers_of(settings), wavelengths_m);
      }};
  made.placed_devices = [&model](const CircuitSettings& settings) {
    return std::vector<PlacedDevice>{{"", model.name, numbers_of(settings), 0.0, 0.0}};
  };
  if (model.emission_w_per_hz)
    made.emission = [&model](const CircuitSettings& settings, std::span<const double> wavelengths_m) {
      return model_emission(model, numbers_of(settings), wavelengths_m);
    };
  if (model.warnings)
    made.warnings = [&model](const CircuitSettings& settings) {
      std::vector<std::string> lines;
      for (const Warning& w : model_warnings(model, numbers_of(settings)))
        lines.push_back(fmt::format("{}: {}", w.field, w.text));
      return lines;
    };
  return made;
}

}  // namespace optinc
