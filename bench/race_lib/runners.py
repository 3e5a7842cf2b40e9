"""The runners of bench/race: every package does the tasks it has, in a process and an environment of its own.

    PYTHONPATH=bench python -m race_lib.runners NAME INPUTS.npz ANSWERS.npz

A runner yields (task, call, answer): call() is timed, answer() is compared. ANSWERS.npz holds NAME:us and NAME:answer of
every task, and versions.
"""

import importlib.metadata
import json
import os
import sys

os.environ.update({name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")})
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

from . import tasks
from .clock import best_us


def run_optinc(given):
    import optinc
    optinc.set_threads(1)
    mesh = optinc.Mesh(tasks.PORTS)
    for name in ("theta", "phi", "output_phase"):
        setattr(mesh, name, given[name])

    def gradient():
        settled = mesh.settled("single")
        y = settled(given["x"])
        at_output = np.zeros_like(y)
        at_output[:, 0] = 2 * y[:, 0]
        return settled.backward(given["x"], y, at_output).theta

    model = optinc.ErrorModel(sigma_eta_rad=tasks.SIGMA_RAD, sigma_phase_rad=tasks.SIGMA_RAD)

    def chips():
        mesh.monte_carlo(model, given["x"], tasks.CHIPS)

    def one_chip():
        chip = mesh.fabricate("ideal")
        for name in ("alpha", "beta", "theta_offset", "phi_offset"):
            setattr(chip.errors, name, given[name])
        return chip(given["x"])

    frozen = mesh.settled("single")
    for task, x in (("forward", "x"), ("forward_1024", "x_1024")):
        def forward(x=x):
            return mesh(given[x])
        yield task, forward, forward
    yield "gradient", gradient, lambda: gradient()[list(tasks.GRADIENT_AT)]
    yield "chips", chips, one_chip
    yield "frozen", lambda: frozen(given["x_many"]), lambda: frozen(given["x_many"])
    for suffix in ("", "_16"):
        def decompose(suffix=suffix):
            return optinc.Mesh.from_unitary(given[f"unitary{suffix}"])
        yield f"decompose{suffix}", decompose, lambda decompose=decompose: decompose().matrix()
    small = optinc.Mesh.from_unitary(given["unitary_16"])
    yield "unitary_16", small.matrix, small.matrix


def run_numpy(given):
    """Column by column, complex64; the matrix of a frozen mesh by one product."""
    columns = tasks.columns(given)
    single = {name: given[name].astype("f4")
              for name in ("theta", "phi", "output_phase", "alpha", "beta", "theta_offset", "phi_offset")}

    def forward(x, t):
        y = x.copy()
        for k, upper in columns:
            above, below = y[:, upper], y[:, upper + 1]
            y[:, upper], y[:, upper + 1] = t[0][k] * above + t[1][k] * below, t[2][k] * above + t[3][k] * below
        return y * np.exp(np.complex64(1j) * single["output_phase"])

    def from_phases(x):
        return forward(x, [m.astype("c8") for m in tasks.matrices(single["theta"], single["phi"])])

    def chip(alpha, beta, theta_offset, phi_offset):
        t = tasks.matrices(single["theta"] + theta_offset, single["phi"] + phi_offset, alpha, beta)
        return forward(given["x"], [m.astype("c8") for m in t])

    draws = np.random.default_rng(1)

    def chips():
        for _ in range(tasks.CHIPS):
            chip(*draws.normal(0, tasks.SIGMA_RAD, (4, len(single["theta"]))).astype("f4"))

    matrix = tasks.propagate(given, np.eye(tasks.PORTS)).astype("c8")
    yield "forward", lambda: from_phases(given["x"]), lambda: from_phases(given["x"])
    yield "forward_1024", lambda: from_phases(given["x_1024"]), lambda: from_phases(given["x_1024"])
    yield "chips", chips, lambda: chip(*(single[name] for name in ("alpha", "beta", "theta_offset", "phi_offset")))
    yield "frozen", lambda: given["x_many"] @ matrix, lambda: given["x_many"] @ matrix


def run_torch(given):
    import torch
    torch.set_num_threads(1)
    columns = [(torch.tensor(k), torch.tensor(upper)) for k, upper in tasks.columns(given)]
    phases = [torch.tensor(given[name], dtype=torch.float32, requires_grad=True) for name in ("theta", "phi", "output_phase")]
    xs = {name: torch.tensor(given[name]) for name in ("x", "x_1024", "x_many")}

    def forward(x):
        theta, phi, output_phase = phases
        t = tasks.matrices(theta, phi, exp=torch.exp)
        for k, upper in columns:
            above, below = x[:, upper], x[:, upper + 1]
            x = x.index_copy(1, upper, t[0][k] * above + t[1][k] * below)
            x = x.index_copy(1, upper + 1, t[2][k] * above + t[3][k] * below)
        return x * torch.exp(1j * output_phase)

    def without_slopes(x):
        with torch.no_grad():
            return forward(xs[x]).numpy()

    def gradient():
        phases[0].grad = None
        forward(xs["x"])[:, 0].abs().square().sum().backward()
        return phases[0].grad.numpy()

    matrix = torch.tensor(tasks.propagate(given, np.eye(tasks.PORTS)).astype("c8"))
    yield "forward", lambda: without_slopes("x"), lambda: without_slopes("x")
    yield "forward_1024", lambda: without_slopes("x_1024"), lambda: without_slopes("x_1024")
    yield "gradient", gradient, lambda: gradient()[list(tasks.GRADIENT_AT)]
    yield "frozen", lambda: xs["x_many"] @ matrix, lambda: (xs["x_many"] @ matrix).numpy()


def run_jax(given):
    """jax.jit of jax.lax.scan over pairs of columns; chips by the faster of one call each and one jax.vmap."""
    import jax
    import jax.numpy as jnp
    half = tasks.PORTS // 2
    columns = tasks.columns(given)
    even, odd = (jnp.asarray([k for k, _ in columns[first::2]]) for first in (0, 1))
    single = {name: jnp.asarray(given[name], jnp.float32)
              for name in ("theta", "phi", "output_phase", "alpha", "beta", "theta_offset", "phi_offset")}
    xs = {name: jnp.asarray(given[name]) for name in ("x", "x_1024", "x_many")}
    assert even.shape == (half, half)

    def through(x, t, output_phase):
        def pairs(x, k):
            above, below = x[:, 0::2], x[:, 1::2]
            return jnp.stack((t[0][k] * above + t[1][k] * below, t[2][k] * above + t[3][k] * below), -1).reshape(x.shape)

        def two_columns(x, at):
            x = pairs(x, at[0])
            return jnp.concatenate((x[:, :1], pairs(x[:, 1:-1], at[1]), x[:, -1:]), 1), None
        return jax.lax.scan(two_columns, x, (even, odd))[0] * jnp.exp(1j * output_phase)

    functions = {"exp": jnp.exp, "cos": jnp.cos, "sin": jnp.sin}
    forward = jax.jit(lambda x, theta, phi, output: through(x, tasks.matrices(theta, phi, **functions), output))
    loss = lambda theta, phi, output, x: (abs(through(x, tasks.matrices(theta, phi, **functions), output))[:, 0] ** 2).sum()
    slopes = jax.jit(jax.grad(loss, argnums=(0, 1, 2, 3)))
    phases = [single[name] for name in ("theta", "phi", "output_phase")]

    def one_chip(alpha, beta, theta_offset, phi_offset, x):
        return through(x, tasks.matrices(phases[0] + theta_offset, phases[1] + phi_offset, alpha, beta, **functions), phases[2])

    def drawn_chip(key, x):
        errors = tasks.SIGMA_RAD * jax.random.normal(key, (4, len(phases[0])))
        return one_chip(*errors, x)
    keys = jax.random.split(jax.random.PRNGKey(1), tasks.CHIPS)
    each, together = jax.jit(drawn_chip), jax.jit(jax.vmap(drawn_chip, (0, None)))

    def one_by_one():
        return [each(key, xs["x"]).block_until_ready() for key in keys]

    def all_at_once():
        return together(keys, xs["x"]).block_until_ready()
    assert np.allclose(one_by_one(), all_at_once(), atol=1e-5)  # both compile here
    chips = min((one_by_one, all_at_once), key=lambda way: best_us(way, repeats=2))

    matrix = jnp.asarray(tasks.propagate(given, np.eye(tasks.PORTS)).astype("c8"))
    product = jax.jit(lambda x: x @ matrix)
    for task, x in (("forward", "x"), ("forward_1024", "x_1024")):
        def call(x=x):
            return forward(xs[x], *phases).block_until_ready()
        yield task, call, call
    yield ("gradient", lambda: jax.block_until_ready(slopes(*phases, xs["x"])),
           lambda: slopes(*phases, xs["x"])[0][jnp.array(tasks.GRADIENT_AT)])
    yield "chips", chips, lambda: one_chip(*(single[name] for name in ("alpha", "beta", "theta_offset", "phi_offset")), xs["x"])
    yield "frozen", lambda: product(xs["x_many"]).block_until_ready(), lambda: product(xs["x_many"])


def mesh_netlist(given):
    """The mesh of 16 ports as sax takes circuits: (instances, connections, ports)."""
    instances, connections, ports, light = {}, {}, {}, {}
    for column, (k, upper) in enumerate(tasks.columns(given, "_16")):
        for number, port in zip(k, upper):
            name = f"m{column}x{port}"
            settings = {"theta": float(given["theta_16"][number]), "phi": float(given["phi_16"][number])}
            instances[name] = {"component": "mzi", "settings": settings}
            for i in (0, 1):
                if port + i in light:
                    connections[light[port + i]] = f"{name},in{i}"
                else:
                    ports[f"in{port + i}"] = f"{name},in{i}"
                light[port + i] = f"{name},out{i}"
    for port, end in light.items():
        ports[f"out{port}"] = end
    return instances, connections, ports


def run_sax(given):
    """The netlist of 16 ports by sax.circuit, compiled before the clock starts; phases are arguments, not constants."""
    import jax
    import jax.numpy as jnp
    import sax
    jax.config.update("jax_enable_x64", True)
    instances, connections, ports = mesh_netlist(given)

    def mzi(theta=0.0, phi=0.0):
        t = tasks.matrices(theta, phi, exp=jnp.exp)
        return sax.reciprocal({("in0", "out0"): t[0], ("in1", "out0"): t[1], ("in0", "out1"): t[2], ("in1", "out1"): t[3]})
    circuit, _ = sax.circuit({"instances": instances, "connections": connections, "ports": ports}, {"mzi": mzi})
    order = {}
    phases = {name: {key: jnp.asarray(value) for key, value in instance["settings"].items()} for name, instance in instances.items()}

    @jax.jit
    def matrix(phases):
        dense, index = sax.sdense(circuit(**phases))
        order.update(index)
        return dense

    def answer():
        dense = np.asarray(matrix(phases))
        place = [[order[f"{side}{p}"] for p in range(tasks.SMALL_PORTS)] for side in ("in", "out")]
        return np.exp(1j * given["output_phase_16"])[:, None] * dense[np.ix_(*place)].T  # (from, to)
    answer()
    yield "unitary_16", lambda: matrix(phases).block_until_ready(), answer


def run_perceval(given):
    import perceval
    theta, phi, output = (given[f"{name}_16"] for name in ("theta", "phi", "output_phase"))
    columns = tasks.columns(given, "_16")

    def matrix():
        circuit = perceval.Circuit(tasks.SMALL_PORTS)
        for k, upper in columns:
            for number, port in zip(k, upper):
                port = int(port)
                circuit.add(port, perceval.PS(float(phi[number]))).add((port, port + 1), perceval.BS())
                circuit.add(port, perceval.PS(float(theta[number]))).add((port, port + 1), perceval.BS())
        for port, phase in enumerate(output):
            circuit.add(port, perceval.PS(float(phase)))
        return np.array(circuit.compute_unitary(use_symbolic=False))
    yield "unitary_16", matrix, matrix
    mzi = (perceval.BS() // perceval.PS(perceval.P("theta")) // perceval.BS() // (0, perceval.PS(perceval.P("phi"))))
    target = perceval.Matrix(given["unitary_16"])

    def decompose():
        return perceval.Circuit.decomposition(target, mzi, phase_shifter_fn=perceval.PS, shape=perceval.InterferometerShape.TRIANGLE)
    yield "decompose_16", decompose, lambda: np.array(decompose().compute_unitary(use_symbolic=False))


def run_piquasso(given):
    from piquasso.decompositions.clements import clements, inverse_clements
    import piquasso
    connector = piquasso.NumpyConnector()
    for suffix in ("", "_16"):
        def decompose(suffix=suffix):
            return clements(given[f"unitary{suffix}"], connector)
        yield f"decompose{suffix}", decompose, lambda decompose=decompose: inverse_clements(decompose(), connector, complex)


def run_strawberryfields(given):
    from strawberryfields import decompositions
    for suffix in ("", "_16"):
        def decompose(suffix=suffix):
            return decompositions.rectangular(given[f"unitary{suffix}"])

        def answer(decompose=decompose):
            lower, phases, upper = decompose()
            size = len(phases)
            found = np.eye(size)
            for step in lower:
                found = decompositions.T(*step) @ found
            found = np.diag(phases) @ found
            for step in reversed(upper):
                found = decompositions.Ti(*step) @ found
            return found
        yield f"decompose{suffix}", decompose, answer


def run_neurophox(given):
    """Its rectangular mesh of 64 ports with the phases it begins with, against the matrix it says it is."""
    import torch
    from neurophox.torch import RMTorch
    torch.set_num_threads(1)
    layer = RMTorch(tasks.PORTS)
    x = torch.tensor(np.stack((given["x"].real, given["x"].imag)))  # as it takes fields
    matrix = np.asarray(layer.matrix)
    restored = np.linalg.solve(matrix, given["unitary"].T)  # what its answer, x matrix, is to be multiplied by

    def forward():
        with torch.no_grad():
            return layer(x).numpy()

    def answer():
        re, im = forward()
        return (re + 1j * im) @ restored
    yield "forward", forward, answer


RUNNERS = {  # name: (packages of PyPI, their names in importlib.metadata, function)
    "optinc": ([], [], run_optinc),
    "numpy": ([], ["numpy"], run_numpy),
    "torch": ([], ["torch"], run_torch),
    "jax": (["jax"], ["jax"], run_jax),
    "sax": (["sax", "jax"], ["sax", "jax"], run_sax),
    "perceval": (["perceval-quandela"], ["perceval-quandela"], run_perceval),
    "piquasso": (["piquasso"], ["piquasso"], run_piquasso),
    "strawberryfields": (["strawberryfields", "scipy<1.14"], ["strawberryfields"], run_strawberryfields),  # needs scipy's simps
    "neurophox": (["neurophox", "numpy<1.24"], ["neurophox"], run_neurophox),  # needs numpy's complex
}
NOT_RACED = {"simphony": "not raced: since 0.7 its models and circuits are those of sax"}


def main():
    name, source, target = sys.argv[1:]
    _, packages, run = RUNNERS[name]
    given = dict(np.load(source))
    found = {"versions": json.dumps({p: importlib.metadata.version(p) for p in packages})}
    for task, call, answer in run(given):
        found[f"{task}:answer"] = answer()  # first: compiles, warms up
        found[f"{task}:us"] = best_us(call)
        np.savez(target, **found)


if __name__ == "__main__":
    main()
