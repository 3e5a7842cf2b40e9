#pragma once

#include <vector>

#include "experiments/files/hdf5/table_column.hpp"

namespace optinc {

/// A column for each key of a list's rows, from visit_rows.
template <class Question>
std::vector<TableColumn<Question>> key_columns() {
  std::vector<TableColumn<Question>> columns;
  const Question defaults;
  visit_rows(defaults, [&](const Row& info, const auto&, auto...) {
    std::string long_name(info.meaning);
    if (!info.source.empty()) long_name += fmt::format("; source: {}", info.source);
    const auto value = [at = columns.size()](const Question& row) {
      FieldValue found;
      std::size_t k = 0;
      visit_rows(row, [&](const Row&, const auto& member, auto...) {
        if (k++ == at) found = to_field_value(member);
      });
      return found;
    };
    columns.push_back({info.key, info.unit, std::move(long_name), value, std::string(info.key)});
  });
  return columns;
}

}  // namespace optinc
