#include "experiments/files/hdf5/stored_values.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "physics/core/check.hpp"

namespace optinc {

std::int64_t stored_count(const Group& group, std::string_view name, std::int64_t largest) {
  const std::int64_t value = group.attributes().integer(name);
  validate(value >= 1 && value <= largest,
           "{}: attribute {} = {} (expected 1..{}). Give a file that OptINC wrote.", group.where(), name, value,
           largest);
  return value;
}

std::size_t stored_length(const Group& group, std::string_view name, std::int64_t largest) {
  const std::vector<std::size_t> shape = group.shape(name);
  validate(shape.size() == 1 && shape[0] >= 1 && shape[0] <= static_cast<std::size_t>(largest),
           "{}: shape ({}) (expected one axis of 1..{} values). Give a file as FORMAT.md says.",
           group.where(name), fmt::join(shape, ", "), largest);
  return shape[0];
}

std::vector<double> finite_values(const Group& group, std::string_view name,
                                  std::initializer_list<std::size_t> shape) {
  std::vector<double> values = group.read<double>(name, shape);
  const auto bad = std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
  validate(bad == values.end(), "{}: value {} is not finite (every one must be). Make the file again.",
           group.where(name), bad - values.begin());
  return values;
}

void set_field(const Attributes& attributes, const Row& info, const FieldValue& value) {
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::vector<double>>)
          attributes.set(info.key, std::span<const double>(v));
        else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
          attributes.set(info.key, std::span<const std::int64_t>(v));
        else if constexpr (std::is_same_v<T, std::vector<std::string>>)
          attributes.set(info.key, fmt::format("{}", fmt::join(v, ", ")));
        else if constexpr (std::is_same_v<T, bool>)
          attributes.set(info.key, std::int64_t{v});
        else
          attributes.set(info.key, v);
      },
      value);
}

}  // namespace optinc
