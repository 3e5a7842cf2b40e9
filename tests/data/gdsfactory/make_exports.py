#!/usr/bin/env python3
"""Writes netlists of gdsfactory as get_netlist() gives them, and what sax computes of them, into a folder.

  python3 -m venv gf && gf/bin/pip install "gdsfactory==9.45.0" "sax==0.18.2"
  gf/bin/python tests/data/gdsfactory/make_exports.py [FOLDER]     default: the folder of this file

NAME.yml is an export, unedited. sax.json holds the ports and S of each at some wavelengths, {NAME: {ports, s:
[[re, im] of every wavelength, out, in]}}. sax takes the functions below: textbook forms of what the mapping
experiments/data/mappings/gdsfactory.toml stands for, written without the simulator.
"""

import json
import sys
import warnings
from pathlib import Path

import jax

jax.config.update("jax_enable_x64", True)
warnings.filterwarnings("ignore")
import gdsfactory as gf  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import sax  # noqa: E402

WAVELENGTHS_UM = np.array([1.54, 1.5473, 1.55, 1.5561, 1.56])


def guide(wl, length):
    """Silicon strip of 500 x 220 nm with 1.5 dB/cm; lengths in um."""
    x = wl - 1.55
    index = 2.44365 - 1.13171 * x - 0.0424756 * x**2
    return jnp.exp(2j * jnp.pi * index * length / wl) * 10 ** (-1.5e-4 * length / 20)


def two_by_two(eta, loss_db):
    bar, cross = 10 ** (-loss_db / 20) * jnp.cos(eta), 1j * 10 ** (-loss_db / 20) * jnp.sin(eta)
    return sax.reciprocal({("o1", "o4"): bar, ("o2", "o3"): bar, ("o1", "o3"): cross, ("o2", "o4"): cross})


def straight(wl=1.55, length=10.0):
    return sax.reciprocal({("o1", "o2"): guide(wl, length)})


def bend_euler(wl=1.55, length=0.0):  # sax passes the info, which has the length
    return sax.reciprocal({("o1", "o2"): guide(wl, length)})


def coupler(wl=1.55, length=20.0):
    return two_by_two(jnp.pi / 4 * length / 20 * (1 + 4.0 * (wl - 1.55)), COUPLER_LOSS_DB)


def coupler_ring(wl=1.55, radius=10.0, length_x=4.0):
    arc = guide(wl, 1.6637 * radius + length_x / 2)
    bar, cross = (10 ** (-COUPLER_LOSS_DB / 20) * f(0.32 * (1 + 4.0 * (wl - 1.55))) for f in (jnp.cos, jnp.sin))
    return sax.reciprocal({("o1", "o4"): bar, ("o2", "o3"): bar * arc**2, ("o1", "o3"): 1j * cross * arc, ("o2", "o4"): 1j * cross * arc})


def mmi1x2():
    half = 0.5**0.5 * 10 ** (-0.3 / 20)
    return sax.reciprocal({("o1", "o2"): half, ("o1", "o3"): half})


def mmi2x2(wl=1.55):
    return two_by_two(jnp.pi / 4 * (1 + 0.64 * (wl - 1.55)), 0.3)


def heated(wl=1.55, length=320.0):
    wires = {(f"{side}_e{i}", f"{side}_e{i}"): 0.0 for side in "lr" for i in range(1, 5)}
    return sax.reciprocal({("o1", "o2"): guide(wl, length) * 10 ** (-HEATER_LOSS_DB / 20), **wires})


COUPLER_LOSS_DB, HEATER_LOSS_DB = 0.05, 0.23
MODELS = {"straight": straight, "bend_euler": bend_euler, "coupler": coupler, "coupler_ring": coupler_ring, "mmi1x2": mmi1x2, "mmi2x2": mmi2x2,
          "straight_heater_metal_undercut": heated}


def cell_of(name):
    """A cell of one component, whose ports are its own: couplers and splitters export no instances by themselves."""
    cell = gf.Component(f"cell_of_{name}")
    cell.add_ports((cell << gf.get_component(name)).ports)
    return cell


def array():
    """Three waveguides above each other."""
    cell = gf.Component("array_of_straights")
    row = cell.add_ref(gf.components.straight(length=10), columns=1, rows=3, column_pitch=0, row_pitch=10)
    for i in range(3):
        cell.add_port(f"i{i}", port=row.ports["o1", 0, i])
        cell.add_port(f"o{i}", port=row.ports["o2", 0, i])
    return cell


def two_deep():
    """A cell of two cells that are interferometers of unlike arms, one behind the other."""
    cell = gf.Component("two_interferometers")
    first, second = cell << gf.components.mzi(delta_length=10), cell << gf.components.mzi(delta_length=10)
    second.connect("o1", first.ports["o2"])
    cell.add_port("o1", port=first.ports["o1"])
    cell.add_port("o2", port=second.ports["o2"])
    return cell


def mesh():
    """Four guides and six interferometers with heaters, as Clements et al. arrange them; routed by gdsfactory."""
    cell = gf.Component("mesh_4x4")
    mzi = gf.components.mzi2x2_2x2_phase_shifter()
    column = [[cell << mzi for _ in range(2 - c % 2)] for c in range(4)]
    for c, refs in enumerate(column):
        for r, ref in enumerate(refs):
            ref.move((700 * c, 400 * r + 200 * (c % 2)))
    sides = {"o1": "o4", "o2": "o3"}  # lower and upper port, in and out
    lanes = [column[0][0].ports["o1"], column[0][0].ports["o2"], column[0][1].ports["o1"], column[0][1].ports["o2"]]
    for i, port in enumerate(lanes):
        cell.add_port(f"in{i}", port=port)
    at = [None] * 4
    for c, refs in enumerate(column):
        for r, ref in enumerate(refs):
            lower = 2 * r + c % 2
            for lane, name in ((lower, "o1"), (lower + 1, "o2")):
                if at[lane] is not None:
                    gf.routing.route_single(cell, at[lane], ref.ports[name], cross_section="strip")
                at[lane] = ref.ports[sides[name]]
    for i, port in enumerate(at):
        cell.add_port(f"out{i}", port=port)
    return cell


CELLS = {  # export: (cell, whether cells inside are written too)
    "mzi": (lambda: gf.components.mzi(delta_length=10), False),
    "ring_single": (gf.components.ring_single, False),
    "ring_double": (gf.components.ring_double, False),
    "mzi_lattice": (lambda: gf.components.mzi_lattice(coupler_lengths=(10, 20), coupler_gaps=(0.2, 0.3), delta_lengths=(10,)), True),
    "array": (array, False),
    "hierarchy": (two_deep, True),
    "cell_coupler": (lambda: cell_of("coupler"), False),
    "cell_mmi1x2": (lambda: cell_of("mmi1x2"), False),
    "cell_mmi2x2": (lambda: cell_of("mmi2x2"), False),
    "mesh": (mesh, True),
}


def main(folder):
    gf.gpdk.PDK.activate()
    told = {}
    for name, (make, recursive) in CELLS.items():
        cell = make()
        netlist = cell.get_netlist(recursive=recursive)
        (folder / f"{name}.yml").write_text(cell.write_netlist(netlist))
        arrays = {of: {"wl": WAVELENGTHS_UM} for of, instance in netlist.get("instances", {}).items() if "array" in instance}
        found = sax.sdict(sax.circuit(netlist, MODELS)[0](wl=WAVELENGTHS_UM, **arrays))  # to arrays, sax 0.18 does not pass wl on
        ports = sorted({port for pair in found for port in pair if not port.startswith("e")})  # without wires
        s = [[[complex(np.broadcast_to(found.get((b, a), 0), WAVELENGTHS_UM.shape)[w]) for b in ports] for a in ports] for w in range(len(WAVELENGTHS_UM))]
        told[name] = {"ports": ports, "s": [[[[v.real, v.imag] for v in row] for row in matrix] for matrix in s]}
        print(name, ports)
    (folder / "sax.json").write_text(json.dumps({"gdsfactory": gf.__version__, "sax": sax.__version__, "wavelengths_um": WAVELENGTHS_UM.tolist(),
                                                 "circuits": told}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent)
