#pragma once

#include <cstddef>
#include <vector>

#include "experiments/files/readers/netlist.hpp"
#include "physics/core/field.hpp"

#include "python/bindings/arrays.hpp"

/// \file netlists.hpp Netlists and settings in, scattering matrices over wavelength in and out.

namespace optinc::bindings {

/// S (wavelengths, ports, ports) in C order, from the engine's (ports^2, wavelengths).
Array<Complex> array_of_scattering(const Matrix& s, std::size_t ports);

/// The way back. Throws Error unless the array is square in its ports.
Matrix scattering_of_array(nb::handle given);

/// Wavelengths (n,) [m].
std::vector<double> wavelengths_of(const ArrayLike& given);

/// Settings of a mapping, by path. Throws Error as settings_of does, and where it is no mapping.
CircuitSettings settings_of_python(nb::handle given);

void bind_netlists(nb::module_& m);

}  // namespace optinc::bindings
