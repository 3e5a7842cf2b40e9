#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/readers/text.hpp"

namespace optinc {

/// Cuts the lines of one table into cells, as spreadsheets, pandas, NumPy and MATLAB write them. The first line
/// tells what parts cells: semicolons, tabs, commas, otherwise white space. Quotes around a cell are removed.
/// Where commas do not part cells, they are decimal: 0,5 is 0.5. A first column without a name, which numbers
/// the rows (the index of pandas), is left out.
class TableCells {
 public:
  /// The cells of a line, until the next one is cut. Throws Error "file:line: .." for a quote that is not
  /// closed.
  const std::vector<std::string_view>& operator()(const TextLine& line);

  /// Whether the first line names columns behind an unnamed first one.
  bool has_index() const { return index_; }

 private:
  std::string text_;  ///< of the line
  std::vector<std::string_view> cells_;
  char separator_ = '\0';
  bool index_ = false;
};

}  // namespace optinc
