"""37 directional couplers of silicon (openebl2024_couplers): half of the lengths predicts the others; slopes."""

import numpy as np
from optinc import fit

from .row import Found, Row, bootstrap, reached, rms, table

FOLDER = "openebl2024_couplers"
BEND_M = 3.5e-6  # straight length to which bends couple, as the data's description has it: the start of a fit


def sweep(folder):
    c = table(folder / FOLDER, "couplers.csv")
    return {"block": c["block"], "gap_nm": c["gap_nm"], "length_m": c["length_um"] * 1e-6, "at_m": c["wavelength_nm"] * 1e-9,
            "bar": 10 ** (c["bar_dbm"] / 10), "cross": 10 ** (c["cross_dbm"] / 10)}


def chosen(c, which):
    return {key: values[which] for key, values in c.items()}


def crossed(p, c):
    """Shares of couplers whose two ports' gratings differ by a level and a tilt in every block."""
    x = (c["at_m"] - 1550e-9) * 1e8
    ratio = np.exp([p.get(f"ratio_{block}", 0.0) for block in c["block"]] + x * [p.get(f"tilt_{block}", 0.0) for block in c["block"]])
    return fit.cross_share({**p, "port_ratio": ratio}, c["length_m"], c["at_m"])


def fit_of(c):
    """As fit.coupler, with the ratio of the ports of every block."""
    start = {"coupling_per_m": fit.Start(5e4, 500.0, 0.0), "extra_length_m": fit.Start(BEND_M, 1e-7), "eta_relative_slope_per_m": fit.Start(3e6, 1e5)}
    for block in np.unique(c["block"]):
        start |= {f"ratio_{block}": fit.Start(0.0, 0.1), f"tilt_{block}": fit.Start(0.0, 0.1)}
    return fit.least_squares(lambda p: crossed(p, c), start, c["cross"] / (c["bar"] + c["cross"]))


def length_rows(found, c):
    """The length sweep at a gap of 150 nm."""
    lengths = np.unique(c["length_m"])
    train, test = fit.groups_in_halves(np.searchsorted(lengths, c["length_m"]))
    half = fit_of(chosen(c, train))
    share = c["cross"] / (c["bar"] + c["cross"])
    off = share - crossed(half.values, c)
    of_length = [off[c["length_m"] == length] for length in np.unique(c["length_m"][test])]
    found.rows.append(Row("coupler-length", "share of power that crosses at unseen lengths, gap 150 nm, rms", "", rms(off[test]), reached(0.028),
                          interval=bootstrap(lambda i: rms(np.concatenate([of_length[k] for k in i])), len(of_length))))
    other, all_of = fit_of(chosen(c, test)), fit_of(c)
    back = share - crossed(other.values, c)
    found.rows.append(Row("coupler-length-both", "the same of all lengths, each half predicted by the other, rms", "",
                          rms(np.concatenate([off[test], back[train]])), note=f"the other way round alone: {rms(back[train]):.3f}"))

    def slope(i):
        return fit_of(chosen(c, np.concatenate([np.flatnonzero(c["length_m"] == lengths[k]) for k in i])))["eta_relative_slope_per_m"] * 1e-7

    interval = bootstrap(slope, lengths.size, draws=40)
    for name, what, value in (("coupler-slope", "relative slope with wavelength, fitted to half of the lengths (the other half is the note)", half),
                              ("coupler-slope-all", "the same, all lengths (default of couplers: 0.40)", all_of)):
        found.rows.append(Row(name, what, "%/nm", value["eta_relative_slope_per_m"] * 1e-7, interval=interval,
                              note=f"other half {other['eta_relative_slope_per_m'] * 1e-7:.3f}; an earlier analysis: 0.30"))
    near = abs(c["at_m"] - 1550e-9) < 0.6e-9
    for key, values, unit in (("length_um", c["length_m"][near] * 1e6, "um"), ("share", share[near], "1"), ("trained", train[near], "1"),
                              ("line_um", np.linspace(0, 45, 200), "um"),
                              ("line", fit.cross_share(half.values, np.linspace(0, 45, 200) * 1e-6, 1550e-9), "1")):
        found.keep(f"couplers/{key}", values, unit)
    return all_of


def gap_rows(found, c):
    """Slope of a 50:50 coupler's angle with the gap, of couplers at 1550 nm: d eta/d gap = -(pi/4) / decay length."""
    near = abs(c["at_m"] - 1550e-9) < 0.6e-9
    c = chosen(c, near & (c["gap_nm"] > 70))
    share = c["cross"] / (c["bar"] + c["cross"])
    short = c["block"] != "DCA2"
    for name, which, reference in (("coupler-gap", (c["gap_nm"] >= 170) & (c["gap_nm"] <= 245), 6.0), ("coupler-gap-wide", c["gap_nm"] <= 520, 7.0)):
        g, s, length = c["gap_nm"][which], share[which], c["length_m"][which]

        def model(p, g=g, length=length):
            kappa = p["kappa"] * np.exp(-(g - 200) / p["decay_nm"])
            return np.sin(kappa * (length + BEND_M)) ** 2

        starts = [fit.least_squares(model, {"kappa": fit.Start(k, 1e3, 1e4, 2e5), "decay_nm": fit.Start(d, 5.0, 40.0, 300.0)}, s, robust=True)
                  for k in (3e4, 4e4, 5e4) for d in (90.0, 115.0, 140.0)]
        best = min(starts, key=lambda f: f.rms)
        slope = np.pi / 4 / best["decay_nm"] * 1e3
        error = slope * best.errors["decay_nm"] / best["decay_nm"]
        found.rows.append(Row(name, f"slope of a 50:50 angle with the gap, {g.min():.0f} to {g.max():.0f} nm; the process has -6.7, others fitted -{reference}",
                              "mrad/nm", -slope, least=-7.7, most=-5.4, interval=(-slope - 1.96 * error, -slope + 1.96 * error),
                              note=f"{g.size} couplers, rms {best.rms:.3f}"))
    found.keep("couplers/gap_nm", c["gap_nm"], "nm")
    found.keep("couplers/gap_length_um", c["length_m"] * 1e6, "um")
    found.keep("couplers/gap_share", share, "1")
    found.keep("couplers/gap_first_blocks", short, "1")


def checks(folder):
    """Rows and data of the couplers."""
    found = Found()
    c = sweep(folder)
    sizes = {gap: np.unique(c["length_m"][c["gap_nm"] == gap]).size for gap in np.unique(c["gap_nm"])}
    length_rows(found, chosen(c, c["gap_nm"] == max(sizes, key=sizes.get)))
    gap_rows(found, c)
    return found
