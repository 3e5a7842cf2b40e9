"""Group foundry: chips of an ordinary foundry, arms unmatched, programmed by what a bench can measure of them."""

import json

from .claim import OPTINC, claims_of, sets, shared, shown
from .first_hour import cpu_s

GROUP = "foundry"
BASE = "experiments/data/networks/base.toml"
PHASES = (0, 0.02, 0.05)
SOME = 20  # chips of rows without a target


def light(factor=1.0, oscillator_w=None):
    """Keys of light: four times the default's, times `factor`."""
    return (f"link.launch_power_w={4e-3 * factor}", f"link.signal_full_scale_w={4e-4 * factor}",
            f"receiver.lo_power_w={oscillator_w or 4e-3 * factor}")


# what a fit of a twin leaves: docs/guide/digital-twin.md, and rows `splitters-known` and `losses-known`
TWIN = ("calibration.policy=twin", "calibration.sigma_estimate_rad=2e-3", "calibration.sigma_loss_estimate_db=0.02")
HARSH = ("chip.preset=doped-heaters", *TWIN)
OLD = "parts.set=idealised"  # the amplifier of before: no limit
CHAIN, NETWORK = "carry-chain", "shipped/doped_heaters_fitted_noise_aware"
RUNS = {  # what is sent, chips, oscillators' phases
    "chain": (CHAIN, 100, PHASES, (*HARSH, *light(), OLD)),
    "chain-brighter": (CHAIN, 100, PHASES, (*HARSH, *light(4), OLD)),
    # all that the amplifier of published parts passes on
    "chain-published": (CHAIN, SOME, (0.02,), (*HARSH, *light(1, 1e-4), "parts.set=published")),
    "chain-oracle": (CHAIN, SOME, (0.02,), ("chip.preset=doped-heaters", "calibration.policy=in-situ", "chip.sigma_cal_rad=0",
                                            "calibration.in_situ_steps=600", *light(), OLD)),
    "chain-uncorrected": (CHAIN, SOME, (0.02,), ("chip.preset=doped-heaters", *light(), OLD)),
    "chain-wafer": (CHAIN, SOME, (0.02,), (*HARSH, *light(), OLD, "fabrication.process=wafer")),
    "chain-metal": (CHAIN, SOME, (0.02,), ("chip.preset=metal-heaters", *TWIN, OLD)),
    "network": (NETWORK, 100, PHASES, (*HARSH, *light(), OLD)),
    # fitted for longer, on chips that the row above has not shown
    "network-converged": (NETWORK, 100, PHASES[:1], (*HARSH, *light(), OLD, "calibration.twin_steps=2000", "run.seed=2029")),
    "network-published": (NETWORK, SOME, (0.02,), (*HARSH, *light(1, 1.1e-3), "parts.set=published")),
    "network-uncorrected": (NETWORK, SOME, (0.02,), ("chip.preset=doped-heaters", *light(), OLD)),
    "network-metal": (NETWORK, SOME, (0.02,), ("chip.preset=metal-heaters", *TWIN, "parts.set=published")),
}


def options(name):
    """Arguments of the run behind rows of this name: every word of the task once on each chip, of a seed of its own."""
    source, chips, phases, keys = RUNS[name]
    seed = () if any(key.startswith("run.seed=") for key in keys) else ("run.seed=2028",)
    return (BASE, *sets(*seed, f"runner.trials={chips}", "measure.words=0", "measure.once=[]", "noise.set=receivers",
                        'measure.variants=["corrected_quadrature","noisy"]', f"network.source={source}", *keys),
            "--sweep", f"link.sigma_oscillator_rad={list(phases)}")


@shared
def right(bench, name):
    """Percent of words right, (phases, chips, variants: without noise, with it)."""
    return 100 * bench.trials(f"foundry_{name}", "word_accuracy", *options(name))


def reached(bench, name, variant, phase):
    """Percent of words that 95 of 100 chips decode right."""
    _, _, phases, _ = RUNS[name]
    found = sorted(right(bench, name)[phases.index(phase), :, variant].ravel())
    return float(found[len(found) * 5 // 100])


DRIFTING = (BASE, *sets("run.seed=2028", f"runner.trials={SOME}", "model=drift", f"network.source={CHAIN}", *HARSH, *light(), OLD,
                        "noise.set=receivers", "link.sigma_oscillator_rad=0.02", "drift.instants=61", "drift.interval_s=60",
                        'measure.variants=["drifting","recalibrated"]'))


def drifting(bench, variant):
    """Percent of words that 19 of 20 chips decode right at the worst instant of an hour, (chips, variants, instants) before."""
    return 100 * float(sorted(bench.trials("foundry_drift", "instant_accuracy", *DRIFTING)[:, variant].min(axis=1))[SOME * 5 // 100])


@shared
def law(bench):
    """Largest relative difference between fitted phases and the law of headroom, in percent."""
    found = bench.answer("validate", "fitted phases")
    return max(abs(point["measured"] / point["expected"] - 1) for point in found["laws"]) * 100


@shared
def plan(bench):
    """What the plan of a twin of 16 ports says, readings good to 1e-3 of the light."""
    return json.loads(bench.optinc("twin", "--plan", "16", "--set", "noise=1e-3", "--splitter-error-rad", "2e-3", "-o",
                                   bench.folder / "plan.h5", "--json", "--force")[0])


def standard_error(bench, kind):
    """Of splitters (rad) or imbalances (dB), by the plan."""
    return next(k["standard_error"] for k in plan(bench)["kinds"] if k["kind"] == kind)


@shared
def seconds_per_chip(bench, name):
    """Processor seconds of a chip: its meshes fitted, nothing sent but a word."""
    bench.optinc("list")  # so that it is built
    begin = cpu_s()
    bench.result(f"foundry_seconds_{name}", *options(name)[:-2],
                 *sets("runner.trials=8", "measure.words=1", 'measure.variants=["corrected_quadrature"]'))
    return (cpu_s() - begin) / 8


def command(name):
    return f"{OPTINC} run {shown(options(name))}"


def rows(name, what, silent="", noisy=""):
    """Without noise and with all of it, at every phase of a run; `silent`: target of the first phase without noise."""
    _, chips, phases, _ = RUNS[name]
    return [(f"{name}-{said}-{phase:g}", target if noise == "with all noise" or phase == phases[0] else "", f"% of words right {noise} on 95 of 100 chips ({chips} measured), {what}, "
             f"oscillators at {phase:g} rad",
             lambda bench, variant=variant, phase=phase: reached(bench, name, variant, phase), command(name))
            for variant, (said, noise, target) in enumerate((("silent", "without noise", silent),
                                                             ("noisy", "with all noise", noisy))) for phase in phases]


CLAIMS = claims_of(
    GROUP,
    *rows("chain", "carry chain, four times the light", ">= 99.9", "> 98"),
    *rows("chain-brighter", "carry chain, sixteen times the light", ">= 99.9", ">= 99.9"),
    *rows("chain-published", "carry chain, the light that published amplifiers pass on"),
    *rows("chain-oracle", "carry chain fitted on the chip itself: an upper bound"),
    *rows("chain-uncorrected", "carry chain, splitters alone corrected"),
    *rows("chain-wafer", "carry chain, dies of wafers", ">= 99.9", "> 98"),
    *rows("chain-metal", "carry chain, metal heaters, default light, the amplifier of before"),
    *rows("network", "128-16, four times the light"),
    *rows("network-converged", "128-16, four times the light, 2000 steps of the fit in place of 600", ">= 99.9"),
    *rows("network-published", "128-16, the light that published amplifiers pass on"),
    *rows("network-uncorrected", "128-16, splitters alone corrected"),
    *rows("network-metal", "128-16, metal heaters, default light, published parts"),
    *((f"chain-{said}", "", f"% of words right at the worst instant of an hour on 19 of {SOME} chips, carry chain, die and laser drifting, {when}",
       (drifting, variant), f"{OPTINC} run {shown(DRIFTING)}") for variant, (said, when) in
      enumerate((("drifting", "calibrated once"), ("recalibrated", "every ten minutes")))),
    ("law", "<= 20", "% that fitted phases are off the law of headroom, at most", law, f"{OPTINC} validate 'fitted phases'"),
    *((f"seconds-{name}", "", f"processor seconds of fitting one chip's meshes, {name}", (seconds_per_chip, name),
       command(name) + " --set measure.words=1") for name in ("chain", "network")),
    ("settings", "", "settings of a mesh of 16 ports that its twin is fitted to", lambda bench: plan(bench)["settings"],
     f"{OPTINC} twin --plan 16 --set noise=1e-3 --splitter-error-rad 2e-3"),
    ("splitters-known", "<= 2e-3", "rad, standard error of the twin's splitters", lambda bench: standard_error(bench, "alpha"),
     f"{OPTINC} twin --plan 16 --set noise=1e-3 --splitter-error-rad 2e-3"),
    ("losses-known", "<= 0.02", "dB, standard error of the twin's imbalances", lambda bench: standard_error(bench, "theta_imbalance"),
     f"{OPTINC} twin --plan 16 --set noise=1e-3 --splitter-error-rad 2e-3"))
