"""FSDP2, its gradients reduced and scattered in light: torchrun --nproc-per-node 4 docs/examples/with_fsdp2.py"""

import optinc
import torch
import torch.distributed as dist
from optinc.torch import Averager
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard

if __name__ == "__main__":
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    torch.manual_seed(1)
    x = torch.randn(4096, 20)
    model = torch.nn.Sequential(torch.nn.Linear(20, 60), torch.nn.ReLU(), torch.nn.Linear(60, 2))
    chip = optinc.carry_chain(servers=4, bits=8).fabricate("good-lab").program(hardware=optinc.UnitHardware("idealised"))
    averager = Averager(chip)
    fully_shard(model, mesh=init_device_mesh("cpu", (4,)))
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.set_custom_reduce_scatter(averager.reduce_scatter)
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    for batch in x[dist.get_rank()::4].split(32) * 2:
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(batch), (batch[:, 0] > 0).long())
        loss.backward()
        optimiser.step()
    if dist.get_rank() == 0:
        print(f"loss {loss:.3f}, {averager.steps} steps, {averager.wrong} of {averager.words} words wrong")
    dist.destroy_process_group()
