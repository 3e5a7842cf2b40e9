#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/study/study_config.hpp"

namespace optinc {

/// So many units of another design side by side.
struct UnitsOfDesign {
  std::string design;
  int count = 1;
};

/// One [[design]] of a list.
struct DesignEntry {
  std::string name;
  std::vector<std::string> settings;  ///< "section.key=value", over the list's own
  std::vector<int> approximated;      ///< layers, from 1, that its publication builds of one mesh a block
  std::string level =
      "flat";  ///< of an untrained network's cascade: an end of M + 1 digits is padded to 2 M ports
  bool time_shared = false;          ///< one stage of the carry chain for one digit after the other
  std::vector<UnitsOfDesign> units;  ///< of a system: designs above it, the first level first
  std::int64_t published_mzis = 0, published_full_svd = 0;  ///< 0: not published
  std::string published;                                    ///< what else is published of it, in words
};

/// Designs to be compared, as overrides of one study.
struct DesignList {
  std::string title;
  std::string study;                  ///< file of the study; empty: the defaults
  std::vector<std::string> settings;  ///< over it, for every design
  std::vector<DesignEntry> designs;
};

/// Reads a TOML file: `title`, `study` (relative to the file), `set`, and a [[design]] for each with `name`,
/// `set`, `approximated`, `level`, `time_shared`, `units` ([{design, count}, ..]), `published_mzis`,
/// `published_full_svd`, `published`. Throws Error "file:line:column: ..." for unknown keys, wrong types, names
/// that are missing, used twice or not above, and a list without designs.
DesignList load_design_list(const std::filesystem::path& path);

/// The configuration of a design, whatever its network. Throws Error, the design's name first, where the study
/// or an override is refused.
StudyConfig design_study(const DesignList& list, const DesignEntry& design);

/// The configuration of a design that is costed, whose network is not trained for it: `network.source =
/// "untrained"` unless it is a carry chain or a file. Throws Error, the design's name first, where the study or
/// an override is refused.
StudyConfig design_config(const DesignList& list, const DesignEntry& design);

/// The list as the text of a file in `folder`, which load_design_list reads. Throws Error for units, levels and
/// stages shared in time.
std::string design_list_text(const DesignList& list, const std::filesystem::path& folder);

}  // namespace optinc
