#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "physics/core/check.hpp"
#include "physics/core/enum_names.hpp"
#include "physics/core/rows.hpp"

namespace optinc::bindings {

/// A class of settings, values that Python can set. Copies and pickles hold all of them, by name, so that a
/// pickle outlives another order and new values; what Python cannot set is as in `like`.
template <class S>
nanobind::class_<S> settings(nanobind::module_& m, const char* name, const char* meaning, const S& like = S()) {
  return nanobind::class_<S>(m, name, meaning)
      .def(
          "__getstate__",
          [](nanobind::handle_t<S> self) {
            nanobind::dict state;
            for (const nanobind::handle key : self.type().attr("__dict__"))
              if (!nanobind::getattr(nanobind::getattr(self.type(), key), "fset", nanobind::none()).is_none())
                state[key] = nanobind::getattr(self, key);
            return state;
          },
          nanobind::sig("def __getstate__(self) -> dict[str, object]"))
      .def(
          "__setstate__",
          [like](S& self, const nanobind::dict& state) {
            const nanobind::object made = nanobind::cast(like);
            for (const auto [key, value] : state) {
              validate(nanobind::hasattr(made, key),
                       "a pickle with {} (unknown here). Use one of this version.",
                       nanobind::cast<std::string>(key));
              nanobind::setattr(made, key, value);
            }
            new (&self) S(nanobind::cast<const S&>(made));
          },
          nanobind::sig("def __setstate__(self, state: dict[str, object]) -> None"));
}

/// A property for each row of some settings: it takes what the row allows, and says what the row means.
/// `called`: the names of keys that have another in Python; without one, a key is left out.
template <class S>
void properties(nanobind::class_<S>& c,
                std::initializer_list<std::pair<std::string_view, const char*>> called = {}) {
  S like;
  visit_rows(like, [&](const Row& row, const auto& member) {
    using T = std::remove_cvref_t<decltype(member)>;
    std::string key(row.key), name = key, doc(row.meaning);
    for (const auto& [of, other] : called)
      if (of == key) name = other;
    if (name.empty()) return;
    if (row.unit != "1") doc += fmt::format(" [{}]", row.unit);
    for (const std::string_view one : row.names)
      doc += fmt::format("{}\"{}\"", one == row.names.front() ? ": " : ", ", one);
    doc += '.';
    const auto with = [key](auto& s, auto use) {
      visit_rows(s, [&](const Row& its, auto& value) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, T>)
          if (its.key == key) use(its, value);
      });
    };
    c.def_prop_rw(
        name.c_str(),
        [with](const S& s) {
          T found{};
          with(s, [&](const Row&, const T& value) { found = value; });
          return found;
        },
        [with, name](S& s, const T& given) {
          with(s, [&](const Row& its, T& value) {
            check_row(name, its, to_field_value(given));
            value = given;
          });
        },
        doc.c_str());
  });
}

/// An enumeration that is set by its name.
template <class S, class E>
void named(nanobind::class_<S>& c, const char* name, E S::*member, const char* meaning) {
  c.def_prop_rw(
      name, [member](const S& s) { return std::string(name_of(s.*member)); },
      [member](S& s, const std::string& value) { s.*member = value_of_name<E>(value); }, meaning);
}

}  // namespace optinc::bindings
