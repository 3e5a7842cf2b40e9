#include "physics/core/names.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/ranges.h>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

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

void refuse_name(std::string_view what, std::string_view name, std::span<const std::string_view> names) {
  throw Error(fmt::format("unknown {} \"{}\" (known: {}). Did you mean \"{}\"?", what, name, join_names(names),
                          fmt::join(likely_names(name, names), "\", \"")));
}

void refuse_value(std::string_view what, std::size_t value, std::span<const std::string_view> names) {
  throw Error(fmt::format("{} number {} (0..{}: {}). Use one of those.", what, value, names.size() - 1,
                          join_names(names)));
}

}  // namespace optinc
