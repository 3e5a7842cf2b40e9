"""One small file of every kind in result_samples, for the tests of the Python package; warnings are errors.

Ends the process with status 77 (skipped) where a module is missing."""

import contextlib
import io
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python/src"), str(Path(__file__).resolve().parent)]
sys.dont_write_bytecode = True
try:
    import result_samples as samples
    from optinc.results.__main__ import main
except ModuleNotFoundError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

FOLDER = tempfile.TemporaryDirectory()
FILES = {make.__name__: Path(FOLDER.name) / f"{make.__name__}.h5" for make in samples.ALL}


def make_files():
    """For setUpModule."""
    warnings.simplefilter("error")
    for make in samples.ALL:
        make(FILES[make.__name__])


def command(*words):
    """Exit status, standard output and standard error of the command line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(word) for word in words])
    return status, out.getvalue(), err.getvalue()
