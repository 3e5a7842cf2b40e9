#pragma once

#include <string>

#include "physics/core/check.hpp"

namespace optinc {

/// The message of the Error that `f` throws; empty where it throws none.
template <class Function>
std::string refusal(Function&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace optinc
