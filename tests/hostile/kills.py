#!/usr/bin/env python3
"""Signals at random instants of runs, trainings, growing studies and merges, one after another until the work is done: the file is
that of an undisturbed command, and nothing lies beside it.

Usage: kills.py OPTINC [--seed N] [--count N] [--json]    --count: signals to send"""

import shutil
import signal
import subprocess
import time

import faulty  # noqa: F401  (finds the package of the sources)
from hostile import Done, fault_of, main
from optinc.results import differing

SIGNALS = [signal.SIGKILL] * 4 + [signal.SIGTERM] * 2 + [signal.SIGINT] * 2 + [signal.SIGHUP, signal.SIGQUIT]
STATUSES = {signal.SIGKILL: (-9,), signal.SIGTERM: (143, -15), signal.SIGINT: (130, -2), signal.SIGHUP: (-1,), signal.SIGQUIT: (-3,)}
MESH = """study = "m"
model = "mesh"
[runner]
trials = {trials}
{more}
[measure]
metrics = ["mesh_error", "fidelity"]
[mesh]
ports = 16
[chip]
preset = "good-lab"
[[sweep]]
values = {{"chip.sigma_eta_rad" = [0.01, 0.02, 0.03]}}
"""
CHIPS = """[runner]
trials = 12
[task]
rounding = "half-up"
[network]
source = "shipped/bottleneck_noise_aware"
[measure]
words = 3000
once = ["eye"]
[noise]
set = "receivers"
[chip]
preset = "good-lab"
"""
LEARNING = """model = "learning"
[runner]
trials = 2
[learner]
kind = "mlp"
steps = 1500
batch = 64
evaluations = 5
aggregator = "exact"
"""
DRIFT = """model = "mesh_drift"
[runner]
trials = 20
[mesh]
ports = 16
[drift]
instants = 20
"""
TRAINING = """[task]
rounding = "half-up"
[network]
hidden = [16, 16]
[training]
warmup_epochs = 3
epochs = {epochs}
"""
TRIALS = """[runner]
trials = 4
[measure]
words = 500
once = ["eye"]
[[sweep]]
values = {"chip.sigma_eta_rad" = [0.0, 0.01]}
"""
ABLATION = """[runner]
trials = 3
[task]
rounding = "half-up"
[network]
source = "carry-chain"
[measure]
words = 2000
once = []
"""
RUN, RESUME = ["run", "s.toml", "-o", "k.h5"], ["resume", "k.h5"]
PARTS = [f"kept{i}.h5" for i in (1, 2, 3)]
# the study, the command, the way on, and what is made before
SCENARIOS = {
    "mesh": (MESH.format(trials=300, more=""), RUN, RESUME, []),
    "threads": (MESH.format(trials=300, more=""), [*RUN, "--threads", "2"], RESUME, []),
    "precision": (MESH.format(trials=400, more='precision = 0.05\nprecision_metric = "mesh_error"'), RUN, RESUME, []),
    "wafer": (MESH.format(trials=150, more='[fabrication]\nprocess = "wafer"'), RUN, RESUME, []),
    "chips": (CHIPS, RUN, RESUME, []),
    "learning": (LEARNING, RUN, RESUME, []),
    "drift": (DRIFT, RUN, RESUME, []),
    "train": (TRAINING.format(epochs=12), ["train", *RUN[1:]], RESUME, []),
    "trained": (TRAINING.format(epochs=6) + TRIALS, RUN, RESUME, []),
    "ablate": (ABLATION, ["ablate", *RUN[1:]], RESUME, []),
    "grow": (MESH.format(trials=100, more=""), [*RESUME, "--trials", "400"], [*RESUME, "--trials", "400"],
             [["run", "s.toml", "-o", "kept.h5"]]),
    "merge": (MESH.format(trials=3000, more=""), ["merge", *PARTS, "-o", "k.h5"], ["merge", *PARTS, "-o", "k.h5", "--force"],
              [["run", "s.toml", "-o", part, "--shard", f"{i}/3"] for i, part in enumerate(PARTS, 1)]),
}


def attempt(trials, words, delay, which):
    """Starts the tool and sends it a signal after `delay` seconds; whether it was sent, and how it ended."""
    start = time.monotonic()
    process = subprocess.Popen([str(trials.optinc_path), *words, "--quiet"], cwd=trials.folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, errors="replace")
    sent = False
    try:
        said = process.communicate(timeout=delay)[1]
    except subprocess.TimeoutExpired:
        process.send_signal(which)
        sent = True
        try:
            said = process.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            return True, Done(process.wait(), "", process.communicate()[1], time.monotonic() - start, 0, timed_out=True, obeyed=False)
    return sent, Done(process.returncode, "", said, time.monotonic() - start, 0)


def there(folder):
    return any((folder / f"k.h5{end}").exists() for end in ("", ".journal", ".training"))


def disturbed(trials, start, go_on, seconds):
    """A command and what goes on with it, signalled until it is done or has had some signals; how many were sent, and a fault."""
    draw, command, sent = trials.draw, start, 0
    for _ in range(draw.choice([1, 2, 3, 5])):
        delay = draw.choice([draw.uniform(0, seconds), draw.uniform(0, 0.08), draw.uniform(0.8 * seconds, 1.05 * seconds)])
        which = draw.choice(SIGNALS)
        was_sent, done = attempt(trials, command, delay, which)
        sent += was_sent
        if done.status == 0:
            break
        if not was_sent and "nothing to resume" in done.err:
            command = start
            continue
        if fault := fault_of(done, statuses=STATUSES[which] if was_sent else (), one_line=False):
            return sent, f"{which.name if was_sent else 'no signal'} at {delay:.2f} s: {fault} {done.err[-300:]}"
        said = "Repeat the command" in done.err and command == go_on or "optinc resume" in done.err
        if done.status in (130, 143) and there(trials.folder) and go_on[0] == "resume" and not said:
            return sent, f"{which.name} at {delay:.2f} s: the way on is not named {done.err[-300:]}"
        command = go_on if there(trials.folder) else start
    for _ in range(2):  # to the end
        done = trials.optinc(*(go_on if there(trials.folder) else start), "--quiet", timeout=300)
        if done.status == 1 and "nothing to resume" in done.err:
            done = trials.optinc(*start, "--quiet", timeout=300)
        if done.status == 0:
            return sent, ""
    return sent, f"no way on: {done.err[-300:]}"


def try_all(trials):
    folder, each = trials.folder, -(-trials.count // len(SCENARIOS))
    names = [*SCENARIOS] if trials.count >= len(SCENARIOS) else trials.draw.sample([*SCENARIOS], trials.count)
    for name in names:
        study, start, go_on, before = SCENARIOS[name]
        for file in folder.iterdir():
            shutil.rmtree(file) if file.is_dir() else file.unlink()
        (folder / "s.toml").write_text(study)
        for words in before:
            trials.prepare(*words, "--quiet")

        def reset():
            for file in folder.glob("k.h5*"):
                shutil.rmtree(file) if file.is_dir() else file.unlink()
            if name == "grow":
                shutil.copy(folder / "kept.h5", folder / "k.h5")

        reset()
        whole = trials.prepare(*start, "--quiet")
        shutil.move(folder / "k.h5", folder / "whole.h5")
        kept = {file: file.read_bytes() for file in folder.iterdir()}
        signals = rounds = 0
        while signals < each and rounds < 10 * each:
            rounds += 1
            reset()
            sent, fault = disturbed(trials, start, go_on, whole.seconds)
            signals += sent
            if not fault and differing(folder / "whole.h5", folder / "k.h5"):
                fault = "LOST: another file than that of an undisturbed command"
            left = sorted(file.name for file in folder.glob("k.h5?*"))
            fault = fault or (f"left behind: {left}" if left else "")
            if any(file.read_bytes() != content for file, content in kept.items()):
                fault = fault or "LOST: a file that it reads was changed"
            trials.see(f"{name}, round {rounds}", whole, fault)
            trials.tries += max(sent - 1, 0)  # a signal is a try


if __name__ == "__main__":
    main(__doc__, try_all, 120)
