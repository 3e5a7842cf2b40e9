"""Group torch: models of PyTorch that train through averages in light. Seven hours on two cores."""

from .claim import claims_of, shared
from .learning import ends_in
from .python import module

GROUP = "torch"


@shared
def trained(bench, model, metric, *options):
    """ends_in() of what experiments/train_torch writes."""
    result = bench.folder / f"{model}.h5"
    bench.run(module(bench), "experiments/train_torch", model, *options, "-o", result)
    return ends_in(result, metric)


def nats(bench, path, *training):
    """Final loss of a way of averaging less that of the exact one, mean over the seeds of trained()."""
    return trained(bench, *training)[path].mean


TEXT = ("decoder-small", "final_loss", "--paths", "exact", "codes", "chip", "chip-good-lab", "carry-chain",
        "carry-chain-good-lab", "--steps", "600", "--evaluations", "6")

CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    *((f"{model}-{short}", target, f"nats of final training loss relative to exact averaging: {name}, 100 steps, four processes, mean of 3 seeds",
       (nats, path, model, "final_training_loss"), f"experiments/train_torch {model} -o {model}.h5")
      for model, name in (("resnet50", "ResNet-50"), ("decoder", "a decoder of 8 layers"))
      for short, path, target in (("codes", "codes, no chip", "<= 0.1"), ("chip", "96-32, design-target", "<= 0.1"),
                                  ("chain", "carry chain, design-target", "<= 0.1"), ("published", "published, design-target", ">= 1"))),
    *((f"text-{short}", "<= 0.04", "nats of final test loss relative to exact averaging: a small decoder, 600 steps, four processes, mean of 3 seeds",
       (nats, path, *TEXT),
       f"experiments/train_torch {TEXT[0]} {' '.join(TEXT[2:])} -o decoder_small.h5")
      for short, path in (("codes", "codes, no chip"), ("chip-design-target", "96-32, design-target"), ("chip-good-lab", "96-32, good-lab"),
                          ("chain-design-target", "carry chain, design-target"), ("chain-good-lab", "carry chain, good-lab"))),
)
