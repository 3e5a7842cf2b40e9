"""Files that laboratories and the command line exchange: phases, errors of meshes, matrices; pictures of meshes.

Both sides read what the other writes (experiments/files/hdf5/FORMAT.md, "Phases, matrices and chips"). Methods of Mesh and
MeshChip stand for most of this module; matrices have functions:

    target = optinc.load_matrix("target.csv")
    mesh = optinc.Mesh.from_unitary(target)
    mesh.save("phases.csv")                       # optinc transfer phases.csv -o matrix.h5
    optinc.save_matrix(mesh.matrix(), "matrix.csv")
    frequency_hz, s = optinc.load_touchstone("measured.s2p")

HDF5 needs h5py (extra `results`), pictures matplotlib.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from ._core import (Chip, Mesh, MeshChip, MeshErrors, Unit, matrix_of_table, matrix_of_touchstone, measured_of_columns, measured_of_table, mesh_of_columns,
                    phases_of_table, spectrum_of_touchstone, touchstone_rows, version)
from ._files import SCHEMA_VERSION, creating

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ERRORS = {"alpha": "alpha_rad", "beta": "beta_rad", "theta_offset": "theta_offset_rad", "phi_offset": "phi_offset_rad",
           "theta_arm_loss_db": "theta_arm_loss_db", "phi_arm_loss_db": "phi_arm_loss_db",
           "theta_other_loss_db": "theta_other_loss_db", "phi_other_loss_db": "phi_other_loss_db"}
"""Errors of MZIs by their columns in tables."""
_DATASETS = {name: name.removesuffix("_db") for name in _ERRORS}
"""The same by their datasets in HDF5."""


def load_matrix(path: str | os.PathLike[str], frequency_hz: float | None = None, convention: str | None = None) -> np.ndarray[Any, Any]:
    """The matrix of a file, complex128 (rows, columns): .csv (of OptINC, NumPy, pandas, MATLAB, or a spreadsheet with decimal
    commas), .npy, .npz with one array, .h5 (dataset `matrix`), or Touchstone .sNp, of which the block from the first to the
    last N/2 ports at `frequency_hz` (default: c / 1550 nm) is taken; `convention` "rf" or "optics": its sign of phase.

    Raises FileNotFoundError, ValueError naming file and line for what is no matrix, ImportError without h5py for .h5.
    """
    file = _existing(path)
    kind = file.suffix.lower()
    if kind == ".csv":
        return matrix_of_table(str(file))
    if kind in (".npy", ".npz"):
        arrays = list(_arrays(file).values())
        if len(arrays) != 1:
            raise ValueError(f"{file}: {len(arrays)} arrays (one, the matrix, is read). Save it alone.")
        return _matrix(arrays[0], file)
    if kind == ".h5":
        with _opened(file) as stored:
            if "matrix" not in stored:
                raise ValueError(f"{file}: no dataset matrix (it holds the matrix). Save it under that name.")
            found = np.asarray(stored["matrix"])
        if found.dtype.names is not None and len(found.dtype.names) == 2:  # as MATLAB stores complex numbers
            found = found[found.dtype.names[0]] + 1j * found[found.dtype.names[1]]
        elif found.ndim == 3 and found.shape[2] == 2:
            found = found[..., 0] + 1j * found[..., 1]
        return _matrix(found, file)
    return matrix_of_touchstone(str(file), frequency_hz, convention)


def load_touchstone(path: str | os.PathLike[str], convention: str | None = None) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Frequencies, float64 (n,) [Hz], and scattering matrices, complex128 (n, ports, ports), of a Touchstone file, .sNp or .ts.

    s[k, i, j]: field out of port i for a field of 1 into port j, with the phase of OptINC, exp(+i beta L). `convention` "rf" or
    "optics": the file's sign of phase (left out: what its header says, else rf, which network analysers have). Raises
    FileNotFoundError, and ValueError naming file and line for what is none.
    """
    return spectrum_of_touchstone(str(_existing(path)), convention)


def save_touchstone(path: str | os.PathLike[str], frequency_hz: Any, s: Any, ports: Sequence[str] | None = None, convention: str = "rf",
                    force: bool = False) -> None:
    """Writes scattering matrices s (n, ports, ports) at frequencies (n,) [Hz] as Touchstone: version 1 (.sNp, N the number of
    ports), or 2 (.ts). load_touchstone() reads the same numbers back.

    `ports`: names, for comments. `convention` "rf": exp(-j beta L), as other programs expect it; "optics": exp(+j beta L).
    Raises FileExistsError where there is a file of that name unless `force`, ValueError for frequencies that are not positive
    and rising, other shapes, values that are not finite, and an extension for another number of ports.
    """
    file, hz, values = Path(path), np.asarray(frequency_hz, float), np.asarray(s, complex)
    if hz.ndim != 1 or len(hz) < 1 or values.ndim != 3 or values.shape[1] < 1 or values.shape != (len(hz), values.shape[1], values.shape[1]):
        raise ValueError(f"{file}: frequencies {hz.shape} and S {values.shape} ((n,) and (n, ports, ports) are written). Give these.")
    if not (np.isfinite(hz).all() and hz[0] > 0 and (np.diff(hz) > 0).all() and np.isfinite(values).all()):
        raise ValueError(f"{file}: frequencies are positive and rise, and every value is finite. Sort or correct them.")
    names = list(ports) if ports is not None else [f"port{p}" for p in range(1, values.shape[1] + 1)]
    if len(names) != values.shape[1]:
        raise ValueError(f"{file}: {len(names)} names of {values.shape[1]} ports. Name each.")
    header = [f"OptINC file, schema_version: {SCHEMA_VERSION}", f"optinc_version: {version}"]
    header += [f"port {p} is {name!r}" for p, name in enumerate(names, 1)]
    version_of = {f".s{values.shape[1]}p": 1, ".ts": 2}

    def text() -> str:
        rows = touchstone_rows(hz.tolist(), values, convention, version_of[file.suffix.lower()])
        return "".join(f"! {line}\n" for line in header) + rows + "! end of file\n"

    _write(file, force, {extension: text for extension in version_of}, "OptINC: scattering matrices")


def save_matrix(matrix: Any, path: str | os.PathLike[str], force: bool = False) -> None:
    """Writes a matrix (rows, columns) to a file that load_matrix(), `optinc program` and studies (mesh.target) read: .csv,
    .npy or .h5, by the extension.

    Raises FileExistsError where there is a file of that name unless `force`, ValueError for another extension, shapes other
    than two axes and values that are not finite, ImportError without h5py for .h5.
    """
    file = Path(path)
    values = _matrix(np.asarray(matrix), file)

    def table() -> str:
        rows = "".join(f"{i},{j},{value.real!r},{value.imag!r}\n" for i, row in enumerate(values.tolist()) for j, value in enumerate(row))
        return f"row,column,re,im\n{rows}"

    def hdf5(stored: Any) -> None:
        _dimensioned(stored, "matrix", np.stack((values.real, values.imag), -1),
                     (("output", range(values.shape[0])), ("input", range(values.shape[1])), ("complex", ["re", "im"])), "1", "field transmission")

    _write(file, force, {".csv": table, ".npy": lambda: values, ".h5": hdf5}, "OptINC: a matrix")


def save_mesh(mesh: Mesh | MeshChip, path: str | os.PathLike[str], force: bool = False) -> None:
    """Mesh.save()."""
    column, upper, lower = mesh.column, mesh.upper, mesh.lower

    def table() -> str:
        rows = [f"mzi,mesh,{c},{u},{low},{theta!r},{phi!r}" for c, u, low, theta, phi in
                zip(column, upper, lower, mesh.theta.tolist(), mesh.phi.tolist())]
        rows += [f"output,mesh,,{port},,,{phase!r}" for port, phase in enumerate(mesh.output_phase.tolist())]
        return "\n".join(["kind,mesh,column,upper,lower,theta_rad,phi_rad", *rows, ""])

    def arrays() -> dict[str, Any]:
        return {"column": column, "upper": upper, "lower": lower, "theta_rad": mesh.theta, "phi_rad": mesh.phi, "output_rad": mesh.output_phase}

    def hdf5(stored: Any) -> None:
        phases = stored.create_group("phases")
        _dimension(phases, "mesh_name", ["mesh"], "1", "names of the meshes, which are the groups below")
        group = phases.create_group("mesh")
        _dimensioned(group, "output_phase", mesh.output_phase, (("port", range(mesh.ports)),), "rad", "phase screen behind the last column")
        if len(column) > 0:
            for name, values, unit, meaning in (("column", column, "1", "column that light meets it in"), ("upper", upper, "1", "upper port"),
                                                ("lower", lower, "1", "lower port"), ("theta", mesh.theta, "rad", "internal phase; 0 is cross, pi is bar"),
                                                ("phi", mesh.phi, "rad", "external phase, upper input")):
                _dimensioned(group, name, values, (("mzi", range(len(column))),), unit, meaning)

    _write(Path(path), force, {".csv": table, ".npz": arrays, ".h5": hdf5}, "OptINC: phases of meshes")


def load_mesh(path: str | os.PathLike[str], name: str | None = None) -> Mesh:
    """Mesh.load()."""
    file = _existing(path)
    kind = file.suffix.lower()
    if kind == ".csv":
        meshes = dict(phases_of_table(str(file)))
    elif kind == ".npz":
        meshes = {"mesh": mesh_of_columns({key: np.atleast_1d(value).tolist() for key, value in _arrays(file).items()}, str(file))}
    elif kind == ".h5":
        with _opened(file) as stored:
            if "phases" not in stored or "mesh_name" not in stored["phases"]:
                raise ValueError(f"{file}: no group phases (optinc program writes one). Give a file of phases.")
            meshes = {}
            for each in (_text(given) for given in stored["phases/mesh_name"][()]):
                group = stored[f"phases/{each}"]
                rows = {f"{key}_rad" if key in ("theta", "phi") else key: group[key][()].tolist() if key in group else []
                        for key in ("column", "upper", "lower", "theta", "phi")}
                meshes[each] = mesh_of_columns({**rows, "output_rad": group["output_phase"][()].tolist()}, f"{file}: {each}")
    else:
        raise ValueError(f"{file}: extension \"{kind}\" is unknown for phases (known: .csv, .h5, .npz). Rename the file.")
    if name is None and len(meshes) == 1:
        return next(iter(meshes.values()))
    if name not in meshes:
        some = ", ".join(list(meshes)[:4]) + (", .." if len(meshes) > 4 else "")
        raise ValueError(f"{file}: {'no mesh is called ' + repr(name) if name else 'it holds several meshes'} (of {len(meshes)}: {some}). Name one.")
    return meshes[name]


def measured(mesh: Mesh, path: str | os.PathLike[str]) -> MeshChip:
    """Mesh.measured()."""
    file = _existing(path)
    kind = file.suffix.lower()
    if kind == ".csv":
        return measured_of_table(mesh, str(file))
    if kind in (".npy", ".npz"):
        arrays = _arrays(file)
        first = next(iter(arrays.values()))
        if first.dtype.names is not None:  # a structured array
            arrays = {field: first[field] for field in first.dtype.names}
        return measured_of_columns(mesh, {key: np.atleast_1d(value).tolist() for key, value in arrays.items()}, str(file))
    if kind != ".h5":
        raise ValueError(f"{file}: extension \"{kind}\" is unknown for errors of a mesh (known: .csv, .h5, .npy, .npz). Rename the file.")
    with _opened(file) as stored:
        if "measured" not in stored:
            raise ValueError(f"{file}: no group measured (it holds the errors of a mesh; a whole chip has others). Give a file of optinc twin.")
        group = stored["measured"]
        columns = {column: group[_DATASETS[of]][()].tolist() for of, column in _ERRORS.items()}
        chip = measured_of_columns(mesh, columns, str(file))
        chip.errors.output_offset = group["output_offset"][()]
        chip.errors.idle_arm_loss_db = float(group["idle_arm_loss"][()])
    return chip


def save_errors(chip: MeshChip, path: str | os.PathLike[str], force: bool = False) -> None:
    """MeshChip.save()."""
    file, errors = Path(path), chip.errors
    columns = {"column": chip.column, "upper": chip.upper, **{column: np.asarray(getattr(errors, name)) for name, column in _ERRORS.items()}}
    losses = [columns[column] for column in columns if column.endswith("_db")]
    if file.suffix.lower() != ".h5":
        idle = float(np.mean(losses)) if len(chip.column) else 0.0
        if np.any(errors.output_offset) or not np.isclose(errors.idle_arm_loss_db, idle, rtol=1e-9, atol=1e-15):
            raise ValueError(f"{file}: errors of output phases, or waveguides that lose other than the mean arm (a table has neither). Name it .h5.")

    def table() -> str:
        rows = (",".join(repr(value) for value in row) for row in zip(*(values.tolist() for values in columns.values())))
        return "\n".join([",".join(columns), *rows, ""])

    def hdf5(stored: Any) -> None:
        _save_errors(stored.create_group("measured"), errors)

    _write(file, force, {".csv": table, ".npz": lambda: columns, ".h5": hdf5}, "OptINC: errors of a mesh")


def load_chip(unit: Unit, path: str | os.PathLike[str]) -> Chip:
    """A chip of the unit with the errors of a file: of `optinc fabricate`, or of save_chip().

    Raises FileNotFoundError, ValueError for a file of another network's chip and one that is none, ImportError without h5py.
    """
    file = _existing(path)
    chip = unit.fabricate("ideal")
    with _opened(file) as stored:
        if "chip" not in stored:
            raise ValueError(f"{file}: no group chip (optinc fabricate writes one). Give its file.")
        for where, errors in _meshes(chip):
            if f"chip/{where}" not in stored:
                raise ValueError(f"{file}: no errors of {where} (the unit has it). Give a chip of this network.")
            group = stored[f"chip/{where}"]
            for name in (*_ERRORS, "output_offset"):
                values = group[_DATASETS.get(name, name)][()]
                if values.shape != np.shape(getattr(errors, name)):
                    raise ValueError(f"{file}: {where} has {values.shape[0]} values of {name} (the unit's has {len(getattr(errors, name))}). "
                                     "Give a chip of this network.")
                setattr(errors, name, values)
            errors.idle_arm_loss_db = float(group["idle_arm_loss"][()])
    return chip


def save_chip(chip: Chip, path: str | os.PathLike[str], force: bool = False) -> None:
    """Writes the errors of a unit's chip to an .h5 file that load_chip() and `--chip` of the tool read.

    Raises FileExistsError where there is a file of that name unless `force`, ValueError for another extension, ImportError
    without h5py.
    """
    def hdf5(stored: Any) -> None:
        group = stored.create_group("chip")
        group.attrs["layers"] = np.int64(len(chip.errors.layers))
        for layer, blocks in enumerate(chip.errors.layers):
            group.create_group(f"layer{layer}").attrs["blocks"] = np.int64(len(blocks))
        for where, errors in _meshes(chip):
            _save_errors(group.create_group(where), errors)

    _write(Path(path), force, {".h5": hdf5}, "OptINC: a fabricated chip")


def _meshes(chip: Chip) -> Any:
    """Place in a file and errors of every mesh of a chip."""
    for layer, blocks in enumerate(chip.errors.layers):
        for number, block in enumerate(blocks):
            yield f"layer{layer}/block{number}/mesh", block.mesh
            yield f"layer{layer}/block{number}/attenuators", block.attenuators


def _save_errors(group: Any, errors: MeshErrors) -> None:
    for name in _ERRORS:
        unit = "dB" if name.endswith("_db") else "rad"
        _dimensioned(group, _DATASETS[name], getattr(errors, name), (("mzi", range(len(errors.alpha))),), unit, f"{name} of the MZIs")
    _dimensioned(group, "output_offset", errors.output_offset, (("port", range(len(errors.output_offset))),), "rad", "added to the output phases")
    _dimensioned(group, "idle_arm_loss", errors.idle_arm_loss_db, (), "dB", "loss of a dummy arm")


def draw(mesh: Mesh | MeshChip, phases: bool = True, power: Any = None) -> Figure:
    """Mesh.draw()."""
    from ._mesh_picture import drawn  # noqa: PLC0415  needs matplotlib
    return drawn(mesh, phases, power)


def _existing(path: str | os.PathLike[str]) -> Path:
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"{file}: no such file (a file is read). Check the path.")
    return file


def _matrix(given: np.ndarray[Any, Any], file: Path) -> np.ndarray[Any, Any]:
    if given.ndim != 2 or given.dtype.kind not in "fciu" or given.size == 0:
        raise ValueError(f"{file}: an array of shape {given.shape} and type {given.dtype} (a matrix has two axes of numbers). Give one.")
    if not np.isfinite(given).all():
        raise ValueError(f"{file}: matrix holds NaN or infinity (every element is finite). Check how it was made.")
    return np.asarray(given, complex)


def _arrays(file: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Arrays of NumPy's file by name; of an .npy, "array"."""
    try:
        found = np.load(file, allow_pickle=False)
        return {name: found[name] for name in found.files} if hasattr(found, "files") else {"array": found}
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{file}: no file of NumPy ({error}). Save it by numpy.save or numpy.savez.") from error


def _write(file: Path, force: bool, makers: dict[str, Callable[..., Any]], title: str) -> None:
    """Writes a new file whole: text, arrays, or HDF5, by its extension."""
    kind = file.suffix.lower()
    if kind not in makers:
        raise ValueError(f"{file}: extension \"{kind}\" is unknown here (known: {', '.join(makers)}). Rename the file.")
    if kind == ".h5":
        from ._hdf5 import written  # noqa: PLC0415  an extra
        with written(file, force) as stored:
            stored.attrs.update({"schema_version": SCHEMA_VERSION, "optinc_version": version, "title": title})
            makers[kind](stored)
        return
    made = makers[kind]()
    with creating(file, force) as out:
        if isinstance(made, str):
            out.write(made.encode())
        elif isinstance(made, dict):
            np.savez(out, **made)
        else:
            np.save(out, made)


def _opened(file: Path) -> Any:
    try:
        from ._hdf5 import opened  # noqa: PLC0415  an extra
    except ImportError as missing:
        raise ImportError(f"{file} is an HDF5 file (h5py reads them). Run pip install h5py.") from missing
    return opened(file)


def _dimension(group: Any, name: str, values: Any, unit: str, meaning: str) -> Any:
    import h5py  # noqa: PLC0415  an extra
    values = list(values)
    scale = group.create_dataset(name, data=values, dtype=h5py.string_dtype() if isinstance(next(iter(values), 0), str) else "int64")
    scale.make_scale(name)
    scale.attrs.update({"units": unit, "long_name": meaning})
    return scale


def _dimensioned(group: Any, name: str, values: Any, axes: Any, unit: str, meaning: str) -> None:
    """A dataset over dimensions of its group, which are made where they are missing."""
    data = group.create_dataset(name, data=np.asarray(values))
    for (axis, along), dimension in zip(axes, data.dims):
        if axis not in group:
            _dimension(group, axis, along, "1", f"number of the {axis}" if not isinstance(next(iter(along), 0), str) else "part of a complex number")
        dimension.attach_scale(group[axis])
    data.attrs.update({"units": unit, "long_name": meaning})


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
