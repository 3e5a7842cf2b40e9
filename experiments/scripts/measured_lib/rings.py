"""15 add-drop rings of silicon (openebl2024_rings): seven gaps predict the others; spectra through a circuit."""

import h5py
import numpy as np
from optinc import Circuit, fit

from .row import Found, Row, bootstrap, reached, rms, table

FOLDER = "openebl2024_rings"
CIRCUMFERENCE_M = 2 * np.pi * 10e-6
GROUP_INDEX = 4.18


def linewidth_m(eta_rad, fsr_m):
    """Of one coupler: power over 2 pi of the free spectral range."""
    return fsr_m * np.sin(eta_rad) ** 2 / (2 * np.pi)


def loss_width_m(loss_db_per_cm, fsr_m):
    return fsr_m * loss_db_per_cm * CIRCUMFERENCE_M * 100 * np.log(10) / 10 / (2 * np.pi)


def fitted(folder):
    """Every good resonance by optinc.fit.ring from its spectra: rows of numbers."""
    known = table(folder / FOLDER, "resonances.csv")
    with h5py.File(folder / FOLDER / "spectra.h5") as file:
        at = file["wavelength_nm"][()] * 1e-9
        spectra = {int(g): [10 ** (0.02 * file[port][i] / 10) for port in ("through", "drop")] for i, g in enumerate(file["gap_nm"][()])}
    found = []
    for i, near_nm in enumerate(known["resonance_nm"]):
        gap = int(known["gap_nm"][i])
        width = 2 * known["external_linewidth_per_coupler_pm"][i] * 1e-12 + 60e-12
        window = float(np.clip(8 * width, 0.4e-9, 2e-9))
        two, one = (fit.ring(at, *spectra[gap], near_m=near_nm * 1e-9, circumference_m=CIRCUMFERENCE_M, window_m=window, splitting=s)
                    for s in (True, False))
        fsr = two["resonance_m"] ** 2 / (GROUP_INDEX * CIRCUMFERENCE_M)
        near = abs(at - two["resonance_m"]) < window / 2
        found.append({"gap_nm": gap, "resonance_nm": two["resonance_m"] * 1e9, "external_pm": linewidth_m(two["bus_eta_rad"], fsr) * 1e12,
                      "intrinsic_pm": loss_width_m(two["loss_db_per_cm"], fsr) * 1e12, "splitting_pm": two["splitting_m"] * 1e12,
                      "se_splitting_pm": two.errors["splitting_m"] * 1e12,
                      "se_intrinsic_pm": loss_width_m(two.errors["loss_db_per_cm"], fsr) * 1e12, "rms": two.rms,
                      "rms_without_splitting": one.rms,
                      "least": float(np.min(spectra[gap][0][near])) / (two["through_level"] * level_of(spectra[gap][0], at, two, window))})
    return {key: np.array([row[key] for row in found]) for key in found[0]}, at, spectra


def level_of(power, at, ring, window):
    """The level that fit.ring counts powers in."""
    near = abs(at - ring["resonance_m"]) < window / 2
    return max(float(np.median(power[abs(at - ring["resonance_m"]) < window])), float(np.quantile(power[near], 0.95)))


def good(r):
    """As the published table of fits has it."""
    return (r["rms"] < 0.03) & (r["splitting_pm"] < 60) & (r["se_intrinsic_pm"] < 3)


def dip(external, intrinsic, splitting):
    """Least power through, of the doublet's closed form, over 0 to 100 pm of detuning."""
    d = np.linspace(-60, 60, 601)[:, None]
    u = (intrinsic + 2 * external) / 2 + 1j * d
    return np.min(abs(1 - external * u / (u ** 2 + splitting ** 2 / 4)) ** 2, axis=0)


def coupling_rows(found, r):
    """Half of the gaps (even rank) is fitted, the other half predicted."""
    train, test = fit.groups_in_halves(r["gap_nm"].astype(int))
    line = np.polyfit(r["gap_nm"][train], np.log(r["external_pm"][train]), 1)
    off = np.log(r["external_pm"]) - np.polyval(line, r["gap_nm"])
    gaps = np.unique(r["gap_nm"][test])
    at_gap = [off[test & (r["gap_nm"] == g)] for g in gaps]
    interval = bootstrap(lambda i: rms(np.concatenate([at_gap[k] for k in i])), len(gaps))
    found.rows.append(Row("ring-coupling", "linewidth of coupling, unseen gaps, from an exponential in the gap fitted to the others, rms of ln",
                          "", rms(off[test]), reached(0.15), interval=interval, note=f"1/e gap {-1 / line[0]:.1f} nm"))
    medians = [np.median(r["intrinsic_pm"][half]) for half in (train, test)]
    halves = [r["intrinsic_pm"][half] for half in (train, test)]
    draw = np.random.default_rng(1)
    ratios = [abs(np.median(draw.choice(halves[0], halves[0].size)) / np.median(draw.choice(halves[1], halves[1].size)) - 1) for _ in range(2000)]
    found.rows.append(Row("ring-loss", "median intrinsic linewidth of the fitted gaps over that of the unseen ones, less 1", "",
                          abs(medians[0] / medians[1] - 1), reached(0.0017), interval=tuple(np.quantile(ratios, [0.025, 0.975])),
                          note=f"{medians[0]:.2f} and {medians[1]:.2f} pm"))
    external = np.exp(np.polyval(line, r["gap_nm"][test]))
    measured, splittings = r["least"][test], r["splitting_pm"][train]
    with_splitting = np.mean([dip(external, medians[0], s) for s in splittings], axis=0)
    without = dip(external, medians[0], 0.0)
    for name, predicted, residual, what in (("ring-dips", with_splitting, 0.055, "with backscatter, splittings of the fitted gaps"),
                                            ("ring-dips-without", without, None, "without backscatter")):
        away = predicted - measured
        found.rows.append(Row(name, f"least transmission at unseen gaps, predicted {what}, rms", "", rms(away),
                              None if residual is None else reached(residual),
                              interval=bootstrap(lambda i, away=away: rms(away[i]), away.size), note=f"mean {away.mean():+.3f}"))
    for key, values, unit in (("test_gap_nm", r["gap_nm"][test], "nm"), ("test_least", measured, "1"), ("test_least_with", with_splitting, "1"),
                              ("test_least_without", without, "1"), ("train", train, "1"), ("coupling_line", line, "ln pm per nm, ln pm")):
        found.keep(f"rings/{key}", values, unit)


def circuit_rows(found, r, at, spectra):
    """One spectrum as a netlist of couplers, waveguides and a reflector: what no model of a ring was needed for."""
    chosen = [i for i in np.argsort(r["rms"]) if 100 < r["gap_nm"][i] < 300 and r["splitting_pm"][i] > 10][:6]
    left, plain = [], []
    for i in chosen:
        window = abs(at - r["resonance_nm"][i] * 1e-9) < 0.25e-9
        through = spectra[int(r["gap_nm"][i])][0][window]
        for reflection, kept in ((True, left), (False, plain)):
            kept.append(netlist_rms(at[window], through / np.quantile(through, 0.95), r, i, reflection))
    found.rows.append(Row("ring-circuit", "spectra of six rings through a netlist of coupler, waveguide and reflector, largest rms", "",
                          max(left), reached(0.02), note=f"from {min(left):.3f}; without reflector up to {max(plain):.3f}"))
    found.keep("rings/circuit_rms", left, "1")
    found.keep("rings/circuit_rms_without", plain, "1")


def netlist_rms(at, share, r, i, reflection):
    """rms of the fit of a netlist to one spectrum."""
    centre = r["resonance_nm"][i] * 1e-9
    fsr = centre ** 2 / (GROUP_INDEX * CIRCUMFERENCE_M)
    eta = float(np.sqrt(2 * np.pi * r["external_pm"][i] * 1e-12 / fsr))
    index = round(2.44365 * CIRCUMFERENCE_M / centre) * centre / CIRCUMFERENCE_M
    half = {"component": "waveguide", "settings": {"length_m": CIRCUMFERENCE_M / 2, "index": index, "reference_m": centre}}
    bus = {"component": "coupler", "settings": {"excess_loss_db": 0.0, "reference_m": centre}}
    wall = {"component": "interface", "settings": {"reflection_db": -40.0}}
    circuit = Circuit({"instances": {"bus": bus, "drop": bus, "up": half, "down": half, "wall": wall},
                       "connections": {"bus,out1": "up,in0", "up,out0": "drop,in1", "drop,out1": "wall,in0", "wall,out0": "down,in0",
                                       "down,out0": "bus,in1"},
                       "ports": {"in": "bus,in0", "through": "bus,out0", "add": "drop,in0", "drop": "drop,out0"}})

    def model(p):
        guide, couples = {"loss_db_per_cm": p["loss"]}, {"eta_rad": p["eta"]}
        settings = {"bus": couples, "drop": couples, "up": guide, "down": guide,
                    "wall": {"reflection_db": 20 * np.log10(max(p.get("reflection", 0.0), 1e-6))}}
        level = p["level"] * (1 + p["tilt_per_nm"] * (at - centre) * 1e9)  # of the grating couplers, as in fit.ring
        return level * abs(circuit(at - p["moved"], settings)[:, 1, 0]) ** 2

    start = {"loss": fit.Start(3.0, 1.0, 0.0), "eta": fit.Start(eta, 0.1 * eta, 0.0, 1.0), "moved": fit.Start(0.0, 1e-12),
             "level": fit.Start(1.0, 0.1), "tilt_per_nm": fit.Start(0.0, 0.1)}
    if reflection:
        start["reflection"] = fit.Start(np.pi * r["splitting_pm"][i] * 1e-12 / fsr, 1e-3, 1e-6, 0.3)
    return fit.least_squares(model, start, share).rms


def checks(folder):
    """Rows and data of the rings."""
    found = Found()
    r, at, spectra = fitted(folder)
    kept = good(r)
    r = {key: values[kept] for key, values in r.items()}
    for key, values in r.items():
        found.keep(f"rings/{key}", values, key.rpartition("_")[2] if key.endswith(("nm", "pm")) else "1")
    split = np.quantile(r["splitting_pm"], [0.1, 0.5, 0.9])
    found.rows.append(Row("ring-splitting", "splitting of resonances by backscatter, median of all good fits", "pm", float(split[1]),
                          interval=bootstrap(lambda i: np.median(r["splitting_pm"][i]), kept.sum()), note=f"10 to 90 %: {split[0]:.0f} to {split[2]:.0f}"))
    far = r["gap_nm"] >= 164
    gaps = np.unique(r["gap_nm"][far])
    design = np.column_stack([r["resonance_nm"][far] - 1550, r["gap_nm"][far][:, None] == gaps])
    angle = np.log(r["external_pm"][far] / r["resonance_nm"][far] ** 2) / 2  # of a power coupling 2 pi linewidth / FSR, FSR as the wavelength squared

    def slope(i):
        rows = np.concatenate([np.flatnonzero(r["gap_nm"][far] == gaps[k]) for k in i])
        return 100 * np.linalg.lstsq(design[rows], angle[rows], rcond=None)[0][0]

    found.rows.append(Row("ring-slope", "relative slope of the couplers' angle with wavelength, gaps from 164 nm (default: 0.40)", "%/nm",
                          float(slope(range(gaps.size))), interval=bootstrap(slope, gaps.size)))
    coupling_rows(found, r)
    spectrum = rms(r["rms"])
    found.rows.append(Row("ring-spectra", "spectra of single resonances fitted by `add_drop_ring`, mean rms; 0.008 to 0.02 reached", "", spectrum,
                          reached(0.02), interval=tuple(np.quantile(r["rms"], [0.025, 0.975])),
                          note=f"without splitting {rms(r['rms_without_splitting']):.3f}"))
    circuit_rows(found, r, at, spectra)
    example = int(np.argsort(-r["splitting_pm"] / (2 * r["external_pm"] + r["intrinsic_pm"]))[3])
    near = abs(at - r["resonance_nm"][example] * 1e-9) < 0.15e-9
    through = spectra[int(r["gap_nm"][example])][0][near]
    found.keep("rings/example_nm", at[near] * 1e9 - r["resonance_nm"][example], "nm")
    found.keep("rings/example_through", through / np.quantile(through, 0.98), "1")
    for key, splitting in (("with", r["splitting_pm"][example]), ("without", 0.0)):
        u = (r["intrinsic_pm"][example] + 2 * r["external_pm"][example]) / 2 + 1e3j * found.data["rings/example_nm"][0]
        found.keep(f"rings/example_{key}", abs(1 - r["external_pm"][example] * u / (u ** 2 + splitting ** 2 / 4)) ** 2, "1")
    return found
