#!/usr/bin/env python3
"""The tasks of bench/race by JAX on the GPU it finds, for bench_gpu to be compared with.

    bench/gpu/jax_on_gpu.py --inputs FILE     writes what JAX is given; needs the Python package, and no GPU
    bench/gpu/jax_on_gpu.py FILE [OUT.json]   times JAX on it: seconds of every task
"""

import functools
import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from race_lib import clock, runners, tasks

CHIPS = 10_000  # at once by jax.vmap, besides the 100 of the race


def main(arguments):
    if arguments[:1] == ["--inputs"]:
        return np.savez(arguments[1], **tasks.inputs())
    import jax
    # the race counts a processor's time; here the clock on the wall counts
    runners.best_us = functools.partial(clock.best_us, now=time.perf_counter)
    given = dict(np.load(arguments[0]))
    rates = {"device": jax.devices()[0].device_kind, "jax": jax.__version__}
    for tasks.CHIPS in (100, CHIPS):
        for task, call, answer in runners.run_jax(given):
            if tasks.CHIPS == 100:
                wanted = tasks.expected(given)[task]
                rates[f"{task}_error"] = tasks.error(answer(), wanted)
            elif task != "chips":
                continue
            name = task if task != "chips" else f"chips_{tasks.CHIPS}"
            rates[f"{name}_s"] = runners.best_us(call) * 1e-6
    print(json.dumps(rates, indent=1))
    if len(arguments) > 1:
        Path(arguments[1]).write_text(json.dumps(rates, indent=1))
    return None


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    main(sys.argv[1:])
