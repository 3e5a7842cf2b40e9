#!/usr/bin/env python3
"""Files and circuits of other programs beside ours, as one JSON object.

    OPTINC_TOOL=build/ci/bin/optinc PYTHONPATH=build/ci/python bench/interop.py rf|memory|monte-carlo|layout

`rf` (needs scikit-rf): worst difference of random blocks of 1, 2, 3 and 8 ports that scikit-rf writes in RI, MA and DB, the tool
reads as measured blocks and writes again, and scikit-rf reads; relative error of the group delay that scikit-rf sees of
100 um of waveguide, n_g L / c; and the difference of a ring of a native waveguide and a line of scikit-rf from one of two
native waveguides. `memory`: most memory [MB] of 1,001 wavelengths of 5,000 couplers in Python. `monte-carlo` (needs JAX and sax):
circuits a second, one wavelength each, of a mesh of 16 ports with random phases, 1,000 in one call (ours by Circuit.sweep, sax's
compiled as a whole with arrays of settings) and one by one. `layout` (needs PyYAML): yield of 20,000 dies with gdsfactory's MZI,
ours at the placements of the export and from the covariance of its waveguides, in standard errors.
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
    draw, worst, version_2 = np.random.default_rng(1), 0.0, 0.0
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
                second = scratch / f"back{ports}.ts"
                tool(scratch / "block.json", "-o", second, "--wavelengths", given)
                version_2 = max(version_2, abs(skrf.Network(str(second)).s - s).max())
                tool(scratch / "block.json", "-o", back, "--wavelengths", second)  # and the way back
                version_2 = max(version_2, abs(skrf.Network(str(back)).s - s).max())
        (scratch / "guide.json").write_text(json.dumps({"instances": {"g": "waveguide"}, "ports": {"a": "g,in0", "b": "g,out0"}}))
        tool(scratch / "guide.json", "-o", scratch / "guide.s2p", "--wavelength-m", 1.549e-6, 1.551e-6, "--points", 401)
        guide = skrf.Network(str(scratch / "guide.s2p"))
        middle = len(guide.f) // 2
        group_index = 2.44365 + 1.55 * 1.13171  # at 1550 nm
        delay = guide.group_delay[middle, 1, 0].real / (group_index * 100e-6 / C) - 1
    return {"round_trips": 12, "round_trip": float(worst), "version_2": float(version_2), "group_delay": float(delay), "ring": ring(skrf)}


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
    together = {name: {"theta_rad": values} for name, values in zip(names, theta.T)}
    single = [{name: {"theta_rad": float(value)} for name, value in zip(names, row)} for row in theta]
    circuit = optinc.Circuit(given)
    compiled = jax.jit(sax.circuit(given, {"waveguide": circuits.waveguide, "mzi": circuits.mzi}, return_type="SDense")[0])
    places = compiled(wl=1.55, **single[0])[1]
    order = [places[port] for port in circuit.ports]
    seconds = {}

    def timed(name, call):
        call()  # compiles, and makes what a call makes once
        start = time.perf_counter()
        found = call()
        seconds[name] = time.perf_counter() - start
        return found

    ours = timed("per_s", lambda: circuit.sweep(1.55e-6, together))
    timed("call_per_s", lambda: [circuit(1.55e-6, each) for each in single[:200]])
    theirs = timed("sax_per_s", lambda: np.asarray(jax.block_until_ready(compiled(wl=1.55, **together)[0])))
    timed("sax_call_per_s", lambda: [np.asarray(compiled(wl=1.55, **each)[0]) for each in single[:200]])
    off = abs(ours - theirs[np.ix_(range(draws), order, order)]).max()
    return {name: (200 if "call" in name else draws) / spent for name, spent in seconds.items()} | {"difference": float(off)}


def layout(dies=20000):
    """Yield of gdsfactory's MZI on a process, ours on its layout and from the covariance of its waveguides' indices."""
    import optinc  # noqa: PLC0415
    import yaml  # noqa: PLC0415
    export = Path(__file__).resolve().parents[1] / "tests/data/gdsfactory/mzi.yml"
    process = optinc.ProcessModel()
    process.kernel = "exponential"
    values = {"width_wafer_bow_m": 0, "width_wafer_tilt_m": 0, "width_die_m": 1e-9, "width_field_m": 3e-9, "width_roughness_m": 0.2e-9,
              "height_wafer_bow_m": 0, "height_wafer_tilt_m": 0, "height_die_m": 0.3e-9, "height_field_m": 1e-9, "height_roughness_m": 0,
              "correlation_length_m": 100e-6}
    for name, value in values.items():
        setattr(process, name, value)
    circuit = optinc.Circuit(export, mapping="gdsfactory")
    start = time.perf_counter()
    s = circuit.sweep(1.55e-6, circuit.fabricated(optinc.Wafer(process), range(dies), seed=3))
    seconds = time.perf_counter() - start
    through = abs(s[:, circuit.ports.index("o2"), circuit.ports.index("o1")]) ** 2
    # the same from the export alone: where its waveguides lie, how long they are, and in which arm
    netlist = yaml.safe_load(export.read_text())
    facing = {a: b for net in netlist["nets"] for a, b in ((net["p1"], net["p2"]), (net["p2"], net["p1"]))}
    arms = {}
    for arm, port in ((1, "cp1,o2"), (-1, "cp1,o3")):
        at = facing[port]
        while not at.startswith("cp2"):
            name, entered = at.split(",")
            arms[name] = arm
            at = facing[f"{name},{'o2' if entered == 'o1' else 'o1'}"]
    names = sorted(arms)
    where = 1e-6 * np.array([[netlist["placements"][name][axis] for axis in "xy"] for name in names])
    length = 1e-6 * np.array([netlist["instances"][name]["info"]["length"] for name in names])
    sign = np.array([arms[name] for name in names])
    apart = np.linalg.norm(where[:, None] - where[None], axis=-1)
    per = {"width": process.index_per_width_per_m, "height": process.index_per_height_per_m}
    covariance = sum(per[of] ** 2 * (values[f"{of}_die_m"] ** 2 + values[f"{of}_field_m"] ** 2 * np.exp(-apart / values["correlation_length_m"]))
                     for of in per)
    covariance += np.diag((per["width"] * values["width_roughness_m"]) ** 2 * 100e-6 / length)
    index = 2.44365 + np.random.default_rng(4).multivariate_normal(np.zeros(len(names)), covariance, dies, method="cholesky")
    beta = 2 * np.pi / 1.55e-6
    loss_db = {arm: 1.5e2 * length[sign == arm].sum() for arm in (1, -1)}  # 1.5 dB/cm
    arm_fields = [10 ** (-loss_db[arm] / 20) * np.exp(1j * beta * (index * length)[:, sign == arm].sum(1)) for arm in (1, -1)]
    reference = 10 ** (-2 * 0.3 / 10) * abs((arm_fields[0] + arm_fields[1]) / 2) ** 2  # two splitters of 0.3 dB
    limit = float(np.median(reference))
    ours, theirs = (through > limit).mean(), (reference > limit).mean()
    quantiles = np.linspace(0.05, 0.95, 19)
    spread = [np.quantile(x, quantiles) for x in (through, reference)]
    return {"dies": dies, "dies_per_s": dies / seconds, "yield": float(ours), "reference": float(theirs),
            "errors_apart": float(abs(ours - theirs) / np.sqrt(2 * 0.25 / dies)), "quantiles_apart": float(abs(spread[0] - spread[1]).max())}


if __name__ == "__main__":
    print(json.dumps({"rf": rf, "memory": memory, "monte-carlo": monte_carlo, "layout": layout}[sys.argv[1]]()))
