#include "onn/hardware/unit_parts.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "onn/hardware/unit_hardware_rows.hpp"

namespace optinc {
namespace {

/// Whether a key of a section holds another value than the part's.
template <class S>
bool differs(const S& settings, const Figure& figure) {
  bool other = false;
  visit_rows(settings, [&](const Row& row, const auto& member) {
    using T = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
      if (row.key == figure.key) other = member != static_cast<T>(figure.value);
  });
  return other;
}

}  // namespace

std::vector<UnitPart> unit_parts(const UnitHardware& hardware) {
  std::vector<UnitPart> all;
  visit_hardware(hardware, [&](std::string_view section, const auto& settings) {
    visit_rows(settings, [&](const Row& row, const auto& member) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, std::string>)
        if (!row.part.empty()) {
          UnitPart named{fmt::format("{}.{}", section, row.key), &part_of_kind(row.part, member), {}};
          for (const Figure& figure : named.part->figures)
            if (!figure.key.empty() && differs(settings, figure)) named.overridden.push_back(figure.key);
          all.push_back(std::move(named));
        }
    });
  });
  return all;
}

std::vector<std::string> keys_without_part() {
  std::set<std::string> set;
  for (const UnitPart& named : unit_parts({})) {
    set.insert(named.key);
    for (const Figure& figure : named.part->figures)
      if (!figure.key.empty()) set.insert(named.key.substr(0, named.key.find('.') + 1) + figure.key);
  }
  std::vector<std::string> keys;
  const UnitHardware unit;
  visit_hardware(unit, [&](std::string_view section, const auto& settings) {
    visit_rows(settings, [&](const Row& row, const auto&) {
      std::string key = fmt::format("{}.{}", section, row.key);
      if (!set.contains(key)) keys.push_back(std::move(key));
    });
  });
  return keys;
}

std::string overrides_text(const UnitPart& part) {
  return part.overridden.empty() ? "" : fmt::format("with {} overridden", fmt::join(part.overridden, ", "));
}

}  // namespace optinc
