"""Group torch: models of PyTorch that train through averages in light. Seven hours on two cores where none has trained yet."""

import os
from pathlib import Path

from .claim import ROOT, claims_of, shared
from .learning import ends_in
from .python import module

GROUP = "torch"


@shared
def trained(bench, entry, metric):
    """ends_in() of what an entry of results.toml trains, here, now or before."""
    result = ROOT / f"build/results/torch/{entry}/{entry}.h5"
    python = Path(module(bench))  # the one that has PyTorch, of which there may be others
    bench.optinc("list")  # compiles it
    bench.run("env", f"PATH={python.parent}:{os.environ['PATH']}", "experiments/results", "--run",
              *([] if result.exists() else ["--again"]), f"torch/{entry}")
    return ends_in(result, metric)


def nats(bench, path, entry, metric):
    """Final loss of a way of averaging less that of the exact one, mean over the seeds of an entry."""
    return trained(bench, entry, metric)[path].mean


CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    *((f"{model}-{short}", target, f"nats of final training loss relative to exact averaging: {name}, 100 steps, four processes, mean of 3 seeds",
       (nats, path, model, "final_training_loss"), f"experiments/results --run torch/{model}")
      for model, name in (("resnet50", "ResNet-50"), ("decoder", "a decoder of 8 layers"))
      for short, path, target in (("codes", "codes, no chip", "<= 0.1"), ("chip", "96-32, design-target", "<= 0.1"),
                                  ("chain", "carry chain, design-target", "<= 0.1"), ("published", "published, design-target", ">= 1"))),
    *((f"text-{short}", "<= 0.04", "nats of final test loss relative to exact averaging: a small decoder, 600 steps, four processes, mean of 3 seeds",
       (nats, path, "decoder_small", "final_loss"), "experiments/results --run torch/decoder_small")
      for short, path in (("codes", "codes, no chip"), ("chip-design-target", "96-32, design-target"), ("chip-good-lab", "96-32, good-lab"),
                          ("chain-design-target", "carry chain, design-target"), ("chain-good-lab", "carry chain, good-lab"))),
)
