"""Samples of meshes: kinds of MZIs, errors that nobody knows."""

import numpy as np
from sample_chips import ETA
from sample_parts import MESH_VARIANTS, Group, points, result, study, sweep_axes

KIND = ("kind", ["standard", "three-splitter", "balanced"], "1", "MZIs of the mesh", "mesh.kind")


def meshes_of_kinds(path, trials=40):
    """Meshes of three kinds over ports and splitter error: laws 1/2, 3/4, 0 in N and 1, 3/2, 2 in sigma, and rounding."""
    ports = ("ports", np.array([8, 16, 32, 64]), "1", "ports of the mesh", "mesh.ports")
    eta = (ETA[0], np.array([0.005, 0.01, 0.02, 0.05]), *ETA[2:])
    n, s = ports[1][:, None].astype(float), eta[1][None, :]
    laws = [[s * np.sqrt(2 * n), 1.13 * n ** 0.75 * s ** 1.5, 0.8 * n ** 0.75 * s ** 1.5],
            [s * np.sqrt(3 * n), 5 * s ** 2 * n ** 0, 5 * s ** 2 * n ** 0], [s * np.sqrt(3 * n), 1e-15 * n * s ** 0, 1e-15 * n * s ** 0]]
    error = np.array([[law + 0 * n * s for law in kind] for kind in laws])  # kind, variant, ports, sigma
    error = np.moveaxis(error, 1, -1)[:, :, :, None, :]
    error = error * np.random.default_rng(9).lognormal(0, 0.1, (3, 4, 4, trials, 1))
    with result(path, '[mesh]\nports = 16\n[chip]\nsigma_eta_rad = 0.0', model="mesh", complete=np.int64(1)) as file:
        study(file, [KIND, ports, eta], trials, MESH_VARIANTS, {
            "mesh_error": (error, {}, "1", "distance of the transfer matrix from its target"),
            "mesh_error_in_phase": (error / 2, {}, "1", "the same of its real part")})


def dies_on_wafers(path, wafers=3):
    """Meshes on three wafers of 12 dies, worse towards the edge and at long correlation lengths: a half passes a limit of
    0.99 in the uncorrected variant, none or all in others. The last die of the last wafer was not run."""
    length = ("correlation_length_m", np.array([1e-3, 3e-3, 1e-2]), "m", "Correlation length over a die",
              "fabrication.correlation_length_m")
    known = ("splitters", ["die-mean", "each"], "1", "Splitter angles that the correction knows", "calibration.splitters")
    x, y = (axis.ravel() for axis in np.meshgrid([-30e-3, 0, 30e-3], [-45e-3, -15e-3, 15e-3, 45e-3]))
    trials = wafers * len(x)
    place = np.tile(1 + 50 * np.hypot(x, y), wafers)
    error = 0.3 * place * np.array([1.0, 1.2, 1.5])[:, None, None] * np.ones((3, 2, 1))
    error = error[..., None] * np.array([[1, 0.5], [1, 0.05]])[None, :, None, :]  # splitters, trial, variant
    done = np.ones((3, 2, trials), bool)
    done[..., -1] = False
    config = ('[mesh]\nports = 16\n[chip]\nsigma_eta_rad = 0.005\n[yield]\nmetric = "mesh_error"\nsense = "at-least"\n'
              'limit = 0.99\n[fabrication]\nprocess = "wafer"\nwafer_radius_m = 0.075\nedge_exclusion_m = 3e-3\n'
              'die_length_m = 0.03\ndie_width_m = 0.03')
    with result(path, config, model="mesh", complete=np.int64(0)) as file:
        study(file, [length, known], trials, MESH_VARIANTS[:2], {
            "mesh_error": (error, {}, "1", "distance of the transfer matrix from its target")}, done, yields="mesh_error")
        dies = Group(file, "dies")
        sweep_axes(dies, [length, known])
        dies.axis("trial", np.arange(trials), long_name="number of the trial")
        for name, values, units in (("wafer", np.arange(trials) // len(x), "1"), ("die", np.arange(trials) % len(x), "1"),
                                    ("die_x", np.tile(x, wafers), "m"), ("die_y", np.tile(y, wafers), "m")):
            dies.dataset(name, [length[0], known[0], "trial"], np.broadcast_to(values, done.shape), units)


def unknown_errors(path, trials=40):
    """Corrected meshes of three kinds and one unknown error at a time, squares added to what correction leaves."""
    levels = np.array([0.001, 0.01, 0.1])
    points = np.zeros((3, 10))
    for i in range(3):
        points[i, 1 + 3 * i:4 + 3 * i] = levels
    units = ("rad", "rms error")
    unknown = ("unknown", {key: (values, *units) for key, values in zip(
        ("mesh.sigma_common_rad", "calibration.sigma_estimate_rad", "chip.sigma_cal_rad"), points)})
    floor = np.array([0.02, 0.002, 1e-15])[:, None]
    slope = np.sqrt(15 * np.array([[1, 2, 1], [1, 3, 1], [1, 3, 0.5]]))  # kind, source
    error = np.sqrt(floor ** 2 + (slope @ points) ** 2)[:, :, None, None]
    error = error * np.random.default_rng(10).lognormal(0, 0.1, (3, 10, trials, 3))
    with result(path, '[mesh]\nports = 16\n[chip]\nsigma_eta_rad = 0.02', model="mesh", complete=np.int64(1)) as file:
        study(file, [KIND, unknown], trials, MESH_VARIANTS, {
            "mesh_error": (error, {}, "1", "distance of the transfer matrix from its target"),
            "mesh_error_in_phase": (error ** 2, {}, "1", "the same of its real part")})


def detuned(path, trials=6):
    """Meshes of two sizes, with couplers of two slopes, away from the wavelength of their calibration."""
    wavelength = ("wavelength_m", np.linspace(-2e-9, 2e-9, 5), "m", "Change of the laser wavelength since calibration",
                  "environment.wavelength_m")
    ports = ("ports", np.array([8, 16, 32]), "1", "number of ports", "mesh.ports")
    slope = ("splitter_rad_per_m", np.array([4e6, 5e5]), "rad/m", "slope of splitters", "drift.splitter_rad_per_m")
    lost = (1e8 * wavelength[1]) ** 2 * ports[1][:, None, None] * np.array([1, 0.5])[:, None]
    lost = lost[..., None, None] * np.random.default_rng(8).lognormal(0, 0.1, (3, 2, 5, trials, 2)) * [1, 0.5]
    with result(path, model="mesh", complete=np.int64(1)) as file:
        study(file, [ports, slope, wavelength], trials, ["uncorrected", "corrected_quadrature"], {
            "fidelity": (1 - lost, {}, "1", "fidelity"),
            "group_delay_spread": (1e-13 * lost + 5e-14, {}, "s", "spread of the group delay")})
