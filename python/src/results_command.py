"""The command line optinc-results, of the package beside this file, and no Python code of the current folder.

Result files are shared in folders that others can write to. `python -m` and `python -c` put the current folder first on
Python's search path, so that a file h5py.py beside a result would be executed; a script puts its own folder there. An empty
or relative entry of PYTHONPATH is the current folder too: start this file with `python3 -E`, which ignores the variable, and
it adds the absolute entries itself. Matplotlib would also take its settings, LaTeX included, from a matplotlibrc of the current
folder.

Exit status 69 when this Python lacks a package that optinc.results needs: the caller tries the next Python.
"""

import importlib.util
import os
import sys

PACKAGES = ("h5py", "matplotlib", "scipy", "xarray")
MISSING = 69  # EX_UNAVAILABLE of sysexits.h

if sys.flags.ignore_environment:
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[1:1] = [entry for entry in entries if os.path.isabs(entry)]
if not all(map(importlib.util.find_spec, PACKAGES)):
    sys.exit(MISSING)

working_folder = os.open(".", os.O_PATH | os.O_DIRECTORY)  # also where it may be entered, but not listed
os.chdir(os.path.dirname(os.path.abspath(__file__)))
import matplotlib  # noqa: E402, F401  reads its settings on import

os.fchdir(working_folder)
os.close(working_folder)

from optinc.results.__main__ import main  # noqa: E402

sys.exit(main())
