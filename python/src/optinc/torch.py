"""Meshes as PyTorch layers, and units as the all-reduce of data-parallel training.

A layer whose weights are the phases of a mesh, trained so that it works on chips it has not seen:

    layer = MeshLayer(64, "good-lab", fresh_chip_every_step=True)
    fields = layer(x)  # complex (.., 64)

The linear layers, convolutions and attention of a model through meshes that have its weights; and gradients averaged
in light:

    from_linear(model, "good-lab", exact=True)
    ddp.register_comm_hook(Averager(chip), Averager.hook)

The engine computes on CPUs, with exact gradients. Tested with PyTorch 1.13 and 2.15. In PyTorch 2, torch.compile keeps
layers in its graph.
"""

from ._averager import Averager
from ._linear import (
    MeshAttention,
    MeshConv1d,
    MeshConv2d,
    SigmaULinear,
    SvdLinear,
    conversion_report,
    fine_tune,
    from_linear,
)
from ._mesh_layer import Activation, MeshLayer, propagate

__all__ = [
    "Activation",
    "Averager",
    "MeshAttention",
    "MeshConv1d",
    "MeshConv2d",
    "MeshLayer",
    "SigmaULinear",
    "SvdLinear",
    "conversion_report",
    "fine_tune",
    "from_linear",
    "propagate",
]
