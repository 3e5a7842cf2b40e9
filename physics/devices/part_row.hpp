#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "physics/core/check.hpp"
#include "physics/core/rows.hpp"
#include "physics/devices/catalogue.hpp"

namespace optinc {

/// Sets the keys of some settings to a part's figures; figures without a key are for people. Throws Error for a
/// figure whose key the settings do not have.
template <class S>
void apply_part(S& settings, const Part& part) {
  for (const Figure& figure : part.figures) {
    if (figure.key.empty()) continue;
    bool found = false;
    visit_rows(settings, [&](const Row& row, auto& member) {
      using T = std::remove_cvref_t<decltype(member)>;
      if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
        if (row.key == figure.key) {
          member = static_cast<T>(figure.value);
          found = true;
        }
    });
    validate(found, "{} of {}: {} (these settings have no such key). Use settings of another device.",
             figure.name, part.name, figure.key);
  }
}

/// The row of a key that names a part.
inline Row part_row(std::string_view key, std::string_view kind, std::string_view meaning) {
  Row row = name_row(key, meaning, part_names(kind));
  row.part = kind;
  return row;
}

/// Visits a key that names a part of that kind. A name that differs from the one in force sets every key of the
/// part; keys that are visited afterwards override it, so such a row stands before them.
template <class S, class Name, class Visitor>
void visit_part(Visitor&& visit, S& settings, const Row& row, Name& member) {
  std::string name(member);
  visit(row, name);
  if constexpr (!std::is_const_v<S>)
    if (name != member) {
      const Part& part = part_of_kind(row.part, name);
      member = part.name;
      apply_part(settings, part);
    }
}

}  // namespace optinc
