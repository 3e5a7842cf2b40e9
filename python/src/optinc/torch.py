"""Meshes as PyTorch layers, and units as the all-reduce of data-parallel training.

A layer whose weights are the phases of a mesh, trained so that it works on chips it has not seen:

    layer = MeshLayer(64, "good-lab", fresh_chip_every_step=True)
    fields = layer(x)  # complex (.., 64)

The linear layers of any model, each through meshes; and gradients averaged in light (DistributedDataParallel):

    from_linear(model, "good-lab")
    ddp.register_comm_hook(Averager(chip, seed=1), Averager.hook)

The engine computes on CPUs, with exact gradients. Tried with PyTorch 1.13; nothing here needs a later one.
"""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from . import ErrorModel, Mesh, MeshChip, haar_unitary
from ._averager import Averager

__all__ = ["Averager", "MeshLayer", "SigmaULinear", "from_linear", "propagate"]

_PHASES = ("theta", "phi", "output_phase")
_ERRORS = ("alpha", "beta", "theta_arm_loss_db", "phi_arm_loss_db", "theta_other_loss_db", "phi_other_loss_db")
# Chips of training are numbered from here on, so that it never meets the chips 0, 1, .. that a layer is tested on
_FIRST_TRAINING_CHIP = 1 << 31


def _array(tensor: Tensor, name: str) -> np.ndarray:
    if tensor.device.type != "cpu":
        raise ValueError(f"{name} is on {tensor.device} (the engine computes on CPUs). Move it: {name}.cpu().")
    return np.asarray(tensor.detach().resolve_conj().resolve_neg().numpy())


class _Propagate(torch.autograd.Function):
    """Fields through a settled mesh. Of `parameters`, only the derivatives pass here: the mesh has their values."""

    @staticmethod
    def forward(ctx, settled, names, x, *parameters):  # type: ignore[no-untyped-def]
        y = torch.from_numpy(settled(_array(x, "x")))
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
        return None, None, torch.from_numpy(found.x), *wanted


def propagate(x: Tensor, mesh: Mesh | MeshChip, **parameters: Tensor) -> Tensor:
    """Fields x (.., ports) through a mesh, differentiable with respect to x and to `parameters`.

    Parameters are named as the arrays of a mesh and of its errors are: theta, phi, output_phase; alpha, beta,
    theta_arm_loss_db, phi_arm_loss_db, theta_other_loss_db and phi_other_loss_db need a MeshChip. Their values are
    written into a copy of the mesh before the light passes; what is not given stays as it is. complex64 and float32 are
    computed in single precision, others in double. A gradient of a field is dL/dRe + i dL/dIm, as in all of PyTorch.

    Raises TypeError for an unknown parameter, ValueError for another shape, a parameter that is NaN or infinite, a loss
    below 0 and tensors that are not on a CPU.
    """
    for name in parameters:
        if name not in _PHASES + _ERRORS:
            raise TypeError(f"no parameter {name} of a mesh (one of {', '.join(_PHASES + _ERRORS)}). Choose one.")
    mesh = mesh.copy()
    for name, value in parameters.items():
        if name in _PHASES:
            setattr(mesh, name, _array(value, name))
        elif isinstance(mesh, MeshChip):
            setattr(mesh.errors, name, _array(value, name))
        else:
            raise TypeError(f"{name} of a perfect mesh (fabricated ones have errors). Give mesh.fabricate(\"ideal\").")
    return _light(x, mesh, parameters)


def _light(x: Tensor, mesh: Mesh | MeshChip, parameters: Mapping[str, Tensor]) -> Tensor:
    single = x.dtype in (torch.complex64, torch.float32)
    x = x.to(torch.complex64 if single else torch.complex128)
    settled = mesh.settled("single" if single else "double")
    result: Tensor = _Propagate.apply(settled, tuple(parameters), x, *parameters.values())
    return result


class MeshLayer(nn.Module):
    """A mesh of MZIs as a layer: fields (.., ports) -> (.., ports), weights are the phases.

    `theta`, `phi` [rad, (MZIs,)] and `output_phase` [rad, (ports,)] are its parameters; it begins with the phases of a
    Haar-random unitary, or of `unitary`. Without `model` the mesh is perfect. With one, an ErrorModel or the name of a
    preset, the phases stand on a fabricated chip: splitter errors, phase offsets, losses, and the DAC that sets phases.
    Gradients are exact for the chip that the light passed; they go through the DAC's rounding as if it were not there.

    In training mode with `fresh_chip_every_step`, every call meets a new chip, so that phases are found that work on
    chips in general. Otherwise, and in evaluation mode, it is chip number `chip` of that seed, which may be set; chips
    of training are never among them. `mesh_number` tells layers on one chip apart: their errors are drawn
    independently. `measured` takes a MeshChip in place of a model: your own chip.

    real=True: real signals on the fields' in-phase part, and homodyne receivers: real (.., ports) -> (.., ports).
    """

    def __init__(
        self,
        ports: int,
        model: ErrorModel | str | None = None,
        *,
        topology: str = "clements",
        unitary: np.ndarray | None = None,
        measured: MeshChip | None = None,
        fresh_chip_every_step: bool = False,
        real: bool = False,
        seed: int = 1,
        chip: int = 0,
        mesh_number: int = 0,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        if measured is not None and model is not None:
            raise ValueError("a model and a measured chip (one of them has the errors). Give one.")
        if fresh_chip_every_step and model is None:
            raise ValueError('fresh chips without a model (errors are drawn from it). Give one: "good-lab".')
        target = haar_unitary(ports, seed=seed, trial=mesh_number) if unitary is None else unitary
        self._mesh = Mesh.from_unitary(target, topology)
        if self._mesh.ports != ports:
            raise ValueError(f"a unitary of {self._mesh.ports} ports for a layer of {ports} (one number). Change one.")
        self.ports = ports
        self.model, self.measured = model, measured
        self.fresh_chip_every_step = fresh_chip_every_step
        self.real = real
        self.seed, self.chip, self.mesh_number = seed, chip, mesh_number
        for name in _PHASES:
            value = torch.from_numpy(np.array(getattr(self._mesh, name))).to(dtype)
            self.register_parameter(name, nn.Parameter(value))
        self.steps: Tensor  # chips met in training; kept with the weights, so that training goes on with new ones
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    def mesh(self) -> Mesh:
        """The perfect mesh with the phases that the layer has now."""
        mesh = self._mesh.copy()
        for name in _PHASES:
            setattr(mesh, name, _array(getattr(self, name), name))
        return mesh

    def on_chip(self, number: int | None = None) -> Mesh | MeshChip:
        """What light passes in evaluation mode, with the phases of now: chip `number`, by default the layer's own."""
        if self.measured is not None:
            return self.mesh().on(self.measured)
        if self.model is None:
            return self.mesh()
        return self.mesh().fabricate(self.model, self.seed, self.chip if number is None else number, self.mesh_number)

    def forward(self, x: Tensor) -> Tensor:
        number = None
        if self.training and self.fresh_chip_every_step:
            number = _FIRST_TRAINING_CHIP + int(self.steps) % _FIRST_TRAINING_CHIP
            self.steps += 1
        y = _light(x, self.on_chip(number), {name: getattr(self, name) for name in _PHASES})
        return y.real if self.real else y

    def extra_repr(self) -> str:
        return f"ports={self.ports}, MZIs={len(self.theta)}, model={self.model or self.measured}, real={self.real}"


class SigmaULinear(nn.Module):
    """A linear layer in light, y = W x + b: real (.., in_features) -> (.., out_features), as in OptINC's networks.

    W is cut along its longer side into square blocks; each is Sigma U: a mesh, then attenuators and amplifiers that
    multiply its outputs by `sigma` [(blocks, ports)]. That is half the MZIs of a singular-value decomposition, and not
    every W: a layer that begins from weights begins from the nearest it finds (least squares over U, orthogonal, and
    Sigma, in turn). arXiv 2603.28290, section on area-efficient matrices.
    """

    def __init__(self, in_features: int, out_features: int, model: ErrorModel | str | None = None, *, bias: bool = True,
                 weight: Tensor | None = None, seed: int = 1, mesh_number: int = 0, **settings: object) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.ports = min(in_features, out_features)
        blocks = -(-max(in_features, out_features) // self.ports)
        if weight is None:
            weight = torch.empty(out_features, in_features)
            nn.init.kaiming_uniform_(weight, a=5**0.5)
        self.tall = out_features > in_features
        padded = np.zeros((blocks * self.ports, self.ports) if self.tall else (self.ports, blocks * self.ports))
        padded[:out_features, :in_features] = _array(weight, "weight")
        sigma, meshes = [], []
        for b, block in enumerate(np.split(padded, blocks, axis=0 if self.tall else 1)):
            scale, unitary = _sigma_u(block)
            sigma.append(scale)
            mesh = MeshLayer(self.ports, model, unitary=unitary, real=True, seed=seed, mesh_number=mesh_number + b,
                             dtype=weight.dtype, **settings)  # type: ignore[arg-type]
            meshes.append(mesh)
        self.meshes = nn.ModuleList(meshes)
        self.sigma = nn.Parameter(torch.tensor(np.array(sigma), dtype=weight.dtype))
        self.bias = nn.Parameter(torch.zeros(out_features, dtype=weight.dtype)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        if self.tall:
            y = torch.cat([s * mesh(x) for s, mesh in zip(self.sigma, self.meshes)], dim=-1)[..., : self.out_features]
        else:
            x = nn.functional.pad(x, (0, len(self.meshes) * self.ports - self.in_features))
            parts = x.split(self.ports, dim=-1)
            y = torch.stack([s * mesh(part) for s, mesh, part in zip(self.sigma, self.meshes, parts)]).sum(0)
        return y if self.bias is None else y + self.bias

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}"


def _sigma_u(w: np.ndarray, rounds: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """The diagonal and the orthogonal matrix with diag(sigma) U near w (n, n): each in turn the best for the other."""
    left, _, right = np.linalg.svd(w)
    u = left @ right
    sigma = (w * u).sum(1)
    for _ in range(rounds):  # a row of w is met best by its projection on U's; U by the polar factor of sigma w
        left, _, right = np.linalg.svd(sigma[:, None] * w)
        u = left @ right
        sigma = (w * u).sum(1)
    return sigma, u


def from_linear(module: nn.Module, model: ErrorModel | str | None = None, *, seed: int = 1,
                **settings: object) -> nn.Module:
    """The module, changed in place: every nn.Linear in it becomes a SigmaULinear with weights as near as it gets.

    Meshes are numbered in the order of module.modules(), all on the chips of one seed. `settings` are MeshLayer's. A
    module that is itself an nn.Linear is not changed: use what is returned.
    """
    taken = 0

    def light(linear: nn.Linear) -> SigmaULinear:
        nonlocal taken
        layer = SigmaULinear(linear.in_features, linear.out_features, model, bias=linear.bias is not None,
                             weight=linear.weight, seed=seed, mesh_number=taken, **settings)
        taken += len(layer.meshes)
        if layer.bias is not None:
            with torch.no_grad():
                layer.bias.copy_(linear.bias)
        return layer

    if isinstance(module, nn.Linear):
        return light(module)
    for parent in list(module.modules()):
        for name, child in parent.named_children():
            if isinstance(child, nn.Linear):
                setattr(parent, name, light(child))
    return module
