#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/files/hdf5/hdf5.hpp"

namespace optinc {

/// One number of every row of a table: how it is stored, and how it is shown to people.
template <class Row>
struct TableColumn {
  const char* name;  ///< dataset, and JSON key
  const char* unit;
  const char* heading;  ///< of the table; empty: not in it
  double scale;         ///< from SI to the table's unit
  const char* long_name;
  double (*of)(const Row&);
  bool counts = false;  ///< an integer

  /// Whether the printed table has it.
  bool shown() const { return heading[0] != '\0'; }
  /// For JSON; numbers that are not finite are null.
  nlohmann::ordered_json json(const Row& row) const {
    const double x = of(row);
    if (!std::isfinite(x)) return nullptr;
    return counts ? nlohmann::ordered_json(std::llround(x)) : nlohmann::ordered_json(x);
  }
};

/// A dataset of each column over one dimension of the group; row(i) is its i-th row. Throws Error where HDF5
/// does.
template <class Columns, class RowAt>
void write_columns(const Group& group, std::string_view dimension, const Columns& columns, std::size_t rows,
                   RowAt&& row) {
  const auto column = [&](const auto& q, auto convert) {
    std::vector<decltype(convert(0.0))> values;
    for (std::size_t i = 0; i < rows; ++i) values.push_back(convert(q.of(row(i))));
    group.dataset(q.name, {dimension}, values, q.unit, q.long_name);
  };
  for (const auto& q : columns) {
    if (q.counts)
      column(q, [](double x) { return static_cast<std::int64_t>(std::llround(x)); });
    else
      column(q, [](double x) { return x; });
  }
}

}  // namespace optinc
