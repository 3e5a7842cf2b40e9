#pragma once

#include <span>

#include "onn/network/network.hpp"

namespace optinc {

/// What make_network() makes without any number in it (unitary, sigma and bias are empty): enough for
/// mzi_count() and whatever else asks for widths and wiring alone, and no memory to speak of. Throws Error for
/// more than 1000 layers or 2^27 weights, and where make_network() does, which begins with it.
Network network_outline(const Task& task, std::span<const int> hidden);

}  // namespace optinc
