"""Layers under torch.compile, and units as the reduce-scatter of FSDP2. Needs PyTorch 2.8 or newer (pip install torch)."""

import copy
import unittest

import optinc
import torch
from layers_test import N, fields, pass_on_four_processes
from optinc.torch import Activation, MeshLayer, from_linear
from torch import library


class Compiled(unittest.TestCase):
    """fullgraph: an error where torch.compile would leave its graph."""

    def stepped(self, layer, x):
        layer.zero_grad()
        x = x.clone().requires_grad_()
        y = layer(x)
        (y.abs() ** 2 * torch.arange(y.numel()).view_as(y)).sum().backward()
        return [y.detach(), x.grad, *(p.grad.clone() for p in layer.parameters())]

    # Fails when compiled layers of one shape pass for one, meet another chip, or give another's gradient.
    def test_compiled_layers_do_what_they_did(self):
        real, single = {"real": True, "dtype": torch.float64}, {"dtype": torch.float32}
        for number, settings in enumerate(({}, single, real, {"model": "foundry", **real})):
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
        layer = MeshLayer(N, "foundry", fresh_chip_every_step=True, dtype=torch.float64)
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
        layer = MeshLayer(N, "foundry", dtype=torch.float64)
        phases = [p.detach().requires_grad_() for p in layer.parameters()]
        library.opcheck(torch.ops.optinc.light, (fields(3, N).requires_grad_(), phases, layer._number, torch.tensor(-1)))

    # Fails when a compiled activation has another's device or gradient, or a copy is taken for it.
    def test_activations(self):
        first = Activation(optinc.ElectroOptic())
        second = copy.deepcopy(first)
        second.device = optinc.SaturableAbsorber()
        for layer in (first, second):
            compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
            for a, b in zip(self.stepped(layer, 0.1 * fields(2, N)), self.stepped(compiled, 0.1 * fields(2, N))):
                self.assertTrue(torch.equal(a, b))
            library.opcheck(torch.ops.optinc.activate, ((0.1 * fields(2, N)).requires_grad_(), layer._number))

    def test_linear_layers(self):
        model = from_linear(torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.ReLU(), torch.nn.Linear(3, 4)), "good-lab")
        x = torch.ones(2, 5)
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(x), model(x))


class FullySharded(unittest.TestCase):
    def test_four_processes(self):
        pass_on_four_processes(self, "fsdp_worker.py")


if __name__ == "__main__":
    unittest.main()
