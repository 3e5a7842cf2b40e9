#include "physics/core/suggestion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "physics/core/names.hpp"

namespace optinc {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

namespace {

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

bool near(const std::string& word, const std::string& name) {
  const std::size_t letters = std::max(word.size(), name.size());
  const bool begins =
      std::min(word.size(), name.size()) >= 3 && (name.starts_with(word) || word.starts_with(name));
  return begins || name.find(word) != name.npos ||
         (letters <= 64 && edit_distance(word, name) <= std::max<std::size_t>(1, letters / 3));
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string_view> names,
                       std::string_view otherwise) {
  if (word.empty() || names.empty()) return std::string(otherwise);
  const std::vector<std::string_view> likely = likely_names(word, names);
  if (!near(lower(word), lower(likely.front()))) return std::string(otherwise);
  std::string text;
  for (const std::string_view& name : likely)
    text += fmt::format("{}\"{}\"", text.empty() ? "" : &name == &likely.back() ? " or " : ", ", name);
  return fmt::format("Did you mean {}?", text);
}

}  // namespace optinc
