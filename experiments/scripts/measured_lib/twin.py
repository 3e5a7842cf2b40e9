"""A digital twin of the 4x4 chip (pai2023_mesh), fitted to half of the words, predicts the others.

One chip runs the three layers in turn, so that all have its errors: 12 splitters, 12 phase offsets, and the gains of four outputs,
with what is known beforehand as a prior (splitters 20 mrad rms, offsets 0.1 rad, gains 0.4 dB). Only one number of a word was
published, the share of the power in two ports behind the third layer. With the gains left out, the residual of moons is 0.018 to 0.019.
"""

import numpy as np
from optinc import MeshTwin

from .mesh import TASKS, inference, layers_of, share
from .row import Found, Row, bootstrap, reached, rms

PRIOR = np.repeat([0.02, 0.1, 0.4], [12, 12, 4])


def predicted(layers, values, x):
    """Shares of a network h = |U2 |U1 |U0 x||| on one chip with these errors."""
    twin = MeshTwin(layers[0])
    e = twin.errors
    e.alpha, e.beta, e.theta_offset, e.phi_offset = values[:24].reshape(4, 6)
    twin.output_gain_db = values[24:]
    for mesh in layers:
        x = abs(twin.fields(mesh, x)).astype(complex)
    return share(x)


def fitted(layers, x, measured, noise):
    """Errors of the chip, the most probable ones."""
    from scipy import optimize  # noqa: PLC0415
    return optimize.least_squares(lambda v: np.concatenate([(predicted(layers, v, x) - measured) / noise, v / PRIOR]), np.zeros(28), method="lm").x


def checks(folder):
    """A row a task: every other word is fitted, and the rest predicted; then the other way round."""
    found = Found()
    for task, table_says in zip(TASKS, (0.019, 0.016)):
        layers = layers_of(folder, task)
        x, _, _, measured = inference(folder, task)
        off = np.empty(len(x))
        for half in (0, 1):
            seen = np.arange(len(x)) % 2 == half
            values = fitted(layers, x[seen], measured[seen], 0.015)
            off[~seen] = predicted(layers, values, x[~seen]) - measured[~seen]
        found.rows.append(Row(f"twin-chip-{task}", f"a chip fitted to half of the words predicts the power share of the others, {task}, rms", "", rms(off),
                              reached(table_says), interval=bootstrap(lambda i, off=off: rms(off[i]), off.size)))
    return found
