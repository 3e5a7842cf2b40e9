#!/usr/bin/env python3
"""Seconds in which four processes average the gradients of a ResNet-50: through a chip, and by gloo's own all-reduce.

    PYTHONPATH=build/ci/python bench/all_reduce.py [GRADIENTS]

Needs the package optinc and PyTorch. GRADIENTS: 25,600,000 unless given, sent as one bucket. The chip has 9,984 MZIs,
preset good-lab, all noise on.
"""

import argparse
import tempfile
import time

import optinc
import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from optinc.torch import Averager

RANKS = 4


class Bucket:
    """The only bucket of a step, as DDP hands it to a hook."""

    def __init__(self, gradients):
        self.gradients = gradients

    def buffer(self):
        return self.gradients

    def parameters(self):
        return [self.gradients]

    def is_last(self):
        return True


def timed(call):
    """What a call gives, and its seconds until the last rank has ended."""
    dist.barrier()
    start = time.perf_counter()
    found = call()
    dist.barrier()
    return found, time.perf_counter() - start


def work(rank, store, count):
    torch.set_num_threads(1)
    optinc.set_threads(1)
    dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=RANKS)
    gradients = torch.randn(count, generator=torch.Generator().manual_seed(rank))
    averager = Averager(optinc.Unit.load("shipped/bottleneck_noise_aware").fabricate("good-lab", seed=1).program())
    mean = gradients.clone()
    through_chip, hook_s = timed(lambda: Averager.hook(averager, Bucket(gradients)).value())
    _, all_reduce_s = timed(lambda: dist.all_reduce(mean))
    mean /= RANKS
    off = ((through_chip - mean).norm() / mean.norm()).item()
    if rank == 0:
        print(f"{count} gradients, {RANKS} processes: hook {hook_s:.3f} s, all-reduce {all_reduce_s:.3f} s, "
              f"relative difference of the means {off:.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gradients", nargs="?", type=int, default=25_600_000)
    with tempfile.TemporaryDirectory() as folder:
        processes.spawn(work, (f"{folder}/store", parser.parse_args().gradients), RANKS)


if __name__ == "__main__":
    main()
