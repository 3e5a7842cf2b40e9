"""Group mesh-engine: how close mesh propagation comes to the machine, as ratios inside one run of the benchmarks."""

import json

from .claim import ROOT, Claim, machine, progress

GROUP = "mesh-engine"
PROGRAM = ROOT / "build/bench/bin/bench_optinc"
REPETITIONS = 9  # their median, for ratios; interleaved, so that a neighbour on the machine slows both sides of one
TINY, SMALL, MEDIUM, LARGE = 16, 64, 128, 256
FORWARD = {TINY: 115, SMALL: 130, MEDIUM: 130, LARGE: 115}  # ports: least % of the FMA peak
AVX2_MARGIN = 15
PRECISIONS = ("f32", "f64")

# -- rows of bench/README.md
ROWS = {
    "forward": [f"forward_blocks/{p}/ports:{n}/words:1024" for p in PRECISIONS for n in FORWARD],
    "backward": [f"backward_blocks/{p}/ports:64/words:1024" for p in PRECISIONS],
    "chips": ["monte_carlo_chip_four_normals/f32/ports:64", "monte_carlo_chip_four_normals_corrected/f32/ports:64",
              "monte_carlo_chip_blocks/f32/ports:64"],
    "twin": ["forward_from_parameters_blocks/f32/ports:64/words:64", "eigen_twin/f32/ports:64/words:64"],
    "decomposition": ["decompose_clements/ports:256"],
    "threads": ["forward/f32/ports:64/words:4096", "forward_two_threads/f32/ports:64/words:4096/real_time",
                "monte_carlo_chip/f32/ports:64", "monte_carlo_chip_two_threads/f32/ports:64/real_time"],
}


def program(bench):
    """The benchmarks, compiled anew where something changed."""
    def make():
        bench.run("cmake", "--preset", "bench")
        bench.run("cmake", "--build", "--preset", "bench", "--target", "bench_optinc")
        return PROGRAM
    return bench.once("bench-program", make)


def rows(bench, family, target=""):
    """{row: its medians} of one family, every row run REPETITIONS times in one process on a SIMD target.

    Under "fastest", the largest rate of each counter "../s" instead: what the machine does when its other tenants rest.
    """
    def make():
        out = bench.folder / f"{family}{target}.json"
        chosen = "|".join(f"^{row}$" for row in ROWS[family])
        bench.run(program(bench), *([f"--simd={target}"] if target else []), f"--benchmark_filter={chosen}",
                  f"--benchmark_repetitions={REPETITIONS}", "--benchmark_min_time=0.1", "--benchmark_enable_random_interleaving=true",
                  f"--benchmark_out={out}", "--benchmark_out_format=json")
        report = json.loads(out.read_text())
        context = report["context"]
        progress(f"   {context.get('compiler', '?')}, {context.get('simd_target', '?')}")
        found = {row["run_name"]: row for row in report["benchmarks"] if row.get("aggregate_name") == "median"}
        for name, row in found.items():
            runs = [r for r in report["benchmarks"] if r["run_name"] == name and r["run_type"] == "iteration"]
            row["fastest"] = {key: max(r[key] for r in runs) for key in row if key.endswith("/s")}
        return found
    return bench.once(("mesh-engine", family, target), make)


def value(family, row, counter, target=""):
    return lambda bench: rows(bench, family, target)[row][counter]


def peak_share(row, target=""):
    return value("forward", row, "%peak", target)


def chip_rate(row):
    """An absolute rate is the machine's, not its other tenants': the fastest repetition."""
    return lambda bench: rows(bench, "chips")[row]["fastest"]["chips/s"]


def cpu_ms(family, row):
    def measure(bench):
        found = rows(bench, family)[row]
        return found["cpu_time"] * {"ns": 1e-6, "us": 1e-3, "ms": 1.0}[found["time_unit"]]
    return measure


def twin_ratio(bench):
    ours, twin = (cpu_ms("twin", row)(bench) for row in ROWS["twin"])
    return twin / ours


def words_speedup(bench):
    """Rate of two threads over that of one, on 4096 words: fastest repetitions, as either core may be held up."""
    return threads_ratio(bench, ROWS["threads"][:2], "MZI-fields/s")


def chips_speedup(bench):
    return threads_ratio(bench, ROWS["threads"][2:], "chips/s")


def threads_ratio(bench, pair, counter):
    one, two = (rows(bench, "threads")[row]["fastest"][counter] for row in pair)
    return two / one


def share_floor(ports, margin=0):
    return f">= {FORWARD[ports] - margin}"


FILTERS = {  # what a reader would type for the rows of a family
    "forward": "^forward_blocks/.*/words:1024",
    "backward": "^backward_blocks/.*ports:64/words:1024",
    "chips": "^monte_carlo_chip.*/f32/ports:64$",
    "twin": "^(forward_from_parameters_blocks|eigen_twin)/f32/ports:64/words:64",
    "decomposition": "^decompose_clements/ports:256",
    "threads": "^(forward(_two_threads)?/f32/ports:64/words:4096|monte_carlo_chip(_two_threads)?/f32/ports:64)",
}


def run(family, target=""):
    return (f"build/bench/bin/bench_optinc {f'--simd={target} ' if target else ''}"
            f"--benchmark_filter='{FILTERS[family]}' --benchmark_repetitions={REPETITIONS}")


PEAK = "% of the FMA peak of the same run (nominal flop)"
AVX2 = "% of AVX2's own FMA peak (nominal flop)"
RATE = f"chips/s on one core ({machine()})"
CORE = f"{RATE}, fastest repetition"

CLAIMS = [Claim(GROUP, *row) for row in (
    # name, target, unit, measurement, command
    *((f"forward-{p}-{n}", share_floor(n), PEAK, peak_share(f"forward_blocks/{p}/ports:{n}/words:1024"), run("forward"))
      for p in PRECISIONS for n in FORWARD),
    *((f"forward-avx2-{p}-{n}", share_floor(n, AVX2_MARGIN), AVX2,
       peak_share(f"forward_blocks/{p}/ports:{n}/words:1024", "AVX2"), run("forward", "AVX2"))
      for p in PRECISIONS for n in FORWARD),
    *((f"backward-{p}", "<= 5.5", "time of the way back over forward", value("backward", f"backward_blocks/{p}/ports:64/words:1024", "x_forward"),
       run("backward")) for p in PRECISIONS),
    ("chips", ">= 50000", f"{CORE}: splitters and phase offsets", chip_rate(ROWS["chips"][0]), run("chips")),
    ("chips-median", "> 0", f"{RATE}: the same, median of {REPETITIONS} repetitions", value("chips", ROWS["chips"][0], "chips/s"), run("chips")),
    ("chips-corrected", ">= 25000", f"{CORE}: the same, corrected", chip_rate(ROWS["chips"][1]), run("chips")),
    ("chips-foundry", ">= 30000", f"{CORE}: every source of preset foundry", chip_rate(ROWS["chips"][2]), run("chips")),
    ("twin-f32", ">= 20", "times faster than the naive Eigen twin, from parameters (30 is wished for)", twin_ratio, run("twin")),
    ("twin-ours", "<= 0.020", "ms, ours of the ratio above", cpu_ms("twin", ROWS["twin"][0]), run("twin")),
    ("twin-naive", "> 0", "ms, the twin's", cpu_ms("twin", ROWS["twin"][1]), run("twin")),
    ("decomposition", "<= 20", f"ms CPU, Clements, N = 256 ({machine()})", cpu_ms("decomposition", ROWS["decomposition"][0]), run("decomposition")),
    ("two-threads-words", ">= 1.8", "times one thread, 4096 words", words_speedup, run("threads")),
    ("two-threads-chips", ">= 1.8", "times one thread, chips", chips_speedup, run("threads")),
)]
