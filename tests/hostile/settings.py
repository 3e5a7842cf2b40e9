#!/usr/bin/env python3
"""Gives studies one to four random values at once: extreme but legal, just outside, or of the wrong kind; eleven models, from a seed.

Beside what is a fault everywhere: a study that succeeds must store no NaN and no infinity where the unchanged one stores numbers,
unless it warned of one of the keys.

Usage: settings.py OPTINC [--seed N] [--count N] [--json]; --count: studies"""

import json
import math
import re

import h5py
import numpy as np
from hostile import fault_of, main

SMALL = ["runner.trials=1", "measure.words=64", "network.source=carry-chain", "task.rounding=half-up"]
TRAINED = ["runner.trials=1", "measure.words=64", "network.source=shipped/bottleneck_noise_aware", "task.rounding=half-up"]
MODELS = {
    "chip": SMALL,
    "trained chip": ["model=chip", *TRAINED],
    "mesh": ["model=mesh", "mesh.ports=4", "runner.trials=1"],
    "tolerance": ["model=tolerance", *SMALL, "tolerance.steps=1"],
    "drift": ["model=drift", *SMALL, "drift.instants=3"],
    "comb": ["model=comb", *SMALL, "comb.channels=3"],
    "cascade": ["model=cascade", *SMALL],
    "waveform": ["model=waveform", *TRAINED, "time.sampling=clocked"],
    "drifting mesh": ["model=mesh_drift", "mesh.ports=4", "runner.trials=1", "drift.instants=3"],
    "learning": ["model=learning", "runner.trials=1", "learner.kind=mlp", "learner.aggregator=quantised", "learner.steps=4",
                 "learner.evaluations=2", "learner.batch=16", "learner.warm_up_steps=1"],
    "training": ["model=chip", "runner.trials=1", "measure.words=64", "network.hidden=[8,8]", "training.epochs=2",
                 "training.warmup_epochs=1"],
}
NUMBERS = [0.0, -0.0, 1e-300, 5e-324, 1e-30, 1e-12, 1e-6, 1e-3, 0.1, 0.5, 1.0, 2.0, 3.0, 7.0, 1e3, 1e6, 1e9, 1e12, 1e15, 1e30, 1e100, 1e300,
           1.7976931348623157e308, -1.0, -1e-300, -1e6, -1e300]
STRANGE = ["nan", "inf", "-inf", "true", "''", "[]", "[1]", "{}", "1979-05-27", "'\u202e'", "0x10", "1_0", "9223372036854775807",
           "-9223372036854775808", "1e400"]


def explained(trials):
    """What `optinc explain` says of every key: {key: (allowed, default)}."""
    found = {}
    for key in trials.prepare("explain").out.split():
        if key.startswith("sweep"):
            continue
        text = trials.prepare("explain", key).out
        said = {name: " ".join(value.split()) for name, value in re.findall(r"^  (\w+): +((?:.*\n)(?:   .*\n)*)", text, re.MULTILINE)}
        found[key] = said["allowed"], said.get("default", "")
    return found


def number(allowed, default, draw):
    """A number near its limits, between them, near its default, or anywhere."""
    integer = allowed.startswith("an integer")
    limits = re.search(r"\(([-\d.e+]+)?\.\.([-\d.e+]+)?", allowed)
    low, high = (float(limit) if limit else None for limit in (limits.groups() if limits else (None, None)))
    choices = []
    if low is not None:
        choices += [low, low + 1 if integer else low * (1 + 1e-9) + 1e-300]
    if high is not None:
        choices += [high, high - 1 if integer else high * (1 - 1e-9)]
    if low is not None and high is not None:
        if integer:
            choices += [draw.randint(int(low), int(min(high, low + 100))) for _ in range(4)]
        else:
            choices += [draw.uniform(low, high), draw.uniform(low, high)]
            if low >= 0 < high:
                choices += [math.exp(draw.uniform(math.log(max(low, 1e-300)), math.log(high))) for _ in range(3)]
    try:
        choices.append(float(default) * draw.choice([0, 1e-6, 0.01, 0.1, 2, 10, 100, 1e6]))
    except ValueError:
        pass
    if not choices or draw.random() < 0.4:
        choices += NUMBERS
    value = draw.choice(choices)
    return str(int(value)) if integer and abs(value) < 1e18 else repr(float(value))


def value_of(allowed, default, draw):
    """A value for a key, as TOML."""
    if draw.random() < 0.06:
        return draw.choice(STRANGE)
    names = [re.sub(r"\(.*", "", name).strip() for name in re.sub(r"^(one of|a list of) ", "", allowed).split(",")]
    if allowed.startswith(("a number", "an integer")):
        return number(allowed, default, draw)
    if allowed.startswith("true"):
        return draw.choice(["true", "false"])
    if allowed.startswith("one of"):
        return json.dumps(draw.choice(names))
    if allowed.startswith("a list of integers"):
        return str([draw.choice([1, 2, 4, 8, 16, 3, 5, 32]) for _ in range(draw.choice([0, 1, 2, 3, 5]))])
    if allowed.startswith("a list of"):
        return json.dumps(draw.sample(names, min(len(names), draw.choice([0, 1, 2]))))
    return draw.choice(["'none'", "'x'", "''", "'shipped/64x4'", "'/etc/passwd'"])


def not_finite(path):
    """{dataset: whether some of its numbers are none} of the trials and their summary."""
    found = {}

    def look(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" and name.startswith(("trials", "summary")) and not re.search(
                "quantile|_low|_high", name):
            found[name] = not np.isfinite(item[()]).all()
    with h5py.File(path) as file:
        file.visititems(look)
    return found


def options(settings):
    return [word for setting in settings for word in ("--set", setting)]


SEND_NO_CODES = ("exact", "ring", "halving-doubling", "parameter-server")


def try_all(trials):
    draw, out = trials.draw, trials.folder / "o.h5"
    (trials.folder / "study.toml").write_text("")
    command = ["run", "study.toml", "-o", out.name, "--force", "--quiet", "--threads", "1"]
    keys, plain = explained(trials), {}
    trials.accepted = 0
    for count in range(trials.count):
        model = draw.choice(list(MODELS))
        if model not in plain:
            trials.prepare(*command, *options(MODELS[model]), timeout=300)
            plain[model] = not_finite(out)
        # some metrics are measured in trial 0 alone
        pool = [key for key in keys if key != "model" and key not in ("run.threads", "run.time_limit_s", "runner.trials")]
        if model == "learning" and draw.random() < 0.6:
            pool = [key for key in pool if key.startswith("learner.")]
        chosen = [f"{key}={value_of(*keys[key], draw)}" for key in draw.sample(pool, draw.choice([1, 1, 2, 3, 4]))]
        for left in trials.folder.glob("o.h5*"):
            left.unlink() if left.is_file() else [file.unlink() for file in left.iterdir()] and left.rmdir()
        done = trials.optinc(*command, *options(MODELS[model] + chosen), timeout=25, memory=12 << 30)
        fault = None
        if done.timed_out:  # long work is no fault, but SIGTERM must end it
            fault = "" if done.obeyed and done.status in (143, 0, 1) else fault_of(done)
        elif done.status == 0 and out.exists() and not fault_of(done):
            trials.accepted += 1
            new = [name for name, bad in not_finite(out).items() if bad and plain[model].get(name) is False]
            if any(setting.startswith("training.full_svd_layers=") for setting in chosen):  # half of such a layer has no receivers
                new = [name for name in new if "receiver_power" not in name]
            if any(f'learner.aggregator="{name}"' in chosen for name in SEND_NO_CODES):  # their metrics of codes are NaN
                new = [name for name in new if "/sent_" not in name]
            if new and not any(setting.split("=")[0] in done.err for setting in chosen):
                fault = f"no numbers in {', '.join(new[:3])}, without a word"
        trials.see(f"{count}, {model}: {' '.join(chosen)}", done, fault=fault)


if __name__ == "__main__":
    main(__doc__, try_all, count=60, accepted=lambda trials: trials.accepted)
