"""Group foundry: chips of an ordinary foundry, arms unmatched, programmed by what a bench can measure of them."""

import json

from .claim import OPTINC, claims_of, sets, shared, shown
from .first_hour import cpu_s

GROUP = "foundry"
BASE = "experiments/data/networks/base.toml"
NETWORK = "shipped/doped_heaters_fitted_noise_aware"
PHASES = (0, 0.02, 0.05)
LIGHT = ("link.launch_power_w=4e-3", "link.signal_full_scale_w=4e-4", "receiver.lo_power_w=4e-3")
# a seed of its own: no chip of training or selection; every word of the task once on each of 100 chips
CHIPS = ("run.seed=65", "runner.trials=100", "measure.words=0", "measure.once=[]", "noise.set=receivers",
         'measure.variants=["corrected_quadrature","noisy"]', f"network.source={NETWORK}")
# what a fit of a twin leaves: docs/guide/digital-twin.md, and row `standard-errors`
TWIN = ("calibration.policy=twin", "calibration.sigma_estimate_rad=2e-3", "calibration.sigma_loss_estimate_db=0.02")
HARSH = ("chip.preset=doped-heaters", *TWIN)
RUNS = {
    "harsh": (*HARSH, *LIGHT, "parts.set=idealised"),
    "published": (*HARSH, *LIGHT[:2], "receiver.lo_power_w=1.1e-3", "parts.set=published"),  # more, and its amplifier cuts
    "uncorrected": ("chip.preset=doped-heaters", *LIGHT, "parts.set=idealised"),
    "oracle": ("chip.preset=doped-heaters", "calibration.policy=in-situ", "calibration.in_situ_steps=600", "chip.sigma_cal_rad=0",
               *LIGHT, "parts.set=idealised"),
    "metal": ("chip.preset=metal-heaters", *TWIN, "parts.set=published"),
}


def options(name):
    """Arguments of the run behind rows of this name."""
    return (BASE, *sets(*CHIPS, *RUNS[name]), "--sweep", f"link.sigma_oscillator_rad={list(PHASES)}")


@shared
def right(bench, name):
    """Percent of words right, (phases, chips, variants: without noise, with it)."""
    return 100 * bench.trials(f"foundry_{name}", "word_accuracy", *options(name))


def reached(bench, name, variant, phase):
    """Percent of words that 95 of 100 chips decode right."""
    found = sorted(right(bench, name)[PHASES.index(phase), :, variant].ravel())
    return float(found[len(found) * 5 // 100])


@shared
def law(bench):
    """Largest relative difference between fitted phases and the law of headroom, in percent."""
    found = bench.answer("validate", "fitted phases")
    rows = [row for part in found["laws"] for row in part["points"]]
    return max(abs(row["measured"] / row["expected"] - 1) for row in rows) * 100


@shared
def plan(bench):
    """What the plan of a twin of 16 ports says, readings good to 1e-3 of the light."""
    return json.loads(bench.optinc("twin", "--plan", "16", "--set", "noise=1e-3", "--splitter-error-rad", "2e-3", "-o",
                                   bench.folder / "plan.h5", "--json", "--force")[0])


def standard_error(bench, kind):
    """Of splitters (rad) or imbalances (dB), by the plan."""
    return next(k["standard_error"] for k in plan(bench)["kinds"] if k["kind"] == kind)


@shared
def seconds_per_chip(bench):
    """Processor seconds of a chip: its meshes fitted, nothing sent but a word."""
    bench.optinc("list")  # so that it is built
    begin = cpu_s()
    bench.result("foundry_seconds", BASE, *sets(*CHIPS, *RUNS["harsh"], "runner.trials=8", "measure.words=1",
                                                'measure.variants=["corrected_quadrature"]'))
    return (cpu_s() - begin) / 8


def command(name):
    return f"{OPTINC} run {shown(options(name))}"


CLAIMS = claims_of(
    GROUP,
    *((f"silent-{phase:g}", ">= 99.9" if phase == 0 else "", "% of words right without noise on 95 of 100 chips, oscillators at "
       f"{phase:g} rad", lambda bench, phase=phase: reached(bench, "harsh", 0, phase), command("harsh")) for phase in PHASES),
    *((f"noisy-{phase:g}", "> 98", "% of words right with all noise on 95 of 100 chips, the amplifier of before, oscillators at "
       f"{phase:g} rad", lambda bench, phase=phase: reached(bench, "harsh", 1, phase), command("harsh")) for phase in PHASES),
    *((f"published-{phase:g}", "", "% of words right with all noise on 95 of 100 chips, published parts, oscillators at "
       f"{phase:g} rad", lambda bench, phase=phase: reached(bench, "published", 1, phase), command("published")) for phase in PHASES),
    ("uncorrected", "", "% of words right with all noise on 95 of 100 chips whose splitters alone are corrected",
     lambda bench: reached(bench, "uncorrected", 1, 0), command("uncorrected")),
    ("oracle", "", "% of words right without noise on 95 of 100 chips fitted on themselves: an upper bound",
     lambda bench: reached(bench, "oracle", 0, 0), command("oracle")),
    ("metal-heaters", "", "% of words right with all noise on 95 of 100 chips of metal heaters, light and parts as by default",
     lambda bench: reached(bench, "metal", 1, 0), command("metal")),
    ("law", "<= 20", "% that fitted phases are off the law of headroom, at most", law, f"{OPTINC} validate 'fitted phases'"),
    ("seconds", "", "processor seconds of fitting one chip's meshes", seconds_per_chip, command("harsh") + " --set measure.words=1"),
    ("settings", "", "settings of a mesh of 16 ports that its twin is fitted to", lambda bench: plan(bench)["settings"],
     f"{OPTINC} twin --plan 16 --set noise=1e-3 --splitter-error-rad 2e-3"),
    ("splitters-known", "<= 2e-3", "rad, standard error of the twin's splitters", lambda bench: standard_error(bench, "alpha"),
     f"{OPTINC} twin --plan 16 --set noise=1e-3 --splitter-error-rad 2e-3"),
    ("losses-known", "<= 0.02", "dB, standard error of the twin's imbalances", lambda bench: standard_error(bench, "theta_imbalance"),
     f"{OPTINC} twin --plan 16 --set noise=1e-3 --splitter-error-rad 2e-3"))
