"""Samples of chips: sweeps, an ablation, drift, a file without everything."""

import numpy as np
from sample_parts import CHIP_VARIANTS, Group, MESH_VARIANTS, result, study, sweep_axes


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
    eye.axis("variant", ["corrected_quadrature", "noisy"])
    eye.axis("word", np.arange(2000))
    eye.axis("digit", np.arange(4))
    eye.dataset("outputs", ["variant", "word", "digit"],
                (target + rng.normal(0, 1, (2, 2000, 4)) * [[[0.05]], [[0.6]]]).astype(np.float32), "digit")
    eye.dataset("target", ["word", "digit"], target, "digit")
    sample_gradient(file, "gradient", rng)


def sample_gradient(file, place, rng, noisy=30):
    """A group `gradient`; the noisy chip's error in those of the codes."""
    paths = ["exact", "quantised", "network", "chip_uncorrected", "chip_corrected", "chip_noisy"]
    gradient = Group(file, place, words=np.int64(5000), servers=np.int64(4), test_accuracy=0.85, loss=0.4,
                     sigma_eta_rad=0.005)
    average = (rng.normal(0, 1e-3, 5000) ** 3 * 1e5).astype(np.float32)
    received = np.stack([average + k * 1e-4 * rng.normal(0, 1, 5000) for k in (0, 1, 1, 2, 1, noisy)]).astype(np.float32)
    gradient.axis("path", paths)
    gradient.axis("element", np.arange(5000))
    gradient.dataset("average", ["element"], average)
    gradient.dataset("received", ["path", "element"], received)
    gradient.dataset("code_error", ["path", "element"], np.zeros((6, 5000), np.int32), "LSB")
    gradient.dataset("relative_error", ["path"], np.linalg.norm(received - average, axis=1) / np.linalg.norm(average))


def one_sweep(path, trials=30):
    """Chips at levels of one error, and everything measured once."""
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


def words_in_time(path, trials=2, layers=3):
    """Words in succession: three layers, whose last has four levels and whose second is not received."""
    rate = ("symbol_rate_bd", np.array([20e9, 40e9]), "Bd", "symbols per second on every lane", "time.symbol_rate_bd")
    instants, levels = np.arange(16) / 16 - 0.5, -0.4875 + np.arange(80) * 0.025
    spread = (0.02 + 0.3 * instants ** 2) * np.array([1.0, 2.0])[:, None, None, None, None]
    deviation = spread * np.ones((2, trials, len(CHIP_VARIANTS), layers, 1))
    eye = sum(np.exp(-((levels - digit / 3) / deviation[..., None]) ** 2) for digit in range(4))
    for values in (deviation, eye):
        values[:, :, :, 1] = np.nan
    own = {"layer": (np.arange(layers), "1"), "instant": (instants, "symbol")}
    with result(path, model="waveform", complete=np.int64(1)) as file:
        study(file, [rate], trials, CHIP_VARIANTS, {
            "words_wrong": (deviation[..., 2, 0], {}, "1", "share of words wrong"),
            "waveform_error": (3 * deviation[..., 2, 8], {}, "digit", "rms error of the servers' samples"),
            "symbol_deviation": (deviation, own, "1", "rms difference from settled words"),
            "layer_eye": (np.round(1000 * eye), {**own, "level": (levels, "1")}, "1", "samples at this level")})


def text_axis(path, trials=8):
    """Chips of named presets."""
    preset = ("preset", ["ideal", "design-target", "doped-heaters"], "1", "preset of the chip", "chip.preset")
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


def noisy_receivers(path, trials=2, words=1000):
    """Chips whose receivers are noisy: power, intensity noise, sources, and in which receivers."""
    power, rin = np.geomspace(1e-5, 1e-2, 4), np.array([-160.0, -140.0])
    sources = ("noises", {f"noise.{key}": (np.array(on), "1", f"{key} noise acts") for key, on in
                          (("shot", [1, 0, 0, 1]), ("tia", [0, 1, 0, 1]), ("rin", [0, 0, 1, 1]))})
    sweeps = [("signal_full_scale_w", power, "W", "re-modulated power", "link.signal_full_scale_w"),
              ("rin_db_per_hz", rin, "dB/Hz", "intensity noise", "laser.rin_db_per_hz"), sources,
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
