"""Meshes in JAX: jitted, batched and differentiable, with the engine's exact gradients.

Fields through a mesh whose phases are trained, and its matrix as an element of a circuit in sax:

    loss = lambda theta: abs(propagate(x, mesh, theta=theta) - wanted).sum()
    jax.jit(jax.grad(loss))(theta)
    circuit, _ = sax.circuit(netlist, {"mesh": sax_model(mesh), "coupler": sax.models.coupler_ideal})

The engine computes on CPUs; JAX calls it back in the middle of its own computation (jax.pure_callback). For a mesh of 64
ports and 64 words that takes three times as long as the engine alone (bench/jax_rates.py). Only reverse mode is there:
jax.grad, jax.vjp, jax.jacrev.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import Mesh, MeshChip
from ._numbers import ERRORS, PHASES, bits_of, mesh_of

__all__ = ["matrix", "propagate", "sax_model"]


class _Host:
    """What the engine computes when it is called back, for meshes of one wiring. The mesh itself comes as an array, its
    bits_of() (none where all of it is given), and then the parameters that are given. jax.vmap puts axes before those of
    all arrays, of length 1 where they are alike for all."""

    def __init__(self, topology: str, names: tuple[str, ...], axes: int) -> None:
        self.topology, self.names, self.axes = topology, names, axes

    def _settled(self, bits: Sequence[np.ndarray], values: Sequence[np.ndarray], x: np.ndarray) -> Any:
        mesh: Any = mesh_of(bits[0].ravel() if bits else None, x.shape[-1], self.topology)
        for name, value in zip(self.names, values):
            setattr(mesh if name in PHASES else mesh.errors, name, value)
        return mesh.settled("double" if x.dtype == "c16" else "single")

    def forward(self, x: np.ndarray, bits: Sequence[np.ndarray], *values: np.ndarray) -> np.ndarray:
        """Fields behind the mesh."""
        x, bits, of_mesh = np.asarray(x), [np.asarray(b) for b in bits], [np.asarray(v) for v in values]
        own = x.ndim - self.axes
        of_values = np.broadcast_shapes(*(v.shape[:own] for v in of_mesh), (1,) * own)
        if all(n == 1 for n in of_values):
            return np.asarray(self._settled(bits, [v.reshape(-1) for v in of_mesh], x)(x))
        batch = np.broadcast_shapes(of_values, x.shape[:own])
        y = np.empty(batch + x.shape[own:], x.dtype)
        for at in np.ndindex(batch):
            y[at] = self._settled(bits, self._parts(of_mesh, at, own), x)(self._part(x, at, own))
        return y

    def backward(self, x: np.ndarray, y: np.ndarray, cotangent: np.ndarray, bits: Sequence[np.ndarray],
                 *values: np.ndarray) -> tuple[np.ndarray, ...]:
        """Cotangents of fields and parameters. JAX's is the conjugate of the engine's dL/dRe + i dL/dIm."""
        x, y, cotangent, *of_mesh = [np.asarray(a) for a in (x, y, cotangent, *values)]
        bits = [np.asarray(b) for b in bits]
        own = x.ndim - self.axes
        batch = np.broadcast_shapes(*(a.shape[:own] for a in (x, y, cotangent, *of_mesh)))
        found = [np.empty(batch + a.shape[own:], a.dtype) for a in (x, *of_mesh)]
        alike = all(v.shape[:own] == (1,) * own for v in of_mesh)
        settled = None
        for at in np.ndindex(batch):
            if settled is None or not alike:
                settled = self._settled(bits, self._parts(of_mesh, at, own), x)
            of_part = settled.backward(*(self._part(a, at, own) for a in (x, y, np.conj(cotangent))))
            found[0][at] = np.conj(of_part.x)
            for into, name in zip(found[1:], self.names):
                into[at] = getattr(of_part, name)
        return tuple(found)

    @staticmethod
    def _part(array: np.ndarray, at: tuple[int, ...], own: int) -> np.ndarray:
        return np.asarray(array[tuple(i if n > 1 else 0 for i, n in zip(at, array.shape[:own]))])

    def _parts(self, values: Sequence[np.ndarray], at: tuple[int, ...], own: int) -> list[np.ndarray]:
        return [self._part(v, at, own) for v in values]


@functools.lru_cache(maxsize=None)  # JAX keeps every function that it has met, and what it compiled for it
def _through(topology: str, names: tuple[str, ...], axes: int) -> Any:
    """The function of fields, bits of a mesh and parameters of these names that gives fields."""
    host = _Host(topology, names, axes)

    def compute(x: jax.Array, bits: tuple[jax.Array, ...], *values: jax.Array) -> Any:
        made = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(host.forward, made, x, bits, *values, vmap_method="expand_dims")

    through: Any = jax.custom_vjp(compute)

    def forward(x: jax.Array, bits: tuple[jax.Array, ...], *values: jax.Array) -> tuple[jax.Array, Any]:
        y = through(x, bits, *values)
        return y, (x, y, bits, values)

    def backward(kept: Any, cotangent: jax.Array) -> Any:
        x, y, bits, values = kept
        made = tuple(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in (x, *values))
        dx, *found = jax.pure_callback(host.backward, made, x, y, cotangent, bits, *values, vmap_method="expand_dims")
        return dx, None, *found

    through.defvjp(forward, backward)
    return through


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
    through = _through(mesh.topology, tuple(values), x.ndim)
    return jnp.asarray(through(fields, bits, *(v.astype(real) for v in values.values())))


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
