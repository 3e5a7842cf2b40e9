#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/study/study_config.hpp"
#include "experiments/study/study_warning.hpp"

// Which keys a study's model reads. A key that it does not read cannot be swept, for its points could not
// differ; a value of such a key is a warning and no error, for files and printed configurations are shared by
// models.

namespace optinc {

/// Whether any trial of this model looks at the field.
bool model_reads(std::string_view model, std::string_view section, std::string_view key);

/// "chip, drift": models that read the field; "no model (optinc budget does)".
std::string readers_text(std::string_view section, std::string_view key);

/// "model MODEL does not read it (..)" of every key with another value than the default's
/// that the study's model does not read. Values tell, not what the file gives: a configuration that was printed
/// or stored in full names every key.
std::vector<StudyWarning> unread_keys(const StudyConfig& config);

}  // namespace optinc
