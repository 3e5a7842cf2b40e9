"""Fits of device models to measured spectra, and of a fabrication process to devices at known places.

    columns = optinc.fit.read_columns("ring.csv")             # or .h5, .mat
    found = optinc.fit.ring(columns["wavelength_nm"] * 1e-9, through_w, drop_w, near_m=1547.0e-9, circumference_m=62.8e-6)
    print(found)                                              # settings of add_drop_ring with standard errors

Least squares by scipy, the models are those that circuits and studies use. Standard errors are those of a linear model about
the solution, with the variance of the residuals: they hold where residuals are noise without correlation. Needs the extra
`[results]`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple, Sequence

import numpy as np

from ._core import ProcessModel, model_scattering

__all__ = ["Fit", "Interferometers", "Process", "ROUGHNESS_LENGTH_M", "Start", "coupler", "cross_share", "groups_in_halves",
           "least_squares", "mzi", "process", "read_columns", "ring"]

Vector = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Fit:
    """Parameters that were fitted."""

    values: dict[str, float]
    """Parameters by name."""
    errors: dict[str, float]
    """Standard errors of the same; infinite where the data cannot tell a parameter."""
    residuals: Vector = field(repr=False)
    """Measured less fitted, in units of what was fitted."""

    @property
    def rms(self) -> float:
        """rms of the residuals."""
        return float(np.sqrt(np.mean(self.residuals ** 2)))

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    def __str__(self) -> str:
        rows = [f"{name} = {value:.6g} +- {self.errors[name]:.2g}" for name, value in self.values.items()]
        return "\n".join([*rows, f"rms of {self.residuals.size} residuals: {self.rms:.3g}"])


class Start(NamedTuple):
    """Where a parameter starts."""

    value: float
    scale: float
    """A change of it that matters: the unit of the search."""
    least: float = -np.inf
    most: float = np.inf


def least_squares(model: Callable[[dict[str, float]], Any], start: Mapping[str, Start], measured: Any, robust: bool = False) -> Fit:
    """Parameters of a model, {name: value} -> array, that is nearest to what was measured.

    `robust` counts residuals beyond three times their robust spread in proportion (Huber). NaN in `measured` is left out. Raises
    ValueError where there are fewer numbers than parameters.
    """
    from scipy import optimize  # noqa: PLC0415  here: importing it takes a second and 60 MB
    names = list(start)
    at, scale, least, most = np.array([start[name] for name in names]).T
    measured = np.asarray(measured, float).ravel()
    seen = np.isfinite(measured)
    if seen.sum() <= len(names):
        raise ValueError(f"{seen.sum()} measured numbers for {len(names)} parameters (more numbers than parameters are fitted). "
                         "Give more, or fix parameters.")

    def left(z: Vector) -> Vector:
        return np.asarray(measured[seen] - np.asarray(model(dict(zip(names, at + scale * z))), float).ravel()[seen])

    options: dict[str, Any] = {"bounds": ((least - at) / scale, (most - at) / scale), "x_scale": "jac"}
    found = optimize.least_squares(left, np.zeros(len(names)), **options)
    if robust:
        spread = 1.4826 * np.median(abs(found.fun)) or 1.0
        found = optimize.least_squares(left, found.x, loss="huber", f_scale=3 * spread, **options)
    residuals = left(found.x)
    errors = scale * np.sqrt(np.sum(residuals ** 2) / (residuals.size - len(names)) * _variances(found.jac))
    everywhere = np.full(measured.shape, np.nan)
    everywhere[seen] = residuals
    return Fit(dict(zip(names, (at + scale * found.x).tolist())), dict(zip(names, errors.tolist())), everywhere[seen])


def _variances(jacobian: Vector) -> Vector:
    """Diagonal of (J^T J)^-1; infinite for parameters that change nothing, or no more than others can undo."""
    norms = np.linalg.norm(jacobian, axis=0)
    told = norms > 1e-8 * norms.max()
    found = np.full(norms.size, np.inf)
    unit = jacobian[:, told] / norms[told]
    values, vectors = np.linalg.eigh(unit.T @ unit)
    known = values > 1e-10
    lost = np.sum(vectors[:, ~known] ** 2, axis=1) > 1e-6
    found[told] = np.where(lost, np.inf, np.sum(vectors[:, known] ** 2 / values[known], axis=1) / norms[told] ** 2)
    return found


def read_columns(path: str | os.PathLike[str]) -> dict[str, Vector]:
    """Columns of numbers of a file by name: of a CSV file with a line of names, of the datasets of an HDF5 file, or of the
    variables of a MATLAB file (.mat; those of version 7.3 are HDF5).

    Raises OSError where it cannot be read, ValueError where it holds no numbers under names.
    """
    path = Path(path)
    found: dict[str, Any] = {}
    if path.suffix == ".csv":
        table = np.genfromtxt(path, delimiter=",", names=True, dtype=float, encoding="utf-8")
        found = {name: np.atleast_1d(table[name]) for name in table.dtype.names or ()}
    else:
        try:
            import h5py  # noqa: PLC0415
            with h5py.File(path, "r") as file:
                file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
        except OSError:
            if path.suffix != ".mat":
                raise
            from scipy import io  # noqa: PLC0415
            found = {name: value for name, value in io.loadmat(path).items() if not name.startswith("_")}
    columns = {name: np.squeeze(value) for name, value in found.items() if np.asarray(value).dtype.kind in "fiu"}
    if not columns:
        raise ValueError(f"{path} holds no numbers under names (CSV needs a first line of names). Name its columns.")
    return columns


def ring(wavelength_m: Any, through: Any, drop: Any = None, *, near_m: float, circumference_m: float, window_m: float = 1e-9,
         splitting: bool = True) -> Fit:
    """One resonance of a ring: settings of the model `ring`, or of `add_drop_ring` with couplers alike if `drop` is there.

    through, drop: powers, each in any unit (its level is fitted); both (wavelengths,). near_m: where the dip is looked for,
    within half of window_m, which is what is fitted. Fitted: resonance_m, bus_eta_rad, loss_db_per_cm, splitting_m (0 and fixed
    without `splitting`), and the levels of through and drop. Residuals are in units of the level of `through`, those of drop in
    units of its largest power. A spectrum of `through` alone does not tell coupling from loss: swapped, they fit as well.
    """
    wavelength_m, through = np.asarray(wavelength_m, float), np.asarray(through, float)
    near = abs(wavelength_m - near_m) < window_m / 2
    centre = wavelength_m[near][np.argmin(through[near])]
    near = abs(wavelength_m - centre) < window_m / 2
    at, level = wavelength_m[near], float(np.median(through[abs(wavelength_m - centre) < window_m]))
    level = max(level, float(np.quantile(through[near], 0.95)))
    shares = [through[near] / level]
    if drop is not None:
        top = float(np.max(np.asarray(drop, float)[near]))
        shares.append(np.asarray(drop, float)[near] / top)
    guide = _guide(centre, circumference_m)
    name = "ring" if drop is None else "add_drop_ring"

    def model(p: dict[str, float]) -> Any:
        # a resonance elsewhere is the same ring with the wavelengths moved: the spectrum of one is that of the other
        settings = {"length_m": circumference_m, "loss_db_per_cm": p["loss_db_per_cm"], "splitting_m": p.get("splitting_m", 0.0), **guide}
        for bus in ("bus_", "drop_")[:len(shares)]:
            settings |= {bus + "eta_rad": p["bus_eta_rad"], bus + "excess_loss_db": 0.0, bus + "reference_m": centre}
        s = model_scattering(name, settings, at - (p["resonance_m"] - centre))
        first = len(shares)
        powers = [p["through_level"] * abs(s[:, first, 0]) ** 2 * (1 + p["tilt"] * (at - centre) / window_m)]
        if drop is not None:
            powers.append(p["drop_level"] * abs(s[:, first + 1, 0]) ** 2)
        return np.concatenate(powers)

    width = _half_width(at, shares[0])
    fsr = centre ** 2 / (4.2 * circumference_m)
    eta = float(np.sqrt(np.clip(2 * np.pi * 0.4 * width / fsr, 1e-4, 0.5)))
    loss = 0.2 * width * 2 * np.pi / fsr / circumference_m / 100 * 10 / np.log(10)
    start = {"resonance_m": Start(centre, 1e-12), "through_level": Start(1.0, 0.1, 0.0), "tilt": Start(0.0, 0.1)}
    if drop is not None:
        start["drop_level"] = Start(1.0, 0.1, 0.0)
    fits = []
    # the width of a dip is that of a line, or of two: line widths and splittings in units of it
    for line, apart in ((1.0, 0.1), (1.0, 0.6), (0.3, 0.8)) if splitting else ((1.0, None),):
        more = {"bus_eta_rad": Start(eta * np.sqrt(line), eta, 0.0, np.pi / 2), "loss_db_per_cm": Start(loss * line, loss, 0.0)}
        if apart is not None:
            more["splitting_m"] = Start(apart * width, width, 0.0, window_m / 2)
        if apart == 0.8:  # the lower of two dips was taken for the middle: either side
            for side in (-1, 1):
                middle = {"resonance_m": Start(centre + side * apart * width / 2, 1e-12)}
                fits.append(least_squares(model, {**start, **more, **middle}, np.concatenate(shares)))
        fits.append(least_squares(model, {**start, **more}, np.concatenate(shares)))
    return min(fits, key=lambda f: f.rms)


def _guide(centre_m: float, circumference_m: float) -> dict[str, float]:
    """Settings of the default waveguide with a resonance at a wavelength: its index, moved by less than half an order."""
    index = 2.44365
    order = round(index * circumference_m / centre_m)
    return {"index": order * centre_m / circumference_m, "reference_m": centre_m}


def _half_width(at: Vector, share: Vector) -> float:
    """Full width at half depth of the lowest dip."""
    low = share < (share.min() + np.quantile(share, 0.95)) / 2
    return float(max(low.sum(), 2) * np.median(np.diff(at)))


def coupler(length_m: Any, wavelength_m: Any, bar: Any, cross: Any, *, reference_m: float = 1550e-9, coupling_per_m: float = 6e4,
            port_ratio: bool = True) -> Fit:
    """A sweep of directional couplers over length: the share of power that crosses, sin^2 eta,

        eta = coupling_per_m (length + extra_length) (1 + eta_relative_slope_per_m (wavelength - reference)).

    All of one shape. bar, cross: powers in one unit. `extra_length` is what the bends couple; `port_ratio` (cross over bar) is
    fitted for ports behind couplers that differ, else 1. Residuals are shares of the power. coupling_per_m: where to start, within
    a factor of two.
    """
    length_m, wavelength_m, bar, cross = (np.asarray(v, float).ravel() for v in (length_m, wavelength_m, bar, cross))
    start = {"coupling_per_m": Start(coupling_per_m, 0.1 * coupling_per_m, 0.0), "extra_length_m": Start(3e-6, 1e-6),
             "eta_relative_slope_per_m": Start(4e6, 1e6)}
    if port_ratio:
        start["port_ratio"] = Start(1.0, 0.1, 0.1, 10.0)
    return least_squares(lambda p: cross_share(p, length_m, wavelength_m, reference_m), start, cross / (bar + cross))


def cross_share(p: Mapping[str, float], length_m: Any, wavelength_m: Any, reference_m: float = 1550e-9) -> Vector:
    """The share that crosses in couplers fitted by coupler(), as their ports show it."""
    eta = (p["coupling_per_m"] * (np.asarray(length_m) + p["extra_length_m"])
           * (1 + p["eta_relative_slope_per_m"] * (np.asarray(wavelength_m) - reference_m)))
    crossed = p.get("port_ratio", 1.0) * np.sin(eta) ** 2
    return np.asarray(crossed / (crossed + np.cos(eta) ** 2))


def mzi(wavelength_m: Any, power: Any, delta_m: float, *, index: float = 2.44365, group_index: float = 4.18,
        reference_m: float = 1550e-9) -> Fit:
    """The spectrum of an unbalanced interferometer of two waveguides alike, delta_m longer one than the other:

        power = envelope (1 + visibility cos(2 pi delta n(wavelength) / wavelength)) / 2,

    the envelope a cubic in dB. Fitted: effective index at reference_m, its slope (as the group index) and curvature, visibility,
    envelope. The index is known up to multiples of reference_m / delta_m: the solution next to `index` is given. Residuals are in
    units of the largest power.
    """
    wavelength_m, power = np.asarray(wavelength_m, float), np.asarray(power, float)
    power = power / power.max()
    x = (wavelength_m - reference_m) * 1e6
    u = x / abs(x).max()

    def phase(p: dict[str, float]) -> Vector:
        slope = (p["index"] - p["group_index"]) / (reference_m * 1e6)
        return np.asarray(2 * np.pi * delta_m * (p["index"] + slope * x + p["curvature_per_um2"] * x ** 2) / wavelength_m)

    def model(p: dict[str, float]) -> Vector:
        envelope = 10 ** ((p["level_db"] + u * (p["tilt_db"] + u * (p["bow_db"] + u * p["cubic_db"]))) / 10)
        return np.asarray(envelope * (1 + p["visibility"] * np.cos(phase(p))) / 2)

    step = reference_m / delta_m
    best = max(((abs(np.sum((power - power.mean()) * np.exp(1j * phase({"index": index, "group_index": g, "curvature_per_um2": 0.0})))),
                 g) for g in group_index + np.linspace(-0.06, 0.06, 241)), key=lambda pair: pair[0])[1]
    turn = np.sum((power - power.mean()) * np.exp(-1j * phase({"index": index, "group_index": best, "curvature_per_um2": 0.0})))
    first = index - step * np.angle(turn) / (2 * np.pi)
    start = {"index": Start(first, step / 20), "group_index": Start(best, step / 5), "curvature_per_um2": Start(0.0, 0.1),
             "visibility": Start(0.99, 0.05, 0.0, 1.05), "level_db": Start(0.0, 1.0), "tilt_db": Start(0.0, 1.0),
             "bow_db": Start(-3.0, 1.0), "cubic_db": Start(0.0, 1.0)}
    found = least_squares(model, start, power)
    found.values["index"] -= step * round((found["index"] - index) / step)
    return found


@dataclass(frozen=True)
class Process:
    """A process that was fitted to interferometers on one die."""

    field_index: float
    """rms of the effective index over the die, correlated by exp(-distance / correlation_length_m)."""
    correlation_length_m: float
    white_rad2_per_m: float
    """Variance of the phase of an arm that no other arm shares, per length of it."""
    group_rad: float
    """rms of what all devices of a group share beside the field: their design."""
    errors: dict[str, float]
    """Standard errors of the natural logarithms of these four."""

    def interval(self, name: str) -> tuple[float, float]:
        """95 % interval of one of the four."""
        value, error = float(getattr(self, name)), self.errors[name]
        return value * float(np.exp(-1.96 * error)), value * float(np.exp(1.96 * error))

    def model(self, start: ProcessModel | None = None, wavelength_m: float = 1550e-9) -> ProcessModel:
        """The process as chips are made by it: spreads over the die of `start` (default: ProcessModel()) scaled by one factor,
        roughness in the width alone. An effective index does not tell width from height; what wafers and dies have in common
        stays as in `start`."""
        process = ProcessModel()
        for name in dir(start) if start else ():
            if not name.startswith("_") and not callable(getattr(start, name)):
                setattr(process, name, getattr(start, name))
        factor = self.field_index / np.hypot(process.width_field_m * process.index_per_width_per_m,
                                             process.height_field_m * process.index_per_height_per_m)
        process.width_field_m, process.height_field_m = factor * process.width_field_m, factor * process.height_field_m
        process.correlation_length_m = self.correlation_length_m
        process.height_roughness_m = 0.0
        process.width_roughness_m = (np.sqrt(self.white_rad2_per_m / ROUGHNESS_LENGTH_M) * wavelength_m
                                     / (2 * np.pi * process.index_per_width_per_m))
        return process


ROUGHNESS_LENGTH_M = 100e-6
"""Length of the arm that roughness of a ProcessModel is given for."""


@dataclass(frozen=True)
class Interferometers:
    """Unbalanced interferometers at known places of a die."""

    place_m: Any
    """Where they lie, (devices, 2)."""
    delta_m: Any
    """How much longer one arm is than the other, (devices,)."""
    arms_m: Any
    """Length of both arms together, (devices,)."""
    index: Any
    """Effective index, known up to multiples of wavelength_m / delta_m, (devices,)."""
    group: Any
    """Number of the group that a device belongs to, whose designs share an offset of the phase, (devices,)."""
    wavelength_m: float = 1550e-9

    def chosen(self, which: Any) -> Interferometers:
        """Those that `which`, a mask, names."""
        place, delta, arms, index, group = (np.asarray(v)[which] for v in (self.place_m, self.delta_m, self.arms_m, self.index, self.group))
        return Interferometers(place, delta, arms, index, group, self.wavelength_m)

    @property
    def rad_per_index(self) -> Vector:
        """Phase per index, (devices,)."""
        return np.asarray(2 * np.pi * np.asarray(self.delta_m) / self.wavelength_m)

    def plane(self) -> Vector:
        """Index and its slopes along x and y (1/m) about the middle of the devices: the plane on which phases, which are known up
        to turns, add up best."""
        from scipy import optimize  # noqa: PLC0415
        steep, places = self.rad_per_index, self._centred()

        def off(p: Vector) -> float:
            return -float(np.mean(np.cos(steep * (np.asarray(self.index) - p[0] - places @ p[1:]))))

        starts = [(n, gx, gy) for n in np.median(self.index) + np.linspace(-2e-3, 2e-3, 9) for gx in np.linspace(-0.5, 0.5, 9)
                  for gy in np.linspace(-0.5, 0.5, 9)]
        first = sorted(starts, key=lambda p: off(np.array(p)))[:5]
        found = [optimize.minimize(off, p, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9,
                                   "initial_simplex": np.array(p) + np.vstack([np.zeros(3), np.diag([2e-4, 0.05, 0.05])])})
                 for p in first]
        return np.asarray(min(found, key=lambda f: f.fun).x)

    def phases(self, plane: Vector) -> Vector:
        """Phase of each less that of the plane, -pi to pi, (devices,)."""
        left = self.rad_per_index * (np.asarray(self.index) - plane[0] - self._centred() @ plane[1:])
        return np.asarray((left + np.pi) % (2 * np.pi) - np.pi)

    def removal(self, groups: bool = True) -> Vector:
        """Matrix (devices, devices) that takes plane and offsets of groups out of phases, each weighted as arms are long."""
        columns = [self.rad_per_index[:, None] * np.column_stack([np.ones(len(self.rad_per_index)), self._centred()])]
        if groups:
            columns.append((np.asarray(self.group)[:, None] == np.unique(self.group)[None, :]).astype(float))
        x = np.hstack(columns)
        weight = 1 / np.asarray(self.arms_m, float)
        return np.asarray(np.eye(len(x)) - x @ np.linalg.pinv(x.T @ (weight[:, None] * x), rcond=1e-12) @ (x.T * weight))

    def covariance(self, process: Process) -> Vector:
        """Of the phases, (devices, devices), without what groups share."""
        away = np.linalg.norm(self._centred()[:, None] - self._centred()[None, :], axis=2)
        shared = process.field_index ** 2 * np.exp(-away / process.correlation_length_m)
        steep = self.rad_per_index
        return np.asarray(steep[:, None] * shared * steep + np.diag(process.white_rad2_per_m * np.asarray(self.arms_m, float)))

    def _centred(self) -> Vector:
        places = np.asarray(self.place_m, float)
        return np.asarray(places - places.mean(axis=0))


def process(devices: Interferometers) -> Process:
    """The process that most likely made these interferometers: a field over the die, a white part of every arm, and offsets that
    the devices of a group share, all normal; a plane is taken out beforehand. Phases beyond four standard deviations of what the
    others say are left out, once.

    Maximum likelihood by the covariance of all phases; standard errors by its curvature, so that they count that one die is one
    draw of the field. The logarithm of the correlation length has a weak prior, 2 mm within a factor of 4.5 (one sigma): one die does
    not tell a length beyond its own from a plane.
    """
    from scipy import linalg, optimize  # noqa: PLC0415
    phases = devices.phases(devices.plane())
    names = ("field_index", "correlation_length_m", "white_rad2_per_m", "group_rad")

    def made(p: Vector, errors: dict[str, float]) -> Process:
        field_index, length_m, white, group_rad = np.exp(p).tolist()
        return Process(field_index, length_m, white, group_rad, errors)

    def covariance(of: Interferometers, p: Vector) -> Vector:
        same = np.asarray(of.group)[:, None] == np.asarray(of.group)[None, :]
        return np.asarray(of.covariance(made(p, {})) + np.exp(2 * p[3]) * same)

    def off(p: Vector, of: Interferometers, y: Vector) -> float:
        """-log likelihood of y without its plane (restricted: the plane is not counted as known)."""
        x = of.rad_per_index[:, None] * np.column_stack([np.ones(y.size), of._centred() * 1e3])
        root = np.linalg.cholesky(covariance(of, p))
        white_y, white_x = (linalg.solve_triangular(root, v, lower=True) for v in (y, x))
        fitted = np.linalg.lstsq(white_x, white_y, rcond=None)[0]
        left = white_y - white_x @ fitted
        wide = (p[1] - np.log(2e-3)) / 1.5  # a correlation length far from 0.1 .. 40 mm is not told by a die
        return float(np.log(np.diag(root)).sum() + 0.5 * np.linalg.slogdet(white_x.T @ white_x)[1] + 0.5 * left @ left + 0.5 * wide ** 2)

    def best(of: Interferometers, y: Vector, starts: Sequence[Vector]) -> Vector:
        found = [optimize.minimize(off, p, args=(of, y), method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-4, "maxiter": 800})
                 for p in starts]
        return np.asarray(min(found, key=lambda f: f.fun).x)

    p = best(devices, phases, [np.log([s, length, 3e2, 0.3]) for s in (3e-4, 2e-3) for length in (3e-4, 3e-3)])
    inverse = np.linalg.inv(covariance(devices, p))  # leave one out: its residual is (C^-1 y)_i / (C^-1)_ii
    plain = devices.removal(groups=False) @ phases
    kept = abs(inverse @ plain) / np.sqrt(np.diag(inverse)) < 4
    of, y = devices.chosen(kept), phases[kept]
    p = best(of, y, [p])
    step, curve = 0.05, np.zeros((4, 4))
    units = np.eye(4) * step
    for i in range(4):
        for j in range(i + 1):
            curve[i, j] = curve[j, i] = sum(a * b * off(p + a * units[i] + b * units[j], of, y) for a in (1, -1) for b in (1, -1)) / (4 * step ** 2)
    errors = np.sqrt(np.maximum(np.diag(np.linalg.pinv(curve)), 0))
    return made(p, dict(zip(names, errors.tolist())))


def groups_in_halves(group: Sequence[int]) -> tuple[Vector, Vector]:
    """Masks of the groups of even and of odd rank, for a fit on one half and a test on the other."""
    rank = np.searchsorted(np.unique(group), group)
    return rank % 2 == 0, rank % 2 == 1
