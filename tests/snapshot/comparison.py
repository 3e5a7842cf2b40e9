"""Two records beside each other: what moved, by how much."""

import json
import pathlib

import numpy as np


class Record:
    """A record that was read: `datasets`, {name: entry}, and their numbers."""

    def __init__(self, path):
        path = pathlib.Path(path)
        self.about = json.loads(path.read_text())
        self.datasets = self.about.pop("datasets")
        self.arrays = np.load(path.with_suffix(".npz"), allow_pickle=False)
        self.places = {str(name): f"v{i}" for i, name in enumerate(self.arrays["names"])}

    def rename(self, old, new):
        """Calls what has `old` in its name by a name with `new` in its place."""
        self.datasets = {name.replace(old, new): entry for name, entry in self.datasets.items()}
        self.places = {name.replace(old, new): place for name, place in self.places.items()}

    def numbers(self, name):
        return self.arrays[self.places[name]]


def distance(old, new):
    """How far numbers moved, as a sentence."""
    old, new = np.asarray(old).ravel(), np.asarray(new).ravel()
    with np.errstate(all="ignore"):
        same = (old == new) | ((old != old) & (new != new))
    moved, known = int(np.sum(~same)), np.isfinite(old.astype(float)) & np.isfinite(new.astype(float)) & ~same
    if moved == 0:  # the bytes differ all the same
        return "signs of zero or bits of NaN"
    a, b = old[known].astype(float), new[known].astype(float)
    text = f"{moved} of {old.size} values"
    if a.size:
        off = np.abs(b - a)
        text += f", max |difference| {off.max():.3g}, relative {(off / np.maximum(np.abs(a), np.abs(b))).max():.3g}"
    return text + (f", {moved - a.size} to or from NaN or infinity" if moved > a.size else "")


def text_change(old, new):
    """The first lines that differ."""
    a, b = "\n".join(old).split("\n"), "\n".join(new).split("\n")
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    line = [lines[at][:90] if at < len(lines) else "(end)" for lines in (a, b)]
    return f"text, line {at + 1}: {line[0]!r} -> {line[1]!r}"


def change(old, new, name):
    """What became of one dataset, a sentence; None where it is the same to the bit."""
    a, b = old.datasets[name], new.datasets[name]
    if (a["type"], a["shape"], a["sha256"]) == (b["type"], b["shape"], b["sha256"]):
        return None
    if a["type"] == b["type"] == "text":
        return text_change(a["text"], b["text"])
    if (a["type"], a["shape"]) != (b["type"], b["shape"]):
        return f"type or shape changed: {a['type']} {a['shape']} -> {b['type']} {b['shape']}"
    return distance(old.numbers(name), new.numbers(name))


def by_run(lines):
    """How many datasets of each command moved, were added, removed or are other text: lines of a table."""
    kinds = {}
    for name, text in lines:
        kind = text if text in ("added", "removed") else "text" if text.startswith("text, ") else "moved"
        counts = kinds.setdefault(name.split("/")[0], dict.fromkeys(("moved", "added", "removed", "text"), 0))
        counts[kind] += 1
    return [", ".join(f"{count} {kind}" for kind, count in counts.items() if count) + f" in {run}"
            for run, counts in kinds.items()]


def compare(old, new, numbers_only=False):
    """[(name, what became of it)] of every dataset that is not the same in both."""
    def counts(record, name):
        return not numbers_only or record.datasets[name]["type"] != "text"

    lines = []
    for name in sorted(old.datasets.keys() | new.datasets.keys()):
        if name not in new.datasets:
            text = "removed" if counts(old, name) else None
        elif name not in old.datasets:
            text = "added" if counts(new, name) else None
        else:
            text = change(old, new, name) if counts(old, name) or counts(new, name) else None
        if text:
            lines.append((name, text))
    return lines
