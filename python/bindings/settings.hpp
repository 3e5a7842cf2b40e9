#pragma once

#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "physics/core/enum_names.hpp"

namespace optinc::bindings {

/// An enumeration that is set by its name.
template <class S, class E>
void named(nanobind::class_<S>& c, const char* name, E S::*member, const char* meaning) {
  c.def_prop_rw(
      name, [member](const S& s) { return std::string(name_of(s.*member)); },
      [member](S& s, const std::string& value) { s.*member = value_of_name<E>(value); }, meaning);
}

}  // namespace optinc::bindings
