#include "experiments/fabrics/interconnect/units.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {
namespace {

/// The named designs of a list, and those that they are made of.
DesignList only(DesignList list, std::set<std::string> names) {
  for (auto d = list.designs.rbegin(); d != list.designs.rend(); ++d)  // units stand above their system
    if (names.contains(d->name))
      for (const UnitsOfDesign& units : d->units) names.insert(units.design);
  std::erase_if(list.designs, [&](const DesignEntry& d) { return !names.contains(d.name); });
  return list;
}

void check_design(const Scenario& s, const DesignList& list, const std::string& file) {
  std::vector<std::string_view> names;
  for (const DesignEntry& d : list.designs) names.push_back(d.name);
  validate(std::find(names.begin(), names.end(), s.design) != names.end(),
           "{}: no design \"{}\" (in {}, which has {}). {}", s.name, s.design, file, join_names(names),
           suggestion(s.design, names));
}

void check_unit(const Scenario& s) {
  validate(s.unit->bits == s.bits && s.unit->servers == s.fan_in,
           "{}: design \"{}\" with bits = {} and fan_in = {} (its units average codes of {} bits from {} "
           "inputs). Set bits = {} and fan_in = {}, or name another design.",
           s.name, s.design, s.bits, s.fan_in, s.unit->bits, s.unit->servers, s.unit->bits, s.unit->servers);
}

}  // namespace

void cost_units(ScenarioList& list, const std::filesystem::path& shipped, const TrainedNetwork& trained,
                const std::function<void(const std::string&)>& at_each) {
  std::vector<Scenario*> scenarios;
  for (Scenario& s : list.scenarios)
    if (!s.design.empty() && reads_key(s, "design")) scenarios.push_back(&s);
  cost_units(scenarios, shipped, trained, at_each);
  for (const Scenario* s : scenarios) check_unit(*s);
}

void cost_units(std::span<Scenario* const> all, const std::filesystem::path& shipped,
                const TrainedNetwork& trained, const std::function<void(const std::string&)>& at_each) {
  std::map<std::string, std::vector<Scenario*>> users;  // of each list of designs
  for (Scenario* s : all) users[s->designs.empty() ? shipped.string() : s->designs].push_back(s);
  for (const auto& [file, scenarios] : users) {
    const DesignList designs = load_design_list(file);
    std::set<std::string> names;
    for (const Scenario* s : scenarios) {
      check_design(*s, designs, file);
      names.insert(s->design);
    }
    for (const ComparedDesign& row : compare_designs(only(designs, names), trained, at_each))
      for (Scenario* s : scenarios)
        if (s->design == row.entry.name) s->unit = row.cost;
  }
}

}  // namespace optinc
