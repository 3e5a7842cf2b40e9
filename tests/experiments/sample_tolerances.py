"""Samples of tolerances: what chips of several networks, and one error at a time, are found to stand."""

import numpy as np
from sample_chips import ETA, chip_quantities, sample_gradient
from sample_parts import CHIP_VARIANTS, Group, result, study


def tolerant_networks(file, identities, of_point, mzis, accuracy):
    """The group `networks`: their keys, sizes and shares of words right, and which one each point has."""
    group = Group(file, "networks")
    for i, (identity, count, right) in enumerate(zip(identities, mzis, accuracy)):
        Group(file, f"networks/{i}", identity=identity)
        Group(file, f"networks/{i}/onn", word_accuracy=right, margin=0.3 if right == 1 else -0.2,
              mzi_count=np.int64(count), mzi_depth=np.int64(40))
    group.axis("point", np.arange(len(of_point)), long_name="point of the sweeps")
    group.dataset("of_point", ["point"], np.array(of_point, np.int64))


PRESET = ("preset", ["design-target", "doped-heaters"], "1", "fills the values of this section", "chip.preset")
TOLERANCE = "harshest value of tolerance.key at which every word is right"


def tolerant_shapes(path, trials=400):
    """What the chips of six networks stand of two presets: two alike in shape, one carry chain, one wrong without errors,
    one that fails at gentle, one of which some do, and some that hold to the harshest."""
    hidden = ["[32, 32, 32, 32, 32]", "[16, 32, 16]", "[32, 32, 32, 32, 32]", "", "[8, 8]", "[96, 32, 96, 32, 96]"]
    sources = ["train", "train", "train", "carry-chain", "train", "train"]
    names = ["a", "b", "c", "d", "e", "f"]
    identities = [f'network.source = "{source}"\n' + (f"network.hidden = {shape}\n" if shape else "")
                  + f"training.matrix_noise = {0.03 * (i == 2)}\n" for i, (source, shape) in enumerate(zip(sources, hidden))]
    middle = np.array([2.0, 0.6, 40.0, 0.3, 0.0, 0.02])[:, None] / np.array([1, 10])
    drawn = middle[..., None] * np.random.default_rng(11).lognormal(0, 0.3, (6, 2, trials))
    drawn = np.where(drawn < 0.01, 0, np.minimum(drawn, 30.0))
    config = '[tolerance]\nkey = "chip"\ngentle = 0.01\nharsh = 30.0\n'
    with result(path, config, model="tolerance", complete=np.int64(1)) as file:
        study(file, [("network", names, "1", "network", "network.hidden"), PRESET], trials, ["corrected_quadrature"],
              {"tolerance": (drawn[..., None], {}, "1", TOLERANCE)})
        tolerant_networks(file, identities, np.repeat(np.arange(6), 2), [2720, 900, 2720, 29, 120, 9000],
                          [1, 1, 1, 1, 0.75, 1])


def noisy_networks(path, trials=8):
    """Words right of two networks on chips of two presets at six splitter errors, and a gradient through each; the second
    makes no mistake at all."""
    identities = [f'network.source = "shipped/{name}"\n' for name in ("some_net", "other_net")]
    strength = np.array([0.5, 0.0])[:, None, None] * np.array([1, 2])[:, None] * (ETA[1] / 0.02 + 0.5)
    quantities = {"word_accuracy": chip_quantities(strength, trials)["word_accuracy"]}
    quantities["word_accuracy"][0][..., 2] = quantities["word_accuracy"][0][..., 0]
    with result(path, "[measure]\nwords = 4096\n", model="chip", complete=np.int64(1)) as file:
        study(file, [("network", ["some_net", "other_net"], "1", "network", "network.source"), PRESET, ETA], trials,
              CHIP_VARIANTS, quantities)
        tolerant_networks(file, identities, np.repeat(np.arange(2), 12), [9000, 29], [1, 1])
        for i, noisy in enumerate((30, 1)):
            sample_gradient(file, f"networks/{i}/gradient", np.random.default_rng(13), noisy)
            Group(file, f"networks/{i}/cost", mzis=np.int64([9000, 29][i]), static_power_w=[65.0, 3.2][i],
                  most_gain_db=[16.1, 8.0][i])


def on_channels(path, trials=5, words=500):
    """Words right of two networks on the channels of a comb, at two slopes of couplers; the second makes no mistake in the
    middle."""
    offsets = np.arange(-4, 5) * 100e9
    identities = [f'network.source = "shipped/{name}"\n' for name in ("some_net", "other_net")]
    slope = ("splitter_rad_per_m", np.array([4e6, 5e5]), "rad/m", "change of every splitter angle with wavelength",
             "drift.splitter_rad_per_m")
    wrong = np.minimum(1, (np.array([1e-2, 0])[:, None, None, None, None] + (np.abs(offsets) / 3e11) ** 6)
                       * np.array([1, 0.1])[:, None, None, None] * np.array([1, 2])[:, None] * np.ones((trials, 1, 1)))
    wrong = np.floor(words * wrong) / words
    with result(path, f"[measure]\nwords = {words}\n", model="comb", complete=np.int64(1)) as file:
        study(file, [("network", ["some_net", "other_net"], "1", "network", "network.source"), slope], trials,
              ["corrected_quadrature", "noisy"], {
                  "channel_accuracy": (1 - wrong, {"channel": (offsets, "Hz")}, "1", "share of the channel's words right"),
                  "channels_right": ((wrong == 0).sum(-1), {}, "1", "channels right")})
        tolerant_networks(file, identities, np.repeat(np.arange(2), 2), [9000, 29], [1, 1])


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
        study(file, [together], trials, ["corrected_quadrature", "noisy"],
              {"tolerance": (np.stack([drawn, drawn], -1), {}, "1", TOLERANCE)})
        Group(file, "network", servers=np.int64(4), digits=np.int64(4), rounding="half-even", layers=np.int64(0))
        Group(file, "onn", word_accuracy=1.0, margin=0.3, mzi_count=np.int64(500), mzi_depth=np.int64(40))
