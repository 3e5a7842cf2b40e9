"""A result file, opened."""

from __future__ import annotations

import os
import sys
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Optional, Union

import h5py
import xarray

from .._hdf5 import Refused, opened
from .errors import NotAResult, NotInResult
from .provenance import Provenance, provenance_of
from .reader import attributes_of, dimensions_of, read_group, reading, require_open

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


CALCULATED = ("interconnect", "designs", "operating_points", "testbeds", "light_paths", "competitions", "iterations", "days",
              "failures")
"""Groups of files of no study: their rows are calculated, with nothing drawn at random."""


class Run:
    """One result file. Groups are read when first asked for, their numbers when first looked at.

    Close it, or use it in a `with` statement: what has not been looked at by then is gone.
    """

    def __init__(self, path: Path, file: Any) -> None:
        """For open_run, which checks the file first."""
        self.path = path
        self.provenance: Provenance = provenance_of(file.attrs)
        self._file = file
        self._groups: dict[str, Optional[xarray.Dataset]] = {}

    def group(self, name: str) -> Optional[xarray.Dataset]:
        """The group `name` of the file, such as "onn" or "drift"; None where the file has none."""
        if name not in self._groups:
            require_open(self._file)
            with reading(self.path):
                group = self._file.get(name)
                data = read_group(group) if isinstance(group, h5py.Group) else None
                self._groups[name] = data if data is None or self.provenance.schema_version >= 5 else with_present_variants(data)
        return self._groups[name]

    def require(self, name: str, *datasets: str, by: str = "") -> xarray.Dataset:
        """The group `name`. Raises NotInResult where the file has none, or one without one of the `datasets`, which a file
        written `by` this command has."""
        data = self.group(name)
        if data is None:
            raise NotInResult(f"{self.path} has no group '{name}' (its groups: {', '.join(self._file) or 'none'}). "
                              "Name one of these, or let the study record it and run it again.")
        if missing := [dataset for dataset in datasets if dataset not in data]:
            raise NotInResult(f"{self.path} has a group '{name}' without {', '.join(missing)}. Write it with {by}.")
        return data

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """All attributes of the file's root: where it comes from, its settings as TOML, its warnings."""
        with reading(self.path):
            return attributes_of(self._file)

    @property
    def trials(self) -> Optional[xarray.Dataset]:
        """Raw results: the axes of the sweeps, `trial`, then those of the quantity. NaN: not run."""
        return self.group("trials")

    @property
    def summary(self) -> Optional[xarray.Dataset]:
        """Means, quantiles and their 95 % intervals over trials: the axes of the sweeps, then the quantity's."""
        return self.group("summary")

    @property
    def ablation(self) -> Optional[xarray.Dataset]:
        """Share of every error source in the variance, over the axis `source`."""
        return self.group("ablation")

    @property
    def training(self) -> Optional[xarray.Dataset]:
        """The learning curve, over the axis `epoch`."""
        return self.group("training")

    @property
    def gradient(self) -> Optional[xarray.Dataset]:
        """One real gradient, exact and as received, over the axes `path` and `element`."""
        return self.group("gradient")

    @property
    def eye(self) -> Optional[xarray.Dataset]:
        """Received levels (digit) of chip 0, over the axes `variant`, `word` and `digit`."""
        return self.group("eye")

    @property
    def laws(self) -> Optional[xarray.Dataset]:
        """The laws of physics that optinc validate checked, over the axis `check`."""
        return self.group("laws")

    @property
    def scattering(self) -> xarray.DataArray:
        """Scattering matrices of a circuit (optinc circuit): complex, over `wavelength` [m], `port_out` and `port_in`; of many
        draws of its settings, over `draw` first.

        Raises NotInResult where the file has none.
        """
        drawn = self.group("circuit_draws")
        parts = (drawn if drawn is not None else self.require("circuit"))["scattering"]
        joined: xarray.DataArray = parts.sel(complex="re", drop=True) + 1j * parts.sel(complex="im", drop=True)
        return joined.rename("scattering").assign_attrs(parts.attrs)

    @property
    def series(self) -> tuple[str, ...]:
        """Names of the groups `series/NAME`, one a Monte-Carlo law, in the order of the file."""
        return tuple(self._file["series"]) if "series" in self._file else ()

    @cached_property
    def sweeps(self) -> tuple[str, ...]:
        """Names of the axes of the sweeps, outermost first; empty without sweeps or trials."""
        if "trials/completed" not in self._file:
            return ()
        with reading(self.path):
            return tuple(name for name in dimensions_of(self._file["trials/completed"]) if name != "trial")

    @property
    def asked_and_run(self) -> tuple[int, int]:
        """Trials over all sweep points: how many were asked for, how many were run. (0, 0) without trials."""
        if self.trials is None:
            return 0, 0
        with reading(self.path):
            completed = self.trials["completed"]
            return completed.size, int(completed.sum())

    @property
    def incomplete(self) -> bool:
        """Whether trials are still to be run. The file says so; where it does not, whether any was left out."""
        asked, done = self.asked_and_run
        return done < asked if self.provenance.complete is None else not self.provenance.complete

    @cached_property
    def config(self) -> dict[str, Any]:
        """Every setting in force, as nested dictionaries; none in a file of no study. Raises NotAResult where the
        file's copy is no TOML."""
        try:
            return dict(tomllib.loads(str(self._file.attrs.get("config_toml", ""))))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise NotAResult(f"{self.path} holds settings that cannot be read (attribute config_toml: {error}). "
                             "Run the study again.") from None

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Run {self.path}: {self.provenance.title}, sweeps {', '.join(self.sweeps) or 'none'}>"


def with_present_variants(data: xarray.Dataset) -> xarray.Dataset:
    """A group of a file before schema version 5 with its variants by their present names.

    "corrected" meant what "corrected_quadrature" does now, and "corrected_nearest" what "corrected" does.
    """
    if "variant" not in data.coords:
        return data
    present = {"corrected": "corrected_quadrature", "corrected_nearest": "corrected"}
    names = data["variant"]
    return data.assign_coords(variant=(names.dims, [present.get(str(name), str(name)) for name in names.values], names.attrs))


def open_run(path: Union[str, os.PathLike[str]]) -> Run:
    """Opens the result file at `path` for reading.

    Raises NotAResult for a missing file, one that is not HDF5, is cut off or damaged, one that OptINC did not write,
    and one of a newer schema than SCHEMA_VERSION.
    """
    path = Path(path)
    if not path.is_file():
        why = ("it is a folder" if path.is_dir() else "it is a pipe or a device" if path.exists() else "there is no such file")
        raise NotAResult(f"{path} cannot be opened ({why}). Make it with: optinc run STUDY.toml -o FILE")
    try:
        file = opened(path)
    except Refused as error:
        raise NotAResult(str(error)) from None
    except OSError as error:
        why = " ".join(str(error).split())
        raise NotAResult(f"{path} cannot be opened ({why}). A result is an HDF5 file made by optinc run.") from None
    try:
        check_root(path, file)
        with reading(path):
            return Run(path, file)
    except BaseException:
        file.close()
        raise


def check_root(path: Path, file: Any) -> None:
    """Raises NotAResult unless the root attributes are those of a result this package reads."""
    needed = ("schema_version",) if {"laws", "circuit", "circuit_draws", "part_draws", *CALCULATED} & set(file) else ("schema_version", "run_id", "config_toml")
    missing = [name for name in needed if name not in file.attrs]
    if missing:
        raise NotAResult(f"{path} is not a result of OptINC (it has no attribute {', '.join(missing)}). "
                         "Give a file made by optinc run, or by optinc validate.")
