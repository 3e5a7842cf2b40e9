"""A second source, 2014 and 2015 (ubcpdk_spectra): interferometers and double-bus rings, predicted from the die of 2024.

Bounds were written down before any of these spectra had been fitted. `second-ring-unlike` came afterwards, with the bound of
`second-ring-coupling`, when the fits of that row needed more light at the drop than there is.
"""

import re
import sys

import numpy as np
from optinc import fit, model_scattering
from scipy.io import loadmat
from scipy.signal import find_peaks

from .row import Found, Row, bootstrap, reached, rms
from .rings import level_of

FOLDER = "ubcpdk_spectra"
BAND_M = (1532e-9, 1570e-9)  # of the interferometers of the first die, whose rings are at 1537 to 1566 nm
REFERENCE_M = 1550e-9

LONG_UM = 100  # of interferometers whose group index counts
# What the die of 2024 says of another: 2.5 to 97.5 % of the group index of its 145 interferometers longer than LONG_UM: about
# 0.2 % from their median of 4.178
GROUP_INDEX_RANGE = (4.1713, 4.1879)
# its rings of 10 um (median of 15 gaps: 4.1717), within the same 0.2 %: four resonances a ring do not tell a spread of their own
RING_GROUP_INDEX_RANGE = (4.1634, 4.1800)
# its law of the ring's coupler, 100 to 400 nm, by a fit independent of `ring-coupling` (whose fit has 0.0514 and 62.6): power coupling
# at 100 nm, 1/e gap
COUPLING_AT_100_NM, GAP_1_E_NM, LAW_FROM_NM = 0.052, 62.9, 100
COUPLING_FACTOR = 1.5  # a gap off by 25 nm
LAW_NM = np.linspace(100, 210, 50)

# Path differences in um by device: samples/data/mzi/EB486A_URChip3Coords.txt of the package, derived in README.md beside it
DELTA_UM = {"LukasChrostowski_MZI1": 26.8, "LukasChrostowski_MZI2": 1394.5, "ZiheGao_MZI2": 111.915, "ZiheGao_MZI3": 214.215,
            "ZiheGao_MZI4": 207.08945, "ZiheGao_MZI5": 206.703125, "ZiheGao_MZI6": 215.932, "ZiheGao_MZI8": 217.649,
            "ZiheGao_MZI17": 219.366}


def interferometers(folder):
    """Devices with a path difference by name: (wavelengths in m, power), inside the band."""
    found = {}
    for path in sorted((folder / "mzi").glob("*.mat")):
        name = re.match(r"(.*_MZI\d+)_", path.name)[1]
        if name in DELTA_UM:
            at, power_db = loadmat(path)["scanResults"][0][0][0].T  # the detector at the output; the others see nothing
            at = at * 1e-9
            band = (at > BAND_M[0]) & (at < BAND_M[1])
            found[name] = at[band], 10 ** (power_db[band] / 10)
    return found


def rings(folder):
    """TE rings by (radius in um, gap in nm): wavelengths in m, power through, power dropped."""
    found = {}
    for path in sorted((folder / "ring").glob("*_RingDoubleTER*.mat")):
        size = tuple(int(n) for n in re.search(r"TER(\d+)g(\d+)_", path.name).groups())
        scan = loadmat(path)["scandata"][0, 0]
        drop, through = 10 ** (np.asarray(scan["power"], float)[:, :2].T / 10)  # the third is the add port
        found[size] = np.ravel(scan["wavelength"]), through, drop
    return found


def decibels_off(power, found):
    """Median of |measured / fitted| in dB where the fit is above half of its largest power."""
    fitted = power / power.max() - found.residuals
    upper = fitted > fitted.max() / 2
    return float(np.median(abs(10 * np.log10(power[upper] / power.max() / fitted[upper]))))


def interferometer_rows(found, folder):
    """Spectra by optinc.fit.mzi; group index against that of the first die."""
    names, groups, errors, left, left_db = [], [], [], [], []
    for name, (at, power) in interferometers(folder).items():
        of = fit.mzi(at, power, DELTA_UM[name] * 1e-6, reference_m=REFERENCE_M)
        names.append(name)
        groups.append(of["group_index"])
        errors.append(of.errors["group_index"])
        left.append(of.rms)
        left_db.append(decibels_off(power, of))
    delta, groups, left = np.array([DELTA_UM[name] for name in names]), np.array(groups), np.array(left)
    long = delta > LONG_UM
    found.rows.append(Row("second-mzi-spectra", f"{len(names)} spectra of interferometers, median rms in units of the largest power", "",
                          float(np.median(left)), reached(0.02), interval=bootstrap(lambda i: np.median(left[i]), left.size),
                          note=f"{left.min():.3f} to {left.max():.3f}; {np.median(left_db):.2f} dB in the upper half"))
    found.rows.append(Row("second-group-index", f"group index of the strip, median of path differences above {LONG_UM} um", "",
                          float(np.median(groups[long])), least=GROUP_INDEX_RANGE[0], most=GROUP_INDEX_RANGE[1],
                          interval=bootstrap(lambda i: np.median(groups[long][i]), int(long.sum())),
                          note=f"{long.sum()} devices, {groups[long].min():.4f} to {groups[long].max():.4f}, rms spread {groups[long].std(ddof=1):.4f}"))
    for key, values, unit in (("delta_um", delta, "um"), ("group_index", groups, "1"), ("group_index_range", GROUP_INDEX_RANGE, "1"),
                              ("se_group_index", errors, "1"), ("mzi_rms", left, "1"), ("mzi_off_db", left_db, "dB")):
        found.keep(f"second/{key}", values, unit)


def resonances(at, drop, circumference_m):
    """Wavelengths of the peaks of the dropped power inside the band."""
    band = (at > BAND_M[0]) & (at < BAND_M[1])
    step = float(np.median(np.diff(at)))
    fsr = REFERENCE_M ** 2 / (4.2 * circumference_m)
    level_db = 10 * np.log10(np.maximum(drop[band], 1e-12))
    return at[band][find_peaks(level_db, distance=max(1, int(0.7 * fsr / step)), prominence=6)[0]]


def unlike(at, through, drop, alike, circumference_m, window_m):
    """The same resonance with two couplers that need not be alike, dropped power counted in units of the level of `through`."""
    near = abs(at - alike["resonance_m"]) < window_m / 2
    level = level_of(through, at, alike, window_m)
    centre = alike["resonance_m"]
    guide = {"length_m": circumference_m, "index": round(2.44365 * circumference_m / centre) * centre / circumference_m, "reference_m": centre}
    couplers = {f"{bus}_{key}": value for bus in ("bus", "drop") for key, value in (("excess_loss_db", 0.0), ("reference_m", centre))}

    def model(p):
        settings = {**guide, **couplers, **{key: p[key] for key in ("bus_eta_rad", "drop_eta_rad", "loss_db_per_cm", "splitting_m")}}
        powers = abs(model_scattering("add_drop_ring", settings, at[near] - p["moved_m"])[:, 2:, 0]) ** 2
        return p["level"] * np.concatenate([powers[:, 0] * (1 + p["tilt"] * (at[near] - centre) / window_m), powers[:, 1]])

    eta = alike["bus_eta_rad"]
    start = {"bus_eta_rad": fit.Start(eta, 0.1 * eta, 0.0, np.pi / 2), "loss_db_per_cm": fit.Start(5.0, 5.0, 0.0),
             "splitting_m": fit.Start(alike["splitting_m"] / 2, 1e-11, 0.0), "moved_m": fit.Start(0.0, 1e-12), "level": fit.Start(1.0, 0.1),
             "tilt": fit.Start(0.0, 0.1)}
    measured = np.concatenate([through[near], drop[near]]) / level
    fits = [fit.least_squares(model, {**start, "drop_eta_rad": fit.Start(more * eta, 0.1 * eta, 0.0, np.pi / 2)}, measured) for more in (1.0, 1.5)]
    return min(fits, key=lambda f: f.rms)


def drop_ratio(at, through, drop, alike, window_m):
    """Level of the dropped power over that of `through` that a fit with couplers alike needs; 1: grating couplers alike."""
    near = abs(at - alike["resonance_m"]) < window_m / 2
    return alike["drop_level"] * np.max(drop[near]) / (alike["through_level"] * level_of(through, at, alike, window_m))


def fitted_rings(folder):
    """Every resonance of every TE ring, couplers alike (optinc.fit.ring) and unlike: rows of numbers. The window is 8 widths of what
    a first fit gave."""
    rows = []
    for (radius, gap), (at, through, drop) in rings(folder).items():
        circumference = 2 * np.pi * radius * 1e-6
        for near in resonances(at, drop, circumference):
            wide = fit.ring(at, through, drop, near_m=near, circumference_m=circumference, window_m=2e-9)
            fsr = wide["resonance_m"] ** 2 / (4.18 * circumference)
            intrinsic = fsr * wide["loss_db_per_cm"] * circumference * 100 * np.log(10) / 10 / (2 * np.pi)
            width = fsr * np.sin(wide["bus_eta_rad"]) ** 2 / np.pi + intrinsic + wide["splitting_m"]
            window = float(np.clip(8 * width, 0.4e-9, 2e-9))
            of = fit.ring(at, through, drop, near_m=near, circumference_m=circumference, window_m=window)
            two = unlike(at, through, drop, of, circumference, window)
            rows.append({"radius_um": radius, "gap_nm": gap, "resonance_nm": of["resonance_m"] * 1e9, "coupling": np.sin(of["bus_eta_rad"]) ** 2,
                         "loss_db_per_cm": of["loss_db_per_cm"], "splitting_pm": of["splitting_m"] * 1e12, "rms": of.rms,
                         "drop_ratio": drop_ratio(at, through, drop, of, window), "unlike_bus": np.sin(two["bus_eta_rad"]) ** 2,
                         "unlike_drop": np.sin(two["drop_eta_rad"]) ** 2, "unlike_loss_db_per_cm": two["loss_db_per_cm"], "unlike_rms": two.rms})
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def law(gap_nm):
    """Power coupling that the first die's rings of 10 um predict."""
    return COUPLING_AT_100_NM * np.exp(-(gap_nm - 100) / GAP_1_E_NM)


def ring_group_index(resonance_nm, circumference_m):
    """Of the orders of neighbouring resonances against 1 / wavelength: their slope is n_g times the circumference."""
    at = np.sort(resonance_nm)[::-1] * 1e-9
    return np.polyfit(1 / at, np.arange(at.size), 1)[0] / circumference_m


def over_law(couplings):
    """Largest of couplings over those of the law, or under them, and the ratios as text, by gap in nm."""
    ratios = {gap: value / law(gap) for gap, value in couplings.items() if gap >= LAW_FROM_NM}
    return max(max(ratio, 1 / ratio) for ratio in ratios.values()), ", ".join(f"{gap} nm: {ratio:.2f}" for gap, ratio in ratios.items())


def coupling_rows(found, r, large, gaps):
    """Coupling of the rings of 10 um against the first die's law, and of those of 3 um, for which there is none."""
    def at_gaps(values, which):
        return {int(g): float(np.median(values[which & (r["gap_nm"] == g)])) for g in gaps if np.any(which & (r["gap_nm"] == g))}

    alike, ratio = at_gaps(r["coupling"], large), at_gaps(r["drop_ratio"], large)
    largest, text = over_law(alike)
    found.rows.append(Row("second-ring-coupling", "coupling of rings of 10 um over that of the first die's law, or under it, largest; couplers alike", "",
                          largest, COUPLING_FACTOR, note=text))
    found.rows.append(Row("second-ring-drop", "level of drop over through that these fits need, largest or smallest (grating couplers alike: 1)", "",
                          max(ratio.values(), key=lambda v: abs(np.log(v))), note=", ".join(f"{g} nm: {v:.2f}" for g, v in ratio.items())))
    largest, text = over_law(at_gaps((r["unlike_bus"] + r["unlike_drop"]) / 2, large))
    found.rows.append(Row("second-ring-unlike", "the same with that level 1 and couplers unlike, mean of the two", "", largest, COUPLING_FACTOR, note=text))
    law_gaps = [g for g in alike if g >= LAW_FROM_NM]
    line = np.polyfit(law_gaps, [np.log(alike[g]) for g in law_gaps], 1)
    below = min(alike)
    found.rows.append(Row("second-ring-gap", "1/e gap of the coupling, couplers alike (first die: 62.9)", "nm", float(-1 / line[0]),
                          note=f"{below} nm, outside of the law's range: {alike[below] / law(below):.2f} of it"))
    small = at_gaps(r["coupling"], ~large)
    found.rows.append(Row("second-ring-small", "coupling of rings of 3 um over that of 10 um, mean of gaps", "",
                          float(np.mean([small[g] / alike[g] for g in small])), note=", ".join(f"{g} nm: {k:.4f}" for g, k in small.items())))


def ring_rows(found, folder):
    """Coupling, its slope, group index, spectra and loss of the TE rings."""
    r = fitted_rings(folder)
    large = r["radius_um"] == 10
    gaps = np.unique(r["gap_nm"])
    coupling_rows(found, r, large, gaps)
    of_gap = r["gap_nm"][large][:, None] == np.unique(r["gap_nm"][large])
    design = np.column_stack([r["resonance_nm"][large] - 1550, of_gap])
    slope = np.linalg.lstsq(design, np.log(r["coupling"][large]) / 2, rcond=None)[0][0]
    found.rows.append(Row("second-ring-slope", "relative slope of the angle of the rings of 10 um (first die: 0.50)", "%/nm", float(100 * slope)))
    groups = np.array([ring_group_index(r["resonance_nm"][large][one], 2 * np.pi * 10e-6) for one in of_gap.T])
    found.rows.append(Row("second-ring-group-index", "group index of the rings of 10 um, median (first die: 4.1717)", "", float(np.median(groups)),
                          least=RING_GROUP_INDEX_RANGE[0], most=RING_GROUP_INDEX_RANGE[1], note=f"{groups.min():.4f} to {groups.max():.4f}"))
    found.rows.append(Row("second-ring-spectra", "resonances of all TE rings fitted by `add_drop_ring`, mean rms", "", rms(r["rms"]), reached(0.02),
                          interval=tuple(np.quantile(r["rms"], [0.025, 0.975])), note=f"{r['rms'].size} resonances"))
    weak = large & (r["gap_nm"] >= 150)
    found.rows.append(Row("second-ring-loss", "loss of the rings of 10 um, gaps from 150 nm, median (first die: 3.2)", "dB/cm",
                          float(np.median(r["loss_db_per_cm"][weak])),
                          note=f"{r['loss_db_per_cm'][weak].min():.1f} to {r['loss_db_per_cm'][weak].max():.1f}"))
    for key, values in r.items():
        found.keep(f"second/ring_{key}", values, {"um": "um", "nm": "nm", "pm": "pm", "cm": "dB/cm"}.get(key.rpartition("_")[2], "1"))
    found.keep("second/law_nm", LAW_NM, "nm")
    found.keep("second/law", law(LAW_NM), "1")


def checks(folder):
    """Rows and data of the second source; none where its folder is not there."""
    found = Found()
    if not (folder / FOLDER).is_dir():
        print(f"measured: second is skipped: {folder} holds no folder {FOLDER} (docs/measured.md says how to get it).", file=sys.stderr)
        return found
    interferometer_rows(found, folder / FOLDER)
    ring_rows(found, folder / FOLDER)
    return found
