"""How long a call takes: CPU time of the process, in which waiting for a core that others use is not."""

import time


def best_us(call, repeats=7, least_s=0.05, most_s=20.0):
    """Least time of a call, us, each repeat long enough for the clock; no new repeat once `most_s` seconds are gone."""
    times, started = [], time.process_time()
    for _ in range(repeats):
        count = 1
        while True:
            start = time.process_time()
            for _ in range(count):
                call()
            took = time.process_time() - start
            if took >= least_s:
                break
            count *= 2
        times.append(took / count)
        if time.process_time() - started > most_s:
            break
    return 1e6 * min(times)
