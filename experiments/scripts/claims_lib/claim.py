"""What a claim is, and the workbench its measurement runs on."""

import functools
import json
import math
import operator
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
STUDY = "experiments/data/studies/quickstart.toml"
SPLITTERS = "experiments/data/studies/splitter_errors.toml"  # trains its network
OPTINC = "build/release/bin/optinc"

RELATIONS = {"=": operator.eq, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}


@dataclass(frozen=True)
class Measured:
    """A measurement that brings its own target, such as a law with its tolerance."""
    value: float
    target: str
    holds: bool


@dataclass(frozen=True)
class Claim:
    """One number the README states. `target` is "= 1", "<= 40", ..., empty for a number that is only printed, or free text
    when `measure` returns Measured."""
    group: str
    name: str
    target: str
    unit: str
    measure: Any  # a function (Bench) -> number or Measured, or (function, argument, ...) for one that takes more
    command: str  # what a reader would type, from the root of the repository

    def measured(self, bench):
        """What the measurement gives."""
        function, *arguments = self.measure if isinstance(self.measure, tuple) else (self.measure,)
        return function(bench, *arguments)

    def judge(self, result):
        """(value, target as text, whether it holds). A NaN never holds."""
        if isinstance(result, Measured):
            return result.value, result.target, bool(result.holds)
        if not self.target:
            return result, "-", not math.isnan(result)
        relation, value = self.target.split()
        return result, self.target, RELATIONS[relation](result, float(value)) and not math.isnan(result)


def claims_of(group, *rows):
    """Claims of a group from rows of name, target, unit, measurement and command."""
    return [Claim(group, *row) for row in rows]


def at(bench, run, *keys):
    """What the answer of a shared run holds at these keys; `run` may be (function, argument, ...)."""
    function, *arguments = run if isinstance(run, tuple) else (run,)
    return functools.reduce(lambda found, key: found[key], keys, function(bench, *arguments))


def shared(make):
    """Lets claims that look at one run share it: once for a bench and these arguments."""
    @functools.wraps(make)
    def known(bench, *arguments):
        return bench.once((make.__module__, make.__name__, arguments), lambda: make(bench, *arguments))
    return known


def sets(*settings):
    """Options of optinc that set these."""
    return tuple(word for setting in settings for word in ("--set", setting))


def shown(arguments):
    """Arguments as they are typed."""
    return " ".join(f"'{a}'" if set(a) & set(' "[') else a for a in arguments)


def stored(file, *names):
    """Datasets of a result file, of text as lists."""
    import h5py  # noqa: PLC0415  only claims that read results need it
    with h5py.File(file) as result:
        found = [result[name][()] for name in names]
    return [[word.decode() for word in values] if values.dtype.kind == "O" else values for values in found]


def opened(file):
    """A result file, opened by optinc.results."""
    sys.path.insert(0, str(ROOT / "python/src"))
    from optinc.results import open_run  # noqa: PLC0415
    return open_run(file)


def progress(text):
    """For whoever watches; stdout belongs to the results."""
    print(text, file=sys.stderr, flush=True)


def machine():
    """The processor and how many of its threads this process may use."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    except OSError:
        pass
    return f"{name}, {len(os.sched_getaffinity(0))} threads"


class Bench:
    """A clean folder, an up-to-date optinc, and a memory, so that claims which look at one run share it."""

    def __init__(self, keep=None):
        self._temporary = keep is None
        self.folder = Path(tempfile.mkdtemp(prefix="optinc-claims-")) if keep is None else Path(keep).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        if any(self.folder.iterdir()):
            raise FileExistsError(f"{keep} is not empty (a claim is measured from a clean state). Name another folder.")
        self._known = {}
        self._built = False
        self.peak_bytes = 0  # of the last run

    def close(self):
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def once(self, key, make):
        """make() the first time, its answer or its failure afterwards."""
        if key not in self._known:
            try:
                self._known[key] = (make(), None)
            except Exception as error:  # kept for every claim that needs it
                self._known[key] = (None, error)
        value, error = self._known[key]
        if error:
            raise error
        return value

    def run(self, *command, cwd=ROOT, accept=(0,)):
        """Runs it with its messages on stderr; returns (stdout, wall seconds, exit status). `peak_bytes` then holds the most
        memory that it had."""
        command = [str(c) for c in command]
        progress("   $ " + " ".join(command))
        start = time.monotonic()
        with subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
            told = process.stdout.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        self.peak_bytes = 1024 * used.ru_maxrss
        if process.returncode not in accept:
            raise RuntimeError(f"{command[0]} {command[1] if command[1:] else ''} ended with exit status {process.returncode}")
        return told, seconds, process.returncode

    def optinc(self, *arguments, accept=(0,)):
        """Runs the simulator, compiling what has changed since it was built."""
        if not self._built:
            self.run("experiments/quickstart", "--build-only", "--no-install")
            self._built = True
        return self.run(ROOT / OPTINC, *arguments, accept=accept)

    def answer(self, *arguments):
        """What the simulator prints with --json; a check that fails is an answer."""
        return json.loads(self.optinc(*arguments, "--json", *(() if arguments[0] in ("inspect", "validate") else ("--quiet",)),
                                      accept=(0, 1) if arguments[0] in ("check-network", "validate") else (0,))[0])

    def result(self, name, *arguments):
        """The file NAME.h5 that `optinc run` writes of these."""
        file = self.folder / f"{name}.h5"
        self.optinc("run", *arguments, "-o", file, "--quiet", "--force")
        return file

    def trials(self, name, metric, *arguments):
        """All trials of a metric in result()."""
        return stored(self.result(name, *arguments), f"trials/{metric}")[0]

    def told(self, *command):
        """The JSON object that a program prints, which may find faults."""
        return json.loads(self.run(*command, accept=(0, 1))[0])
