"""What a study varied and what it measured: parameters, metrics, and the choice of a point among the sweeps."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any, Mapping, Optional

import numpy as np
import xarray

from .errors import NotInResult
from .reader import reading
from .run import Run

PREFERRED = ("word_accuracy", "words_wrong", "waveform_error", "instant_accuracy", "channel_accuracy", "final_accuracy", "final_loss", "mesh_error", "output_error", "mesh_error_in_phase",
             "matrix_error_in_phase", "margin",
             "code_error_rms", "insertion_loss")
"""What a study is mostly about, most telling first."""

PREFIXES = {0: "", -3: "m", -6: "µ", -9: "n", -12: "p", -15: "f", 3: "k", 6: "M", 9: "G", 12: "T"}
"""Prefixes of units, by the power of ten they stand for."""

PREFIXED = ("W", "Hz", "A", "Bd", "J", "bit/s")
"""Units whose numbers are read with a prefix: 32 GHz."""


@dataclass(frozen=True)
class Parameter:
    """Something a study varied: `values` along the sweep axis `axis` of the file. `key` is the whole key of the
    configuration, empty for the count of points of a sweep of several keys."""

    name: str
    axis: str
    values: Any
    units: str
    long_name: str
    key: str = ""

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return bool(np.issubdtype(np.asarray(self.values).dtype, np.number))

    def say(self, index: int) -> str:
        """`name = value unit` of the point `index` of the axis."""
        return f"{self.name} = {show_value(self.values[index], self.units)}"


@dataclass(frozen=True)
class Meaning:
    """What a file says of a metric. `label`: a name short enough for an axis, or empty; `better`: "higher", "lower" or
    "none"; `kind`: "number", "share" or "event"; `complement`: what 1 minus a share is a share of, or empty."""

    label: str = ""
    better: str = "none"
    kind: str = "number"
    complement: str = ""

    @property
    def share_of_good(self) -> bool:
        """Whether it is a share of what is right: between 0 and 1, where a logarithm says little."""
        return self.kind == "share" and self.better == "higher"


RELABELLED = {"die over ambient": "die over mean ambient"}
"""Labels of earlier versions that said something else than their numbers."""


def meaning(run: Run, metric: str) -> Meaning:
    """What the file says of a metric; the defaults where it says nothing."""
    for group in (run.trials, run.summary):
        if group is not None and metric in group:
            attributes = group[metric].attrs
            told = {f.name: str(attributes[f.name]) for f in fields(Meaning) if f.name in attributes}
            return replace(Meaning(**told), label=RELABELLED.get(told.get("label", ""), told.get("label", "")))
    return Meaning()


@dataclass(frozen=True)
class Statistic:
    """A metric's mean (or share) at every sweep point, with its 95 % interval; axes: sweeps, then its own. `wrong`: it
    is 1 minus the share of that name."""

    name: str
    mean: xarray.DataArray
    low: xarray.DataArray
    high: xarray.DataArray
    units: str
    long_name: str
    meaning: Meaning
    wrong: bool = False

    def at(self, indices: Mapping[str, Any]) -> Statistic:
        """The same at these places of these axes; of an axis with a list of places, those alone."""
        return replace(self, mean=self.mean.isel(indices), low=self.low.isel(indices), high=self.high.isel(indices))

    def scaled(self, factor: float, units: str) -> Statistic:
        """The same in other units."""
        return replace(self, mean=self.mean * factor, low=self.low * factor, high=self.high * factor, units=units)

    @property
    def axis_name(self) -> str:
        """What an axis of it is called."""
        if self.wrong:
            return self.long_name
        if self.name == "yield":
            return self.long_name.replace("at-least", "≥").replace("at-most", "≤").replace("_", " ")
        return self.meaning.label or self.long_name


def show_value(value: Any, units: str = "1") -> str:
    """A value as a reader wants it: 0.005 rad, 32 GHz, good-lab, 12."""
    if isinstance(value, str):
        text = value
    elif units in PREFIXED and value > 0:
        exponent = min(max(3 * math.floor(math.log10(value) / 3 + 1e-9), -15), 12)
        text, units = f"{value / 10.0 ** exponent:.3g}", PREFIXES[exponent] + units
    else:
        text = f"{value:.0f}" if abs(value) < 1e7 and float(value).is_integer() else f"{value:.4g}"
    return text if units == "1" else f"{text} {units}"


def show_mean(value: float, share: bool) -> str:
    """Five significant digits; of a share as many as tell how far it is from 1, which alone reads 1, and none below
    1e-15, which no count of words could show."""
    if share and 0 < value < 1e-15:
        return "<1e-15"
    if not (share and 0.5 < value < 1):
        return f"{value:.5g}"
    return f"{value:.{min(4 - math.floor(math.log10(1 - value)), 16)}f}".rstrip("0")


def spans_decades(values: Any) -> bool:
    """Whether numbers are all positive and so far apart that only a logarithmic axis shows them."""
    seen = np.asarray(values, float)[np.isfinite(values)]
    return len(seen) > 0 and bool(seen.min() > 0 and seen.max() > 20 * seen.min())


def words_of(attributes: Mapping[str, Any], name: str) -> tuple[str, str]:
    """Units and long name of a dataset; its own name where it has none."""
    return str(attributes.get("units", "1")), str(attributes.get("long_name", name.replace("_", " ")))


def parameters(run: Run) -> dict[str, Parameter]:
    """All that the study varied, outermost sweep first. A sweep of several keys at once has a parameter for each
    key, and its count of points last. Raises NotInResult where the file has no trials."""
    trials = run.require("trials")
    found: dict[str, Parameter] = {}
    for axis in run.sweeps:
        keys = [name for name, v in trials.data_vars.items() if v.dims == (axis,) and name != "completed"]
        for name in map(str, [*keys, axis]):
            units, long_name = words_of(trials[name].attrs, name)
            found[name] = Parameter(name, axis, trials[name].values, units, long_name,
                                    str(trials[name].attrs.get("key", "")))
    return found


def shown_parameters(run: Run) -> list[Parameter]:
    """What was varied, without the counts of points of sweeps of several keys."""
    found = list(parameters(run).values())
    counts = {p.axis for p in found if p.name != p.axis}
    return [p for p in found if p.name != p.axis or p.axis not in counts]


def parameter(run: Run, name: str) -> Parameter:
    """The parameter `name`. Raises NotInResult, naming those there are."""
    found = parameters(run)
    if name not in found:
        raise NotInResult(f"{run.path} has no swept parameter '{name}' "
                          f"(swept: {', '.join(found) or 'nothing'}). Choose one of these.")
    return found[name]


def by_key(run: Run, key: str) -> Optional[Parameter]:
    """The parameter that varies this key of the configuration; None where it is not swept."""
    return next((p for p in parameters(run).values() if p.key == key), None)


def metrics(run: Run) -> list[str]:
    """Names of the metrics that have a mean, or a share, and an interval in `summary`, those most telling first.
    Raises NotInResult where the file has no summary."""
    names = [str(name) for name in run.require("summary").data_vars]
    plain = [name[:-5] for name in names if name.endswith("_mean")]
    plain += [name for name in names if {f"{name}_low", f"{name}_high"} <= set(names) and not ends_as_statistic(name)]
    return sorted(plain, key=lambda name: PREFERRED.index(name) if name in PREFERRED else len(PREFERRED))


def headline_metrics(run: Run) -> list[str]:
    """The metrics that the study names in measure.metrics, in its order; where it names none, the two most telling. Those
    with an axis of their own, such as time, only where there are no others: a swept parameter has one value of the others."""
    known, asked = metrics(run), run.config.get("measure", {}).get("metrics", [])
    single = {*run.sweeps, "variant", "layer"}
    flat = [name for name in known if set(map(str, statistic(run, name).mean.dims)) <= single]
    return ([name for name in asked if name in flat] or flat[:2] or
            [name for name in asked if name in known] or known[:2])


def ends_as_statistic(name: str) -> bool:
    """Whether the name is that of a statistic of a metric rather than of a metric."""
    return name.endswith(("_mean", "_quantile"))


def statistic(run: Run, metric: str) -> Statistic:
    """Mean and 95 % interval of `metric` at every sweep point. Raises NotInResult, naming those there are."""
    summary = run.require("summary")
    if metric not in metrics(run):
        raise NotInResult(f"{run.path} has no summary of a metric '{metric}' (it has {', '.join(metrics(run))}). "
                          "Choose one of these, or let measure.metrics name it and run the study again.")
    stem = f"{metric}_mean" if f"{metric}_mean" in summary else metric
    with reading(run.path):
        source = run.trials[metric] if run.trials is not None and metric in run.trials else summary[stem]
        units, long_name = words_of(source.attrs, metric)
        return Statistic(metric, summary[stem], summary[f"{stem}_low"], summary[f"{stem}_high"], units, long_name,
                         meaning(run, metric))


def of_worst_layer(value: Statistic) -> tuple[Statistic, str]:
    """A statistic without its axis `layer`: the layer that is worst on the average over all points, whose interval
    stands in the file, as that of a mean over layers would not; and a note that says so."""
    if "layer" not in value.mean.dims:
        return value, ""
    over_points = value.mean.mean([d for d in value.mean.dims if d != "layer"])
    badness = -over_points if value.meaning.better == "higher" else over_points
    layer = int(np.argmax(badness.fillna(-np.inf).values))
    return value.at({"layer": layer}), f"worst layer, {int(value.mean['layer'].values[layer])}"


def per_variant(value: xarray.DataArray) -> list[tuple[str, xarray.DataArray]]:
    """Name and values of every variant; one nameless variant where there is no such axis."""
    if "variant" not in value.dims:
        return [("", value)]
    return [(str(name), value.isel(variant=i)) for i, name in enumerate(value["variant"].values)]


def indices_of(run: Run, at: Mapping[str, Any]) -> dict[str, int]:
    """Places on sweep axes of the values in `at`, by parameter name; the nearest number. Raises NotInResult for an
    unknown name or text."""
    indices = {}
    for name, value in at.items():
        swept = parameter(run, name)
        if swept.numeric:
            indices[swept.axis] = int(np.nanargmin(np.abs(np.asarray(swept.values, float) - float(value))))
        elif value in list(swept.values):
            indices[swept.axis] = list(swept.values).index(value)
        else:
            raise NotInResult(f"{run.path} has no point {name} = '{value}' (it has {', '.join(swept.values)}). "
                              "Choose one of these.")
    return indices


def fixed(run: Run, free: tuple[str, ...], at: Optional[Mapping[str, Any]] = None) -> dict[str, int]:
    """Places on all sweep axes but `free`: as `at` says, else with every error source on, else the first point."""
    chosen = indices_of(run, at or {})
    swept = parameters(run)
    for axis in run.sweeps:
        values = list(swept[axis].values)
        chosen.setdefault(axis, values.index("all") if axis == "ablation" and "all" in values else 0)
    return {axis: index for axis, index in chosen.items() if axis not in free}


def say_point(run: Run, indices: Mapping[str, int]) -> str:
    """`a = 1 rad, b = 2` of a place on some of the sweep axes; all keys of a sweep of several."""
    swept = parameters(run).values()
    named = [[p for p in swept if p.axis == axis and p.name != axis]
             or [p for p in swept if p.name == axis] for axis in indices]
    return ", ".join(p.say(indices[p.axis]) for group in named for p in group)


def choose_variant(run: Run, variants: Any, wanted: Optional[str] = None) -> int:
    """Place of the variant `wanted`; by default "corrected_quadrature", or the first. Raises NotInResult where it is not
    among them."""
    names = [str(name) for name in variants]
    if wanted is not None and wanted not in names:
        raise NotInResult(f"{run.path} has no variant '{wanted}' (it has {', '.join(names)}). Choose one of these.")
    chosen = wanted or "corrected_quadrature"
    return names.index(chosen) if chosen in names else 0


def trial_noun(run: Run) -> str:
    """What the file calls a trial: "chip", "mesh"."""
    return str(run.require("trials").attrs.get("trial", "trial"))


def say_trials(run: Run, noun: str = "trial") -> str:
    """`30 trials`, or the range where points differ, from `summary`."""
    counts = run.require("summary")["completed"].values
    low, high = int(counts.min()), int(counts.max())
    many = noun if high == 1 and low == high else noun + ("es" if noun.endswith("sh") else "s")
    return f"{high} {many}" if low == high else f"{low} to {high} {many}"
