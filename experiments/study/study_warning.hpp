#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace optinc {

/// A value of a study that is legal but unlike anything built, or that changes nothing.
struct StudyWarning {
  std::string key;    ///< "section.key"; "[section]" of a whole one
  std::string text;   ///< one sentence without a full stop
  std::string field;  ///< of the device that says so (Warning): with the key it tells kinds of warnings apart
  std::string point = {};                     ///< of the sweeps at which it holds first; empty without any
  std::size_t points = 0, points_of_all = 0;  ///< at which it holds, of how many
  bool of_all_points = false;                 ///< not told where it holds at some points and not at others

  /// "section.key: sentence (at POINT, the first of 3 points)".
  std::string line() const;
};

/// The lines of all.
std::vector<std::string> lines_of(const std::vector<StudyWarning>& warnings);

}  // namespace optinc
