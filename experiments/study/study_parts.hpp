#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/study/study_config.hpp"
#include "onn/hardware/unit_parts.hpp"

namespace optinc {

/// Keys that the part sets, "section.key" each.
std::vector<std::string> keys_of_part(const UnitPart& part);

/// The default study with the set of parts of this one: where its own values begin.
StudyConfig start_of_parts(const StudyConfig& config);

/// Entries of the default study with the parts of this one: what a study that sets no more than they holds.
/// The keys that name parts keep their defaults, or what the set of parts says.
std::vector<FieldEntry> entries_of_parts(const StudyConfig& config);

/// Throws Error, which opens with the file's name, where a part is swept beside a value of one's own: a swept
/// part sets its keys wherever it changes, which would undo what the study says of them.
void refuse_parts_swept_beside_own_values(const StudyConfig& config, std::string_view name);

}  // namespace optinc
