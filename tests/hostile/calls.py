#!/usr/bin/env python3
"""Calls that change files go wrong, at any of them and in every way, in every kind of command that writes files; then the way on
that the messages name. What is there in the end is what an undisturbed command writes, and nothing beside it.

Usage: calls.py OPTINC [--seed N] [--count N] [--json]    --count: moments to draw"""

import shutil
from dataclasses import dataclass, field

from faulty import Faulty
from hostile import fault_of, main
from optinc.results import differing

KINDS = ("kill", "after", "torn", "broken", "dying", "full", "quota", "signal")
DEADLY = ("kill", "after", "torn")
MESH = """study = "m"
model = "mesh"
[runner]
trials = 6
[measure]
metrics = ["mesh_error", "fidelity"]
[mesh]
ports = 4
[chip]
preset = "good-lab"
[[sweep]]
values = {"chip.sigma_eta_rad" = [0.01, 0.02]}
"""
LEARNING = """model = "learning"
[runner]
trials = 1
[learner]
kind = "mlp"
steps = 6
batch = 16
evaluations = 2
aggregator = "exact"
"""
TRAINING = """[runner]
trials = 2
[task]
rounding = "half-up"
[network]
hidden = [8, 8]
[training]
warmup_epochs = 1
epochs = 3
[measure]
words = 100
once = ["eye"]
"""


@dataclass
class Case:
    """A command that writes `out`, a study for it, the commands whose files it reads, and what lies at its output before."""

    command: list
    study: str = MESH
    before: list = field(default_factory=list)
    out: str = "k.h5"
    there: str = ""  # a file made before that is copied to the output
    resumes: bool = False  # goes on with optinc resume, others by --force


RUN = ["run", "s.toml", "-o", "k.h5", "--threads", "1"]
KEPT = ["run", "s.toml", "-o", "kept.h5"]
CASES = {
    "mesh": Case(RUN, resumes=True),
    "learning": Case(RUN, LEARNING, resumes=True),
    "trained": Case(RUN, TRAINING, resumes=True),
    "train": Case(["train", "s.toml", "-o", "k.h5"], TRAINING, resumes=True),
    "grow": Case(["resume", "k.h5", "--trials", "12"], before=[KEPT], there="kept.h5", resumes=True),
    "force": Case([*RUN, "--force"], before=[["budget", "-o", "kept.h5"]], there="kept.h5", resumes=True),
    "merge": Case(["merge", "kept1.h5", "kept2.h5", "-o", "k.h5"],
                  before=[["run", "s.toml", "-o", f"kept{i}.h5", "--shard", f"{i}/2"] for i in (1, 2)]),
    "replay": Case(["replay", "kept.h5", "--trial", "1", "-o", "k.h5"], before=[KEPT]),
    "budget": Case(["budget", "--network", "shipped/64x4", "-o", "k.h5"]),
    "program": Case(["program", "shipped/saturated_sum", "-o", "k.csv"], out="k.csv"),
    "validate": Case(["validate", "1", "--quick", "-o", "k.h5"]),
}


def same(path, whole):
    """Whether a file has what an undisturbed command writes, its command and what its times say aside."""
    if path.suffix == ".h5":
        return not [name for name in differing(whole, path) if "seconds" not in name]
    lines = [[line for line in file.read_text().splitlines() if not line.startswith("#")] for file in (path, whole)]
    return lines[0] == lines[1]


class Bench:
    """A case in a folder of its own."""

    def __init__(self, trials, faulty, case):
        self.trials, self.faulty, self.case, self.folder = trials, faulty, case, trials.folder
        for file in self.folder.iterdir():
            if file != faulty.shim:
                shutil.rmtree(file) if file.is_dir() else file.unlink()
        (self.folder / "s.toml").write_text(case.study)
        for words in case.before:
            trials.prepare(*words, "--quiet")
        self.reset()
        trials.prepare(*case.command, "--quiet")
        self.whole = self.folder / f"whole{self.folder.joinpath(case.out).suffix}"
        shutil.move(self.folder / case.out, self.whole)
        self.kept = {file: file.read_bytes() for file in self.folder.iterdir() if file != faulty.shim}
        self.reset()
        self.calls = faulty.calls(*case.command, "--quiet")

    def reset(self):
        for file in self.folder.glob("k.*"):
            shutil.rmtree(file) if file.is_dir() else file.unlink()
        if self.case.there:
            shutil.copy(self.folder / self.case.there, self.folder / self.case.out)

    def go_on(self):
        """As the messages say, up to three times; the last command."""
        case, done = self.case, None
        for _ in range(3):
            words = [*case.command, *([] if "--force" in case.command or case.resumes else ["--force"])]
            if case.resumes and case.command[0] != "resume" and any(
                    (self.folder / f"k.h5{end}").exists() for end in (("", ".journal", ".training") if not case.there else (".journal",))):
                words = ["resume", case.out]
            done = self.trials.optinc(*words, "--quiet")
            if done.status == 1 and ("nothing to resume" in done.err or case.there and "no trials in it" in done.err):
                done = self.trials.optinc(*case.command, "--quiet")
            if done.status == 0:
                break
        return done

    def fault(self, kind, done):
        """What is wrong of an attempt and of what follows; empty where nothing is."""
        out = self.folder / self.case.out
        expected = (0, 1) if kind not in DEADLY else (-9, 0)
        if said := fault_of(done, statuses=expected, one_line=kind not in DEADLY):
            return said
        if done.status == 0 and not (out.exists() and same(out, self.whole)):
            return "it ended well without its file"
        last = self.go_on()
        if last.status != 0:
            return f"no way on: {last.err[-300:]}"
        if not out.exists() or not same(out, self.whole):
            return "LOST: another file than an undisturbed command writes"
        left = {file for file in self.folder.iterdir() if file not in self.kept} - {out, self.faulty.shim}
        if left:
            return f"left behind: {sorted(file.name for file in left)}"
        changed = [file.name for file, content in self.kept.items() if file.read_bytes() != content]
        return f"LOST: changed {changed}" if changed else ""


def try_all(trials):
    faulty = Faulty(trials)
    names = [trials.draw.choice([*CASES]) for _ in range(trials.count)] if trials.count < len(CASES) else \
        [[*CASES][i % len(CASES)] for i in range(trials.count)]
    for name in CASES:
        if name not in names:
            continue
        bench = Bench(trials, faulty, CASES[name])
        for _ in range(names.count(name)):
            kind = trials.draw.choice(KINDS)
            writes = bench.calls.count("write")
            at = trials.draw.randint(1, writes if kind == "torn" else len(bench.calls))
            bench.reset()
            done = faulty.optinc(kind, at, *bench.case.command, "--quiet")
            call = f"write {at}" if kind == "torn" else f"{bench.calls[at - 1]} {at}"
            done.err = "\n".join(line for line in done.err.splitlines() if not line.startswith("fault: "))
            trials.see(f"{name}: {kind} at {call}", done, bench.fault(kind, done))


if __name__ == "__main__":
    main(__doc__, try_all, 330)
