#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/fabrics/interconnect/report.hpp"
#include "experiments/files/hdf5/table_column.hpp"

namespace optinc {
namespace {

FieldValue value_in(const Scenario& scenario, std::string_view key) {
  for (const FieldEntry& f : scenario_fields(scenario))
    if (f.info.key == key) return f.value;
  return {};
}

/// Whether the value is what a trial runs with anyway; a computing time of its own is never the very one that
/// is counted, so that numbers agree to one part in a thousand.
bool in_force_already(const Scenario& listed, std::string_view key, const FieldValue& value) {
  const FieldValue held = value_in(in_force(listed), key);
  const double a = number_of(held), b = number_of(value);
  return held == value || value_in(listed, key) == value || std::abs(a - b) <= 1e-3 * std::abs(b);
}

/// Iteration of a listed scenario, simulated before.
double listed_s(const InterconnectResults& all, const std::string& name, std::int64_t servers) {
  const auto found = std::find_if(all.results.begin(), all.results.end(), [&](const IterationResult& r) {
    return r.scenario.name == name && r.scenario.servers == servers;
  });
  return found->total_s;
}

SensitivityPoint answer(const ScenarioList& list, const InterconnectResults& all, const Sensitivity& q,
                        const FieldValue& value) {
  const auto [subject, reference] = trial_pair(list, q, value);
  bool nominal = true;
  for (const auto& [name, applied] : {std::pair{&q.subject, q.to_subject}, {&q.reference, q.to_reference}}) {
    const Scenario& listed = scenario_named(list, *name, q.servers);
    if (applied && reads_key(listed, q.key)) nominal = nominal && in_force_already(listed, q.key, value);
  }
  const double top_s = q.to_subject ? simulate_iteration(subject).total_s : listed_s(all, q.subject, q.servers);
  const double below_s =
      q.to_reference ? simulate_iteration(reference).total_s : listed_s(all, q.reference, q.servers);
  std::string text =
      std::holds_alternative<std::string>(value) ? std::get<std::string>(value) : toml_text(value);
  return {q.name, q.subject, q.reference, q.key, std::move(text), number_of(value), top_s / below_s, nominal};
}

}  // namespace

int steps_of(const ScenarioList& list) {
  std::size_t steps = list.scenarios.size();
  for (const Sensitivity& q : list.sensitivities) steps += q.values.size();
  return static_cast<int>(steps);
}

InterconnectResults simulate_list(const ScenarioList& list,
                                  const std::function<void(const std::string&)>& at_each) {
  InterconnectResults all{list.title, {}, {}};
  for (const Scenario& s : list.scenarios) {
    if (at_each) at_each(s.name);
    all.results.push_back(simulate_iteration(s));
  }
  for (IterationResult& r : all.results)
    for (const IterationResult& other : all.results)
      if (other.scenario.name == r.scenario.reference && other.scenario.servers == r.scenario.servers)
        r.normalised = r.total_s / other.total_s;
  for (const Sensitivity& q : list.sensitivities)
    for (const FieldValue& value : q.values) {
      if (at_each) at_each(q.name);
      all.sensitivity.push_back(answer(list, all, q, value));
    }
  return all;
}

}  // namespace optinc
