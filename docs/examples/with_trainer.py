"""The Trainer of Hugging Face, its gradients averaged in light: torchrun --nproc-per-node 4 docs/examples/with_trainer.py

A callback hooks into DDP when the training begins. Each step goes to the Trainer's logs.
"""

import tempfile

import optinc
import torch
from optinc.torch import Averager
from transformers import Trainer, TrainerCallback, TrainingArguments


class InLight(TrainerCallback):
    def __init__(self, averager):
        self.averager, self.trainer = averager, None

    def on_train_begin(self, args, state, control, **more):
        self.trainer.model_wrapped.register_comm_hook(self.averager, Averager.hook)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(20, 60), torch.nn.ReLU(), torch.nn.Linear(60, 2))

    def forward(self, x, labels):
        found = self.net(x)
        return {"loss": torch.nn.functional.cross_entropy(found, labels), "logits": found}


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(1)
    x = torch.randn(4096, 20)
    data = [{"x": row, "labels": int(row[0] > 0)} for row in x]
    chip = optinc.carry_chain(servers=4, bits=8).fabricate("good-lab").program(hardware=optinc.UnitHardware("idealised"))
    in_light = InLight(Averager(chip))
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(folder, max_steps=60, per_device_train_batch_size=32, learning_rate=0.01, use_cpu=True,
                                      ddp_backend="gloo", save_strategy="no", report_to=[], disable_tqdm=True, logging_steps=60)
        in_light.trainer = Trainer(Model(), arguments, train_dataset=data, callbacks=[in_light])
        found = in_light.trainer.train()
    if in_light.trainer.is_world_process_zero():
        averager = in_light.averager
        print(f"loss {found.training_loss:.3f}, {averager.steps} steps, {averager.wrong} of {averager.words} words wrong")
