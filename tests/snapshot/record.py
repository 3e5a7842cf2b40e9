"""Runs the commands of runs.py and writes what they gave: FILE.json (types, shapes, hashes) and FILE.npz (numbers)."""

import json
import pathlib
import shutil
import subprocess
import sys
import time

import numpy as np

from contents import entry, kept, of_file, of_json
from inputs import write_inputs
from runs import RUNS

HERE = pathlib.Path(__file__).resolve().parent
LISTS = ("published.toml", "headline.toml", "at_operating_points.toml", "oddl.toml", "oddl_failures.toml", "oddl_parallel.toml")
VERSION = 1  # of the record


class Failed(RuntimeError):
    """A command that ended otherwise than runs.py says."""


def processor():
    """Name of this machine's processor: another rounds otherwise (FMA)."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown"
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


def prepare(folder):
    """Puts all that the commands read into `folder`."""
    write_inputs(folder)
    shutil.copytree(HERE / "studies", folder / "studies")
    shutil.copytree(HERE / "lists", folder / "lists")
    for name in LISTS:
        shutil.copy(HERE.parents[1] / "experiments/data/lists" / name, folder / "lists")


def execute(optinc, run, folder, threads, more=()):
    """Runs one command in `folder` and returns {dataset: value} of all that it gave."""
    words = [*run.arguments, *more]
    if run.arguments[0] in ("run", "ablate", "train", "resume"):
        words += ["--threads", str(threads)]
    if run.arguments[0] == "check-network":
        words += ["--set", f"run.threads={threads}"]
    done = subprocess.run([optinc, *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != run.status:
        raise Failed(f"optinc {' '.join(words)}\n  ended with {done.returncode}, not {run.status}: {done.stderr.strip()}")
    found = {}
    for output in run.outputs:
        ending = output.rsplit(".", 1)[1]
        found.update({f"{ending}:{name}": value for name, value in kept(of_file(folder / output)).items()})
    if run.json:
        found.update({f"printed:{name}": value for name, value in kept(of_json(done.stdout)).items()})
    return found


def record(optinc, folder, threads, quiet=False, runs=RUNS):
    """{run/dataset: value} of every run, and seconds it took."""
    found, seconds = {}, {}
    for run in runs:
        start = time.monotonic()
        for name, value in execute(optinc, run, folder, threads).items():
            found[f"{run.name}/{name}"] = value
        seconds[run.name] = time.monotonic() - start
        if not quiet:
            print(f"{seconds[run.name]:7.2f} s  {run.name}", file=sys.stderr, flush=True)
    return found, seconds


def about(optinc):
    """What must be equal for a comparison to mean anything, and what is good to know."""
    version = subprocess.run([optinc, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return {"version": VERSION, "program": version, "processor": processor()}


def write(path, told, found):
    """FILE.json and FILE.npz."""
    path = pathlib.Path(path)
    datasets = {name: entry(value) for name, value in sorted(found.items())}
    path.write_text(json.dumps({**told, "datasets": datasets}, indent=1))
    numbers = {name: value for name, value in found.items() if not isinstance(value, list)}
    with open(path.with_suffix(".npz"), "wb") as file:  # a name, not keywords: datasets may be called "file"
        np.savez_compressed(file, names=np.array(sorted(numbers)),
                            **{f"v{i}": numbers[name] for i, name in enumerate(sorted(numbers))})
