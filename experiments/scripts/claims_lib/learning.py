"""Group learning: training over networks, and what the published speed-ups rest on."""

import json

from .claim import OPTINC, at, claims_of, opened, progress, shared
from .mesh_engine import program

GROUP = "learning"
HEADLINE = "experiments/data/lists/headline.toml"
RING_1024 = "experiments/data/lists/ring_1024.toml"


# -- the runs that several claims share

@shared
def headline(bench):
    """({(name, servers): row of optinc interconnect}, its answers to questions) of the headline list."""
    told = bench.answer("interconnect", HEADLINE)
    return {(row["name"], row["servers"]): row for row in told["scenarios"]}, told["sensitivity"]


@shared
def ring(bench):
    """(row of VGG19 on a ring of 1,024 servers, wall seconds of the whole program)."""
    bench.optinc("interconnect", RING_1024, "--json", "--quiet")  # compiles, and warms the page cache
    text, seconds, _ = bench.optinc("interconnect", RING_1024, "--json", "--quiet")
    return json.loads(text)["scenarios"][0], seconds


def ends_in(result, metric="final_accuracy"):
    """{name of a way of averaging: its final metric less that of exact averaging (mean, low and high of trainings)}."""
    with opened(result) as run:
        from optinc.results.learning import differences, paths  # noqa: PLC0415
        found = {path.name: end for path, end in zip(paths(run), differences(run, metric))}
    for name, end in found.items():
        progress(f"   {name}: {metric} {end.mean:+.4f} [{end.low:+.4f}, {end.high:+.4f}]")
    return found


@shared
def ends(bench, study):
    """ends_in() of what a study writes."""
    return ends_in(bench.result(study, f"experiments/data/studies/{study}.toml"))


@shared
def aggregation(bench):
    """Seconds in which a chip of the published network is tabulated and a million gradients of four servers averaged through
    it, and how much faster a gradient is so than through the meshes; medians of runs in one process."""
    out = bench.folder / "aggregation.json"
    bench.run(program(bench), "--benchmark_filter=^optinc_gradients", "--benchmark_repetitions=5", f"--benchmark_out={out}",
              "--benchmark_out_format=json")
    rows = {row["run_name"].split("/")[1]: row for row in json.loads(out.read_text())["benchmarks"]
            if row.get("aggregate_name") == "median"}
    return (rows["map_made_anew"]["real_time"] / 1e3,
            rows["map_made_anew"]["gradients/s"] / rows["meshes"]["gradients/s"])


# -- the measurements

def alpha_beta_error(bench):
    """How far the ring's time is from 2 (N-1) (a + S / (N B)), relative."""
    row = ring(bench)[0]
    expected = 2 * 1023 * (6e-6 + 143_667_240 * 4 / (1024 * 12.5e9))
    return abs(row["communication_s"] / expected - 1)


def off(bench, name, servers, published):
    """By how much a scenario's iteration over that of its reference is off what is published."""
    return abs(headline(bench)[0][name, servers]["normalised"] - published)


def data_of_a_ring(bench, servers):
    """Bytes that a ring moves over those that OptINC does."""
    rows = headline(bench)[0]
    return rows["F1 ResNet50 ring", servers]["normalised_data"] / rows["F1 ResNet50 OptINC", servers]["normalised_data"]


def points(bench, study, path, end="mean"):
    """Points of final accuracy of a way of averaging less that of the exact one: their mean, or an end of its interval."""
    return 100 * getattr(ends(bench, study)[path], end)


def gain_of_a_guess(bench):
    """The most that ODDL gains or loses where every network takes as long for a step."""
    ratios = [p["ratio"] for p in headline(bench)[1]
              if (p["subject"], p["name"]) == ("S0 fat-tree", "host latency, the same of both")]
    return max(abs(ratio - 1) for ratio in ratios)


# -- the claims

COMMAND = f"{OPTINC} interconnect {HEADLINE}"
RING = f"time {OPTINC} interconnect {RING_1024}"

BENCH = "build/bench/bin/bench_optinc --benchmark_filter=optinc_gradients --benchmark_repetitions=5"


CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    ("million-gradients", "< 2", "s to tabulate a chip of 41,664 MZIs and average 1e6 gradients of 4 servers through it",
     (at, aggregation, 0), BENCH),
    ("million-gradients-speedup", ">= 3", "gradients/s by the lookup table, including the time to build it, over gradients/s through the meshes",
     (at, aggregation, 1), BENCH),
    ("ring-1024", "<= 1e-6", "relative error against alpha-beta: VGG19 on a ring of 1,024 servers, 104.133 ms", alpha_beta_error, RING),
    ("ring-1024-seconds", "< 0.1", "s wall, the whole program", (at, ring, 1), RING),
    *((f"data-{n}", f"= {data}", f"bytes of a ring of {n} over those of OptINC",
       (data_of_a_ring, n), COMMAND)
      for n, data in ((4, 1.5), (8, 1.75), (16, 1.875))),
    *((f"{short}-{family}", f"<= {tolerance}", f"off the published {published}: calibrated, {model} with OptINC over a ring of 4, {bits}",
       (off, f"{family} {model} OptINC", 4, published), COMMAND)
      for family, bits, short, model, published, tolerance in (
          ("F1", "32 bits both", "resnet", "ResNet50", 0.74, 0.015), ("F1", "32 bits both", "llama", "LLaMA", 0.83, 0.015),
          ("F2", "8 bits over 32: misses by more than the figure's reading error of 0.015", "resnet", "ResNet50", 0.74, 0.02),
          ("F2", "8 bits over 32", "llama", "LLaMA", 0.83, 0.015))),
    ("4-nodes", "<= 0.001", "off 1: ODDL over an ideal electrical switch, VGG19 on 4 nodes", (off, "4 nodes ODDL", 4, 1.0), COMMAND),
    *((f"{short}-S0", "<= 1.01", f"{name} over ODDL, VGG19 on 1,024 nodes, uncalibrated: {published} is published",
       (at, headline, 0, (f"S0 {name}", 1024), "normalised"), COMMAND)
      for short, name, published in (("fat-tree", "fat-tree", 1.6), ("sip-ring", "SiP-Ring", 1.7))),
    ("fat-tree-S0-equal", "<= 0.0002", "off 1: fat-tree over ODDL, uncalibrated, steps of one latency", gain_of_a_guess, COMMAND),
    *((f"{short}-S3b", "<= 0.05", f"off the published {published}: calibrated, {name} over ODDL, VGG19 on 1,024 nodes",
       (off, f"S3b {name}", 1024, published), COMMAND)
      for short, name, published in (("fat-tree", "fat-tree", 1.6), ("sip-ring", "SiP-Ring", 1.7))),
    # the trainings last: two hours of them, while the others take minutes
    *((f"cnn-{short}", target, "points of final accuracy relative to exact averaging, 4 servers, mean of 5 seeds, all noise and phase-lock errors, default link",
       (points, "learning_images", path),
       f"{OPTINC} run experiments/data/studies/learning_images.toml -o learning_images.h5")
      for short, path, target in (
          ("codes", "codes, no chip", ">= -0.3"), ("published", "published, design-target", "< -5"),
          ("bottleneck-design-target", "96-32, design-target", ">= -0.3"),
          ("bottleneck-good-lab", "96-32, good-lab", ">= -0.3"),
          ("doped-heaters", "128-16, doped-heaters", ">= -1.5"),
          ("chain-design-target", "carry chain, design-target", ">= -0.5"), ("chain-good-lab", "carry chain, good-lab", ">= -0.5"))),
    # chains decode 6 % (design-target) and 9 % (good-lab) of a cascade's words wrong on this link
    *((f"cascade-{short}", target, "points of final accuracy relative to exact averaging, 16 servers, mean of 3 seeds",
       (points, study, path),
       f"{OPTINC} run experiments/data/studies/{study}.toml -o {study}.h5")
      for short, study, path, target in (
          ("chips", "learning_cascade_even", "96-32, half-even, design-target", ">= -0.5"),
          ("chips-good-lab", "learning_cascade_even", "96-32, half-even, good-lab", ">= -0.5"),
          ("chain-design-target", "learning_cascade", "carry chain, design-target", ">= -1"),
          ("chain-good-lab", "learning_cascade", "carry chain, good-lab", ">= -1.5"))),
)
