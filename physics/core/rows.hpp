#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "physics/core/enum_names.hpp"
#include "physics/core/names.hpp"

namespace optinc {

// One row a value that a user sets. It stands beside the struct that holds the value, in NAME_rows.hpp: an
// overload of visit_rows calls visit(Row, member&) for each. From the row come the check, its message and what
// `optinc explain` says, the key in TOML files, the attribute in HDF5, and the property in Python with its
// docstring.

/// What is known of a value besides itself. The default is not here: it is what a default-constructed struct
/// holds, so that row and struct cannot disagree.
struct Row {
  std::string_view key;                                   ///< name inside its section
  std::string_view unit;                                  ///< "1" for a pure number or a name
  std::string_view meaning;                               ///< one line
  double min = -std::numeric_limits<double>::infinity();  ///< least legal number, or element of a list
  double max = std::numeric_limits<double>::infinity();
  std::string_view source = {};  ///< where default and range come from; empty: a choice of ours
  std::span<const std::string_view> names =
      {};                          ///< what a string, or every element of a list, may be; empty: any
  int step = 0;                    ///< of an integer, from min on; 0: any
  std::string_view ablation = {};  ///< source of error that the values 0 and false switch off; empty: none
  bool changes_results = true;     ///< false for what only says how to run, such as threads
  bool file = false;               ///< may name one: in a study, a relative path starts at the study's folder
  bool may_be_empty = false;       ///< a list
  bool may_be_zero = false;        ///< a number whose range begins above 0
  std::string_view part =
      {};  ///< kind of the parts that a name chooses from, which set other keys of the section
  std::span<const FormerName> former = {};  ///< names that are refused with a remedy of their own
};

/// The field with the source of error that an ablation switches off through it.
inline Row switched_off(std::string_view source_of_error, Row info) {
  info.ablation = source_of_error;
  return info;
}

/// A list that may have no element.
inline Row or_none(Row info) {
  info.may_be_empty = true;
  return info;
}

/// A number that is 0 or in its range, which begins above 0.
inline Row or_zero(Row info) {
  info.may_be_zero = true;
  return info;
}

/// An integer that is odd, from an odd min on.
inline Row odd(Row info) {
  info.step = 2;
  return info;
}

/// A field that says how to run and changes no result.
inline Row how_to_run(Row info) {
  info.changes_results = false;
  return info;
}

/// A field that may name a file.
inline Row may_be_file(Row info) {
  info.file = true;
  return info;
}

/// A field that takes a name, or a list of names.
inline Row name_row(std::string_view key, std::string_view meaning, std::span<const std::string_view> names) {
  Row info{key, "1", meaning};
  info.names = names;
  return info;
}

/// Visits a key whose values are the names of an enum's. The member may be const.
template <class E, class Visitor>
void visit_enum(Visitor&& visit, std::string_view key, std::string_view meaning, E& member,
                std::string_view source = {}) {
  using Values = std::remove_const_t<E>;
  Row info = name_row(key, meaning, names_of<Values>());
  info.source = source;
  std::string name(name_of(member));
  visit(info, name);
  if constexpr (!std::is_const_v<E>) member = value_of_name<Values>(name);
}

/// A value as configuration files, attributes and messages see it: the few types that TOML and HDF5 share.
using FieldValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                                std::vector<double>, std::vector<std::string>>;

/// One field of one section with the value in force.
struct FieldEntry {
  std::string_view section;  ///< empty for the keys above all sections
  Row info;
  FieldValue value;

  /// "section.key", or "key" above all sections.
  std::string name() const;
};

/// Allows a field table to be written once for a struct and for its const: Like<const T, T> holds.
template <class S, class T>
concept Like = std::same_as<std::remove_const_t<S>, T>;

/// A member of a settings struct as FieldValue.
template <class T>
FieldValue to_field_value(const T& value) {
  if constexpr (std::is_same_v<T, std::vector<int>>)
    return std::vector<std::int64_t>(value.begin(), value.end());
  else if constexpr (std::integral<T> && !std::is_same_v<T, bool>)
    return static_cast<std::int64_t>(value);
  else
    return value;
}

/// Sets a member of a settings struct; `value` must hold the alternative that to_field_value gives for it and
/// be within the field's range (check_row), which makes the narrowing here safe.
template <class T>
void from_field_value(T& member, const FieldValue& value) {
  if constexpr (std::is_same_v<T, std::vector<int>>) {
    member.clear();
    for (const std::int64_t v : std::get<std::vector<std::int64_t>>(value))
      member.push_back(static_cast<int>(v));
  } else if constexpr (std::integral<T> && !std::is_same_v<T, bool>) {
    member = static_cast<T>(std::get<std::int64_t>(value));
  } else {
    member = std::get<T>(value);
  }
}

/// "an integer (1..64)", "a list of numbers (0..0.5)", "one of half-even, half-up, floor": what a field takes.
std::string expected_text(const Row& info, const FieldValue& type);

/// The value as TOML text in one line; numbers are the shortest that read back to the same bits.
std::string toml_text(const FieldValue& value);

/// Throws Error unless a value is finite, in range, a known name, a non-empty string or list of numbers.
/// `where` opens the message: "file:line:column: section.key" for a file. It is the Error's field.
void check_row(std::string_view where, const Row& info, const FieldValue& value);

/// Whether a number is legal.
inline bool is_legal(const Row& row, double value) {
  if (row.may_be_zero && value == 0.0) return true;
  return std::isfinite(value) && value >= row.min && value <= row.max &&
         (row.step == 0 || std::fmod(value - row.min, row.step) == 0.0);
}

/// Throws Error, naming the key, for the first value of some settings that is not legal (check_row).
template <class S>
void validate_rows(const S& settings) {
  visit_rows(settings, [](const Row& row, const auto& member) {
    using T = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_arithmetic_v<T>)  // in the way of every word
      if (std::is_same_v<T, bool> || is_legal(row, static_cast<double>(member))) return;
    check_row(row.key, row, to_field_value(member));
  });
}

}  // namespace optinc
