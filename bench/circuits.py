#!/usr/bin/env python3
"""Circuits beside sax: seconds of the first sweep and microseconds of a point when all is warm, as JSON.

    PYTHONPATH=build/ci/python bench/circuits.py [PORTS]..

Rectangular meshes of MZIs between waveguides (8, 16 and 32 ports), 100 wavelengths, the same netlist for both, each with
models of its own. Needs the package optinc, JAX and sax, with sax's own sparse solver (klujax). The first sweep includes
reading the netlist and, of sax, compiling; the worst difference of the two is that of any element of S. sax runs step by step and,
up to 16 ports, compiled by JAX as a whole, which takes minutes beyond; the faster of the two counts, in either column.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import optinc
import sax

jax.config.update("jax_enable_x64", True)
WAVELENGTHS_UM = np.linspace(1.53, 1.57, 100)
MOST_COMPILED = 16  # ports


def netlist(ports):
    """A mesh with a waveguide of its own length at every input."""
    draws = np.random.default_rng(ports)
    instances, connections, outer, light = {}, {}, {}, []
    for p in range(ports):
        instances[f"in{p}"] = {"component": "waveguide", "settings": {"length_m": 1e-5 * (p + 1)}}
        outer[f"in{p}"] = f"in{p},in0"
        light.append(f"in{p},out0")
    for column in range(ports):
        for upper in range(column % 2, ports - 1, 2):
            name = f"mzi{column}x{upper}"
            instances[name] = {"component": "mzi", "settings": {"theta_rad": draws.uniform(0, 3), "phi_rad": draws.uniform(0, 6)}}
            for i in (0, 1):
                connections[light[upper + i]] = f"{name},in{i}"
                light[upper + i] = f"{name},out{i}"
    for p in range(ports):
        instances[f"out{p}"] = {"component": "waveguide", "settings": {"length_m": 2e-5}}
        connections[light[p]] = f"out{p},in0"
        outer[f"out{p}"] = f"out{p},out0"
    return {"instances": instances, "connections": connections, "ports": outer}


def waveguide(wl=1.55, length_m=1e-4, loss_db_per_cm=1.5):
    """The waveguide of optinc.circuit_models(), as sax has models."""
    x = wl - 1.55
    index = 2.44365 - 1.13171 * x - 0.0424756 * x * x
    return sax.reciprocal({("in0", "out0"): 10 ** (-5 * loss_db_per_cm * length_m) * jnp.exp(2j * jnp.pi * index * length_m * 1e6 / wl)})


def mzi(wl=1.55, theta_rad=0.0, phi_rad=0.0):
    """The MZI of optinc.circuit_models()."""
    outer = 1j * jnp.exp(0.5j * theta_rad) * jnp.ones_like(wl)
    inner = outer * jnp.exp(1j * phi_rad)
    s, c = jnp.sin(theta_rad / 2), jnp.cos(theta_rad / 2)
    return sax.reciprocal({("in0", "out0"): inner * s, ("in1", "out0"): outer * c, ("in0", "out1"): inner * c, ("in1", "out1"): -outer * s})


def best(call, repeats=5):
    """(result, seconds) of the fastest of several calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        found = call()
        times.append(time.perf_counter() - start)
    return found, min(times)


def sax_sweep(given, ports, compiled):
    """(S, seconds of the first sweep, seconds of a warm one) of sax: step by step, or compiled as a whole."""
    start = time.perf_counter()
    # as a matrix at once: the usual dictionary has ports^2 arrays, each of which XLA would compile on its own
    circuit, _ = sax.circuit(given, {"waveguide": waveguide, "mzi": mzi}, return_type="SDense")
    places = {}

    def swept(wl):
        dense, order = circuit(wl=wl)
        places.update(order)
        return dense

    call, at = jax.jit(swept) if compiled else swept, jnp.asarray(WAVELENGTHS_UM)
    call(at).block_until_ready()
    first = time.perf_counter() - start
    found, warm = best(lambda: call(at).block_until_ready())
    order = [places[port] for port in ports]
    return np.asarray(found)[:, order][:, :, order].swapaxes(1, 2), first, warm  # sax: (from, to)


def race(ports):
    """One size: {what: number}."""
    given = netlist(ports)
    start = time.perf_counter()
    ours = optinc.Circuit(given)
    ours(1e-6 * WAVELENGTHS_UM)
    first = time.perf_counter() - start
    s, warm = best(lambda: ours(1e-6 * WAVELENGTHS_UM))

    sweeps = [sax_sweep(given, ours.ports, compiled) for compiled in ((False, True) if ports <= MOST_COMPILED else (False,))]
    points = len(WAVELENGTHS_UM)
    return {"first_s": first, "point_us": 1e6 * warm / points, "sax_first_s": min(sweep[1] for sweep in sweeps),
            "sax_point_us": 1e6 * min(sweep[2] for sweep in sweeps) / points,
            "difference": max(float(abs(sweep[0] - s).max()) for sweep in sweeps)}


def main():
    sizes = [int(text) for text in sys.argv[1:]] or [8, 16, 32]
    results = {}
    for ports in sizes:
        results[ports] = race(ports)
        print(f"{ports} ports: " + ", ".join(f"{name} {value:.3g}" for name, value in results[ports].items()), file=sys.stderr, flush=True)
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
