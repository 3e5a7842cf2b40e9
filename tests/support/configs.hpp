#pragma once

#include <string>
#include <vector>

#include "experiments/study/study_config.hpp"

#include "tests/support/refusal.hpp"

namespace optinc {

/// The configuration of a text, called "s.toml" in messages, under overrides "section.key=value".
inline StudyConfig parse(const std::string& text, const std::vector<std::string>& settings = {}) {
  return parse_config(text, "s.toml", {settings, {}, false});
}

/// The message of the Error that parsing throws; empty where it throws none.
inline std::string complaint(const std::string& text, const std::vector<std::string>& settings = {}) {
  return refusal([&] { parse(text, settings); });
}

}  // namespace optinc
