"""Files that appear whole or not at all."""

from __future__ import annotations

import fcntl
import glob
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Iterator, Optional

SCHEMA_VERSION = 5
"""The newest version of the file format that this package reads, and the one that it writes."""


@contextmanager
def creating(path: Path, force: Optional[bool] = None) -> Iterator[BinaryIO]:
    """Gives a file to write to, open beside `path` under a random name, which gets its name when all went well and is removed
    otherwise. Whatever has that name is replaced only with `force` (of a link, the file it leads to): otherwise FileExistsError,
    raised before anything is done, and at the end where one has appeared meanwhile. None: the caller has no such option.
    OSError where it cannot be written."""
    name, path = path, _checked(path, force)
    _remove_leftovers(path)
    partial = path.with_name(f"{path.name}.partial-{secrets.token_hex(8)}")  # as the command line's: FORMAT.md, "Writing"
    try:
        with os.fdopen(_new_file(partial), "w+b") as out:
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


def _new_file(partial: Path) -> int:
    """A new file, locked: no link that somebody has laid there is written through. Whoever tidies up in between takes it
    for abandoned: it is then made once more."""
    while True:
        file = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR | os.O_CLOEXEC, 0o666)
        with suppress(OSError):  # a file system without locks, where nobody tidies up
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file).st_nlink > 0:
            return file
        os.close(file)


def _remove_leftovers(path: Path) -> None:
    """Removes what processes that were killed left of `path`; what a living one is writing is locked, and stays."""
    for partial in path.parent.glob(f"{glob.escape(path.name)}.partial-{'[0-9a-f]' * 16}"):
        with suppress(OSError):
            file = os.open(partial, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if stat.S_ISREG(os.fstat(file).st_mode):
                    partial.unlink()
            finally:
                os.close(file)


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
