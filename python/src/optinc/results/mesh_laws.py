"""Closed forms of the error E = |T - U| / sqrt(N) of meshes of N ports with real orthogonal targets, as its rms over
meshes, to lowest order in sigma (rad); in phase: of the real part alone."""

from __future__ import annotations

import math

SPLITTERS = {"standard": 2, "real": 2, "three-splitter": 3, "balanced": 3}
"""Splitters of an MZI of each kind."""


def splitters(kind: str, ports: float, sigma: float) -> float:
    """Splitters off by sigma that no correction knows: sigma sqrt(m (N - 1)), m of them in an MZI."""
    return sigma * math.sqrt(SPLITTERS[kind] * (ports - 1))


def splitters_in_phase(kind: str, ports: float, sigma: float) -> float:
    """The same in phase. MZIs of two splitters: sqrt(3) sigma^2 (N - 1), since each of them turns real fields out of
    phase and what is back in phase has met two. Balanced ones: sigma sqrt(N - 1), since the quarter wave brings what
    their last splitter does back into phase. NaN of three splitters that are not balanced."""
    if kind == "balanced":
        return sigma * math.sqrt(ports - 1)
    return math.sqrt(3) * sigma ** 2 * (ports - 1) if SPLITTERS[kind] == 2 else math.nan


def corrected(kind: str, ports: int, sigma: float) -> float:
    """What local correction leaves of known splitter errors, clipped to the nearest: about 0.800 N^(3/4) sigma^(3/2)
    of MZIs of two splitters, sigma^2 sqrt(8 (4 - 12/N)) of three (N > 3), nothing of balanced ones. Those of two:
    sqrt(64 sigma^3 / (6 sqrt(pi)) [sum_k (N - k) P_k(0) + (N - 1) / pi] / N) with the density of theta at the cross
    state of rank k, P_k(0) = Gamma((k + 1) / 2) / (sqrt(pi) Gamma(k / 2)); all of it is in phase."""
    if kind == "balanced":
        return 0.0
    if kind == "three-splitter":
        return sigma ** 2 * math.sqrt(8 * max(4 - 12 / ports, 0))
    density = (ports - 1) / math.pi
    for k in range(1, ports):
        density += (ports - k) * math.exp(math.lgamma((k + 1) / 2) - math.lgamma(k / 2)) / math.sqrt(math.pi)
    return math.sqrt(64 * sigma ** 3 / (6 * math.sqrt(math.pi)) * density / ports)


def common_phase(kind: str, ports: float, sigma: float) -> float:
    """Unknown phases of MZIs as a whole, of any kind: sigma sqrt(N - 1)."""
    return sigma * math.sqrt(ports - 1)


def common_phase_in_phase(kind: str, ports: float, sigma: float) -> float:
    """The same in phase, of any kind: (sqrt(3) / 2) sigma^2 (N - 1)."""
    return math.sqrt(3) / 2 * sigma ** 2 * (ports - 1)


def calibration(kind: str, ports: float, sigma: float) -> float:
    """Phase shifters off by sigma, the screen's too. E^2 / sigma^2 = a (N - 1) + 1 with a = 1/2 for each single-armed
    phase of an MZI and 1/4 for each that is driven push-pull."""
    return sigma * math.sqrt({"real": 3 / 4, "balanced": 1 / 2}.get(kind, 1) * (ports - 1) + 1)


def calibration_in_phase(kind: str, ports: float, sigma: float) -> float:
    """The same in phase, of any kind: sigma sqrt(N - 1) / 2. One phase of the two, that which carries the weight, acts
    in phase."""
    return sigma * math.sqrt(ports - 1) / 2
