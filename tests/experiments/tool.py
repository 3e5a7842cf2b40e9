"""What the Python tests of the tool share: running it, small studies, and everything a file holds."""

import pathlib
import subprocess
import sys

import h5py
import numpy as np

OPTINC = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path("optinc")

# a network far too small to be right, two chips, few words: every step of the main job in about two seconds
SMALL = [
    "network.hidden=[8,8]", "training.epochs=2", "training.warmup_epochs=1", "runner.trials=2", "measure.words=600",
    "gradient.hidden=4", "gradient.batch=6000",
]
SMALL_ARGUMENTS = [word for setting in SMALL for word in ("--set", setting)] + ["--sweep", "chip.sigma_eta_rad=[0.01,0.02]"]

# what two runs of one study may write differently
PER_RUN_ATTRIBUTES = {"created_utc", "command"}


def optinc(*arguments, timeout=300):
    return subprocess.run([OPTINC, *map(str, arguments)], capture_output=True, text=True, timeout=timeout)


def contents(path):
    """Every dataset and attribute of a file, by path."""
    found = {}

    def take(name, node):
        for key in node.attrs:
            if key not in PER_RUN_ATTRIBUTES and key not in ("DIMENSION_LIST", "REFERENCE_LIST"):
                found[f"{name}@{key}"] = np.asarray(node.attrs[key]).tolist()
        if isinstance(node, h5py.Dataset):
            found[name] = (node.dtype.str, node.shape, node[()].tobytes() if node.dtype.kind != "O" else node[()].tolist())

    with h5py.File(path) as file:
        take("/", file)
        file.visititems(take)
    return found


def differing(one, other):
    """Names of datasets and attributes that two files do not share to the bit."""
    a, b = contents(one), contents(other)
    return sorted((a.keys() ^ b.keys()) | {name for name in a.keys() & b.keys() if a[name] != b[name]})
