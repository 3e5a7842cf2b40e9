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


def gradient(fields, classes, behind, through):
    """Gradient of the cross entropy by every phase, (words, phases): behind(layer, x, adjoint) gives those of a layer, through(layer,
    x, y, adjoint) the adjoint in front of it. The loss is that of softmax of the two pairs' power, of 9 in all."""
    y = fields[-1][1]
    z = 9 * (2 * share(y) - 1)
    wrong = 1 / (1 + np.exp(-z)) - (classes == 0)  # the pair of ports 0, 1 is class 0
    adjoint = 2 * wrong[:, None] * y * np.array([1, 1, -1, -1])
    parts = []
    for layer in (2, 1, 0):
        x, y = fields[layer]
        if layer < 2:
            adjoint = adjoint.real * y / abs(y)  # through h = |y|
        parts.append(behind(layer, x, adjoint))
        adjoint = through(layer, x, y, adjoint)
    return np.concatenate(parts, axis=1)


def one_by_one(mesh, x, adjoint, first, **errors):
    """In-situ gradients of the words, each for itself."""
    rows = []
    for w in range(len(x)):
        theta, phi, _ = mesh.in_situ_gradient(x[w:w + 1], adjoint[w:w + 1], first_word=first + w, **errors)
        rows.append(np.concatenate([theta, phi]))
    return np.array(rows)


def misdirection(a, b):
    """1 - g.g of normalised gradients, (words,)."""
    return 1 - np.sum(a * b, axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


class Bench:
    """The experiment of a task: ideal and measured gradients of its inputs."""

    def __init__(self, folder, task, sigma, words=160):
        self.meshes = layers_of(folder, task)
        x, classes, _, _ = inference(folder, task)
        chosen = np.random.default_rng(2).permutation(len(x))[:words]
        self.x, self.classes = x[chosen], classes[chosen]
        fields = outputs(self.meshes, self.x)
        settled = [m.settled() for m in self.meshes]
        self.exact = gradient(fields, self.classes, lambda layer, x, a: one_by_one(self.meshes[layer], x, a, 0),
                              lambda layer, x, y, a: settled[layer].backward(x, y, a).x)
        self.chips = [chip_of(self.meshes, sigma, np.random.default_rng(10 + i)) for i in range(3)]

    def errors(self, reading, phase_rad):
        """1 - g.g, all words on three chips."""
        found = []
        for number, chips in enumerate(self.chips):
            fields = outputs(chips, self.x)
            settled = [c.settled() for c in chips]
            measured = gradient(
                fields, self.classes,
                lambda layer, x, a, chips=chips, number=number: one_by_one(chips[layer], x, a, 1000 * layer, reading=reading, phase_rad=phase_rad,
                                                                            chip=number),
                lambda layer, x, y, a, settled=settled: settled[layer].backward(x, y, a).x)
            found.append(misdirection(self.exact, measured))
        return np.concatenate(found)


def quantiles_of_histogram(h, case):
    """Quantiles of a histogram, linear within bins, of the logarithm."""
    here = h["case"] == case
    steps = np.concatenate([[0], np.cumsum(h["count"][here])]) / h["count"][here].sum()
    edges = np.append(h["log10_error_low"][here], h["log10_error_high"][here][-1])
    return 10 ** np.interp(QUANTILES, steps, edges)


def gradient_rows(found, folder):
    """Two numbers, noise of readings and of output phases, are fitted to the quantiles of one histogram; the phase errors of the chip are
    those of inference."""
    h = table(folder / FOLDER, "gradient_error_histograms.csv")
    benches = {task: Bench(folder, task, float(found.data[f"mesh/{task}_phase_rad"][0])) for task in TASKS}
    target = quantiles_of_histogram(h, CASES[0])

    def off(p):
        return np.log(np.quantile(benches["moons"].errors(*np.exp(p)), QUANTILES) / target)

    start = min(((a, b) for a in np.log([0.003, 0.01, 0.03, 0.1]) for b in np.log([0.05, 0.1, 0.2, 0.4])), key=lambda p: np.sum(off(p) ** 2))
    from scipy import optimize  # noqa: PLC0415
    best = optimize.minimize(lambda p: np.sum(off(p) ** 2), start, method="Nelder-Mead",
                             options={"initial_simplex": np.array(start) + np.array([[0, 0], [0.3, 0], [0, 0.3]]), "maxfev": 40})
    reading, phase = np.exp(best.x)
    found.rows.append(Row("gradient-noise", "noise of power readings that explains the fitted histogram, of the power sent", "", float(reading),
                          note=f"and {phase:.2f} rad of output phases; fitted to {CASES[0].replace('_', ' ')}"))
    for case in CASES:
        made = np.quantile(benches[case.split("_")[0]].errors(reading, 0.0 if "correct" in case else phase), QUANTILES)
        wanted = quantiles_of_histogram(h, case)
        for q, name in ((1, "median"), (2, "p90")):
            ratio = float(max(made[q] / wanted[q], wanted[q] / made[q]))
            found.rows.append(Row(f"gradient-{name}-{case.replace('_', '-')}", f"{name} of in-situ gradient errors, {case.replace('_', ' ')}: larger over smaller",
                                  "", ratio, None if case == CASES[0] else 1.5,
                                  note=f"{made[q]:.3g} simulated, {wanted[q]:.3g} measured" + (", fitted" if case == CASES[0] else "")))
        found.keep(f"mesh/{case}_quantiles", [made, wanted], "1")


def checks(folder):
    """Rows and data of the mesh."""
    found = Found()
    inference_rows(found, folder)
    gradient_rows(found, folder)
    return found
