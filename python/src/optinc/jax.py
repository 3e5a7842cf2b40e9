"""Meshes in JAX: jitted, batched and differentiable, with the engine's exact gradients.

Fields through a mesh whose phases are trained, and its matrix as an element of a circuit in sax:

    loss = lambda theta: abs(propagate(x, mesh, theta=theta) - wanted).sum()
    jax.jit(jax.grad(loss))(theta)
    circuit, _ = sax.circuit(netlist, {"mesh": sax_model(mesh), "coupler": sax.models.coupler_ideal})

The engine computes on CPUs. What JAX compiles calls it by XLA's foreign functions: no Python runs, and arguments and results
are XLA's own memory (bench/jax_rates.py times it). Reverse mode (jax.grad, jax.vjp, jax.jacrev) is SettledMesh.backward();
forward mode (jax.jvp, jax.jacfwd) carries tangents from MZI to MZI (Mesh.forward_derivative), in double precision. Derivatives
have no derivatives. Raises ImportError where the package was compiled without XLA's headers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import Mesh, MeshChip, _core
from ._numbers import ERRORS, PHASES, bits_of

__all__ = ["matrix", "propagate", "sax_model"]

_calls = getattr(_core, "xla_calls", None)
if _calls is None:
    raise ImportError("optinc was compiled without XLA's headers, which optinc.jax needs. Take a wheel that was released, or compile "
                      "it with them: OPTINC_JAX=1 pip install './python[jax]'")
for _name, _call in _calls().items():
    jax.ffi.register_ffi_target(f"optinc_{_name}", _call, platform="cpu")

# What the engine computes (python/bindings/jax.cpp), of meshes of one wiring: "forward" x -> y; "push" x, y, dx -> dy; "pull" x, y,
# cotangent of y -> those of x and of the parameters. Behind these arrays follow bits_of() the mesh (none where all of it is given),
# the parameters given, and for "push" their changes. jax.vmap puts axes before those of all arrays, of length 1 where they are
# alike for all.


def _batch(own: int, *arrays: Any) -> tuple[int, ...]:
    return np.broadcast_shapes(*(a.shape[:own] for a in arrays))


def _made(what: str, axes: int, names: tuple[str, ...], arrays: Sequence[Any]) -> Any:
    """Shapes of what "forward", "push" or "pull" give."""
    x = arrays[0]
    own = x.ndim - axes
    batch = _batch(own, *arrays)
    fields = jax.ShapeDtypeStruct(batch + x.shape[own:], x.dtype)
    if what != "pull":
        return fields
    return (fields, *(jax.ShapeDtypeStruct(batch + a.shape[own:], a.dtype) for a in arrays[len(arrays) - len(names):]))


def _primitive(what: str) -> Primitive:
    """One of the engine's computations for JAX, under jit and without, and for batches."""
    made = Primitive(f"optinc_{what}")
    made.multiple_results = what == "pull"

    def call(*arrays: jax.Array, topology: str, names: tuple[str, ...], axes: int) -> Any:
        given = np.array([(PHASES + ERRORS).index(name) for name in names], np.int64)
        return jax.ffi.ffi_call(f"optinc_{what}", _made(what, axes, names, arrays))(*arrays, topology=topology, given=given,
                                                                                    axes=np.int64(axes))

    @functools.lru_cache(maxsize=None)  # JAX keeps every function that it has met, and what it compiled for it
    def compiled(which: tuple[tuple[str, Any], ...]) -> Any:
        return jax.jit(functools.partial(call, **dict(which)))

    def abstract(*arrays: Any, **which: Any) -> Any:
        shapes = _made(what, which["axes"], which["names"], arrays)
        as_arrays = [jax.core.ShapedArray(a.shape, a.dtype) for a in (shapes if made.multiple_results else [shapes])]
        return as_arrays if made.multiple_results else as_arrays[0]

    def batched(arrays: Sequence[Any], places: Sequence[Any], **which: Any) -> Any:
        in_front = [jnp.expand_dims(a, 0) if place is batching.not_mapped else jnp.moveaxis(a, place, 0)
                    for a, place in zip(arrays, places)]
        found = made.bind(*in_front, **which)
        return found, [0] * len(found) if made.multiple_results else 0

    made.def_impl(lambda *arrays, **which: compiled(tuple(sorted(which.items())))(*arrays))
    made.def_abstract_eval(abstract)
    mlir.register_lowering(made, mlir.lower_fun(call, multiple_results=made.multiple_results))
    batching.primitive_batchers[made] = batched
    return made


_forward, _push, _pull = (_primitive(what) for what in ("forward", "push", "pull"))


def _tangents(arrays: Sequence[Any], changes: Sequence[Any], **which: Any) -> Any:
    """y, and dy, which is linear in the changes of fields and parameters."""
    y = _forward.bind(*arrays, **which)
    first = len(arrays) - len(which["names"])
    dx, *of_values = [ad.instantiate_zeros(changes[i]) for i in (0, *range(first, len(arrays)))]
    return y, _push.bind(arrays[0], y, dx, *arrays[1:], *of_values, **which)


def _transposed(cotangent: Any, x: Any, y: Any, dx: Any, *more: Any, **which: Any) -> Any:
    mesh, changes = more[:len(more) - len(which["names"])], more[len(more) - len(which["names"]):]
    of_x, *of_values = _pull.bind(x, y, ad.instantiate_zeros(cotangent), *mesh, **which)
    # Of what is alike along an axis of a batch, the cotangents are summed
    wanted = [c.sum(tuple(i for i, n in enumerate(given.aval.shape) if n != c.shape[i]), keepdims=True) if ad.is_undefined_primal(given)
              else None for c, given in zip((of_x, *of_values), (dx, *changes))]
    return [None, None, wanted[0], *(None for _ in mesh), *wanted[1:]]


ad.primitive_jvps[_forward] = _tangents
ad.primitive_transposes[_push] = _transposed


def propagate(x: Any, mesh: Mesh | MeshChip, **parameters: Any) -> jax.Array:
    """Fields x (.., ports) through a mesh, differentiable with respect to x and to `parameters`.

    Parameters are named as the arrays of a mesh and of its errors are: theta, phi, output_phase; alpha, beta,
    theta_arm_loss_db, phi_arm_loss_db, theta_other_loss_db and phi_other_loss_db need a MeshChip. What is not given is as
    the mesh has it; under jax.jit, as it had it when the function was traced. complex128, float64 and int64 (jax_enable_x64) are computed in double precision, others in single.

    Raises TypeError for an unknown parameter, ValueError for another shape; inside jax.jit, other bad values come as JAX's
    error with the engine's sentence.
    """
    for name in parameters:
        if name not in PHASES + ERRORS:
            raise TypeError(f"no parameter {name} of a mesh (one of {', '.join(PHASES + ERRORS)}). Choose one.")
        if name in ERRORS and not isinstance(mesh, MeshChip):
            raise TypeError(f"{name} of a perfect mesh (fabricated ones have errors). Give mesh.fabricate(\"ideal\").")
    x = jnp.asarray(x)
    if x.ndim == 0 or x.shape[-1] != len(mesh.output_phase):
        raise ValueError(f"x has shape {x.shape} (needs (.., {len(mesh.output_phase)})). Give the mesh's ports last.")
    wide = x.dtype in (jnp.complex128, jnp.float64, jnp.int64)
    values = {name: jnp.asarray(value) for name, value in parameters.items()}
    for name, value in values.items():
        has = getattr(mesh.errors if name in ERRORS and isinstance(mesh, MeshChip) else mesh, name).shape
        if value.shape != has:
            raise ValueError(f"{name} has shape {value.shape} (needs {has}). Give one number for each.")
    real = jnp.float64 if wide else jnp.float32
    fields = x.astype(jnp.complex128 if wide else jnp.complex64)
    all_given = not isinstance(mesh, MeshChip) and values.keys() == set(PHASES)
    bits = () if all_given else (jnp.asarray(bits_of(mesh)),)
    return jnp.asarray(_forward.bind(fields, *bits, *(v.astype(real) for v in values.values()), topology=mesh.topology,
                                     names=tuple(values), axes=x.ndim))


def matrix(mesh: Mesh | MeshChip, **parameters: Any) -> jax.Array:
    """Transfer matrix (ports, ports) of a mesh, outputs in rows; parameters and errors as in propagate().

    In double precision where JAX has it (jax_enable_x64), otherwise in single."""
    ports = len(mesh.output_phase)
    return propagate(jnp.eye(ports, dtype=jnp.zeros(0, complex).dtype), mesh, **parameters).T


def sax_model(mesh: Mesh | MeshChip) -> Callable[..., Any]:
    """A mesh as a model of sax: ports in0, in1, .. and out0, out1, .., settings theta, phi and output_phase.

    The model is reciprocal and without reflections, as the mesh is, and the same at every wavelength: settings given as
    None are those of the mesh. Raises what propagate() raises."""
    ports = len(mesh.output_phase)
    kept = mesh.copy()

    def model(theta: Any = None, phi: Any = None, output_phase: Any = None) -> dict[tuple[str, str], Any]:
        given = {"theta": theta, "phi": phi, "output_phase": output_phase}
        t = matrix(kept, **{name: value for name, value in given.items() if value is not None})
        forth = {(f"in{i}", f"out{o}"): t[o, i] for i in range(ports) for o in range(ports)}
        return forth | {(o, i): value for (i, o), value in forth.items()}

    return model
