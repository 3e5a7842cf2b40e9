#!/usr/bin/env python3
"""Seconds of a step of DDP on four processes with as many gradients as a ResNet-50 has: through a chip, and by gloo.

    PYTHONPATH=build/ci/python bench/all_reduce.py [GRADIENTS] [--backward SECONDS]

Then in eight buckets, beside a backward pass of so many seconds (1) that leaves the processor free, as one on a GPU does:
by gloo, by the response table, and by the table in a thread of its own (overlap). Needs the package optinc and PyTorch. GRADIENTS: 25,600,000 unless given, sent as one bucket. The chip has 9,984 MZIs,
preset good-lab, all noise on, but for lock errors in its response table.
"""

import argparse
import tempfile
import time

import optinc
import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from optinc.torch import Averager
from torch.nn.parallel import DistributedDataParallel

RANKS = 4


class Model(torch.nn.Module):
    """One parameter, whose gradients are what the forward pass is given."""

    def __init__(self, count):
        super().__init__()
        self.weights = torch.nn.Parameter(torch.zeros(count))

    def forward(self, gradients):
        return self.weights @ gradients


class Elsewhere(torch.autograd.Function):
    """Gradients that another device computes for some seconds."""

    @staticmethod
    def forward(ctx, x, seconds):
        ctx.seconds = seconds
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        time.sleep(ctx.seconds)
        return gradient, None


class Layers(torch.nn.Module):
    """Eight parameters, whose gradients take a part of the backward pass each."""

    def __init__(self, count, seconds):
        super().__init__()
        self.weights = torch.nn.ParameterList(torch.nn.Parameter(torch.zeros(count // 8)) for _ in range(8))
        self.seconds = seconds / 8

    def forward(self, gradients):
        x = torch.zeros(1, requires_grad=True)
        for weights, part in zip(self.weights, gradients.chunk(8)):
            x = Elsewhere.apply(x + weights @ part, self.seconds)
        return x


def layered(count, gradients, seconds, averager=None):
    """Seconds of the second step, whose buckets are those of the layers."""
    ddp = DistributedDataParallel(Layers(count, seconds), bucket_cap_mb=4 * (count // 8) / 2**20)
    if averager is not None:
        ddp.register_comm_hook(averager, Averager.hook)
    for _ in range(2):
        dist.barrier()
        start = time.perf_counter()
        ddp(gradients).backward()
        dist.barrier()
        taken = time.perf_counter() - start
    return taken


def step(count, gradients, averager=None):
    """Means of a step of DDP, through an averager or without, and its seconds until the last rank has ended."""
    ddp = DistributedDataParallel(Model(count), bucket_cap_mb=4 * count / 2**20 + 1)  # one bucket
    if averager is not None:
        ddp.register_comm_hook(averager, Averager.hook)
    dist.barrier()
    start = time.perf_counter()
    ddp(gradients).backward()
    dist.barrier()
    return ddp.module.weights.grad, time.perf_counter() - start


def work(rank, store, count, seconds):
    torch.set_num_threads(1)
    optinc.set_threads(1)
    dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=RANKS)
    gradients = torch.randn(count, generator=torch.Generator().manual_seed(rank))
    chip = optinc.Unit.load("shipped/bottleneck_noise_aware").fabricate("good-lab", seed=1).program()
    unlocked = optinc.NoiseSwitches.all()
    unlocked.lock = False  # tells servers apart, which a table cannot
    through_table, table_s = step(count, gradients, Averager(chip.table(unlocked)))
    through_chip, hook_s = step(count, gradients, Averager(chip))
    mean, all_reduce_s = step(count, gradients)
    off = [((found - mean).norm() / mean.norm()).item() for found in (through_chip, through_table)]
    beside = [layered(count, gradients, seconds, averager) for averager in
              (None, Averager(chip.table(unlocked)), Averager(chip.table(unlocked), overlap=True))]
    if rank == 0:
        print(f"{count} gradients, {RANKS} processes: hook {hook_s:.3f} s, by table {table_s:.3f} s, all-reduce "
              f"{all_reduce_s:.3f} s; relative difference of the means {off[0]:.4f}, by table {off[1]:.4f}")
        print("in eight buckets beside {} s of backward pass: all-reduce {:.3f} s, by table {:.3f} s, overlapping {:.3f} s".format(
            seconds, *beside))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gradients", nargs="?", type=int, default=25_600_000)
    parser.add_argument("--backward", type=float, default=1.0, metavar="SECONDS")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        processes.spawn(work, (f"{folder}/store", arguments.gradients, arguments.backward), RANKS)


if __name__ == "__main__":
    main()
