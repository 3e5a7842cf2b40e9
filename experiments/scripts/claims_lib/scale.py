"""Group scale: many chips, many machines, traces as generators write them, predictions, a call from Python."""

import json
import random

from .answers import HONESTY
from .claim import OPTINC, ROOT, claims_of, machine, shared
from .python import module

GROUP = "scale"
SLURM = "tests/slurm/run"
MESHES = """model = "mesh"
runner.trials = 1_000_000
chip.preset = "good-lab"
mesh.ports = 16
measure.metrics = ["mesh_error"]
measure.variants = ["uncorrected"]
yield.metric = "mesh_error"
"""
UNITS = """model = "chip"
runner.trials = 100_000
network.source = "shipped/bottleneck_noise_aware"
chip.preset = "good-lab"
measure.words = 1000
measure.metrics = ["word_accuracy"]
measure.variants = ["noisy"]
yield.metric = "word_accuracy"
"""
SAMPLE = {"meshes": 1_000_000, "meshes of 64": 20_000, "units": 2_000}


# -- many chips

@shared
def seconds(bench, what):
    """Of a run of so many chips as SAMPLE says, on two threads."""
    study = bench.folder / "chips.toml"
    study.write_text(UNITS if what == "units" else MESHES)
    bench.optinc("list")  # compiles it
    ports = ("--set", "mesh.ports=64") if what == "meshes of 64" else ()
    return bench.optinc("run", study, *ports, "--trials", SAMPLE[what], "--threads", 2, "-o", bench.folder / "chips.h5", "--quiet",
                        "--force")[1]


def minutes(bench, what, chips):
    """That so many take at the rate of the sample."""
    return chips * seconds(bench, what) / SAMPLE[what] / 60


# -- many machines

def slurm_failures(bench):
    """Tests of the job scripts that fail or could not be run."""
    bench.optinc("list")
    status = bench.run("/usr/bin/python3", SLURM, ROOT / OPTINC, accept=(0, 1, 77))[2]
    return {0: 0, 1: 1}.get(status, float("nan"))


# -- traces

def varint(value):
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number, value):
    return varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, number, value):
    return field(10, field(1, name.encode()) + field(number, value))


def node(number, kind, after, *attributes):
    body = field(1, number) + field(2, b"x") + field(3, kind) + b"".join(field(5, i) for i in after) + b"".join(attributes)
    return varint(len(body)) + body


def write_tensor_parallel(folder, data, tensor, draw, layers=6):
    """Traces of data x tensor ranks in the form of astra-sim/symbolic_tensor_graph (read, not run): layers of which each is
    computed and added up over the ranks that share it, forward and back, then gradients averaged; nodes in any order, the same
    on no two ranks. Returns operations of a rank and bytes that all ranks send, by sums."""
    groups = {f"t{d}": [d * tensor + t for t in range(tensor)] for d in range(data)}
    groups |= {f"d{t}": [d * tensor + t for d in range(data)] for t in range(tensor)}
    (folder / "groups.json").write_text(json.dumps(groups))
    operations = [draw.randrange(10**9, 10**10) for _ in range(2 * layers)]
    sizes = [draw.randrange(10**5, 10**7) for _ in range(2 * layers)]
    gradient = draw.randrange(10**6, 10**8)
    for rank in range(data * tensor):
        ids = draw.sample(range(10**6), 4 * layers + 1)
        nodes, last = [], []

        def collective(name, size, after):
            nodes.append(node(ids[len(nodes)], 7, after, attribute("comm_size", 13, size), attribute("comm_type", 9, 0),
                              attribute("involved_dim", 28, field(1, 1) * 3), attribute("pg_name", 29, name.encode())))
            return [ids[len(nodes) - 1]]

        for number, size in zip(operations, sizes):
            nodes.append(node(ids[len(nodes)], 4, last, attribute("num_ops", 13, number), attribute("tensor_size", 13, size)))
            last = [ids[len(nodes) - 1]]
            if tensor > 1:
                last = collective(f"t{rank // tensor}", size, last)
        if data > 1:
            collective(f"d{rank % tensor}", gradient, last)
        draw.shuffle(nodes)
        (folder / f"trace.{rank}.et").write_bytes(varint(5) + field(1, b"0.4") + b"".join(nodes))
    sent = data * 2 * (tensor - 1) * sum(sizes) + (tensor * 2 * (data - 1) * gradient)  # rings
    return sum(operations), sent


def worst_sum(bench):
    """The largest relative difference of compute and bytes from own sums, over three settings."""
    draw, worst = random.Random(71), 0.0
    for data, tensor in ((1, 4), (2, 2), (4, 2)):
        folder = bench.folder / f"trace{data}x{tensor}"
        folder.mkdir()
        operations, sent = write_tensor_parallel(folder, data, tensor, draw)
        (folder / "list.toml").write_text('[[iteration]]\nname = "traced"\ntrace = "trace"\ngroups = "groups.json"\nnodes = 8\n'
                                          'network = "switch"\ncompute_rate_flop_per_s = 1e12\n')
        found = bench.answer("cluster", folder / "list.toml")["iterations"][0]
        worst = max(worst, abs(found["compute_s"] * 1e12 / operations - 1), abs(found["sent_bytes"] / sent - 1))
    return worst


# -- predictions, Python

NEW = ("digit-sums, 1e6 words", "analogue-sum, 1e6 words", "ring, 1e6 words", "hub, 1e6 words", "sums of sums, 1e6 words",
       "drift with checks", "digit_sums", "cascading_sums", "drifting_sums")
CALL = """import time, numpy, optinc
mesh = optinc.Mesh.from_unitary(optinc.haar_unitary(64))
x = numpy.ones((1, 64), complex)
def once():
    start = time.perf_counter()
    for _ in range(1000):
        mesh(x)
    return (time.perf_counter() - start) * 1e3
print(min(once() for _ in range(15)))"""


def untold(bench):
    """Studies of the new models whose memory or file a dry run does not tell within 1.5."""
    bench.optinc("list")
    return len(bench.told("/usr/bin/python3", HONESTY, ROOT / OPTINC, *NEW, "--json")["outside"])


def call_us(bench):
    return float(bench.run(module(bench), "-c", CALL)[0])


RUN = f"{OPTINC} run chips.toml -o chips.h5 --threads 2"

CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    ("million-meshes", "<= 300", f"s for the yield of a million meshes of 16 ports, two threads ({machine()})", (seconds, "meshes"), RUN),
    ("million-meshes-of-64", "<= 30", "min for a million of 64 ports, from 20,000", (minutes, "meshes of 64", 1e6), f"{RUN} --set mesh.ports=64"),
    ("units-with-noise", "<= 30", "min for 1e5 whole units, all noise, 1,000 words each, from 2,000", (minutes, "units", 1e5), RUN),
    ("slurm", "= 0", "failures of the guide's job scripts: 2 nodes, 4 ranks, one killed, a node gone; bits as of one process",
     slurm_failures, f"{SLURM} {OPTINC}"),
    ("tensor-parallel-traces", "<= 1e-9", "worst of compute and bytes over own sums less 1, three settings in a generator's form",
     worst_sum, f"{OPTINC} cluster list.toml --json"),
    ("predictions", "= 0", "studies of new models whose memory or file a dry run tells worse than by 1.5", untold,
     f"{HONESTY} {OPTINC} 'ring, 1e6 words' .."),
    ("call-of-64-ports", "<= 14", f"us a call of a mesh of 64 ports from Python ({machine()})", call_us, "optinc.Mesh(..)(x)"),
)
