"""The all-reduce of PyTorch's data-parallel training, in light."""

import functools
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Union

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from . import Cascade, NoiseSwitches, ProgrammedChip, ResponseTable, Task, Unit, block_maxima, decode, encode, exact_answers
from ._cascade import answers

_COUNTED = ("words", "wrong", "clipped", "wire_bytes", "seconds")
_OF_THIS_PROCESS = ("_host_group", "_worker")


_Averages = Union[ProgrammedChip, ResponseTable, Unit, Cascade, None]


class Averager:
    """Averages the gradients of a data-parallel training through a unit, as a communication hook of DDP:

        ddp.register_comm_hook(Averager(chip), Averager.hook)

    or as the reduce-scatter of FSDP2 (PyTorch 2.8):

        for module in model.modules():
            if isinstance(module, FSDPModule):
                module.set_custom_reduce_scatter(averager.reduce_scatter)

    Ranks agree on a scale for every `block` gradients (their largest magnitude), gather each other's codes, and share
    out the words: every rank sends its part through the unit and gathers the answers of the others. Noise belongs to
    (seed of the chip, step, number of the word), not to who computes, and all ranks take the answers of server
    `server`: parameters stay the same on all ranks to the last bit. With `own`, every rank takes what its own server
    receives of all words, as in a star: where receivers' noise decides differently, copies of the model drift apart.
    Parts are sent one by one, so that words in succession (time.sampling of the chip's hardware) meet other neighbours
    at the ends of the parts than in one transmission. Blocks with a gradient that is NaN or infinite come back as NaN.

    unit: a ProgrammedChip, with noise as `noise` says (all of it, if not given); its ResponseTable (chip.table()), which
    takes a tenth of the time; a Unit, its network without devices; a Cascade of these, for N^2 ranks; a function of the
    step that gives one of them, such as lambda step: service.at(step // 50) of a Service, all of one task; or None, exact
    arithmetic on codes of `bits` bits (8) and `rounding` "half-even" (if not given), "half-up" or "floor". A unit's task
    says the number of its servers, bits and rounding. `arithmetic` of a ProgrammedChip: "float64" or "float32"
    (ProgrammedChip.average).

    Units of reduction "saturated-sum" take codes of log2(servers) bits less, rounded up, whose sum they can say: nothing is
    rounded but gradients. Those of "majority" take the signs of gradients, and give back the sign of most times the mean
    magnitude of the block over all ranks: signSGD by majority vote, scaled.

    stochastic: servers round their gradients to the code above or below, with probabilities that make the mean right,
    drawn from `seed`; otherwise to the nearer one. An analogue sum whose task rounds at random always does.
    error_feedback: every rank adds to its next gradient what its own codes left out of the last one; with "unit", also
    what the unit left out of the mean by rounding and noise, times the ranks, added by the rank that sent those words. A
    rank of this simulator knows that; servers would need it sent (the codes' exact sums, as digit sums send them).
    group: that of DDP, if it has one of its own.

    overlap: a thread averages while the backward pass goes on, through a group of gloo of its own for all ranks, or
    through `group`, which nothing else may use then. Results have the same bits. cuda: gradients on GPUs are copied to the
    host, averaged there and copied back, through such a group as well. It has run on no GPU yet.

    Counted, on this rank: `steps`; `words` that it averaged, those of them that came back `wrong`, not as the rounded
    mean of the codes (of an analogue sum, as their sum), and those of the wrong that stand `clipped` at an end of the
    range; `wire_bytes`: what its codes and scales take on the network of the units; `seconds` in averages. log: called
    after every step with a dict of "step", what this step added to each of these, and "scale", the largest of its
    blocks: log=wandb.log, log=print. With overlap, the thread calls it.

    state_dict() and load_state_dict() keep all that in checkpoints, so that noise of later steps is another one and what
    error feedback holds back is not lost. Under FSDP2 every reduce-scatter is a step. The order of DDP's buckets is not
    kept: the first step after a restart has blocks of other gradients, unless there is one bucket.

    Gradients are sent as float32, complex ones as real and imaginary parts; those of float64 first lose a power of two
    that all ranks agree on.

    Raises TypeError for another kind of unit, ValueError where the group has not as many ranks as the unit has servers
    (at the first step, where there is no group yet), for single units of a cascade, and for arguments out of range; at a step,
    TypeError for sparse gradients.
    """

    def __init__(
        self,
        unit: _Averages | Callable[[int], _Averages] = None,
        *,
        bits: int | None = None,
        rounding: str | None = None,
        block: int = 1024,
        noise: NoiseSwitches | None = None,
        server: int = 0,
        own: bool = False,
        arithmetic: str = "float64",
        stochastic: bool = False,
        error_feedback: bool | str = False,
        seed: int = 1,
        group: dist.ProcessGroup | None = None,
        overlap: bool = False,
        cuda: bool = False,
        log: Callable[[dict[str, float]], object] | None = None,
    ) -> None:
        self._of_step = unit if callable(unit) else None
        if callable(unit):
            unit = unit(0)
        if not isinstance(unit, (ProgrammedChip, ResponseTable, Unit, Cascade, type(None))):
            raise TypeError(f"unit is a {type(unit).__name__} (needs a ProgrammedChip, a ResponseTable, a Unit, a Cascade, a function "
                            "of the step that gives one, or None). Program a chip: chip.program().")
        parts = [*unit.below, unit.above] if isinstance(unit, Cascade) else [unit]
        chips = any(isinstance(part, ProgrammedChip) for part in parts)
        if noise is not None and not chips:
            raise ValueError("noise applies only to a ProgrammedChip (a ResponseTable has its own). Remove noise.")
        if arithmetic not in ("float64", "float32"):
            raise ValueError(f'arithmetic "{arithmetic}" (float64 or float32). Choose one of them.')
        if arithmetic != "float64" and not chips:
            raise ValueError(f'arithmetic "{arithmetic}" applies only to a ProgrammedChip. Remove arithmetic.')
        if server != 0 and isinstance(unit, (ResponseTable, Cascade)):
            raise ValueError(f"server {server} of a {type(unit).__name__} (its answers are those of any server). Remove server.")
        if own and (server != 0 or not isinstance(unit, ProgrammedChip)):
            raise ValueError("own answers of every rank need a ProgrammedChip, whose servers have noise of their own, and no "
                             "server. Leave own out.")
        if unit is not None and (bits, rounding) != (None, None):
            raise ValueError("bits or rounding beside a unit (its task has both). Leave them out.")
        if error_feedback not in (False, True, "unit"):
            raise ValueError(f'error_feedback "{error_feedback}" (False, True or "unit"). Choose one of them.')
        if own and error_feedback == "unit":
            raise ValueError('error_feedback "unit" with own answers (every rank\'s are others). Give error_feedback=True.')
        block_maxima([0.0], block)  # refuses blocks that cannot be
        self.unit, self.block, self.server, self.own, self.seed, self.group = unit, block, server, own, seed, group
        self.bits, self.rounding = bits, rounding
        self.noise = NoiseSwitches.all() if noise is None else noise
        self._block_words = 4096 if any(isinstance(part, ResponseTable) for part in parts) else 512  # parts of a call begin there
        self.arithmetic = arithmetic
        of_task = unit is not None and (unit.task.outputs, unit.task.rounding) == ("analogue", "stochastic")
        self.stochastic = stochastic or of_task
        self._votes = unit is not None and unit.task.reduction == "majority"
        if self._votes and stochastic:
            raise ValueError("stochastic rounding of votes (a sign has no neighbour). Leave stochastic out.")
        if self._votes and error_feedback == "unit":
            raise ValueError("feedback of what votes leave out of a mean (one vote cannot carry it). Give error_feedback=True.")
        self.residual: dict[Tensor, Tensor] | None = {} if error_feedback else None
        self.of_unit = error_feedback == "unit"
        self.overlap, self.cuda, self.log = overlap, cuda, log
        self.steps = self.words = self.wrong = self.clipped = self.wire_bytes = 0
        self.seconds = 0.0
        self._position = 0  # of the next word within its step
        self._begin_step()
        if dist.is_initialized():
            _ = self.task  # refuses units for other groups

    @functools.cached_property
    def task(self) -> Task:
        """The averaging task: the unit's, or that of codes for the ranks of the group, once there is one."""
        unit, server = self.unit, self.server
        ranks = dist.get_world_size(self.group)
        if ranks < 1:
            raise ValueError("this process is not in the group (every rank of DDP has a hook). Give its group.")
        task = Task(ranks, 8 if self.bits is None else self.bits, self.rounding or "half-even") if unit is None else unit.task
        if task.servers != ranks:
            raise ValueError(f"a unit for {task.servers} servers in a group of {ranks} ranks (as many are needed). "
                             f"Start {task.servers} processes.")
        if task.level != "flat":
            raise ValueError(f'a unit of level "{task.level}" (only "flat" ones answer alone). Use another unit, or a Cascade.')
        if self._sent_bits(task) < 2:
            raise ValueError(f"sums of {ranks} servers in {task.bits} bits (codes of 2 bits at least, that is {2 + (ranks - 1).bit_length()}). "
                             "Use a unit of more bits.")
        if not 0 <= server < ranks:
            raise ValueError(f"answers of server {server} of {ranks} (0..{ranks - 1}). Choose one of them.")
        return task

    @staticmethod
    def _sent_bits(task: Task) -> int:
        """Of the codes that servers send: as many as the unit takes, or as a sum of all leaves."""
        return task.bits - (task.servers - 1).bit_length() if task.reduction == "saturated-sum" else task.bits

    @property
    def _answer_step(self) -> float:
        """What 1 in an answer is worth in codes."""
        return 1 / self.task.servers if self.task.reduction == "saturated-sum" else self.task.answer_step

    @staticmethod
    def hook(state: "Averager", bucket: dist.GradBucket, *more: object) -> torch.futures.Future[Tensor]:
        """The communication hook: means of one bucket's gradients. Raises TypeError where it is not DDP that calls."""
        if more or not hasattr(bucket, "buffer"):
            raise TypeError("gradients that are not in a bucket of DDP (FSDP1 and DDP's python_reducer have none). Use DDP with "
                            "its own reducer, or FSDP2.")
        gradients, parameters, last = state._on_host(bucket.buffer()), bucket.parameters(), bucket.is_last()
        device = bucket.buffer().device

        def averaged(_: object) -> Tensor:
            mean = state._average(gradients, parameters).to(device)
            if last:
                state._end_step()
            return mean

        devices = [device] if device.type != "cpu" else None
        begun: torch.futures.Future[None] = torch.futures.Future(devices=devices)
        if state.overlap:
            _ = state.task, state._host_group  # refused here, and made in step with the other ranks
            done: torch.futures.Future[Tensor] = begun.then(averaged)
            state._worker.submit(begun.set_result, None)
            return done
        done = torch.futures.Future(devices=devices)
        done.set_result(averaged(None))
        return done

    @property
    def reduce_scatter(self) -> "_ReduceScatter":
        """What FSDPModule.set_custom_reduce_scatter() of PyTorch 2 takes. Raises ValueError with error feedback."""
        if self.residual is not None:
            raise ValueError("error_feedback under FSDP2 (whose buffers belong to no parameter). Leave it out.")
        if self.overlap:
            raise ValueError("overlap under FSDP2 (which waits for each reduce-scatter). Leave it out.")
        return _ReduceScatter(self)

    def state_dict(self, parameters: Iterable[tuple[str, Tensor]] = ()) -> dict[str, object]:
        """What a checkpoint of this rank needs: steps, counts, and what error feedback holds back, by names of parameters.

        parameters: model.named_parameters(), needed with error feedback. Call it between steps. Raises ValueError where a
        parameter with feedback has no name there.
        """
        names = {p: name for name, p in parameters}
        held = self.residual or {}
        if not held.keys() <= names.keys():
            raise ValueError("error feedback of parameters without names. Give model.named_parameters().")
        return {"steps": self.steps, **{name: getattr(self, name) for name in _COUNTED},
                "residual": {names[p]: left.clone() for p, left in held.items()}}

    def load_state_dict(self, state: dict[str, object], parameters: Iterable[tuple[str, Tensor]] = ()) -> None:
        """Goes on where state_dict() was called, on the same rank.

        Raises KeyError for another dict, and ValueError for feedback without error_feedback, or of parameters that are
        not named or have another size.
        """
        held, named = state["residual"], dict(parameters)
        if held and self.residual is None:
            raise ValueError("a state with error feedback, for an averager without. Give error_feedback.")
        for name, left in held.items():  # type: ignore[attr-defined]
            if name not in named or named[name].numel() * (2 if named[name].is_complex() else 1) != left.numel():
                raise ValueError(f"error feedback of {name}, which is not there, or has another size. Give "
                                 "model.named_parameters() of the same model.")
        if self.residual is not None:
            self.residual = {named[name]: left.clone() for name, left in held.items()}  # type: ignore[attr-defined]
        for name in ("steps", *_COUNTED):
            setattr(self, name, state[name])
        self._begin_step()

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name not in _OF_THIS_PROCESS}

    def __repr__(self) -> str:
        kind = "codes" if self.unit is None else type(self.unit).__name__
        return f"<Averager: {kind}, step {self.steps}, {self.wrong} of {self.words} words wrong>"

    @functools.cached_property
    def _worker(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, "optinc-averager")

    @functools.cached_property
    def _host_group(self) -> dist.ProcessGroup | None:
        """The group through which hosts exchange codes: nothing else talks there while a thread does."""
        return dist.new_group(backend="gloo") if self.group is None and (self.overlap or self.cuda) else self.group

    def _begin_step(self) -> None:
        if self._of_step is not None:
            unit = self._of_step(self.steps)
            if type(unit) is not type(self.unit) or repr(getattr(unit, "task", None)) != repr(getattr(self.unit, "task", None)):
                raise ValueError(f"{unit!r} at step {self.steps} after {self.unit!r} (one kind, one task). Give units that are alike.")
            self.unit = unit
        self._position, self._largest = 0, 0.0
        self._before = {name: getattr(self, name) for name in _COUNTED}

    def _end_step(self) -> None:
        if self.log is not None:
            self.log({"step": self.steps, **{name: getattr(self, name) - self._before[name] for name in _COUNTED},
                      "scale": self._largest})
        self.steps += 1
        self._begin_step()

    def _on_host(self, gradients: Tensor) -> Tensor:
        if gradients.device.type != "cpu" and not self.cuda:
            raise ValueError(f"gradients are on {gradients.device} (the engine computes on CPUs). Give Averager(cuda=True), which "
                             "copies them and has run on no GPU yet, or train on CPUs.")
        return gradients.detach().cpu()

    def _average(self, gradients: Tensor, parameters: list[Tensor]) -> Tensor:
        start = time.perf_counter()
        mean = self._mean(gradients, parameters)
        self.seconds += time.perf_counter() - start
        return mean

    def _mean(self, gradients: Tensor, parameters: list[Tensor]) -> Tensor:
        if gradients.layout != torch.strided:
            raise TypeError("sparse gradients (units average dense ones). Set sparse=False in the layer that makes them.")
        if gradients.numel() == 0:
            return gradients
        if gradients.is_complex():  # real and imaginary parts in turn, as in DDP's buckets
            parts = self._mean(torch.view_as_real(gradients.resolve_conj()).flatten(), parameters)
            return torch.view_as_complex(parts.view(*gradients.shape, 2))
        wide = gradients.dtype == torch.float64
        full = gradients.detach().to(torch.float64 if wide else torch.float32).numpy()
        sizes = [p.numel() * (2 if p.is_complex() else 1) for p in parameters]
        if self.residual is not None:
            left = [self.residual[p] if p in self.residual else torch.zeros(n) for p, n in zip(parameters, sizes)]
            full = full + torch.cat(left).numpy()
        power = self._power(full) if wide else 0
        to_send = np.ldexp(full, -power).astype(np.float32) if wide else full
        scale = self._scale(to_send)
        broken = np.repeat(~np.isfinite(scale), self.block)[: len(to_send)] if not np.isfinite(scale).all() else None
        if broken is not None:  # somewhere; nothing of these blocks is sent
            scale = np.where(np.isfinite(scale), scale, np.float32(0))
            to_send = np.where(broken, np.float32(0), to_send)
        codes = self._encoded(to_send, scale)
        if self.residual is not None:
            left_out = to_send - self._decoded(codes, scale)
        self._largest = max(self._largest, float(np.ldexp(np.float64(scale.max()), power)))
        self.wire_bytes += -(-len(codes) * self.task.bits // 8) + scale.nbytes
        received, missing = self._received(codes)
        mean = self._decoded(received * self._answer_step, scale)
        if self.residual is not None:
            if self.of_unit:
                steps = np.repeat(scale, self.block)[: len(to_send)] / self._half_range
                left_out = left_out + (missing * self.task.servers * steps).astype(np.float32)
            left_out = np.ldexp(left_out.astype(np.float64), power) if wide else left_out
            for p, part in zip(parameters, torch.from_numpy(left_out).split(sizes)):
                self.residual[p] = part.clone()
        if broken is not None:
            mean[broken] = np.nan
        return torch.from_numpy(np.ldexp(mean.astype(np.float64), power) if wide else mean).to(gradients.dtype)

    @property
    def _half_range(self) -> float:
        """Codes from a gradient of 0 to that of the scale."""
        return (2**self.task.bits - 1) / 2 if self._votes else float(2 ** (self._sent_bits(self.task) - 1) - 1)

    def _encoded(self, gradients: np.ndarray, scale: np.ndarray) -> np.ndarray:
        if self._votes:
            return np.where(gradients < 0, 0, 2**self.task.bits - 1).astype("u4")
        dithered = self._dithered(gradients, scale) if self.stochastic else gradients
        return encode(dithered, scale, self._sent_bits(self.task), self.block)

    def _decoded(self, codes: np.ndarray, scale: np.ndarray) -> np.ndarray:
        if self._votes:
            signs = codes / self._half_range - 1
            return np.asarray(signs * np.repeat(scale, self.block)[: len(codes)], "f4")
        return decode(codes, scale, self._sent_bits(self.task), self.block)

    def _power(self, gradients: np.ndarray) -> int:
        """Of two, which all ranks leave out so that the largest gradient of any is below 1 and float32 holds it."""
        finite = np.abs(gradients[np.isfinite(gradients)])
        shared = torch.tensor(np.frexp(finite.max(initial=5e-324))[1])  # the least float64: any other rank's counts
        dist.all_reduce(shared, dist.ReduceOp.MAX, self._host_group)
        return int(shared)

    def _scale(self, gradients: np.ndarray) -> np.ndarray:
        """Every block's largest magnitude on any rank, of votes the mean one; infinite or NaN where one of them has a gradient
        that is not finite."""
        if self._votes:
            begins = np.arange(0, len(gradients), self.block)
            means = torch.from_numpy(np.add.reduceat(np.abs(gradients), begins) / np.diff(begins, append=len(gradients)))
            dist.all_reduce(means, dist.ReduceOp.SUM, self._host_group)
            return np.asarray(means.numpy() / self.task.servers, "f4")
        try:
            scale = block_maxima(gradients, self.block)
        except ValueError:  # one is not finite
            finite = np.isfinite(gradients)
            scale = block_maxima(np.where(finite, gradients, np.float32(0)), self.block)
            scale[np.unique(np.flatnonzero(~finite) // self.block)] = np.inf
        shared = torch.from_numpy(scale)
        dist.all_reduce(shared, dist.ReduceOp.MAX, self._host_group)
        return np.asarray(shared.numpy())

    def _dithered(self, gradients: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Gradients whose nearest code is that above or below, with the mean of the gradient."""
        draws = np.random.Philox(key=np.array([self.seed, self.steps], "u8"))
        draws.advance((dist.get_rank(self.group) << 40) + self._position // 4)  # four numbers a step of its counter
        limit = np.repeat(scale, self.block)[: len(gradients)]
        noise = (np.random.Generator(draws).random(len(gradients)) - 0.5) * limit / self._half_range
        return np.asarray(np.clip(gradients + noise, -limit, limit), "f4")

    def _received(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What comes back for this rank's codes; with feedback of the unit also how far below their mean, in codes, where
        this rank sent the words (0 elsewhere)."""
        ranks, rank = self.task.servers, dist.get_rank(self.group)
        blocks = -(-len(codes) // self._block_words)
        share = -(-blocks // ranks) * self._block_words
        first = 0 if self.own else rank * share
        everybodys = self._gathered(codes, self.task.bits)[:, first : None if self.own else first + share]
        answers = self._answers(everybodys, self._position + first)
        self._position += blocks * self._block_words
        wrong = answers != exact_answers(self.task, everybodys, self.steps)
        top = round((2**self.task.bits - 1) / self.task.answer_step)  # also of a sum that saturates
        self.words += everybodys.shape[1]
        self.wrong += int(wrong.sum())
        self.clipped += int((wrong & ((answers == 0) | (answers >= top))).sum())
        missing = np.zeros(len(codes))
        if self.own:
            return answers, missing
        if self.of_unit:
            missing[first : first + share] = everybodys.mean(0) - answers * self._answer_step
        padded = np.zeros(share, "u4")
        padded[: len(answers)] = answers
        return self._gathered(padded, self.task.answer_bits).ravel()[: len(codes)], missing

    def _gathered(self, codes: np.ndarray, bits: int) -> np.ndarray:
        """Everybody's codes (ranks, n) of so many bits."""
        narrow = codes.astype("u1" if bits <= 8 else "<u2" if bits <= 16 else "<u4")
        sent = torch.from_numpy(narrow.view("u1"))  # PyTorch has no uint16
        parts = [torch.empty_like(sent) for _ in range(self.task.servers)]
        dist.all_gather(parts, sent, self._host_group)
        return np.asarray(torch.stack(parts).numpy()).view(narrow.dtype)

    def _answers(self, codes: np.ndarray, first_word: int) -> np.ndarray:
        if self.unit is None or isinstance(self.unit, Unit) and self.task.rounding == "stochastic":
            # by integers, which alone round at random
            return exact_answers(self.task, codes, self.steps)
        if isinstance(self.unit, Cascade):
            return self.unit.average(codes, self.noise, self.steps, first_word, self.arithmetic)
        server = dist.get_rank(self.group) if self.own else self.server
        return answers(self.unit, codes, self.noise, server, self.steps, first_word, self.arithmetic)


class _ReduceScatter:
    """torch.distributed.fsdp.ReduceScatter: every rank's part of the means."""

    def __init__(self, averager: Averager) -> None:
        self.averager = averager

    def allocate(self, size: tuple[int, ...], *, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.empty(size, dtype=dtype, device=device)

    def __call__(self, output_tensor: Tensor, input_tensor: Tensor, group: dist.ProcessGroup, op: dist.ReduceOp,
                 async_op: bool = False) -> None:
        ranks, mean_wanted = self.averager.task.servers, op == dist.ReduceOp.AVG
        if dist.get_world_size(group) != ranks:
            raise ValueError(f"gradients of {dist.get_world_size(group)} ranks through a unit of {ranks} servers (as many). "
                             "Shard over one group of that size.")
        if not mean_wanted and op != dist.ReduceOp.SUM:
            raise ValueError("a reduction other than a mean or a sum (a factor makes it one). Set no divide factor.")
        gradients = self.averager._on_host(input_tensor.flatten())
        mean = self.averager._average(gradients, []).chunk(ranks)[dist.get_rank(group)]
        self.averager._end_step()
        output_tensor.copy_((mean if mean_wanted else mean * ranks).view_as(output_tensor))
