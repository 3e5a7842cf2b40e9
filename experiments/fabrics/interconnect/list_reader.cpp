#include "experiments/fabrics/interconnect/list_reader.hpp"

#include "physics/core/names.hpp"

namespace optinc {

void take_presets(ListSource& in, const toml::table& list) {
  const toml::node* node = list.get("preset");
  if (node == nullptr) return;
  validate(node->is_table(), "{}preset = {} (expected tables). Write [preset.NAME] and its keys below it.",
           in.source.at(*node), shown(*node));
  for (const auto& [name, preset] : *node->as_table()) {
    validate(preset.is_table(), "{}preset.{} = {} (a table of keys). Write [preset.{}].", in.source.at(preset),
             name.str(), shown(preset), name.str());
    in.presets[std::string(name.str())] = preset.as_table();
  }
}

std::vector<std::string> presets_of(ListSource& in, const TableReader& row) {
  const toml::node* node = row.table.get("preset");
  if (node == nullptr) return {};
  std::vector<std::string> names;
  if (node->is_array())
    row.take({"preset", "1", ""}, names);
  else
    names = {row.text("preset")};
  for (const std::string& name : names) {
    in.taken.insert(name);
    if (in.presets.contains(name)) continue;
    std::vector<std::string_view> known;
    for (const auto& [other, table] : in.presets) known.push_back(other);
    throw Error(fmt::format("{}no preset \"{}\" ({}). Define [preset.{}], or name another.",
                            in.source.at(*node), name,
                            known.empty() ? "the list has none" : "there are " + join_names(known), name));
  }
  return names;
}

std::map<std::string, SaidKey, std::less<>> said_keys(
    ListSource& in, const TableReader& row, std::span<const std::pair<std::string_view, FieldValue>> keys,
    std::string_view listed_by) {
  std::vector<std::string_view> known;
  for (const auto& [key, type] : keys) known.push_back(key);
  std::map<std::string, SaidKey, std::less<>> said;
  const auto add = [&](const TableReader& by) {
    by.only(known, listed_by);
    for (const auto& [key, node] : by.table) said[std::string(key.str())] = {&node, by.name(key.str())};
  };
  for (const std::string& preset : presets_of(in, row)) add({*in.presets.at(preset), row.source, "preset"});
  known.emplace_back("preset");
  add(row);
  said.erase("preset");
  return said;
}

std::vector<const toml::node*> values_of(const ListSource& in, const SaidKey& said, const FieldValue& type) {
  const bool list = type.index() > 3;
  if (list || !said.node->is_array()) return {said.node};
  std::vector<const toml::node*> values;
  for (const toml::node& inner : *said.node->as_array()) values.push_back(&inner);
  validate(!values.empty(), "{}{} = [] (one value or more). Leave it out, or name a value.",
           in.source.at(*said.node), said.name);
  return values;
}

}  // namespace optinc
