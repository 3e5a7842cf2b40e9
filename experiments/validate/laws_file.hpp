#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/validate/run_laws.hpp"

namespace optinc {

/// Writes groups `laws` (the table) and `series` (for each Monte-Carlo law: its points, every sample, and a
/// fine line of the closed form) of FORMAT.md. `results`: in the order of laws and points. Throws Error where
/// HDF5 does.
void write_laws(const Group& root, std::span<const LawResult> results, const LawOptions& options);

/// The table of a file that write_laws wrote. Throws Error for a damaged one.
std::vector<LawVerdict> read_verdicts(const Group& root);

/// A law's name as a name in files: letters and digits in lower case, `_` for all between.
std::string file_name_of(std::string_view law);

/// What optinc inspect says of the verdicts of a file.
nlohmann::ordered_json verdicts_json(const Group& root);
/// The same as text for a person.
std::string verdicts_text(const Group& root);

}  // namespace optinc
