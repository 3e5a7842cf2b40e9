#!/usr/bin/env python3
"""What Python costs beside the engine, and what a layer gains over plain PyTorch: times in one process, as JSON.

    PYTHONPATH=build/ci/python bench/python_rates.py

One thread, but for the millions of gradients, which take all. Needs the package optinc and PyTorch. Times are the best
of several, in microseconds.
"""

import functools
import json
import time

import numpy as np
import optinc
import torch
from optinc.torch import MeshLayer

from race_lib import clock

PORTS, WORDS = 64, 64
best_us = functools.partial(clock.best_us, now=time.perf_counter)


class PlainMesh(torch.nn.Module):
    """The same rectangular mesh in plain PyTorch, column by column, with automatic derivatives."""

    def __init__(self, mesh):
        super().__init__()
        columns, taken = [[]], set()
        for k, (upper, lower) in enumerate(mesh.mzis):
            if taken & {upper, lower}:
                columns.append([])
                taken = set()
            columns[-1].append((k, upper, lower))
            taken |= {upper, lower}
        self.columns = [torch.tensor(column).T for column in columns]
        for name in ("theta", "phi", "output_phase"):
            self.register_parameter(name, torch.nn.Parameter(torch.tensor(getattr(mesh, name), dtype=torch.float32)))

    def forward(self, x):
        inner, outer = torch.exp(1j * self.theta), torch.exp(1j * self.phi)
        bar, cross = (inner - 1) / 2, 1j * (inner + 1) / 2
        for k, upper, lower in self.columns:
            above, below = x[:, upper] * outer[k], x[:, lower]
            x = x.index_copy(1, upper, bar[k] * above + cross[k] * below)
            x = x.index_copy(1, lower, cross[k] * above - bar[k] * below)
        return x * torch.exp(1j * self.output_phase)


def step(layer, x):
    """Forward and backward."""
    layer.zero_grad()
    layer(x).abs().square().sum().backward()


def main():
    optinc.set_threads(1)
    torch.set_num_threads(1)
    tiny, one = optinc.Mesh(2).settled(), np.ones(2, complex)
    layer = MeshLayer(PORTS)
    plain = PlainMesh(layer.mesh())
    x = torch.randn(WORDS, PORTS, dtype=torch.complex64)
    worst = (layer(x) - plain(x)).abs().max().item()
    assert worst < 1e-4, f"the two meshes differ by {worst}"
    chip = optinc.Mesh.from_unitary(optinc.haar_unitary(PORTS)).fabricate(optinc.ErrorModel(sigma_eta_rad=0.02))
    many = torch.randn(1024, PORTS, dtype=torch.complex64).numpy()
    unit = optinc.Unit.load("shipped/bottleneck_noise_aware").fabricate("good-lab").program()
    gradients = np.random.default_rng(1).normal(size=(4, 1_000_000)).astype("f4")
    times = {
        "call_us": best_us(lambda: tiny(one)),
        "chip_1024_us": best_us(lambda: chip(many)),
        "layer_us": best_us(lambda: step(layer, x)),
        "plain_torch_us": best_us(lambda: step(plain, x), repeats=3),
    }
    optinc.set_threads(0)
    for name in ("float64", "float32"):
        times[f"million_gradients_{name}_us"] = best_us(lambda: unit.average_gradients(gradients, arithmetic=name), repeats=2)
    unlocked = optinc.NoiseSwitches.all()
    unlocked.lock = False  # tells servers apart, which a table cannot
    table = unit.table(unlocked)
    times["million_gradients_by_table_us"] = best_us(lambda: table.average_gradients(gradients))
    print(json.dumps(times, indent=2))


if __name__ == "__main__":
    main()
