"""The all-reduce of PyTorch's data-parallel training, in light."""

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from . import (
    NoiseSwitches,
    ProgrammedChip,
    Task,
    Unit,
    block_maxima,
    decode,
    encode,
    exact_answers,
)

_BLOCK_WORDS = 512  # of the engine: parts of a call begin at multiples of it


class Averager:
    """Averages the gradients of a data-parallel training through a unit, as a communication hook of DDP:

        ddp.register_comm_hook(Averager(chip), Averager.hook)

    Ranks agree on a scale for every `block` gradients (their largest magnitude), gather each other's codes, and share
    out the words: every rank sends its part through the unit and gathers the answers of the others. Noise belongs to
    (seed of the chip, step, number of the word), not to who computes, and all ranks take the answers of server
    `server`: parameters stay the same on all ranks to the last bit. A real server would have receiver noise of its own.

    unit: a ProgrammedChip, with noise as `noise` says; a Unit, its network without devices; or None, exact arithmetic
    on codes of `bits` bits with `rounding` "half-even", "half-up", "floor" or "stochastic" (up with the probability of
    the remainder, drawn from `seed`). A unit has the number of its servers, bits and rounding from its task.

    error_feedback: every rank adds to its next gradient what its own codes left out of the last one.

    Counted, on this rank: `steps`; `words` that it had averaged and those among them that came back `wrong`, not the
    rounded mean of the codes; `wire_bytes` that it sent as codes and scales to the network, of what a server sends.

    Raises ValueError where the group has not as many ranks as the unit has servers, for units of a cascade, and in
    every rank where gradients are not finite in one.
    """

    def __init__(
        self,
        unit: ProgrammedChip | Unit | None = None,
        *,
        bits: int = 8,
        rounding: str = "half-even",
        block: int = 1024,
        noise: NoiseSwitches | None = None,
        server: int = 0,
        error_feedback: bool = False,
        seed: int = 1,
        group: dist.ProcessGroup | None = None,
    ) -> None:
        ranks = dist.get_world_size(group)
        self.unit, self.block, self.server, self.seed, self.group = unit, block, server, seed, group
        self.noise = NoiseSwitches.all() if noise is None else noise
        self.stochastic = unit is None and rounding == "stochastic"
        self.task = Task(ranks, bits, "floor" if self.stochastic else rounding) if unit is None else unit.task
        if self.task.servers != ranks:
            wrong = f"a unit for {self.task.servers} servers in a group of {ranks} ranks (one number). Change one."
            raise ValueError(wrong)
        if self.task.level != "flat":
            raise ValueError(f'a unit of level "{self.task.level}" of a cascade ("flat" ones return a mean). Take one.')
        self.residual: dict[Tensor, Tensor] | None = {} if error_feedback else None
        self.steps = self.words = self.wrong = self.wire_bytes = 0
        self._position = 0  # of the next word within its step

    @staticmethod
    def hook(state: "Averager", bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:
        """The communication hook: means of one bucket's gradients."""
        mean = state._average(bucket.buffer(), bucket.parameters())
        if bucket.is_last():
            state.steps += 1
            state._position = 0
        done: torch.futures.Future[Tensor] = torch.futures.Future()
        done.set_result(mean)
        return done

    def _average(self, gradients: Tensor, parameters: list[Tensor]) -> Tensor:
        if gradients.device.type != "cpu":
            raise ValueError(f"gradients are on {gradients.device} (the engine computes on CPUs). Train on CPUs.")
        to_send = gradients.detach().to(torch.float32)
        if self.residual is not None:
            left = [self.residual[p].flatten() if p in self.residual else torch.zeros(p.numel()) for p in parameters]
            to_send = to_send + torch.cat(left)
        scale = self._scale(to_send.numpy())
        codes = encode(to_send, scale, self.task.bits, self.block)
        if self.residual is not None:
            left_out = to_send - torch.from_numpy(decode(codes, scale, self.task.bits, self.block))
            for p, part in zip(parameters, left_out.split([p.numel() for p in parameters])):
                self.residual[p] = part.clone()
        self.wire_bytes += -(-len(codes) * self.task.bits // 8) + scale.nbytes
        received = self._received(codes)
        return torch.from_numpy(decode(received, scale, self.task.bits, self.block)).to(gradients.dtype)

    def _scale(self, gradients: np.ndarray) -> np.ndarray:
        """Every block's largest magnitude on any rank."""
        blocks = -(-len(gradients) // self.block)
        finite = bool(np.isfinite(gradients).all())
        scale = torch.from_numpy(block_maxima(gradients, self.block) if finite else np.full(blocks, np.inf, "f4"))
        dist.all_reduce(scale, dist.ReduceOp.MAX, self.group)
        if not bool(torch.isfinite(scale).all()):
            raise ValueError("gradients of a rank are NaN or infinite (only finite numbers have a code). "
                             "Lower the learning rate.")
        return np.asarray(scale.numpy())

    def _received(self, codes: np.ndarray) -> np.ndarray:
        """What comes back for this rank's codes."""
        ranks, rank = self.task.servers, dist.get_rank(self.group)
        blocks = -(-len(codes) // _BLOCK_WORDS)
        share = -(-blocks // ranks) * _BLOCK_WORDS
        everybodys = self._gathered(codes)[:, rank * share : (rank + 1) * share]
        answers = self._answers(everybodys, self._position + rank * share)
        self._position += blocks * _BLOCK_WORDS
        self.words += everybodys.shape[1]
        if not self.stochastic:
            self.wrong += int((answers != exact_answers(self.task, everybodys)).sum())
        padded = np.zeros(share, "u4")
        padded[: len(answers)] = answers
        return self._gathered(padded).ravel()[: len(codes)]

    def _gathered(self, codes: np.ndarray) -> np.ndarray:
        """Everybody's codes (ranks, n)."""
        narrow = codes.astype("u1" if self.task.bits <= 8 else "u2")
        sent = torch.from_numpy(narrow.view("u1"))  # PyTorch has no uint16
        parts = [torch.empty_like(sent) for _ in range(self.task.servers)]
        dist.all_gather(parts, sent, self.group)
        return np.asarray(torch.stack(parts).numpy()).view(narrow.dtype)

    def _answers(self, codes: np.ndarray, first_word: int) -> np.ndarray:
        if isinstance(self.unit, ProgrammedChip):
            return self.unit.average(codes, self.noise, self.server, self.steps, first_word)
        if isinstance(self.unit, Unit):
            return self.unit.average(codes)
        if not self.stochastic:
            return exact_answers(self.task, codes)
        draws = np.random.Philox(key=np.array([self.seed, self.steps], "u8"))
        draws.advance(first_word // 4)  # four numbers a step of its counter
        uniform = np.random.Generator(draws).random(codes.shape[1])
        return np.asarray(codes.mean(0) + uniform, "u4")
