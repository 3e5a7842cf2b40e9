"""Group learning: training over networks, and what the published speed-ups rest on."""

import json
import sys

from .claim import OPTINC, ROOT, Claim, progress
from .mesh_engine import program

GROUP = "learning"
HEADLINE = "experiments/interconnect/headline.toml"
RING_1024 = '''title = "the ring of 1,024 servers alone"
[[scenario]]
name = "ring"
network = "fat-tree"
routing = "ecmp"
radix = 16
servers = 1024
workload = "vgg19"
rate_bit_per_s = 100e9
step_latency_s = 6e-6
'''


# -- the runs that several claims share

def headline(bench):
    """{(name, servers): row of optinc interconnect} of the headline list."""
    def make():
        rows = json.loads(bench.optinc("interconnect", HEADLINE, "--json", "--quiet")[0])["scenarios"]
        return {(row["name"], row["servers"]): row for row in rows}
    return bench.once("headline", make)


def ring(bench):
    """(row of VGG19 on a ring of 1,024 servers, wall seconds of the whole program)."""
    def make():
        path = bench.folder / "ring.toml"
        path.write_text(RING_1024)
        bench.optinc("interconnect", path, "--json", "--quiet")  # compiles, and warms the page cache
        text, seconds, _ = bench.optinc("interconnect", path, "--json", "--quiet")
        return json.loads(text)["scenarios"][0], seconds
    return bench.once("ring-1024", make)


def ends(bench, study):
    """{name of a path: (mean final accuracy and loss less the exact average's, their trials)} of a study's training."""
    def make():
        sys.path.insert(0, str(ROOT / "experiments/python"))
        from optinc_results import open_run  # noqa: PLC0415
        from optinc_results.learning import differences, paths  # noqa: PLC0415
        result = bench.folder / f"{study}.h5"
        bench.optinc("run", f"experiments/studies/{study}.toml", "-o", result, "--quiet")
        with open_run(result) as run:
            found = {path.name: (accuracy.mean, loss.mean, len(accuracy.values))
                     for path, accuracy, loss in zip(paths(run), differences(run), differences(run, "final_loss"))}
        for name, (accuracy, loss, trials) in found.items():
            progress(f"   {name}: {100 * accuracy:+.2f} points, {loss:+.4f} nats, {trials} trials")
        return found
    return bench.once(("ends", study), make)


def aggregation(bench):
    """Seconds in which a chip of the published network is tabulated and a million gradients of four servers averaged through
    it, and how much faster a gradient is so than through the meshes; medians of runs in one process."""
    def make():
        out = bench.folder / "aggregation.json"
        bench.run(program(bench), "--benchmark_filter=^optinc_gradients", "--benchmark_repetitions=5", f"--benchmark_out={out}",
                  "--benchmark_out_format=json")
        rows = {row["run_name"].split("/")[1]: row for row in json.loads(out.read_text())["benchmarks"]
                if row.get("aggregate_name") == "median"}
        return (rows["map_made_anew"]["real_time"] / 1e3,
                rows["map_made_anew"]["gradients/s"] / rows["meshes"]["gradients/s"])
    return bench.once("aggregation", make)


# -- the measurements

def alpha_beta_error(bench):
    """How far the ring's time is from 2 (N-1) (a + S / (N B)), relative."""
    row = ring(bench)[0]
    expected = 2 * 1023 * (6e-6 + 143_667_240 * 4 / (1024 * 12.5e9))
    return abs(row["communication"] / expected - 1)


def off(name, servers, expected):
    """By how much a normalised iteration is off."""
    return lambda bench: abs(headline(bench)[name, servers]["normalised"] - expected)


# -- the claims

COMMAND = f"{OPTINC} interconnect {HEADLINE}"
RING = f"time {OPTINC} interconnect ring.toml    # RING_1024 of experiments/claims_lib/learning.py"

BENCH = "build/bench/bin/bench_optinc --benchmark_filter=optinc_gradients --benchmark_repetitions=5"

CLAIMS = [Claim(GROUP, *claim) for claim in (
    # name, target, unit, measurement, command
    *((f"{what}-{short}", target, unit, lambda bench, study=study, path=path, k=k, scale=scale: scale * ends(bench, study)[path][k],
       f"{OPTINC} run experiments/studies/{study}.toml -o {study}.h5")
      for what, study, k, scale, target, unit in (
          ("cnn", "learning_images", 0, 100, ">= -0.5", "points of final accuracy over exact averaging's, 4 servers, mean of 3 seeds"),
          ("text", "learning_text", 1, 1, "<= 0.04", "nats of final loss over exact averaging's, 4 servers, mean of 3 seeds"))
      for short, path in (("chips", "published chips, design-target"), ("chain-design-target", "carry-chain, design-target"),
                          ("chain-good-lab", "carry-chain, good-lab"), ("chain-foundry", "carry-chain, foundry"))),
    *((f"cascade-{short}", ">= -0.5", "points of final accuracy over exact averaging's, 16 servers, mean of 3 seeds",
       lambda bench, study=study, path=path: 100 * ends(bench, study)[path][0],
       f"{OPTINC} run experiments/studies/{study}.toml -o {study}.h5")
      for short, study, path in (("chips", "learning_cascade_even", "published even chips, design-target"),
                                 ("chain-design-target", "learning_cascade", "carry-chain, design-target"),
                                 ("chain-good-lab", "learning_cascade", "carry-chain, good-lab"),
                                 ("chain-foundry", "learning_cascade", "carry-chain, foundry"))),
    ("million-gradients", "< 2", "s: a chip of 41,664 MZIs tabulated, 1e6 gradients of 4 servers averaged through it",
     lambda bench: aggregation(bench)[0], BENCH),
    ("million-gradients-speedup", ">= 3", "gradients/s by the map over through the meshes, the table's making included",
     lambda bench: aggregation(bench)[1], BENCH),
    ("ring-1024", "<= 1e-6", "relative: VGG19 on a ring of 1,024 servers against alpha-beta, 104.133 ms", alpha_beta_error, RING),
    ("ring-1024-seconds", "< 0.1", "s wall, the whole program", lambda bench: ring(bench)[1], RING),
    *((f"data-{n}", f"= {data}", f"bytes of a ring of {n} over those of OptINC",
       lambda bench, n=n: headline(bench)["F1 ResNet50 ring", n]["normalised_data"]
       / headline(bench)["F1 ResNet50 OptINC", n]["normalised_data"], COMMAND)
      for n, data in ((4, 1.5), (8, 1.75), (16, 1.875))),
    *((f"{short}-{n}", "<= 0.001", f"off {expected}: calibrated, {model} with OptINC over a ring of {n}, 32 bits both",
       off(f"F1 {model} OptINC", n, expected), COMMAND)
      for short, model, values in (("resnet", "ResNet50", (0.746, 0.662, 0.627)), ("llama", "LLaMA", (0.831, 0.766, 0.737)))
      for n, expected in zip((4, 8, 16), values)),
    *((f"{short}-{case}", f"<= {tolerance}", f"off {expected}: {how}, {name} over ODDL, VGG19 on 1,024 nodes",
       off(f"{case} {name}", 1024, expected), COMMAND)
      for short, name, case, expected, how, tolerance in (
          ("fat-tree", "fat-tree", "S0", 1.01, "uncalibrated", 0.005), ("sip-ring", "SiP-Ring", "S0", 1.01, "uncalibrated", 0.005),
          ("fat-tree", "fat-tree", "S3b", 1.61, "calibrated", 0.02), ("sip-ring", "SiP-Ring", "S3b", 1.68, "calibrated", 0.005))),
)]
