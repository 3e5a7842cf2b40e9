"""Light through layers as operators of PyTorch 2 (custom_op), which torch.compile keeps in its graph."""

import itertools
import weakref
from typing import Any

import torch
from torch import Tensor, library

_LAYERS: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()  # operators take numbers, not layers
_numbers = itertools.count()


def number_of(layer: torch.nn.Module) -> int:
    """A number by which the operators find a layer for as long as it lives."""
    number = next(_numbers)
    _LAYERS[number] = layer
    return number


def _light(x: Tensor, phases: list[Tensor], layer: int, step: Tensor) -> Tensor:
    return torch.from_numpy(_LAYERS[layer]._settled(x, phases, int(step))(x.numpy()))


def _derivatives(x: Tensor, y: Tensor, gradient: Tensor, phases: list[Tensor], layer: int, step: Tensor) -> list[Tensor]:
    fields = (t.resolve_conj().resolve_neg().numpy() for t in (x, y, gradient))
    found = _LAYERS[layer]._settled(x, phases, int(step)).backward(*fields)
    of_phases = (found.theta, found.phi, found.output_phase)
    return [torch.from_numpy(found.x), *(torch.from_numpy(d.copy()).to(p.dtype) for d, p in zip(of_phases, phases))]


def _keep(ctx, inputs, output):  # type: ignore[no-untyped-def]
    x, phases, ctx.layer, step = inputs
    ctx.save_for_backward(x, output, step, *phases)


def _backward(ctx, gradient):  # type: ignore[no-untyped-def]
    x, y, step, *phases = ctx.saved_tensors
    dx, *found = light_backward(x, y, gradient, phases, ctx.layer, step)
    return dx, found, None, None


def _activate(z: Tensor, layer: int) -> Tensor:
    return torch.from_numpy(_LAYERS[layer].device(z.numpy())).to(z.dtype)


def _slope(z: Tensor, gradient: Tensor, layer: int) -> Tensor:
    dz, dz_conj = (torch.from_numpy(d).to(z.dtype) for d in _LAYERS[layer].device.derivatives(z.numpy()))
    return dz.conj() * gradient + dz_conj * gradient.conj()


def _keep_input(ctx, inputs, output):  # type: ignore[no-untyped-def]
    z, ctx.layer = inputs
    ctx.save_for_backward(z)


light = library.custom_op("optinc::light", _light, mutates_args=())
"""light(x, phases, layer, step): fields x (.., ports) through the layer of this number with these phases (theta, phi,
output_phase), on the chip of this step (MeshLayer._met)."""
light_backward = library.custom_op("optinc::light_backward", _derivatives, mutates_args=())
"""Derivatives with respect to x and to each of the phases."""
light.register_fake(lambda x, phases, layer, step: x.new_empty(x.shape))
light_backward.register_fake(lambda x, y, gradient, phases, layer, step: [t.new_empty(t.shape) for t in (x, *phases)])
light.register_autograd(_backward, setup_context=_keep)

activate = library.custom_op("optinc::activate", _activate, mutates_args=())
"""activate(z, layer): fields behind the device of the Activation of this number."""
activate_backward = library.custom_op("optinc::activate_backward", _slope, mutates_args=())
"""The derivative with respect to z."""
activate.register_fake(lambda z, layer: torch.empty_like(z))
activate_backward.register_fake(lambda z, gradient, layer: torch.empty_like(z))
activate.register_autograd(lambda ctx, gradient: (activate_backward(*ctx.saved_tensors, gradient, ctx.layer), None),
                           setup_context=_keep_input)
