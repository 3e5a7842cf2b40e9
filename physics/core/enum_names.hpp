#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "physics/core/names.hpp"

namespace optinc {

/// What an enumeration is called in messages, and what users call its values, in their order from 0.
template <std::size_t N>
struct EnumNames {
  std::string_view what;
  std::array<std::string_view, N> names;
};
/// Counts the names. Of characters: clang 14 converts none of the nested list to views.
template <std::size_t N>
EnumNames(const char*, const char* const (&)[N]) -> EnumNames<N>;

/// The names of an enumeration, given once, beside it:
///
///   template <>
///   inline constexpr EnumNames enum_names<Rounding> = {"rounding", {"half-even", "half-up", "floor"}};
template <class E>
inline constexpr EnumNames<0> enum_names = {};

/// An enumeration with names.
template <class E>
concept NamedEnum = std::is_enum_v<E> && !enum_names<E>.what.empty();

/// All names, in the order of the values.
template <NamedEnum E>
constexpr std::span<const std::string_view> names_of() {
  return enum_names<E>.names;
}

/// The name of a value. Throws Error for a number that is no value of the enumeration.
template <NamedEnum E>
std::string_view name_of(E value) {
  const auto i = static_cast<std::size_t>(value);
  if (i >= names_of<E>().size()) refuse_value(enum_names<E>.what, i, names_of<E>());
  return names_of<E>()[i];
}

/// The value of that name; none for an unknown one.
template <NamedEnum E>
std::optional<E> find_value(std::string_view name) {
  const auto names = names_of<E>();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<E>(found - names.begin());
}

/// The value of that name. Throws Error, naming the nearest, for an unknown one.
template <NamedEnum E>
E value_of_name(std::string_view name) {
  const std::optional<E> value = find_value<E>(name);
  if (!value) refuse_name(enum_names<E>.what, name, names_of<E>());
  return *value;
}

}  // namespace optinc
