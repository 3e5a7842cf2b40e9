#include "physics/core/rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/printable.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {
namespace {

template <class T>
constexpr bool is_list = std::is_same_v<T, std::vector<std::int64_t>> ||
                         std::is_same_v<T, std::vector<double>> || std::is_same_v<T, std::vector<std::string>>;

std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  // TOML tells integers and floats apart by their look
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string string_text(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\')
      text += {'\\', c};
    else if (is_control(c))
      text += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else
      text += c;
  }
  return text + '"';
}

std::string range_text(const Row& info) {
  std::string text = fmt::format("{}{}..{}", info.may_be_zero ? "0 or " : "", info.min, info.max);
  if (info.step > 0) text += fmt::format(", in steps of {}", info.step);
  return text;
}

/// `all`: the value that messages show, of which `value` is an element or the whole.
void check_number(std::string_view where, const Row& info, double value, const FieldValue& all) {
  if (is_legal(info, value)) return;
  if (!(std::isfinite(value) && value >= info.min && value <= info.max))
    throw Error(where, fmt::format("{} is out of range (allowed: {}). {}", toml_text(all), range_text(info),
                                   !std::isfinite(value) ? std::string("Give a finite number.")
                                   : value < info.min    ? fmt::format("Give at least {}.", info.min)
                                                         : fmt::format("Give at most {}.", info.max)));
  const double step = info.step, steps = (value - info.min) / step;
  throw Error(where, fmt::format("{} is between two steps (allowed: {}). Give {} or {}.", toml_text(all),
                                 range_text(info), info.min + step * std::floor(steps),
                                 info.min + step * std::ceil(steps)));
}

/// The same number, or one as far beyond 2^53, where rounding to double would take it back into a range.
double unrounded(std::int64_t value) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  const auto rounded = static_cast<double>(value);
  if (value > exact) return std::max(rounded, std::nextafter(static_cast<double>(exact), HUGE_VAL));
  if (value < -exact) return std::min(rounded, -std::nextafter(static_cast<double>(exact), HUGE_VAL));
  return rounded;
}
double unrounded(double value) { return value; }

void check_string(std::string_view where, const Row& info, const std::string& value) {
  validate_field(!value.empty(), where, "\"\" is empty (expected {}). Give a value or leave the key out.",
                 expected_text(info, value));
  if (info.names.empty()) return;
  for (const auto name : info.names)
    if (name == value) return;
  throw Error(where, fmt::format("{} is unknown (known: {}). {}", toml_text(value), join_names(info.names),
                                 remedy(value, info.names, info.former)));
}

}  // namespace

std::string FieldEntry::name() const {
  return section.empty() ? std::string(info.key) : fmt::format("{}.{}", section, info.key);
}

std::string expected_text(const Row& info, const FieldValue& type) {
  static constexpr std::string_view kinds[] = {"true or false",  "an integer",         "a number",
                                               "a string",       "a list of integers", "a list of numbers",
                                               "a list of names"};
  const bool names = std::holds_alternative<std::vector<std::string>>(type);
  if (!info.names.empty()) return fmt::format("{} {}", names ? "a list of" : "one of", join_names(info.names));
  const bool number =
      !names && !std::holds_alternative<bool>(type) && !std::holds_alternative<std::string>(type);
  return std::string(kinds[type.index()]) + (number ? fmt::format(" ({})", range_text(info)) : "");
}

std::string toml_text(const FieldValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (is_list<T>) {
          std::string text;
          for (const auto& element : v) text += (text.empty() ? "" : ", ") + toml_text(element);
          return "[" + text + "]";
        } else if constexpr (std::is_same_v<T, double>) {
          return number_text(v);
        } else if constexpr (std::is_same_v<T, std::string>) {
          return string_text(v);
        } else {
          return fmt::format("{}", v);
        }
      },
      value);
}

void check_row(std::string_view where, const Row& info, const FieldValue& value) {
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          for (const auto& element : v) check_string(where, info, element);
        } else if constexpr (is_list<T>) {
          validate_field(info.may_be_empty || !v.empty(), where,
                         "[] is empty (expected {}). Give at least one.", expected_text(info, value));
          for (const auto element : v) check_number(where, info, unrounded(element), value);
        } else if constexpr (std::is_same_v<T, std::string>) {
          check_string(where, info, v);
        } else if constexpr (!std::is_same_v<T, bool>) {
          check_number(where, info, unrounded(v), value);
        }
      },
      value);
}

}  // namespace optinc
