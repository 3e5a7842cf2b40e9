"""Meshes in JAX and in sax. Needs both, from PyPI."""

import importlib.util
import sys
import unittest

import optinc._core

missing = [name for name in ("jax", "sax") if importlib.util.find_spec(name) is None]
if not hasattr(optinc._core, "xla_calls"):
    missing.append("headers of XLA when the module was compiled")
if missing:
    print("skipped: no", ", ".join(missing))
    sys.exit(77)

import jax
import jax.numpy as jnp
import numpy
import sax
from jax.test_util import check_grads
from optinc.jax import matrix, propagate, sax_model

jax.config.update("jax_enable_x64", True)
N = 6


def fields(*shape, seed=1):
    draws = numpy.random.default_rng(seed)
    return draws.normal(size=shape) + 1j * draws.normal(size=shape)


class Meshes(unittest.TestCase):
    def setUp(self):
        self.chip = optinc.Mesh.from_unitary(optinc.haar_unitary(N, seed=2)).fabricate("doped-heaters", seed=3)

    def test_fields_are_the_chips(self):
        x = fields(5, N)
        numpy.testing.assert_array_equal(propagate(x, self.chip), self.chip(x))
        numpy.testing.assert_array_equal(jax.jit(lambda x: propagate(x, self.chip))(x), self.chip(x))
        single = x.astype("c8")
        numpy.testing.assert_array_equal(propagate(single, self.chip), self.chip(single))
        numpy.testing.assert_allclose(matrix(self.chip), self.chip.matrix(), atol=1e-14)
        theta = jnp.asarray(self.chip.theta) + 0.1
        found = propagate(x, self.chip, theta=theta)
        self.chip.theta = numpy.asarray(theta)
        numpy.testing.assert_array_equal(found, self.chip(x))

    # Fails when a derivative is another's, or the cotangent of a field not conjugated on both sides.
    def test_gradients_are_differences(self):
        names = ["theta", "phi", "output_phase", "alpha", "beta", "theta_arm_loss_db", "phi_arm_loss_db",
                 "theta_other_loss_db", "phi_other_loss_db"]
        for name in names[5:]:
            getattr(self.chip.errors, name)[:] += 0.1  # losses of 0 have no difference to one side
        start = [numpy.array(getattr(self.chip if i < 3 else self.chip.errors, name)) for i, name in enumerate(names)]

        def through(x, *values):
            return propagate(x, self.chip, **dict(zip(names, values)))

        check_grads(through, (fields(3, N), *start), order=1, modes=["fwd", "rev"])
        some = {"theta": jnp.asarray(self.chip.theta), "beta": jnp.asarray(self.chip.errors.beta)}
        forward, reverse = (mode(lambda p: abs(propagate(fields(2, 3, N), self.chip, **p)) ** 2)(some)
                            for mode in (jax.jacfwd, jax.jacrev))
        for name in some:
            numpy.testing.assert_allclose(forward[name], reverse[name], atol=1e-12)

    # Forward mode of numbers in single precision, of some arguments alone, jitted, batched.
    def test_tangents(self):
        x, theta = fields(4, 3, N), jnp.asarray(self.chip.theta)
        d = numpy.random.default_rng(3).normal(size=(4, 15))

        def changed(x, d):
            return jax.jvp(lambda t: propagate(x, self.chip, theta=t), (theta,), (d,))[1]

        wanted = [(propagate(x[i], self.chip, theta=theta + 1e-5 * d[i]) - propagate(x[i], self.chip, theta=theta - 1e-5 * d[i])) / 2e-5
                  for i in range(4)]
        numpy.testing.assert_allclose(jax.jit(jax.vmap(changed))(x, d), wanted, atol=1e-8)
        numpy.testing.assert_allclose(jax.vmap(changed, (0, None))(x, d[0])[0], wanted[0], atol=1e-8)
        single = jax.jvp(lambda x: propagate(x, self.chip), (x.astype("c8"),), (x.astype("c8"),))
        self.assertEqual([a.dtype for a in single], [numpy.complex64] * 2)
        numpy.testing.assert_allclose(*single, rtol=1e-4, atol=1e-5)  # it is linear in x

    # Fails when a batch of parameters meets the fields of another, or shares its gradient.
    def test_batches(self):
        x, theta = fields(4, 3, N), jnp.asarray(self.chip.theta + numpy.random.default_rng(1).normal(size=(4, 15)))

        def loss(theta, x):
            return (abs(propagate(x, self.chip, theta=theta))[..., 0] ** 2).sum()

        for axes, calls in (((0, 0), [(theta[i], x[i]) for i in range(4)]), ((0, None), [(theta[i], x[1]) for i in range(4)]),
                            ((None, 0), [(theta[2], x[i]) for i in range(4)])):
            given = [a if axis == 0 else a[2 if a is theta else 1] for a, axis in zip((theta, x), axes)]
            found = jax.jit(jax.vmap(jax.value_and_grad(loss), axes))(*given)
            wanted = [jax.value_and_grad(loss)(*call) for call in calls]
            numpy.testing.assert_allclose(found[0], [w[0] for w in wanted], rtol=1e-12)
            numpy.testing.assert_allclose(found[1], [w[1] for w in wanted], atol=1e-12)
        twice = jax.vmap(jax.vmap(loss, (None, 0)), (0, None))(theta, x)
        numpy.testing.assert_allclose(twice, [[loss(t, part) for part in x] for t in theta], rtol=1e-12)

    # Fails when what is alike for a batch gets the cotangent of each of it, and not their sum.
    def test_gradients_of_batches(self):
        x, theta = fields(4, 3, N), jnp.asarray(self.chip.theta + numpy.random.default_rng(1).normal(size=(2, 15)))

        def loss(theta, x):
            return (abs(propagate(x, self.chip, theta=theta))[..., 0] ** 2).sum()

        def all_of(theta, x):
            return jax.vmap(jax.vmap(loss, (None, 0)), (0, None))(theta, x).sum()

        wanted = [[jax.grad(loss, (0, 1))(t, part) for part in x] for t in theta]
        for found in (jax.grad(all_of, (0, 1))(theta, x), jax.jit(jax.grad(all_of, (0, 1)))(theta, x)):
            numpy.testing.assert_allclose(found[0], [sum(of_t for of_t, _ in row) for row in wanted], atol=1e-12)
            numpy.testing.assert_allclose(found[1], [sum(row[i][1] for row in wanted) for i in range(4)], atol=1e-12)

    def test_no_words(self):
        empty = numpy.zeros((0, 2, N), complex)
        for found in (propagate(empty, self.chip), jax.vmap(lambda x: propagate(x, self.chip))(empty)):
            self.assertEqual(found.shape, empty.shape)
        slope = jax.grad(lambda t: abs(propagate(empty, self.chip, theta=t)).sum())(jnp.asarray(self.chip.theta))
        numpy.testing.assert_array_equal(slope, 0 * self.chip.theta)

    def test_a_mesh_is_trained(self):
        wanted = optinc.haar_unitary(N, seed=9)

        @jax.jit
        def step(phases):
            value, slope = jax.value_and_grad(lambda p: (abs(matrix(self.chip, **p) - wanted) ** 2).sum())(phases)
            return value, {name: p - 0.05 * slope[name] for name, p in phases.items()}

        phases = {name: jnp.asarray(getattr(self.chip, name)) for name in ("theta", "phi", "output_phase")}
        losses = []
        for _ in range(60):
            loss, phases = step(phases)
            losses.append(float(loss))
        self.assertLess(losses[-1], 0.5 * losses[0])

    def test_an_element_of_a_circuit(self):
        small = optinc.Mesh.from_unitary(optinc.haar_unitary(2, seed=4))
        netlist = {"instances": {"a": "mesh", "b": "mesh"}, "connections": {"a,out0": "b,in1", "a,out1": "b,in0"},
                   "ports": {"in0": "a,in0", "in1": "a,in1", "out0": "b,out0", "out1": "b,out1"}}
        circuit, _ = sax.circuit(netlist, {"mesh": sax_model(small)})
        found = jax.jit(circuit)()
        u = small.matrix()
        wanted = u @ u[::-1]
        for i in range(2):
            for o in range(2):
                numpy.testing.assert_allclose(sax.sdict(found)[f"in{i}", f"out{o}"], wanted[o, i], atol=1e-12)

    # Fails when a call without jit leaves something behind (it compiled anew each time), or takes another mesh for its own.
    def test_calls_without_jit(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as statm:
                return int(statm.read().split()[1]) * 4096

        x, model = fields(2, N), sax_model(self.chip)
        meshes = [self.chip, *(optinc.Mesh(N).fabricate("doped-heaters", chip=chip) for chip in range(30))]

        def all_calls():
            for mesh in meshes:
                mesh.theta[0] += 0.1
                numpy.testing.assert_array_equal(propagate(x, mesh), mesh(x))
                jax.grad(lambda theta: abs(propagate(x, mesh, theta=theta))[0, 0])(jnp.asarray(mesh.theta))
                model()
            numpy.testing.assert_array_equal(propagate(x, optinc.Mesh(N)), optinc.Mesh(N)(x))

        all_calls()
        before = resident()
        all_calls()
        self.assertLess(resident() - before, 20e6)

    def test_refusals(self):
        for kind, sentence, call in (
            (TypeError, "no parameter gamma", lambda: propagate(fields(2, N), self.chip, gamma=0.1)),
            (TypeError, "fabricate", lambda: propagate(fields(2, N), optinc.Mesh(N), alpha=numpy.zeros(15))),
            (ValueError, "ports last", lambda: propagate(fields(2, N + 1), self.chip)),
            (ValueError, "theta has shape", lambda: propagate(fields(2, N), self.chip, theta=numpy.zeros(3))),
        ):
            with self.assertRaisesRegex(kind, sentence):
                call()
        with self.assertRaisesRegex(Exception, "theta.*nan"):
            numpy.asarray(jax.jit(lambda t: propagate(fields(2, N), self.chip, theta=t))(jnp.full(15, jnp.nan)))


if __name__ == "__main__":
    unittest.main()
