#include "experiments/files/readers/elements.hpp"

#include <exception>
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

std::vector<Matrix> of_all(const Elements& elements, const std::vector<CircuitSettings>& settings,
                           std::span<const double> wavelengths_m,
                           decltype(&CircuitComponent::scattering) what) {
  std::map<std::pair<const CircuitComponent*, CircuitSettings>, Matrix> known;
  std::vector<Matrix> of_elements;
  for (std::size_t e = 0; e < elements.all.size(); ++e) {
    const Element& element = elements.all[e];
    auto [found, is_new] = known.try_emplace({element.component.get(), settings[e]});
    const auto& compute = (*element.component).*what;
    if (is_new && compute) try {
        found->second = compute(settings[e], wavelengths_m);
      } catch (const Error& error) {  // nested: a caller may want to know what its model said
        std::throw_with_nested(Error(printable(
            fmt::format("{}instance \"{}\": {}", elements.where(element.line), element.name, error.what()))));
      }
    of_elements.push_back(found->second);
  }
  return of_elements;
}

}  // namespace optinc
