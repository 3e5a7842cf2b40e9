"""40 rings of silicon nitride, 5 mm apart (zhang2023_sin_rings): half of the couplings predicts the others."""

import numpy as np

from .row import Found, Row, bootstrap, reached, rms, table

FOLDER = "zhang2023_sin_rings"


def design(r, which):
    return np.column_stack([np.ones(which.sum()), r["gap_um"][which], np.log(r["radius_um"][which])])


def checks(folder):
    """Rows and data of the rings in silicon nitride."""
    found = Found()
    r = table(folder / FOLDER, "rings.csv")
    order = np.lexsort((r["gap_um"], r["radius_um"]))
    train = np.zeros(order.size, bool)
    train[order[::2]] = True
    coupling = np.log(r["power_coupling_1550nm"])
    seen = np.isfinite(coupling)
    law = np.linalg.lstsq(design(r, train & seen), coupling[train & seen], rcond=None)[0]
    test = ~train & seen
    off = coupling[test] - design(r, test) @ law
    found.rows.append(Row("nitride-coupling", "power coupling of the unseen half of rings in silicon nitride, rms of ln", "", rms(off), reached(0.07),
                          interval=bootstrap(lambda i: rms(off[i]), off.size),
                          note=f"ln k^2 = {law[0]:.2f} {law[1]:+.2f} gap/um {law[2]:+.2f} ln(R/um)"))
    n = r["ng_1550nm"] - np.polyval(np.polyfit(np.log(r["radius_um"]), r["ng_1550nm"], 2), np.log(r["radius_um"]))  # bends
    away = np.hypot(*(r[a][:, None] - r[a][None, :] for a in ("x_mm", "y_mm")))
    steps = abs(n[:, None] - n[None, :])
    at, rises = [], []
    for low, high in ((4, 6), (9, 11), (14, 26)):
        pairs = (away > low) & (away < high)
        at.append(float(np.mean(away[pairs])))
        rises.append(rms(steps[pairs]))
    found.rows.append(Row("nitride-distance", "rms difference of n_g between rings 5 mm apart over that of rings 15 to 25 mm apart (below 1: correlated)", "",
                          rises[0] / rises[2], note=", ".join(f"{d:.0f} mm: {1e3 * v:.2f}e-3" for d, v in zip(at, rises))))
    for key, values, unit in (("gap_um", r["gap_um"], "um"), ("radius_um", r["radius_um"], "um"), ("coupling", r["power_coupling_1550nm"], "1"),
                              ("trained", train, "1"), ("law", law, "ln 1, ln 1/um, 1"), ("distance_mm", at, "mm"), ("rise", rises, "1")):
        found.keep(f"nitride/{key}", values, unit)
    return found


