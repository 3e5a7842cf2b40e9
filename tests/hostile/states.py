#!/usr/bin/env python3
"""Every state of an output (the file, its journal, a training beside it) by every command that writes there: nothing that lay
there may be lost, but for what --force gives up. The table is in experiments/run/README.md.

Usage: states.py OPTINC [--seed N] [--count N] [--json]    --count: states to draw; 0: all of them"""

import itertools
import shutil

import h5py
import numpy as np
from faulty import Faulty, faults
from hostile import fault_of, main

STUDY = """[runner]
trials = 2
[task]
rounding = "half-up"
[network]
hidden = {hidden}
[training]
warmup_epochs = 1
epochs = 2
[measure]
words = 100
once = []
"""
FILES = (None, "complete.h5", "unfinished.h5", "other.h5", "network.h5", "damaged.h5", "foreign")
JOURNALS = (None, "header.journal", "inputs.journal", "trials.journal", "other.journal", "empty", "foreign")
TRAININGS = (None, "same.training", "other.training", "foreign")
RUN, OUT = ["run", "a.toml", "-o", "x.h5"], ["-o", "x.h5"]
COMMANDS = (RUN, ["run", "b.toml", *OUT], [*RUN, "--force"], ["train", "a.toml", *OUT], ["train", "a.toml", *OUT, "--force"],
            ["resume", "x.h5"], ["resume", "x.h5", "--trials", "4"], ["merge", "sound.h5", *OUT], ["budget", *OUT],
            ["replay", "sound.h5", "--trial", "0", *OUT])


def make_parts(trials):
    """What may lie there, each a file of the folder `parts`."""
    folder, parts = trials.folder, trials.folder / "parts"
    parts.mkdir()
    (folder / "a.toml").write_text(STUDY.format(hidden=[8, 8]))
    (folder / "b.toml").write_text(STUDY.format(hidden=[8]))
    for name, words in (("complete.h5", ["run", "a.toml"]), ("unfinished.h5", ["run", "a.toml", "--set", "run.time_limit_s=1e-9"]),
                        ("other.h5", ["run", "b.toml"]), ("network.h5", ["train", "a.toml"])):
        trials.prepare(*words, "-o", parts / name, "--quiet")
    shutil.copy(parts / "complete.h5", folder / "sound.h5")
    flipped = bytearray((parts / "complete.h5").read_bytes())
    flipped[len(flipped) // 2] ^= 1
    (parts / "damaged.h5").write_bytes(flipped)
    (parts / "foreign").write_text("my notes\n")
    (parts / "empty").touch()
    faulty = Faulty(trials)
    for study, training, journals in (("a", "same", ("header", "inputs", "trials")), ("b", "other", ("", "", "other"))):
        journal = b""
        for at in itertools.count(1):  # killed ever later, until the journal has trials
            for file in folder.glob("x.h5*"):
                file.unlink()
            faulty.optinc("kill", at, "run", f"{study}.toml", "-o", "x.h5", "--quiet", "--threads", "1")
            if (folder / "x.h5.training").exists():
                shutil.copy(folder / "x.h5.training", parts / f"{training}.training")
            journal = faults.whole_part(folder / "x.h5.journal")
            if faults.trials_in(journal):
                break
        ends = [end for *_, end in faults.frames(journal)]
        for name, end in zip(journals, (ends[0], ends[1], len(journal))):
            if name:
                (parts / f"{name}.journal").write_bytes(journal[:end])
    for file in folder.glob("x.h5*"):
        file.unlink()


def values(file):
    """Trials of a result file that were run: (point, trial) -> its values of each quantity."""
    group = file["trials"]
    done = group["completed"][()] != 0
    tables = [v[()] for v in group.values() if v.shape[:done.ndim] == done.shape and v.dtype.kind == "f"]
    return {tuple(map(int, where)): [np.asarray(t[tuple(where)]).tobytes() for t in tables] for where in np.argwhere(done)}


def lost_of_file(name, was, path, forced):
    """What the place of the file lost, in words."""
    if not path.exists():
        return "the file is gone"
    if path.read_bytes() == was.read_bytes() or forced:
        return ""
    if name in ("damaged.h5", "foreign", "network.h5"):
        return "the file was replaced"
    with h5py.File(was) as old, h5py.File(path) as new:
        if "trials" not in new:
            return f"results were replaced by {new.attrs['title']}"
        kept = values(new)
        if old.attrs["config_toml"].split("trials")[0] != new.attrs["config_toml"].split("trials")[0]:
            return "results were replaced by those of another study"
        return "" if all(kept.get(where) == found for where, found in values(old).items()) else "trials were lost"


def study_of(config):
    """Which of the two studies a configuration is of."""
    return "a" if "hidden = [8, 8]" in config else "b"


def studies_stored(out, with_trials):
    """The studies whose networks are in the file or, where trials do not matter, in its journal."""
    found = set()
    if out.exists() and out.read_bytes()[:4] == b"\x89HDF":
        with h5py.File(out) as file:
            if "network" in file and "config_toml" in file.attrs and ("trials" in file or not with_trials):
                found.add(study_of(file.attrs["config_toml"]))
    journal = faults.whole_part(faults.journal_of(out))
    if not with_trials and len([*faults.frames(journal)]) > 1:
        found.add(study_of(journal.decode("latin1")))
    return found


def lost(state, command, folder, done):
    """What was lost of a state, in words; empty where nothing was."""
    parts, out = folder / "parts", folder / "x.h5"
    forced, (file, journal, training) = "--force" in command, state
    if file and (said := lost_of_file(file, parts / file, out, forced)):
        return said
    for name, ending in ((journal, "journal"), (training, "training")):
        if not name or name == "empty":
            continue
        place, was = folder / f"x.h5.{ending}", (parts / name).read_bytes()
        now = place.read_bytes() if place.exists() else b""
        if name == "foreign" and now != was:
            return f"a file of somebody else's at the place of the {ending}"
        owner = "b" if name.startswith("other") else "a"
        if name in ("foreign", "header.journal") or forced or now[:len(was)] == was:
            continue
        if ending == "training" and now[:4] == b"\x89HDF":
            with h5py.File(place) as kept:
                if study_of(kept.attrs["config_toml"]) == owner:
                    continue  # it has gone on
        if done.status or owner not in studies_stored(out, with_trials=ending == "journal"):
            return f"the {ending}"
    return ""


def try_all(trials):
    make_parts(trials)
    folder, parts = trials.folder, trials.folder / "parts"
    every = list(itertools.product(FILES, JOURNALS, TRAININGS, COMMANDS))
    for *state, command in every if trials.count == 0 else trials.draw.sample(every, min(trials.count, len(every))):
        for file in folder.glob("x.h5*"):
            file.unlink()
        for name, place in zip(state, ("x.h5", "x.h5.journal", "x.h5.training")):
            if name:
                shutil.copy(parts / name, folder / place)
        done = trials.optinc(*command, "--quiet")
        label = f"file {state[0]}, journal {state[1]}, training {state[2]}: optinc {' '.join(command)}"
        said = lost(state, command, folder, done)
        trials.see(label, done, f"LOST: {said}" if said else fault_of(done, statuses=(0, 1)))


if __name__ == "__main__":
    main(__doc__, try_all, 0)
