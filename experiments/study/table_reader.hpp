#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/study/toml_values.hpp"

// One reader for the tables of lists: [[sweep]], [[design]], [[scenario]], [[sensitivity]].

namespace optinc {

/// A table that is being read, with the place of every value for messages.
struct TableReader {
  const toml::table& table;
  const TomlSource& source;
  std::string_view kind =
      {};  ///< "design" of a [[design]], whose keys messages call design.KEY; empty: of a file

  /// "design.KEY".
  std::string name(std::string_view key) const;
  /// "file:line:column: design.KEY".
  std::string at(const toml::node& node, std::string_view key) const { return source.at(node) + name(key); }

  /// Throws Error for a key that is none of `known`, with the nearest. `listed_by`: the command that lists
  /// them, where they are too many for the message.
  void only(std::span<const std::string_view> known, std::string_view listed_by = {}) const;
  /// The same with a list of names.
  void only(std::initializer_list<std::string_view> known) const { only(std::vector(known)); }

  /// Puts a key's value into `to` and returns whether the key is there. Throws Error for a value of another
  /// type, and as check_row() does.
  template <class T>
  bool take(const Row& info, T& to) const {
    const toml::node* node = table.get(info.key);
    if (node == nullptr) return false;
    from_field_value(to, checked_value({kind, info, to_field_value(to)}, *node, at(*node, info.key)));
    return true;
  }

  /// A text that must be there.
  std::string text(std::string_view key) const;
  /// A value that must be there.
  const toml::node& need(std::string_view key) const;
  /// The tables [[KEY]]; none where there are none. Throws Error for a KEY that is something else.
  std::vector<TableReader> tables(std::string_view key) const;
};

}  // namespace optinc
