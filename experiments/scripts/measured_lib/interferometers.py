"""280 unbalanced interferometers at known places of a die (openebl2024_mzi_die) and its cut-backs: the strip, the process."""

import h5py
import numpy as np
from optinc import ProcessModel, fit

from .row import Found, Row, bootstrap, reached, rms, table

FOLDER = "openebl2024_mzi_die"
BINS_UM = (20, 50, 80, 120, 200, 300, 1e9)
DRAWS = 2000


def devices_of(folder):
    m = table(folder / FOLDER, "mzis.csv")
    return m, fit.Interferometers(np.column_stack([m["x_um"], m["y_um"]]) * 1e-6, m["delta_um"] * 1e-6,
                                  (m["arm1_um"] + m["arm2_um"]) * 1e-6, m["neff_mod"], m["submission"].astype(int))


def strip_rows(found, folder, m, devices):
    """n_g and n_eff of the strip beside the default waveguide, and its loss."""
    long = m["delta_um"] > 100
    groups = np.median(m["ng"][long])
    found.rows.append(Row("strip-group-index", "group index of the strip, median (default of the simulator: 4.198)", "", float(groups),
                          least=4.178 * 0.999, most=4.178 * 1.001, interval=bootstrap(lambda i: np.median(m["ng"][long][i]), int(long.sum()))))
    plane = devices.plane()
    found.rows.append(Row("strip-index", "effective index in the middle of the die (default: 2.4437)", "", float(plane[0]), least=2.4443, most=2.4463,
                          note=f"slopes {plane[1] * 1e-3:.1e} and {plane[2] * 1e-3:.1e} per mm"))
    c = table(folder / "openebl2024_cutback", "cutback.csv")
    straight = c["structure"] == "straight_1550_te"
    line, left = np.polyfit(c["count_or_cm"][straight], c["level_dbm"][straight], 1, full=True)[:2]
    error = np.sqrt(left[0]) / np.std(c["count_or_cm"][straight]) / np.sqrt(3)
    found.rows.append(Row("strip-loss", "loss of straight strips by cut-back (default: 1.5)", "dB/cm", float(-line[0]), least=1.23 * 0.95, most=1.23 * 1.05,
                          interval=(-line[0] - 12.7 * error, -line[0] + 12.7 * error), note="three lengths: one degree of freedom"))
    return plane


def spectrum_rows(found, folder, m):
    """12 spectra through optinc.fit.mzi."""
    with h5py.File(folder / FOLDER / "spectra.h5") as file:
        at, powers, which = file["wavelength_nm"][()] * 1e-9, 10 ** (0.02 * file["power"][()] / 10), file["mzi"][()]
    band = (at > 1532e-9) & (at < 1570e-9)
    left, off, example = [], [], None
    for i, power in zip(which, powers):
        row = int(np.flatnonzero(m["mzi"] == i)[0])
        found_mzi = fit.mzi(at[band], power[band], m["delta_um"][row] * 1e-6)
        left.append(found_mzi.rms)
        step = m["neff_step"][row]
        off.append((found_mzi["index"] - m["neff_mod"][row] + step / 2) % step - step / 2)
        if example is None and m["delta_um"][row] > 90:
            measured = power[band] / power[band].max()
            example = (at[band] * 1e9, measured, measured - found_mzi.residuals)
    for key, values in zip(("example_nm", "example_power", "example_fit"), example):
        found.keep(f"mzis/{key}", values, "nm" if key.endswith("nm") else "1")
    found.rows.append(Row("mzi-spectra", "12 spectra of interferometers, median rms in units of the largest power", "", float(np.median(left)), reached(0.02),
                          interval=(min(left), max(left)), note=f"index within {np.median(np.abs(off)):.1e} of an independent fit (median)"))


def binned(delta_um, phases):
    """rms of phases by length difference, and how many."""
    which = np.digitize(delta_um, BINS_UM) - 1
    return [(rms(phases[which == b]), int(np.sum(which == b))) for b in range(len(BINS_UM) - 1)], which


def expected(devices, process, seed):
    """Draws (draws, devices) of what is left of phases when plane and offsets are taken out, as of the measured ones."""
    root = np.linalg.cholesky(devices.covariance(process) + 1e-12 * np.eye(len(devices.delta_m)))
    draws = np.random.default_rng(seed).normal(size=(DRAWS, len(root))) @ (devices.removal(groups=False) @ root).T
    return ((draws + np.pi) % (2 * np.pi) - np.pi) @ devices.removal().T


def default_process():
    """ProcessModel() as the fit has it."""
    p = ProcessModel()
    index = np.hypot(p.width_field_m * p.index_per_width_per_m, p.height_field_m * p.index_per_height_per_m)
    white = (2 * np.pi * p.index_per_width_per_m * p.width_roughness_m / 1550e-9) ** 2 * fit.ROUGHNESS_LENGTH_M
    return fit.Process(float(index), p.correlation_length_m, float(white), 0.0, {})


def bin_rows(found, devices, m):
    """Fitted to the submissions of even rank, phases of the others by length difference; the default process beside."""
    train, test = fit.groups_in_halves(devices.group)
    half = fit.process(devices.chosen(train))
    unseen = devices.chosen(test)
    left = unseen.removal() @ unseen.phases(unseen.plane())
    delta_um = np.asarray(unseen.delta_m) * 1e6
    measured, which = binned(delta_um, left)
    table_of = []
    for label, process in (("", half), ("default ", default_process())):
        draws = expected(unseen, process, seed=1)
        for b, (value, count) in enumerate(measured):
            if count < 5:
                continue
            of_bin = np.sqrt(np.mean(draws[:, which == b] ** 2, axis=1))
            predicted, low, high = np.sqrt(np.mean(of_bin ** 2)), *np.quantile(of_bin, [0.025, 0.975])
            table_of.append((label, b, count, value, predicted, low, high))
    for label, b, count, value, predicted, low, high in table_of:
        span = f"{BINS_UM[b]:.0f}-{BINS_UM[b + 1]:.0f}" if b < len(BINS_UM) - 2 else f"above {BINS_UM[b]:.0f}"
        inside = "inside" if low <= value <= high else "outside"
        found.rows.append(Row(f"process-{'default-' if label else ''}{span.replace(' ', '-')}",
                              f"{label}process against unseen submissions, {span} um: |predicted / measured - 1|", "",
                              abs(predicted / value - 1), None if label else 0.25,
                              note=f"{count} devices: {value:.2f} measured, {predicted:.2f} predicted, {low:.2f} to {high:.2f} of 95 % of dies ({inside})"))
    chi = np.linalg.norm(left) / np.sqrt(np.sum(np.var(expected(unseen, half, seed=2), axis=0)))
    found.rows.append(Row("process-chi", "rms of all unseen phases over that predicted", "", float(chi), least=0.75, most=1.25))
    found.keep("process/bins", [[b, n, v, p, lo, hi, float(bool(label))] for label, b, n, v, p, lo, hi in table_of],
               "bin, devices, measured rad, predicted rad, 2.5 %, 97.5 %, default process")
    found.keep("process/left_rad", left, "rad")
    found.keep("process/left_delta_um", delta_um, "um")


def checks(folder):
    """Rows and data of the interferometers."""
    found = Found()
    m, devices = devices_of(folder)
    strip_rows(found, folder, m, devices)
    spectrum_rows(found, folder, m)
    bin_rows(found, devices, m)
    whole = fit.process(devices)
    for name, unit in (("field_index", "1"), ("correlation_length_m", "m"), ("white_rad2_per_m", "rad^2/m"), ("group_rad", "rad")):
        found.rows.append(Row(f"process-{name.replace('_', '-')}", f"{name} of the die's process, all submissions (default "
                              f"{getattr(default_process(), name):.3g})", unit, getattr(whole, name), interval=whole.interval(name)))
    model = whole.model()
    for key in ("width_field_m", "height_field_m", "correlation_length_m", "width_roughness_m"):
        found.keep(f"process/{key}", getattr(model, key), "m")
    return found
