"""Whether two result files hold the same numbers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Union

import h5py
import numpy as np

from .._hdf5 import opened

PER_RUN_ATTRIBUTES = frozenset({"created_utc", "command"})
"""What two runs of one study may write differently."""

_SCALES = frozenset({"DIMENSION_LIST", "REFERENCE_LIST"})  # references: they point, they hold no result


def contents(path: Union[str, os.PathLike[str]]) -> dict[str, Any]:
    """Every dataset (type, shape, bytes) and attribute ("PATH@NAME") of a file, but what differs from run to run."""
    found: dict[str, Any] = {}

    def take(name: str, node: Any) -> None:
        for key in node.attrs:
            if key not in PER_RUN_ATTRIBUTES and key not in _SCALES:
                found[f"{name}@{key}"] = np.asarray(node.attrs[key]).tolist()
        if isinstance(node, h5py.Dataset):
            values = node[()].tolist() if node.dtype.kind == "O" else node[()].tobytes()
            found[name] = (node.dtype.str, node.shape, values)

    with opened(Path(path)) as file:
        take("/", file)
        file.visititems(take)
    return found


def differing(one: Union[str, os.PathLike[str]], other: Union[str, os.PathLike[str]]) -> list[str]:
    """Names of the datasets and attributes that two files do not share to the bit; empty when they are equal.

    `created_utc` and `command` of the root are left out: they tell two runs apart that have the same results.
    """
    a, b = contents(one), contents(other)
    return sorted((a.keys() ^ b.keys()) | {name for name in a.keys() & b.keys() if a[name] != b[name]})
