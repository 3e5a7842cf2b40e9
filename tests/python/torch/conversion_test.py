"""Models of PyTorch through meshes that have their weights. Needs PyTorch (Debian: python3-torch)."""

import copy
import pickle
import unittest
import warnings

import numpy
import torch
from optinc.torch import (
    MeshAttention,
    MeshConv1d,
    MeshConv2d,
    SigmaULinear,
    SvdLinear,
    conversion_report,
    fine_tune,
    from_linear,
)
from torch import nn


def converted(model, *arguments, **options):
    return from_linear(copy.deepcopy(model), *arguments, **options)


class Exact(unittest.TestCase):
    """Modules of PyTorch and the same through perfect meshes, in double precision."""

    def setUp(self):
        torch.manual_seed(1)
        torch.set_default_dtype(torch.float64)
        self.addCleanup(torch.set_default_dtype, torch.float32)

    def assert_same(self, model, *inputs, atol=1e-12, **options):
        inputs = [x.requires_grad_() if x.is_floating_point() else x for x in inputs]
        light, found = converted(model, exact=True), []
        for module in (model, light):
            y = module(*inputs, **options)
            y = y[0] if isinstance(y, tuple) else y
            found.append((y, *torch.autograd.grad((y * torch.arange(y.numel()).view_as(y)).mean(), inputs)))
        for wanted, seen in zip(*found):
            torch.testing.assert_close(seen, wanted, rtol=0, atol=atol * max(1, float(wanted.abs().max())))
        return light

    # Fails when a singular value meets another's row, or a mesh stands on the other side.
    def test_linear_layers_of_any_rectangle(self):
        for outputs, inputs in ((1, 1), (1, 7), (7, 1), (5, 5), (4, 9), (9, 4)):
            for bias in (True, False):
                self.assert_same(nn.Linear(inputs, outputs, bias=bias), torch.randn(2, 3, inputs))
        self.assert_same(nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 2)), torch.randn(4, 5))
        low = nn.Linear(6, 6)
        low.weight.data = torch.randn(6, 1) @ torch.randn(1, 6)  # one singular value
        self.assert_same(low, torch.randn(4, 6))
        low.weight.data.zero_()
        self.assert_same(low, torch.randn(4, 6))

    # Fails when light is received between the two meshes, which only perfect ones bear: fields there are complex.
    def test_light_stays_light_between_the_meshes(self):
        layer = converted(nn.Linear(6, 4, bias=False), "doped-heaters", exact=True)
        into, out = layer.into.on_chip().matrix(), layer.out.on_chip().matrix()
        wanted = (out @ (layer.sigma.detach().numpy()[:, None] * into[:4])).real
        numpy.testing.assert_allclose(layer.weight.detach(), wanted, atol=1e-12)

    # Fails when a patch is unfolded in another order, or a group has the meshes of another.
    def test_convolutions(self):
        for options in ({}, {"stride": 2, "padding": 1}, {"dilation": 2}, {"groups": 2}, {"padding": "same"},
                        {"padding": 2, "padding_mode": "reflect"}, {"bias": False}):
            self.assertIs(type(self.assert_same(nn.Conv1d(4, 6, 3, **options), torch.randn(2, 4, 11))), MeshConv1d)
            self.assertIs(type(self.assert_same(nn.Conv2d(4, 6, (3, 2), **options), torch.randn(2, 4, 9, 8))), MeshConv2d)

    # The same by hand: every unfolded patch of an image through the meshes themselves.
    def test_kernels_are_patches_through_light(self):
        light = converted(nn.Conv2d(2, 5, 3, padding=1), "good-lab", exact=True)
        x = torch.randn(2, 2, 6, 7)
        patches = nn.functional.unfold(x, 3, padding=1).transpose(1, 2)
        by_hand = light.light[0](patches) + light.bias
        torch.testing.assert_close(light(x).flatten(2).transpose(1, 2), by_hand, rtol=0, atol=1e-12)

    def test_attention(self):
        q, k, v = torch.randn(2, 3, 8), torch.randn(2, 5, 6), torch.randn(2, 5, 4)
        mask, padding = torch.ones(3, 3, dtype=torch.bool).triu(1), torch.tensor([[False] * 3, [False, False, True]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for options in ({}, {"bias": False}, {"add_bias_kv": True, "add_zero_attn": True}):
                light = self.assert_same(nn.MultiheadAttention(8, 2, kdim=6, vdim=4, batch_first=True, **options), q, k, v)
                self.assertIs(type(light), MeshAttention)
                for more in ({}, {"attn_mask": mask}, {"key_padding_mask": padding, "need_weights": False}):
                    self.assert_same(nn.MultiheadAttention(8, 2, batch_first=True, **options), q, q, q, **more)

    def test_transformers(self):
        x = torch.randn(2, 3, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0, batch_first=True)
        light = self.assert_same(layer, x)
        with torch.no_grad():  # PyTorch's fast path in evaluation
            torch.testing.assert_close(light.eval()(x), layer.eval()(x), rtol=0, atol=1e-12)
        self.assertEqual({type(m) for m in light.modules()} & {nn.Linear, nn.MultiheadAttention}, set())
        decoder = nn.TransformerDecoderLayer(8, 2, 16, dropout=0, batch_first=True)
        self.assert_same(decoder, x, torch.randn(2, 5, 8))

    def test_copies_and_files(self):
        model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(2), nn.TransformerEncoderLayer(4, 2, 8, dropout=0))
        x = torch.randn(3, 1, 4, 4)
        for options in ({"exact": True}, {}):
            light = converted(model, "good-lab", **options)
            wanted = light(x)
            other = converted(model, "good-lab", **options)
            with torch.no_grad():
                for p in other.parameters():
                    p += 0.1
            other.load_state_dict(light.state_dict())
            for found in (copy.deepcopy(light), pickle.loads(pickle.dumps(light)), other):
                self.assertTrue(torch.equal(found(x), wanted))


class Conversion(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    # Fails when phases are kept in half precision, whose steps are 1e-3 rad.
    def test_half_precision(self):
        linear = nn.Linear(16, 16).to(torch.bfloat16)
        self.assertLess(converted(linear, exact=True).off, 1e-6)
        found = converted(linear, exact=True)(torch.ones(2, 16, dtype=torch.bfloat16))
        self.assertEqual(found.dtype, torch.bfloat16)
        torch.testing.assert_close(found, linear(torch.ones(2, 16, dtype=torch.bfloat16)), rtol=0.02, atol=0.02)

    # What a layer says of itself is what NumPy finds in its matrix, on its chip.
    def test_how_far_weights_are_off(self):
        linear = nn.Linear(10, 4)
        for options in ({}, {"exact": True}):
            for preset in (None, "doped-heaters"):
                layer = converted(linear, preset, fresh_chip_every_step=preset is not None, **options).eval()
                found = (layer(torch.eye(10)) - layer.bias).detach().numpy().T
                wanted = linear.weight.detach().numpy()
                off = numpy.linalg.norm(found - wanted) / numpy.linalg.norm(wanted)
                self.assertAlmostEqual(layer.off, off, delta=1e-6)
                self.assertTrue(all(int(m.steps) == 0 for m in layer.modules() if hasattr(m, "steps")))

    def test_report(self):
        model = nn.ModuleDict({"image": nn.Conv2d(1, 2, 3), "words": nn.Embedding(5, 4), "recurrent": nn.LSTM(4, 4),
                               "attention": nn.MultiheadAttention(4, 2), "back": nn.ConvTranspose2d(2, 2, 3), "out": nn.Linear(4, 3),
                               "norm": nn.LayerNorm(4), "own": nn.Bilinear(2, 2, 2)})
        rows = conversion_report(converted(model, exact=True))
        kinds = {row["layer"]: row["kind"] for row in rows if not row["skipped"]}
        self.assertEqual(kinds, {name: "SvdLinear" for name in ("image.light.0", "attention.light.0", "attention.light.1",
                                                                "attention.light.2", "attention.out_proj", "out")})
        self.assertEqual({row["layer"]: row["skipped"].split(":")[0] for row in rows if row["skipped"]},
                         {"words": "a table that is looked up", "recurrent": "recurrent", "own": "no rule for this kind of module",
                          "back": "a convolution other than Conv1d and Conv2d"})
        self.assertEqual([row["mzis"] for row in rows if row["layer"] == "out"], [4 * 3 // 2 + 3 * 2 // 2])
        before = {row["layer"]: row["skipped"] for row in conversion_report(model)}
        self.assertTrue(before["out"].startswith("not given"))

    def test_meshes_have_numbers_of_their_own(self):
        model = nn.Sequential(nn.Conv1d(2, 2, 3, groups=2), nn.MultiheadAttention(4, 2), nn.Linear(4, 4))
        for options in ({"exact": True}, {}):
            light = converted(model, "good-lab", mesh_number=3, **options)
            numbers = [m.mesh_number for m in light.modules() if hasattr(m, "mesh_number")]
            self.assertEqual(sorted(numbers), list(range(3, 3 + len(numbers))))
            self.assertTrue(len(numbers) == 14 or not options)  # two for each of 2 + 4 + 1 products

    def test_frozen_stays_frozen(self):
        model = nn.Sequential(nn.Conv1d(2, 2, 3), nn.MultiheadAttention(4, 2))
        model[0].requires_grad_(False)
        with torch.no_grad():
            light = converted(model, exact=True)
        self.assertFalse(any(p.requires_grad for p in light[0].parameters()))
        self.assertTrue(all(p.requires_grad for p in light[1].parameters()))

    def test_refusals(self):
        tied = nn.Sequential(nn.Conv1d(2, 2, 1), nn.Conv1d(2, 2, 1))
        tied[1].weight = tied[0].weight
        for sentence, call in (
            ("a chip has no ties", lambda: from_linear(tied, exact=True)),
            ("4,096 ports at most", lambda: SvdLinear(4097, 1)),
            ("no batches", lambda: fine_tune(nn.Linear(2, 2), iter([(torch.ones(1, 2), torch.zeros(1).long())]), epochs=2)),
        ):
            with self.assertRaisesRegex(ValueError, sentence):
                call()
        self.assertIs(type(tied[0]), nn.Conv1d)

    # A task that the weights solve: Sigma U loses it, and finds it again.
    def test_fine_tuning(self):
        x = torch.randn(512, 12)
        rule = nn.Linear(12, 12)
        y = rule(x).argmax(1)
        model = nn.Sequential(converted(rule, "good-lab"), nn.Dropout(0.0)).eval()
        model[1].train()
        lost = (model(x).argmax(1) == y).float().mean()
        losses = fine_tune(model, list(zip(x.split(64), y.split(64))), epochs=30, learning_rate=1e-2)
        self.assertLess(losses[-1], 0.7 * losses[0])
        self.assertGreater((model(x).argmax(1) == y).float().mean(), lost + 0.1)
        self.assertEqual((model.training, model[0].training, model[1].training), (False, False, True))
        self.assertIsInstance(model[0], SigmaULinear)


if __name__ == "__main__":
    unittest.main()
