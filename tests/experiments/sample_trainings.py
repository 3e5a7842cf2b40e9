"""Samples of trainings by the ways their gradients take."""

import numpy as np
from sample_parts import result, study


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
            "chip.preset": (["design-target"] * 8 + ["good-lab", "doped-heaters"], "1", "preset")}
    with result(path, LEARNER, model="learning", complete=np.int64(1)) as file:
        study(file, [("path", keys)], trials, ["noisy"], trained(drop, trials))


def trained_through_chips(path, trials=4):
    """A model trained through the chips of two networks at five levels of their errors, and by the exact average."""
    level = ("level", {"learner.aggregator": (["exact"] + ["chip"] * 5, "1", "how gradients are averaged"),
                       "learner.chip_factor": (np.array([0, 0.5, 1, 2, 4, 8]), "1", "factor on all errors")})
    network = ("network", ["shipped/published", "carry-chain"], "1", "network", "network.source")
    drop = np.array([[0, 0, 0.1, 2, 10, 40], [0, 0, 0, 0, 0.1, 0.4]])
    with result(path, LEARNER, model="learning", complete=np.int64(1)) as file:
        study(file, [network, level], trials, ["corrected_quadrature"], trained(drop, trials))


def trained_at_energies(path, trials=4):
    """A model trained by ways through chips of known energies, one of them far worse than all others."""
    keys = {"learner.aggregator": (["exact", "chip", "chip", "chip"], "1", "how gradients are averaged"),
            "network.source": (["carry-chain", "digit-sums", "ring", "shipped/some_net"], "1", "network")}
    metrics = trained(np.array([0, 0.1, 0.4, 30.0]), trials)
    joules = np.array([np.nan, 1e-5, 3e-5, 1e-3])[:, None] * np.ones(trials)
    metrics["step_energy"] = (joules[..., None], {}, "J", "energy of one unit that averages all gradients of one step")
    with result(path, LEARNER, model="learning", complete=np.int64(1)) as file:
        study(file, [("path", keys)], trials, ["noisy"], metrics)


LEARNER = ('[task]\nservers = 4\nbits = 8\n[learner]\nkind = "cnn"\ndata_set = "fashion-mnist"\nlevels = 1\n'
           '[chip]\npreset = "good-lab"')
