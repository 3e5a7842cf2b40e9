"""Four processes train a small model by FSDP2 with gradients averaged through units; what torch2_test.py runs.

Asserted in every process; a failure of one ends all.
"""

import tempfile

import numpy
import optinc
import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from ddp_worker import RANKS, model, of_all_ranks, refused
from optinc.torch import Averager, MeshLayer, from_linear
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard


def trained(averager, steps=50):
    """All parameters after some steps, with PyTorch's own averages (None) or through an averager."""
    net, mesh = model(), init_device_mesh("cpu", (RANKS,))
    fully_shard(net[2], mesh=mesh)  # a unit of communication of its own
    fully_shard(net, mesh=mesh)
    for module in net.modules():
        if averager is not None and isinstance(module, FSDPModule):
            module.set_custom_reduce_scatter(averager.reduce_scatter)
    optimiser = torch.optim.SGD(net.parameters(), 0.1)
    data = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(steps):
        x = torch.randn(16, 20, generator=data)
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long() + (x[:, 1] > 1).long()).backward()
        optimiser.step()
    return torch.cat([p.full_tensor().detach().flatten() for p in net.parameters()])


def parts_are_those_of_the_units_average(chip):
    """Every rank keeps its quarter of the mean, or of the sum; every call has noise of its own."""
    n = 16_000
    gradients = numpy.random.default_rng(3).normal(size=(RANKS, n)).astype("f4")
    own, averager, rank = torch.from_numpy(gradients[dist.get_rank()]), Averager(chip), dist.get_rank()
    for step, (op, factor) in enumerate(((dist.ReduceOp.AVG, 1), (dist.ReduceOp.SUM, RANKS))):
        part = averager.reduce_scatter.allocate((n // RANKS,), dtype=own.dtype, device=own.device)
        averager.reduce_scatter(output_tensor=part, input_tensor=own, group=dist.group.WORLD, op=op)
        wanted = factor * chip.average_gradients(gradients, instant=step)
        numpy.testing.assert_array_equal(part.numpy(), wanted[rank * n // RANKS:(rank + 1) * n // RANKS])
    refused(ValueError, "a mean or a sum", lambda: averager.reduce_scatter(part, own, dist.group.WORLD, dist.ReduceOp.MAX))
    refused(ValueError, "belong to no parameter", lambda: Averager(error_feedback=True).reduce_scatter)
    alone = dist.new_group([rank], use_local_synchronization=True)
    refused(ValueError, "gradients of 1 ranks", lambda: averager.reduce_scatter(own, own, alone, dist.ReduceOp.AVG))


def complex_weights_are_those_of_pytorch():
    found = []
    for averager in (None, Averager(bits=16)):
        torch.manual_seed(0)
        model = torch.nn.Linear(4, 4, bias=False, dtype=torch.cfloat)
        fully_shard(model, mesh=init_device_mesh("cpu", (RANKS,)))
        if averager is not None:
            model.set_custom_reduce_scatter(averager.reduce_scatter)
        x = torch.tensor([[1 + 2j, 3j, 1, -1j]]) * (dist.get_rank() + 1)
        (model(x).abs() ** 2).sum().backward()
        found.append(torch.view_as_real(model.weight.grad.full_tensor()))
    assert (found[1] - found[0]).abs().max() < 1e-4 * found[0].abs().max()


def layers_of_meshes_train():
    """Parts of the weights on every rank, and the gradients of the whole on one."""
    def net():
        torch.manual_seed(3)
        return from_linear(torch.nn.Sequential(torch.nn.Linear(8, 6), MeshLayer(6, "good-lab", real=True), torch.nn.Linear(6, 2)),
                           "good-lab", mesh_number=3)

    x = torch.randn(4, 8, generator=torch.Generator().manual_seed(1))
    alone, shared = net(), fully_shard(net(), mesh=init_device_mesh("cpu", (RANKS,)))
    for _ in range(2):
        for model in (alone, shared):
            model.zero_grad()
            model(x).pow(2).mean().backward()
    for one, other in zip(alone.parameters(), shared.parameters()):
        torch.testing.assert_close(other.grad.full_tensor(), one.grad)


def work(rank, store):
    torch.set_num_threads(1)
    optinc.set_threads(1)
    dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=RANKS)
    chip = optinc.carry_chain(servers=RANKS, bits=8).fabricate("good-lab", seed=1, chip=3).program()
    parts_are_those_of_the_units_average(chip)
    complex_weights_are_those_of_pytorch()
    layers_of_meshes_train()

    exact = trained(None)
    start = torch.cat([p.detach().flatten() for p in model().parameters()])
    for averager, near in ((Averager(bits=16), 2e-3), (Averager(chip), 0.2)):
        off = ((trained(averager) - exact).norm() / (exact - start).norm()).item()
        assert 0 < off < near, off  # it went through the averager, and the way of exact averages
        assert averager.steps == 2 * 50 and of_all_ranks(averager.words) > 50 * len(exact)
    dist.barrier()
    if rank == 0:
        print("all equal: parts of means, and those of PyTorch nearly")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        processes.spawn(work, (f"{folder}/store",), RANKS)
