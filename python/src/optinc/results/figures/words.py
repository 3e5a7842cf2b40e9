"""What figures call parameters, points and metrics."""

from __future__ import annotations

import re
from typing import Mapping, Sequence, Union

import numpy as np

from .. import style
from ..networks import label_of
from ..run import Run
from ..study import Parameter, meaning, parameters, show_value

Names = Union[str, Sequence[str], None]
Places = Mapping[str, int]


def listed(names: Names) -> list[str]:
    """Names of metrics as a list."""
    return [names] if isinstance(names, str) else list(names or ())


def plain_name(p: Parameter) -> str:
    """What the file calls a parameter in words, without remarks, as it stands within a sentence."""
    name = re.split("[:;]", re.sub(r" [(][^()]*[)]$", "", p.long_name))[0]
    return name[:1].lower() + name[1:] if name[1:2].islower() else name


def axis_in_words(run: Run, axis: str) -> str:
    """What a sweep varies."""
    found = [p for p in parameters(run).values() if p.axis == axis]
    return " and ".join(plain_name(p) for p in found if p.name != axis) or plain_name(found[0])


def name_of(run: Run, metric: str) -> str:
    """What is drawn of a metric, in words."""
    return meaning(run, metric).complement or metric.replace("_", " ")


def in_words(run: Run, indices: Places) -> str:
    """`a = 1 rad, b = 2` of a place on some of the sweep axes, by the names the file has for people; where one is a
    sentence, by its key."""
    said = []
    for axis, place in indices.items():
        all_keys = [p for p in parameters(run).values() if p.axis == axis]
        for p in telling([p for p in all_keys if p.name != axis]) or all_keys:
            value = p.values[place]
            factor, units = style.scale_of([float(value)], p.units) if p.units == "m" else (1.0, p.units)
            value = factor * value if p.numeric else value
            text = label_of(value) if p.key == "network.source" else show_value(value, units).replace(" ", "\xa0")
            said.append(f"{plain_name(p) if len(plain_name(p)) <= 60 else p.name}\xa0=\xa0{text}")
    return ", ".join(said)


def telling(together: list[Parameter]) -> list[Parameter]:
    """Of more than three parameters that are swept together, some that tell the points apart: names, then numbers, those of
    most different values first."""
    if len(together) <= 3:
        return together

    def told_apart(some: Sequence[Parameter]) -> int:
        return len(set(zip(*(np.asarray(p.values).tolist() for p in some)))) if some else 1

    chosen: list[Parameter] = []
    for p in sorted(together, key=lambda p: (p.numeric, -told_apart([p]))):
        if told_apart([*chosen, p]) > told_apart(chosen):
            chosen.append(p)
    return chosen


VALUES = {("link.oscillators", "direct"): "past the meshes", ("link.oscillators", "in-phase"): "in phase",
          ("link.oscillator_loop_hz", 0): "oscillators not locked"}
"""Values of keys that say little by themselves."""


def short_point(run: Run, where: Places) -> str:
    """`imbalance 1 µm, splitter 4 mrad/nm` of a place on sweep axes: keys without their units, words without keys."""
    said = []
    for p in parameters(run).values():
        if p.axis not in where or (not p.key and any(other.axis == p.axis and other.key for other in parameters(run).values())):
            continue
        name = (p.name.removesuffix("_" + p.units.replace("/", "_per_").lower()) if p.units != "1" else p.name).replace("_", " ")
        number = p.values[where[p.axis]]
        factor, units = style.scale_of([float(number)], p.units) if p.numeric else (1.0, p.units)
        if units == "rad/m":
            factor, units = 1e-6, "mrad/nm"
        value = show_value(number * factor if p.numeric else number, units)
        said.append(VALUES.get((p.key, number), f"{name} {value}" if p.numeric else value).replace(" ", "\xa0"))
    return ", ".join(said)
