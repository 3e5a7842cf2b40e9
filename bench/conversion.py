#!/usr/bin/env python3
"""Accuracy of networks on Fashion-MNIST before and after their layers are converted to meshes, as JSON.

    PYTHONPATH=build/ci/python bench/conversion.py [perceptron|convolutional|transformer ...] [--epochs N] [--model PRESET]

Each is trained plainly, then converted exactly (from_linear(exact=True)), and as Sigma U (from_linear()), which is then
fine-tuned for as many epochs. Meshes are perfect unless --model names a preset. The answers of 10,000 test images are
compared. Needs the package optinc, PyTorch and Debian's dataset-fashion-mnist.
"""

import argparse
import copy
import gzip
import json
import time
from pathlib import Path

import numpy as np
import torch
from optinc.torch import conversion_report, fine_tune, from_linear
from torch import nn

DATA = Path("/usr/share/datasets/fashion-mnist")


class Rows(nn.Module):
    """A Transformer block over the 28 rows of an image, and the mean of what it says of them."""

    def __init__(self, width=32):
        super().__init__()
        self.into, self.place = nn.Linear(28, width), nn.Parameter(torch.randn(28, width) / 10)
        self.block = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0, batch_first=True)
        self.out = nn.Linear(width, 10)

    def forward(self, x):
        return self.out(self.block(self.into(x[:, 0]) + self.place).mean(1))


MODELS = {
    "perceptron": lambda: nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10)),
    "convolutional": lambda: nn.Sequential(nn.Conv2d(1, 16, 5, stride=2), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(),
                                           nn.Flatten(), nn.Linear(800, 10)),
    "transformer": Rows,
}


def images(part):
    """Images (n, 1, 28, 28) of mean 0, and labels (n,), of "train" or "t10k"."""
    pixels, labels = (gzip.decompress((DATA / f"{part}-{name}-ubyte.gz").read_bytes()) for name in ("images-idx3", "labels-idx1"))
    x = torch.from_numpy(np.frombuffer(pixels, "u1", offset=16).reshape(-1, 1, 28, 28) / np.float32(255)) - 0.286
    return x, torch.from_numpy(np.frombuffer(labels, "u1", offset=8).astype("i8"))


def batches(x, y, size=128):
    """The training set in a new order every time, dealt in batches."""
    class Dealt:
        def __iter__(self):
            order = torch.randperm(len(x))
            return ((x[part], y[part]) for part in order.split(size))
    return Dealt()


def answers(model, x):
    """The class of every image."""
    with torch.no_grad():
        return torch.cat([model.eval()(part).argmax(1) for part in x.split(1000)])


def converted(name, epochs, preset):
    """What happens to the accuracy of one network."""
    torch.manual_seed(1)
    (x, y), (test, wanted) = images("train"), images("t10k")
    plain = MODELS[name]()
    fine_tune(plain, batches(x, y), epochs=epochs)
    before = answers(plain, test)

    def accuracy(found):
        return (found == wanted).float().mean().item()

    exact = from_linear(copy.deepcopy(plain), preset, exact=True)
    through = answers(exact, test)
    near = from_linear(copy.deepcopy(plain), preset)
    found = {"before": accuracy(before), "exact": accuracy(through), "answered_otherwise": int((through != before).sum()),
             "exact_off": max(row["off"] for row in conversion_report(exact) if row["meshes"]),
             "exact_mzis": sum(row["mzis"] for row in conversion_report(exact)),
             "sigma_u": accuracy(answers(near, test)), "sigma_u_off": max(row["off"] for row in conversion_report(near) if row["meshes"]),
             "sigma_u_mzis": sum(row["mzis"] for row in conversion_report(near))}
    start = time.perf_counter()
    fine_tune(near, batches(x, y), epochs=epochs)
    return found | {"fine_tuned": accuracy(answers(near, test)), "fine_tune_s": time.perf_counter() - start}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", choices=[[], *MODELS], metavar="NETWORK")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--model")
    arguments = parser.parse_args()
    print(json.dumps({name: converted(name, arguments.epochs, arguments.model) for name in arguments.networks or MODELS}, indent=2))


if __name__ == "__main__":
    main()
