#pragma once

#include "onn/task/codes.hpp"

#include "python/bindings/arrays.hpp"

namespace optinc::bindings {

/// A task from what users write. Throws Error for bits that are no whole digits, unknown names and tasks that
/// are too large.
Task new_task(int servers, int bits, const std::string& rounding, const std::string& level,
              const std::string& reduction, const std::string& outputs = "answer",
              const std::string& adder = "light");

/// Codes (servers, words) as the engine has them. The layout is the same: words of one server lie together.
/// Throws Error for another number of servers and for codes out of range.
Codes codes_of(const Task& task, const ArrayLike& given);

}  // namespace optinc::bindings
