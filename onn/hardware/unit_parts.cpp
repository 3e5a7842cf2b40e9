#include "onn/hardware/unit_parts.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "onn/hardware/unit_hardware_rows.hpp"
#include "physics/core/names.hpp"

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

/// Parts of the published unit that are not those of UnitHardware().
constexpr std::array<std::array<std::string_view, 2>, 8> published = {
    {{"laser.device", "van-rees-2019-laser"},
     {"laser.booster", "juodawlkis-2009-booster"},
     {"modulator.device", "low-voltage-2020-modulator"},
     {"modulator.driver", "zhang-2025-driver"},
     {"receiver.device", "shi-2019-receiver"},
     {"receiver.photodiodes", "shi-2024-photodiode"},
     {"converter.device", "receiver-56g-converter"},
     {"time.clocked_receiver", "han-2021-wireline-receiver"}}};
constexpr std::array<std::string_view, 2> set_names = {"published", "idealised"};
constexpr std::array<std::string_view, 2> set_keys = {"link.fibre_mismatch_m", "time.symbol_rate_bd"};

}  // namespace

std::span<const std::string_view> parts_set_names() { return set_names; }
std::span<const std::string_view> keys_of_parts_set() { return set_keys; }

UnitHardware unit_of_parts(std::string_view set) {
  UnitHardware unit;
  if (set == "idealised") return unit;
  if (set != "published") refuse_name("set of parts", set, set_names);
  visit_hardware(unit, [&](std::string_view section, auto& settings) {
    visit_rows(settings, [&](const Row& row, auto& member) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, std::string>)
        for (const auto& [key, part] : published)
          if (key == fmt::format("{}.{}", section, row.key)) member = part;
    });
  });
  unit.link.fibre_mismatch_m = 2 * unit.fibre.length_m;
  unit.timing.symbol_rate_bd = 28e9;
  return unit;
}

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

std::vector<std::string> beyond_parts(const UnitHardware& hardware, double largest_swing_v, double light_w) {
  constexpr double rounding = 1 + 1e-9;
  const double rate_bd = hardware.timing.symbol_rate_bd;
  std::vector<std::string> beyond;
  for (const UnitPart& named : unit_parts(hardware)) {
    const bool idle = named.key == "time.clocked_receiver" && hardware.timing.sampling != Sampling::clocked;
    for (const Figure& f : named.part->figures) {
      const bool is_rate = f.name == "symbol rate" || f.name == "sampling rate";
      if (is_rate && !idle && rate_bd > f.value * rounding)
        beyond.push_back(fmt::format("time.symbol_rate_bd = {:.4g} is above the {} of {} ({}), {:.4g}", rate_bd,
                                     f.name, named.part->name, named.key, f.value));
      if (f.name == "largest swing" && largest_swing_v > f.value * rounding)
        beyond.push_back(fmt::format("modulators are driven by up to {:.3g} V, and {} ({}) swings {:.3g} V",
                                     largest_swing_v, named.part->name, named.key, f.value));
      if (f.key == "power_w" && hardware.laser.booster_w == 0 && light_w > f.value * rounding)
        beyond.push_back(
            fmt::format("{:.3g} W of light are asked for, and {} ({}) gives {:.3g} W; laser.booster "
                        "names what gives the rest",
                        light_w, named.part->name, named.key, f.value));
      if (f.key == "overload_a" && f.value == 0 && hardware.receiver.overload_a == 0)
        beyond.push_back(
            fmt::format("receivers pass on any current, because {} ({}) states no largest one; "
                        "receiver.overload_a sets it",
                        named.part->name, named.key));
    }
  }
  return beyond;
}

std::string overrides_text(const UnitPart& part) {
  return part.overridden.empty() ? "" : fmt::format("with {} overridden", fmt::join(part.overridden, ", "));
}

}  // namespace optinc
