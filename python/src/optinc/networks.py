"""Trained networks from HDF5 files. Reading one needs h5py: pip install 'optinc[results]'."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._core import Network, SigmaULayer, Task, version

if TYPE_CHECKING:
    import h5py

_SHIPPED = Path(__file__).parent / "share/optinc/networks"  # where the tool beside it looks too
_PREFIX = "shipped/"


def shipped_networks() -> list[str]:
    """Names of the trained networks that come with the package, for load_network() and Unit.load()."""
    return sorted(_PREFIX + path.stem for path in _SHIPPED.glob("*.h5"))


def load_network(source: str | os.PathLike[str]) -> Network:
    """The network in an HDF5 file that OptINC wrote, or a shipped one by its name.

    Raises FileNotFoundError where there is no such file, OSError where it is not HDF5 or cannot be read, ValueError for
    an unknown shipped network and a file that holds no network, is damaged (by its seal) or of a newer version, ImportError
    without h5py.
    """
    hdf5 = _hdf5()
    path = Path(source)
    if str(source).startswith(_PREFIX):
        known = shipped_networks()
        if str(source) not in known:
            near = difflib.get_close_matches(str(source), known, n=1, cutoff=0) or ["a file"]
            raise ValueError(f"{source}: no such network (shipped: {', '.join(known)}). Did you mean \"{near[0]}\"?")
        path = _SHIPPED / f"{str(source)[len(_PREFIX):]}.h5"
    with hdf5.opened(path) as file:
        try:
            return _network(file["network"])
        except (LookupError, TypeError, AttributeError, OSError, RuntimeError) as error:
            raise ValueError(f"{path}: no network ({error}). Give a file of optinc train.") from error
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error


def save_network(network: Network, path: str | os.PathLike[str]) -> None:
    """Writes a network to a new HDF5 file, whole and sealed, which load_network() and the command line read:
    network.source = "FILE".

    Raises TypeError for anything but a Network, FileExistsError where there is a file of that name, OSError where it cannot
    be written, ImportError without h5py.
    """
    hdf5 = _hdf5()
    if not isinstance(network, Network):
        raise TypeError(f"{type(network).__name__} is no Network (what train() ends with, and units, have one). Give its .network.")
    with hdf5.written(Path(path)) as file:
        file.attrs.update({"schema_version": hdf5.SCHEMA_VERSION, "optinc_version": version, "title": "network"})
        group = file.create_group("network")
        task = network.task
        group.attrs.update({"servers": task.servers, "digits": task.digits, "rounding": task.rounding, "level": task.level,
                            "reduction": task.reduction, "layers": len(network.layers)}
                           | ({} if task.outputs == "answer" else {"outputs": task.outputs})
                           | ({} if task.adder == "light" else {"adder": task.adder}))
        for i, layer in enumerate(network.layers):
            _save_layer(group.create_group(f"layer{i}"), layer)


def _save_layer(group: h5py.Group, layer: SigmaULayer) -> None:
    for name, axes, values in (("unitary", ("block", "row", "column"), layer.unitary), ("sigma", ("block", "channel"), layer.sigma),
                               ("bias", ("neuron",), layer.bias), ("reads", ("input",), layer.reads)):
        data = group.create_dataset(name, data=values)
        for axis, length, dimension in zip(axes, data.shape, data.dims):
            if axis not in group:
                group.create_dataset(axis, data=range(length)).make_scale(axis)
            dimension.attach_scale(group[axis])
    group.attrs.update({"wiring": layer.wiring, "ending": layer.ending, "ceiling": layer.ceiling or 0.0, "offset": layer.offset,
                        "attenuated": int(layer.attenuated), "outputs": layer.outputs, "inputs": layer.inputs})


def _hdf5() -> Any:
    try:
        from . import _hdf5
    except ImportError as missing:
        raise ImportError("Networks are HDF5 files (h5py reads them). Run pip install h5py.") from missing
    return _hdf5


def _network(group: h5py.Group) -> Network:
    of = group.attrs
    task = Task(int(of["servers"]), 2 * int(of["digits"]), _text(of["rounding"]), _text(of.get("level", "flat")),
                _text(of.get("reduction", "mean")), _text(of.get("outputs", "answer")), _text(of.get("adder", "light")))
    return Network(task, [_layer(group[f"layer{i}"]) for i in range(int(of["layers"]))])


def _layer(group: h5py.Group) -> SigmaULayer:
    of = group.attrs
    ceiling = float(of["ceiling"])  # 0: none
    return SigmaULayer(
        unitary=group["unitary"][()],
        sigma=group["sigma"][()],
        bias=group["bias"][()],
        reads=[int(signal) for signal in group["reads"][()]],
        wiring=_text(of["wiring"]),
        ending=_text(of["ending"]),
        ceiling=ceiling if ceiling != 0 else None,
        offset=float(of["offset"]),
        attenuated=bool(of["attenuated"]),
    )


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
