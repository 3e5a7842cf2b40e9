"""What is raced: inputs that every runner gets, and what its answers are compared with.

An MZI is DC(pi/4 + beta) diag(e^(i theta), 1) DC(pi/4 + alpha) diag(e^(i phi), 1), DC(x) = [[cos x, i sin x], [i sin x, cos x]].
"""

import numpy as np

PORTS, SMALL_PORTS = 64, 16  # the second for packages that would take hours with the first
WORDS, MANY_WORDS, CHIPS = 64, 4096, 100
SIGMA_RAD = 0.01  # of splitters and of phases, over the chips

TASKS = {  # name: (what one iteration is, its unit and how many of it are in 1 us)
    "forward": (f"phases to fields, {PORTS} ports, {WORDS} words", "us", 1.0),
    "forward_1024": (f"phases to fields, {PORTS} ports, 1,024 words", "us", 1.0),
    "gradient": (f"forward and backward, {PORTS} ports, {WORDS} words", "us", 1.0),
    "chips": (f"{CHIPS} chips with errors of their own, {PORTS} ports, {WORDS} words", "ms", 1e-3),
    "frozen": (f"a mesh that does not change, {PORTS} ports, {MANY_WORDS:,} words", "us", 1.0),
    "decompose": (f"unitary to phases, {PORTS} ports", "ms", 1e-3),
    "decompose_16": (f"unitary to phases, {SMALL_PORTS} ports", "ms", 1e-3),
    "unitary_16": (f"phases to a transfer matrix, {SMALL_PORTS} ports", "us", 1.0),
}


def fields(draws, words, ports=PORTS):
    """complex64 (words, ports) of unit variance."""
    return (draws.normal(size=(words, ports)) + 1j * draws.normal(size=(words, ports))).astype("c8") / np.sqrt(2).astype("f4")


def inputs():
    """Arrays by name: unitaries, phases of rectangular meshes that realise them, fields, errors of one chip."""
    import optinc
    draws, given = np.random.default_rng(1), {}
    for suffix, ports in (("", PORTS), ("_16", SMALL_PORTS)):
        unitary = optinc.haar_unitary(ports)
        mesh = optinc.Mesh.from_unitary(unitary)
        given |= {f"unitary{suffix}": unitary, f"upper{suffix}": mesh.upper, f"column{suffix}": mesh.column}
        given |= {f"{name}{suffix}": getattr(mesh, name) for name in ("theta", "phi", "output_phase")}
    for name, words in (("x", WORDS), ("x_1024", 1024), ("x_many", MANY_WORDS)):
        given[name] = fields(draws, words)
    for name in ("alpha", "beta", "theta_offset", "phi_offset"):
        given[name] = draws.normal(0, SIGMA_RAD, len(given["theta"]))
    return given


def columns(given, suffix=""):
    """[(numbers of the MZIs of a column, their upper ports)] in the order that light meets them."""
    column, upper = given[f"column{suffix}"], given[f"upper{suffix}"]
    return [(np.flatnonzero(column == c), upper[column == c]) for c in range(column.max() + 1)]


def matrices(theta, phi, alpha=None, beta=None, exp=np.exp, cos=np.cos, sin=np.sin):
    """(T00, T01, T10, T11) of MZIs, with or without splitter errors."""
    inner, outer = exp(1j * theta), exp(1j * phi)
    if alpha is None:
        bar, cross = (inner - 1) / 2, 0.5j * (inner + 1)
        return bar * outer, cross, cross * outer, -bar
    a, b = np.pi / 4 + alpha, np.pi / 4 + beta
    ca, sa, cb, sb = cos(a), sin(a), cos(b), sin(b)
    return ((cb * ca * inner - sb * sa) * outer, 1j * (cb * sa * inner + sb * ca), 1j * (sb * ca * inner + cb * sa) * outer,
            cb * ca - sb * sa * inner)


def propagate(given, x, errors=False):
    """Fields (words, ports) behind the mesh in complex128: the slow reference of all."""
    x = np.array(x, complex)
    added = [given[name] if errors else 0.0 for name in ("theta_offset", "phi_offset")]
    bent = [given["alpha"], given["beta"]] if errors else []
    t = matrices(given["theta"] + added[0], given["phi"] + added[1], *bent)
    for k, upper in columns(given):
        above, below = x[:, upper].copy(), x[:, upper + 1].copy()
        x[:, upper] = t[0][k] * above + t[1][k] * below
        x[:, upper + 1] = t[2][k] * above + t[3][k] * below
    return x * np.exp(1j * given["output_phase"])


def expected(given):
    """{task: what its answer must be}: fields, a unitary, or for "gradient" d sum |y|^2 of port 0 / d theta by differences."""
    found = {"forward": propagate(given, given["x"]), "forward_1024": propagate(given, given["x_1024"]),
             "frozen": propagate(given, given["x_many"]), "chips": propagate(given, given["x"], errors=True),
             "decompose": given["unitary"], "decompose_16": given["unitary_16"], "unitary_16": given["unitary_16"]}
    step, slopes = 1e-6, []
    for k in GRADIENT_AT:
        ends = []
        for sign in (1, -1):
            moved = dict(given, theta=given["theta"].copy())
            moved["theta"][k] += sign * step
            ends.append((abs(propagate(moved, given["x"]))[:, 0] ** 2).sum())
        slopes.append((ends[0] - ends[1]) / (2 * step))
    found["gradient"] = np.array(slopes)
    return found


GRADIENT_AT = (0, 500, 1000, 1500, 2000)  # MZIs whose derivatives are compared


def error(answer, wanted):
    """Largest difference over the largest number that is wanted."""
    return float(abs(np.asarray(answer) - wanted).max() / abs(wanted).max())
