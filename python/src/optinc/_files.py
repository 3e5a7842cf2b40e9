"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Iterator, Optional


@contextmanager
def creating(path: Path, force: Optional[bool] = None) -> Iterator[BinaryIO]:
    """Gives a file to write to, open beside `path` under a random name, which gets its name when all went well and is removed
    otherwise. Whatever has that name is replaced only with `force` (of a link, the file it leads to): otherwise FileExistsError,
    raised before anything is done, and at the end where one has appeared meanwhile. None: the caller has no such option.
    OSError where it cannot be written."""
    name, path = path, _checked(path, force)
    partial = path.with_name(f"{path.name}.partial-{secrets.token_hex(8)}")  # as the command line's: FORMAT.md, "Writing"
    try:
        # a new file in any case: no link that somebody has laid there is written through
        with os.fdopen(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR | os.O_CLOEXEC, 0o666), "w+b") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        if not force:
            try:
                os.link(partial, path)  # fails where PATH has appeared
                return
            except FileExistsError:
                raise _exists(name, force) from None
            except OSError:  # a file system without links
                pass
        os.replace(partial, path)
    except FileExistsError:
        raise
    except OSError as error:
        if error.filename is not None and ".partial-" not in str(error.filename):
            raise
        raise OSError(f"{name} cannot be written ({error.strerror}). Choose another place.") from None
    finally:
        partial.unlink(missing_ok=True)


def _checked(path: Path, force: Optional[bool]) -> Path:
    """Where to write: `path`, or what it leads to."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder (expected a name for a file). Add a file name.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written (there is no folder {path.parent}). Create it.")
    if not os.path.lexists(path):
        return path
    if not force:
        raise _exists(path, force)
    target = path.resolve()
    if not target.is_file():
        raise FileExistsError(f"{path} is not a plain file (a device or a pipe is never replaced). Choose another name.")
    return target


def _exists(path: Path, force: Optional[bool]) -> FileExistsError:
    option = "" if force is None else " or give --force"
    return FileExistsError(f"{path} exists already (nothing is overwritten unasked). Choose another name{option}.")


def require_not_input(output: Path, read: Path) -> None:
    """Raises FileExistsError where the output is the result that is read, whatever its name."""
    if output.exists() and output.samefile(read):
        raise FileExistsError(f"{output} is the result itself (what is read is never replaced). Choose another name.")
