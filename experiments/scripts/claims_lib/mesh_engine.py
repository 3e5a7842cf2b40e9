"""Group mesh-engine: mesh propagation as ratios inside one run: to the roofline that the run measures, to the naive
implementation and to other packages. No target is a share of one kind of processor."""

import json

from .claim import OPTINC, ROOT, STUDY, at, claims_of, machine, progress, shared, stored

GROUP = "mesh-engine"
PROGRAM = ROOT / "build/bench/bin/bench_optinc"
REPETITIONS = 9  # the fastest, or their median; interleaved, so that a neighbour on the machine slows both sides of a ratio
PORTS = (16, 64, 128, 256)
PRECISIONS = {"f32": 4, "f64": 8}  # and their bytes
# -- of one MZI and one word: two complex multiply-adds, and two complex fields read and written by a pair of columns
FLOP, NUMBERS = 16, 2

# -- rows of bench/README.md
ROWS = {
    "forward": [f"forward_blocks/{p}/ports:{n}/words:1024" for p in PRECISIONS for n in PORTS],
    "backward": [f"{way}_blocks/{p}/ports:64/words:1024" for p in PRECISIONS for way in ("forward", "backward")],
    "chips": ["monte_carlo_chip_four_normals/f32/ports:64", "monte_carlo_chip_four_normals_corrected/f32/ports:64",
              "monte_carlo_chip_blocks/f32/ports:64"],
    "twin": ["forward_from_parameters_blocks/f32/ports:64/words:64", "eigen_twin/f32/ports:64/words:64"],
    "decomposition": ["decompose_clements/ports:256"],
    "threads": ["forward/f32/ports:64/words:4096", "forward_two_threads/f32/ports:64/words:4096/real_time",
                "monte_carlo_chip/f32/ports:64", "monte_carlo_chip_two_threads/f32/ports:64/real_time"],
}
RACE = "bench/race numpy jax"


@shared
def program(bench):
    """The benchmarks, compiled anew where something changed."""
    bench.run("cmake", "--preset", "bench")
    bench.run("cmake", "--build", "--preset", "bench", "--target", "bench_optinc")
    return PROGRAM


@shared
def rows(bench, family):
    """{row: its medians} of one family, every row run REPETITIONS times in one process.

    Under "fastest", the largest rate of each counter "../s" and the least CPU time instead: what the machine does when its
    other tenants rest. They slow one row more than another.
    """
    out = bench.folder / f"{family}.json"
    chosen = "|".join(f"^{row}$" for row in ROWS[family])
    bench.run(program(bench), f"--benchmark_filter={chosen}", f"--benchmark_repetitions={REPETITIONS}", "--benchmark_min_time=0.1",
              "--benchmark_enable_random_interleaving=true", f"--benchmark_out={out}", "--benchmark_out_format=json")
    report = json.loads(out.read_text())
    context = report["context"]
    progress(f"   {context.get('compiler', '?')}, {context.get('simd_target', '?')}")
    found = {row["run_name"]: row for row in report["benchmarks"] if row.get("aggregate_name") == "median"}
    for name, row in found.items():
        runs = [r for r in report["benchmarks"] if r["run_name"] == name and r["run_type"] == "iteration"]
        row["fastest"] = {key: max(r[key] for r in runs) for key in row if key.endswith("/s")}
        row["fastest"]["cpu_time"] = min(r["cpu_time"] for r in runs)
        row["context"] = context
    return found


@shared
def peaks(bench):
    """{name of a rate: the largest that was measured}, with the rows and in runs without any: rates rest as rows do."""
    rows(bench, "forward")
    found = [json.loads((bench.folder / "forward.json").read_text())["context"]]
    for i in range(5):
        out = bench.folder / f"peaks-{i}.json"
        bench.run(program(bench), "--benchmark_filter=^none$", f"--benchmark_out={out}", "--benchmark_out_format=json")
        found.append(json.loads(out.read_text())["context"])
    return {key: max(float(context[key]) for context in found) for key in found[0] if key.endswith("_per_s")}


def roofline_share(bench, ports, precision):
    """% of the roofline, fastest repetition: the least time that arithmetic, reads and writes of the fields would each
    take alone, at the largest rates that peaks() measures. Blocks of fields that fill more than the first-level cache are
    read from the second."""
    row = rows(bench, "forward")[f"forward_blocks/{precision}/ports:{ports}/words:1024"]
    rate = peaks(bench)
    size = PRECISIONS[precision]
    block = ports * 2 * 64  # bytes of a block of one register of 64 bytes
    level = "l1" if block <= float(row["context"]["l1d_bytes"]) else "l2"
    least_s = max(FLOP / rate[f"fma_peak_{precision}_flop_per_s"], NUMBERS * size / rate[f"{level}_read_byte_per_s"],
                  NUMBERS * size / rate["l1_store_byte_per_s"])
    return 100 * least_s * row["fastest"]["MZI-fields/s"]


def chip_rate(row):
    """An absolute rate is the machine's, not its other tenants': the fastest repetition."""
    return at, (rows, "chips"), ROWS["chips"][row], "fastest", "chips/s"


def cpu_ms(bench, family, row):
    """Processor time of a row, in milliseconds."""
    found = rows(bench, family)[ROWS[family][row]]
    return found["fastest"]["cpu_time"] * {"ns": 1e-6, "us": 1e-3, "ms": 1.0}[found["time_unit"]]


def time_ratio(bench, family, over, under):
    """Processor time of one row of a family over that of another."""
    least = cpu_ms(bench, family, under)
    return cpu_ms(bench, family, over) / least


def threads_ratio(bench, first, counter):
    """Rate of two threads over that of one: fastest repetitions, as either core may be held up."""
    one, two = (rows(bench, "threads")[row]["fastest"][counter] for row in ROWS["threads"][first:first + 2])
    return two / one


@shared
def race(bench):
    """{runner: {task: s}} of bench/race, whose answers agree."""
    import h5py  # noqa: PLC0415  which other groups do not need
    bench.run("bench/race", "numpy", "jax")
    with h5py.File(ROOT / "build/race/race.h5") as file:
        return {name: {task: float(times[()]) for task, times in runner.items()} for name, runner in file.items()}


def over_ours(bench, peer, task):
    """Seconds of another program over ours."""
    return race(bench)[peer][task] / race(bench)["optinc"][task]


@shared
def arithmetics(bench):
    """(how much faster the main job's trials are in float32 than in float64, share of words that it decides differently).

    Words are counted chip by chip: of two that change sides in opposite ways on one chip, neither is.
    """
    seconds, right = [], []
    for arithmetic in ("float64", "float32"):
        file = bench.folder / f"{arithmetic}.h5"
        seconds.append(bench.optinc("run", STUDY, "-o", file, "--force", "--quiet", "--set", "measure.once=[]",
                                    "--set", f"measure.arithmetic={arithmetic}")[1])
        shares = stored(file, "trials/word_accuracy", "trials/word_accuracy_all_words")
        right.append([words * share for words, share in zip((4096, 28561), shares)])
    counted = [(a[a == a], b[b == b]) for a, b in zip(*right)]  # NaN: only chip 0 decodes all words
    words = sum(a.size * n for (a, _), n in zip(counted, (4096, 28561)))
    return seconds[0] / seconds[1], sum(float(abs(a - b).sum()) for a, b in counted) / words


FILTERS = {  # what a reader would type for the rows of a family
    "forward": "^forward_blocks/.*/words:1024",
    "backward": "^(forward|backward)_blocks/.*ports:64/words:1024",
    "chips": "^monte_carlo_chip.*/f32/ports:64$",
    "twin": "^(forward_from_parameters_blocks|eigen_twin)/f32/ports:64/words:64",
    "decomposition": "^decompose_clements/ports:256",
    "threads": "^(forward(_two_threads)?/f32/ports:64/words:4096|monte_carlo_chip(_two_threads)?/f32/ports:64)",
}


def run(family):
    return f"build/bench/bin/bench_optinc --benchmark_filter='{FILTERS[family]}' --benchmark_repetitions={REPETITIONS}"


ROOFLINE = "% of the roofline measured in the same run"
RATE = f"chips/s on one core ({machine()})"
CORE = f"{RATE}, fastest repetition"

CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    *((f"forward-{p}-{n}", ">= 50", ROOFLINE, (roofline_share, n, p), run("forward")) for p in PRECISIONS for n in PORTS),
    *((f"backward-{p}", "<= 6.0", "time of the backward pass over the forward pass", (time_ratio, "backward", 2 * i + 1, 2 * i), run("backward")) for i, p in enumerate(PRECISIONS)),
    ("jax", ">= 15", "times faster than JAX (jit, scan over columns), phases to fields, 64 ports, 64 words", (over_ours, "jax", "forward"), RACE),
    ("numpy", ">= 40", "times faster than NumPy, column by column, the same", (over_ours, "numpy", "forward"), RACE),
    ("jax-chips", ">= 15", "times faster than JAX, 100 chips with errors of their own", (over_ours, "jax", "chips"), RACE),
    ("chips", "", f"{CORE}: splitters and phase offsets", chip_rate(0), run("chips")),
    ("chips-median", "", f"{RATE}: the same, median of {REPETITIONS} repetitions", (at, (rows, "chips"), ROWS["chips"][0], "chips/s"), run("chips")),
    ("chips-corrected", "", f"{CORE}: the same, corrected", chip_rate(1), run("chips")),
    ("chips-doped-heaters", "", f"{CORE}: every source of preset doped-heaters", chip_rate(2), run("chips")),
    ("twin-f32", ">= 20", "times faster than the naive Eigen twin, from parameters", (time_ratio, "twin", 1, 0), run("twin")),
    ("twin-ours", "", "ms, ours of the ratio above", (cpu_ms, "twin", 0), run("twin")),
    ("twin-naive", "", "ms, the twin's", (cpu_ms, "twin", 1), run("twin")),
    ("decomposition", "", f"ms CPU, Clements, N = 256 ({machine()})", (cpu_ms, "decomposition", 0), run("decomposition")),
    ("float32-trials", ">= 1.4", "times the speed of float64, the main job without its gradient, whole program",
     (at, arithmetics, 0), f"time {OPTINC} run {STUDY} --set measure.once=[] --set measure.arithmetic=float64"),
    ("float32-words", "<= 1e-6", "share of its words that float32 decides differently", (at, arithmetics, 1),
     f"{OPTINC} run {STUDY} --set measure.arithmetic=float64"),
    ("two-threads-words", ">= 1.8", "times one thread, 4096 words", (threads_ratio, 0, "MZI-fields/s"), run("threads")),
    ("two-threads-chips", ">= 1.8", "times one thread, chips", (threads_ratio, 2, "chips/s"), run("threads")),
)
