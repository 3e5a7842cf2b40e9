#include "experiments/files/readers/elements.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numbers>
#include <utility>

#include "physics/core/check.hpp"
#include "physics/core/printable.hpp"

namespace optinc {
namespace {

/// The instance that a path of a setting begins with, such as "arms<0.1>" of "arms<0.1>.length_m".
std::string instance_of(const std::string& path) {
  const std::size_t dot = path.find('.'), open = path.find('<');
  return path.substr(0, open < dot ? path.find('.', path.find('>', open)) : dot);
}

}  // namespace

std::optional<Placement> placement_of(const DocumentNode& netlist, const std::string& name,
                                      const std::string& of_element, const DocumentNode& given) {
  const DocumentNode* const places = netlist.find("placements");
  const DocumentNode* const place = places != nullptr ? places->find(name) : nullptr;
  if (place == nullptr || place->kind != DocumentNode::Kind::mapping) return std::nullopt;
  constexpr double um = 1e-6;
  const auto number = [](const DocumentNode& of, std::string_view key) {
    const DocumentNode* const found = of.find(key);
    return found != nullptr && found->kind == DocumentNode::Kind::number ? found->number : 0.0;
  };
  const DocumentNode* const mirror = place->find("mirror");
  Placement at{um * number(*place, "x"), um * number(*place, "y"),
               number(*place, "rotation") * std::numbers::pi / 180,
               mirror != nullptr && mirror->text == "true"};
  if (of_element == name) return at;
  const DocumentNode& array = *given.find("array");  // its columns and rows lie along the axes of the layout
  const std::size_t open = name.size() + 1, dot = of_element.find('.', open);
  at.x_m += um * number(array, "column_pitch") * std::stod(of_element.substr(open));
  at.y_m += um * number(array, "row_pitch") * std::stod(of_element.substr(dot + 1));
  return at;
}

std::vector<CircuitSettings> changed_settings(const Elements& elements, const CircuitSettings& changed) {
  std::vector<CircuitSettings> settings;
  for (const Element& element : elements.all) settings.push_back(element.settings);
  for (const auto& [path, value] : changed) {
    const std::string name = instance_of(path);
    const auto found = elements.by_name.find(name);
    validate(
        found != elements.by_name.end() && name.size() < path.size(),
        "setting \"{}\" (it reads INSTANCE.SETTING, of an instance of {}). Name an instance of the netlist.",
        path, elements.file.empty() ? "the netlist" : elements.file);
    const std::string setting = path.substr(name.size() + 1);
    for (const std::size_t of : found->second) {
      const auto& takes = elements.all[of].takes;
      validate(!takes || takes(setting),
               "setting \"{}\" (the model of instance \"{}\" does not take it). Leave it out.", path, name);
      settings[of].insert_or_assign(setting, value);
    }
  }
  return settings;
}

namespace {

/// What `compute` returns; its errors name the element. Nested: a caller may want to know what its model said.
template <class Compute>
auto of_element(const Elements& elements, const Element& element, Compute compute) {
  try {
    return compute();
  } catch (const Error& error) {
    std::throw_with_nested(Error(printable(
        fmt::format("{}instance \"{}\": {}", elements.where(element.line), element.name, error.what()))));
  }
}

}  // namespace

std::vector<Matrix> of_all(const Elements& elements, const std::vector<CircuitSettings>& settings,
                           std::span<const double> wavelengths_m,
                           decltype(&CircuitComponent::scattering) what) {
  std::map<std::pair<const CircuitComponent*, CircuitSettings>, Matrix> known;
  std::vector<Matrix> of_elements;
  for (std::size_t e = 0; e < elements.all.size(); ++e) {
    const Element& element = elements.all[e];
    auto [found, is_new] = known.try_emplace({element.component.get(), settings[e]});
    const auto& compute = (*element.component).*what;
    if (is_new && compute)
      found->second = of_element(elements, element, [&] { return compute(settings[e], wavelengths_m); });
    of_elements.push_back(found->second);
  }
  return of_elements;
}

std::vector<Matrix> of_all_draws(const Elements& elements, const CircuitSettings& fixed, const SweepPart& sweep,
                                 std::span<const double> wavelengths_m) {
  CircuitSettings first = fixed;  // names are checked as those of one draw
  std::vector<CircuitSweep> of_elements(elements.all.size());
  for (const auto& [path, values] : sweep.of) {
    first.insert_or_assign(path, values[sweep.first]);
    const std::string name = instance_of(path);
    if (const auto found = elements.by_name.find(name);
        found != elements.by_name.end() && name.size() < path.size())
      for (const std::size_t of : found->second) of_elements[of][path.substr(name.size() + 1)] = values;
  }
  const std::vector<CircuitSettings> settings = changed_settings(elements, first);
  std::map<std::pair<const CircuitComponent*, CircuitSettings>, Matrix> known;  // of those that do not vary
  std::vector<Matrix> all;
  for (std::size_t e = 0; e < elements.all.size(); ++e) {
    const Element& element = elements.all[e];
    all.push_back(of_element(elements, element, [&] {
      if (!of_elements[e].empty())
        return swept_scattering(*element.component, settings[e], {of_elements[e], sweep.first, sweep.count},
                                wavelengths_m);
      const auto [found, is_new] = known.try_emplace({element.component.get(), settings[e]});
      if (is_new) found->second = element.component->scattering(settings[e], wavelengths_m);
      return Matrix(found->second.replicate(1, static_cast<Eigen::Index>(sweep.count)));
    }));
  }
  return all;
}

std::vector<PlacedDevice> placed_devices(const Elements& elements, const CircuitSettings& changed) {
  const auto settings = changed_settings(elements, changed);
  std::vector<PlacedDevice> all;
  for (std::size_t e = 0; e < elements.all.size(); ++e) {
    const Element& element = elements.all[e];
    if (!element.component->placed_devices) continue;
    const Placement at = element.place.value_or(Placement{});
    const double cosine = std::cos(at.rotation_rad), sine = std::sin(at.rotation_rad);
    for (PlacedDevice device : element.component->placed_devices(settings[e])) {
      device.path = device.path.empty() ? element.name : element.name + "." + device.path;
      const double x = device.x_m, y = at.mirror ? -device.y_m : device.y_m;
      device.x_m = at.x_m + cosine * x - sine * y;
      device.y_m = at.y_m + sine * x + cosine * y;
      all.push_back(std::move(device));
    }
  }
  return all;
}

CircuitComponent wired_component(CircuitComponent made, std::shared_ptr<const Circuit> circuit,
                                 std::shared_ptr<const Elements> elements) {
  made.scattering = [circuit, elements](const CircuitSettings& changed, std::span<const double> wavelengths_m) {
    return circuit->scattering(
        of_all(*elements, changed_settings(*elements, changed), wavelengths_m, &CircuitComponent::scattering));
  };
  made.swept = [circuit, elements](const CircuitSettings& fixed, const SweepPart& sweep,
                                   std::span<const double> wavelengths_m) {
    return circuit->scattering(of_all_draws(*elements, fixed, sweep, wavelengths_m));
  };
  made.fields = [circuit, elements](const CircuitSettings& changed, std::span<const double> wavelengths_m,
                                    std::span<const InstancePort> at) {
    return circuit->fields(
        of_all(*elements, changed_settings(*elements, changed), wavelengths_m, &CircuitComponent::scattering),
        at);
  };
  made.placed_devices = [elements](const CircuitSettings& changed) {
    return placed_devices(*elements, changed);
  };
  made.has_placements =
      std::ranges::all_of(elements->all, [](const Element& e) { return e.place.has_value(); });
  made.warnings = [elements](const CircuitSettings& changed) {
    std::vector<std::string> all;
    const auto settings = changed_settings(*elements, changed);
    for (std::size_t e = 0; e < elements->all.size(); ++e)
      if (const auto& of_component = elements->all[e].component->warnings)
        for (const std::string& line : of_component(settings[e]))
          all.push_back(elements->all[e].name + "." + line);
    return all;
  };
  if (std::ranges::none_of(elements->all, [](const Element& e) { return bool(e.component->emission); }))
    return made;
  made.emission = [circuit, elements](const CircuitSettings& changed, std::span<const double> wavelengths_m) {
    const auto settings = changed_settings(*elements, changed);
    return circuit->emission(of_all(*elements, settings, wavelengths_m, &CircuitComponent::scattering),
                             of_all(*elements, settings, wavelengths_m, &CircuitComponent::emission));
  };
  return made;
}

}  // namespace optinc
