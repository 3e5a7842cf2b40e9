"""Meshes as PyTorch layers, and units as the all-reduce of DDP. Needs PyTorch (Debian: python3-torch)."""

import copy
import io
import re
import subprocess
import sys
import unittest
import warnings
from pathlib import Path

import numpy
import optinc
import torch
from optinc.torch import Activation, MeshLayer, SigmaULinear, from_linear, propagate

N = 6


def fields(*shape, dtype=torch.complex128, seed=1):
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def pass_on_four_processes(case, worker):
    done = subprocess.run([sys.executable, str(Path(__file__).with_name(worker))], capture_output=True, text=True, timeout=300)
    case.assertEqual(done.returncode, 0, done.stdout + done.stderr)
    case.assertIn("all equal", done.stdout)


class Propagation(unittest.TestCase):
    def setUp(self):
        self.chip = optinc.Mesh.from_unitary(optinc.haar_unitary(N, seed=2)).fabricate("doped-heaters", seed=3)

    # Fails when a derivative of FieldGradient is another's, or the gradient of a field its conjugate.
    def test_gradients_of_everything_are_differences(self):
        names = ["theta", "phi", "output_phase", "alpha", "beta", "theta_arm_loss_db", "phi_arm_loss_db",
                 "theta_other_loss_db", "phi_other_loss_db"]
        for name in names[5:]:
            getattr(self.chip.errors, name)[:] += 0.1  # losses of 0 have no difference to one side
        start = [torch.tensor(getattr(self.chip if i < 3 else self.chip.errors, name), requires_grad=True)
                 for i, name in enumerate(names)]
        x = fields(2, 3, N).requires_grad_()

        def through(x, *values):
            return propagate(x, self.chip, **dict(zip(names, values)))

        self.assertTrue(torch.autograd.gradcheck(through, (x, *start)))

    # Fails when the gradient of an activation is its conjugate, or leaves out that of z*.
    def test_activations(self):
        for device in (optinc.ElectroOptic(), optinc.RingActivation(), optinc.SaturableAbsorber()):
            z = (0.1 * fields(2, N)).requires_grad_()
            self.assertTrue(torch.autograd.gradcheck(Activation(device), z))
            numpy.testing.assert_array_equal(Activation(device)(z).detach().numpy(), device(z.detach().numpy()))
            self.assertEqual(Activation(device)(z.to(torch.complex64)).dtype, torch.complex64)

    def test_fields_are_the_chips(self):
        x = fields(5, N)
        numpy.testing.assert_array_equal(propagate(x, self.chip).numpy(), self.chip(x.numpy()))
        single = propagate(x.to(torch.complex64), self.chip)
        numpy.testing.assert_array_equal(single.numpy(), self.chip(x.numpy().astype("c8")))
        numpy.testing.assert_array_equal(propagate(x.conj(), self.chip).numpy(), self.chip(x.numpy().conj()))
        self.assertEqual(propagate(x.real, self.chip).dtype, torch.complex128)

    # Fails when the device of now, not that which the light passed, gives the gradient.
    def test_an_activation_that_changes_meanwhile(self):
        layer, z = Activation(optinc.SaturableAbsorber()), (0.1 * fields(2, N)).requires_grad_()
        wanted = torch.autograd.grad(layer(z).abs().sum(), z)[0]
        y = layer(z)
        layer.device.absorption *= 0.5
        self.assertTrue(torch.equal(torch.autograd.grad(y.abs().sum(), z)[0], wanted))

    # Fails when what backward() needs is that of the last forward(), not of its own.
    def test_each_call_keeps_its_own_mesh(self):
        theta = [torch.tensor(self.chip.theta + off, requires_grad=True) for off in (0.0, 0.3)]
        x = fields(4, N)
        both = [propagate(x, self.chip, theta=t) for t in theta]
        gradients = [torch.autograd.grad(y.abs().pow(2)[:, 0].sum(), t)[0] for y, t in zip(both, theta)]
        alone = [torch.autograd.grad(propagate(x, self.chip, theta=t).abs().pow(2)[:, 0].sum(), t)[0] for t in theta]
        for found, wanted in zip(gradients, alone):
            numpy.testing.assert_array_equal(found, wanted)

    def test_the_mesh_itself_stays_as_it_was(self):
        before = self.chip.matrix()
        propagate(fields(4, N), self.chip, theta=torch.zeros(15), alpha=torch.full((15,), 0.1))
        numpy.testing.assert_array_equal(self.chip.matrix(), before)

    # Fails when arrays of other libraries are read as they lie in memory: PyTorch conjugates and negates lazily.
    def test_lazy_tensors(self):
        x = fields(2, N).to(torch.complex64)
        numpy.testing.assert_array_equal(self.chip(x), self.chip(x.numpy()))
        for sentence, call in (
            ("conjugate bit", lambda: self.chip(x.conj())),
            ("negative bit", lambda: optinc.encode(torch._neg_view(torch.ones(1)), [1.0])),
            ("requires grad", lambda: self.chip(fields(2, N).requires_grad_())),
        ):
            with self.assertRaisesRegex(RuntimeError, sentence):  # PyTorch's own
                call()

    def test_without_gradients(self):
        x = fields(2, N)
        with torch.no_grad():
            found = propagate(x, self.chip, theta=torch.tensor(self.chip.theta, requires_grad=True))
        numpy.testing.assert_array_equal(found.numpy(), self.chip(x.numpy()))

    def test_refusals(self):
        x = fields(2, N)
        for error, sentence, call in (
            (TypeError, "no parameter gamma", lambda: propagate(x, self.chip, gamma=x)),
            (TypeError, "alpha of a perfect mesh", lambda: propagate(x, optinc.Mesh(N), alpha=torch.zeros(15))),
            (ValueError, "theta has shape", lambda: propagate(x, self.chip, theta=torch.zeros(3))),
            (ValueError, "the mesh has 6 ports", lambda: propagate(x[:, :5], self.chip)),
            (ValueError, "computes on CPUs", lambda: propagate(x, self.chip, theta=torch.zeros(15, device="meta"))),
            (ValueError, "MZI 0", lambda: propagate(x, self.chip, theta=torch.full((15,), torch.nan))),
        ):
            with self.assertRaisesRegex(error, sentence):
                call()


class Layers(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def test_perfect_layer_is_its_unitary(self):
        unitary = optinc.haar_unitary(N, seed=4)
        layer = MeshLayer(N, unitary=unitary, dtype=torch.float64)
        x = fields(3, N)
        numpy.testing.assert_allclose(layer(x).detach(), x.numpy() @ unitary.T, atol=1e-13)
        layer.real = True
        numpy.testing.assert_allclose(layer(x.real).detach(), (x.real.numpy() @ unitary.T).real, atol=1e-13)

    # Fails when training meets the chips that evaluation looks at, or the same chip twice.
    def test_fresh_chips(self):
        layer = MeshLayer(N, "doped-heaters", fresh_chip_every_step=True, dtype=torch.float64)
        x = fields(3, N)
        seen = [layer(x).detach() for _ in range(3)]
        layer.eval()
        for chip in range(3):
            layer.chip = chip
            self.assertTrue(torch.equal(layer(x), layer(x)))
            numpy.testing.assert_array_equal(layer(x).detach(), layer.mesh().fabricate("doped-heaters", 1, chip)(x.numpy()))
            seen.append(layer(x).detach())
        for i, one in enumerate(seen):
            for other in seen[:i]:
                self.assertGreater((one - other).abs().max(), 1e-3)

    # Fails when chips of training are not dies of the wafer, or are those of evaluation.
    def test_chips_of_a_wafer(self):
        process = optinc.ProcessModel()
        process.width_field_m, process.correlation_length_m = 3e-9, 1e-3
        wafer = optinc.Wafer(process)
        layer = MeshLayer(N, "good-lab", wafer=wafer, fresh_chip_every_step=True, chip=3, dtype=torch.float64)
        x = fields(3, N)
        for chip in (2**31, 2**31 + 1, 3):
            layer.train(chip > 3)
            die = layer.mesh().fabricate("good-lab", 1, chip, wafer=wafer)
            numpy.testing.assert_array_equal(layer(x).detach(), die(x.numpy()))
            self.assertGreater(abs(die.errors.alpha - layer.mesh().fabricate("good-lab", 1, chip).errors.alpha).max(), 1e-4)

    def test_training_on_fresh_chips_takes_up_where_it_stopped(self):
        layer = MeshLayer(N, "doped-heaters", fresh_chip_every_step=True)
        layer(fields(1, N))
        again = MeshLayer(N, "doped-heaters", fresh_chip_every_step=True, seed=1)
        again.load_state_dict(layer.state_dict())
        x = fields(3, N)
        self.assertTrue(torch.equal(layer(x), again(x)))

    def test_a_measured_chip(self):
        chip = optinc.Mesh.from_unitary(optinc.haar_unitary(N)).fabricate("good-lab", seed=8)
        chip.errors.alpha[:] = 0.05
        layer = MeshLayer(N, measured=chip, dtype=torch.float64)
        numpy.testing.assert_allclose(layer.on_chip().matrix(), chip.matrix(), atol=1e-12)

    # What cannot go through the engine is refused with a reason: the tensors have no values, or are recorded only.
    def test_functional_transforms_and_traces(self):
        layer, x = MeshLayer(N, real=True, dtype=torch.float64), fields(N).real
        jacobian = torch.autograd.functional.jacobian
        numpy.testing.assert_allclose(jacobian(layer, x), layer.on_chip().matrix().real, atol=1e-12)
        calls = [lambda: jacobian(layer, x, vectorize=True)]
        if hasattr(torch, "func"):
            calls += [lambda: torch.func.jacrev(layer)(x), lambda: torch.func.vmap(layer)(x[None]),
                      lambda: torch.func.grad(lambda v: layer(v).sum())(x),
                      lambda: torch.func.vmap(lambda v: propagate(v, layer.mesh()))(x[None]),
                      lambda: torch.func.vmap(Activation(optinc.Softplus()))(x[None])]
        for call in calls:
            with self.assertRaisesRegex(RuntimeError, "vmap and vectorised Jacobians"):
                call()
        for grad in (True, False):
            with torch.set_grad_enabled(grad), warnings.catch_warnings(), self.assertRaisesRegex(RuntimeError, "being traced"):
                warnings.simplefilter("ignore")
                torch.jit.trace(layer, (x,))

    def test_copies_and_files(self):
        x = fields(3, N)
        for layer in (MeshLayer(N, "doped-heaters"), MeshLayer(N, measured=optinc.Mesh(N).fabricate("doped-heaters"))):
            wanted = layer(x)
            file = io.BytesIO()
            torch.save(layer, file)
            file.seek(0)
            for other in (copy.deepcopy(layer), torch.load(file, weights_only=False)):
                self.assertTrue(torch.equal(other(x), wanted))
                with torch.no_grad():
                    other.theta += 0.1
            self.assertTrue(torch.equal(layer(x), wanted))

    def test_weights_of_another_wiring(self):
        with self.assertRaisesRegex(ValueError, "phases of a clements mesh for a reck one"):
            MeshLayer(N, topology="reck").load_state_dict(MeshLayer(N).state_dict())

    # Fails when what was drawn for one chip is kept for another.
    def test_another_model_is_another_chip(self):
        layer = MeshLayer(N, optinc.ErrorModel(sigma_eta_rad=0.01))
        before = layer.on_chip().errors.alpha.copy()
        layer.model.sigma_eta_rad = 0.02
        numpy.testing.assert_allclose(layer.on_chip().errors.alpha, 2 * before, rtol=1e-12)
        layer.mesh_number = 5
        self.assertGreater(abs(layer.on_chip().errors.alpha - 2 * before).max(), 1e-3)

    def test_half_precision_and_changes_in_place(self):
        layer = MeshLayer(N, real=True)
        torch.nn.Sequential(layer, torch.nn.ReLU(inplace=True))(torch.ones(2, N)).sum().backward()
        wanted = layer(torch.ones(2, N))
        for dtype in (torch.float16, torch.bfloat16):
            found = layer.to(dtype)(torch.ones(2, N, dtype=dtype))
            found.sum().backward()
            self.assertEqual(found.dtype, dtype)
            self.assertLess((found - wanted).abs().max(), 0.05)

    # A mesh learns a unitary: phases find it from others by gradients through the chip.
    def test_a_layer_learns(self):
        target = torch.tensor(optinc.haar_unitary(4, seed=9))
        layer = MeshLayer(4, optinc.ErrorModel(sigma_eta_rad=0.02, sigma_cal_rad=0.02), dtype=torch.float64)
        optimiser = torch.optim.Adam(layer.parameters(), 0.1)
        x = torch.eye(4, dtype=torch.complex128)
        losses = []
        for _ in range(600):
            optimiser.zero_grad()
            loss = (layer(x) - target.T).abs().pow(2).sum()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        self.assertLess(losses[-1], 1e-3 * losses[0])

    def test_refusals(self):
        for sentence, arguments in (
            ("fresh chips without a model", {"fresh_chip_every_step": True}),
            ("a wafer without a model", {"wafer": optinc.Wafer()}),
            ("Give one", {"model": "good-lab", "measured": optinc.Mesh(N).fabricate("ideal")}),
            ("a mesh of 5 ports for a layer of 6", {"measured": optinc.Mesh(5).fabricate("ideal")}),
            ("a mesh of 4 ports", {"unitary": numpy.eye(4)}),
            ("others are those of training", {"model": "good-lab", "chip": 1 << 31}),
            ("preset", {"model": "no-such-preset"}),
            ("not unitary", {"unitary": numpy.ones((N, N))}),
        ):
            with self.assertRaisesRegex(ValueError, sentence):
                MeshLayer(N, **arguments)


class Linear(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    # Square, wide, tall, and tall cut short, whose last rows no gain drives: Sigma U goes through the meshes as it is.
    def test_sigma_u_matrices_are_kept(self):
        for outputs, inputs in ((4, 4), (4, 8), (9, 3), (7, 3)):
            n, blocks = min(outputs, inputs), -(-max(outputs, inputs) // min(outputs, inputs))
            rng = numpy.random.default_rng(outputs)
            parts = [rng.normal(size=(n, 1)) * numpy.linalg.qr(rng.normal(size=(n, n)))[0] for _ in range(blocks)]
            whole = numpy.concatenate(parts, 0 if outputs > inputs else 1)[:outputs, :inputs]
            layer = SigmaULinear(inputs, outputs, weight=torch.tensor(whole))
            found = layer(torch.eye(inputs, dtype=torch.float64)).detach().numpy().T
            self.assertLess(numpy.linalg.norm(found - whole) / numpy.linalg.norm(whole), 1e-6, (outputs, inputs))

    # Fails when the blocks of a wide layer that does not divide read other inputs than theirs.
    def test_wide_layers_that_do_not_divide(self):
        layer = SigmaULinear(10, 4, weight=torch.randn(4, 10, dtype=torch.float64))
        blocks = [s[:, None].detach().numpy() * mesh.mesh().matrix().real for s, mesh in zip(layer.sigma, layer.meshes)]
        found = layer(torch.eye(10, dtype=torch.float64)).detach().numpy().T
        numpy.testing.assert_allclose(found, numpy.concatenate(blocks, 1)[:, :10], atol=1e-12)
        wanted = torch.randn(4, 10).numpy()
        # One unitary matrix for both of an SVD: of random weights it leaves about half.
        near = SigmaULinear(10, 4, weight=torch.tensor(wanted))(torch.eye(10)).detach().numpy().T
        self.assertLess(numpy.linalg.norm(near - wanted), 0.7 * numpy.linalg.norm(wanted))

    def test_refusals(self):
        layer = SigmaULinear(6, 4)
        for sentence, call in (
            ("needs (.., 6)", lambda: layer(torch.ones(2, 7))), ("needs (.., 6)", lambda: layer(torch.ones(2, 5))),
            ("weight of shape", lambda: SigmaULinear(3, 3, weight=torch.ones(1, 3))),
            ("finite", lambda: SigmaULinear(2, 2, weight=torch.full((2, 2), torch.nan))),
            ("0 inputs", lambda: SigmaULinear(0, 3)),
        ):
            with self.assertRaisesRegex(ValueError, re.escape(sentence)):
                call()

    def test_every_linear_layer_of_a_model(self):
        model = torch.nn.Sequential(torch.nn.Linear(5, 10), torch.nn.ReLU(),
                                    torch.nn.Sequential(torch.nn.Linear(10, 5, bias=False)))
        bias = model[0].bias.detach().clone()
        converted = from_linear(model, "good-lab")
        self.assertIs(converted, model)
        self.assertTrue(torch.equal(model[0].bias, bias))
        self.assertIsNone(model[2][0].bias)
        self.assertEqual([m.mesh_number for m in model.modules() if isinstance(m, MeshLayer)], [0, 1, 2, 3])
        model(torch.ones(3, 5)).sum().backward()
        self.assertTrue(all(p.grad is not None and bool(torch.isfinite(p.grad).all()) for p in model.parameters()))
        self.assertIsInstance(from_linear(torch.nn.Linear(3, 3)), SigmaULinear)

    def test_what_a_model_was_it_stays(self):
        linear = torch.nn.Linear(4, 4)
        model = torch.nn.ModuleDict({"a": linear, "b": linear, "c": torch.nn.Sequential(linear, torch.nn.Linear(4, 4))})
        model["c"][1].requires_grad_(False)
        from_linear(model.eval(), "good-lab", mesh_number=7, fresh_chip_every_step=True)
        self.assertIs(model["a"], model["b"])
        self.assertIs(model["a"], model["c"][0])
        self.assertFalse(any(m.training for m in model.modules()))
        self.assertTrue(all(p.requires_grad for p in model["a"].parameters()))
        self.assertFalse(any(p.requires_grad for p in model["c"][1].parameters()))
        self.assertEqual(sorted(m.mesh_number for m in model.modules() if isinstance(m, MeshLayer)), [7, 8])

    # Fails when evaluation takes PyTorch's fast path, which knows no light, or looks for weights on its way there.
    def test_attention_in_evaluation(self):
        torch.manual_seed(1)
        layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0, batch_first=True)
        x, mask = torch.randn(2, 3, 8), torch.tensor([[False, False, False], [False, False, True]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of nested tensors, in some versions
            for model in (layer, torch.nn.TransformerEncoder(layer, 2), from_linear(copy.deepcopy(layer))):
                model = from_linear(copy.deepcopy(model), "good-lab")
                for padding in (None, mask):
                    wanted = model.train()(x, src_key_padding_mask=padding).detach()
                    for grad in (True, False):
                        with torch.set_grad_enabled(grad):
                            found = model.eval()(x, src_key_padding_mask=padding)
                        torch.testing.assert_close(found, wanted, rtol=0, atol=1e-5)

    # Fails when a model is changed in part before the refusal.
    def test_complex_weights(self):
        model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3, dtype=torch.complex64))
        with self.assertRaisesRegex(ValueError, "complex weights"):
            from_linear(model)
        self.assertIs(type(model[0]), torch.nn.Linear)

    def test_tied_weights(self):
        model = torch.nn.Sequential(torch.nn.Embedding(5, 3), torch.nn.Linear(3, 5))
        model[1].weight = model[0].weight
        with self.assertRaisesRegex(ValueError, "a chip has no ties"):
            from_linear(model)


class Readme(unittest.TestCase):
    def test_example(self):
        page = Path(__file__).resolve().parents[3] / "python" / "README.md"
        example = re.search(r"## PyTorch\n\n```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[1]
        names = {}
        exec(compile(example, page.name, "exec"), names)
        self.assertEqual(tuple(names["model"](torch.ones(2, 784)).shape), (2, 10))


class DataParallel(unittest.TestCase):
    def test_four_processes(self):
        pass_on_four_processes(self, "ddp_worker.py")


if __name__ == "__main__":
    unittest.main()
