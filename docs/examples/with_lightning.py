"""Lightning, its gradients averaged in light: torchrun --nproc-per-node 4 docs/examples/with_lightning.py

The averager is a callback: it hooks into DDP when the training begins, and stands in the checkpoints. (On CPUs,
DDPStrategy(ddp_comm_hook=...) registers none.)
"""

import lightning
import optinc
import torch
from optinc.torch import Averager


class InLight(lightning.Callback):
    def __init__(self, averager):
        self.averager = averager

    def on_train_start(self, trainer, module):
        trainer.strategy.model.register_comm_hook(self.averager, Averager.hook)

    def state_dict(self):
        return self.averager.state_dict()

    def load_state_dict(self, state):
        self.averager.load_state_dict(state)


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(20, 60), torch.nn.ReLU(), torch.nn.Linear(60, 2))

    def training_step(self, batch):
        loss = torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


if __name__ == "__main__":
    torch.set_num_threads(1)
    lightning.seed_everything(1, verbose=False)
    x = torch.randn(4096, 20)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, (x[:, 0] > 0).long()), 32)
    chip = optinc.carry_chain(servers=4, bits=8).fabricate("good-lab").program(hardware=optinc.UnitHardware("idealised"))
    averager = Averager(chip)
    trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", devices=4, strategy="ddp", logger=False,
                                enable_progress_bar=False, enable_checkpointing=False, callbacks=[InLight(averager)])
    trainer.fit(Model(), data)
    if trainer.is_global_zero:
        print(f"loss {trainer.callback_metrics['loss']:.3f}, {averager.steps} steps, {averager.wrong} of {averager.words} words wrong")
