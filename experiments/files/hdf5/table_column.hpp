#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/files/hdf5/hdf5.hpp"
#include "physics/core/rows.hpp"

namespace optinc {

/// What a table holds of a row: a member of it, or a function of it. A number, a truth or a text.
template <class Row>
class CellOf {
 public:
  /// Of a member, or a function of the row; implicit, so that columns are written as members.
  template <class Of>
  CellOf(Of of)
      : of_([of](const Row& row) -> FieldValue {
          using Value = std::decay_t<decltype(std::invoke(of, row))>;
          if constexpr (std::is_convertible_v<Value, std::string_view>)
            return std::string(std::invoke(of, row));
          else
            return to_field_value(static_cast<Value>(std::invoke(of, row)));
        }) {}
  FieldValue operator()(const Row& row) const { return of_(row); }

 private:
  std::function<FieldValue(const Row&)> of_;
};

/// The number that a value is, 0 or 1 of a truth; NaN for text and lists.
double number_of(const FieldValue& value);

/// A value for people, at full length.
std::string shown_text(const FieldValue& value);

/// One column of a table: how it is stored, and how it is shown to people.
template <class Row>
struct TableColumn {
  std::string_view name;  ///< dataset, and JSON key
  std::string_view unit;
  std::string long_name;
  CellOf<Row> of;
  std::string heading = {};  ///< of the printed table; empty: not in it
  double scale = 1.0;        ///< from SI to the printed table's unit

  /// Whether the printed table has it.
  bool shown() const { return !heading.empty(); }
  /// The number that the printed table shows; NaN for text.
  double number(const Row& row) const { return scale * number_of(of(row)); }
};

/// A value for JSON; numbers that are not finite are null.
nlohmann::ordered_json json_of(const FieldValue& value);

/// A name with its unit behind it: "delay_s", as keys of JSON are called where no unit stands beside them.
std::string with_unit(std::string_view name, std::string_view unit);

/// The columns of a row.
template <class Row>
nlohmann::ordered_json json_row(const std::vector<TableColumn<Row>>& columns, const Row& row,
                                bool units = false) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& q : columns)
    json[units ? with_unit(q.name, q.unit) : std::string(q.name)] = json_of(q.of(row));
  return json;
}

/// Writes a dataset; truths as 0 and 1 (uint8), lists as text. Values of one type, at least one. Throws Error
/// where HDF5 does.
void write_values(const Group& group, std::initializer_list<std::string_view> dimensions, std::string_view name,
                  const std::vector<FieldValue>& values, std::string_view unit, std::string_view long_name);

/// A dataset of each column over one dimension of the group; at(i) is its i-th row. Throws Error where HDF5
/// does.
template <class Row, class RowAt>
void write_columns(const Group& group, std::string_view dimension, const std::vector<TableColumn<Row>>& columns,
                   std::size_t rows, RowAt&& at) {
  for (const auto& q : columns) {
    std::vector<FieldValue> values;
    for (std::size_t i = 0; i < rows; ++i) values.push_back(q.of(at(i)));
    write_values(group, {dimension}, q.name, values, q.unit, q.long_name);
  }
}

/// The same of a list.
template <class Row>
void write_columns(const Group& group, std::string_view dimension, const std::vector<TableColumn<Row>>& columns,
                   const std::vector<Row>& rows) {
  write_columns(group, dimension, columns, rows.size(), [&](std::size_t i) -> const Row& { return rows[i]; });
}

}  // namespace optinc
