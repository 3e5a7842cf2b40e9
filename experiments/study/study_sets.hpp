#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/study/study_config.hpp"

namespace optinc {

/// A key whose value is a name for values of many keys: a set of parts or of noise, a preset of [chip] or
/// [fabrication].
struct NamedSet {
  std::string_view key;                                         ///< "parts.set"
  std::vector<std::string> (*keys)();                           ///< that it sets, "section.key"
  void (*start)(StudyConfig& config, const std::string& name);  ///< gives them the values of that name
  void (*name)(StudyConfig& config);  ///< sets `key` to the name of the values there are
};

/// All of them, in the order in which a study starts from them.
std::span<const NamedSet> named_sets();

/// Gives every named set the name of the values that the configuration has, "custom" where none is theirs.
void name_sets(StudyConfig& config);

}  // namespace optinc
