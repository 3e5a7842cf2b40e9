#!/usr/bin/env python3
"""Writes skrf_line.s2p with scikit-rf: 100 um of the waveguide that the model `waveguide` describes, 1535..1565 nm.

  pip install scikit-rf && tests/data/circuits/make_skrf.py

scikit-rf describes lines as network analysers do, by exp(-gamma L) with gamma = alpha + j beta.
"""

from pathlib import Path

import numpy as np
import skrf

c = 299792458.0
frequency_hz = np.arange(191.5e12, 195.4e12, 20e9)
wavelength_m = c / frequency_hz
x = 1e6 * wavelength_m - 1.55
beta = 2 * np.pi * (2.44365 - 1.13171 * x - 0.0424756 * x**2) / wavelength_m  # strip waveguide, 220 nm x 500 nm
alpha = 150 / 20 * np.log(10)  # 1.5 dB/cm
medium = skrf.media.DefinedGammaZ0(skrf.Frequency.from_f(frequency_hz, unit="hz"), z0=50, gamma=alpha + 1j * beta)
line = medium.line(100e-6, "m")
print(f"scikit-rf {skrf.__version__}: group delay {1e12 * np.median(line.group_delay[:, 1, 0].real):.4f} ps")
line.write_touchstone("skrf_line", dir=Path(__file__).parent, form="ri", format_spec_A="{:.12g}", format_spec_B="{:.12g}",
                      format_spec_freq="{:.12g}")
