"""Group faults: hostile input ends in a result or a sentence; nothing crashes, hangs or is lost."""

import json

from .claim import OPTINC, Claim

GROUP = "faults"

GENERATORS = {  # of tests/hostile: what it tries, and how much of it (--count)
    "texts": ("changed studies, lists, netlists and tables, and what reads them", 150),
    "hdf5_files": ("HDF5 files changed by HDF5, and what reads them, in C++ and Python", 40),
    "settings": ("studies with one to four random values", 1500),
    "bombs": ("bombs: nests, aliases, names of megabytes, sizes that nothing stands behind", 1),
    "states": ("all states of an output (file, journal, training) by ten commands that write there", 0),
    "calls": ("calls that change files, of eleven commands, that kill or fail in one of eight ways", 1500),
    "kills": ("signals at random instants of twelve runs, trainings, growing studies and merges", 240),
}
SEED = 61


def command(name, count):
    return f"/usr/bin/python3 tests/hostile/{name}.py {OPTINC} --seed {SEED} --count {count} --json"


def counted(bench, name):
    """What a generator counts."""
    def make():
        bench.optinc("list")  # so that it is built
        return json.loads(bench.run(*command(name, GENERATORS[name][1]).split(), accept=(0, 1))[0])
    return bench.once(f"hostile {name}", make)


CLAIMS = [Claim(GROUP, f"{name}-{what}", target, unit.format(meaning), lambda bench, name=name, what=what: counted(bench, name)[what],
                command(name, count))
          for name, (meaning, count) in GENERATORS.items()
          for what, target, unit in (("tries", "", "tries: {}"), ("faults", "= 0", "of these, crashes, hangs, losses and raw exceptions"))]
