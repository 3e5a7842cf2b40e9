#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/designs/design_list.hpp"
#include "experiments/designs/operating_point.hpp"
#include "experiments/files/hdf5/hdf5.hpp"

namespace optinc {

/// The operating point of a design, and the study that it is of.
struct DesignPoint {
  std::string name;                   ///< the design's, with its symbol rate where it is searched at several
  std::string design;                 ///< of the list
  std::vector<std::string> settings;  ///< over the list's own
  StudyConfig config;
  OperatingPoint point;
};

/// A table of 100 columns for people, a row a design: every cell of one and the same point, "none" where there
/// is none.
std::string points_text(const std::vector<DesignPoint>& points, const std::string& title,
                        const OperatingPointSearch& search);

/// The same for machines, in SI units.
nlohmann::ordered_json points_json(const std::vector<DesignPoint>& points, const std::string& title,
                                   const OperatingPointSearch& search);

/// The designs of one unit that decode, each at its points, as the text of a list in `folder`
/// (design_list_text); what was demanded of them and the command stand above it as comments.
std::string points_list(DesignList list, const std::vector<DesignPoint>& points,
                        const OperatingPointSearch& search, std::string_view command,
                        const std::filesystem::path& folder);

/// Writes the points into a group (FORMAT.md, "Operating points"). Throws Error where HDF5 does.
void write_points(const Group& group, const DesignList& list, const std::vector<DesignPoint>& points,
                  const OperatingPointSearch& search);

}  // namespace optinc
