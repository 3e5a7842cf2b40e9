#pragma once

#include <string>
#include <variant>

#include <nanobind/nanobind.h>

#include "physics/core/check.hpp"
#include "physics/mesh/program.hpp"
#include "physics/variation/error_model.hpp"

/// \file bindings.hpp What each source of this folder adds to the module, in the order of module.cpp.

namespace optinc::bindings {

void bind_errors(nanobind::module_& m);
void bind_settled_mesh(nanobind::module_& m);
void bind_layout(nanobind::module_& m);
void bind_laboratory(nanobind::module_& m);
void bind_mesh(nanobind::module_& m);
void bind_symmetric_mesh(nanobind::module_& m);
void bind_twin(nanobind::module_& m);
void bind_hardware(nanobind::module_& m);
void bind_sensitivity(nanobind::module_& m);
void bind_network(nanobind::module_& m);
void bind_training(nanobind::module_& m);
void bind_circuit(nanobind::module_& m);
void bind_activation(nanobind::module_& m);
void bind_programmed_chip(nanobind::module_& m);
void bind_unit(nanobind::module_& m);
void bind_jax(nanobind::module_& m);  // where OPTINC_JAX is defined

/// Makes it the error that Python raises: ValueError, or what a model in Python raised, with that as its cause.
void raise_error(const Error& error);

/// An error model, or the name of a preset.
using ModelOrPreset = std::variant<ErrorModel, std::string>;
ErrorModel model_of(const ModelOrPreset& given);

/// The signature of what takes fields to fields.
inline constexpr const char* fields_signature =
    "def __call__(self, x: numpy.typing.ArrayLike, out: numpy.typing.NDArray[numpy.complexfloating] | None = "
    "None) -> "
    "numpy.typing.NDArray[numpy.complex64] | numpy.typing.NDArray[numpy.complex128]";

/// Throws Error where an arm's loss is negative, naming the MZI: what users write may be, what is drawn is not.
void validate_losses(const MeshErrors& errors);

}  // namespace optinc::bindings
