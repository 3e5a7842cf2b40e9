"""The networks of a study: what they are called, how large they are, and which one each sweep point has."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Mapping, Sequence

import numpy as np

from .errors import NotInResult
from .run import Run
from .study import Parameter, parameters

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Network:
    """A network of a study. `identity`: the keys that ask for it. Without device errors it has `word_accuracy` and
    `margin` (digit). NaN for what the file does not say, as one that is not complete does not."""

    name: str
    identity: Mapping[str, Any]
    mzis: float
    depth: float
    word_accuracy: float
    margin: float


def networks(run: Run) -> list[Network]:
    """All networks of the study, in the order of the file; one where no sweep varies it, none where there is none.

    They are named by the stem of their file, "carry chain", or the widths of their hidden layers: "32x5" for five of
    32. Where that is not enough, the keys that differ follow.
    """
    if run.group("networks") is not None:
        found = []
        for i in range(int(network_of_point(run).max()) + 1):
            identity = tomllib.loads(str(run.require(f"networks/{i}").attrs["identity"]))
            found.append((flat(identity), f"networks/{i}/onn"))
    elif run.group("network") is not None or run.group("onn") is not None:
        found = [({**flat(run.config), **swept_once(run)}, "onn")]
    else:
        return []
    names = distinct([name_of(identity) for identity, _ in found], [identity for identity, _ in found])
    return [network_of(run, name, identity, place) for name, (identity, place) in zip(names, found)]


def swept_once(run: Run) -> dict[str, Any]:
    """Values of the sweeps that are the same at every point, by their keys: they are in force wherever the study looks."""
    swept = parameters(run).values() if run.trials is not None else ()
    return {p.key: p.values[0] for p in swept if p.key and all(value == p.values[0] for value in p.values)}


def network_of(run: Run, name: str, identity: Mapping[str, Any], place: str) -> Network:
    """A network with the numbers of its group `onn`."""
    onn = run.group(place)
    numbers = {} if onn is None else onn.attrs
    return Network(name, identity, *(float(numbers.get(key, math.nan))
                                     for key in ("mzi_count", "mzi_depth", "word_accuracy", "margin")))


def network_of_point(run: Run) -> "np.ndarray[Any, Any]":
    """Place in `networks(run)` of every sweep point's network, one axis a sweep. Raises NotInResult without trials."""
    trials = run.require("trials")
    shape = tuple(trials.sizes[axis] for axis in run.sweeps)
    group = run.group("networks")
    if group is None:
        return np.zeros(shape, int)
    if "of_point" not in group:
        raise NotInResult(f"{run.path} does not state which network belongs to a point (no dataset networks/of_point). "
                          "Run the study again.")
    return np.asarray(group["of_point"].values, int).reshape(shape)


def told_apart(run: Run, source: Parameter, names: Sequence[str]) -> list[str]:
    """The names of networks along the sweep of `source`; those that several points bear followed by what else this sweep
    changes among them."""
    others = [p for p in parameters(run).values() if p.axis == source.axis and p.key not in ("", source.key)]
    told = []
    for place, name in enumerate(names):
        alike = [i for i, twin in enumerate(names) if twin == name]
        changed = [p for p in others if any(p.values[i] != p.values[place] for i in alike)]
        told.append(", ".join([name, *(p.say(place).replace("_", " ") for p in changed)]))
    return told


def flat(sections: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their whole keys, section.key."""
    return {f"{section}.{key}": value for section, keys in sections.items() if isinstance(keys, dict)
            for key, value in keys.items()}


def shape_name(hidden: Any) -> str:
    """Widths of hidden layers in short: 32x5, 16-32-16; 96-32 x7 for seven of 96 and 32 in turn."""
    widths = [str(int(width)) for width in hidden]
    if len(widths) > 4 and widths[0] != widths[1] and all(width == widths[i % 2] for i, width in enumerate(widths)):
        return f"{widths[0]}-{widths[1]} x{len(widths)}"
    return f"{widths[0]}x{len(widths)}" if len(set(widths)) == 1 else "-".join(widths)


def name_of(identity: Mapping[str, Any]) -> str:
    """What a network is called by the keys that ask for it."""
    source = str(identity.get("network.source", "train"))
    if source == "train":
        return shape_name(identity["network.hidden"]) if identity.get("network.hidden") else "no hidden layer"
    return RULED.get(source) or PurePosixPath(source.replace("\\", "/")).stem


RULED = {"carry-chain": "carry chain", "digit-sums": "digit sums", "analogue-sum": "analogue sum",
         "ring": "ring", "hub": "adder"}
"""What networks that a rule makes are called."""


LABELS = {
    "published": "published", "published_standin": "published, weight noise",
    "published_standin_longer": "published, more weight noise", "published_chips": "published, on chips",
    "published_even_chips": "published, on chips, half-even", "published_noise_aware": "published, noise-aware",
    "bottleneck_noise_aware": "96-32", "bottleneck_even_noise_aware": "96-32, half-even",
    "bottleneck_unclocked_noise_aware": "96-32, unclocked",
    "bottleneck_sine_noise_aware": "96-32, sine",
    "bottleneck_limiters_noise_aware": "96-32, soft limiters", "doped_heaters_noise_aware": "128-16",
    "doped_heaters_fitted_noise_aware": "128-16, fitted",
    "64x5_standin": "64x5, weight noise", "128x4_standin": "128x4, weight noise",
}
"""What figures call shipped networks: their shape, and what they were trained for."""


def label_of(name: str) -> str:
    """What a figure calls a network by its name (Network.name), or by its network.source."""
    source, *more = name.split(", ")
    stem = PurePosixPath(source.replace("\\", "/")).name.removesuffix(".h5")
    return ", ".join([LABELS.get(stem) or RULED.get(stem) or stem.replace("_", " "), *more])


def distinct(names: list[str], identities: list[Mapping[str, Any]]) -> list[str]:
    """The names, those that several bear followed by the keys in which these differ."""
    told = []
    for name, identity in zip(names, identities):
        alike = [other for twin, other in zip(names, identities) if twin == name]
        keys = dict.fromkeys(key for other in alike for key in other
                             if any(another.get(key) != other[key] for another in alike))
        said = [f"{key.split('.')[-1]} {say(identity[key])}" for key in keys if key in identity]
        told.append(", ".join([name, *said]))
    return told


def say(value: Any) -> str:
    """A value of the configuration as a reader wants it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
