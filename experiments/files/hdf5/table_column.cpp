#include "experiments/files/hdf5/table_column.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

namespace optinc {

double number_of(const FieldValue& value) {
  if (const auto* count = std::get_if<std::int64_t>(&value)) return static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1.0 : 0.0;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string shown_text(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:g}", *number);
  return toml_text(value);
}

nlohmann::ordered_json json_of(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value); number != nullptr && !std::isfinite(*number))
    return nullptr;
  return std::visit([](const auto& v) { return nlohmann::ordered_json(v); }, value);
}

std::string with_unit(std::string_view name, std::string_view unit) {
  std::string text(name);
  if (unit == "1") return text;
  text += '_';
  for (const char c : unit) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void write_values(const Group& group, std::initializer_list<std::string_view> dimensions, std::string_view name,
                  const std::vector<FieldValue>& values, std::string_view unit, std::string_view long_name) {
  const auto put = [&](auto convert) {
    std::vector<decltype(convert(values.front()))> column;
    std::ranges::transform(values, std::back_inserter(column), convert);
    group.dataset(name, dimensions, column, unit, long_name);
  };
  if (std::holds_alternative<bool>(values.front()))
    put([](const FieldValue& v) -> std::uint8_t { return std::get<bool>(v) ? 1 : 0; });
  else if (std::holds_alternative<std::int64_t>(values.front()))
    put([](const FieldValue& v) { return std::get<std::int64_t>(v); });
  else if (std::holds_alternative<double>(values.front()))
    put([](const FieldValue& v) { return std::get<double>(v); });
  else
    put([](const FieldValue& v) { return shown_text(v); });
}

}  // namespace optinc
