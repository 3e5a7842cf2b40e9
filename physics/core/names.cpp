#include "physics/core/names.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

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
  const auto begins = [&](std::string_view name) {
    return std::min(word.size(), name.size()) >= 3 && (name.starts_with(word) || word.starts_with(name));
  };
  return *std::min_element(names.begin(), names.end(), [&](std::string_view a, std::string_view b) {
    if (begins(a) != begins(b)) return begins(a);
    return edit_distance(word, a) < edit_distance(word, b);
  });
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
                          nearest_name(name, names)));
}

void refuse_value(std::string_view what, std::size_t value, std::span<const std::string_view> names) {
  throw Error(fmt::format("{} number {} (0..{}: {}). Use one of those.", what, value, names.size() - 1,
                          join_names(names)));
}

}  // namespace optinc
