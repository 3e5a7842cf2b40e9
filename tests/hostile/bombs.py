#!/usr/bin/env python3
"""Gives the tool bombs: aliases that multiply, nests, names of megabytes, millions of lines, sizes that nothing stands behind.

Usage: bombs.py OPTINC [--count N] [--json]; --count: every N-th bomb alone (1: all; the seed says which)"""

import io
import os
import zipfile

import numpy as np
from hostile import DATA, main

CIRCUIT = ("circuit", "a.yml", "--wavelength-m", "1.55e-6", "--points", "1", "-o", "O.h5")
RUN = ("run", "a.toml", "-o", "O.h5", "--quiet")
TRY = ("run", "a.toml", "--dry-run")
WAVEGUIDE = "instances: {a: waveguide}\nports: {i: 'a,in0', o: 'a,out0'}\n"
MESH = 'model="mesh"\nmesh.ports=2\nrunner.trials=1\n'


def doubling(seed, names, step, end=""):
    """YAML in which each anchor names the one before several times."""
    return seed + "".join(step.format(i=i, last=i - 1) for i in range(1, names)) + end


def hierarchy(levels, body):
    """Netlists each of which holds the next."""
    return "".join(body.format(i=i, next=i + 1) for i in range(levels)) + \
        f"p{levels}: {{instances: {{a: waveguide}}, ports: {{in0: 'a,in0', out0: 'a,out0'}}}}\n"


def netlists():
    """(label, text) of netlists."""
    laughs = doubling("s0: &s0 {x: 1}\n", 30, "s{i}: &s{i} {{p: *s{last}, q: *s{last}}}\n")
    yield "laughs as parts", doubling("a0: &a0 {x: 1}\n", 40, "a{i}: &a{i} {{p: *a{last}, q: *a{last}, r: *a{last}}}\n")
    yield "laughs in settings", laughs + "top: {instances: {a: {component: coupler, settings: *s29}}, ports: {i: 'a,in0'}}\n"
    yield "laughs as instances", laughs + "instances: *s29\n"
    yield "laughs in nets", doubling("x: &x0 [1]\n", 30, "y{i}: &x{i} [*x{last}, *x{last}]\n") + "instances: {a: coupler}\nnets: *x29\n"
    for n in (3000, 100_000):
        yield f"{n} lists in lists", "instances: " + "[" * n + "]" * n
        yield f"{n} maps in maps", "{a: " * n + "1" + "}" * n
        yield f"{n} dashes", "- " * n + "a"
        yield f"{n} objects of JSON", '{"a":' * n + "1" + "}" * n
        yield f"{n} netlists in netlists", hierarchy(n, "p{i}: {{instances: {{a: p{next}}}, ports: {{in0: 'a,in0', out0: 'a,out0'}}}}\n")
    yield "3000 indented blocks", "".join(" " * i + "a:\n" for i in range(3000))
    yield "2^25 devices", "top: {instances: {a: p0}, ports: {i: 'a,in0', o: 'a,out0'}}\n" + hierarchy(
        25, "p{i}: {{instances: {{a: p{next}, b: p{next}}}, connections: {{'a,out0': 'b,in0'}}, ports: {{in0: 'a,in0', out0: 'b,out0'}}}}\n")
    yield "20,000 open ports", "instances:\n" + "".join(f"  i{i}: waveguide\n" for i in range(20000)) + "ports:\n" + "".join(
        f"  a{i}: 'i{i},in0'\n  b{i}: 'i{i},out0'\n" for i in range(20000))
    yield "200,000 in a row", "instances:\n" + "".join(f"  i{i}: waveguide\n" for i in range(200_000)) + "connections:\n" + "".join(
        f"  'i{i},out0': 'i{i + 1},in0'\n" for i in range(199_999)) + "ports: {in: 'i0,in0', out: 'i199999,out0'}\n"
    yield "a key of 60 MB", "x" * 60_000_000 + ": 1\n"
    yield "several documents", f"---\n{WAVEGUIDE}---\nb: c\n"
    yield "twice the same key", "instances: {a: waveguide, a: coupler}\nports: {i: 'a,in0', o: 'a,out0'}\n"
    yield "a merge key", "x: &x {component: coupler}\ninstances: {a: {<<: *x}}\nports: {i: 'a,in0', o: 'a,out0', p: 'a,in1', q: 'a,out1'}\n"


def studies():
    """(label, text, command) of TOML."""
    for n in (200, 40_000, 1_000_000):
        name = ".".join("a" * n)
        yield f"a header of {n} parts", f"[{name}]\n", RUN
        yield f"a key of {n} parts", f"{name} = 1\n", RUN
        yield f"a header of {n} quoted parts", "[" + ".".join(['"a"'] * n) + "]\n", RUN
        yield f"a header of {n} spaced parts", "[" + " . ".join("a" * n) + "]\n", RUN
        yield f"an array's header of {n} parts", f"[[{name}]]\n", RUN
        yield f"{n} inline tables", "x = " + "{a = " * n + "1" + "}" * n + "\n", RUN
        yield f"{n} arrays", "x = " + "[" * n + "]" * n + "\n", RUN
        yield f"{n} parts inline", f"x = {{{name} = 1}}\n", RUN
        yield f"{n} parts behind strings that end in quotes", f'x = ["""a"""", \'\'\'b\'\'\'\'\', {{{name} = 1}}]\n', RUN
        few = min(n, 60_000)
        yield f"--set of {few} parts", "", (*TRY, "--set", ".".join("a" * few) + "=1")
        yield f"--set of {few} arrays", "", (*TRY, "--set", "x.y=" + "[" * few + "]" * few)
        yield f"--sweep of {few // 3} tables", "", (*TRY, "--sweep", "x.y=" + "{a=" * (few // 3) + "1" + "}" * (few // 3))
    for command in (["compare-costs"], ["interconnect"], ["cluster"], ["operating-point"], ["check-network"], ["budget"], ["train", "-o", "O.h5"]):
        yield "a header of 40,000 parts", "[" + ".".join("a" * 40_000) + "]\n", (command[0], "a.toml", *command[1:])
    yield "a header of 40,000 parts behind a byte-order mark", "\ufeff[" + ".".join("a" * 40_000) + "]\n", RUN
    yield "a million lines of comments", "# x\n" * 1_000_000 + "[mesh]\nports=4\n", (*RUN, "--set", "model=mesh", "--trials", "1")
    yield "a million unknown keys", "".join(f"k{i} = 1\n" for i in range(1_000_000)), RUN
    yield "300,000 tables", "".join(f"[t{i}]\n" for i in range(300_000)), RUN
    yield "300,000 sweeps", 'model="mesh"\n' + '[[sweep]]\nvalues={"run.seed"=[1]}\n' * 300_000, RUN
    yield "100,000 points", MESH + '[[sweep]]\nvalues={"chip.sigma_eta_rad"=[' + ",".join(f"{i * 1e-6:.8f}" for i in range(100_000)) + "]}\n", TRY
    yield "2^64 points", MESH + "".join(f'[[sweep]]\nname="s{i}"\nvalues={{"chip.sigma_eta_rad"=[0.1,0.2]}}\n' for i in range(64)), RUN
    yield "an unknown key of 60 MB", "x" * 60_000_000 + " = 1\n", RUN
    yield "a string of 60 MB", f"study = '{'x' * 60_000_000}'\n{MESH}", RUN
    yield "70 MB", "#" * 70_000_000, RUN
    yield "100,000 figures", "figures = [" + ",".join(f"'f{i}'" for i in range(100_000)) + "]\n", RUN
    yield "a key of 100 kB explained", "", ("explain", "x" * 100_000)
    yield "an unknown key of 120 kB set", "", (*TRY, "--set", "chip." + "x" * 120_000 + "=1")
    yield "1,000 times --set", "model='mesh'\n", (*TRY, *(w for i in range(1000) for w in ("--set", f"chip.sigma_eta_rad=0.{i:04d}")))
    yield "20,000 designs", "".join(f"[[design]]\nname='d{i}'\nset=['network.source=carry-chain']\n" for i in range(20_000)), ("compare-costs", "a.toml")
    yield "50,000 scenarios", "".join(f"[[scenario]]\nname='d{i}'\n" for i in range(50_000)), ("interconnect", "a.toml")
    yield "10^9 rows", "[[competition]]\nname='x'\n" + "".join(f"{key}=[{','.join(str(start + i) for i in range(1000))}]\n" for key, start in (
        ("nodes", 64), ("rate_bit_per_s", 10**9), ("wavelength_switch_w", 0))), ("cluster", "a.toml", "--dry-run")


def tables():
    """(label, name, text, command) of tables of numbers."""
    phases = "kind,mesh,column,upper,lower,theta_rad,phi_rad\n"
    program, transfer = ("program", "a.csv", "-o", "O.h5"), ("transfer", "a.csv", "-o", "O.csv")
    yield "a million rows", "a.csv", "1,0\n" * 1_000_000, program
    yield "a row of 60 MB", "a.csv", ",".join(["1"] * 30_000_000), program
    yield "a million times one element", "a.csv", "row,column,re,im\n" + "0,0,1,0\n" * 1_000_000, program
    yield "the element 4095, 4095 alone", "a.csv", "row,column,re,im\n4095,4095,1,0\n", program
    yield "a million columns", "a.csv", phases + "".join(f"mzi,m,{i},0,1,0.1,0.2\n" for i in range(1_000_000)) + "output,m,,0,,,0\noutput,m,,1,,,0\n", transfer
    yield "100,000 meshes", "a.csv", phases + "".join(f"output,m{i},,0,,,0\n" for i in range(100_000)), (*transfer, "--mesh", "m5")
    yield "20,000 ports", "a.csv", phases + "".join(f"output,m,,{i},,,0\n" for i in range(20_000)), transfer
    yield "a million lines of one frequency", "a.s2p", "# GHz S RI R 50\n" + "193414.4 0 0 1 0 1 0 0 0\n" * 1_000_000, ("program", "a.s2p", "-o", "O.h5")
    for ports in (8192, 999_998):
        yield f"{ports} ports", f"a.s{ports}p", "# GHz S RI R 50\n193414.4 0 0\n", ("program", f"a.s{ports}p", "-o", "O.h5")


def holes():
    """(label, name, bytes claimed, end, command) of files of almost nothing but a hole."""
    yield "a line of 1 GB", "a.csv", 1 << 30, b"", ("program", "a.csv", "-o", "O.h5")
    yield "a line of 3 GB", "a.s4p", 3 << 30, b"", ("program", "a.s4p", "-o", "O.h5")
    yield "200 GB", "a.h5", 200 << 30, b"", ("inspect", "a.h5")
    yield "8 GB and a seal", "a.h5", 8 << 30, b"OPTINCS1\0\0\0\0", ("inspect", "a.h5")


def archives():
    """(label, bytes) of NumPy's archives, as mesh errors."""
    sound = {name: np.zeros(6) for name in ("column", "upper", "alpha_rad")}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (1 << 24,)})
        archive.writestr("column.npy", head.getvalue() + bytes(8 << 24))
    yield "128 MB in 128 kB", packed.getvalue()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(60):
            archive.writestr(f"c{k}.npy", bytes(16 << 20))
    yield "960 MB in 60 members", packed.getvalue()
    for kind, values in (("pickled objects", np.array([1, "a", None], object)), ("complex", np.zeros(6, complex)), ("big endian", np.zeros(6, ">f8")),
                         ("strings", np.array(["a"] * 6)), ("two axes", np.zeros((2, 3))), ("none", np.float64(1)), ("bool", np.zeros(6, bool)),
                         ("half", np.zeros(6, "f2")), ("long double", np.zeros(6, np.longdouble)), ("dates", np.zeros(6, "M8[s]"))):
        packed = io.BytesIO()
        np.savez(packed, **{**sound, "alpha_rad": values})
        yield kind, packed.getvalue()


def bombs():
    """(label, {name: content}, command) of all; a content is text, bytes, or a function that makes the file at a path."""
    for label, text in netlists():
        yield f"netlist: {label}", {"a.yml": text}, CIRCUIT
    for points in (10**7, 10**9):
        yield f"netlist: {points} points", {"a.yml": WAVEGUIDE}, (
            "circuit", "a.yml", "--wavelength-m", "1.5e-6", "1.6e-6", "--points", str(points), "-o", "O.h5")
    for label, text, command in studies():
        yield f"TOML: {label}: {command[0]}", {"a.toml": text}, command
    for label, name, text, command in tables():
        yield f"table: {label}", {name: text}, command
    for label, name, size, end, command in holes():
        def make(path, size=size, end=end):
            with open(path, "wb") as file:
                file.truncate(size)
                file.seek(0, os.SEEK_END)
                file.write(end)
        yield f"hole: {label}", {name: make}, command
    study = 'model="mesh"\n[mesh]\nports=4\n[runner]\ntrials=1\n'
    for label, content in archives():
        yield f"archive: {label}", {"a.npz": content, "s.toml": study}, (
            "run", "s.toml", "-o", "O.h5", "--quiet", "--set", "mesh.measured=a.npz")
    traces = {path.name: path.read_bytes() for path in (DATA / "chakra").glob("two_stages.*")}
    yield "groups: 100,000 lists in lists", {**traces, "groups.json": '{"1": [' + "[" * 100_000 + "]" * 100_000 + "]}"}, (
        "cluster", "two_stages.toml")


def try_all(trials):
    first = trials.draw.randrange(trials.count)
    for number, (label, files, command) in enumerate(bombs()):
        if number % trials.count != first:
            continue
        for left in trials.folder.iterdir():
            left.unlink()
        for name, content in files.items():
            if callable(content):
                content(trials.folder / name)
            else:
                (trials.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        trials.see(label, trials.optinc(*command, timeout=120))


if __name__ == "__main__":
    main(__doc__, try_all, count=1)
