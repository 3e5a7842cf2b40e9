"""Samples of the tables that validate, budget, designs and interconnect write."""

import numpy as np
from sample_parts import Group, result


def laws(path, trials=200):
    """As optinc validate writes it: a law over sigma, one of a single point, and one that failed without samples."""
    sigma, line = np.array([0.005, 0.01, 0.02]), np.geomspace(0.005, 0.02, 101)
    with result(path) as file:
        del file.attrs["run_id"], file.attrs["config_toml"]
        table = Group(file, "laws", quick=np.int64(1))
        names = [f"E0 uncorrected sigma={s}" for s in sigma] + ["E0 alone", "MZIs"]
        table.axis("check", names)
        table.dataset("law", ["check"], ["E0 uncorrected"] * 3 + ["E0 alone", "MZIs"])
        table.dataset("passed", ["check"], np.array([1, 1, 1, 1, 0], np.uint8))
        for name, factor in (("expected", 1), ("measured", 1.01), ("tolerance", 0.03)):
            table.dataset(name, ["check"], factor * np.array([0.04, 0.08, 0.16, 0.1, 6]))
        for name, places in (("e0_uncorrected", sigma), ("e0_alone", sigma[:1])):
            group = Group(file, f"series/{name}", row="8", formula="8 sigma", axis="sigma")
            group.at.attrs["name"] = name.replace("_", " ")
            group.axis("x", places, "rad", "rms error of the splitters")
            group.axis("line", line, "rad", "rms error of the splitters")
            group.axis("trial", np.arange(trials))
            sample = 8 * places[:, None] * (1 + 0.05 * np.random.default_rng(8).normal(size=(len(places), trials)))
            rms = np.sqrt((sample ** 2).mean(1))
            group.dataset("expected", ["x"], 8 * places)
            group.dataset("measured", ["x"], rms, long_name="rms error E over meshes")
            group.dataset("standard_error", ["x"], 0.05 * rms / np.sqrt(trials))
            group.dataset("tolerance", ["x"], 0.03 * 8 * places)
            group.dataset("theory", ["line"], 8 * line)
            group.dataset("sample", ["x", "trial"], sample)


def costs(path):
    """As optinc budget writes it, without trials: two layers between the ends."""
    stages = ["servers", "unit P", "layer 1", "layer 2", "unit T"]
    with result(path) as file:
        group = Group(file, "budget")
        group.axis("stage", stages)
        for name, parts, units, values in (
                ("loss", ["splitting", "MZIs"], "dB", [[6, 0], [-6, 0], [0, 13], [0, 13], [6, 0]]),
                ("static_power", ["heaters", "lasers", "control"], "W", [[0, 1, 0], [0, 0, 0], [90, 2, 0], [80, 2, 0], [0, 1, 0]]),
                ("delay", ["MZIs", "converters"], "s", [[0, 0], [0, 0], [4e-10, 0], [4e-10, 0], [0, 1e-9]])):
            group.axis(f"{name}_part", parts)
            group.dataset(name, ["stage", f"{name}_part"], np.array(values, float), units)
        group.axis("heater", ["harris-2014-heater", "typical-metal-heater", "typical-undercut-heater"])
        group.dataset("heater_power", ["heater"], np.array([210.0, 170.0, 8.5]), "W")


def side_by_side(path):
    """As optinc compare-costs writes it: three designs, one of them untrained, none with a wait."""
    with result(path) as file:
        del file.attrs["run_id"], file.attrs["config_toml"]
        group = Group(file, "designs")
        group.axis("design", ["published $8$ bit", "chain", "one stage"])
        group.dataset("untrained", ["design"], np.array([1, 0, 0], np.uint8))
        for name, values in (("mzis", [41664, 123, 9]), ("mzis_full_svd", [106260, 123, 9]), ("published_mzis", [41664, 0, 0]),
                             ("columns", [398, 9, 9]), ("conversions", [5, 4, 4]), ("receivers", [656, 12, 7]), ("modulators", [656, 30, 13])):
            group.dataset(name, ["design"], np.array(values, np.int64))
        for name, units, values in (("most_gain", "dB", [30.0, 12.0, 12.0]), ("static_power", "W", [1700.0, 20.0, 5.0]),
                                    ("heater_power", "W", [1680.0, 8.0, 0.0]), ("delay", "s", [3e-9, 2e-9, 4e-9])):
            group.dataset(name, ["design"], np.array(values), units)


def fastest(path):
    """As optinc operating-point writes it: three designs, of which one decodes at no rate."""
    with result(path) as file:
        del file.attrs["run_id"], file.attrs["config_toml"]
        group = Group(file, "operating_points")
        group.axis("design", ["published $8$ bit", "narrow", "chain"])
        for name, values in (("network", ["a.h5", "b.h5", "carry-chain"]), ("noise_set", ["receivers"] * 3),
                             ("chip_preset", ["design-target", "good-lab", "good-lab"])):
            group.dataset(name, ["design"], values)
        for name, units, values in (("symbol_rate", "Bd", [np.nan, 4e10, 6e10]), ("receiver_bandwidth", "Hz", [np.nan, 2.4e10, 3.2e10]),
                                    ("bit_rate", "bit/s", [np.nan, 1.28e12, 1.92e12]), ("energy_per_bit", "J", [np.nan, 8e-11, 7e-12]),
                                    ("wrong_words", "1", [0.3, 5e-5, 0.0]), ("static_power", "W", [np.nan, 65.0, 10.0]),
                                    ("symbol_power", "W", [np.nan, 38.0, 4.0]), ("delay", "s", [np.nan, 2.6e-9, 1.5e-9]),
                                    ("area", "m2", [np.nan, 6e-4, 2e-5])):
            group.dataset(name, ["design"], np.array(values), units)
        group.dataset("chips_right", ["design"], np.array([0, 97, 100], np.int64))
        file["operating_points"].attrs["criterion"] = "at most 0.0001 of words wrong on 95 % of 100 chips"


def over_parts(path):
    """As optinc operating-point --draws writes it: three designs over five draws, in two of which sums have no point."""
    with result(path) as file:
        del file.attrs["run_id"], file.attrs["config_toml"]
        group = Group(file, "part_draws")
        designs = ["sums of $8$", "ring of 8", "ring of 4"]
        group.axis("draw", np.arange(5))
        group.axis("design", designs)
        group.axis("against", designs)
        group.axis("part", ["laser.device", "converter.device"])
        group.axis("quantile", np.array([0.1, 0.5, 0.9]))
        group.dataset("network", ["design"], ["digit-sums", "ring", "ring"])
        group.dataset("servers", ["design"], np.array([8, 8, 4], np.int64))
        group.dataset("parts", ["draw", "part"], [["a", "b"]] * 5)
        energy = 1e-12 * np.array([[7, np.nan, 6, np.nan, 8], [9, 10, 11, 12, 13], [7, 8, 9, 10, 11]])
        group.dataset("energy_per_bit", ["design", "draw"], energy, "J")
        group.dataset("less_energy", ["design", "against"], np.array([[np.nan, 0.6, 0.6], [0.4, np.nan, 0], [0.4, 1, np.nan]]))
        group.dataset("energy_quantile", ["design", "quantile"], 1e-12 * np.array([[6, 8, np.inf], [9, 11, 13], [7, 9, 11]]), "J")
        group.dataset("counted_draw", ["design", "quantile"], np.array([[2, 4, -1], [0, 2, 4], [0, 2, 4]], np.int64))
        group.dataset("counted_energy", ["design", "quantile"], 1e-12 * np.array([[6.1, 8.1, np.nan], [9, 11, 13], [7, 9, 11]]), "J")


def of_a_circuit(path):
    """As optinc circuit writes it: a ring between two buses that reflects a little."""
    at = np.linspace(1.54e-6, 1.56e-6, 201)
    with result(path) as file:
        del file.attrs["run_id"], file.attrs["config_toml"], file.attrs["seed"]
        group = Group(file, "circuit")
        ports = ["in", "$through$", "drop"]
        group.axis("wavelength", at, "m")
        group.axis("port_out", ports)
        group.axis("port_in", ports)
        group.axis("complex", ["re", "im"])
        drop = 0.9 / (1 + ((at - 1.55e-6) / 1e-9) ** 2)
        s = np.zeros((len(at), 3, 3, 2))
        s[:, 1, 0, 0] = s[:, 0, 1, 0] = np.sqrt(1 - drop)
        s[:, 2, 0, 1] = s[:, 0, 2, 1] = np.sqrt(drop)
        group.dataset("scattering", ["wavelength", "port_out", "port_in", "complex"], s)


def of_receivers(path):
    """As optinc circuit --light writes it: an amplifier from one port to another."""
    at = np.linspace(1.54e-6, 1.56e-6, 3)
    with result(path) as file:
        del file.attrs["run_id"], file.attrs["config_toml"], file.attrs["seed"]
        group = Group(file, "circuit")
        group.axis("wavelength", at, "m")
        group.axis("port_out", ["in", "out"])
        group.axis("port_in", ["in", "out"])
        group.axis("complex", ["re", "im"])
        s = np.zeros((len(at), 2, 2, 2))
        s[:, 1, 0, 0] = 3
        group.dataset("scattering", ["wavelength", "port_out", "port_in", "complex"], s)
        group.dataset("emission", ["wavelength", "port_out"], np.tile([0, 2e-17], (len(at), 1)))
        group.dataset("snr", ["wavelength", "port_out"], np.tile([10.0, 1000.0], (len(at), 1)))


def of_draws(path):
    """As optinc circuit --sweep writes it: three draws of a link of two ports."""
    at = np.linspace(1.54e-6, 1.56e-6, 21)
    with result(path) as file:
        del file.attrs["run_id"], file.attrs["config_toml"], file.attrs["seed"]
        group = Group(file, "circuit_draws")
        group.axis("draw", np.arange(3))
        group.axis("setting", ["arm.loss_db_per_cm"])
        group.axis("wavelength", at, "m")
        group.axis("port_out", ["in", "out"])
        group.axis("port_in", ["in", "out"])
        group.axis("complex", ["re", "im"])
        s = np.zeros((3, len(at), 2, 2, 2))
        for draw, power in enumerate((0.2, 0.8, 0.5)):
            s[draw, :, 1, 0, 0] = s[draw, :, 0, 1, 0] = np.sqrt(power)
        group.dataset("scattering", ["draw", "wavelength", "port_out", "port_in", "complex"], s)
        group.dataset("settings", ["draw", "setting"], np.array([[7.0], [1.0], [3.0]]))


def of_a_cluster(path):
    """As optinc cluster writes it: exchanges at two tuning times, one with a failure, three competitions,
    three iterations, and three components that fail."""
    with result(path) as file:
        del file.attrs["run_id"], file.attrs["config_toml"], file.attrs["seed"]
        group = Group(file, "testbeds")
        group.axis("row", np.arange(3))
        group.dataset("name", ["row"], ["ring", "ring", "broken"])
        group.dataset("nodes", ["row"], np.full(3, 4, np.int64))
        group.dataset("failed_transceivers", ["row"], np.array([0, 0, 1], np.int64))
        group.dataset("tuning_s", ["row"], np.array([1e-5, 1e-7, 1e-7]), "s")
        group.dataset("ratio", ["row"], np.array([1.04, 1.005, 2.0]))
        group = Group(file, "competitions")
        group.axis("row", np.arange(3))
        group.dataset("scattered", ["row"], np.array([0.0, 0.1, 0.1]))
        group.dataset("workload", ["row"], ["vgg19"] * 3)
        group.dataset("nodes", ["row"], np.array([1024] * 3, np.int64))
        group.dataset("oddl_s", ["row"], np.array([0.5, 0.5, 0.4]), "s")
        group.dataset("fat_tree_ratio", ["row"], np.array([1.0, 1.58, 3.0]))
        group.dataset("sip_ring_ratio", ["row"], np.array([1.1, 1.75, 9.0]))
        group = Group(file, "failures")
        group.axis("row", np.arange(3))
        for name, values in (("name", ["one $a$", "only", "lost node"]), ("network", ["switch", "oddl", "oddl"]),
                             ("component", ["transceiver", "fibre", "node"])):
            group.dataset(name, ["row"], values)
        for name, values in (("found_s", [1.0, 1.0, 1.0]), ("repair_s", [0.0, np.nan, 60.1]), ("repeated_s", [0.0, 0.02, 300.0]),
                             ("lost_s", [1.0, np.nan, 361.1])):
            group.dataset(name, ["row"], np.array(values), "s")
        group.dataset("slowdown", ["row"], np.array([1.4, np.nan, 1.01]))
        group.dataset("goes_on", ["row"], np.array([1, 0, 1], np.int64))
        group = Group(file, "iterations")
        group.axis("row", np.arange(3))
        group.dataset("name", ["row"], ["stages", "stages", "replicas"])
        group.dataset("network", ["row"], ["switch", "oddl", "oddl"])
        for name, units, values in (("rate_bit_per_s", "bit/s", [1e11] * 3), ("compute_s", "s", [1, 1, 3]), ("without_s", "s", [2, 2, 3]),
                                    ("iteration_s", "s", [2.5, 2.25, 3.5])):
            group.dataset(name, ["row"], np.array(values, float), units)


def joined(path):
    """As optinc interconnect writes it: two curves over servers, one scenario of many, and two questions."""
    with result(path) as file:
        del file.attrs["run_id"], file.attrs["config_toml"]
        group = Group(file, "interconnect")
        group.axis("scenario", np.arange(7))
        for name, values in (("name", ["ring $a$"] * 3 + ["OptINC"] * 3 + ["ODDL"]), ("reference", [""] * 3 + ["ring $a$"] * 3 + [""]),
                             ("network", ["switch"] * 3 + ["optinc"] * 3 + ["oddl"]), ("arrangement", ["circuit-switched"] * 7)):
            group.dataset(name, ["scenario"], values)
        group.dataset("servers", ["scenario"], np.array([4, 8, 16, 4, 8, 16, 1024], np.int64))
        group.dataset("calibrated", ["scenario"], np.array([1, 1, 1, 1, 1, 1, 0], np.uint8))
        group.dataset("normalised", ["scenario"], np.array([np.nan] * 3 + [0.75, 0.66, 0.63, np.nan]))
        compute, serial = [4.5e-4] * 7, [1.4e-3, 1.7e-3, 1.8e-3, 9e-4, 9e-4, 9e-4, 9e-2]
        latency, circuits = [0.0] * 6 + [4e-3], [0.0] * 6 + [1e-5]
        hidden = [0.0] * 5 + [2e-4, 0.0]  # by the backward pass
        total = [sum(parts) - h for *parts, h in zip(compute, serial, latency, circuits, hidden)]
        for name, units, values in (("compute_s", "s", compute), ("serial_s", "s", serial), ("total_s", "s", total),
                                    ("energy_j", "J", [1.0, 2.0, 4.0, 0.5, 2.0, 5.0, np.nan]),
                                    ("latency_s", "s", latency), ("circuits_s", "s", circuits),
                                    ("sync_s", "s", [0.0] * 7)):
            group.dataset(name, ["scenario"], np.array(values), units)
        group = Group(file, "sensitivity")
        group.axis("point", np.arange(5))
        for name, values in (("name", ["latency"] * 3 + ["placement"] * 2), ("subject", ["OptINC"] * 5), ("reference", ["ring $a$"] * 5),
                             ("value_text", ["0.0", "2e-06", "2e-05", "linear", "random"])):
            group.dataset(name, ["point"], values)
        group.dataset("key", ["point"], ["latency_s"] * 3 + ["placement"] * 2)
        group.dataset("value", ["point"], np.array([0.0, 2e-6, 2e-5, np.nan, np.nan]))
        group.dataset("ratio", ["point"], np.array([0.75, 0.74, 0.7, 0.75, 0.2]))
        group.dataset("nominal", ["point"], np.array([1, 0, 0, 1, 0], np.uint8))
