"""What the generators of hostile input share: the tool run under limits, what counts as a fault, and the count of tries and faults.

A generator is a script with a function try_all(trials) that ends in main(__doc__, try_all, COUNT):

    GENERATOR OPTINC [--seed N] [--count N] [--keep FOLDER] [--json]

The same seed and count give the same input. It exits with 1 where it found a fault; --keep leaves what it wrote in a new folder.
"""

import argparse
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data"
MEMORY = 4 << 30  # bytes: what takes more must be refused
ADDRESSES = 8 << 30  # bytes of address space, so that a fault does not take the machine with it
LONGEST = 3000  # characters of a refusal


@dataclass
class Done:
    """A run of the tool: its exit status (negative: a signal), what it said, and what it took."""

    status: int
    out: str
    err: str
    seconds: float
    rss: int  # bytes at the most
    timed_out: bool = False
    obeyed: bool = True  # ended within the grace after SIGTERM


def run(words, folder, timeout=60, grace=20, memory=ADDRESSES, prepare=None, env=None):
    """Runs a command in `folder`; SIGTERM after `timeout` seconds, SIGKILL after `grace` more. prepare(): called in the child."""
    def limit():
        os.nice(10)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if prepare:
            prepare()

    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env={**os.environ, "OMP_NUM_THREADS": "1", **(env or {})}, preexec_fn=limit, start_new_session=True)
        sent = []

        def send(signal_number):
            sent.append(signal_number)
            try:
                os.killpg(process.pid, signal_number)
            except ProcessLookupError:
                pass
        timers = [threading.Timer(timeout, send, [signal.SIGTERM]), threading.Timer(timeout + grace, send, [signal.SIGKILL])]
        for timer in timers:
            timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        for timer in timers:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        said = []
        for stream in (out, err):
            stream.seek(0)
            said.append(stream.read(2_000_000).decode("utf-8", "replace"))
    return Done(process.returncode, *said, time.monotonic() - start, usage.ru_maxrss * 1024, bool(sent), signal.SIGKILL not in sent)


def fault_of(done, statuses=(0, 1, 2), memory=MEMORY, one_line=True):
    """What is wrong with how the tool took its input; empty where nothing is."""
    if done.timed_out:
        return "hangs" if done.obeyed else "hangs, deaf to SIGTERM"
    if done.status not in statuses:
        return f"crash, status {done.status}"
    if done.rss > memory:
        return f"takes {done.rss >> 20} MB"
    if not done.status or not one_line:
        return ""
    lines = [line for line in done.err.splitlines() if not re.search(r"optinc: (warning|note):|^\s+[\w ]+ \d+/\d+ |^[\w ]+ \.\.\.$", line)]
    if len(lines) != 1:
        return f"refusal of {len(lines)} lines"
    if re.search(r"\(unexpected\)|internal|std::|basic_string|vector::|bad_|what\(\)", lines[0]):
        return "an exception's own text"
    if len(lines[0]) > LONGEST:
        return f"refusal of {len(lines[0])} characters"
    if re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", lines[0]):
        return "control characters in the refusal"
    return ""


class Trials:
    """The tries of a generator: its random numbers (`draw`), how many it shall make (`count`), its scratch folder, and their outcome."""

    def __init__(self, optinc, folder, seed, count):
        self.optinc_path, self.folder, self.count = optinc, folder, count
        self.draw = random.Random(seed)
        self.tries, self.faults = 0, []
        self.slowest, self.largest = 0.0, 0

    def optinc(self, *words, **limits):
        """Runs the tool in the scratch folder."""
        return run([self.optinc_path, *words], self.folder, **limits)

    def prepare(self, *words, **limits):
        """Runs the tool on sound input."""
        done = self.optinc(*words, **limits)
        if done.status:
            raise RuntimeError(f"optinc {' '.join(map(str, words))}: status {done.status}: {done.err[-500:]}")
        return done

    def see(self, label, done, fault=None, **expected):
        """Counts a try; a fault of it (by default fault_of) is printed and returned."""
        self.tries += 1
        self.slowest, self.largest = max(self.slowest, done.seconds), max(self.largest, done.rss)
        fault = fault_of(done, **expected) if fault is None else fault
        if fault:
            self.faults.append(label)
            print(f"{label}: {fault} [{done.seconds:.1f} s, {done.rss >> 20} MB] {done.err[-300:]!r}", file=sys.stderr, flush=True)
        return fault


def main(description, try_all, count, **more):
    """Runs a generator from its command line and exits. `more`: what it counts beside tries, by name, each a function of the trials."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("optinc", type=lambda path: pathlib.Path(path).resolve(), help="the tool")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=count, help=f"how much to try (default: {count})")
    parser.add_argument("--keep", type=pathlib.Path, help="a new folder to write in, and to leave")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep.resolve() if given.keep else pathlib.Path(scratch)
        if given.keep:
            folder.mkdir(parents=True)
        trials = Trials(given.optinc, folder, given.seed, given.count)
        try_all(trials)
    counts = {"tries": trials.tries, "faults": len(trials.faults), **{name: count(trials) for name, count in more.items()}}
    if given.json:
        print(json.dumps(counts))
    else:
        print(", ".join(f"{value} {name}" for name, value in counts.items()),
              f"(seed {given.seed}; slowest {trials.slowest:.1f} s, largest {trials.largest >> 20} MB)")
    sys.exit(1 if trials.faults or not trials.tries else 0)
