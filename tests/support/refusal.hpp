#pragma once

#include <string>
#include <vector>

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"

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

/// Holds a message to PROBLEM (WHY). SUGGESTION, in one line, with every part in it.
inline void check_message(const std::string& message, const std::vector<std::string>& parts) {
  INFO(message);
  CHECK(message.find('\n') == std::string::npos);
  CHECK(message.find(" (") != std::string::npos);
  CHECK(message.find("). ") != std::string::npos);
  for (const auto& part : parts) {
    INFO("looked for: " << part);
    CHECK(message.find(part) != std::string::npos);
  }
}

}  // namespace optinc
