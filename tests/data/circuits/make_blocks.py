#!/usr/bin/env python3
"""Writes the measured blocks i2_*, i3_* and i4_* from closed forms, with the digits and the noise of instruments.

  tests/data/circuits/make_blocks.py
"""

from pathlib import Path

import numpy as np

c, here = 299792458.0, Path(__file__).parent


def index(wavelength_m):
    x = 1e6 * wavelength_m - 1.55
    return 2.44365 - 1.13171 * x - 0.0424756 * x**2


def write(name, unit, digits, frequency, s21, s11=None):
    """S21 = S12 as files have it, by exp(-j phase)."""
    rows = [f"# {unit} S RI R 50"]
    for k, f in enumerate(frequency):
        reflected = 0 if s11 is None else s11[k]
        rows.append(" ".join([f"{f:{digits}}", *(f"{part:.9g}" for s in (reflected, s21[k], s21[k], reflected) for part in (s.real, s.imag))]))
    (here / name).write_text("\n".join(rows) + "\n")


# 10 um of a lossless waveguide from 1560 to 1540 nm, 21 points: frequencies in full, with nine digits, to a MHz, to a kHz
f = np.sort(c / np.linspace(1.54e-6, 1.56e-6, 21))
line = np.exp(-2j * np.pi * index(c / f) * 1e-5 * f / c)
write("i2_full.s2p", "Hz", ".17g", f, line)
write("i2_9digits.s2p", "GHz", ".9g", f / 1e9, line)
write("i2_mhz.s2p", "MHz", ".0f", f / 1e6, line)
write("i2_khz.s2p", "kHz", ".0f", f / 1e3, line)

# A ring at critical coupling, 60 pm wide, around its resonance at 1550 nm: S = i d / (1 + i d), d = 2 (wavelength - 1550 nm) / 60 pm
for step_pm, points in ((1, 101), (2, 101), (10, 101)):
    wavelength_m = 1.55e-6 + 1e-12 * step_pm * (np.arange(points)[::-1] - (points - 1) / 2 + 0.3)
    d = 2 * (wavelength_m - 1.55e-6) / 60e-12
    write(f"i3_dip_{step_pm}pm.s2p", "GHz", ".17g", c / wavelength_m / 1e9, (1j * d / (1 + 1j * d)).conj())

# The first line with reflections of -34 dB and any phase, as measurements have them
noise = 0.02 * np.exp(2j * np.pi * np.random.default_rng(1).random(len(f)))
write("i4_noisy_reflection.s2p", "GHz", ".12g", f / 1e9, line * np.sqrt(1 - 0.02**2), noise)
