"""The linear parts of models through meshes: layers, convolutions, attention, and the models that have them."""

from collections.abc import Callable, Iterable

import numpy as np
import torch
from torch import Tensor, nn

from . import ErrorModel
from ._mesh_layer import MeshLayer, _array


class _LightLinear(nn.Module):
    """y = W x + b, real (.., in_features) -> (.., out_features), with W made of meshes and of gains, `sigma`."""

    sigma: Tensor
    bias: Tensor | None

    def __init__(self, in_features: int, out_features: int, model: ErrorModel | str | None = None, *, bias: bool = True,
                 weight: Tensor | None = None, seed: int = 1, mesh_number: int = 0, **settings: object) -> None:
        super().__init__()
        if min(in_features, out_features) < 1:
            raise ValueError(f"a layer of {in_features} inputs and {out_features} outputs (1 or more). Give both.")
        self.in_features, self.out_features = in_features, out_features
        given = weight is not None
        if weight is None:
            weight = torch.empty(out_features, in_features)
            nn.init.kaiming_uniform_(weight, a=5**0.5)
        if weight.is_complex():
            raise ValueError(f"complex weights of {out_features} x {in_features} (a {type(self).__name__} carries real signals). "
                             "Use a MeshLayer, or real weights.")
        if tuple(weight.shape) != (out_features, in_features) or not bool(torch.isfinite(weight).all()):
            raise ValueError(f"weight of shape {tuple(weight.shape)} (needs ({out_features}, {in_features}), finite "
                             "numbers). Set a value in this range.")
        dtype = torch.promote_types(weight.dtype, torch.float32)  # of phases: half precision would move them by 1e-3 rad
        self._taken = 0

        def mesh(unitary: np.ndarray, real: bool = True) -> MeshLayer:
            self._taken += 1
            return MeshLayer(len(unitary), model, unitary=unitary, real=real, seed=seed,
                             mesh_number=mesh_number + self._taken - 1, dtype=dtype, **settings)  # type: ignore[arg-type]

        sigma = self._made(_array(weight, "weight").astype("f8"), mesh)
        self.sigma = nn.Parameter(torch.tensor(sigma, dtype=dtype))
        self.bias = nn.Parameter(torch.zeros(out_features, dtype=weight.dtype)) if bias else None
        self.off: float | None = None
        if given:
            with torch.no_grad():
                self.off = float((self.eval().weight - weight).norm() / weight.norm().clamp(min=1e-30))
            self.train()

    def _made(self, weight: np.ndarray, mesh: Callable[..., MeshLayer]) -> np.ndarray:
        """Makes the meshes for this W and returns the gains."""
        raise NotImplementedError

    def _product(self, x: Tensor) -> Tensor:
        """W x."""
        raise NotImplementedError

    @property
    def weight(self) -> Tensor:
        """W (out_features, in_features) as light makes it now, differentiable. Each use is a call of the meshes."""
        return self._product(torch.eye(self.in_features, dtype=self.sigma.dtype)).T

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[-1] != self.in_features:
            raise ValueError(f"x has shape {tuple(x.shape)} (needs (.., {self.in_features})). Reshape it.")
        y = self._product(x).to(x.dtype)
        return y if self.bias is None else y + self.bias

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}"


class SigmaULinear(_LightLinear):
    """A linear layer in light, y = W x + b: real (.., in_features) -> (.., out_features).

    W is cut along its longer side into square blocks of Sigma U, as those of OptINC's networks (arXiv 2603.28290): a
    mesh, then a gain for every output, `sigma` [(blocks, ports)]. That takes half the MZIs of a singular-value
    decomposition, and most W are not of this form: a layer that begins from weights begins from blocks that are near
    (U orthogonal and Sigma the best for each other, in turn), about 0.5 of the norm of a random W off. Train it then
    (fine_tune), or use an SvdLinear. `off` says how far: |weight - W| / |W|, on its chip, when it was made. Errors are
    those of the meshes; gains are ideal, and there is no noise. `settings` are MeshLayer's.

    Raises ValueError for no features, for weights of another shape, complex ones or such that are not finite, and for
    an input of another length.
    """

    def _made(self, weight: np.ndarray, mesh: Callable[..., MeshLayer]) -> np.ndarray:
        self.ports = min(weight.shape)
        blocks = -(-max(weight.shape) // self.ports)
        self.tall = self.out_features > self.in_features
        padded = np.zeros((blocks * self.ports, self.ports) if self.tall else (self.ports, blocks * self.ports))
        padded[:self.out_features, :self.in_features] = weight
        parts = [_sigma_u(block) for block in np.split(padded, blocks, axis=0 if self.tall else 1)]
        self.meshes = nn.ModuleList([mesh(unitary) for _, unitary in parts])
        return np.array([sigma for sigma, _ in parts])

    def _product(self, x: Tensor) -> Tensor:
        if self.tall:
            return torch.cat([s * mesh(x) for s, mesh in zip(self.sigma, self.meshes)], dim=-1)[..., : self.out_features]
        x = nn.functional.pad(x, (0, len(self.meshes) * self.ports - self.in_features))
        parts = x.split(self.ports, dim=-1)
        return torch.stack([s * mesh(part) for s, mesh, part in zip(self.sigma, self.meshes, parts)]).sum(0)


class SvdLinear(_LightLinear):
    """A linear layer in light with exactly its weights, y = W x + b: real (.., in_features) -> (.., out_features).

    W = U diag(sigma) V^T, its singular-value decomposition: a mesh of in_features ports for V^T, a gain for each of the
    first min(in_features, out_features) of its outputs, `sigma`, and a mesh of out_features ports for U. Light
    stays light from input to output; receivers take its in-phase part. Gains are attenuators, sigma / max|sigma|, times
    one gain of all receivers, max|sigma|: both ideal, and there is no noise. On perfect meshes the layer has the weights
    that it was given, to rounding; `off` says how far it was from them on its chip when it was made: |weight - W| / |W|.
    `settings` are MeshLayer's.

    Raises ValueError as SigmaULinear does, and for more than 4,096 features.
    """

    def _made(self, weight: np.ndarray, mesh: Callable[..., MeshLayer]) -> np.ndarray:
        if max(weight.shape) > 4096:
            raise ValueError(f"a layer of {self.in_features} inputs and {self.out_features} outputs by two meshes (4,096 ports at "
                             "most). Use a SigmaULinear.")
        left, sigma, right = np.linalg.svd(weight)
        self.into, self.out = mesh(right, real=False), mesh(left)
        return np.asarray(sigma)

    def _product(self, x: Tensor) -> Tensor:
        between = self.into(x)[..., :len(self.sigma)] * self.sigma
        y: Tensor = self.out(nn.functional.pad(between, (0, self.out_features - len(self.sigma))))
        return y


def _sigma_u(w: np.ndarray, rounds: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """The diagonal and the orthogonal matrix with diag(sigma) U near w (n, n): each in turn the best for the other."""
    sigma = np.ones(len(w))
    for _ in range(rounds):  # U: the polar factor of sigma w; sigma: the projection of w's rows on U's
        left, _, right = np.linalg.svd(sigma[:, None] * w)
        u = left @ right
        sigma = (w * u).sum(1)
    return sigma, u


class _LightKernel(nn.Module):
    """A convolution whose unfolded patches pass meshes, those of each group their own. It is computed by the kernel that
    they make, which is the same for one pass per element of a patch."""

    @property
    def weight(self) -> Tensor:
        """The kernel as light makes it now. Each use is a call of the meshes."""
        return torch.cat([part.weight for part in self.light]).view(self.shape)

    def _become(self, parts: list[_LightLinear]) -> None:
        self.shape = self._parameters.pop("weight").shape
        self.light = nn.ModuleList(parts)


class MeshConv1d(_LightKernel, nn.Conv1d):
    """nn.Conv1d whose unfolded patches pass meshes: `light` has a linear layer for each group. Made by from_linear()."""


class MeshConv2d(_LightKernel, nn.Conv2d):
    """nn.Conv2d whose unfolded patches pass meshes: `light` has a linear layer for each group. Made by from_linear()."""


class MeshAttention(nn.MultiheadAttention):
    """nn.MultiheadAttention whose projections pass meshes: `light` has those of query, key and value, and out_proj is one.

    It is computed by the weights that they make, which is the same. Made by from_linear()."""

    q_proj_weight = property(lambda self: self.light[0].weight)
    k_proj_weight = property(lambda self: self.light[1].weight)
    v_proj_weight = property(lambda self: self.light[2].weight)

    def _become(self, parts: list[_LightLinear]) -> None:
        for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
            self._parameters.pop(name)
        self.in_proj_weight = None
        self._qkv_same_embed_dim = False  # of PyTorch: there are three weights
        *projections, self.out_proj = parts
        self.light = nn.ModuleList(projections)


_IN_PLACE = {nn.Conv1d: MeshConv1d, nn.Conv2d: MeshConv2d, nn.MultiheadAttention: MeshAttention}
_READS_WEIGHTS = getattr(nn, "LinearCrossEntropyLoss", ())  # without calling the Linear in it


def _matrices(module: nn.Module) -> list[tuple[Tensor, Tensor | None, Tensor]]:
    """Its products with matrices: the matrix, the bias behind it, and the parameter that the matrix is part of."""
    if type(module) is nn.Linear:
        return [(module.weight, module.bias, module.weight)]
    if type(module) in (nn.Conv1d, nn.Conv2d):
        return [(part, None, module.weight) for part in module.weight.flatten(1).chunk(module.groups)]
    if type(module) is nn.MultiheadAttention:
        whole, out = module.in_proj_weight, module.out_proj
        parts = [(p, p) for p in (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)] if whole is None else [
            (part, whole) for part in whole.chunk(3)]
        return [(part, None, whole) for part, whole in parts] + [(out.weight, out.bias, out.weight)]
    return []


def _refuse_ties(module: nn.Module) -> None:
    owners: dict[Tensor, nn.Module] = {}
    for owner in module.modules():
        for parameter in owner.parameters(recurse=False):
            other = owners.setdefault(parameter, owner)
            if other is not owner and (_matrices(owner) or _matrices(other)):
                raise ValueError(f"weights of {owner} are those of {other} (a chip has no ties). Untie them.")


def from_linear(module: nn.Module, model: ErrorModel | str | None = None, *, exact: bool = False, seed: int = 1,
                mesh_number: int = 0, **settings: object) -> nn.Module:
    """The module, changed in place: its linear layers, convolutions and attention's projections pass meshes.

    With `exact`, every product with a matrix W becomes an SvdLinear, whose two meshes and gains have exactly W: on
    perfect meshes the module computes what it did, to rounding. Otherwise it becomes a SigmaULinear, with half of the
    MZIs and weights near W: train the module afterwards (fine_tune). conversion_report() says what was converted, how far
    its weights are off, and what was left alone and why.

    nn.Linear is replaced; nn.Conv1d, nn.Conv2d and nn.MultiheadAttention become MeshConv1d, MeshConv2d and MeshAttention.
    Meshes are numbered from `mesh_number` in the order of module.modules(), all on the chips of one seed; `settings` are
    MeshLayer's. Training mode and frozen parameters stay what they were, and a layer that stands in several places stays
    one. Subclasses of these are left alone, and what nn.LinearCrossEntropyLoss holds. A module that is itself an
    nn.Linear is not changed: use what is returned.

    Raises ValueError, before anything is changed, where weights belong to another module as well (a chip has no ties),
    where they are complex, and with `exact` beyond 4,096 inputs or outputs.
    """
    _refuse_ties(module)
    kind, taken = SvdLinear if exact else SigmaULinear, mesh_number

    def light(weight: Tensor, bias: Tensor | None, whole: Tensor, training: bool) -> _LightLinear:
        nonlocal taken
        layer = kind(weight.shape[1], weight.shape[0], model, bias=bias is not None, weight=weight, seed=seed,
                     mesh_number=taken, **settings)
        taken += sum(isinstance(m, MeshLayer) for m in layer.modules())
        layer.requires_grad_(whole.requires_grad)
        if bias is not None and layer.bias is not None:
            with torch.no_grad():
                layer.bias.copy_(bias)
            layer.bias.requires_grad_(bias.requires_grad)
        layer.train(training)
        return layer

    kept = {child for m in module.modules() if isinstance(m, _READS_WEIGHTS) for child in m.children()}
    made = {m: [light(*matrix, m.training) for matrix in _matrices(m)]
            for m in module.modules() if m not in kept and _matrices(m)}
    for m, parts in made.items():
        if type(m) in _IN_PLACE:
            m.__class__ = _IN_PLACE[type(m)]
            m._become(parts)
    for parent in list(module.modules()):
        for name, child in parent._modules.items():  # named_children() lacks what stands twice
            if type(child) is nn.Linear and child in made:
                setattr(parent, name, made[child][0])
        if isinstance(parent, nn.TransformerEncoderLayer):  # in evaluation, fast paths would pass by the light
            parent.activation_relu_or_gelu = 0
        elif isinstance(parent, nn.TransformerEncoder):
            parent.enable_nested_tensor = parent.use_nested_tensor = False
    return made[module][0] if type(module) is nn.Linear else module


def conversion_report(module: nn.Module) -> list[dict[str, object]]:
    """What of a module passes meshes, and what has weights and does not: a row for each, for pandas.DataFrame.

    layer: its name in the module; kind: its class; outputs, inputs: shape of W; meshes, mzis; off: how far its weights on
    its chip were from those given when it was made, |weight - W| / |W|; skipped: why it was left alone, "" for what was
    converted.
    """
    rows, inside = [], set()
    for name, m in module.named_modules():
        if m in inside:
            continue
        if isinstance(m, _LightLinear):
            meshes = [part for part in m.modules() if isinstance(part, MeshLayer)]
            inside.update(m.modules())
            rows.append({"layer": name, "kind": type(m).__name__, "outputs": m.out_features, "inputs": m.in_features,
                         "meshes": len(meshes), "mzis": sum(len(mesh.theta) for mesh in meshes), "off": m.off, "skipped": ""})
        elif not isinstance(m, (MeshLayer, MeshAttention)) and any(p.dim() > 1 for p in m.parameters(recurse=False)):
            rows.append({"layer": name, "kind": type(m).__name__, "outputs": None, "inputs": None, "meshes": 0, "mzis": 0,
                         "off": None, "skipped": _why_skipped(m)})
    return rows


def _why_skipped(module: nn.Module) -> str:
    if _matrices(module):
        return "not given to from_linear(), or read by a loss without a call"
    for kinds, reason in (
        ((nn.Embedding, nn.EmbeddingBag), "a table that is looked up: no product"),
        ((nn.RNNBase, nn.RNNCellBase), "recurrent: PyTorch reads its weights in one call"),
        ((nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d, nn.Conv3d), "a convolution other than Conv1d and Conv2d"),
        ((nn.Linear, nn.Conv1d, nn.Conv2d, nn.MultiheadAttention), "a subclass, whose forward() may be its own"),
    ):
        if isinstance(module, kinds):
            return reason
    return "no rule for this kind of module"


def fine_tune(module: nn.Module, batches: Iterable[tuple[Tensor, Tensor]],
              loss: Callable[[Tensor, Tensor], Tensor] = nn.functional.cross_entropy, *, epochs: int = 1,
              learning_rate: float = 2e-3) -> list[float]:
    """Trains a converted module on its chips by Adam, and returns the mean loss of each epoch.

    batches: pairs of inputs and targets, gone through once an epoch; loss(module(inputs), targets) is a scalar. Modules
    are left in the mode that they had. With meshes of fresh_chip_every_step, weights are found that suit chips in general.

    Raises ValueError for no batches.
    """
    modes = {m: m.training for m in module.modules()}
    optimiser = torch.optim.Adam([p for p in module.parameters() if p.requires_grad], learning_rate)
    means = []
    module.train()
    for _ in range(epochs):
        losses = []
        for inputs, targets in batches:
            optimiser.zero_grad()
            found = loss(module(inputs), targets)
            found.backward()
            optimiser.step()
            losses.append(found.item())
        if not losses:
            raise ValueError("no batches of inputs and targets (an iterator is used up after one epoch). Give a list or a "
                             "DataLoader.")
        means.append(sum(losses) / len(losses))
    for m, training in modes.items():
        m.training = training
    return means
