"""A result file as one HTML page that needs nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional, Union

from ..._files import creating, require_not_input
from ..run import Run
from .page import page


def write_report(run: Run, path: Optional[Union[str, os.PathLike[str]]] = None, force: bool = False) -> Path:
    """Writes the page of a result to `path`, by default NAME.html beside the file, whole or not at all. Returns where.

    Raises OSError where something of that name exists (unless `force`), where it is the result itself and where it
    cannot be written; NotAResult where the file's settings cannot be read.
    """
    target = run.path.with_suffix(".html") if path is None else Path(path)
    require_not_input(target, run.path)
    with creating(target, force) as out:
        out.write(page(run).encode())
    return target


__all__ = ["page", "write_report"]
