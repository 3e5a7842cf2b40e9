"""What the tests of faults share: studies, journals read byte by byte, processes caught at a moment."""

import contextlib
import itertools
import os
import pathlib
import signal
import struct
import sys
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/experiments"), str(ROOT / "python/src")]
from meshes import journal_of, mesh_study  # noqa: E402, F401

MAGIC = b"OPTINCJ1"
HEAD = struct.Struct("<IIQQQ")  # kind, checksum, point, trial, payload bytes
HEADER, PRELUDE, TRIAL = 1, 2, 3


def checksum_of(kind, point, trial, payload):
    return zlib.crc32(HEAD.pack(kind, 0, point, trial, len(payload)) + payload)


def frame(kind, payload, point=0, trial=0):
    return HEAD.pack(kind, checksum_of(kind, point, trial, payload), point, trial, len(payload)) + payload


def frames(journal):
    """(kind, point, trial, end) of every whole frame of a journal's bytes, up to the first that is not."""
    at = len(MAGIC)
    while at + HEAD.size <= len(journal):
        kind, checksum, point, trial, size = HEAD.unpack_from(journal, at)
        end = at + HEAD.size + size
        if end > len(journal) or checksum_of(kind, point, trial, journal[at + HEAD.size:end]) != checksum:
            return
        yield kind, point, trial, end
        at = end


def ends(path, count):
    """Where the first frames of a journal end, `count` at most."""
    with open(path, "rb") as file:
        return [end for *_, end in itertools.islice(frames(file.read(1 << 20)), count)]


def size_of(path):
    """Bytes of a file; none where it is not there."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def whole_part(path):
    """The bytes of a journal up to its last whole frame; none where there is no journal."""
    journal = path.read_bytes() if path.exists() else b""
    ends = [end for *_, end in frames(journal)]
    return journal[:ends[-1]] if ends else b""


def trials_in(journal):
    return sum(kind == TRIAL for kind, *_ in frames(journal))


def trials_kept(output):
    """How many trials the journal of an output holds."""
    return trials_in(whole_part(journal_of(output)))


def wait_until(process, there, seconds=60.0):
    """Waits, busily for the first moments are short, until there() or the process ends; false then."""
    end = time.monotonic() + seconds
    while not there():
        if process.poll() is not None:
            return False
        if time.monotonic() > end:
            process.kill()
            raise TimeoutError("the process did not come to the moment it was waited for")
    return True


@contextlib.contextmanager
def standing_still(process):
    """A process that does not go on meanwhile: what is tried meets it in its midst, on however slow a machine."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)
