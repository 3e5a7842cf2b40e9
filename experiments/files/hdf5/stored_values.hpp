#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "experiments/files/hdf5/hdf5.hpp"
#include "physics/core/rows.hpp"

// What readers of files ask before they believe a number or make room for it.

namespace optinc {

/// An integer attribute of a group that counts something. Throws Error beyond 1..largest.
std::int64_t stored_count(const Group& group, std::string_view name, std::int64_t largest);

/// Length of a one-dimensional dataset, looked up before any of it is read. Throws Error beyond 1..largest.
std::size_t stored_length(const Group& group, std::string_view name, std::int64_t largest);

/// A float64 dataset of that shape. Throws Error, naming the element, unless every value is finite.
std::vector<double> finite_values(const Group& group, std::string_view name,
                                  std::initializer_list<std::size_t> shape);

/// Writes the value of a field as an attribute: names as one text, separated by commas; true and false as 1 and
/// 0.
void set_field(const Attributes& attributes, const Row& info, const FieldValue& value);

}  // namespace optinc
