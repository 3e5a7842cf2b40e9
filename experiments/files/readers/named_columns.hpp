#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// One column of numbers, by its name.
struct NamedColumn {
  std::string name;
  std::vector<double> values;  ///< finite
};

/// What a laboratory's file holds in columns, whatever its form.
struct NamedColumns {
  std::string file;                  ///< as messages name it
  std::vector<NamedColumn> columns;  ///< no name twice
  std::vector<long> lines = {};      ///< of every row in a text; of other files, rows are counted from 0

  /// "line 3" or "row 3" of the file.
  std::string place(std::size_t row) const;
  /// "file:line" or "file: row 3", which opens every message about a row.
  std::string where(std::size_t row) const;
  /// The column of that name; null where there is none.
  const std::vector<double>* find(std::string_view name) const;
  /// The column of that name. Throws Error, which says `what` it is, where there is none.
  const std::vector<double>& column(std::string_view name, std::string_view what) const;
  /// The same as integers. Throws Error, too, unless every number is a whole one in 0..largest.
  std::vector<std::int64_t> indices(std::string_view name, std::string_view what, std::int64_t largest) const;
  /// Rows of all columns but the one that is called `except`. Throws Error unless they have as many.
  std::size_t rows(std::string_view except = {}) const;
  /// Throws Error unless every name is among `known`.
  void require_names(std::span<const std::string_view> known) const;
};

/// A table as CSV, in any form that TableCells cuts: names first, then a row a line. Throws Error "file:line:
/// .." for cells that are no finite numbers, rows of another length and a name that is there twice.
NamedColumns read_columns_csv(const std::filesystem::path& path);

}  // namespace optinc
