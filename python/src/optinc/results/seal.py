"""The checksum that OptINC puts behind a file (FORMAT.md, "Seal")."""

from __future__ import annotations

import zlib
from pathlib import Path

from .errors import NotAResult

_MAGIC = b"OPTINCS1"
_SIZE = len(_MAGIC) + 4
_BLOCK = 1 << 20


def check_seal(path: Path) -> None:
    """Raises NotAResult where a sealed file is not what was sealed; a file without a seal passes."""
    left = path.stat().st_size - _SIZE
    if left < 0:
        return
    with path.open("rb") as file:
        file.seek(left)
        seal = file.read()
        if not seal.startswith(_MAGIC):
            return
        file.seek(0)
        checksum = 0
        while left > 0:
            block = file.read(min(left, _BLOCK))
            checksum = zlib.crc32(block, checksum)
            left -= len(block) or left
    if checksum != int.from_bytes(seal[len(_MAGIC):], "little"):
        raise NotAResult(f"{path} is damaged (its bytes are not those that were written: a bad copy or disk). "
                         "Use a sound copy, or run its command again.")
