#!/usr/bin/env python3
"""Digital twins of simulated benches, as JSON: z-scores, held-out error, corrected fidelity and seconds.

    PYTHONPATH=build/ci/python bench/twin_benches.py [PORTS]..      (default: 8 16 32)

Splitters are off by 5 mrad rms, phases by 20 mrad, every arm loses 0.1 dB with a spread of 0.05 dB, port couplers 0.3 dB rms. Light
of 1 W enters one port after the other, at 40 settings of random phases; a power is read with an error of 8 mW / PORTS. Fidelities of
the corrected DFT matrix are maximised over the phases of inputs and outputs, which powers do not show; the oracle's phases are
corrected with the true errors. `told`: parameters that the readings determine one by one, whose z-scores are counted.

One bench of 8 ports has 124 of them, and they are correlated: the rms of its z-scores scatters by 0.09 from bench to bench. So as
many benches are pooled as have the parameters of one of 32 ports: numbers are those of all, seconds those of one.
"""

import json
import sys
import time

import numpy as np
import optinc

SETTINGS = 40
BENCHES = {8: 16, 16: 4}  # others: 1
ERRORS = ("alpha", "beta", "theta_offset", "phi_offset")
ARMS = ("theta_arm_loss_db", "theta_other_loss_db", "phi_arm_loss_db", "phi_other_loss_db")


def chip(mesh, random):
    """The true twin of a mesh."""
    truth = optinc.MeshTwin(mesh, arm_loss_db=0.1)
    count = len(mesh.upper)
    for name, rms in zip(ERRORS, (5e-3, 5e-3, 0.02, 0.02)):
        setattr(truth.errors, name, random.normal(0, rms, count))
    for name in ARMS:
        setattr(truth.errors, name, 0.1 + random.normal(0, 0.05, count))
    truth.input_gain_db, truth.output_gain_db = random.normal(0, 0.3, (2, mesh.ports))
    return truth


def scores(fit, truth):
    """z-scores of all parameters that are told and that the form of the losses leaves as they are."""
    z = []
    for name in ERRORS:
        error = getattr(fit.standard_error.errors, name)
        told = np.isfinite(error)
        z.append(((getattr(fit.twin.errors, name) - getattr(truth.errors, name)) / error)[told])

    def imbalance(errors):
        return errors.theta_arm_loss_db - errors.theta_other_loss_db
    # each arm has half of the imbalance, and half of its standard error
    z.append((imbalance(fit.twin.errors) - imbalance(truth.errors)) / (2 * fit.standard_error.errors.theta_arm_loss_db))
    return np.concatenate(z)


def fidelity(target, found):
    """Overlap, maximised over phases of inputs and outputs in turn."""
    overlap, inputs = target.conj() * found, np.ones(len(target), complex)
    for _ in range(300):
        rows = overlap @ inputs
        columns = (rows.conj() / abs(rows)) @ overlap
        inputs = columns.conj() / abs(columns)
    return abs(columns).sum() ** 2 / (len(target) * np.linalg.norm(found) ** 2)


def bench(ports, seed):
    """Numbers of one bench, and its z-scores."""
    random = np.random.default_rng(seed)
    mesh = optinc.Mesh(ports)
    truth = chip(mesh, random)
    noise = 8e-3 / ports
    theta, phi = random.uniform(0, 2 * np.pi, (2, SETTINGS, len(mesh.upper)))
    powers = []
    for mesh.theta, mesh.phi in zip(theta, phi):
        powers.append(abs(truth.fields(mesh)) ** 2)
    powers = np.array(powers) + random.normal(0, noise, (SETTINGS, ports, ports))
    settings = optinc.TwinSettings()
    settings.noise = noise
    begin, processor = time.perf_counter(), time.process_time()
    fit = optinc.fit_twin(mesh, theta, phi, powers=powers, settings=settings)
    seconds, processor = time.perf_counter() - begin, time.process_time() - processor
    z = scores(fit, truth)
    target = np.fft.fft(np.eye(ports), norm="ortho")
    wanted = optinc.Mesh.from_unitary(target)
    truth.input_gain_db = truth.output_gain_db = np.zeros(ports)
    found = {name: fidelity(target, truth.fields(set_to).T)
             for name, set_to in (("uncorrected", wanted), ("twin", wanted.corrected(fit.twin.errors)), ("oracle", wanted.corrected(truth.errors)))}
    return z, {"parameters": fit.parameters, "unseen": fit.unseen, "readings": fit.fitted.readings, "fitted_over_noise": fit.fitted.sigma,
               "held_out_over_noise": fit.held_out.sigma, "fidelity": found, "seconds": seconds, "processor_seconds": processor,
               "threads": optinc.threads(), "converged": fit.converged}


def pooled(ports):
    """Numbers of the benches of this size: rms over benches of errors, means of fidelities; the rest is that of one."""
    z, found = zip(*(bench(ports, ports + 1000 * number) for number in range(BENCHES.get(ports, 1))))
    z = np.concatenate(z)
    over = {key: float(np.sqrt(np.mean([one[key] ** 2 for one in found]))) for key in ("fitted_over_noise", "held_out_over_noise")}
    fidelities = {key: float(np.mean([one["fidelity"][key] for one in found])) for key in found[0]["fidelity"]}
    return {"ports": ports, "benches": len(found), "told": len(z), "z_rms": float(np.sqrt(np.mean(z ** 2))), **found[0], **over,
            "fidelity": fidelities, "converged": all(one["converged"] for one in found)}


if __name__ == "__main__":
    print(json.dumps([pooled(int(ports)) for ports in sys.argv[1:] or (8, 16, 32)], indent=1))
