#include <algorithm>
#include <array>

#include "experiments/analysis/interconnect/list_source.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

constexpr std::array<std::string_view, 7> known = {"name", "subject", "reference", "servers",
                                                   "key",  "values",  "apply"};

const toml::node& need(const ListSource& in, const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  validate(node != nullptr, "{}a sensitivity without {} (name, subject, reference, key, values). Add it.",
           place(table.source(), in.file), key);
  return *node;
}

void take_apply(const ListSource& in, const toml::node* apply, Sensitivity& q) {
  if (apply == nullptr) return;
  const std::string to = text_of(in, *apply, "apply");
  validate(to == "subject" || to == "reference" || to == "both",
           "{}apply = {} (subject, reference or both). Mend it.", in.at(*apply), to);
  q.to_subject = to != "reference";
  q.to_reference = to != "subject";
}

void take_servers(const ListSource& in, const toml::table& table, const ScenarioList& list, Sensitivity& q) {
  if (const toml::node* servers = table.get("servers")) {
    validate(servers->is_integer() && servers->as_integer()->get() > 0,
             "{}servers = {} (those of a scenario above). Write an integer.", in.at(*servers), shown(*servers));
    q.servers = servers->as_integer()->get();
  }
  try {
    q.servers = scenario_named(list, q.subject, q.servers).servers;
    scenario_named(list, q.reference, q.servers);
  } catch (const Error& error) {
    throw Error(place(table.source(), in.file) + error.what());
  }
}

FieldEntry varied_field(const ListSource& in, const toml::node& node, const Scenario& s,
                        const std::string& key) {
  std::vector<std::string_view> keys;
  for (const FieldEntry& field : scenario_fields(s)) {
    const bool text = std::holds_alternative<std::string>(field.value) && field.info.names.empty();
    if (field.info.key == key && !text) return field;
    if (!text) keys.push_back(field.info.key);
  }
  throw Error(fmt::format("{}key = \"{}\" (of a scenario; optinc interconnect --keys). Did you mean \"{}\"?",
                          in.at(node), key, nearest_name(key, keys)));
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

Sensitivity read_sensitivity(const ListSource& in, const toml::table& table, const ScenarioList& list) {
  for (const auto& [key, node] : table)
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      refuse_key(in, node, key.str(), {known.begin(), known.end()});
  Sensitivity q;
  for (const auto& [key, member] :
       {std::pair{"name", &q.name}, {"subject", &q.subject}, {"reference", &q.reference}, {"key", &q.key}})
    *member = text_of(in, need(in, table, key), key);
  take_apply(in, table.get("apply"), q);
  take_servers(in, table, list, q);
  const toml::node& key = need(in, table, "key");
  validate(
      q.key != "servers" || (q.to_subject && q.to_reference),
      "{}key = servers of {} alone (both: iterations of unlike numbers are no ratio). Set apply = \"both\".",
      in.at(key), q.to_subject ? "the subject" : "the reference");
  const FieldEntry field = varied_field(in, key, scenario_named(list, q.subject, q.servers), q.key);
  const toml::node& values = need(in, table, "values");
  validate(values.is_array() && !values.as_array()->empty(), "{}values = {} (a list). Write values = [..].",
           in.at(values), shown(values));
  for (const toml::node& value : *values.as_array()) {
    q.values.push_back(checked_value(field, value, in.at(value) + q.key));
    check_trial(in.at(value), list, q, q.values.back());
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
