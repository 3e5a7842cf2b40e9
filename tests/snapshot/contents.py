"""What an output holds, as {name: array of numbers or list of texts}: HDF5, JSON, CSV and Touchstone files."""

import hashlib
import json
import re

import h5py
import numpy as np

# Where a file came from and how long it took: two runs of one program differ in these. Attributes of the root, datasets.
IGNORED = {
    "created_utc": "date of the run", "command": "command line, with its paths and threads",
    "git_revision": "revision of the program", "optinc_version": "its version", "build_target": "told by `program`",
    "compiler": "told by `program`",
    "laws/seconds": "time that a law took", "laws[].seconds": "the same in JSON",
}
DIMENSION_SCALES = {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates"}


def ignored(name):
    """Whether a dataset, its attributes, or an attribute of the root (in JSON: of `provenance`) are left out."""
    base, _, attribute = name.partition("@")
    return (base or attribute).removeprefix("provenance.") in IGNORED


def as_text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def plain(value):
    """An array of numbers, or a list of texts."""
    array = np.asarray(value)
    return [as_text(v) for v in array.ravel()] if array.dtype.kind in "OSU" else array


def of_hdf5(path):
    found = {}

    def look(node):
        base = node.name.strip("/")
        for key, value in node.attrs.items():
            if key not in DIMENSION_SCALES:
                found[f"{base}@{key}"] = plain(value)
        if isinstance(node, h5py.Dataset):
            found[base] = plain(node[()])
            found[f"{base}@dimensions"] = [(d.keys() or ["-"])[0] for d in node.dims]

    with h5py.File(path, "r") as file:
        look(file)
        file.visititems(lambda _, node: look(node))
    return found


def leaves(value, path, found):
    """Gathers the leaves of JSON: all values that stand at one place of a list's elements become one array."""
    if isinstance(value, dict):
        for key, below in value.items():
            leaves(below, f"{path}.{key}" if path else key, found)
    elif isinstance(value, list):
        found.setdefault(f"{path}[]@lengths", []).append(len(value))
        for below in value:
            leaves(below, f"{path}[]", found)
    else:
        found.setdefault(path, []).append(value)


def of_json(text):
    lists, found = {}, {}
    leaves(json.loads(text), "", lists)
    for name, values in lists.items():
        texts = any(isinstance(v, str) for v in values)
        found[name] = ([str(v) for v in values] if texts else
                       np.array([np.nan if v is None else v for v in values]))
    return found


def of_table(text):
    """Comments but those of IGNORED; column by column of a CSV with names; all numbers of other tables."""
    comments = [line for line in text.splitlines() if re.match(r"[#!]", line)]
    rows = [line for line in text.splitlines() if line.strip() and line not in comments]
    told = [c for c in comments if c.lstrip("#! ").split(":")[0] not in IGNORED]
    found = {"comments": told}
    if "," not in rows[0]:
        return {**found, "numbers": np.array([float(word) for row in rows for word in row.split()])}
    table = [row.split(",") for row in rows]
    for name, *column in zip(*table):
        try:
            found[name] = np.array([float(cell) if cell else np.nan for cell in column])
        except ValueError:
            found[name] = list(column)
    return found


def of_file(path):
    """Contents of an output file by its ending."""
    if path.suffix == ".h5":
        return of_hdf5(path)
    return of_json(path.read_text()) if path.suffix == ".json" else of_table(path.read_text())


def kept(contents):
    """Without what IGNORED names."""
    return {name: value for name, value in contents.items() if not ignored(name)}


def entry(value):
    """What the record says of a value: type, shape and SHA-256 of its bytes; the text itself where it is text."""
    if isinstance(value, list):
        return {"type": "text", "shape": [len(value)], "sha256": hashlib.sha256("\0".join(value).encode()).hexdigest(),
                "text": value}
    value = np.ascontiguousarray(value)
    return {"type": str(value.dtype), "shape": list(value.shape), "sha256": hashlib.sha256(value.tobytes()).hexdigest()}
