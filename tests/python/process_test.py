"""What surrounds the engine in a process: forks, limits, Ctrl-C."""

import os
import signal
import subprocess
import sys
import unittest


def run(script, timeout=120):
    """Exit status, output and errors; where it hangs, it ends with all that it has forked."""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    try:
        told = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        told = process.communicate()
    return process.returncode, *told


FORKED = """
import multiprocessing
import numpy, optinc

optinc.set_threads(3)
mesh, x = optinc.Mesh.from_unitary(optinc.haar_unitary(8)), numpy.ones((5000, 8), "c8")

def compute(chip):
    return mesh.fabricate("doped-heaters", chip=chip)(x)

here = [compute(chip) for chip in range(4)]  # OpenMP has its threads
with multiprocessing.get_context("fork").Pool(2) as pool:
    there = pool.map(compute, range(4))
print(all((a == b).all() for a, b in zip(here, there)), optinc.threads(), (compute(0) == here[0]).all())
"""

LIMITED = """
import resource
import numpy, optinc

mesh = optinc.Mesh.from_unitary(optinc.haar_unitary(8))
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
try:
    optinc.set_threads(1024)
except ValueError as refused:
    print(refused)
print(mesh(numpy.ones((100_000, 8))).shape)
"""

# Calls that take many seconds of one core, each with a signal a moment after it has begun
INTERRUPTED = """
import os, signal, sys, threading, time
import numpy, optinc

optinc.set_threads(1)
n = 1024
fourier = numpy.exp(2j * numpy.pi / n * numpy.outer(range(n), range(n))) / n ** 0.5
draws = numpy.random.default_rng(1)
mesh, large = optinc.Mesh(n), optinc.Mesh(3072)
x = draws.normal(size=(12_000, n)).astype("c8")
settled, chip = mesh.settled("single"), optinc.Mesh(512).fabricate("good-lab")
fit = optinc.CalibrationSettings()
fit.policy, fit.in_situ_steps = "in-situ", 100_000
calibrated = optinc.Unit.load("shipped/32x5").calibrate("good-lab", settings=fit)
for name, call in (("haar_unitary", lambda: optinc.haar_unitary(3072)), ("from_unitary", lambda: optinc.Mesh.from_unitary(fourier)),
                   ("matrix", large.matrix), ("call", lambda: mesh(x)),
                   ("backward", lambda: settled.backward(x, x, x)),
                   ("program", calibrated.program), ("symmetric", lambda: optinc.SymmetricMesh.from_unitary(fourier)),
                   ("matrices", lambda: chip.matrices(numpy.linspace(-1e-9, 1e-9, 300)))):
    sent = []
    threading.Timer(0.3, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT))).start()
    try:
        begun = time.perf_counter()
        call()
        print(name, "took", time.perf_counter() - begun, "s")
        time.sleep(1)
    except KeyboardInterrupt:
        print(name, time.perf_counter() - sent[0])
"""


class Processes(unittest.TestCase):
    # Fails when a child waits for threads of OpenMP that stayed with its parent, which it does for ever.
    def test_forks_compute(self):
        code, told, errors = run(FORKED, 60)
        self.assertEqual((code, told.split()), (0, ["True", "3", "True"]), errors)

    # Fails when OpenMP is asked for threads that it cannot have: it ends the process.
    def test_more_threads_than_there_can_be(self):
        code, told, errors = run(LIMITED)
        self.assertEqual(code, 0, errors)
        refusal, shape = told.splitlines()
        self.assertIn("1024 threads (more than this process may start", refusal)
        self.assertEqual(shape, "(100000, 8)")

    # Fails when Ctrl-C waits for the end of a long call.
    def test_ctrl_c_is_heard_inside_calls(self):
        code, told, errors = run(INTERRUPTED, 300)
        self.assertEqual((code, len(told.splitlines())), (0, 8), told + errors)
        for line in told.splitlines():
            name, seconds = line.split()
            self.assertLess(float(seconds), 3, name)


if __name__ == "__main__":
    unittest.main()
