"""Meshes as layers of PyTorch: fields in, fields out, with exact gradients."""

from collections.abc import Mapping
from copy import copy

import numpy as np
import torch
from torch import Tensor, library, nn
from torch.autograd.function import once_differentiable

from . import (
    ElectroOptic,
    ErrorModel,
    LeakyRelu,
    Mesh,
    MeshChip,
    RingActivation,
    SaturableAbsorber,
    Softplus,
    Wafer,
    haar_unitary,
)
from ._numbers import ERRORS, PHASES

if hasattr(library, "custom_op"):  # PyTorch 2.4
    from . import _operator

_READ_AS_LIGHT_PASSES = ("chip", "seed", "mesh_number", "model", "measured", "wafer", "device")
_WIDE = (torch.float64, torch.complex128, torch.int64)  # computed in double precision
# Chips of training are numbered from here on, so that it never meets the chips 0, 1, .. that a layer is tested on
_FIRST_TRAINING_CHIP = 1 << 31
_NO_STEP = torch.tensor(-1)  # of training: the chip of the layer


def _array(tensor: Tensor, name: str) -> np.ndarray:
    if tensor.device.type != "cpu":
        raise ValueError(f"{name} is on {tensor.device} (the engine computes on CPUs). Move layers and data there.")
    if tensor.dtype in (torch.float16, torch.bfloat16):
        tensor = tensor.float()
    if torch.jit.is_tracing():
        raise RuntimeError(f"{name} is being traced (a trace would keep the fields of now). Save the weights: state_dict().")
    try:
        return np.asarray(tensor.detach().resolve_conj().resolve_neg().numpy())
    except RuntimeError as error:
        raise RuntimeError(f"{name} is a tensor without values of its own (torch.func, vmap and vectorised Jacobians make such; "
                           "the engine needs values). Use torch.autograd without vectorize, or optinc.jax.") from error


def _copy(tensor: Tensor, name: str) -> np.ndarray:
    """Of parameters: a storage whose array is out can no longer be resized, which FSDP2 does."""
    return _array(tensor.detach().clone(), name)


class _Propagate(torch.autograd.Function):
    """Fields x that became y in a settled mesh. Of `parameters`, only the derivatives pass here."""

    @staticmethod
    def forward(ctx, settled, names, y, x, *parameters):  # type: ignore[no-untyped-def]
        y = torch.from_numpy(y)
        ctx.settled, ctx.names = settled, names
        ctx.save_for_backward(x, y, *parameters)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        x, y, *parameters = ctx.saved_tensors
        found = ctx.settled.backward(_array(x, "x"), _array(y, "y"), _array(gradient, "gradient"))
        wanted = [
            torch.from_numpy(np.array(getattr(found, name))).to(parameter.dtype)
            for name, parameter in zip(ctx.names, parameters)
        ]
        return None, None, None, torch.from_numpy(found.x), *wanted


def propagate(x: Tensor, mesh: Mesh | MeshChip, **parameters: Tensor) -> Tensor:
    """Fields x (.., ports) through a mesh, differentiable with respect to x and to `parameters`.

    Parameters are named as the arrays of a mesh and of its errors are: theta, phi, output_phase; alpha, beta,
    theta_arm_loss_db, phi_arm_loss_db, theta_other_loss_db and phi_other_loss_db need a MeshChip. Their values are
    written into a copy of the mesh before the light passes; what is not given stays as it is. float64, complex128 and
    int64 are computed in double precision, others in single. A gradient of a field is dL/dRe + i dL/dIm, as in all of
    PyTorch.

    Raises TypeError for an unknown parameter, ValueError for another shape, a parameter that is NaN or infinite, a loss
    below 0 and tensors that are not on a CPU.
    """
    for name in parameters:
        if name not in PHASES + ERRORS:
            raise TypeError(f"no parameter {name} of a mesh (one of {', '.join(PHASES + ERRORS)}). Choose one.")
    mesh = mesh.copy()
    for name, value in parameters.items():
        if name in PHASES:
            setattr(mesh, name, _copy(value, name))
        elif isinstance(mesh, MeshChip):
            setattr(mesh.errors, name, _copy(value, name))
        else:
            raise TypeError(f"{name} of a perfect mesh (fabricated ones have errors). Give mesh.fabricate(\"ideal\").")
    return _light(x, mesh, parameters)


def _light(x: Tensor, mesh: Mesh | MeshChip, parameters: Mapping[str, Tensor]) -> Tensor:
    wide = x.dtype in _WIDE
    x = x.to(torch.complex128 if wide else torch.complex64)
    if not torch.is_grad_enabled():
        return torch.from_numpy(mesh(_array(x, "x")))
    settled = mesh.settled("double" if wide else "single")
    result: Tensor = _Propagate.apply(settled, tuple(parameters), settled(_array(x, "x")), x, *parameters.values())
    return result


class _Activate(torch.autograd.Function):
    """Fields z that became y in a device, whose function need not be analytic."""

    @staticmethod
    def forward(ctx, device, y, z):  # type: ignore[no-untyped-def]
        ctx.device = copy(device)
        ctx.save_for_backward(z)
        return torch.from_numpy(y).to(z.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        z, = ctx.saved_tensors
        dz, dz_conj = (torch.from_numpy(d).to(z.dtype) for d in ctx.device.derivatives(_array(z, "z")))
        return None, None, dz.conj() * gradient + dz_conj * gradient.conj()


class _Operated(nn.Module):
    """A layer that the operators of PyTorch 2 find by its number, each copy by its own; there are none in PyTorch 1."""

    def __init__(self) -> None:
        super().__init__()
        self._enter()

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__(state)
        self._enter()

    def __setattr__(self, name: str, value: object) -> None:
        if name in _READ_AS_LIGHT_PASSES and self.__dict__.get("_number", -1) >= 0 and torch.compiler.is_compiling():
            raise RuntimeError(f"{name} set in a compiled function (which sets it when all is computed). Set it outside.")
        super().__setattr__(name, value)

    def _enter(self) -> None:
        self._number = _operator.number_of(self) if hasattr(library, "custom_op") else -1

    def _compiling(self) -> bool:
        if self._number < 0 or not torch.compiler.is_compiling():
            return False
        if getattr(torch.compiler, "is_exporting", bool)():  # PyTorch 2.7
            raise RuntimeError(f"torch.export of a {type(self).__name__} (its chip stays in this process). Save it with "
                               "torch.save(), or its weights with state_dict().")
        return True


class Activation(_Operated):
    """An optical activation behind a mesh: fields (..) [sqrt(W)] -> (..), complex, with exact gradients.

    `device` is an ElectroOptic, SaturableAbsorber, RingActivation, LeakyRelu or Softplus of optinc; its parameters are
    not trained.
    """

    def __init__(self, device: ElectroOptic | SaturableAbsorber | RingActivation | LeakyRelu | Softplus) -> None:
        super().__init__()
        self.device = device

    def forward(self, z: Tensor) -> Tensor:
        """Fields behind the device: complex64, or complex128 of numbers in double precision."""
        z = z.to(torch.complex128 if z.dtype in _WIDE else torch.complex64)
        found: Tensor = (_operator.activate(z, self._number)[0] if self._compiling() else
                         _Activate.apply(self.device, self.device(_array(z, "z")), z))
        return found


class MeshLayer(_Operated):
    """A mesh of MZIs as a layer: fields (.., ports) -> (.., ports), weights are the phases.

    `theta`, `phi` [rad, (MZIs,)] and `output_phase` [rad, (ports,)] are its parameters; it begins with the phases of a
    Haar-random unitary, or of `unitary`. Without `model` the mesh is perfect. With one, an ErrorModel or the name of a
    preset, the phases stand on a fabricated chip: splitter errors, phase offsets, losses, and the DAC that sets phases.
    Gradients are exact for the chip that the light passed; they go through the DAC's rounding as if it were not there.
    `measured` takes a MeshChip in place of a model: your own chip, with the phases that it has. With a `wafer`, chips are its
    dies, wafer after wafer: neighbouring devices share what its process does.

    With `fresh_chip_every_step`, every call in training mode meets a new chip, so that phases are found that work on
    chips in general. Otherwise, and in evaluation mode, it is chip number `chip` of the seed, 0 to 2^31 - 1; chips of
    training are numbered beyond. Layers of one seed with one `mesh_number` have the same errors: give each its own. A
    call that is repeated for the backward pass (torch.utils.checkpoint) would meet another chip: do not combine them.

    real=True: real signals on the fields' in-phase part, and homodyne receivers: real (.., ports) -> (.., ports).

    Raises ValueError for arguments that do not go together, and for a unitary that is not one; RuntimeError where a
    function under torch.compile sets chip, seed, mesh_number, model, measured or wafer, for torch.export, traces, and tensors
    of torch.func or vmap.
    """

    def __init__(
        self,
        ports: int,
        model: ErrorModel | str | None = None,
        *,
        topology: str = "clements",
        unitary: np.ndarray | None = None,
        measured: MeshChip | None = None,
        wafer: Wafer | None = None,
        fresh_chip_every_step: bool = False,
        real: bool = False,
        seed: int = 1,
        chip: int = 0,
        mesh_number: int = 0,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        if measured is not None and (model is not None or unitary is not None):
            raise ValueError("a measured chip and a model or a unitary (it has errors and phases). Give one.")
        if fresh_chip_every_step and model is None:
            raise ValueError('fresh chips without a model (errors are drawn from it). Give one: "good-lab".')
        if wafer is not None and model is None:
            raise ValueError('a wafer without a model (errors of its dies are drawn from both). Give one: "good-lab".')
        if measured is not None:
            start: Mesh | MeshChip = measured
        else:
            target = haar_unitary(ports, seed=seed, trial=mesh_number) if unitary is None else unitary
            start = Mesh.from_unitary(target, topology)
        if start.ports != ports:
            raise ValueError(f"a mesh of {start.ports} ports for a layer of {ports} (as many). Set ports = {start.ports}.")
        self.ports, self.topology = ports, start.topology
        self.model, self.measured, self.wafer = model, measured, wafer
        self.fresh_chip_every_step = fresh_chip_every_step
        self.real = real
        self.seed, self.chip, self.mesh_number = seed, chip, mesh_number
        for name in PHASES:
            value = torch.from_numpy(np.array(getattr(start, name))).to(dtype)
            self.register_parameter(name, nn.Parameter(value))
        self.steps: Tensor  # chips met in training; kept with the weights, so that training goes on with new ones
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self._drawn: tuple[object, MeshChip] | None = None
        self.on_chip()  # refuses what cannot be fabricated

    def _phases(self) -> dict[str, Tensor]:
        return {name: getattr(self, name) for name in PHASES}

    def mesh(self) -> Mesh:
        """The perfect mesh with the phases that the layer has now."""
        return self._perfect(self._phases())

    def on_chip(self) -> Mesh | MeshChip:
        """What light passes where no fresh chip is due, with the phases of now."""
        return self._met(self._phases(), -1)

    def _perfect(self, phases: Mapping[str, Tensor]) -> Mesh:
        mesh = Mesh(self.ports, self.topology)
        for name, value in phases.items():
            setattr(mesh, name, _copy(value, name))
        return mesh

    def _met(self, phases: Mapping[str, Tensor], step: int) -> Mesh | MeshChip:
        """What light passes: the fresh chip of a step of training, or for step -1 the chip of the layer."""
        if not 0 <= self.chip < _FIRST_TRAINING_CHIP:
            raise ValueError(f"chip {self.chip} (0..{_FIRST_TRAINING_CHIP - 1}: others are those of training). Set chip = 0.")
        mesh = self._perfect(phases)
        if self.measured is not None:
            return mesh.on(self.measured)
        if self.model is None:
            return mesh
        if step >= 0:
            number = _FIRST_TRAINING_CHIP + step % _FIRST_TRAINING_CHIP
            return mesh.fabricate(self.model, self.seed, number, self.mesh_number, self.wafer)
        which = (repr(self.model), self.seed, self.chip, self.mesh_number, self.wafer)
        if self._drawn is None or self._drawn[0] != which:
            self._drawn = which, mesh.fabricate(self.model, self.seed, self.chip, self.mesh_number, self.wafer)
        return mesh.on(self._drawn[1])

    def forward(self, x: Tensor) -> Tensor:
        """Fields (.., ports) behind the mesh. Raises ValueError for another last axis, and for phases that are not finite."""
        step = _NO_STEP
        if self.training and self.fresh_chip_every_step:
            step = self.steps.clone()
            self.steps += 1
        phases = self._phases()
        if self._compiling():
            fields = x.to(torch.complex128 if x.dtype in _WIDE else torch.complex64)
            y, _ = _operator.light(fields, list(phases.values()), self._number, step)
        else:
            y = _light(x, self._met(phases, int(step)), phases)
        if not self.real:
            return y
        return y.real.to(x.dtype if x.is_floating_point() else y.real.dtype, copy=True)

    def get_extra_state(self) -> dict[str, str]:
        """Kept with the weights: phases of one wiring mean nothing in another."""
        return {"topology": self.topology}

    def set_extra_state(self, state: dict[str, str]) -> None:
        """Raises ValueError for weights of another wiring."""
        if state["topology"] != self.topology:
            raise ValueError(f"phases of a {state['topology']} mesh for a {self.topology} one (one wiring). Change one.")

    def extra_repr(self) -> str:
        """What PyTorch prints of it."""
        errors = "measured" if self.measured is not None else self.model
        return f"ports={self.ports}, MZIs={len(self.theta)}, model={errors}, real={self.real}"
