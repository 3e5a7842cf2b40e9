#!/usr/bin/env python3
"""Changes every text format that the tool reads, from a seed: studies, lists, netlists, tables, Touchstone, Lumerical.

Usage: texts.py OPTINC [--seed N] [--count N] [--json]; --count: changed files of each format"""

import re
import shutil

from hostile import ROOT, main

STUDY = """study = "s"
model = "mesh"
figures = ["metric_vs_parameter"]
[runner]
trials = 2
[measure]
metrics = ["mesh_error", "fidelity"]
[mesh]
ports = 4
target = "orthogonal"
[chip]
preset = "ideal"
sigma_eta_rad = 0.01
[[sweep]]
name = "x"
values = {"chip.dac_bits" = [4, 8]}
[[sweep]]
values = {"chip.sigma_phase_rad" = [0.0, 0.1], "chip.mzi_loss_db" = [0.1, 0.2]}
"""
DEVICE = """instances:
  bus: {component: coupler, settings: {eta_rad: 0.25}}
  turn: {component: waveguide, settings: {length_m: 60e-6}}
  chip: {component: touchstone, settings: {file: matrix.s6p}}
connections: {"bus,out1": "turn,in0", "turn,out0": "bus,in1", "bus,out0": "chip,port1"}
ports: {in: "bus,in0", a: "chip,port2", b: "chip,port3", c: "chip,port4", d: "chip,port5", e: "chip,port6"}
"""
BLOCK = """instances: {b: {component: touchstone, settings: {file: changed_block.sparam}}}
ports: {in: "b,port1", out: "b,port2"}
"""
ONE_POINT = ["--wavelength-m", "1.55e-6", "--points", "1"]
READERS = {  # of a file F
    "study.toml": (["run", "F", "-o", "O.h5", "--quiet"], ["run", "F", "--dry-run"], ["budget", "F"]),
    "designs.toml": (["compare-costs", "F", "--quiet"],),
    "scenarios.toml": (["interconnect", "F", "--quiet"],),
    "clusters.toml": (["cluster", "F", "--dry-run"],),
    "phases.csv": (["transfer", "F", "-o", "O.csv"],),
    "matrix.csv": (["program", "F", "-o", "O.csv", "--nearest-unitary"],),
    "matrix.s6p": (["program", "F", "-o", "O.csv", "--nearest-unitary"],),
    "errors.csv": (["run", "study.toml", "-o", "O.h5", "--quiet", "--set", "mesh.measured=F"],),
    "ring.yml": (["circuit", "F", "-o", "O.h5", *ONE_POINT],),
    "device.yml": (["circuit", "F", "-o", "O.s2p", *ONE_POINT, "--absorb-unconnected"],),
    "chip.spi": (["circuit", "F", "-o", "O.h5", *ONE_POINT, "--absorb-unconnected"],),
    "block.sparam": (["circuit", "block.yml", "-o", "O.h5", *ONE_POINT],),  # which names the changed one
}
NUMBERS = [b"nan", b"inf", b"-inf", b"1e309", b"-0", b"0x7fffffffffffffff", b"1e-320", b"9" * 400, b"1,5", b"1.2.3", b"1_000", b"+-1", b"--1",
           b"1e", b"e1", b"0b11", b"99999999999999999999", b"-1", b"0", b"1e6", b"65536", b"4294967296", "\u0661\u0662".encode(), b"1979-05-27",
           b"1", b"2", b"3", b"1e9", b"1e-9", b"1e300", b"2147483648", b"9223372036854775808", b"0.5"]
PIECES = [*NUMBERS, b"\xef\xbb\xbf", b"\r\n", b"\r", b"\0", b"\x1b[2J", b"\xff\xfe", b"\xc2\x9b31m", "\u202e".encode(), b"[[", b"]]", b"{", b"}", b"'''",
          b'"""', b"#", b";", b",", b",,", b"\t", b"&a", b"*a", b"<<: *a", b"!!python/object:os.system", b"---", b"...", b"|", b">", b"? ", b"- ",
          b"\\u0000", b"\\U0010ffff", b"true", b'""', b"''", b"=", b"..", b"/dev/zero", b"/dev/stdin", b"../../../etc/passwd", b"F" * 5000]


def changed(text, draw):
    """The text with one change or several."""
    for _ in range(draw.choice([1, 1, 1, 2, 3, 8])):
        at, lines = draw.randrange(len(text) + 1), text.split(b"\n")
        one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        kind = draw.choice(["bit", "insert", "replace", "remove", "repeat", "number", "swap lines", "repeat line", "cut"])
        if kind == "bit" and text:
            at %= len(text)
            text = text[:at] + bytes([text[at] ^ 1 << draw.randrange(8)]) + text[at + 1:]
        elif kind == "insert":
            text = text[:at] + draw.choice(PIECES) + text[at:]
        elif kind == "replace":
            text = text[:at] + draw.choice(PIECES) + text[at + draw.randrange(1, 40):]
        elif kind == "remove":
            text = text[:at] + text[at + draw.randrange(1, 60):]
        elif kind == "repeat":
            to = draw.randrange(len(text) + 1)
            text = text[:to] + text[at:at + draw.randrange(1, 200)] + text[to:]
        elif kind == "number" and (found := list(re.finditer(rb"-?\d+(\.\d+)?(e-?\d+)?", text))):
            number = draw.choice(found)
            text = text[:number.start()] + draw.choice(NUMBERS) + text[number.end():]
        elif kind == "swap lines":
            lines[one], lines[other] = lines[other], lines[one]
            text = b"\n".join(lines)
        elif kind == "repeat line":
            lines[one:one] = [lines[other]] * draw.choice([1, 1, 50])
            text = b"\n".join(lines)
        elif kind == "cut":
            text = text[:at]
    return text


def write_sound_files(trials):
    folder, corpus, lists = trials.folder, ROOT / "tests/fuzz/corpus", ROOT / "experiments/data/lists"
    (folder / "study.toml").write_text(STUDY)
    # mesh errors must be those of the mesh that the study builds: 4 ports in rectangular columns
    rows = (f"{column},{upper},0.01,-0.02,0.1\n" for column in range(4) for upper in range(column % 2, 3, 2))
    (folder / "errors.csv").write_text("column,upper,alpha_rad,beta_rad,theta_offset_rad\n" + "".join(rows))
    (folder / "phases.csv").write_text((corpus / "tables/by_hand_phases.csv").read_text().replace("-1e300", "-1.5"))
    for kind in ("csv", "s6p"):
        trials.prepare("transfer", "phases.csv", "-o", f"matrix.{kind}")
    shutil.copy(corpus / "netlists/by_hand_ring.yml", folder / "ring.yml")
    (folder / "device.yml").write_text(DEVICE)
    (folder / "block.yml").write_text(BLOCK)
    shutil.copy(corpus / "netlists/by_hand.spi", folder / "chip.spi")
    shutil.copy(corpus / "netlists/by_hand_block.sparam", folder / "block.sparam")
    (folder / "designs.toml").write_text((lists / "published.toml").read_text()[:1400].rsplit("[[design]]", 1)[0])
    shutil.copy(lists / "ring_1024.toml", folder / "scenarios.toml")
    shutil.copy(corpus / "lists/by_hand_clusters.toml", folder / "clusters.toml")


def try_all(trials):
    write_sound_files(trials)
    for name, readers in READERS.items():
        sound = (trials.folder / name).read_bytes()
        for number in range(trials.count):
            file = trials.folder / f"changed_{name}"
            content = changed(sound, trials.draw)
            file.write_bytes(content)
            for left in trials.folder.glob("O.*"):
                left.unlink()
            words = [re.sub(r"\bF$", file.name, word) for word in readers[number % len(readers)]]
            if trials.see(f"{name} {number}: {' '.join(words)}", trials.optinc(*words)):
                (trials.folder / f"fault_{len(trials.faults)}_{name}").write_bytes(content)


if __name__ == "__main__":
    main(__doc__, try_all, count=40)
