"""The build backend: scikit-build-core, whose source distributions also take what lies beside this folder, and which takes the
headers of XLA where OPTINC_JAX is set."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from scikit_build_core import build as _scikit
from scikit_build_core.build import *  # noqa: F403  the other hooks

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = ("CMakeLists.txt", "LICENSE", "cmake", "physics", "onn", "experiments", "python")


# The oldest that optinc.jax works with (of Python 3.14, the oldest that there is): XLA refuses calls compiled for a later interface than its own
JAXLIB = ("jaxlib>=0.6.1,<0.7; python_version < '3.14'", "jaxlib>=0.7.1,<0.8; python_version >= '3.14'")


def get_requires_for_build_wheel(config_settings=None):
    """Also jaxlib, 150 MB with what it needs, for its headers."""
    return [*_scikit.get_requires_for_build_wheel(config_settings), *(JAXLIB if os.environ.get("OPTINC_JAX") else ())]


def _git(*words):
    return subprocess.run(["git", "-C", PACKAGE.parent, *words], check=True, capture_output=True, text=True).stdout


def build_sdist(sdist_directory, config_settings=None):
    """This folder's description of the package, and in `source` every tracked file that compiling needs."""
    if (PACKAGE / "source").exists():  # this is one
        return _scikit.build_sdist(sdist_directory, config_settings)
    target, before = os.path.abspath(sdist_directory), os.getcwd()
    with tempfile.TemporaryDirectory() as stage:
        for tracked in _git("ls-files", "-z", *SOURCES).split("\0")[:-1]:
            copy = Path(stage, "source", tracked)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PACKAGE.parent / tracked, copy)
        for name in ("pyproject.toml", "README.md"):
            shutil.copy2(PACKAGE / name, stage)
        shutil.copytree(PACKAGE / "backend", Path(stage, "backend"), ignore=shutil.ignore_patterns("__pycache__"))
        Path(stage, "source/revision.txt").write_text(_git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"))
        os.chdir(stage)
        try:
            return _scikit.build_sdist(target, config_settings)
        finally:
            os.chdir(before)
