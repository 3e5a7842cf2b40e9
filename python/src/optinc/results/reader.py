"""A group of a result file as an xarray.Dataset, by h5py alone.

xarray's own engines h5netcdf and netcdf4 read the same (a test holds them together), but only h5py is there
wherever this package is, and one reader has one behaviour.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator

import h5py
import numpy as np
import xarray
from xarray.backends import BackendArray
from xarray.core import indexing

from .errors import NotAResult


class LazyArray(BackendArray):
    """Numbers that stay in the file until they are looked at."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self.shape = dataset.shape
        self.dtype = dataset.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        require_open(self.dataset)
        with reading(self.dataset.file.filename):
            return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER_1VECTOR,
                                                      self.dataset.__getitem__)


def require_open(item: Any) -> None:
    """Raises NotAResult where the file of an HDF5 item was closed."""
    if not item:
        raise NotAResult("The result file is closed, and these numbers were not read before. Call .load() on them while it is open.")


@contextmanager
def reading(path: Any) -> Iterator[None]:
    """Whatever HDF5 and xarray raise over a file that is not as OptINC wrote it becomes a NotAResult."""
    try:
        yield
    except NotAResult:
        raise
    except (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise NotAResult(f"{path} is damaged, or not as OptINC wrote it ({why[:300]}). Use another copy.") from error


def is_axis(dataset: Any) -> bool:
    """Whether an HDF5 dataset is a dimension scale. HDF5's own functions for these crash over attributes of other types."""
    return bool(np.all(dataset.attrs.get("CLASS") == b"DIMENSION_SCALE"))


def attributes_of(item: Any) -> dict[str, Any]:
    """Attributes of a group or dataset, without those by which HDF5 ties datasets to axes."""
    hidden = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates")
    return {name: value for name, value in item.attrs.items() if name not in hidden}


def dimensions_of(dataset: Any) -> tuple[str, ...]:
    """Names of the axes of an HDF5 dataset; an axis has itself. An axis without a name is called dim_0, dim_1..."""
    if is_axis(dataset):
        return (dataset.name.rsplit("/", 1)[-1],)
    axes = dataset.attrs.get("DIMENSION_LIST", [()] * dataset.ndim)  # references, of each dimension to its axes
    return tuple(dataset.file[axis[0]].name.rsplit("/", 1)[-1] if len(axis) else f"dim_{i}" for i, axis in enumerate(axes))


def variable_of(dataset: Any) -> xarray.Variable:
    """An HDF5 dataset as a variable: text at once, numbers when they are looked at."""
    text = h5py.check_string_dtype(dataset.dtype) is not None
    data = np.asarray(dataset.asstr()[()], object) if text else indexing.LazilyIndexedArray(LazyArray(dataset))
    return xarray.Variable(dimensions_of(dataset), data, attributes_of(dataset))


def read_group(group: Any) -> xarray.Dataset:
    """The datasets right under an HDF5 group, its axes as coordinates. The file must stay open while it is used."""
    items = {name: item for name, item in group.items() if isinstance(item, h5py.Dataset)}
    variables = {name: variable_of(item) for name, item in items.items()}
    axes = {name for name, item in items.items() if is_axis(item)}
    return xarray.Dataset({name: v for name, v in variables.items() if name not in axes},
                          coords={name: v for name, v in variables.items() if name in axes},
                          attrs=attributes_of(group))
