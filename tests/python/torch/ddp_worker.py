"""Four processes train a small model by DDP with gradients averaged through units; what layers_test.py runs.

Asserted in every process; a failure of one ends all.
"""

import io
import pickle
import tempfile

import numpy
import optinc
import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from optinc.torch import Averager
from torch.nn.parallel import DistributedDataParallel

RANKS = 4


def model():
    torch.manual_seed(5)
    return torch.nn.Sequential(torch.nn.Linear(20, 60), torch.nn.ReLU(), torch.nn.Linear(60, 3))


def trained(averager, steps=50):
    """Parameters after some steps, the same data in every call, others on every rank."""
    ddp = DistributedDataParallel(model(), bucket_cap_mb=0.002)  # several buckets, rebuilt after the first step
    ddp.register_comm_hook(averager, Averager.hook)
    optimiser = torch.optim.SGD(ddp.parameters(), 0.1)
    data = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(steps):
        x = torch.randn(16, 20, generator=data)
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(ddp(x), (x[:, 0] > 0).long() + (x[:, 1] > 1).long()).backward()
        optimiser.step()
    return torch.cat([p.detach().flatten() for p in ddp.parameters()])


def same_on_all_ranks(parameters):
    everybodys = [torch.empty_like(parameters) for _ in range(RANKS)]
    dist.all_gather(everybodys, parameters)
    return all(torch.equal(parameters, other) for other in everybodys)


class Bucket:
    """A bucket of gradients, the last of its step unless said otherwise."""

    def __init__(self, gradients, last=True):
        self.gradients, self.last = gradients, last

    def buffer(self):
        return self.gradients

    def parameters(self):
        return [self.gradients]

    def is_last(self):
        return self.last


def of_all_ranks(count):
    total = torch.tensor(count)
    dist.all_reduce(total)
    return int(total)


def one_step_is_the_units_average(averager, chip):
    """The hook's mean of one bucket is what the unit makes of all codes at once, whoever computed which part."""
    n = 16_000
    gradients = numpy.random.default_rng(3).normal(size=(RANKS, n)).astype("f4")
    for step in range(2):
        found = Averager.hook(averager, Bucket(torch.from_numpy(gradients[dist.get_rank()]))).value()
        numpy.testing.assert_array_equal(found.numpy(), chip.average_gradients(gradients, instant=step))
    assert averager.steps == 2 and averager.words > 0
    assert averager.wire_bytes == 2 * (n + 4 * 16), averager.wire_bytes


def cascade_of(first, second, preset):
    chips = [unit.fabricate(preset, seed=1, chip=i).program() for i, unit in enumerate([first, first, second])]
    return optinc.Cascade(chips[:2], chips[2])


def one_step_is_a_cascades_average(averager, cascade):
    """Sums of two servers each, decided, sent on and averaged, whichever rank sent which words; every chip gets some wrong."""
    gradients = numpy.random.default_rng(3).normal(size=(RANKS, 16_000)).astype("f4")
    scale = optinc.block_maxima(abs(gradients).max(0))
    codes = numpy.stack([optinc.encode(g, scale) for g in gradients])
    found = Averager.hook(averager, Bucket(torch.from_numpy(gradients[dist.get_rank()]))).value()
    sums = [below.average(codes[2 * i:2 * i + 2]) for i, below in enumerate(cascade.below)]
    for i, decided in enumerate(sums):
        assert (decided != codes[2 * i:2 * i + 2].sum(0)).any(), i
    wanted = cascade.above.average(numpy.stack(sums))
    numpy.testing.assert_array_equal(found.numpy(), optinc.decode(wanted, scale))
    exact = (codes.sum(0) + 2) // 4  # half-up
    assert of_all_ranks(averager.wrong) == (wanted != exact).sum() > 0


def sums_and_votes():
    """What units of other reductions make of codes and signs, computed by NumPy; chips of them get some words wrong."""
    gradients = numpy.random.default_rng(11).normal(size=(RANKS, 5000)).astype("f4")
    own = torch.from_numpy(gradients[dist.get_rank()])
    sums, votes = (optinc.carry_chain(servers=RANKS, bits=8, reduction=kind) for kind in ("saturated-sum", "majority"))
    scale = optinc.block_maxima(abs(gradients).max(0))
    total = sum(optinc.encode(g, scale, 6) for g in gradients)  # four codes of 6 bits make 252 at most
    found = {unit: Averager.hook(Averager(unit), Bucket(own)).value().numpy() for unit in (sums, votes)}
    numpy.testing.assert_array_equal(found[sums], optinc.decode(total / RANKS, scale, 6))
    means = [abs(gradients[:, i:i + 1024]).mean() for i in range(0, 5000, 1024)]
    positive = (gradients >= 0).sum(0) >= RANKS / 2  # half-up
    numpy.testing.assert_allclose(found[votes], numpy.where(positive, 1, -1) * numpy.repeat(means, 1024)[:5000], rtol=1e-6)
    dim = optinc.UnitHardware()
    dim.link.launch_power_w *= 0.03
    for unit in (sums, votes):
        averager = Averager(unit.fabricate("doped-heaters", seed=1).program(hardware=dim))
        noisy = Averager.hook(averager, Bucket(own)).value().numpy()
        wrong = of_all_ranks(averager.wrong)
        assert wrong == (noisy != found[unit]).sum() > 0, (unit, wrong, (noisy != found[unit]).sum())
    averager = Averager(sums, error_feedback="unit")
    mean = sum(Averager.hook(averager, Bucket(own)).value().double() for _ in range(100)).numpy() / 100
    before, after = (abs(found_ - gradients.mean(0)).mean() for found_ in (found[sums], mean))
    assert after < 0.1 * before, (before, after)
    chip = votes.fabricate("ideal").program()
    refused(ValueError, "a sign has no neighbour", lambda: Averager(chip, stochastic=True))
    refused(ValueError, "one vote cannot carry it", lambda: Averager(chip, error_feedback="unit"))
    few = optinc.carry_chain(servers=RANKS, bits=2, reduction="saturated-sum")
    refused(ValueError, "codes of 2 bits at least, that is 4", lambda: Averager(few))
    broken = torch.full((2000,), torch.nan if dist.get_rank() == 1 else 1.0)
    assert torch.isnan(Averager.hook(Averager(votes), Bucket(broken)).value()).all()


def every_step_has_its_chip(unit):
    """One that drifts is another chip in every step; a stopped averager goes on with that of its step."""
    drift = optinc.DriftSettings()
    drift.instants, drift.interval_s, drift.recalibrate_s, drift.ramp_k_per_s = 4, 300.0, 600.0, 0.05
    service = optinc.Service(unit, "good-lab", drift, seed=1, chip=3)
    gradients = numpy.random.default_rng(3).normal(size=(RANKS, 16_000)).astype("f4")
    bucket = Bucket(torch.from_numpy(gradients[dist.get_rank()]))
    averager, again = (Averager(lambda step: service.at(min(step, 3))) for _ in range(2))
    for step in range(4):
        if step == 3:
            again.load_state_dict(averager.state_dict())
            averager = again
        wanted = service.at(step).average_gradients(gradients, instant=step)
        numpy.testing.assert_array_equal(Averager.hook(averager, bucket).value().numpy(), wanted)
    assert (service.at(0).average_gradients(gradients, instant=3) != wanted).any()
    other = optinc.carry_chain(servers=RANKS, bits=8, rounding="floor")
    changing = Averager(lambda step: other if step else unit)
    refused(ValueError, "one kind, one task", lambda: Averager.hook(changing, bucket))


def buckets_of_a_step_have_noise_of_their_own(averager, chip):
    """The first takes two blocks of 512 words, so that the second begins with word 1,024."""
    gradients = numpy.random.default_rng(4).normal(size=(RANKS, 700)).astype("f4")
    own = torch.from_numpy(gradients[dist.get_rank()])
    found = [Averager.hook(averager, Bucket(own, last)).value().numpy() for last in (False, True)]
    scale = abs(gradients).max(keepdims=True)[0]
    codes = [optinc.encode(g, scale) for g in gradients]
    for mean, first in zip(found, (0, 1024)):
        numpy.testing.assert_array_equal(mean, optinc.decode(chip.average(codes, first_word=first), scale))
    assert (found[0] != found[1]).any()


def feedback_sends_what_codes_leave_out():
    """A gradient of 1/8 of a step is rounded to nothing; what is left out of it goes along later."""
    bucket = Bucket(torch.tensor([1.0] + [0.125 / 127] * 99))
    sums = []
    for feedback in (False, True):
        averager = Averager(error_feedback=feedback)
        sums.append(sum(Averager.hook(averager, bucket).value()[1:] for _ in range(50)) / 50)
    assert sums[0].abs().max() == 0
    assert (sums[1] * 127 - 0.125).abs().max() <= 0.5 / 50 + 1e-6


def feedback_of_the_unit_leaves_nothing_out():
    """Of a gradient that stays, the sum of T answers is T times the mean, but for what is held back: half a step of the
    servers' codes and half a step of the unit's mean at most."""
    gradients = numpy.random.default_rng(8).normal(size=(RANKS, 600)).astype("f4")
    mean, step, errors = gradients.mean(0), abs(gradients).max() / 127, {}
    for feedback in (True, "unit"):
        averager = Averager(error_feedback=feedback)
        bucket = Bucket(torch.from_numpy(gradients[dist.get_rank()]))
        found = sum(Averager.hook(averager, bucket).value().double() for _ in range(100)) / 100
        errors[feedback] = abs(found.numpy() - mean).max()
    assert errors["unit"] < 1.05 * step / 100, errors  # the scale grows with what is held back, by two steps of 127
    assert errors[True] > 10 * step / 100, errors


def a_stopped_averager_goes_on(chip):
    """Steps, counts and what feedback holds back are those of a run that was not stopped."""
    draws = numpy.random.default_rng(9 + dist.get_rank()).normal(size=(4, 3000)).astype("f4")
    weights = torch.nn.Parameter(torch.zeros(3000))
    names = [("weights", weights)]

    def bucket(step):
        made = Bucket(torch.from_numpy(draws[step]))
        made.parameters = lambda: [weights]
        return made

    for options in ({"stochastic": True}, {"error_feedback": "unit"}):
        whole, first, then = (Averager(chip, **options) for _ in range(3))
        wanted = [Averager.hook(whole, bucket(step)).value() for step in range(4)]
        for step in range(2):
            Averager.hook(first, bucket(step))
        kept = io.BytesIO()
        torch.save(first.state_dict(names), kept)
        kept.seek(0)
        then.load_state_dict(torch.load(kept), names)
        for step in (2, 3):
            assert torch.equal(Averager.hook(then, bucket(step)).value(), wanted[step])
        assert (then.steps, then.words, then.wrong) == (whole.steps, whole.words, whole.wrong)
    refused(ValueError, "Give model.named_parameters()", first.state_dict)
    refused(ValueError, "for an averager without", lambda: Averager().load_state_dict(then.state_dict(names), names))
    refused(ValueError, "not there, or has another size", lambda: then.load_state_dict(then.state_dict(names)))


def every_step_is_logged(chip):
    """What a step adds, for any logger; clipped words by a count beside it."""
    records = []
    averager = Averager(chip, log=records.append)
    n = 40_000
    gradients = numpy.random.default_rng(3).uniform(-127, -126, size=(RANKS, n)).astype("f4") / 127  # codes 1 and 2
    own = torch.from_numpy(gradients[dist.get_rank()])
    for last in (False, True, True):
        Averager.hook(averager, Bucket(own, last))
    assert [r["step"] for r in records] == [0, 1]
    for name in ("words", "wrong", "clipped", "wire_bytes", "seconds"):
        assert abs(sum(r[name] for r in records) - getattr(averager, name)) < 1e-9, name
    assert abs(records[0]["scale"] - abs(gradients).max()) < 1e-7 and records[1]["seconds"] > 0
    scale = optinc.block_maxima(abs(gradients).max(0))
    codes = [optinc.encode(g, scale) for g in gradients]
    answers = chip.average(codes, instant=1)
    wrong = answers != optinc.exact_answers(chip.task, codes)
    assert of_all_ranks(records[1]["wrong"]) == wrong.sum() > 0
    assert of_all_ranks(records[1]["clipped"]) == (wrong & (answers == 0)).sum() > 0


def what_goes_wrong_beside_the_backward_pass_ends_it():
    def disk_full(_):
        raise OSError("disk full")

    refused(RuntimeError, "disk full", lambda: trained(Averager(overlap=True, log=disk_full), steps=1))


def half_precision_is_that_of_float32():
    """Gradients of 16 bits come back as the mean that float32 has, in their own kind."""
    draws = torch.randn(3000, generator=torch.Generator().manual_seed(dist.get_rank()))
    for dtype in (torch.bfloat16, torch.float16):
        given = draws.to(dtype)
        found = Averager.hook(Averager(), Bucket(given)).value()
        assert found.dtype == dtype
        assert torch.equal(found, Averager.hook(Averager(), Bucket(given.float())).value().to(dtype))


def stochastic_codes_have_no_bias():
    """All send a quarter of a step: each is 1 once in four times, drawn apart, so that means have the gradient's."""
    n = 100_000
    gradients = torch.full((n,), 0.25 / 127)
    gradients[::1024] = 1.0  # the scale of each block
    means = [Averager.hook(Averager(bits=16, seed=seed), Bucket(gradients)).value() for seed in (1, 2)]
    assert torch.equal(*means)  # nearest codes are not drawn
    means = [Averager.hook(Averager(stochastic=True, seed=seed), Bucket(gradients)).value() for seed in (1, 2, 1)]
    sums = (means[0] * 127).round()  # of four codes, half-even: 1 if three or four of them are, and of two half of it
    assert torch.equal(means[0][::1024], torch.ones(98))
    share = 4 * 0.25**3 * 0.75 + 0.25**4
    found = (sums == 1).float().mean().item() - 98 / n
    assert abs(found - share) < 5 * (share / n) ** 0.5, found
    assert torch.equal(means[0], means[2]) and not torch.equal(means[0], means[1])


def a_broken_gradient_is_nan_everywhere():
    """As in every all-reduce: ranks stay in step, and the next step is not harmed."""
    averager = Averager()
    gradients = torch.ones(3000)
    if dist.get_rank() == 2:
        gradients[1500] = torch.inf
    mean = Averager.hook(averager, Bucket(gradients)).value()
    assert torch.isnan(mean[1024:2048]).all() and (mean[:1024] == 1).all() and (mean[2048:] == 1).all()
    assert (Averager.hook(averager, Bucket(torch.ones(3000))).value() == 1).all()
    assert Averager.hook(averager, Bucket(torch.ones(0))).value().numel() == 0


def complex_gradients_keep_both_parts():
    """As if real and imaginary parts were gradients in turn, with feedback and without."""
    draws = numpy.random.default_rng(5).normal(size=(RANKS, 40, 2)).astype("f4")
    own = torch.from_numpy(draws[dist.get_rank()])
    for feedback in (False, True):
        as_real, as_complex = Averager(error_feedback=feedback), Averager(error_feedback=feedback)
        real, whole = Bucket(own.flatten()), Bucket(torch.view_as_complex(own))
        for _ in range(3):
            found = Averager.hook(as_complex, whole).value()
            assert torch.equal(torch.view_as_real(found).flatten(), Averager.hook(as_real, real).value())
    nearest = numpy.abs(torch.view_as_real(found).numpy() - draws.mean(0)).max()
    assert nearest < 0.05, nearest


def float64_gradients_keep_their_size():
    """Codes do not depend on the unit of the gradients, as long as float64 holds it; 1e50 is more than float32 does."""
    gradients = numpy.random.default_rng(6).normal(size=(RANKS, 3000))
    gradients[1:] *= 1e-3
    gradients[2] = 0.0
    own = torch.from_numpy(gradients[dist.get_rank()])
    for feedback in (False, True):
        averagers = [Averager(error_feedback=feedback) for _ in range(3)]
        for _ in range(2):
            wanted, large, small = (Averager.hook(averager, Bucket(own * 2.0**power)).value() * 2.0**-power
                                    for averager, power in zip(averagers, (0, 170, -170)))
            assert wanted.dtype == torch.float64 and torch.equal(large, wanted) and torch.equal(small, wanted)
            single = Averager.hook(Averager(), Bucket(own.float())).value()
            assert feedback or torch.equal(single.double(), wanted)
    assert (wanted - torch.from_numpy(gradients.mean(0))).abs().max() < 0.03
    assert torch.equal(Averager.hook(Averager(), Bucket(torch.zeros(5).double())).value(), torch.zeros(5).double())


def refused(kind, sentence, call):
    try:
        call()
    except kind as error:
        assert sentence in str(error), error
    else:
        raise AssertionError(f"accepted: {sentence}")


def work(rank, store):
    torch.set_num_threads(1)
    optinc.set_threads(1)
    early, many = Averager(bits=6), Averager(optinc.carry_chain(servers=8, bits=8))  # as Lightning makes them
    dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=RANKS)
    refused(ValueError, "servers in a group of 4 ranks", lambda: Averager.hook(many, Bucket(torch.ones(9))))
    unit = optinc.carry_chain(servers=RANKS, bits=8)
    chip = unit.fabricate("good-lab", seed=1, chip=3).program()
    one_step_is_the_units_average(Averager(chip), chip)
    unlocked = optinc.NoiseSwitches.all()
    unlocked.lock = False
    table = chip.table(unlocked)
    one_step_is_the_units_average(Averager(table), table)
    buckets_of_a_step_have_noise_of_their_own(Averager(chip), chip)
    feedback_sends_what_codes_leave_out()
    feedback_of_the_unit_leaves_nothing_out()
    a_stopped_averager_goes_on(chip)
    sums_and_votes()
    every_step_has_its_chip(unit)
    every_step_is_logged(chip)
    half_precision_is_that_of_float32()
    what_goes_wrong_beside_the_backward_pass_ends_it()
    stochastic_codes_have_no_bias()
    a_broken_gradient_is_nan_everywhere()
    complex_gradients_keep_both_parts()
    float64_gradients_keep_their_size()
    assert early.task.servers == RANKS and torch.equal(Averager.hook(early, Bucket(torch.ones(9))).value(), torch.ones(9))
    copy = pickle.loads(pickle.dumps(early))
    assert copy.steps == 1 and torch.equal(Averager.hook(copy, Bucket(torch.ones(9))).value(), torch.ones(9))

    star = optinc.analogue_sum(RANKS, 8).fabricate("ideal").program(hardware=optinc.UnitHardware("idealised"))
    at_random = optinc.analogue_sum(RANKS, 8, "stochastic").fabricate("ideal").program(hardware=optinc.UnitHardware("idealised"))
    assert Averager(at_random).stochastic and not Averager(star).stochastic and not Averager(chip).stochastic
    sums = optinc.digit_sums(RANKS, 8, "stochastic")
    first, second = (optinc.carry_chain(servers=2, bits=8, level=level) for level in ("first", "second"))
    cascade = cascade_of(first, second, "good-lab")
    poor = cascade_of(first, second, "doped-heaters")
    one_step_is_a_cascades_average(Averager(poor), poor)
    averagers = {
        "sums": Averager(sums.fabricate("ideal").program(hardware=optinc.UnitHardware("idealised")), noise=optinc.NoiseSwitches()),
        "sums without devices": Averager(sums),
        "chip": Averager(chip),
        "chip again": Averager(chip),
        "overlap": Averager(chip, overlap=True),
        "feedback": Averager(chip, error_feedback="unit"),
        "feedback and overlap": Averager(chip, error_feedback="unit", overlap=True),
        "table": Averager(table),
        "without devices": Averager(unit),
        "codes": Averager(rounding="half-up"),
        "stochastic": Averager(stochastic=True),
        "sixteen bits": Averager(bits=16),
        "with feedback": Averager(error_feedback=True),
        "analogue": Averager(star, stochastic=True),
        "star": Averager(star, own=True, stochastic=True),
        "cascade": Averager(cascade),
        "cascade without devices": Averager(optinc.Cascade([first, first], second)),
    }
    found = {name: trained(averager) for name, averager in averagers.items()}
    for name, parameters in found.items():
        assert same_on_all_ranks(parameters) == (name != "star"), name
    assert averagers["star"].words == 50 * len(found["star"])  # on every rank
    assert torch.equal(found["chip"], found["chip again"]) and torch.equal(found["chip"], found["overlap"])
    assert torch.equal(found["feedback"], found["feedback and overlap"])
    assert averagers["overlap"].words == averagers["chip"].words and averagers["overlap"].steps == 50
    assert pickle.loads(pickle.dumps(Averager(overlap=True))).overlap
    for name in ("without devices", "cascade without devices"):  # carry chains are exact
        assert torch.equal(found[name], found["codes"])
    # without noise sums are too, whatever they draw, which are other numbers in every step
    assert of_all_ranks(averagers["sums"].wrong) == 0 and torch.equal(found["sums"], found["sums without devices"])
    assert of_all_ranks(averagers["chip"].wrong) > 0 and of_all_ranks(averagers["codes"].wrong) == 0
    assert of_all_ranks(averagers["chip"].words) == 50 * len(found["chip"])
    start = torch.cat([p.detach().flatten() for p in model().parameters()])
    way = (found["sixteen bits"] - start).norm()
    for name, parameters in found.items():  # all go the way of codes that are nearly exact
        assert (parameters - found["sixteen bits"]).norm() < 0.2 * way, name

    refused(ValueError, "servers in a group of 4 ranks", lambda: Averager(optinc.carry_chain(servers=8, bits=8)))
    refused(ValueError, "its task has both", lambda: Averager(unit, bits=8))
    refused(ValueError, "server 4 of 4", lambda: Averager(server=4))
    refused(ValueError, "blocks of 0 elements", lambda: Averager(block=0))
    refused(ValueError, 'True or "unit"', lambda: Averager(error_feedback="all"))
    refused(ValueError, "every rank's are others", lambda: Averager(chip, own=True, error_feedback="unit"))
    refused(ValueError, "has run on no GPU yet", lambda: Averager.hook(Averager(), Bucket(torch.ones(5, device="meta"))))
    refused(ValueError, "float64 or float32", lambda: Averager(chip, arithmetic="float16"))
    refused(ValueError, "only to a ProgrammedChip", lambda: Averager(table, arithmetic="float32"))
    refused(ValueError, "a ResponseTable has its own", lambda: Averager(table, noise=unlocked))
    refused(ValueError, "those of any server", lambda: Averager(table, server=1))
    refused(ValueError, "of a Cascade", lambda: Averager(cascade, server=1))
    refused(ValueError, "own answers of every rank", lambda: Averager(cascade, own=True))
    refused(ValueError, 'only "flat" ones', lambda: Averager(optinc.carry_chain(servers=RANKS, bits=8, level="second")))
    refused(ValueError, 'level "first", with', lambda: optinc.Cascade([second, first], second))
    refused(ValueError, "1 units below", lambda: optinc.Cascade([first], second))
    refused(TypeError, "Program a chip", lambda: optinc.Cascade([first.fabricate("ideal")] * 2, second))
    refused(ValueError, "own answers of every rank", lambda: Averager(table, own=True))
    refused(TypeError, "Program a chip", lambda: Averager(unit.fabricate("ideal")))
    sparse = torch.sparse_coo_tensor(torch.tensor([[0]]), torch.ones(1), (5,))
    refused(TypeError, "sparse=False", lambda: Averager.hook(Averager(), Bucket(sparse)))
    for told in ((torch.ones(5),), (torch.ones(5), torch.ones(2)), ((torch.ones(5), torch.ones(5)),)):  # FSDP1, python_reducer
        refused(TypeError, "not in a bucket of DDP", lambda: Averager.hook(Averager(), *told))
    dist.barrier()
    if rank == 0:
        print("all equal", {name: f"{(p - found['sixteen bits']).norm() / way:.4f}" for name, p in found.items()})


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        processes.spawn(work, (f"{folder}/store",), RANKS)
