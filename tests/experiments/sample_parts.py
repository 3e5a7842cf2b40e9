"""What the samples are built of: groups as the store ties them, a file's root, the trials of a study."""

import h5py
import numpy as np


CHIP_VARIANTS = ["uncorrected", "corrected_quadrature", "noisy"]
MESH_VARIANTS = ["uncorrected", "corrected_quadrature", "corrected"]


def right(label="", **more):
    """Attributes of a share of what is right."""
    return {"better": "higher", "kind": "share", **({"label": label} if label else {}), **more}


def less(label):
    """Attributes of a number of which less is better."""
    return {"better": "lower", "kind": "number", "label": label}


MEANINGS = {
    "word_accuracy": right("share of words right", complement="words wrong"),
    "channel_accuracy": right("share of words right", complement="words wrong"),
    "channels_right": {**less("channels right"), "better": "higher"},
    "instant_accuracy": right("share of words right", complement="words wrong"),
    "accuracy_all_words": right("share of all words right", complement="words wrong, of all"),
    "yield": right(complement="yield loss"),
    "fidelity": right(), "final_accuracy": right(), "test_accuracy": right(),
    "margin": {**less("least margin of a word"), "better": "higher"},
    "output_error": less("rms error of the outputs"),
    "matrix_error": less("relative error of the layer"),
    "matrix_error_in_phase": less("relative layer error in phase"),
    "mesh_error": less("relative mesh error"),
    "mesh_error_in_phase": less("relative mesh error in phase"),
    "group_delay_spread": less("spread of group delay"),
    "phase_drift": less("rms phase change"),
    "die_temperature": {"better": "none", "kind": "number", "label": "die over mean ambient"},
}
"""What the tool says of a metric, of those whose figures and tables the tests look at."""
TRIALS = {"chip": "chip", "tolerance": "chip", "drift": "chip", "comb": "chip", "mesh": "mesh", "learning": "training"}
"""What the tool calls a trial, by model."""


class Group:
    """A group whose datasets are tied to axes as the store ties them."""

    def __init__(self, file, name, **attributes):
        self.at = file.create_group(name, track_order=True)
        self.at.attrs.update(attributes)

    def axis(self, name, values, units="1", long_name=None, **attributes):
        self.dataset(name, None, values, units, long_name, **attributes)
        self.at[name].make_scale(name)

    def dataset(self, name, axes, values, units="1", long_name=None, **attributes):
        values = np.asarray(values)
        if values.dtype.kind in "OU":
            values = values.astype(object)
            data = self.at.create_dataset(name, data=values, dtype=h5py.string_dtype())
        else:
            packed = dict(chunks=True, shuffle=True, compression=4) if values.nbytes > 4096 else {}
            data = self.at.create_dataset(name, data=values, **packed)
        data.attrs["units"] = units
        data.attrs["long_name"] = long_name or name.replace("_", " ")
        data.attrs.update(attributes)
        for i, axis in enumerate(axes or ()):
            data.dims[i].attach_scale(self.at[axis])


def result(path, config="", **attributes):
    """A file with the root attributes of a result; `config` is put before the sections of config_toml."""
    file = h5py.File(path, "w", track_order=True)
    file.attrs.update({
        "Conventions": "CF-1.10", "title": "A sample", "schema_version": np.int64(5), "optinc_version": "0.1.0",
        "git_revision": "0123456789ab", "build_target": "portable", "compiler": "GCC 12.2.0",
        "run_id": "00112233445566ff", "seed": np.int64(1), "created_utc": "2025-01-31T12:00:00Z",
        "command": "optinc run sample.toml -o sample.h5",
        "config_toml": f'study = "sample"\n{config}\n[run]\nseed = 1\n', **attributes})
    return file


def sweep_axes(group, sweeps):
    """Writes the axes of the sweeps: (name, values, units, long_name, key) or (name, {key: (values, units, long)})."""
    for sweep in sweeps:
        if isinstance(sweep[1], dict):  # several keys at once
            name, keys = sweep
            length = len(next(iter(keys.values()))[0])
            group.axis(name, np.arange(length), long_name="point of the sweep")
            for key, (values, units, long_name) in keys.items():
                group.dataset(key.split(".")[-1], [name], values, units, long_name, key=key)
        else:
            name, values, units, long_name, key = sweep
            group.axis(name, values, units, long_name, key=key)


def points(sweeps):
    return tuple(len(next(iter(s[1].values()))[0]) if isinstance(s[1], dict) else len(s[1]) for s in sweeps)


def study(file, sweeps, trials, variants, quantities, done=None, yields=None):
    """Writes `trials` and `summary`. quantities: {name: (array over sweeps, trial, variant and own axes; own axes as
    {name: (values, units)}; units; long name)}. `done` (sweeps, trial) marks what was run; the rest becomes NaN."""
    names, shape = [s[0] for s in sweeps], points(sweeps)
    done = np.ones((*shape, trials), bool) if done is None else done
    raw, summary = Group(file, "trials", trial=TRIALS.get(file.attrs.get("model"), "trial")), Group(file, "summary")
    for group in (raw, summary):
        sweep_axes(group, sweeps)
    raw.axis("trial", np.arange(trials), long_name="number of the trial")
    for group in (raw, summary):
        group.axis("variant", variants, long_name="how the device is programmed and what acts on the light")
        for _, own, _, _ in quantities.values():
            for axis, (values, units) in own.items():
                if axis not in group.at:
                    group.axis(axis, values, units)
    summary.axis("quantile", np.array([0.05, 0.5, 0.95]))
    raw.dataset("completed", [*names, "trial"], done.astype(np.uint8), long_name="1 where the trial was run")
    summary.dataset("completed", names, done.sum(-1).astype(np.int64), long_name="trials run")
    t = len(names)
    for name, (values, own, units, long_name) in quantities.items():
        values = np.array(values, float)
        values[~done] = np.nan
        raw.dataset(name, [*names, "trial", "variant", *own], values, units, long_name, **MEANINGS.get(name, {}))
        axes = [*names, "variant", *own]
        if name in ("code_error_count", "layer_eye"):
            summary.dataset(f"{name}_sum", axes, np.nansum(values, t), units, f"sum of {long_name}")
            continue
        with np.errstate(all="ignore"):
            n = np.isfinite(values).sum(t)
            mean = np.where(n > 0, np.nansum(values, t) / np.maximum(n, 1), np.nan)
            std = np.sqrt(np.where(n > 1, np.nansum((values - np.expand_dims(mean, t)) ** 2, t) / np.maximum(n - 1, 1),
                                   np.nan))
            half = 1.96 * std / np.sqrt(n)
            ends = mean - half, mean + half
        for ending, array in (("mean", mean), ("std", std), ("mean_low", ends[0]), ("mean_high", ends[1])):
            summary.dataset(f"{name}_{ending}", axes, array, units, f"{ending} of {long_name}")
        filled = np.nan_to_num(values)
        quantile = np.moveaxis(np.quantile(filled, [0.05, 0.5, 0.95], axis=t), 0, -1)
        for ending in ("", "_low", "_high"):
            summary.dataset(f"{name}_quantile{ending}", [*axes, "quantile"], quantile, units)
    if yields is not None:
        share = (quantities[yields][0] > 0.99).mean(t)
        for ending, move in (("", 0), ("_low", -0.05), ("_high", 0.05)):
            summary.dataset(f"yield{ending}", [*names, "variant"], np.clip(share + move, 0, 1), "1",
                            "share of chips that decode 99 % of their words", **MEANINGS["yield"])
