#include "experiments/study/table_reader.hpp"

#include <algorithm>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {

std::string TableReader::name(std::string_view key) const {
  return kind.empty() ? std::string(key) : fmt::format("{}.{}", kind, key);
}

void TableReader::only(std::span<const std::string_view> known, std::string_view listed_by) const {
  for (const auto& [key, node] : table)
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      throw Error(fmt::format("{}unknown key {} ({}{}). {}", source.at(key.source()), one_line(name(key.str())),
                              kind.empty() ? "there are: " : fmt::format("{} has: ", kind),
                              listed_by.empty() ? join_names(known) : fmt::format("see {}", listed_by),
                              suggestion(key.str(), known)));
}

std::string TableReader::text(std::string_view key) const {
  std::string text;
  need(key);
  take({key, "1", ""}, text);
  return text;
}

const toml::node& TableReader::need(std::string_view key) const {
  const toml::node* node = table.get(key);
  validate(node != nullptr, "{}a {} without {} (it must say one). Set {}.", source.at(table), kind, key,
           name(key));
  return *node;
}

std::vector<TableReader> TableReader::tables(std::string_view key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return {};
  validate(node->is_array_of_tables(), "{} = {} (expected tables). Write [[{}]] and its keys below it.",
           at(*node, key), shown(*node), key);
  std::vector<TableReader> tables;
  for (const toml::node& inner : *node->as_array()) tables.push_back({*inner.as_table(), source, key});
  return tables;
}

}  // namespace optinc
