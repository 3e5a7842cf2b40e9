"""Layers under torch.compile, and units as the reduce-scatter of FSDP2. Needs PyTorch 2.8 or newer (pip install torch)."""

import copy
import gc
import unittest

import optinc
import torch
from layers_test import N, fields, pass_on_four_processes
from optinc.torch import Activation, MeshLayer, from_linear
from torch import library


class Compiled(unittest.TestCase):
    """fullgraph: an error where torch.compile would leave its graph."""

    def setUp(self):
        torch.compiler.reset()  # which compiles one function for eight layers at most

    def stepped(self, layer, x):
        layer.zero_grad()
        x = x.clone().requires_grad_()
        y = layer(x)
        (y.abs() ** 2 * torch.arange(y.numel()).view_as(y)).sum().backward()
        return [y.detach(), x.grad, *(p.grad.clone() for p in layer.parameters())]

    # Fails when compiled layers of one shape pass for one, meet another chip, or give another's gradient.
    def test_compiled_layers_do_what_they_did(self):
        real, single = {"real": True, "dtype": torch.float64}, {"dtype": torch.float32}
        for number, settings in enumerate(({}, single, real, {"model": "doped-heaters", **real})):
            layer = MeshLayer(N, mesh_number=number, **{"dtype": torch.float64, **settings})
            x = fields(3, N)
            x = x.real if layer.real else x.to(torch.complex64) if settings is single else x
            compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
            for _ in range(2):
                for a, b in zip(self.stepped(layer, x), self.stepped(compiled, x)):
                    torch.testing.assert_close(a, b, rtol=0, atol=0)
                with torch.no_grad():
                    layer.theta += 0.1

    # Fails when a compiled layer stays on one chip, or its copy is taken for it.
    def test_fresh_chips_and_copies(self):
        layer = MeshLayer(N, "doped-heaters", fresh_chip_every_step=True, dtype=torch.float64)
        other = copy.deepcopy(layer)
        other.seed = 7
        x = fields(3, N)
        for one in (layer, other):
            compiled, plain = torch.compile(one, fullgraph=True, backend="aot_eager"), copy.deepcopy(one)
            seen = [compiled(x) for _ in range(3)]
            self.assertEqual(int(one.steps), 3)
            for y in seen:
                self.assertTrue(torch.equal(y, plain(x)))
            self.assertFalse(torch.equal(seen[0], seen[1]))
            self.assertTrue(torch.equal(compiled.eval()(x), plain.eval()(x)))

    def test_the_operator_keeps_its_contract(self):
        layer = MeshLayer(N, "doped-heaters", dtype=torch.float64)
        phases = [p.detach().requires_grad_() for p in layer.parameters()]
        library.opcheck(torch.ops.optinc.light, (fields(3, N).requires_grad_(), phases, layer._number, torch.tensor(-1)))

    # Fails when the backward pass asks the layer, whose chip is another by then: losses of several chips, one gradient.
    def test_every_call_has_the_gradient_of_its_own_chip(self):
        measured = [optinc.Mesh(N).fabricate("doped-heaters", chip=chip) for chip in range(2)]
        models = [optinc.ErrorModel(sigma_eta_rad=0.05 * k, sigma_cal_rad=0.2) for k in (1, 2)]
        for settings, name, values in (({"model": models[0]}, "chip", range(3)), ({"model": models[0]}, "seed", (1, 2)),
                                       ({"model": models[0]}, "mesh_number", (0, 5)), ({"model": models[0]}, "model", models),
                                       ({"measured": measured[0]}, "measured", measured)):
            layer, x = MeshLayer(N, dtype=torch.float64, **settings), fields(4, N)

            def gradient(run):
                layer.zero_grad()
                losses = []
                for value in values:
                    setattr(layer, name, value)
                    losses.append((run(x).abs() ** 2)[:, 0].sum())
                torch.stack(losses).mean().backward()
                return layer.theta.grad.clone()

            for backend in ("aot_eager", *(["inductor"] if name == "chip" else [])):
                found = gradient(torch.compile(layer, fullgraph=True, backend=backend))
                torch.testing.assert_close(found, gradient(layer), rtol=0, atol=1e-14)

    # Fails when the backward pass looks for a layer that nobody has kept.
    def test_a_layer_that_is_gone(self):
        layer, x = MeshLayer(N, "doped-heaters", dtype=torch.float64), fields(3, N)
        wanted = self.stepped(layer, x)[2:]
        layer.zero_grad()
        kept, y = list(layer.parameters()), torch.compile(layer, backend="aot_eager")(x)
        del layer
        torch.compiler.reset()
        gc.collect()
        (y.abs() ** 2 * torch.arange(y.numel()).view_as(y)).sum().backward()
        for parameter, gradient in zip(kept, wanted):
            self.assertTrue(torch.equal(parameter.grad, gradient))
        with self.assertRaisesRegex(RuntimeError, "a layer that is gone"):
            torch.ops.optinc.light(x, [p.detach() for p in kept], 1 << 40, torch.tensor(-1))

    # Fails when a compiled function sets a chip after it has used it, as compiled functions do with attributes.
    def test_chips_set_in_a_compiled_function(self):
        layer, x = MeshLayer(N, "doped-heaters", dtype=torch.float64), fields(3, N)

        def loss(x):
            total = 0
            for chip in range(3):
                layer.chip = chip
                total = total + layer(x).abs().pow(2)[:, 0].sum()
            return total

        wanted = loss(x)
        torch.testing.assert_close(torch.compile(loss, backend="aot_eager")(x), wanted, rtol=1e-14, atol=0)
        torch.compiler.reset()
        with self.assertRaisesRegex(Exception, "Set it outside"):
            torch.compile(loss, backend="aot_eager", fullgraph=True)(x)

    # Fails when a program is exported that takes whichever layer another process has.
    def test_exports_are_refused(self):
        for layer in (MeshLayer(N, "doped-heaters"), Activation(optinc.ElectroOptic())):
            for strict in (False, True):
                with self.assertRaisesRegex(Exception, "torch.export of a"):
                    torch.export.export(layer, (fields(3, N),), strict=strict)

    # Fails when a compiled activation has another's device or gradient, or a copy is taken for it.
    def test_activations(self):
        first = Activation(optinc.ElectroOptic())
        second = copy.deepcopy(first)
        second.device = optinc.SaturableAbsorber()
        for layer in (first, second):
            compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
            for a, b in zip(self.stepped(layer, 0.1 * fields(2, N)), self.stepped(compiled, 0.1 * fields(2, N))):
                self.assertTrue(torch.equal(a, b))
            z = (0.1 * fields(2, N)).requires_grad_()
            wanted = torch.autograd.grad(layer(z).abs().sum(), z)[0]
            y, device = compiled(z), layer.device
            layer.device = optinc.LeakyRelu()
            self.assertTrue(torch.equal(torch.autograd.grad(y.abs().sum(), z)[0], wanted))
            layer.device = device
            library.opcheck(torch.ops.optinc.activate, ((0.1 * fields(2, N)).requires_grad_(), layer._number))

    def test_linear_layers(self):
        model = from_linear(torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.ReLU(), torch.nn.Linear(3, 4)), "good-lab")
        x = torch.ones(2, 5)
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(x), model(x))

    # Fails when a Linear is replaced whose weights its owner reads.
    @unittest.skipUnless(hasattr(torch.nn, "LinearCrossEntropyLoss"), "no such loss in this version")
    def test_a_loss_with_a_linear_layer(self):
        loss = torch.nn.LinearCrossEntropyLoss(4, 3)
        x, target = torch.ones(2, 4), torch.tensor([0, 2])
        wanted = loss(x, target)
        self.assertTrue(torch.equal(from_linear(loss)(x, target), wanted))


class FullySharded(unittest.TestCase):
    def test_four_processes(self):
        pass_on_four_processes(self, "fsdp_worker.py")


if __name__ == "__main__":
    unittest.main()
