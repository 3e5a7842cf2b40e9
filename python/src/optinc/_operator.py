"""Light through layers as operators of PyTorch 2 (custom_op), which torch.compile keeps in its graph.

An operator takes the number of a layer, and finds what the layer is when light passes it. What the backward pass needs
of that goes along as a tensor, as every call has its own: a chip that was changed since, or a layer that is gone, does
not reach it.
"""

import itertools
import weakref
from typing import Any

import torch
from torch import Tensor, library

from ._numbers import PHASES, bits_of, count_of, mesh_of

_LAYERS: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()  # operators take numbers, not layers
_numbers = itertools.count()


def number_of(layer: torch.nn.Module) -> int:
    """A number by which the operators find a layer for as long as it lives."""
    number = next(_numbers)
    _LAYERS[number] = layer
    return number


def _layer(number: int) -> Any:
    try:
        return _LAYERS[number]
    except KeyError:
        raise RuntimeError("a compiled program of a layer that is gone, or of another process (light passes the layer "
                           "itself). Keep the layer, and compile it in this process.") from None


def _light(x: Tensor, phases: list[Tensor], layer: int, step: Tensor) -> tuple[Tensor, Tensor]:
    mesh = _layer(layer)._met(dict(zip(PHASES, phases)), int(step))
    return torch.from_numpy(mesh(x.numpy())), torch.from_numpy(bits_of(mesh))


def _derivatives(x: Tensor, y: Tensor, gradient: Tensor, phases: list[Tensor], mesh: Tensor, topology: str) -> list[Tensor]:
    fields = (t.resolve_conj().resolve_neg().numpy() for t in (x, y, gradient))
    met = mesh_of(mesh.numpy(), x.shape[-1], topology)
    found = met.settled("double" if x.dtype == torch.complex128 else "single").backward(*fields)
    of_phases = (found.theta, found.phi, found.output_phase)
    return [torch.from_numpy(found.x), *(torch.from_numpy(d.copy()).to(p.dtype) for d, p in zip(of_phases, phases))]


def _keep(ctx, inputs, output):  # type: ignore[no-untyped-def]
    x, phases, layer, _ = inputs
    ctx.topology = _layer(layer).topology
    ctx.save_for_backward(x, *output, *phases)


def _backward(ctx, gradient, _):  # type: ignore[no-untyped-def]
    x, y, mesh, *phases = ctx.saved_tensors
    dx, *found = light_backward(x, y, gradient, phases, mesh, ctx.topology)
    return dx, found, None, None


def _activate(z: Tensor, layer: int) -> tuple[Tensor, Tensor, Tensor]:
    device = _layer(layer).device
    fields = z.numpy()
    y, dz, dz_conj = (torch.from_numpy(a).to(z.dtype) for a in (device(fields), *device.derivatives(fields)))
    return y, dz, dz_conj


def _slope(gradient: Tensor, dz: Tensor, dz_conj: Tensor) -> Tensor:
    return dz.conj() * gradient + dz_conj * gradient.conj()


light = library.custom_op("optinc::light", _light, mutates_args=())
"""light(x, phases, layer, step): fields x (.., ports) through the layer of this number with these phases (theta, phi,
output_phase), on the chip of this step (MeshLayer._met); and the mesh that they passed (bits_of)."""
light_backward = library.custom_op("optinc::light_backward", _derivatives, mutates_args=())
"""Derivatives with respect to x and to each of the phases."""
light.register_fake(lambda x, phases, layer, step: (
    x.new_empty(x.shape), x.new_empty(count_of(x.shape[-1], len(phases[0])), dtype=torch.int32)))
light_backward.register_fake(lambda x, y, gradient, phases, mesh, topology: [t.new_empty(t.shape) for t in (x, *phases)])
light.register_autograd(_backward, setup_context=_keep)

activate = library.custom_op("optinc::activate", _activate, mutates_args=())
"""activate(z, layer): fields behind the device of the Activation of this number, and their derivatives by z and z*."""
activate_backward = library.custom_op("optinc::activate_backward", _slope, mutates_args=())
"""The derivative with respect to z."""
activate.register_fake(lambda z, layer: (torch.empty_like(z), torch.empty_like(z), torch.empty_like(z)))
activate_backward.register_fake(lambda gradient, dz, dz_conj: torch.empty_like(dz))
activate.register_autograd(lambda ctx, gradient, *_: (activate_backward(gradient, *ctx.saved_tensors), None),
                           setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*output[1:]))
