#!/usr/bin/env python3
"""Files and circuits of other programs beside ours, as one JSON object.

    OPTINC_TOOL=build/ci/bin/optinc PYTHONPATH=build/ci/python bench/interop.py rf|memory|monte-carlo

`rf` (needs scikit-rf): worst difference of random blocks of 1, 2, 3 and 8 ports that scikit-rf writes in RI, MA and DB, the tool
reads as measured blocks and writes again, and scikit-rf reads; relative error of the group delay that scikit-rf sees of
100 um of waveguide, n_g L / c; and the difference of a ring of a native waveguide and a line of scikit-rf from one of two
native waveguides. `memory`: most memory [MB] of 1,001 wavelengths of 5,000 couplers in Python. `monte-carlo` (needs JAX and sax):
circuits a second, one wavelength each, of a mesh of 16 ports with random phases, ours and sax's compiled as a whole.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

C = 299792458.0


def tool(*arguments):
    subprocess.run([os.environ["OPTINC_TOOL"], "circuit", *map(str, arguments), "--quiet", "--force"], check=True, capture_output=True)


def block(file, ports):
    return {"instances": {"b": {"component": "touchstone", "settings": {"file": file}}}, "ports": {f"p{i}": f"b,port{i}" for i in range(1, ports + 1)}}


def rf():
    import skrf  # noqa: PLC0415  only here
    draw, worst = np.random.default_rng(1), 0.0
    frequency_hz = np.linspace(192e12, 195e12, 7)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        for ports in (1, 2, 3, 8):
            s = (draw.normal(size=(7, ports, ports)) + 1j * draw.normal(size=(7, ports, ports))) / (3 * ports)
            network = skrf.Network(frequency=skrf.Frequency.from_f(frequency_hz, unit="hz"), s=s, name="block")
            for form in ("ri", "ma", "db"):
                network.write_touchstone(f"{form}{ports}", dir=scratch, form=form, format_spec_A="{:.15g}", format_spec_B="{:.15g}")
                given = scratch / f"{form}{ports}.s{ports}p"
                (scratch / "block.json").write_text(json.dumps(block(given.name, ports)))
                back = scratch / f"back.s{ports}p"
                tool(scratch / "block.json", "-o", back, "--wavelengths", given)
                worst = max(worst, abs(skrf.Network(str(back)).s - s).max())
        (scratch / "guide.json").write_text(json.dumps({"instances": {"g": "waveguide"}, "ports": {"a": "g,in0", "b": "g,out0"}}))
        tool(scratch / "guide.json", "-o", scratch / "guide.s2p", "--wavelength-m", 1.549e-6, 1.551e-6, "--points", 401)
        guide = skrf.Network(str(scratch / "guide.s2p"))
        middle = len(guide.f) // 2
        group_index = 2.44365 + 1.55 * 1.13171  # at 1550 nm
        delay = guide.group_delay[middle, 1, 0].real / (group_index * 100e-6 / C) - 1
    return {"round_trips": 12, "round_trip": float(worst), "group_delay": float(delay), "ring": ring(skrf)}


def ring(skrf):
    """Largest difference of a ring whose one half is a line of scikit-rf, of our waveguide's index and loss."""
    import optinc  # noqa: PLC0415
    frequency_hz = np.arange(191.5e12, 195.4e12, 10e9)
    wavelength_m = C / frequency_hz
    x = 1e6 * wavelength_m - 1.55
    beta = 2 * np.pi * (2.44365 - 1.13171 * x - 0.0424756 * x**2) / wavelength_m
    medium = skrf.media.DefinedGammaZ0(skrf.Frequency.from_f(frequency_hz, unit="hz"), z0=50, gamma=7.5 * np.log(10) + 1j * beta)
    at = np.linspace(1.54e-6, 1.56e-6, 2001)
    with tempfile.TemporaryDirectory() as scratch:
        medium.line(100e-6, "m").write_touchstone("line", dir=scratch, form="ri", format_spec_A="{:.15g}", format_spec_B="{:.15g}")
        halves = ({"component": "touchstone", "settings": {"file": str(Path(scratch) / "line.s2p")}}, "port1", "port2"), ("waveguide", "in0", "out0")
        found = [optinc.Circuit({"instances": {"bus": {"component": "coupler", "settings": {"eta_rad": 0.4}}, "a": "waveguide", "b": half},
                                 "connections": {"bus,out1": "a,in0", "a,out0": f"b,{i}", f"b,{o}": "bus,in1"},
                                 "ports": {"in": "bus,in0", "out": "bus,out0"}})(at) for half, i, o in halves]
    return float(abs(found[0] - found[1]).max())


def memory():
    import optinc  # noqa: PLC0415
    count = 5000
    links = {f"g{i},out{k}": f"g{i + 1},in{k}" for i in range(count - 1) for k in (0, 1)}
    circuit = optinc.Circuit({"instances": {f"g{i}": {"component": "coupler", "settings": {"eta_rad": 0.1}} for i in range(count)},
                              "connections": links, "ports": {"a": "g0,in0", "b": "g0,in1", "c": f"g{count - 1},out0", "d": f"g{count - 1},out1"}})
    circuit(np.linspace(1.54e-6, 1.56e-6, 1001))
    return {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def monte_carlo(ports=16, draws=1000):
    import circuits  # noqa: PLC0415  beside this file
    import jax  # noqa: PLC0415
    import optinc  # noqa: PLC0415
    import sax  # noqa: PLC0415
    given = circuits.netlist(ports)
    names = [name for name in given["instances"] if name.startswith("mzi")]
    theta = np.random.default_rng(2).uniform(0, 3, (draws, len(names)))
    settings = [{name: {"theta_rad": float(value)} for name, value in zip(names, row)} for row in theta]
    circuit = optinc.Circuit(given)
    circuit(1.55e-6)
    start = time.perf_counter()
    ours = [circuit(1.55e-6, each) for each in settings]
    seconds = time.perf_counter() - start
    of_sax = jax.jit(sax.circuit(given, {"waveguide": circuits.waveguide, "mzi": circuits.mzi}, return_type="SDense")[0])
    places = of_sax(wl=1.55, **settings[0])[1]  # compiles
    order = [places[port] for port in circuit.ports]
    start = time.perf_counter()
    theirs = [np.asarray(of_sax(wl=1.55, **each)[0]) for each in settings]
    sax_seconds = time.perf_counter() - start
    off = max(abs(a - b[np.ix_(order, order)]).max() for a, b in zip(ours, theirs))
    return {"per_s": draws / seconds, "sax_per_s": draws / sax_seconds, "difference": float(off)}


if __name__ == "__main__":
    print(json.dumps({"rf": rf, "memory": memory, "monte-carlo": monte_carlo}[sys.argv[1]]()))
