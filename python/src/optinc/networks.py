"""Trained networks from HDF5 files. Reading one needs h5py: pip install 'optinc[results]'."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._core import Network, SigmaULayer, Task

if TYPE_CHECKING:
    import h5py

_SHIPPED = Path(__file__).parent / "shipped"
_PREFIX = "shipped/"


def shipped_networks() -> list[str]:
    """Names of the trained networks that come with the package, for load_network() and Unit.load()."""
    return sorted(_PREFIX + path.stem for path in _SHIPPED.glob("*.h5"))


def load_network(source: str | os.PathLike[str]) -> Network:
    """The network in an HDF5 file that OptINC wrote, or a shipped one by its name.

    Raises FileNotFoundError where there is no such file, OSError where it is not HDF5 or cannot be read, ValueError for
    an unknown shipped network and a file that holds no network, ImportError without h5py.
    """
    try:
        import h5py
    except ImportError as missing:
        raise ImportError("Networks are HDF5 files (h5py reads them). Run pip install h5py.") from missing

    path = Path(source)
    if str(source).startswith(_PREFIX):
        known = shipped_networks()
        if str(source) not in known:
            near = difflib.get_close_matches(str(source), known, n=1, cutoff=0) or ["a file"]
            raise ValueError(f"{source}: no such network (shipped: {', '.join(known)}). Did you mean {near[0]}?")
        path = _SHIPPED / f"{str(source)[len(_PREFIX):]}.h5"
    with h5py.File(path, "r") as file:
        try:
            return _network(file["network"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}: no network ({error}). Give a file of optinc train.") from error
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error


def _network(group: h5py.Group) -> Network:
    of = group.attrs
    task = Task(int(of["servers"]), 2 * int(of["digits"]), _text(of["rounding"]), _text(of.get("level", "flat")))
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
