#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "experiments/validate/run_laws.hpp"

// Laws and verdicts as people and scripts read them; `validate` and `inspect` say them alike.

namespace optinc {

/// Headings of the table of verdicts.
std::string verdict_heading();
/// One line of it.
std::string verdict_line(const LawVerdict& verdict);
/// "all 80 points of 40 laws hold", or how many do not and which.
std::string verdict_summary(std::span<const LawVerdict> verdicts);

nlohmann::ordered_json verdict_json(const LawVerdict& verdict);

/// What optinc validate --list prints.
std::string law_list(const std::vector<const Law*>& chosen);
nlohmann::ordered_json law_list_json(const std::vector<const Law*>& chosen);

}  // namespace optinc
