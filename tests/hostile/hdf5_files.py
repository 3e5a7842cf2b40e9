#!/usr/bin/env python3
"""Changes every kind of HDF5 file by HDF5 itself, from a seed: types, shapes, links, external storage, virtual datasets, bombs.

A third of the files get a new seal. The tool's commands read them, and the Python package, where every refusal is a ValueError.

Usage: hdf5_files.py OPTINC [--seed N] [--count N] [--json]; --count: changed files of each kind"""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import time
import warnings
import zlib

import h5py
import numpy as np
from hostile import ROOT, main, run

MESHES = """study = "m"
model = "mesh"
[runner]
trials = 3
[measure]
metrics = ["mesh_error", "fidelity"]
[mesh]
ports = 4
[chip]
preset = "good-lab"
[[sweep]]
values = {"chip.sigma_eta_rad" = [0.01, 0.02]}
"""
CHIPS = """study = "c"
[runner]
trials = 2
[task]
rounding = "half-up"
[network]
source = "carry-chain"
[measure]
words = 100
once = []
"""
TRAINING = """[task]
rounding = "half-up"
[network]
hidden = [8, 8]
[training]
warmup_epochs = 0
epochs = 100000
"""
READERS = {  # of a file F; what they write is O.h5 or O.csv
    "result.h5": (["inspect", "F"], ["inspect", "F", "--json"], ["replay", "F", "--trial", "1", "--point", "1", "-o", "O.h5"],
                  ["resume", "F", "--trials", "4", "--quiet"], ["merge", "F", "part2.h5", "-o", "O.h5", "--quiet"], ["python"]),
    "part1.h5": (["merge", "F", "part2.h5", "-o", "O.h5", "--quiet"], ["resume", "F", "--quiet"]),
    "chips.h5": (["inspect", "F"], ["replay", "F", "--trial", "1", "-o", "O.h5"], ["program", "F", "-o", "O.h5"],
                 ["resume", "F", "--trials", "3", "--quiet"], ["fabricate", "F", "-o", "O.h5"], ["python"]),
    "network.h5": (["inspect", "F"], ["program", "F", "-o", "O.h5"], ["fabricate", "F", "-o", "O.h5"], ["budget", "--network", "F"],
                   ["check-network", "chips.toml", "--set", "network.source='F'", "--quiet"],
                   ["run", "chips.toml", "--set", "network.source='F'", "-o", "O.h5", "--quiet"],
                   ["train", "training.toml", "--set", "network.start='F'", "--set", "training.epochs=1", "-o", "O.h5", "--quiet"]),
    "chip.h5": (["inspect", "F"], ["program", "network.h5", "--chip", "F", "-o", "O.h5"],
                ["transfer", "phases.h5", "--mesh", "layer0/block0/mesh", "--chip", "F", "-o", "O.csv"]),
    "phases.h5": (["transfer", "F", "--mesh", "layer0/block0/mesh", "-o", "O.h5"], ["inspect", "F"]),
    "matrix.h5": (["program", "F", "-o", "O.h5", "--nearest-unitary"], ["inspect", "F"],
                  ["run", "meshes.toml", "--set", "mesh.target='F'", "-o", "O.h5", "--quiet"]),
    "laws.h5": (["inspect", "F"], ["inspect", "F", "--json"], ["python"]),
    "budget.h5": (["inspect", "F"], ["inspect", "F", "--json"], ["python"]),
    "designs.h5": (["inspect", "F"], ["python"]),
    "scenarios.h5": (["inspect", "F"], ["python"]),
    "circuit.h5": (["inspect", "F"], ["python"]),
    "unfinished.h5.training": (["resume", "F", "--time-limit", "1", "--quiet"],),
}
NUMBERS = [np.nan, np.inf, -np.inf, 1e308, -1.0, 5e-324, 1e18, -0.0, 2.0**62, 0.0]
INTEGERS = [-1, 0, 2**63 - 1, -2**63, 2**31, 1, 10**9, 4096, 65536]
TEXTS = ["", "x" * 200000, "\x1b[31mred\x07", "line\nline\r\nline", "<script>alert(1)</script>", "\u202eabc", "\x9b31m", "../../../..pwned", "a\tb",
         "%s%n%d{}{0}", '[[sweep]]\nvalues={"run.seed"=[1,2]}', "model='mesh'\n[mesh]\nports=1000000",
         'model = "mesh"\n[runner]\ntrials=1000000000', "[" + ".".join("a" * 50000) + "]", "x = " + "[" * 50000, "nan", "é" * 1000]
ELSEWHERE = ["target.h5", "/dev/zero", "fifo", "changed.h5", "/etc/passwd", "nothere.h5"]


# -- one change to an open file; `draw`: random numbers; each returns what it did, None where there is nothing to change

def of_attribute(file, draw):
    owners = ["/"]
    file.visit(owners.append)
    there = [(owner, name) for owner in owners for name in file[owner].attrs]
    if not there:
        return None
    owner, name = draw.choice(there)
    attributes = file[owner].attrs
    kind = draw.choice(["remove", "number", "type", "text", "array", "null"])
    if kind == "remove":
        del attributes[name]
    elif kind == "number" and isinstance(attributes[name], (int, np.integer)):
        attributes.create(name, np.int64(draw.choice(INTEGERS)))
    elif kind == "number":
        attributes.create(name, np.float64(draw.choice(NUMBERS)))
    elif kind == "type":
        attributes.create(name, draw.choice([np.float32(1.5), np.int8(3), np.uint64(2**64 - 1), np.bytes_(b"fixed"), h5py.Empty("f8"), np.zeros(3),
                                             np.array([b"a", b"b"]), np.complex128(1j)]))
    elif kind == "text":
        attributes[name] = draw.choice(TEXTS)
    elif kind == "array":
        attributes.create(name, np.arange(draw.choice([0, 2, 100, 8000])))
    else:
        attributes.create(name, h5py.Empty("S10"))
    return f"attribute {owner}@{name}: {kind}"


def of_group(file, draw):
    groups = []
    file.visititems(lambda name, item: groups.append(name) if isinstance(item, h5py.Group) else None)
    if not groups:
        return None
    group = draw.choice(groups)
    kind = draw.choice(["remove", "loop", "external link", "dataset", "itself", "many more"])
    if kind == "itself":
        file[f"{group}/again"] = file[group]
    elif kind == "many more":
        for i in range(300):
            file.create_group(f"{group}/extra{i}/layer0")
    else:
        del file[group]
        if kind == "loop":
            file[group] = h5py.SoftLink(f"/{group}")
        elif kind == "external link":
            file[group] = h5py.ExternalLink(draw.choice(ELSEWHERE), f"/{group}")
        elif kind == "dataset":
            file[group] = np.arange(4.0)
    return f"group {group}: {kind}"


def created(file, name, shape, dtype, chunk=None, deflate=None, external=None):
    """A dataset as only HDF5's own functions make it."""
    layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    if chunk:
        layout.set_chunk(chunk)
    if deflate:
        layout.set_deflate(deflate)
    if external:
        layout.set_external(*external)
    return h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(np.dtype(dtype), logical=True), h5py.h5s.create_simple(shape), layout)


DATASETS = ("remove", "value", "value", "type", "shape", "huge", "bomb", "external storage", "external link", "loop", "virtual", "filter", "group",
            "empty", "scalar", "null", "vlen", "enum", "big-endian", "strings", "references", "swap", "axes")


def of_dataset(file, draw):
    names = []
    file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    if len(names) < 2:
        return None
    name, kind = draw.choice(names), draw.choice(DATASETS)
    old = file[name]
    shape, numeric = old.shape, old.dtype.kind in "fiu"
    some, dtype = shape if shape and 0 not in shape else (4,), old.dtype if numeric else np.dtype("f8")
    if kind == "value":
        if numeric:
            values, value = np.array(old[()]), draw.choice(NUMBERS if old.dtype.kind == "f" else INTEGERS)
            if not np.can_cast(np.min_scalar_type(value), values.dtype) and old.dtype.kind != "f":
                value = 1
            if draw.random() < 0.5 and values.size:
                values.flat[draw.randrange(values.size)] = value
            else:
                values[...] = value
            old[...] = values
        elif shape:
            old[0] = draw.choice(["", "\x1b]0;x\x07", "a\nb", "x" * 100000, "<b>", "../..", "noisy"])
        return f"dataset {name}: value"
    if kind == "swap":
        other = draw.choice(names)
        if other != name:
            file.move(name, "aside")
            file.move(other, name)
            file.move("aside", other)
        return f"dataset {name}: swapped with {other}"
    if kind == "axes":
        old.attrs["DIMENSION_LIST"] = draw.choice(["text", np.arange(3), np.float64(1)])
        return f"dataset {name}: axes"
    values = np.array(old[()]) if numeric else np.zeros(3)
    del file[name]
    if kind == "type":
        file[name] = np.zeros(shape, draw.choice(["f4", "f2", "i1", "u8", "c16", "S3", "?", "i8", "f8"]))
    elif kind == "shape":
        file[name] = np.ones([draw.choice([1, 2, 3, 5, 17]) for _ in range(draw.choice([0, 1, 2, 3, 4]))], dtype)
    elif kind == "huge":
        claimed = (draw.choice([2**20, 2**31, 2**40, 2**62, 4096]), *some[1:])
        created(file, name, claimed, dtype, chunk=tuple(min(n, 64) for n in claimed))
    elif kind == "bomb":
        inner = int(np.prod(some[1:]))
        rows = max(min(draw.choice([1 << 16, 1 << 20, 1 << 23]), (1 << 23) // inner), 1)
        made = created(file, name, (rows, *some[1:]), dtype, chunk=(max(1, min(rows, (1 << 20) // inner)), *some[1:]), deflate=9)
        h5py.Dataset(made)[...] = np.zeros((rows, *some[1:]), dtype)
    elif kind == "external storage":
        place = draw.choice(["fifo", "/dev/zero", "/etc/passwd", "/proc/self/maps", "/dev/stdin", "nothere", "/dev/random"])
        created(file, name, some, dtype, external=(place.encode(), 0, int(np.prod(some)) * 8))
    elif kind == "external link":
        file[name] = h5py.ExternalLink(draw.choice(ELSEWHERE), f"/{name}")
    elif kind == "loop":
        file[name], file[f"{name}x"] = h5py.SoftLink(f"/{name}x"), h5py.SoftLink(f"/{name}")
    elif kind == "virtual":
        layout = h5py.VirtualLayout(some, dtype)
        layout[...] = h5py.VirtualSource(draw.choice([".", *ELSEWHERE]), name, shape=some)
        file.create_virtual_dataset(name, layout)
    elif kind == "filter":
        how = draw.choice([{"compression": "lzf"}, {"scaleoffset": 3}, {"fletcher32": True}])
        file.create_dataset(name, data=np.zeros(some), chunks=some, **how)
    elif kind == "group":
        file.create_group(name)
    elif kind == "empty":
        file.create_dataset(name, (0,) * (len(shape) or 1), dtype)
    elif kind == "scalar":
        file[name] = 1.0
    elif kind == "null":
        file[name] = h5py.Empty("f8")
    elif kind == "vlen":
        file.create_dataset(name, (min(some[0], 10),), h5py.vlen_dtype(np.float64))[0] = np.arange(10)
    elif kind == "enum":
        file.create_dataset(name, some, h5py.enum_dtype({"a": 1, "b": 2}, basetype="i8"))
    elif kind == "big-endian":
        file[name] = values.astype(values.dtype.newbyteorder(">"))
    elif kind == "strings":
        file[name] = np.array([b"abc"] * min(some[0], 1000))
    elif kind == "references":
        file.create_dataset(name, (2,), h5py.ref_dtype)
    return f"dataset {name}: {kind}"


def change(path, draw):
    """Changes a file; what was done."""
    with h5py.File(path, "r+") as file:
        return draw.choice([of_attribute, of_group, of_dataset, of_dataset, of_dataset])(file, draw)


def seal(path):
    content = path.read_bytes()
    path.write_bytes(content + b"OPTINCS1" + struct.pack("<I", zlib.crc32(content)))


# -- the Python package, in a process of its own

def read_in_python(path):
    """What the package raises over a file but ValueError, as JSON."""
    sys.path.insert(0, str(ROOT / "python/src"))
    from optinc import results

    warnings.simplefilter("ignore")
    raised = {}

    def tried(name, read):
        try:
            return read()
        except ValueError:  # NotAResult is one
            return None
        except Exception as error:
            raised[name] = f"{type(error).__name__}: {error}"[:200]
            return None
    opened = tried("open_run", lambda: results.open_run(path))
    if opened is not None:
        with opened:
            for name in ("trials", "summary", "ablation", "training", "eye", "laws", "config", "sweeps", "asked_and_run", "incomplete", "attributes"):
                found = tried(name, lambda: getattr(opened, name))
                if hasattr(found, "load"):
                    tried(f"{name}.load", found.load)
            tried("tidy", lambda: results.tidy(opened, "mesh_error"))
            tried("parameters", lambda: results.parameters(opened))
            for metric in tried("metrics", lambda: results.metrics(opened)) or []:
                tried("statistic", lambda: results.statistic(opened, metric))
            tried("networks", lambda: results.networks(opened))
    tried("contents", lambda: results.contents(path))
    print(json.dumps(raised))


# -- the trial

def write_sound_files(trials):
    folder = trials.folder
    for name, text in (("meshes.toml", MESHES), ("chips.toml", CHIPS), ("training.toml", TRAINING)):
        (folder / name).write_text(text)
    lists = ROOT / "experiments/data/lists"
    for words in ("run meshes.toml -o result.h5", "run meshes.toml -o part1.h5 --shard 1/2", "run meshes.toml -o part2.h5 --shard 2/2",
                  "run chips.toml -o chips.h5", "train training.toml --set training.epochs=1 -o network.h5", "fabricate network.h5 -o chip.h5",
                  "program network.h5 -o phases.h5", "transfer phases.h5 --mesh layer1/block0/mesh -o matrix.h5", "validate 1 --quick -o laws.h5",
                  "budget --network network.h5 -o budget.h5", f"compare-costs {lists}/published.toml -o designs.h5",
                  f"interconnect {lists}/ring_1024.toml -o scenarios.h5",
                  f"circuit {ROOT}/tests/fuzz/corpus/netlists/by_hand_ring.yml -o circuit.h5 --wavelength-m 1.54e-6 1.56e-6 --points 3"):
        trials.prepare(*words.split(), "--quiet", timeout=300)
    process = subprocess.Popen([trials.optinc_path, "train", "training.toml", "-o", "unfinished.h5", "--quiet"], cwd=folder)
    while not (folder / "unfinished.h5.training").exists():
        time.sleep(0.02)
    process.kill()
    process.wait()
    (folder / "unfinished.h5.journal").unlink(missing_ok=True)
    shutil.copy(folder / "result.h5", folder / "target.h5")


def try_reader(trials, label, reader, file, folder):
    """One reader on one changed file."""
    content = file.read_bytes()
    if reader == ["python"]:
        done = run([sys.executable, __file__, "--read", file.name], folder, timeout=40)
        raised = json.loads(done.out) if done.status == 0 else {}
        trials.see(label, done, fault=", ".join(f"{where}: {what}" for where, what in raised.items()) or None)
        return
    named = file.name.removesuffix(".training")
    done = run([trials.optinc_path, *(re.sub(r"\bF\b", named, word) for word in reader)], folder, timeout=40)
    verdict = done.status == 1 and not done.err and reader[0] in ("check-network", "replay")  # wrong words, other values
    fault = trials.see(label, done, one_line=not verdict)
    if not fault and done.status == 1 and not verdict and (folder / "O.h5").exists():
        trials.see(label, done, fault="an output after a refusal")
    if "resume" not in reader and file.read_bytes() != content:
        trials.see(label, done, fault="the input was changed")
        file.write_bytes(content)


def try_all(trials):
    write_sound_files(trials)
    folder = trials.folder / "at"
    for name, readers in READERS.items():
        for number in range(trials.count):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            for other in ("part2.h5", "network.h5", "phases.h5", "chips.toml", "training.toml", "meshes.toml", "target.h5"):
                shutil.copy(trials.folder / other, folder / other)
            os.mkfifo(folder / "fifo")
            file = folder / f"changed_{name}"
            shutil.copy(trials.folder / name, file)
            done = change(file, trials.draw)
            if trials.draw.random() < 0.3:
                seal(file)
            content = file.read_bytes()
            for reader in trials.draw.sample(readers, min(2, len(readers))):
                for left in folder.glob("O.*"):
                    left.unlink()
                file.write_bytes(content)
                before = len(trials.faults)
                try_reader(trials, f"{name} {number}, {done} | {' '.join(reader)}", reader, file, folder)
                if len(trials.faults) > before:
                    (trials.folder / f"fault_{len(trials.faults)}_{name}").write_bytes(content)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read_in_python(sys.argv[2])
    else:
        main(__doc__, try_all, count=20)
