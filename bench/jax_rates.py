#!/usr/bin/env python3
"""What a mesh takes by the engine, called from JAX and called directly, and what it takes in plain JAX, as JSON.

    PYTHONPATH=build/ci/python bench/jax_rates.py

A rectangular mesh of 64 ports, 64 words, forward and backward, single precision, one thread; 4,096 words forward, by JAX
and by the call from NumPy; and by how much the process grows in 10,000 calls without jit. Needs the package optinc and JAX.
Times are the best of several, in microseconds.
"""

import json
import os
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import jax.numpy as jnp
import numpy as np
import optinc
from optinc.jax import propagate

from race_lib import clock

PORTS, WORDS = 64, 64


def best_us(call):
    """Least time of a call, us, until its result is there."""
    return clock.best_us(lambda: jax.block_until_ready(call()), now=time.perf_counter)


def resident_mb():
    """Memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def growth_mb():
    """Of 10,000 calls without jit, after the first hundred."""
    small, x = optinc.Mesh(4).fabricate("good-lab"), jnp.ones(4, complex)
    before = 0.0
    for i in range(10_100):
        if i == 100:
            before = resident_mb()
        propagate(x, small)
    return resident_mb() - before


def plain_mesh(mesh):
    """(x, theta, phi, output_phase) -> fields, by jax.lax.scan over pairs of columns: even ports, then odd ones."""
    even = np.zeros((PORTS // 2, PORTS // 2), int)
    odd = np.zeros((PORTS // 2, PORTS // 2 - 1), int)
    seen = {}
    for k, (upper, _) in enumerate(mesh.mzis):
        column = seen.setdefault(upper, 0)
        (even if upper % 2 == 0 else odd)[column, upper // 2] = k
        seen[upper] += 1

    def pairs(x, theta, phi):
        inner, outer = jnp.exp(1j * theta), jnp.exp(1j * phi)
        bar, cross = (inner - 1) / 2, 1j * (inner + 1) / 2
        above, below = x[:, 0::2] * outer, x[:, 1::2]
        return jnp.stack((bar * above + cross * below, cross * above - bar * below), -1).reshape(x.shape)

    def through(x, theta, phi, output_phase):
        def two_columns(x, at):
            x = pairs(x, theta[at[0]], phi[at[0]])
            inside = pairs(x[:, 1:-1], theta[at[1]], phi[at[1]])
            return jnp.concatenate((x[:, :1], inside, x[:, -1:]), 1), None
        x, _ = jax.lax.scan(two_columns, x, (jnp.asarray(even), jnp.asarray(odd)))
        return x * jnp.exp(1j * output_phase)
    return through


def main():
    optinc.set_threads(1)
    mesh = optinc.Mesh.from_unitary(optinc.haar_unitary(PORTS))
    draws = np.random.default_rng(1)
    x = (draws.normal(size=(WORDS, PORTS)) + 1j * draws.normal(size=(WORDS, PORTS))).astype("c8")
    plain = plain_mesh(mesh)
    phases = [jnp.asarray(getattr(mesh, name), jnp.float32) for name in ("theta", "phi", "output_phase")]

    def by_engine(x, *phases):
        return propagate(x, mesh, **dict(zip(("theta", "phi", "output_phase"), phases)))

    worst = float(abs(plain(x, *phases) - mesh(x)).max())
    assert worst < 1e-4, f"the two meshes differ by {worst}"

    def slopes(through):
        return jax.jit(jax.grad(lambda x, *p: (abs(through(x, *p)) ** 2)[:, 0].sum(), argnums=(0, 1, 2, 3)))

    def directly():
        settled = mesh.settled("single")
        y = settled(x)
        found = settled.backward(x, y, y)
        return found.theta, found.x

    found = {"plain_jax_us": slopes(plain), "jax_us": slopes(by_engine)}
    for a, b in zip(*(slope(x, *phases) for slope in found.values())):
        assert float(abs(a - b).max()) < 1e-3, "the two gradients differ"
    times = {name: best_us(lambda slope=slope: slope(x, *phases)) for name, slope in found.items()}
    many = np.tile(x, (64, 1))
    forward, as_jax = jax.jit(lambda x: propagate(x, mesh)), jnp.asarray(many)
    times |= {"many_words_us": best_us(lambda: forward(as_jax)), "many_words_numpy_us": best_us(lambda: mesh(many)),
              "growth_mb": growth_mb()}
    print(json.dumps({**times, "settled_us": best_us(directly)}, indent=2))


if __name__ == "__main__":
    main()
