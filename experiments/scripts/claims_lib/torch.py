"""Group torch: models of PyTorch that train through averages in light, of the records of experiments/results."""

import csv

from .claim import ROOT, claims_of, shared

GROUP = "torch"


@shared
def recorded(bench, entry, table):
    """{row: {column: numbers}} of a table of the manifest; the entry is run first where it is stale, for hours."""
    if bench.run("experiments/results", "--check", entry, accept=(0, 1))[2]:
        bench.optinc("list")  # compiles it
        bench.run("experiments/results", "--run", entry)
    with (ROOT / f"experiments/data/records/numbers/{table}.csv").open(newline="") as file:
        return {row.pop(""): row for row in csv.DictReader(file)}


def nats(bench, entry, table, row, column):
    """Final loss of a way of averaging less that of the exact one, mean over the seeds of an entry."""
    return float(recorded(bench, entry, table)[row][column].split()[0])


WAYS = {"codes": ("8-bit codes without a chip", "<= 0.1"), "chip": ("96-32 network, `design-target`", "<= 0.1"),
        "chain": ("carry chain, `design-target`", "<= 0.1"), "published": ("published network, `design-target`", ">= 1")}
CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    *((f"{entry}-{short}", target, f"nats of final training loss relative to exact averaging: {row}, 100 steps, four processes, mean of 3 seeds",
       (nats, f"torch/{entry}", "larger-models", row, column), f"experiments/results --run --again torch/{entry}")
      for entry, column in (("resnet50", "ResNet-50, 23.5 million weights (nats)"), ("decoder", "language model, 14.2 million weights (nats)"))
      for short, (row, target) in WAYS.items()),
    *((f"text-{short}", "<= 0.04", "nats of final test loss relative to exact averaging: a small decoder, 600 steps, four processes, mean of 3 seeds",
       (nats, "torch/decoder_small", "small-decoder", row, "nats"), "experiments/results --run --again torch/decoder_small")
      for short, row in (("chip-design-target", "96-32 network, `design-target`"), ("chip-good-lab", "96-32 network, `good-lab`"),
                         ("chain-good-lab", "carry chain, `good-lab`"))),
)
