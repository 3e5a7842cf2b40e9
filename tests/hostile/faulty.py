"""The tool with a library preloaded that makes its N-th call that changes files go wrong (tests/faults/faulty_calls.c)."""

import subprocess
import sys

from hostile import ROOT

sys.path.append(str(ROOT / "tests/faults"))
import faults  # noqa: E402, F401  (journals, byte by byte)


def compiled(folder):
    """The library, compiled into `folder`."""
    library = folder / "faulty_calls.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, ROOT / "tests/faults/faulty_calls.c", "-ldl"], check=True)
    return library


class Faulty:
    def __init__(self, trials):
        self.trials = trials
        self.shim = compiled(trials.folder)

    def optinc(self, kind, at, *words, **limits):
        """Runs the tool; its call number `at` goes wrong, by `kind`."""
        return self.trials.optinc(*words, env={"LD_PRELOAD": str(self.shim), "FAULT_KIND": kind, "FAULT_AT": str(at)}, **limits)

    def calls(self, *words):
        """Names of the calls of an undisturbed run."""
        log = self.trials.folder / "calls.log"
        done = self.trials.optinc(*words, env={"LD_PRELOAD": str(self.shim), "FAULT_LOG": str(log)})
        if done.status:
            raise RuntimeError(f"optinc {' '.join(map(str, words))}: status {done.status}: {done.err[-500:]}")
        names = log.read_text().splitlines()
        log.unlink()
        return names
