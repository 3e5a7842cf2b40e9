"""How long a call takes."""

import time


def best_us(call, repeats=7, least_s=0.05, most_s=20.0, now=time.process_time):
    """Least time of a call, us, each repeat long enough for the clock; no new repeat once `most_s` seconds are gone.

    `now`: by default CPU time of the process, in which waiting for a core that others use is not; time.perf_counter for
    calls that use several threads.
    """
    times, started = [], now()
    for _ in range(repeats):
        count = 1
        while True:
            start = now()
            for _ in range(count):
                call()
            took = now() - start
            if took >= least_s:
                break
            count *= 2
        times.append(took / count)
        if now() - started > most_s:
            break
    return 1e6 * min(times)
