#include <cmath>
#include <limits>

#include "experiments/interconnect/report.hpp"

namespace optinc {
namespace {

double number_of(const FieldValue& value) {
  if (const auto* n = std::get_if<double>(&value)) return *n;
  if (const auto* n = std::get_if<std::int64_t>(&value)) return static_cast<double>(*n);
  return std::numeric_limits<double>::quiet_NaN();
}

FieldValue value_in(const Scenario& scenario, std::string_view key) {
  for (const FieldEntry& f : scenario_fields(scenario))
    if (f.info.key == key) return f.value;
  return {};
}

SensitivityPoint answer(const ScenarioList& list, const Sensitivity& q, const FieldValue& value) {
  Scenario subject = scenario_named(list, q.subject, q.servers);
  const bool nominal = value_in(subject, q.key) == value;
  set_field(subject, q.key, value, q.name);
  Scenario reference = scenario_named(list, q.reference, q.servers);
  if (q.both) set_field(reference, q.key, value, q.name);
  const double ratio = simulate_iteration(subject).total_s / simulate_iteration(reference).total_s;
  std::string text =
      std::holds_alternative<std::string>(value) ? std::get<std::string>(value) : toml_text(value);
  return {q.name, q.subject, q.reference, q.key, std::move(text), number_of(value), ratio, nominal};
}

}  // namespace

int steps_of(const ScenarioList& list) {
  std::size_t steps = list.scenarios.size();
  for (const Sensitivity& q : list.sensitivities) steps += q.values.size();
  return static_cast<int>(steps);
}

InterconnectResults simulate_list(const ScenarioList& list,
                                  const std::function<void(const std::string&)>& at_each) {
  InterconnectResults all{list.title, {}, {}, {}};
  for (const Scenario& s : list.scenarios) {
    if (at_each) at_each(s.name);
    all.results.push_back(simulate_iteration(s));
  }
  for (const IterationResult& r : all.results) {
    double ratio = std::numeric_limits<double>::quiet_NaN();
    for (const IterationResult& other : all.results)
      if (other.scenario.name == r.scenario.reference && other.scenario.servers == r.scenario.servers)
        ratio = r.total_s / other.total_s;
    all.normalised.push_back(ratio);
  }
  for (const Sensitivity& q : list.sensitivities)
    for (const FieldValue& value : q.values) {
      if (at_each) at_each(q.name);
      all.sensitivity.push_back(answer(list, q, value));
    }
  return all;
}

}  // namespace optinc
