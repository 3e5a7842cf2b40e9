#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/base/text_table.hpp"
#include "experiments/study/table_reader.hpp"
#include "physics/core/check.hpp"

// One format of lists for both commands: `title`, [preset.NAME], and tables [[KIND]] whose keys are those of
// visit_rows. A table may take presets; a key may hold a list of values, one row for each.

namespace optinc {

/// A list that is being read.
struct ListSource {
  TomlSource source;
  std::map<std::string, const toml::table*> presets = {};
  std::set<std::string> taken = {};  ///< presets of some row
};

/// What a row says of a key, itself or by a preset.
struct SaidKey {
  const toml::node* node = nullptr;
  std::string name;  ///< "KIND.KEY", "preset.KEY"
};

/// More than a list may have of one kind.
inline constexpr std::size_t too_many_rows = 10000;

/// Notes [preset.NAME] of a list. Throws Error for what is no table.
void take_presets(ListSource& in, const toml::table& list);

/// Presets that a row takes, later ones over earlier ones, and notes that they are taken. Throws Error for one
/// that the list does not have.
std::vector<std::string> presets_of(ListSource& in, const TableReader& row);

/// Keys of a row and of its presets; `listed_by`: the command that lists them. Throws Error for an unknown one.
std::map<std::string, SaidKey, std::less<>> said_keys(
    ListSource& in, const TableReader& row, std::span<const std::pair<std::string_view, FieldValue>> keys,
    std::string_view listed_by);

/// The values that a key stands for: of one whose value is no list itself, the elements of a list. Throws Error
/// for an empty one.
std::vector<const toml::node*> values_of(const ListSource& in, const SaidKey& said, const FieldValue& type);

/// Sets one key of a row. Throws Error, which `where` opens, for a value that is not legal.
template <class Question>
void set_key(Question& row, std::string_view key, const toml::node& value, const std::string& where) {
  visit_rows(row, [&](const Row& info, auto& member, auto...) {
    if (info.key != key) return;
    // a text that may be empty is no field of a study: checked_value would refuse it
    if constexpr (std::is_same_v<std::decay_t<decltype(member)>, std::string>)
      if (info.names.empty() && value.is_string() && value.as_string()->get().empty()) return member.clear();
    from_field_value(member, checked_value({"", info, to_field_value(member)}, value, where));
  });
}

/// A row for every combination of the values that a table and its presets list. `rows_before`: of the same kind
/// in the list. Throws Error, with the place, for unknown keys, values that are not legal, a row without a
/// name, and too_many_rows.
template <class Question>
std::vector<Question> read_rows(ListSource& in, const TableReader& table, std::string_view listed_by,
                                std::size_t rows_before = 0) {
  const Question defaults;
  std::vector<std::pair<std::string_view, FieldValue>> keys;
  visit_rows(defaults, [&](const Row& info, const auto& member, auto...) {
    keys.emplace_back(info.key, to_field_value(member));
  });
  const auto said = said_keys(in, table, keys, listed_by);
  if (!said.contains("name")) table.need("name");
  std::vector<Question> rows = {defaults};
  for (const auto& [key, type] : keys) {
    const auto found = said.find(key);
    if (found == said.end()) continue;
    const auto values = values_of(in, found->second, type);
    const std::string where = in.source.at(*found->second.node) + found->second.name;
    validate(rows_before + rows.size() * values.size() < too_many_rows,
             "{}: {} rows or more (fewer than {} are allowed). List fewer values.", where, too_many_rows,
             too_many_rows);
    std::vector<Question> next;
    for (const Question& row : rows)
      for (const toml::node* value : values)
        set_key(next.emplace_back(row), key, *value, in.source.at(*value) + found->second.name);
    rows = std::move(next);
  }
  return rows;
}

/// Every key with its unit, default and meaning, a line each, `indent` columns to the right.
template <class Question>
std::string keys_text(int indent) {
  std::string text;
  const Question defaults;
  visit_rows(defaults, [&](const Row& info, const auto& member, auto...) {
    const FieldValue value = to_field_value(member);
    const bool free = std::holds_alternative<std::string>(value) && info.names.empty();
    text += fmt::format("{:{}}{} = {} [{}]\n", "", indent, info.key, toml_text(value), info.unit) +
            hanging_text("", fmt::format("{}; {}", info.meaning, free ? "a text" : expected_text(info, value)),
                         indent + 4);
    if (!info.source.empty()) text += hanging_text("", fmt::format("source: {}", info.source), indent + 4);
  });
  return text;
}

}  // namespace optinc
