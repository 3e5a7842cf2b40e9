#!/usr/bin/env python3
"""FORMAT.md against files just written: every dataset of a file stands in a table of the document with these axes, this
type and these units, and every dataset of the document is found in some file. The tables of the groups in GENERATED are what
the files say of themselves.

Usage: format_test.py OPTINC FORMAT.md [--update]. --update writes these tables anew."""

import fnmatch
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
    import numpy
except ImportError as missing:  # as ctest understands it: skipped
    print(missing)
    sys.exit(77)

OPTINC = sys.argv.pop(1)
FORMAT = pathlib.Path(sys.argv.pop(1))
UPDATE = "--update" in sys.argv and (sys.argv.remove("--update") or True)
# groups whose datasets have the same axes in every file; a table of others stands for several
GENERATED = ("training", "eye", "gradient", "budget", "designs", "operating_points", "part_draws", "interconnect", "sensitivity", "links",
             "testbeds", "light_paths", "competitions", "iterations", "days", "failures", "laws")

CHIP = """
model = "chip"
[parts]
set = "idealised"
[runner]
trials = 3
[network]
hidden = [8, 8]
[training]
epochs = 2
warmup_epochs = 1
[measure]
words = 100
once = ["eye", "gradient"]
[yield]
metric = "word_accuracy"
limit = 0.001
[gradient]
hidden = 4
batch = 6000
[[sweep]]
method = "ablation"
sources = ["splitters", "DAC"]
[[sweep]]
values = {"chip.sigma_cal_rad" = [0.001, 0.002], "receiver.lo_power_w" = [1e-3, 2e-3]}
"""
MESH = """
model = "mesh"
[runner]
trials = 3
[mesh]
ports = 4
[fabrication]
process = "wafer"
[[sweep]]
values = {"chip.preset" = ["good-lab", "doped-heaters"]}
"""
TARGET = """
model = "mesh"
[runner]
trials = 2
[mesh]
ports = 2
target = "FILE"
measured = "ERRORS"
measured_crosstalk = "CROSSTALK"
"""
TOLERANCE = """
model = "tolerance"
[task]
rounding = "half-up"
[runner]
trials = 2
[measure]
words = 100
variants = ["corrected_quadrature", "stand-in"]
[[sweep]]
name = "network"
values = {"network.source" = ["carry-chain", "train"]}
[network]
hidden = [8, 8]
[training]
epochs = 2
warmup_epochs = 1
"""
WAVEFORM = """
model = "waveform"
[task]
rounding = "half-up"
[network]
source = "carry-chain"
[time]
sampling = "clocked"
[runner]
trials = 2
[measure]
words = 100
"""
CASCADE = """
model = "cascade"
[task]
rounding = "half-up"
[network]
source = "carry-chain"
[runner]
trials = 2
[measure]
words = 100
"""
LEARNING = """
model = "learning"
[runner]
trials = 2
[network]
source = "carry-chain"
[task]
rounding = "half-up"
[noise]
lock = false
[learner]
data = "IMAGES"
width = 8
batch = 8
steps = 4
evaluations = 2
optimiser = "adamw"
learning_rate = 1e-3
error_feedback = true
[[sweep]]
values = {"learner.aggregator" = ["exact", "quantised", "chip"]}
"""
DRIFT = """
model = "drift"
[runner]
trials = 2
[network]
hidden = [8, 8]
[training]
epochs = 2
warmup_epochs = 1
[measure]
words = 100
[drift]
instants = 4
[[sweep]]
values = {"drift.imbalance_m" = [1e-6, 1e-5]}
"""
COMB = """
model = "comb"
[runner]
trials = 2
[task]
bits = 4
rounding = "half-up"
[network]
source = "carry-chain"
[measure]
words = 100
[comb]
channels = 3
"""
MESH_DRIFT = """
model = "mesh_drift"
[runner]
trials = 2
[mesh]
ports = 4
[drift]
instants = 4
"""
INTERCONNECT = """
[[scenario]]
name = "ring"
[[sensitivity]]
name = "latency"
subject = "ring"
reference = "ring"
key = "step_latency_s"
values = [0.0, 1e-5]
"""
CLUSTERS = """
[[testbed]]
name = "ring"
[[light_paths]]
name = "64 nodes"
nodes = 64
draws = 1
[[competition]]
name = "VGG19"
nodes = 64
[[iteration]]
name = "two stages"
workload = "llama-8x384-tied"
pipeline = 2
nodes = 64
[[day]]
name = "an hour"
nodes = 64
horizon_s = 3600
[[failure]]
name = "node"
nodes = 64
"""
TYPES = {"f8": "float64", "f4": "float32", "i8": "int64", "i4": "int32", "u1": "uint8"}


def documented():
    """[(group pattern, dataset, dimensions, type, units)] of every table headed "dataset of `GROUP`"."""
    rows, group, columns = [], None, None
    for line in FORMAT.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            group = None
        elif cells[0].startswith("dataset of"):
            group, columns = re.findall(r"`([^`]+)`", cells[0])[0], cells
        elif group and not set(cells[0]) <= set("-"):
            row = dict(zip(columns, cells))
            for name in re.findall(r"`([^`]+)`", cells[0]):
                rows.append((group, name, [d.strip() for d in row["dimensions"].split(",") if d.strip() != "-"], row["type"],
                             row["units"]))
    return rows


def below(group):
    """Every dataset in a group and the groups below it, in the order in which they were written."""
    for node in group.values():
        if isinstance(node, h5py.Group):
            yield from below(node)
        else:
            yield node


def row_of(node):
    """A dataset's row of a table: its long_name without a source is the meaning, which begins small."""
    meaning = node.attrs["long_name"].split("; source: ")[0].replace("|", "\\|")
    if meaning.split()[0][1:].islower():
        meaning = meaning[0].lower() + meaning[1:]
    dims = ", ".join(d.keys()[0] for d in node.dims) or "-"
    return f"| `{node.name.split('/')[-1]}` | {dims} | {TYPES.get(node.dtype.str[1:], 'text')} | {node.attrs['units']} | {meaning} |\n"


def metrics():
    """Own axes and unit of every quantity of `trials`."""
    return {name: (dims[2:], units) for group, name, dims, _, units in documented() if group == "trials" and name != "completed"}


class Format(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.files = {}
        folder = pathlib.Path(cls.folder.name)
        (folder / "images").mkdir()
        for part, count in (("train", 16), ("t10k", 4)):
            for kind, shape in (("images-idx3", (count, 2, 2)), ("labels-idx1", (count,))):
                head = struct.pack(f">I{len(shape)}I", 0x800 + len(shape), *shape)
                (folder / f"images/{part}-{kind}-ubyte.gz").write_bytes(head + bytes(i % 4 for i in range(math.prod(shape))))
        (folder / "swap.csv").write_text("0,1\n1,0\n")
        (folder / "errors.csv").write_text("column,upper,alpha_rad,theta_pi_power_w,phi_pi_power_w\n0,0,0.01,0.01,0.011\n")
        (folder / "crosstalk.csv").write_text("0,0.01,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n")
        target = TARGET
        for word, file in (("FILE", "swap.csv"), ("ERRORS", "errors.csv"), ("CROSSTALK", "crosstalk.csv")):
            target = target.replace(word, str(folder / file))
        learning = LEARNING.replace("IMAGES", str(folder / "images"))
        for name, text in (("chip", CHIP), ("mesh", MESH), ("target", target), ("tolerance", TOLERANCE), ("waveform", WAVEFORM), ("cascade", CASCADE), ("comb", COMB),
                           ("learning", learning)):
            (folder / f"{name}.toml").write_text(text)
            cls.make("run", folder / f"{name}.toml", "-o", folder / f"{name}.h5", "--quiet")
            cls.make("replay", folder / f"{name}.h5", "--trial", 1, "-o", folder / f"{name}_trial.h5")
        (folder / "drift.toml").write_text(DRIFT)
        cls.make("run", folder / "drift.toml", "-o", folder / "drift.h5", "--quiet")
        (folder / "mesh_drift.toml").write_text(MESH_DRIFT)
        cls.make("run", folder / "mesh_drift.toml", "-o", folder / "mesh_drift.h5", "--quiet")
        cls.make("program", folder / "chip.h5", "-o", folder / "phases.h5")
        cls.make("fabricate", folder / "chip.h5", "-o", folder / "fabricated.h5")
        cls.make("fabricate", folder / "waveform.h5", "-o", folder / "unit.h5")
        cls.make("run", folder / "waveform.toml", "-o", folder / "measured.h5", "--quiet", "--set", "chip.preset=ideal",
                 "--set", f"chip.measured={folder / 'unit.h5'}")
        cls.make("budget", "--network", folder / "chip.h5", "--quiet", "-o", folder / "budget.h5")
        (folder / "designs.toml").write_text('[[design]]\nname = "small"\nset = ["network.hidden=[8]"]\n')
        cls.make("compare-costs", folder / "designs.toml", "--quiet", "-o", folder / "designs.h5")
        (folder / "points.toml").write_text('[[design]]\nname = "chain"\nset = ["network.source=carry-chain", "task.rounding=half-up", '
                                            '"task.bits=4", "link.launch_power_w=4e-3", "receiver.lo_power_w=4e-3"]\n')
        cls.make("operating-point", folder / "points.toml", "--chips", 1, "--words", 100, "--wrong", 0.05, "--bandwidths", 32e9,
                 "--quiet", "-o", folder / "points.h5")
        (folder / "averages.toml").write_text('[[design]]\nname = "ring"\nset = ["network.source=ring", "task.bits=4", '
                                              '"time.sampling=clocked", "link.fibre_mismatch_m=0"]\n')
        cls.make("operating-point", folder / "averages.toml", "--goal", "energy", "--draws", 2, "--chips", 1, "--words", 100,
                 "--wrong", 0.05, "--quiet", "-o", folder / "draws.h5")
        (folder / "interconnect.toml").write_text(INTERCONNECT)
        cls.make("interconnect", folder / "interconnect.toml", "--quiet", "-o", folder / "interconnect.h5")
        (folder / "circuit.yml").write_text('instances: {a: amplifier}\nports: {in: "a,in0", out: "a,out0"}\n')
        cls.make("circuit", folder / "circuit.yml", "--light", "in=1e-4", "--quiet", "-o", folder / "circuit.h5")
        cls.make("circuit", folder / "circuit.yml", "--sweep", "a.small_signal_gain_db=[10,12]", "--quiet", "-o", folder / "circuit_draws.h5")
        with h5py.File(folder / "bench.hdf5", "w") as bench:  # a single MZI
            angle = numpy.linspace(0, 6, 20)
            bench["theta"], bench["phi"] = angle[:, None], numpy.zeros((20, 1))
            bar, cross = numpy.sin(angle / 2) ** 2, numpy.cos(angle / 2) ** 2
            bench["power"] = numpy.stack([bar, cross, cross, bar], axis=1).reshape(20, 2, 2)
        cls.make("twin", folder / "bench.hdf5", "-o", folder / "twin.h5")
        (folder / "clusters.toml").write_text(CLUSTERS)
        cls.make("cluster", folder / "clusters.toml", "--quiet", "-o", folder / "clusters.h5")
        cls.make("validate", "--quick", "--quiet", "-o", folder / "laws.h5", 2, "E0", "PAM4", "coverage")
        for path in sorted(folder.glob("*.h5")):
            cls.files[path.stem] = path

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @staticmethod
    def make(*arguments):
        done = subprocess.run([OPTINC, *map(str, arguments)], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr

    def datasets(self):
        """(file, group path, dataset) of everything written that is no axis and no value of a swept key."""
        for name, path in self.files.items():
            with h5py.File(path) as file:
                for node in below(file):
                    if "CLASS" not in node.attrs and "key" not in node.attrs:  # CLASS marks dimension scales
                        yield name, node.parent.name.strip("/"), node

    def entry(self, group, name, sweeps):
        """What the document says of a dataset: (dimensions, type, units); None where it says nothing."""
        own = metrics()
        group = re.sub(r"^networks/\d+/", "", group)  # each network of several is as the only one
        if group == "record":
            return (own[name][0], "float64", own[name][1]) if name in own else None
        if group == "errors" and name not in ("gamma", "common_offset"):
            group = "chip/layer0/block0/mesh"
        if group in ("measured", "twin", "standard_error"):
            group = "twin" if name.endswith(("_gain", "_scale")) else "chip/layer0/block0/mesh"
        if group.startswith("measured_") and name not in ("theta_pi_power", "phi_pi_power", "crosstalk"):
            group = "chip/layer0/block0/mesh"
        if name == "matrix":
            return ["output", "input", "complex"], "float64", "1"
        if name == "mesh_name":
            return [], "text", "1"
        if re.fullmatch(r"[a-z_]+/phases/mesh", group):
            group = "phases/mesh"
        for pattern, written, dims, kind, units in documented():
            if not fnmatch.fnmatch(group, pattern):
                continue
            for quantity, (axes, unit) in own.items():
                if written.replace("Q", quantity) != name or (pattern in ("trials",) and written != name):
                    continue
                if "Q" not in written and "own" in dims and group == "summary":
                    quantity, (axes, unit) = "word_accuracy", own["word_accuracy"]  # the yield's metric in this test
                if "Q" not in written and group == "ablation":
                    axes, unit = (["variant"], "digit")
                spelt = [d for part in dims for d in (sweeps if part == "sweeps" else axes if part == "own" else [part])]
                return spelt, kind, units.replace("Q", unit)
        return None

    def test_every_dataset_is_documented(self):
        for name, group, node in self.datasets():
            with self.subTest(file=name, dataset=node.name), h5py.File(self.files[name]) as file:
                trials = file.get("trials/completed")
                sweeps = [d.keys()[0] for d in trials.dims][:-1] if trials is not None else []
                if group == "ablation":
                    sweeps = [s for s in sweeps if s != "ablation"]
                said = self.entry(group, node.name.split("/")[-1], sweeps)
                self.assertIsNotNone(said, "not in FORMAT.md")
                dims, kind, units = said
                units = "1" if units == "U" else units  # that of the laws in this test
                written = file[node.name]
                self.assertEqual([d.keys()[0] for d in written.dims], dims)
                self.assertEqual(TYPES.get(written.dtype.str[1:], "text"), kind)
                self.assertEqual(written.attrs["units"], units)
                self.assertTrue(written.attrs["long_name"])
                self.assertEqual({type(written.attrs[name]) for name in ("units", "long_name")}, {str})
                if written.size * written.dtype.itemsize > 4096:
                    self.assertTrue(written.chunks and written.shuffle and written.compression == "gzip")

    def test_everything_documented_is_written(self):
        written = {}
        for _, group, node in self.datasets():
            written.setdefault(group, set()).add(node.name.split("/")[-1])
        for pattern, name, *_ in documented():
            names = {name.replace("Q", q) for q in metrics()} if "Q" in name else {name}
            with self.subTest(group=pattern, dataset=name):
                self.assertTrue(any(names & there for group, there in written.items() if fnmatch.fnmatch(group, pattern)))

    # fails when a long_name, a type or a unit is edited in one place alone
    def test_tables_are_what_files_say(self):
        rows = {group: {} for group in GENERATED}
        for _, group, node in self.datasets():
            if group in rows:
                rows[group].setdefault(node.name, row_of(node))
        text = FORMAT.read_text()
        for group, told in rows.items():
            head = f"| dataset of `{group}` | dimensions | type | units | meaning |\n|---|---|---|---|---|\n"
            old = re.search(re.escape(head) + r"((?:\|.*\n)+)", text)[1]
            if UPDATE:
                text = text.replace(head + old, head + "".join(told.values()))
            else:
                self.assertEqual(old, "".join(told.values()), "write it anew: format_test.py OPTINC FORMAT.md --update")
        if UPDATE:
            FORMAT.write_text(text)

    def test_root_attributes_are_the_table(self):
        table = re.search(r"## Root attributes\n\n(.*?)\n\n", FORMAT.read_text(), re.S)[1]
        known = set(re.findall(r"`([a-z_A-Z]+)`", " ".join(row.split("|")[1] for row in table.splitlines()[2:])))
        with h5py.File(self.files["chip"]) as file:
            self.assertEqual(set(file.attrs), known - {"shard", "warnings", "git_revisions"})  # a whole study, and nothing odd about it
            self.assertEqual((file.attrs["Conventions"], file.attrs["schema_version"]), ("CF-1.10", 5))

    def test_journal(self):
        """A reader written from the document alone reads a run that was killed."""
        import struct
        import time
        import zlib
        folder = pathlib.Path(self.folder.name, "killed")
        folder.mkdir()
        output = folder / "r.h5"
        run = subprocess.Popen([OPTINC, "run", self.files["mesh"].with_suffix(".toml"), "-o", output, "--trials", "100000", "--quiet"])
        journal = pathlib.Path(f"{output}.journal")
        while not journal.exists() or journal.stat().st_size < 20000:  # some dozens of trials behind the study
            time.sleep(0.01)
        run.kill()
        run.wait()
        data, at, kinds = journal.read_bytes(), 8, []
        self.assertEqual(data[:8], b"OPTINCJ1")
        while len(data) - at >= 32:
            kind, crc, point, trial, size = struct.unpack("<IIQQQ", data[at:at + 32])
            frame = data[at:at + 4] + bytes(4) + data[at + 8:at + 32 + size]
            if len(frame) < 32 + size or zlib.crc32(frame) != crc:
                break
            kinds.append(kind)
            if kind == 1:
                text = data[at + 32:at + 32 + size].decode()
                first, command, revisions, schema, config = text.split("\n", 4)
                self.assertEqual(first, "1/1")
                self.assertEqual(schema, "# schema_version: 5")
                self.assertRegex(command, "^# command: optinc run .*mesh.toml .* --trials 100000 --quiet$")
                self.assertRegex(revisions, "^# revisions: [0-9a-f]+")
                self.assertTrue(config.startswith('study = "unnamed"\n'))
            if kind == 3:
                self.assertLess(point, 2)
                self.assertEqual(size, 8 * 7 * 3)
            at += 32 + size
        self.assertEqual(kinds[:2], [1, 2])
        self.assertGreater(kinds.count(3), 10)


if __name__ == "__main__":
    unittest.main(verbosity=1)
