#pragma once

#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "physics/core/check.hpp"
#include "physics/core/enum_names.hpp"

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

/// An enumeration that is set by its name.
template <class S, class E>
void named(nanobind::class_<S>& c, const char* name, E S::*member, const char* meaning) {
  c.def_prop_rw(
      name, [member](const S& s) { return std::string(name_of(s.*member)); },
      [member](S& s, const std::string& value) { s.*member = value_of_name<E>(value); }, meaning);
}

}  // namespace optinc::bindings
