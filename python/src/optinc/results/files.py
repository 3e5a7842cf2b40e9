"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Gives a name beside `path` to write to; renames it to `path` when all went well, removes it otherwise."""
    partial = path.with_name(f"{path.name}.partial-{os.getpid()}")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def creating(path: Path, force: bool) -> Iterator[Path]:
    """As `replacing`, but an earlier file of that name is replaced only with `force`: otherwise FileExistsError, raised
    before anything is done, and at the end where one has appeared meanwhile. A folder that does not exist is an OSError."""
    exists = f"{path} exists already (nothing is overwritten unasked). Choose another name or give --force."
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder (expected a name for a file). Add a file name.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written (there is no folder {path.parent}). Create it.")
    if not force and os.path.lexists(path):
        raise FileExistsError(exists)
    name = path
    if os.path.lexists(path):
        path = path.resolve()  # of a link, the file it leads to
        if not path.is_file():
            raise FileExistsError(f"{path} is not a plain file (a device or a pipe is never replaced). Choose another name.")
    try:
        with replacing(path) as partial:
            yield partial
            if not force:
                try:
                    os.link(partial, path)  # fails where PATH has appeared; renaming onto the same file then changes nothing
                except FileExistsError:
                    raise FileExistsError(exists) from None
                except OSError:  # a file system without links
                    pass
    except OSError as error:
        if error.filename is None or ".partial-" not in str(error.filename):
            raise
        raise OSError(f"{name} cannot be written ({error.strerror}). Choose another place.") from None


def require_not_input(output: Path, read: Path) -> None:
    """Raises FileExistsError where the output is the result that is read, whatever its name."""
    if output.exists() and output.samefile(read):
        raise FileExistsError(f"{output} is the result itself (what is read is never replaced). Choose another name.")
