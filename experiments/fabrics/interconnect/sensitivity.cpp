#include "experiments/fabrics/interconnect/sensitivity.hpp"

#include <algorithm>
#include <array>

#include "physics/core/check.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {
namespace {

void take_apply(const TableReader& r, Sensitivity& q) {
  static constexpr std::array<std::string_view, 3> names = {"subject", "reference", "both"};
  std::string to = "subject";
  r.take(name_row("apply", "", names), to);
  q.to_subject = to != "reference";
  q.to_reference = to != "subject";
}

void take_servers(const TableReader& r, const ScenarioList& list, Sensitivity& q) {
  r.take({"servers", "1", "", 1, 65536}, q.servers);
  try {
    q.servers = scenario_named(list, q.subject, q.servers).servers;
    scenario_named(list, q.reference, q.servers);
  } catch (const Error& error) {
    throw Error(r.source.at(r.table) + error.what());
  }
}

FieldEntry varied_field(const TableReader& r, const Scenario& s, const std::string& key) {
  std::vector<std::string_view> keys;
  for (const FieldEntry& field : scenario_fields(s)) {
    const bool text = std::holds_alternative<std::string>(field.value) && field.info.names.empty();
    if (field.info.key == key && !text) return field;
    if (!text) keys.push_back(field.info.key);
  }
  throw Error(fmt::format("{} = \"{}\" (of a scenario; optinc interconnect --keys). {}",
                          r.at(r.need("key"), "key"), key, suggestion(key, keys)));
}

/// Refuses a value whose trial cannot be, or in which nobody reads the key.
void check_trial(const std::string& where, const ScenarioList& list, const Sensitivity& q,
                 const FieldValue& value) {
  const auto [subject, reference] = trial_pair(list, q, value);
  validate((q.to_subject && reads_key(subject, q.key)) || (q.to_reference && reads_key(reference, q.key)),
           "{}{} of {} (nothing that it is applied to reads it). Name another key, or apply = \"both\".", where,
           q.key, q.name);
  for (const Scenario& s : {subject, reference}) try {
      check_scenario(s);
    } catch (const Error& error) {
      throw Error(where + error.what());
    }
}

}  // namespace

Sensitivity read_sensitivity(const TableReader& r, const ScenarioList& list) {
  r.only({"name", "subject", "reference", "servers", "key", "values", "apply"});
  Sensitivity q;
  for (const auto& [key, member] :
       {std::pair{"name", &q.name}, {"subject", &q.subject}, {"reference", &q.reference}, {"key", &q.key}})
    *member = r.text(key);
  take_apply(r, q);
  take_servers(r, list, q);
  validate(q.key != "servers" || (q.to_subject && q.to_reference),
           "{} = servers of {} alone (iterations of different numbers of servers cannot be compared). Set "
           "apply = \"both\".",
           r.at(r.need("key"), "key"), q.to_subject ? "the subject" : "the reference");
  const FieldEntry field = varied_field(r, scenario_named(list, q.subject, q.servers), q.key);
  const toml::node& values = r.need("values");
  validate(values.is_array() && !values.as_array()->empty(), "{} = {} (a list). Write values = [..].",
           r.at(values, "values"), shown(values));
  for (const toml::node& value : *values.as_array()) {
    q.values.push_back(checked_value(field, value, r.source.at(value) + q.key));
    check_trial(r.source.at(value), list, q, q.values.back());
  }
  return q;
}

std::pair<Scenario, Scenario> trial_pair(const ScenarioList& list, const Sensitivity& q,
                                         const FieldValue& value) {
  Scenario subject = scenario_named(list, q.subject, q.servers),
           reference = scenario_named(list, q.reference, q.servers);
  if (q.to_subject) set_field(subject, q.key, value, q.name);
  if (q.to_reference) set_field(reference, q.key, value, q.name);
  return {subject, reference};
}

}  // namespace optinc
