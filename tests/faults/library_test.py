#!/usr/bin/env python3
"""Results lie in folders that others can write to: no program loads a library that lies in the current one.

Usage: library_test.py PLANTED.so FILE...: programs, and libraries such as the Python module, as they were built or installed"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PLANTED, *FILES = map(pathlib.Path, sys.argv[1:])

# loads a Python module, without a look at whether its libraries have what it wants
LOAD = """import importlib.machinery as m, importlib.util as u, os, sys
sys.setdlopenflags(os.RTLD_LAZY)
u.module_from_spec(u.spec_from_loader("_core", m.ExtensionFileLoader("_core", sys.argv[1])))
"""


def dynamic_section(path, kind):
    """The values of these entries of an ELF file."""
    shown = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True).stdout
    return re.findall(rf"\({kind}\).*\[(.*)\]", shown)


# Fails without CMAKE_SKIP_BUILD_RPATH: CMake ends library paths that it will change at installation with a colon, and an
# empty entry is the current folder
class Libraries(unittest.TestCase):
    def test_every_folder_of_the_library_path_is_absolute(self):
        for path in FILES:
            for entries in dynamic_section(path, "(?:RUNPATH|RPATH)"):
                for entry in entries.split(":"):
                    self.assertRegex(entry, r"^(/|\$ORIGIN)", f"{path}: [{entries}]")

    def test_a_library_of_the_current_folder_is_not_loaded(self):
        for path in FILES:
            with self.subTest(path=path.name), tempfile.TemporaryDirectory() as folder:
                self.assertIn("libgomp.so.1", dynamic_section(path, "NEEDED"))
                shutil.copy(PLANTED, pathlib.Path(folder, "libgomp.so.1"))
                load = [sys.executable, "-c", LOAD]
                command = [*([] if os.access(path, os.X_OK) and ".so" not in path.name else load), path.resolve(), "--version"]
                loaded = pathlib.Path(folder, "LOADED")
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
                self.assertFalse(loaded.exists())
                self.assertNotIn("cannot open shared object", done.stderr)
                # where it is asked for, it is: the trap works
                subprocess.run(command, cwd=folder, capture_output=True, env={**os.environ, "LD_LIBRARY_PATH": folder})
                self.assertTrue(loaded.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
