"""A mesh as one array, for frameworks whose functions take arrays and no objects."""

import functools

import numpy as np

from . import Mesh, MeshChip

PHASES = ("theta", "phi", "output_phase")
ERRORS = ("alpha", "beta", "theta_arm_loss_db", "phi_arm_loss_db", "theta_other_loss_db", "phi_other_loss_db")
"""Those that have derivatives."""
_OFFSETS = ("theta_offset", "phi_offset", "output_offset")


def count_of(ports: int, mzis: int) -> int:
    """Elements of bits_of() a mesh of this size, fabricated or not."""
    return 2 * (2 + 2 * ports + 10 * mzis)


def bits_of(mesh: Mesh | MeshChip) -> np.ndarray:
    """Everything in a mesh that acts on light, as int32: the bits of float64 numbers, which no framework rounds."""
    phases = [getattr(mesh, name) for name in PHASES]
    if isinstance(mesh, MeshChip):
        errors = [getattr(mesh.errors, name) for name in (*ERRORS, *_OFFSETS)]
        return np.concatenate([[1.0, mesh.errors.idle_arm_loss_db], *phases, *errors]).view("i4")
    numbers = np.zeros(count_of(len(mesh.output_phase), len(mesh.theta)) // 2)
    numbers[2:2 + sum(map(len, phases))] = np.concatenate(phases)
    return numbers.view("i4")


def mesh_of(bits: np.ndarray, ports: int, topology: str) -> Mesh | MeshChip:
    """The mesh whose bits_of() these are, as far as light can tell."""
    numbers = np.ascontiguousarray(bits).view("f8")
    like, phases, errors = _like(ports, topology, bool(numbers[0]))
    mesh = like.copy()
    for name, part in phases:
        setattr(mesh, name, numbers[part])
    if isinstance(mesh, MeshChip):
        of_mesh = mesh.errors
        for name, part in errors:
            setattr(of_mesh, name, numbers[part])
        of_mesh.idle_arm_loss_db = float(numbers[1])
    return mesh


_Places = list[tuple[str, slice]]


@functools.lru_cache(maxsize=64)
def _like(ports: int, topology: str, fabricated: bool) -> tuple[Mesh | MeshChip, _Places, _Places]:
    """A mesh of this wiring, and where the arrays of phases and of errors lie."""
    mesh = Mesh(ports, topology)
    chip = mesh.fabricate("ideal")
    places, at = [], 2
    for owner, names in ((chip, PHASES), (chip.errors, (*ERRORS, *_OFFSETS))):
        for name in names:
            places.append((name, slice(at, at := at + len(getattr(owner, name)))))
    return chip if fabricated else mesh, places[:len(PHASES)], places[len(PHASES):]
