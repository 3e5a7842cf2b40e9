#pragma once

#include <cstddef>
#include <span>

#include "physics/random/stream.hpp"

namespace optinc {

/// The chance that one of `count` standard normals at least exceeds `reach` in magnitude,
///   1 - (1 - erfc(reach / sqrt 2))^count.
double chance_beyond(double reach, std::size_t count);

/// Standard normals given that one of them at least exceeds `reach` in magnitude: what is left to draw where
/// chance_beyond() has decided that one does. The first that exceeds it is drawn by its chance, those before it
/// lie within, those behind it anywhere. Tails by G. Marsaglia 1964, Technometrics 6, 101.
void normals_beyond(double reach, Stream& stream, std::span<double> out);

}  // namespace optinc
