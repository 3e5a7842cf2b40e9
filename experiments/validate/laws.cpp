#include "experiments/validate/laws.hpp"

#include <algorithm>
#include <cctype>

#include "physics/core/check.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {
namespace {

std::vector<Law> all_laws() {
  std::vector<Law> list;
  for (const auto& family : {mzi_laws, mesh_laws, error_laws, variant_laws, code_laws, detection_laws,
                             thermal_laws, heater_network_laws, ambient_laws, combiner_laws, process_laws,
                             light_laws, field_laws, circuit_laws, trained_laws})
    for (Law& law : family()) list.push_back(std::move(law));
  std::stable_sort(list.begin(), list.end(), [](const Law& a, const Law& b) {
    return std::pair(std::stoi(a.row), a.row) < std::pair(std::stoi(b.row), b.row);
  });
  return list;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool has_letters(const std::string& word) {
  return std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

bool matches(const Law& law, const std::string& word) {
  return law.row == word || (has_letters(word) && lower(law.name).find(lower(word)) != std::string::npos);
}

}  // namespace

std::span<const Law> laws() {
  static const std::vector<Law> list = all_laws();
  return list;
}

std::vector<const Law*> choose_laws(const std::vector<std::string>& words) {
  std::vector<bool> wanted(laws().size(), words.empty());
  for (const std::string& word : words) {
    bool found = false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (matches(laws()[i], word)) wanted[i] = found = true;
    std::vector<std::string_view> known;
    for (const Law& law : laws()) known.push_back(has_letters(word) ? law.name : law.row);
    validate(found, "no law of row or name \"{}\" (optinc validate --list shows all {}). {}", word,
             laws().size(), suggestion(word, known, "Take a row or a name from there."));
  }
  std::vector<const Law*> chosen;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) chosen.push_back(&laws()[i]);
  return chosen;
}

std::vector<const Law*> laws_to_run(const std::vector<std::string>& words, bool quick) {
  std::vector<const Law*> chosen = choose_laws(words);
  if (quick && words.empty()) std::erase_if(chosen, [](const Law* law) { return !law->in_quick_run; });
  return chosen;
}

}  // namespace optinc
