"""HDF5 files of OptINC, read where they are what was written and hold their own data, and written whole: as the command line does
it (FORMAT.md, "Seal" and "Links")."""

from __future__ import annotations

import io
import math
import os
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

import h5py

from ._files import SCHEMA_VERSION, creating

_MAGIC = b"OPTINCS1"
_SEAL = len(_MAGIC) + 4
_BLOCK = 1 << 20
_DEEPEST = 16  # groups in groups


class Refused(ValueError):
    """The file is damaged, leads elsewhere, or is of another version."""


def opened(path: Path) -> Any:
    """Opens a file for reading. Raises OSError where it is not there, not a plain file or not HDF5, Refused where it breaks its
    seal, is of a version that is not read, or holds links and datasets that lead elsewhere: nothing of it is read before."""
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is a folder, a pipe or a device (a file is read). Name a file of OptINC.")
    if not _seal_holds(path):
        raise Refused(f"{path} is damaged (its bytes are not those that were written: a bad copy or disk). "
                      "Use a sound copy, or run its command again.")
    file = h5py.File(path, "r")
    try:
        _check_group(path, file, {file["/"].id})
        _check_version(path, file)
        return file
    except Refused:
        file.close()
        raise
    except Exception as error:  # HDF5 has many, each its own
        file.close()
        raise Refused(f"{path} is damaged ({type(error).__name__}: {' '.join(str(error).split())}). Use another copy.") from None


@contextmanager
def written(path: Path, force: bool | None = None) -> Iterator[Any]:
    """Gives an HDF5 file that becomes a new file `path`, whole and sealed. Raises OSError as creating() does."""
    with creating(path, force) as out:
        memory = io.BytesIO()
        with h5py.File(memory, "w") as file:
            yield file
        out.write(sealed(memory.getvalue()))


def sealed(content: bytes) -> bytes:
    """The bytes of a file with the seal behind them."""
    return content + _MAGIC + zlib.crc32(content).to_bytes(4, "little")


def _seal_holds(path: Path) -> bool:
    """Whether a file is what was sealed; true of one without a seal."""
    left = os.stat(path).st_size - _SEAL
    if left < 0:
        return True
    with open(path, "rb") as file:
        file.seek(left)
        seal = file.read()
        if not seal.startswith(_MAGIC):
            return True
        file.seek(0)
        checksum = 0
        while left > 0:
            block = file.read(min(left, _BLOCK))
            checksum = zlib.crc32(block, checksum)
            left -= len(block) or left
    return checksum == int.from_bytes(seal[len(_MAGIC):], "little")


def _check_version(path: Path, file: Any) -> None:
    if "schema_version" not in file.attrs:
        return
    version = int(file.attrs["schema_version"])
    if version < 1:
        raise Refused(f"{path} has schema_version {version} (this program reads 1 to {SCHEMA_VERSION}). Use another copy.")
    if version > SCHEMA_VERSION:
        raise Refused(f"{path} is newer than this package (schema version {version}, read are those up to "
                      f"{SCHEMA_VERSION}). Update optinc.")


def _check_group(path: Path, group: Any, seen: set[Any], depth: int = 1) -> None:
    """Raises Refused for what leads out of the file, and for what HDF5 would crash over."""
    for name in group:
        where = f"{path}: {group.name.rstrip('/')}/{name}"
        try:
            own = group.get(name, getlink=True, getclass=True) is h5py.HardLink
        except TypeError:  # user-defined
            own = False
        if not own:
            raise Refused(f"{where} is a link to elsewhere (a file must hold its own data). Store the data itself.")
        item = group[name]
        if item.id in seen:
            continue
        seen.add(item.id)
        if isinstance(item, h5py.Dataset):
            _check_dataset(where, item)
        elif isinstance(item, h5py.Group):
            if depth == _DEEPEST:
                raise Refused(f"{where}: groups lie in more than {_DEEPEST} others (no file of OptINC has so many). Use another copy.")
            _check_group(path, item, seen, depth + 1)


def _check_dataset(where: str, dataset: Any) -> None:
    storage = dataset.id.get_create_plist()
    if storage.get_layout() == h5py.h5d.VIRTUAL or storage.get_external_count() > 0:
        raise Refused(f"{where} is a dataset whose values lie elsewhere (virtual, or in an external file; a file must hold its own data). "
                      "Store the values themselves.")
    if dataset.shape is None:
        raise Refused(f"{where} is a dataset without values (HDF5 calls it null). Use another copy.")
    # what a damaged header claims is not made room for: deflate packs a thousand bytes into one at best
    claimed, stored = dataset.size * dataset.id.get_type().get_size(), dataset.id.get_storage_size()
    if claimed > 1040 * stored + (1 << 20) or math.prod(dataset.chunks or [0]) * dataset.dtype.itemsize > 1 << 28:
        raise Refused(f"{where}: shape {dataset.shape} claims {claimed:.3g} bytes where the file has {stored:.3g} (damaged). Use another copy.")
    if "DIMENSION_LIST" in dataset.attrs:
        axes = dataset.attrs.get_id("DIMENSION_LIST")
        of = h5py.check_vlen_dtype(axes.dtype)
        if of is None or h5py.check_ref_dtype(of) is not h5py.Reference or axes.shape != (dataset.ndim,):
            raise Refused(f"{where}: attribute DIMENSION_LIST is not a list of axes (damaged). Use another copy.")
