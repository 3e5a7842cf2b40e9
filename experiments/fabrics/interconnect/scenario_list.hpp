#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/fabrics/interconnect/scenario.hpp"

namespace optinc {

/// One question "what if this were otherwise": `key` of `subject` takes each value, and the iteration of
/// `subject` over that of `reference` is the answer.
struct Sensitivity {
  std::string name;                              ///< of the assumption, for people
  std::string subject;                           ///< scenario
  std::string reference;                         ///< scenario of as many servers
  std::string key;                               ///< of a scenario
  std::int64_t servers = 0;                      ///< of both, 0: as many as the first of the subject's name
  bool to_subject = true, to_reference = false;  ///< who takes the value
  std::vector<FieldValue> values;
};

/// Scenarios and questions of a file.
struct ScenarioList {
  std::string title = "interconnects";
  std::vector<Scenario> scenarios;
  std::vector<Sensitivity> sensitivities;
};

/// Reads a TOML file: `title`; [preset.NAME], tables of keys; a [[scenario]] each with `preset` (a name, or a
/// list of them, later ones over earlier ones) and any key of visit_rows over it, which may hold a list of
/// values: one scenario for each, and for all combinations; a [[sensitivity]] each with `name`, `subject`,
/// `reference`, `servers`, `key`, `values` and `apply` ("subject", "reference" or "both"). Throws Error
/// "file:line:column: ..." for unknown keys, wrong types, names that are missing, twice for the same servers or
/// not there, a list without scenarios or of too_many_rows, a key that a scenario gives and does not read
/// (reads_key), one of a preset that none of its scenarios reads, and a question of such a key; each scenario,
/// and each trial of a question, must pass check_scenario.
ScenarioList load_scenario_list(const std::filesystem::path& path);

/// The scenario of that name and so many servers (0: any). Throws Error where there is none.
const Scenario& scenario_named(const ScenarioList& list, const std::string& name, std::int64_t servers = 0);

/// Subject and reference of a question with one of its values.
std::pair<Scenario, Scenario> trial_pair(const ScenarioList& list, const Sensitivity& question,
                                         const FieldValue& value);

/// Every key with its unit, default and meaning, a line each.
std::string scenario_keys_text();

}  // namespace optinc
