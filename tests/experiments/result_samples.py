"""Small result files that follow experiments/store/FORMAT.md, made of draws whose law is written here.

Used by sample_files.py. `python3 result_samples.py DIR` writes one of each, to look at.
"""

import sys
from pathlib import Path

import h5py
import numpy as np

CHIP_VARIANTS = ["uncorrected", "corrected", "noisy"]
MESH_VARIANTS = ["uncorrected", "corrected", "corrected_nearest"]


class Group:
    """A group whose datasets are tied to axes as the store ties them."""

    def __init__(self, file, name, **attributes):
        self.at = file.create_group(name, track_order=True)
        self.at.attrs.update(attributes)

    def axis(self, name, values, units="1", long_name=None, **attributes):
        self.dataset(name, None, values, units, long_name, **attributes)
        self.at[name].make_scale(name)

    def dataset(self, name, axes, values, units="1", long_name=None, **attributes):
        values = np.asarray(values)
        if values.dtype.kind in "OU":
            values = values.astype(object)
            data = self.at.create_dataset(name, data=values, dtype=h5py.string_dtype())
        else:
            packed = dict(chunks=True, shuffle=True, compression=4) if values.nbytes > 4096 else {}
            data = self.at.create_dataset(name, data=values, **packed)
        data.attrs["units"] = units
        data.attrs["long_name"] = long_name or name.replace("_", " ")
        data.attrs.update(attributes)
        for i, axis in enumerate(axes or ()):
            data.dims[i].attach_scale(self.at[axis])


def result(path, config="", **attributes):
    """A file with the root attributes of a result; `config` is put before the sections of config_toml."""
    file = h5py.File(path, "w", track_order=True)
    file.attrs.update({
        "Conventions": "CF-1.10", "title": "A sample", "schema_version": np.int64(4), "optinc_version": "0.1.0",
        "git_revision": "0123456789ab", "build_target": "portable", "compiler": "GCC 12.2.0",
        "run_id": "00112233445566ff", "seed": np.int64(1), "created_utc": "2025-01-31T12:00:00Z",
        "command": "optinc run sample.toml -o sample.h5",
        "config_toml": f'study = "sample"\n{config}\n[run]\nseed = 1\n', **attributes})
    return file


def sweep_axes(group, sweeps):
    """Writes the axes of the sweeps: (name, values, units, long_name, key) or (name, {key: (values, units, long)})."""
    for sweep in sweeps:
        if isinstance(sweep[1], dict):  # several keys at once
            name, keys = sweep
            length = len(next(iter(keys.values()))[0])
            group.axis(name, np.arange(length), long_name="point of the sweep")
            for key, (values, units, long_name) in keys.items():
                group.dataset(key.split(".")[-1], [name], values, units, long_name, key=key)
        else:
            name, values, units, long_name, key = sweep
            group.axis(name, values, units, long_name, key=key)


def points(sweeps):
    return tuple(len(next(iter(s[1].values()))[0]) if isinstance(s[1], dict) else len(s[1]) for s in sweeps)


def study(file, sweeps, trials, variants, quantities, done=None, yields=None):
    """Writes `trials` and `summary`. quantities: {name: (array over sweeps, trial, variant and own axes; own axes as
    {name: (values, units)}; units; long name)}. `done` (sweeps, trial) marks what was run; the rest becomes NaN."""
    names, shape = [s[0] for s in sweeps], points(sweeps)
    done = np.ones((*shape, trials), bool) if done is None else done
    raw, summary = Group(file, "trials"), Group(file, "summary")
    for group in (raw, summary):
        sweep_axes(group, sweeps)
    raw.axis("trial", np.arange(trials), long_name="number of the trial")
    for group in (raw, summary):
        group.axis("variant", variants, long_name="how the device is programmed and what acts on the light")
        for _, own, _, _ in quantities.values():
            for axis, (values, units) in own.items():
                if axis not in group.at:
                    group.axis(axis, values, units)
    summary.axis("quantile", np.array([0.05, 0.5, 0.95]))
    raw.dataset("completed", [*names, "trial"], done.astype(np.uint8), long_name="1 where the trial was run")
    summary.dataset("completed", names, done.sum(-1).astype(np.int64), long_name="trials run")
    t = len(names)
    for name, (values, own, units, long_name) in quantities.items():
        values = np.array(values, float)
        values[~done] = np.nan
        raw.dataset(name, [*names, "trial", "variant", *own], values, units, long_name)
        axes = [*names, "variant", *own]
        if name == "code_error_count":
            summary.dataset(f"{name}_sum", axes, np.nansum(values, t), units, f"sum of {long_name}")
            continue
        with np.errstate(all="ignore"):
            n = np.isfinite(values).sum(t)
            mean = np.where(n > 0, np.nansum(values, t) / np.maximum(n, 1), np.nan)
            std = np.sqrt(np.where(n > 1, np.nansum((values - np.expand_dims(mean, t)) ** 2, t) / np.maximum(n - 1, 1),
                                   np.nan))
            half = 1.96 * std / np.sqrt(n)
            ends = mean - half, mean + half
        for ending, array in (("mean", mean), ("std", std), ("mean_low", ends[0]), ("mean_high", ends[1])):
            summary.dataset(f"{name}_{ending}", axes, array, units, f"{ending} of {long_name}")
        filled = np.nan_to_num(values)
        quantile = np.moveaxis(np.quantile(filled, [0.05, 0.5, 0.95], axis=t), 0, -1)
        for ending in ("", "_low", "_high"):
            summary.dataset(f"{name}_quantile{ending}", [*axes, "quantile"], quantile, units)
    if yields is not None:
        share = (quantities[yields][0] > 0.99).mean(t)
        for ending, move in (("", 0), ("_low", -0.05), ("_high", 0.05)):
            summary.dataset(f"yield{ending}", [*names, "variant"], np.clip(share + move, 0, 1), "1",
                            "share of chips that decode 99 % of their words")


def chip_quantities(strength, trials, seed=1, layers=3, largest=255, words=4096):
    """What a chip study measures, where `strength` (sweeps) says how bad each point is: 1 is where it breaks."""
    rng = np.random.default_rng(seed)
    s = np.asarray(strength, float)[..., None, None] * np.array([1.0, 0.45, 1.0])
    s = s * rng.lognormal(0, 0.08, (*np.shape(strength), trials, 3))
    accuracy = 1 / (1 + s ** 6)
    accuracy[..., 2] = 0.009 * rng.lognormal(0, 0.05, accuracy.shape[:-1])
    codes = np.arange(-largest, largest + 1)
    spread = np.exp(-np.abs(codes) / 3.0) * (codes != 0)
    wide = np.exp(-(codes / 60.0) ** 2)
    count = np.round((1 - accuracy)[..., None] * words * spread / spread.sum())
    count[..., 2, :] = np.round(words * wide / wide.sum())
    count[..., codes == 0] = (words - count.sum(-1) + count[..., codes == 0][..., 0])[..., None]
    matrix = 0.1 * s[..., None] * np.linspace(1, 2, layers)
    return {
        "word_accuracy": (accuracy, {}, "1", "share of the drawn words decoded exactly"),
        "margin": (0.4 - 0.5 * s, {}, "digit", "least over the drawn words of 0.5 - max |y - d|"),
        "output_error": (0.05 * s + np.array([0, 0, 0.9]), {}, "digit",
                         "rms over drawn words and digits of y minus the float64 network's"),
        "matrix_error": (matrix, {"layer": (np.arange(layers), "1")}, "1",
                         "relative Frobenius error of the layer's transfer matrix"),
        "matrix_error_in_phase": (matrix ** 2, {"layer": (np.arange(layers), "1")}, "1",
                                  "the same of its real part, which homodyne receivers see"),
        "code_error_count": (count, {"code_error": (codes, "LSB")}, "1", "drawn words with this code error"),
    }


ETA = ("sigma_eta_rad", np.array([0.0025, 0.005, 0.01, 0.015, 0.02, 0.03]), "rad",
       "rms splitter angle error sigma_eta", "chip.sigma_eta_rad")
BITS = ("dac_bits", np.array([6, 8, 10, 12]), "bit", "resolution of the phase DAC over 2 pi", "chip.dac_bits")
LOSS = ("mzi_loss_db", np.array([0.0, 0.05, 0.1, 0.2]), "dB", "mean insertion loss of one MZI", "chip.mzi_loss_db")


def network_groups(file, epochs=100, seed=2):
    """`training`, `onn`, `eye` and `gradient`."""
    rng = np.random.default_rng(seed)
    training = Group(file, "training")
    training.axis("epoch", np.arange(1, epochs + 1), long_name="passes over every word of the task")
    done = np.linspace(0, 1, epochs)
    for name, values, units in (("loss", 0.5 * np.exp(-9 * done), "digit^2"),
                                ("word_accuracy", np.minimum(1, 1.2 * done), "1"),
                                ("margin", -1.0 + 1.2 * done, "digit"), ("learning_rate", 0.012 * (1 - done), "1")):
        training.dataset(name, ["epoch"], values, units)
    Group(file, "onn", word_accuracy=1.0, margin=0.2, words=np.int64(625), rounding="half-even", servers=np.int64(4),
          bits=np.int64(8), mzi_count=np.int64(41664), mzi_count_full_svd=np.int64(106260), mzi_depth=np.int64(398),
          train_seconds=9.2)
    eye = Group(file, "eye", sigma_eta_rad=0.005, thresholds_digit=np.array([0.5, 1.5, 2.5]))
    target = rng.integers(0, 4, (2000, 4)).astype(np.uint8)
    eye.axis("variant", ["corrected", "noisy"])
    eye.axis("word", np.arange(2000))
    eye.axis("digit", np.arange(4))
    eye.dataset("outputs", ["variant", "word", "digit"],
                (target + rng.normal(0, 1, (2, 2000, 4)) * [[[0.05]], [[0.6]]]).astype(np.float32), "digit")
    eye.dataset("target", ["word", "digit"], target, "digit")
    paths = ["exact", "quantised", "network", "chip_uncorrected", "chip_corrected", "chip_noisy"]
    gradient = Group(file, "gradient", words=np.int64(5000), servers=np.int64(4), test_accuracy=0.85, loss=0.4,
                     sigma_eta_rad=0.005)
    average = (rng.normal(0, 1e-3, 5000) ** 3 * 1e5).astype(np.float32)
    received = np.stack([average + k * 1e-4 * rng.normal(0, 1, 5000) for k in (0, 1, 1, 2, 1, 30)]).astype(np.float32)
    gradient.axis("path", paths)
    gradient.axis("element", np.arange(5000))
    gradient.dataset("average", ["element"], average)
    gradient.dataset("received", ["path", "element"], received)
    gradient.dataset("code_error", ["path", "element"], np.zeros((6, 5000), np.int32), "LSB")
    gradient.dataset("relative_error", ["path"], np.linalg.norm(received - average, axis=1) / np.linalg.norm(average))


def one_sweep(path, trials=30):
    """The quickstart's kind: chips at levels of one error, and everything measured once."""
    with result(path, model="chip", complete=np.int64(1)) as file:
        quantities = chip_quantities(ETA[1] / 0.02, trials)
        study(file, [ETA], trials, CHIP_VARIANTS, quantities, yields="word_accuracy")
        network_groups(file)


def two_sweeps(path, trials=10):
    """Chips over two numeric parameters."""
    strength = ETA[1][None, :] / 0.02 + 2.0 ** (7 - BITS[1][:, None]) / 4
    with result(path, 'figures = ["metric_vs_parameter", "heat_map", "pareto"]', model="chip",
                complete=np.int64(1)) as file:
        study(file, [BITS, ETA], trials, CHIP_VARIANTS, chip_quantities(strength, trials))


def paired_keys(path, trials=12):
    """Meshes; one sweep of two keys taken together."""
    designs = ("design", {"mesh.ports": (np.array([8, 16, 32, 64]), "1", "ports of the mesh"),
                          "chip.sigma_eta_rad": (np.array([0.02, 0.015, 0.01, 0.005]), "rad",
                                                 "rms splitter angle error sigma_eta")})
    rng = np.random.default_rng(3)
    size = np.array([8, 16, 32, 64.0])[:, None, None]
    eta = np.array([0.02, 0.015, 0.01, 0.005])[:, None, None]
    error = eta * np.sqrt(2 * size) * np.array([1, 0.1, 0.12]) * rng.lognormal(0, 0.1, (4, trials, 3))
    loss = 0.1 * size + 0 * error
    with result(path, model="mesh", complete=np.int64(1)) as file:
        study(file, [designs], trials, MESH_VARIANTS, {
            "mesh_error": (error, {}, "1", "distance of the transfer matrix from its target"),
            "mesh_error_in_phase": (error ** 2, {}, "1", "the same of its real part"),
            "insertion_loss": (loss, {}, "dB", "mean insertion loss")})


def text_axis(path, trials=8):
    """Chips of named presets."""
    preset = ("preset", ["ideal", "design-target", "foundry"], "1", "preset of the chip", "chip.preset")
    with result(path, model="chip", complete=np.int64(1)) as file:
        study(file, [preset], trials, CHIP_VARIANTS, chip_quantities(np.array([0.0, 0.5, 1.2]), trials))


def with_ablation(path, trials=8):
    """Chips with every source alone, all, all but one, at two sizes of error."""
    sources = ["splitter", "calibration", "loss spread", "dac", "phase noise"]
    levels = ["none", *(f"only {s}" for s in sources), "all", *(f"all but {s}" for s in sources)]
    part = np.array([0.6, 0.25, 0.1, 0.04, 0.01])
    strength = np.sqrt(np.concatenate([[0], part, [1], 1 - part]))
    sweep = ("ablation", levels, "1", "sources of error switched on", "ablation")
    with result(path, model="chip", complete=np.int64(1)) as file:
        quantities = chip_quantities(ETA[1][[1, 3]][:, None] / 0.02 * strength, trials)
        study(file, [(ETA[0], ETA[1][[1, 3]], *ETA[2:]), sweep], trials, CHIP_VARIANTS, quantities)
        group = Group(file, "ablation", metric="output_error")
        sweep_axes(group, [(ETA[0], ETA[1][[1, 3]], *ETA[2:])])
        group.axis("variant", CHIP_VARIANTS)
        group.axis("source", sources)
        v = (quantities["output_error"][0] ** 2).mean(2)  # eta, ablation, variant
        none, whole = v[:, 0], v[:, 6]
        alone, without = np.moveaxis(v[:, 1:6], 1, -1), np.moveaxis(v[:, 7:], 1, -1)
        axes = ["sigma_eta_rad", "variant"]
        group.dataset("variance_all", axes, whole, "digit^2")
        group.dataset("variance_none", axes, none, "digit^2")
        group.dataset("variance_alone", [*axes, "source"], alone, "digit^2")
        group.dataset("variance_without", [*axes, "source"], without, "digit^2")
        span = (whole - none)[..., None]
        group.dataset("share_alone", [*axes, "source"], (alone - none[..., None]) / span)
        group.dataset("share_without", [*axes, "source"], (whole[..., None] - without) / span)


def incomplete(path, trials=5):
    """The second of two sweeps interrupted: some points short of trials, the last without any."""
    done = np.ones((4, 6, trials), bool)
    done[2, 3:, 2:] = False
    done[3, 1:] = False
    strength = ETA[1][None, :] / 0.02 + LOSS[1][:, None]
    with result(path, model="chip", complete=np.int64(0)) as file:
        study(file, [LOSS, ETA], trials, CHIP_VARIANTS, chip_quantities(strength, trials), done)


def over_time(path, trials=6):
    """Meshes that age: a sweep in seconds, spaced logarithmically after 0."""
    time = ("time_s", np.array([0.0, 1e-6, 1e-5, 1e-4, 1e-3]), "s", "time since calibration", "drift.time_s")
    rng = np.random.default_rng(5)
    error = (0.01 + np.sqrt(time[1])[:, None, None]) * rng.lognormal(0, 0.2, (5, trials, 3))
    with result(path, model="mesh", complete=np.int64(1)) as file:
        study(file, [time], trials, MESH_VARIANTS,
              {"mesh_error": (error, {}, "1", "distance of the transfer matrix from its target")})


def recorded_drift(path, trials=6):
    """A study of model drift: chips over time, calibrated once and again and again."""
    rng = np.random.default_rng(6)
    minutes = np.linspace(0, 3600, 121)
    own = {"time": (minutes, "s")}
    age = np.array([minutes / 3600, np.mod(minutes, 600) / 3600])  # since the last calibration
    walk = 2e-3 * age * rng.lognormal(0, 0.2, (trials, 1, 1))
    accuracy = np.clip(1 - 200 * walk, 0, 1)
    ends = {"end": (np.array(["first", "last"]), "1")}
    with result(path, model="drift", complete=np.int64(1)) as file:
        study(file, [], trials, ["drifting", "recalibrated"],
              {"instant_accuracy": (accuracy, own, "1", "share of the drawn words decoded exactly at this time"),
               "phase_drift": (walk, own, "rad", "rms change of the chip's phases since the last calibration"),
               "die_temperature": (0 * walk + np.sin(minutes / 300), own, "K", "temperature of the die"),
               "accuracy_all_words": (accuracy[..., [0, -1]], ends, "1", "share of all words decoded exactly")})


def bare(path):
    """As optinc train writes it, without any group of a study."""
    with result(path) as file:
        Group(file, "network", servers=np.int64(4), digits=np.int64(4), rounding="half-even", layers=np.int64(0))


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
                ("power", ["heaters", "lasers", "control"], "W", [[0, 1, 0], [0, 0, 0], [90, 2, 0], [80, 2, 0], [0, 1, 0]]),
                ("delay", ["MZIs", "converters"], "s", [[0, 0], [0, 0], [4e-10, 0], [4e-10, 0], [0, 1e-9]])):
            group.axis(f"{name}_part", parts)
            group.dataset(name, ["stage", f"{name}_part"], np.array(values, float), units)
        group.axis("heater", ["harris-2014-heater", "typical-metal-heater", "typical-undercut-heater"])
        group.dataset("heater_power", ["heater"], np.array([210.0, 170.0, 8.5]), "W")
        group.dataset("bit_rate", None, np.float64(1.6e12), "bit/s")


def side_by_side(path):
    """As optinc designs writes it: three designs, one of them untrained, none with a wait."""
    with result(path) as file:
        del file.attrs["run_id"], file.attrs["config_toml"]
        group = Group(file, "designs")
        group.axis("design", ["published $8$ bit", "chain", "one stage"])
        group.dataset("untrained", ["design"], np.array([1, 0, 0], np.uint8))
        for name, values in (("mzis", [41664, 123, 9]), ("mzis_full_svd", [106260, 123, 9]), ("published_mzis", [41664, 0, 0]),
                             ("columns", [398, 9, 9]), ("conversions", [5, 4, 4])):
            group.dataset(name, ["design"], np.array(values, np.int64))
        for name, units, values in (("most_gain", "dB", [30.0, 12.0, 12.0]), ("power", "W", [1700.0, 20.0, 5.0]),
                                    ("heater_power", "W", [1680.0, 8.0, 0.0]), ("delay", "s", [3e-9, 2e-9, 4e-9]),
                                    ("energy_per_bit", "J/bit", [1e-9, 1e-11, 2e-11])):
            group.dataset(name, ["design"], np.array(values), units)


def joined(path):
    """As optinc interconnect writes it: two curves over servers, one scenario of many, and two questions."""
    with result(path) as file:
        del file.attrs["run_id"], file.attrs["config_toml"]
        group = Group(file, "interconnect")
        group.axis("scenario", np.arange(7))
        for name, values in (("name", ["ring $a$"] * 3 + ["OptINC"] * 3 + ["ODDL"]), ("reference", [""] * 3 + ["ring $a$"] * 3 + [""])):
            group.dataset(name, ["scenario"], values)
        group.dataset("servers", ["scenario"], np.array([4, 8, 16, 4, 8, 16, 1024], np.int64))
        group.dataset("calibrated", ["scenario"], np.array([1, 1, 1, 1, 1, 1, 0], np.uint8))
        group.dataset("normalised", ["scenario"], np.array([np.nan] * 3 + [0.75, 0.66, 0.63, np.nan]))
        compute, serial = [4.5e-4] * 7, [1.4e-3, 1.7e-3, 1.8e-3, 9e-4, 9e-4, 9e-4, 9e-2]
        latency, circuits = [0.0] * 6 + [4e-3], [0.0] * 6 + [1e-5]
        hidden = [0.0] * 5 + [2e-4, 0.0]  # by the backward pass
        total = [sum(parts) - h for *parts, h in zip(compute, serial, latency, circuits, hidden)]
        for name, units, values in (("compute_s", "s", compute), ("serial_s", "s", serial), ("total_s", "s", total),
                                    ("latency_s", "s", latency), ("circuits_s", "s", circuits),
                                    ("sync_s", "s", [0.0] * 7)):
            group.dataset(name, ["scenario"], np.array(values), units)
        group = Group(file, "sensitivity")
        group.axis("point", np.arange(5))
        for name, values in (("name", ["latency"] * 3 + ["placement"] * 2), ("subject", ["OptINC"] * 5), ("reference", ["ring $a$"] * 5),
                             ("value_text", ["0.0", "2e-06", "2e-05", "linear", "random"])):
            group.dataset(name, ["point"], values)
        group.dataset("ratio", ["point"], np.array([0.75, 0.74, 0.7, 0.75, 0.2]))
        group.dataset("nominal", ["point"], np.array([1, 0, 0, 1, 0], np.uint8))


def noisy_receivers(path, trials=2, words=1000):
    """Chips whose receivers are noisy: power, intensity noise, sources, and in which receivers."""
    power, rin = np.geomspace(1e-5, 1e-2, 4), np.array([-160.0, -140.0])
    sources = ("noises", {f"noise.{key}": (np.array(on), "1", f"{key} noise acts") for key, on in
                          (("shot", [1, 0, 0, 1]), ("tia", [0, 1, 0, 1]), ("rin", [0, 0, 1, 1]))})
    sweeps = [("signal_full_scale_w", power, "W", "re-modulated power", "link.signal_full_scale_w"),
              ("rin_db_per_hz", rin, "dB/Hz", "intensity noise", "link.rin_db_per_hz"), sources,
              ("last_only", np.array([1, 0]), "1", "receivers are noisy at the servers alone", "noise.last_only")]
    shape = (4, 2, 4, 2, trials, 1)
    theory = np.broadcast_to(np.minimum(0.5, 1e-6 / power)[:, None, None, None, None, None] ** 1.5 * 10, shape)
    rng = np.random.default_rng(9)
    digits = np.minimum(0.7, theory * np.array([1, 30])[:, None, None])
    wrong = rng.binomial(4 * words, digits) / (4 * words)
    with result(path, f"[measure]\nwords = {words}\n[task]\nbits = 8\n", model="chip", complete=np.int64(1)) as file:
        study(file, sweeps, trials, ["noisy"], {
            "word_accuracy": ((1 - digits) ** 4, {}, "1", "share of the drawn words decoded exactly"),
            "digit_error_rate": (wrong, {}, "1", "share of the drawn words' digits decoded wrongly"),
            "readout_error_rate": (1.2 * theory, {}, "1", "predicted from the levels"),
            "pam4_error_rate": (theory, {}, "1", "predicted by the formula"),
            "received_power": (np.broadcast_to(power[:, None, None, None, None, None] / 300, shape), {}, "W",
                               "signal on a receiver at digit 3")})


def crowded(path, trials=10):
    """Many points of three sweeps."""
    eta = (ETA[0], np.geomspace(1e-3, 0.05, 25), *ETA[2:])
    loss = (LOSS[0], np.linspace(0, 0.5, 20), *LOSS[2:])
    bits = (BITS[0], np.arange(6, 11), *BITS[2:])
    strength = (eta[1][None, :, None] / 0.02 + loss[1][None, None, :] + 2.0 ** (5 - bits[1][:, None, None]))
    with result(path, model="chip", complete=np.int64(1)) as file:
        quantities = chip_quantities(strength, trials, largest=15)
        study(file, [bits, eta, loss], trials, CHIP_VARIANTS,
              {name: quantities[name] for name in ("word_accuracy", "output_error", "code_error_count")})


def sparse(path):
    """One trial at one point."""
    with result(path, model="chip", complete=np.int64(1)) as file:
        study(file, [(ETA[0], ETA[1][:1], *ETA[2:])], 1, CHIP_VARIANTS, chip_quantities(np.array([0.5]), 1))
        network_groups(file, epochs=1)


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


def tolerant_networks(file, identities, of_point, mzis, accuracy):
    """The group `networks`: their keys, sizes and shares of words right, and which one each point has."""
    group = Group(file, "networks")
    for i, (identity, count, right) in enumerate(zip(identities, mzis, accuracy)):
        Group(file, f"networks/{i}", identity=identity)
        Group(file, f"networks/{i}/onn", word_accuracy=right, margin=0.3 if right == 1 else -0.2,
              mzi_count=np.int64(count), mzi_depth=np.int64(40))
    group.axis("point", np.arange(len(of_point)), long_name="point of the sweeps")
    group.dataset("of_point", ["point"], np.array(of_point, np.int64))


PRESET = ("preset", ["design-target", "foundry"], "1", "fills the values of this section", "chip.preset")
TOLERANCE = "harshest value of tolerance.key at which every word is right"


def tolerant_shapes(path, trials=400):
    """What the chips of six networks stand of two presets: two alike in shape, one carry chain, one wrong without errors,
    one that fails at gentle, one of which some do, and some that hold to the harshest."""
    hidden = ["[32, 32, 32, 32, 32]", "[16, 32, 16]", "[32, 32, 32, 32, 32]", "", "[8, 8]", "[64, 64]"]
    sources = ["train", "train", "train", "carry-chain", "train", "train"]
    names = ["a", "b", "c", "d", "e", "f"]
    identities = [f'network.source = "{source}"\n' + (f"network.hidden = {shape}\n" if shape else "")
                  + f"training.matrix_noise = {0.03 * (i == 2)}\n" for i, (source, shape) in enumerate(zip(sources, hidden))]
    middle = np.array([2.0, 0.6, 40.0, 0.3, 0.0, 0.02])[:, None] / np.array([1, 10])
    drawn = middle[..., None] * np.random.default_rng(11).lognormal(0, 0.3, (6, 2, trials))
    drawn = np.where(drawn < 0.01, 0, np.minimum(drawn, 30.0))
    config = '[tolerance]\nkey = "chip"\ngentle = 0.01\nharsh = 30.0\n'
    with result(path, config, model="tolerance", complete=np.int64(1)) as file:
        study(file, [("network", names, "1", "network", "network.hidden"), PRESET], trials, ["corrected"],
              {"tolerance": (drawn[..., None], {}, "1", TOLERANCE)})
        tolerant_networks(file, identities, np.repeat(np.arange(6), 2), [2720, 900, 2720, 29, 120, 9000],
                          [1, 1, 1, 1, 0.75, 1])


def trained(drop, trials):
    """Metrics of trainings that end `drop` points below 87 %, an array over the sweeps, each with trials of their own."""
    rng = np.random.default_rng(13)
    starts = rng.normal(0, 0.002, trials)
    final = 0.87 - np.asarray(drop)[..., None] / 100 + starts + rng.normal(0, 3e-4, (*np.shape(drop), trials))
    steps = np.arange(1, 7) * 78
    curve = final[..., None] - 0.2 * np.exp(-steps / 150)
    wrong = np.clip(np.asarray(drop)[..., None] / 40 + 0 * final, 0, 1)
    about = {"step": (steps, "step")}
    return {"final_accuracy": (final[..., None], {}, "1", "share of the test examples told right after the last step"),
            "final_loss": (1.2 - final[..., None], {}, "nat", "mean cross-entropy after the last step"),
            "sent_error_rate": (wrong[..., None], {}, "1", "share of codes received wrong"),
            "test_accuracy": (curve[..., None, :], about, "1", "share of the test examples told right"),
            "test_loss": (1.2 - curve[..., None, :], about, "nat", "mean cross-entropy of the test examples")}


def trainings(path, trials=4):
    """A model trained by ten ways of averaging, wrong codes and offsets among them, one far worse than all others."""
    ways = ["exact", "ring", "quantised", "quantised", "quantised", "quantised", "quantised", "chip", "chip", "chip"]
    rate = np.array([0, 0, 0, 1e-2, 0.1, 0, 0, 0, 0, 0])
    offset = np.array([0, 0, 0, 0, 0, 0.5, 2.0, 0, 0, 0])
    drop = np.array([0, 0, 0.1, 0.1, 1.5, 0.6, 4.0, 0.1, 0.9, 30.0])
    keys = {"learner.aggregator": (ways, "1", "how gradients are averaged"),
            "learner.error_rate": (rate, "1", "share of codes made wrong"),
            "learner.offset_lsb": (offset, "LSB", "added to every code"),
            "network.source": (["carry-chain"] * 8 + ["shipped/some_net"] * 2, "1", "network"),
            "chip.preset": (["design-target"] * 8 + ["good-lab", "foundry"], "1", "preset")}
    with result(path, LEARNER, model="learning", complete=np.int64(1)) as file:
        study(file, [("path", keys)], trials, ["noisy"], trained(drop, trials))


def trained_through_chips(path, trials=4):
    """A model trained through the chips of two networks at five levels of their errors, and by the exact average."""
    level = ("level", {"learner.aggregator": (["exact"] + ["chip"] * 5, "1", "how gradients are averaged"),
                       "learner.chip_factor": (np.array([0, 0.5, 1, 2, 4, 8]), "1", "factor on all errors")})
    network = ("network", ["shipped/published", "carry-chain"], "1", "network", "network.source")
    drop = np.array([[0, 0, 0.1, 2, 10, 40], [0, 0, 0, 0, 0.1, 0.4]])
    with result(path, LEARNER, model="learning", complete=np.int64(1)) as file:
        study(file, [network, level], trials, ["corrected"], trained(drop, trials))


LEARNER = ('[task]\nservers = 4\n[learner]\nkind = "cnn"\ndata_set = "fashion-mnist"\nlevels = 1\n'
           '[chip]\npreset = "good-lab"')


def tolerant_keys(path, trials=20):
    """What the chips of one network stand of one error at a time: splitters, the bits of a DAC, which fall, and a key in
    no table; some fail at gentle, in either direction."""
    keys = ["chip.sigma_eta_rad", "chip.dac_bits", "link.odd_thing_w"]
    rng = np.random.default_rng(12)
    drawn = np.array([0.02 * rng.lognormal(0, 0.3, trials), rng.integers(5, 10, trials), rng.uniform(1, 6, trials)])
    drawn[0, :2], drawn[1, 0], drawn[1, 1], drawn[2, 3] = 0, np.inf, 2, 5.0
    drawn[2] = np.minimum(drawn[2], 5.0)
    together = ("error", {"tolerance.key": (keys, "1", "what is raised"),
                          "tolerance.gentle": (np.array([1e-4, 16, 0]), "1", "where the search begins"),
                          "tolerance.harsh": (np.array([0.5, 2, 5]), "1", "where it ends")})
    config = '[network]\nsource = "nets/good.h5"\n[tolerance]\nkey = "chip"\ngentle = 0.01\nharsh = 30.0\n'
    with result(path, config, model="tolerance", complete=np.int64(1)) as file:
        study(file, [together], trials, ["corrected", "noisy"],
              {"tolerance": (np.stack([drawn, drawn], -1), {}, "1", TOLERANCE)})
        Group(file, "network", servers=np.int64(4), digits=np.int64(4), rounding="half-even", layers=np.int64(0))
        Group(file, "onn", word_accuracy=1.0, margin=0.3, mzi_count=np.int64(500), mzi_depth=np.int64(40))


ALL = (one_sweep, two_sweeps, paired_keys, text_axis, with_ablation, incomplete, over_time, recorded_drift, bare, laws, costs, side_by_side, joined,
       noisy_receivers, crowded, sparse, meshes_of_kinds, unknown_errors, tolerant_shapes, tolerant_keys, trainings,
       trained_through_chips)

if __name__ == "__main__":
    for make in ALL:
        make(Path(sys.argv[1]) / f"{make.__name__}.h5")
