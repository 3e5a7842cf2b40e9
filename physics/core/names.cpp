#include "physics/core/names.hpp"

#include <algorithm>
#include <vector>

#include <fmt/ranges.h>

#include "physics/core/check.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::size_t longest = 64;
  word = word.substr(0, longest);
  const auto begins = [&](std::string_view name) {
    return std::min(word.size(), name.size()) >= 3 && (name.starts_with(word) || word.starts_with(name));
  };
  return *std::min_element(names.begin(), names.end(), [&](std::string_view a, std::string_view b) {
    if (begins(a) != begins(b)) return begins(a);
    return edit_distance(word, a) < edit_distance(word, b);
  });
}

std::vector<std::string_view> likely_names(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::size_t fewest_letters = 3, most = 12;
  std::vector<std::string_view> likely;
  for (const auto name : names)
    if (word.size() >= fewest_letters && likely.size() < most && name.find(word) != name.npos)
      likely.push_back(name);
  if (likely.empty()) likely.push_back(nearest_name(word, names));
  return likely;
}

std::string_view present_name(std::string_view name, std::span<const FormerName> former) {
  const auto found = std::ranges::find(former, name, &FormerName::name);
  return found == former.end() ? name : found->present;
}

std::string remedy(std::string_view name, std::span<const std::string_view> names,
                   std::span<const FormerName> former) {
  const auto found = std::ranges::find(former, name, &FormerName::name);
  return found == former.end() ? suggestion(name, names) : std::string(found->remedy);
}

std::vector<std::string_view> names_or_custom(std::span<const std::string_view> names) {
  std::vector<std::string_view> all(names.begin(), names.end());
  all.push_back("custom");
  return all;
}

std::string choice_text(std::span<const std::string_view> names) {
  std::string text;
  for (const auto& name : names)
    text += fmt::format("{}{}", text.empty() ? "" : &name == &names.back() ? " or " : ", ", name);
  return text;
}

std::string join_names(std::span<const std::string_view> names) {
  std::string text;
  for (const auto name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

void refuse_name(std::string_view what, std::string_view name, std::span<const std::string_view> names,
                 std::span<const FormerName> former) {
  throw Error(fmt::format("unknown {} \"{}\" (known: {}). {}", what, name, join_names(names),
                          remedy(name, names, former)));
}

void refuse_value(std::string_view what, std::size_t value, std::span<const std::string_view> names) {
  throw Error(fmt::format("{} number {} (0..{}: {}). Use one of those.", what, value, names.size() - 1,
                          join_names(names)));
}

}  // namespace optinc
