"""A 4x4 photonic network of three layers and the gradients that were measured in it (pai2023_mesh)."""

import numpy as np
from optinc import Mesh

from .row import Found, Row, bootstrap, reached, rms, table

FOLDER = "pai2023_mesh"
TASKS = ("moons", "circle")
CASES = ("moons_measured_phase", "moons_correct_phase", "circle_measured_phase")  # the first one is fitted
QUANTILES = (0.1, 0.5, 0.9)


def layers_of(folder, task):
    """Meshes of the three layers."""
    u = table(folder / FOLDER, "unitaries.csv")
    layers = []
    for layer in range(3):
        here = (u["task"] == task) & (u["layer"] == layer)
        matrix = np.zeros((4, 4), complex)
        matrix[u["row"][here].astype(int), u["col"][here].astype(int)] = u["re"][here] + 1j * u["im"][here]
        layers.append(Mesh.from_unitary(nearest_unitary(matrix), "reck"))
    return layers


def nearest_unitary(matrix):
    """The file has eight digits, a decomposition asks for a unitary."""
    left, _, right = np.linalg.svd(matrix)
    return left @ right


def outputs(meshes, x):
    """Fields of all layers, [(input, output)], of a network h = |U2 |U1 |U0 x|||."""
    fields = []
    for mesh in meshes:
        y = mesh(x)
        fields.append((x, y))
        x = abs(y).astype(complex)
    return fields


def share(y):
    power = abs(y) ** 2
    return power[:, :2].sum(axis=1) / power.sum(axis=1)


def inference(folder, task):
    i = table(folder / FOLDER, f"inference_{task}.csv")
    x = np.column_stack([i[f"x{p}"] for p in range(4)]).astype(complex)
    return x, i["class"].astype(int), i["share01_predicted"], i["share01_measured"]


def chip_of(meshes, sigma, draw):
    """All layers on one chip whose heaters are off by fixed errors: one chip runs the layers in turn."""
    errors = [draw.normal(0, sigma, meshes[0].theta.size) for _ in range(2)]
    chips = []
    for mesh in meshes:
        chip = mesh.fabricate("ideal")
        chip.errors.theta_offset[:], chip.errors.phi_offset[:] = errors
        chips.append(chip)
    return chips


def inference_rows(found, folder):
    for task, table_says, published in zip(TASKS, (0.024, 0.018), (0.036, 0.031)):
        meshes = layers_of(folder, task)
        x, _, predicted, measured = inference(folder, task)
        ours = share(outputs(meshes, x)[-1][1])
        found.rows.append(Row(f"mesh-prediction-{task}", f"engine against the published prediction, {task}, largest difference of a power share", "",
                              float(abs(ours - predicted).max()), reached(4e-7) + 1e-7, note="the file has seven digits"))
        off = measured - ours
        found.rows.append(Row(f"mesh-share-{task}", f"measured less predicted power share, {task}, rms", "", rms(off), reached(table_says) + 5e-4,
                              interval=bootstrap(lambda i, off=off: rms(off[i]), off.size)))
        draw, sigmas = np.random.default_rng(1), np.array([0.02, 0.04])
        made = [np.sqrt(np.mean([rms(share(outputs(chip_of(meshes, s, draw), x)[-1][1]) - ours) ** 2 for _ in range(60)])) for s in sigmas]
        equal = rms(off) / np.mean(made / sigmas)
        found.rows.append(Row(f"mesh-phase-{task}", f"phase error of all heaters that makes it, {task} (others found {published})", "rad", float(equal),
                              least=published / 1.25, most=published * 1.25, note="60 chips at 0.02 and at 0.04 rad"))
        found.keep(f"mesh/{task}_predicted", ours, "1")
        found.keep(f"mesh/{task}_measured", measured, "1")
        found.keep(f"mesh/{task}_phase_rad", equal, "rad")
        noise_row(found, task, meshes, x, off)


def noise_row(found, task, meshes, x, off):
    """Noise of power readings, from words that are nearly alike: fixed errors of a chip are, too, and half of the mean squared difference
    of two is noise of each. Of all words, the half whose nearest neighbour is nearest."""
    apart = np.linalg.norm(x[:, None] - x, axis=-1) + 9 * np.eye(len(x))  # fields have 9 in all
    near = np.flatnonzero(apart.min(axis=1) <= np.median(apart.min(axis=1)))
    twin = apart[near].argmin(axis=1)
    draw = np.random.default_rng(1)
    made = rms(share(read_in_turn(meshes, np.tile(x, (40, 1)), 0.002, draw)[0][-1]) - np.tile(share(outputs(meshes, x)[-1][1]), 40)) / 0.002

    def noise(i):
        return float(rms(off[near[i]] - off[twin[i]]) / np.sqrt(2))

    every = np.arange(near.size)
    found.rows.append(Row(f"mesh-reading-{task}", f"noise of power readings, of the power sent, {task}: from the {near.size} words nearest to another", "",
                          noise(every) / made, interval=bootstrap(lambda i: noise(i) / made, near.size), note=f"{noise(every):.4f} of a share"))
    found.keep(f"mesh/{task}_reading", noise(every) / made, "1")
    found.keep(f"mesh/{task}_fixed_share", 1 - (noise(every) / rms(off)) ** 2, "1")


def read_in_turn(meshes, x, reading, draws):
    """Fields in front of all layers and the roots behind the last, and fields behind: powers are read with noise in units of the power
    that is sent, as shares of their sum, and their roots are the inputs of the next layer."""
    sent, behind = [x.astype(complex)], []
    for mesh in meshes:
        behind.append(mesh(sent[-1]))
        power = np.sum(abs(sent[-1]) ** 2, axis=1, keepdims=True)
        read = np.maximum(abs(behind[-1]) ** 2 + reading * power * draws.normal(size=behind[-1].shape), 0)
        sent.append(np.sqrt(read * power / np.sum(read, axis=1, keepdims=True)).astype(complex))
    return sent, behind


def gradients(meshes, x, classes, known=None, draws=None, **errors):
    """In-situ gradients of the cross entropy by every phase, (words, phases), and by layer the fields behind it and the adjoint in front.

    Done as the experiment's program did (github solgaardlab/phox, apps/onn.py): roots of the powers that are read are the inputs of
    the next layer, vectors are sent as they are, x + i mu with mu as it was measured in front of the layer, and the real part of mu
    goes on to the layer before. known: what these fields are on an ideal chip, whose phases are taken; else phases are detected.
    The loss is that of softmax of the two pairs' power, of 9 in all.
    """
    sent, behind = read_in_turn(meshes, x, errors.get("reading", 0.0), draws or np.random.default_rng(1))
    last = sent.pop().real
    wrong = 1 / (1 + np.exp(-last ** 2 @ [1, 1, -1, -1])) - (classes == 0)  # the pair of ports 0, 1 is class 0
    adjoint = 2 * wrong[:, None] * last * np.array([1, 1, -1, -1])
    parts, arriving = [], []
    for layer in (2, 1, 0):
        phases, phases_in_front = (known[0][layer], known[1][layer]) if known else (behind[layer], None)
        found = one_by_one(meshes[layer], sent[layer], adjoint * phases / abs(phases), phases_in_front, 1000 * layer, errors)
        parts.append(found[0])
        arriving.insert(0, found[1])
        adjoint = found[1].real
    return np.concatenate(parts, axis=1), behind, arriving


def one_by_one(mesh, x, adjoint, arriving, first, errors):
    """In-situ gradients of the words, each for itself, and what arrives in front."""
    rows, in_front = [], []
    for w in range(len(x)):
        theta, phi, _, mu = mesh.in_situ_gradient(x[w:w + 1], adjoint[w:w + 1], equal_powers=False, measured_adjoint=True, first_word=first + w,
                                                  arriving=None if arriving is None else arriving[w:w + 1], **errors)
        rows.append(np.concatenate([theta, phi]))
        in_front.append(mu[0])
    return np.array(rows), np.array(in_front)


def misdirection(a, b):
    """1 - g.g of normalised gradients, (words,)."""
    return 1 - np.sum(a * b, axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


class Bench:
    """The experiment of a task: its inputs, their ideal gradients, and chips that measure them."""

    def __init__(self, folder, task, sigma, chips=200):
        meshes = layers_of(folder, task)
        x, classes, _, _ = inference(folder, task)
        train = table(folder / FOLDER, f"inference_{task}.csv")["split"] == "train"
        self.x, self.classes = x[train], classes[train]
        self.exact, *self.known = gradients(meshes, self.x, self.classes)
        self.chips = [chip_of(meshes, sigma, np.random.default_rng(10 + i)) for i in range(chips)]

    def errors(self, reading, gain, detection=None):
        """1 - g.g of the words, a list of chips, as far as histograms have them: to 1. Without detection, phases are known."""
        how = {"known": self.known} if detection is None else {"detection": detection}
        of_chips = [misdirection(self.exact, gradients(chips, self.x, self.classes, draws=np.random.default_rng(number), reading=reading,
                                                       gain=gain, chip=number, **how)[0]) for number, chips in enumerate(self.chips)]
        return [found[found <= 1] for found in of_chips]


def quantiles_of_histogram(h, case):
    """Quantiles of a histogram, linear within bins, of the logarithm."""
    here = h["case"] == case
    steps = np.concatenate([[0], np.cumsum(h["count"][here])]) / h["count"][here].sum()
    edges = np.append(h["log10_error_low"][here], h["log10_error_high"][here][-1])
    return 10 ** np.interp(QUANTILES, steps, edges)


def surprise(h, case, errors):
    """-ln of the likelihood of a histogram where these errors are drawn, their own histogram smoothed over three bins."""
    here = h["case"] == case
    edges = np.append(h["log10_error_low"][here], h["log10_error_high"][here][-1])
    made = np.pad(np.histogram(np.log10(errors), edges)[0] + 0.5, 1, mode="edge")
    smooth = made[:-2] + 2 * made[1:-1] + made[2:]
    return -float(np.sum(h["count"][here] * np.log(smooth / smooth.sum())))


def gradient_rows(found, folder):
    """Noise of readings is that between words of the inferences nearly alike, and phase errors make the rest of their errors; gains of
    monitors and noise of detected fields are the most probable ones of one histogram. The intervals are those of the single chips: one
    was measured."""
    h = table(folder / FOLDER, "gradient_error_histograms.csv")
    of = {task: [float(found.data[f"mesh/{task}_{name}"][0]) for name in ("phase_rad", "fixed_share", "reading")] for task in TASKS}
    benches = {task: Bench(folder, task, phase * np.sqrt(fixed)) for task, (phase, fixed, _) in of.items()}
    reading = rms([noise for _, _, noise in of.values()])

    def off(p):
        return surprise(h, CASES[0], np.concatenate(benches["moons"].errors(reading, *np.exp(p))))

    start = min(((a, b) for a in np.log([0.03, 0.1, 0.3]) for b in np.log([0.03, 0.1, 0.3])), key=off)
    from scipy import optimize  # noqa: PLC0415
    best = optimize.minimize(off, start, method="Nelder-Mead",
                             options={"initial_simplex": np.array(start) + np.array([[0, 0], [0.3, 0], [0, 0.3]]), "maxfev": 40})
    gain, detection = np.exp(best.x)
    found.rows.append(Row("gradient-noise", "noise of detected fields that explains the fitted histogram, of their rms", "", float(detection),
                          note=f"and gains of monitors off by {gain:.3f}; fitted to {CASES[0].replace('_', ' ')}; readings off by {reading:.4f}, from inference"))
    for case in CASES:
        of_chips = benches[case.split("_")[0]].errors(reading, gain, None if "correct" in case else detection)
        made, wanted = np.quantile(np.concatenate(of_chips), QUANTILES), quantiles_of_histogram(h, case)
        off_by = np.exp(abs(np.log([np.quantile(one, QUANTILES) / wanted for one in of_chips])))
        for q, name in ((1, "median"), (2, "p90")):
            ratio = float(max(made[q] / wanted[q], wanted[q] / made[q]))
            found.rows.append(Row(f"gradient-{name}-{case.replace('_', '-')}", f"{name} of in-situ gradient errors, {case.replace('_', ' ')}: larger over smaller",
                                  "", ratio, None if case == CASES[0] else 1.5, interval=tuple(np.quantile(off_by[:, q], [0.025, 0.975])),
                                  note=f"{made[q]:.3g} simulated, {wanted[q]:.3g} measured" + (", fitted" if case == CASES[0] else "")))
        found.keep(f"mesh/{case}_quantiles", [made, wanted], "1")


def checks(folder):
    """Rows and data of the mesh."""
    found = Found()
    inference_rows(found, folder)
    gradient_rows(found, folder)
    return found
