"""Group hardware-aware: networks that are right by construction, and the chips that carry them."""

from .claim import OPTINC, SPLITTERS, at, claims_of, sets, shared, shown, stored
from .learning import points

GROUP = "hardware-aware"
STUDY = "experiments/data/studies/carry_chain.toml"
DESIGNS = "experiments/data/lists/published.toml"


# -- the runs that several claims share

@shared
def words(bench, name):
    """What optinc check-network says of the carry chain with these settings."""
    return bench.answer("check-network", STUDY, "--words", DRAWN.get(name, 0), *sets(*SETTINGS[name]))


@shared
def yields(bench):
    """Shares of chips that decode every word, and the lower ends of their 95 % intervals, by (policy, preset)."""
    policies, presets, variants, share, low = stored(bench.result("carry_chain", STUDY, "--trials", "400"), *(
        f"summary/{name}" for name in ("policy", "preset", "variant", "yield", "yield_low")))
    noisy_ones = variants.index("noisy")
    return {(policy, preset): (share[i, j, noisy_ones], low[i, j, noisy_ones])
            for i, policy in enumerate(policies) for j, preset in enumerate(presets)}


@shared
def trained_yield(bench):
    """Share of good-lab chips on which the published network, trained without errors, decodes every word; no noise."""
    right = bench.trials("trained", "word_accuracy", SPLITTERS, "--trials", "20", *sets(
        "chip.preset=good-lab", "measure.words=0", "measure.once=[]", 'measure.variants=["corrected_quadrature"]'),
        "--sweep", "chip.sigma_eta_rad=[0.01]")
    return float((right == 1).mean())


@shared
def stand_in_yield(bench):
    """Share of 60 networks with every U in error by 1e-2 that have every word right: published structure, trained on it."""
    return float((bench.trials("stand_in", "word_accuracy", BASE, *STAND_IN) == 1).sum())


@shared
def equal_error(bench, key):
    """The level of one error, corrected for exactly known splitters, at which the real part of the layers' matrices is in
    error by 1e-2 (rms over layers and 5 chips; interpolated in the logarithms)."""
    import numpy as np  # noqa: PLC0415
    error = bench.trials(f"equal_{key.split('.')[1]}", "matrix_error_in_phase", BASE, *EQUAL, "--sweep", f"{key}={LEVELS[key]}")
    error = np.sqrt((error ** 2).mean(axis=(1, 2, 3)))
    return float(np.exp(np.interp(np.log(1e-2), np.log(error), np.log(LEVELS[key]))))


@shared
def tolerances(bench):
    """Factor on all errors of good-lab that 95 of 100 chips of the published structure stand, by network."""
    import numpy as np  # noqa: PLC0415
    names, found = stored(bench.result("tolerances", ARCHITECTURES, *TOLERANCES), "trials/network", "trials/tolerance")
    return dict(zip((name.split("/")[-1] for name in names), np.quantile(found, 0.05, axis=(1, 2, 3)).tolist()))


def gained(bench, network, over):
    """Errors that one network's chips stand over those that another's do."""
    return tolerances(bench)[network] / tolerances(bench)[over]


@shared
def wrong_through_light(bench, name):
    """Words wrong of a million through the light of good-lab chips, receivers noisy: of the cascade, or of 16 bits."""
    arguments, metric = LIGHT[name]
    return round(1_000_000 * (1 - float(bench.trials(f"light_{name}", metric, *arguments).min())))


@shared
def noisy(bench, network, preset, *settings):
    """Percent of the words that servers decode right, all noise of the set on: 20 chips of a preset, corrected, every word
    of the task once on each."""
    return float(100 * bench.trials("noisy", "word_accuracy", BASE, *noisy_options(network, preset, *settings)).mean())


@shared
def gradient_error(bench, network, *more):
    """Relative error of the gradient of a real training step, averaged by a chip of design-target with all its noise."""
    file = bench.result("noisy_gradient", SPLITTERS, *gradient_options(network), *more)
    return bench.answer("inspect", file)["gradient"]["relative_error_chip_noisy"]


@shared
def splitters(bench):
    """What inspect says of the published network on chips of growing splitter error."""
    return bench.answer("inspect", bench.result("splitter_errors", SPLITTERS))


def least_gain_of_correction(bench):
    """Over all levels, the least of corrected minus uncorrected mean word accuracy."""
    mean = {(c["sigma"], c["variant"]): c["word_accuracy_mean"] for c in splitters(bench)["chips"]}
    return min(mean[sigma, "corrected_quadrature"] - mean[sigma, "uncorrected"] for sigma, _ in mean)


def gradient_over_codes(bench, path):
    """Relative error of the gradient over that of ideal 8-bit codes, which no averaging unit can beat."""
    gradient = splitters(bench)["gradient"]
    return gradient[f"relative_error_{path}"] / gradient["relative_error_quantised"]


def tail(bench, share):
    """Percent of words right that this share of 100 good-lab chips reaches, all noise of set receivers."""
    found = bench.once("tail", lambda: sorted(100 * bench.trials("tail", "word_accuracy", BASE, *TAIL).ravel()))
    return found[round(len(found) * (1 - share))]


def cascade_hardware(bench):
    """Percent more MZIs in a cascade's five units than in five flat ones."""
    first, second, flat = (words(bench, name)["mzis"] for name in ("first-level", "second-level", "4x8"))
    return 100 * ((4 * first + second) / (5 * flat) - 1)


@shared
def carry_chain(bench):
    """What optinc compare-costs says of the carry chain for four servers and eight bits."""
    return next(design for design in bench.answer("compare-costs", DESIGNS)["designs"] if design["design"] == "chain N=4 B=8")


# -- the claims

BASE = "experiments/data/networks/base.toml"
ARCHITECTURES = "experiments/data/studies/architectures.toml"
STAND_IN = ("--trials", "60", *sets("network.source=shipped/published_standin", "measure.words=0", 'measure.variants=["stand-in"]',
                                    "stand_in.relative_error=0.01", "link.signed_levels=true"))
EQUAL = ("--trials", "5", *sets("chip.preset=ideal", "network.source=shipped/published_standin", "measure.words=1",
                                'measure.variants=["corrected_quadrature"]'))
LEVELS = {"chip.sigma_eta_rad": [0.005, 0.01, 0.02, 0.03, 0.04, 0.06], "chip.sigma_cal_rad": [1e-4, 3e-4, 1e-3, 3e-3, 1e-2],
          "chip.arm_loss_spread_db": [0.003, 0.01, 0.03, 0.1, 0.3]}
TOLERANCES = ("--trials", "100", "--sweep", 'network.source=["shipped/published", "shipped/published_standin", '
              '"shipped/published_standin_longer", "shipped/published_chips"]', "--sweep", 'chip.preset=["good-lab"]')
GOOD_LAB = ("--sweep", 'calibration.policy=["noisy"]', "--sweep", 'chip.preset=["good-lab"]')
LIGHT = {  # name: (arguments of `optinc run`, metric)
    "cascade": (("experiments/data/studies/cascade.toml", "--trials", "1", *sets("measure.words=1000000"), *GOOD_LAB), "cascade_accuracy"),
    "4x16": ((STUDY, "--trials", "1", *sets("task.bits=16", "measure.words=1000000", 'measure.metrics=["word_accuracy"]'), *GOOD_LAB),
             "word_accuracy"),
}


def noisy_options(network, preset, *settings):
    """Options of `optinc run` behind noisy()."""
    return "--trials", "20", *sets(f"network.source={network}", f"chip.preset={preset}", "noise.set=receivers", "measure.words=0",
                                   'measure.variants=["noisy"]', *settings)


def gradient_options(network):
    """Options of `optinc run` behind gradient_error()."""
    return ("--trials", "1", *sets(f"network.source={network}", "task.rounding=half-up", 'measure.once=["gradient"]'),
            "--sweep", "chip.sigma_eta_rad=[0.005]")


TAIL = ("--trials", "100", *noisy_options("shipped/bottleneck_noise_aware", "good-lab")[2:])
LEARNING = "learning_images"
SETTINGS = {"4x8": (), "4x16": ("task.bits=16",), "8x8": ("task.servers=8",), "16x8": ("task.servers=16",),
            "first-level": ("task.level=first",), "second-level": ("task.level=second",)}
DRAWN = {"4x16": 100_000_000}


def command(name):
    """The check of a network as it is typed."""
    more = f" --words {DRAWN[name]}" if name in DRAWN else ""
    return " ".join((OPTINC, "check-network", STUDY, *sets(*SETTINGS[name]))) + more


RUN = f"{OPTINC} run {STUDY} -o carry_chain.h5 --trials 400"
RUN_TOLERANCES = f"{OPTINC} run {ARCHITECTURES} {shown(TOLERANCES)} -o tolerances.h5"

RETRAINED = ("calibration.diagonal_epochs=30", "calibration.diagonal_rate=1e-3", "training.noise=1", "training.noise_ramp=0")
NOISY = {  # name: (network, preset, settings, target, what)
    "bottleneck-design-target": ("shipped/bottleneck_noise_aware", "design-target", (), ">= 99.95", "9,984 MZIs"),
    "bottleneck-good-lab": ("shipped/bottleneck_noise_aware", "good-lab", (), ">= 99.85", "9,984 MZIs"),
    "bottleneck-even-design-target": ("shipped/bottleneck_even_noise_aware", "design-target", ("task.rounding=half-even",),
                                      ">= 99.85", "9,984 MZIs, half to even"),
    "bottleneck-full": ("shipped/bottleneck_noise_aware", "good-lab", ("noise.set=full",), "> 0", "9,984 MZIs, set full"),
    "limiters-unaware": ("shipped/bottleneck_noise_aware", "good-lab", ("link.limiter_knee=0.17", "link.sigma_limiter=0.05"),
                         "< 98", "9,984 MZIs trained with hard, equal ceilings, on soft and unequal ones"),
    "bottleneck-limiters": ("shipped/bottleneck_limiters_noise_aware", "good-lab",
                            ("link.limiter_knee=0.17", "link.sigma_limiter=0.05"), ">= 99.7",
                            "9,984 MZIs, limiters soft (1 dB) and unequal (5 %)"),
    "published-design-target": ("shipped/published_noise_aware", "design-target", (), ">= 99.95", "published structure"),
    "published-16-ghz": ("shipped/published_noise_aware", "good-lab",
                         ("receiver.bandwidth_hz=16e9", "link.signal_full_scale_w=1e-3"), ">= 99.99",
                         "published structure, receivers of 16 GHz, 1 mW per neuron"),
    "published-10-mw": ("shipped/published_noise_aware", "good-lab", ("receiver.lo_power_w=1e-2", "link.signal_full_scale_w=1e-3"),
                        ">= 99.95", "published structure, oscillators of 10 mW, 1 mW per neuron"),
    "published-unaware": ("shipped/published", "design-target", (), "< 5", "published structure, trained without noise"),
    "bottleneck-50-ghz": ("shipped/bottleneck_noise_aware", "design-target", ("receiver.bandwidth_hz=50e9",), ">= 99.7",
                          "9,984 MZIs, receivers of 50 GHz"),
    "published-50-ghz": ("shipped/published_noise_aware", "design-target",
                         ("receiver.bandwidth_hz=50e9", "link.signal_full_scale_w=1e-3"), ">= 99.95",
                         "published structure, receivers of 50 GHz, 1 mW per neuron"),
    "doped-heaters": ("shipped/doped_heaters_noise_aware", "doped-heaters", (), ">= 70", "7,168 MZIs, the preset's 0.56 dB per MZI"),
    "doped-heaters-retrained": ("shipped/doped_heaters_noise_aware", "doped-heaters", RETRAINED, ">= 82",
                          "7,168 MZIs, 0.56 dB; attenuators and biases retrained on each measured chip, with noise"),
    "doped-heaters-one-heater": ("shipped/doped_heaters_noise_aware", "doped-heaters", ("chip.mzi_loss_db=0.33",), ">= 80",
                           "7,168 MZIs, 0.33 dB per MZI: one of its two heaters"),
}

CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    *((f"wrong-{name}", "= 0", "words that the carry chain decodes wrongly, by servers x bits or cascade level: of every word, or of 1e8 and edge cases",
       (at, (words, name), "wrong"), command(name)) for name in SETTINGS),
    *((f"mzis-{name}", f"= {mzis}", "MZIs", (at, (words, name), "mzis"), command(name))
      for name, mzis in (("4x8", 29), ("4x16", 65), ("16x8", 118))),
    *((f"{kind}-4x8", f"= {number}", f"{kind} of the carry chain, including the servers': they do the work beside its 29 MZIs",
       (at, carry_chain, kind), f"{OPTINC} compare-costs {DESIGNS}")
      for kind, number in (("receivers", 28), ("modulators", 46))),
    *((f"light-{name}", "= 0", f"words wrong of 1e6 drawn, through corrected good-lab chips with and without receiver noise: {what}",
       (wrong_through_light, name), f"{OPTINC} run {shown(LIGHT[name][0])} -o light.h5")
      for name, what in (("cascade", "16 servers, five chips in two levels, against the flat average"), ("4x16", "16 bits"))),
    ("cascade-hardware", "<= 20", "% more MZIs in a cascade's five units than in five flat ones",
     cascade_hardware, command("first-level")),
    ("stand-in", ">= 59", "of 60 networks of the published structure, trained with weight noise, right on all words with an error of 1e-2 in every U",
     stand_in_yield, f"{OPTINC} run {BASE} {shown(STAND_IN)} -o stand_in.h5"),
    *((f"equal-{name}", target, f"{unit}: {what} that causes the same error of 1e-2 in the real part of the matrices",
       (equal_error, key), f"{OPTINC} run {BASE} {shown(EQUAL)} --sweep '{key}={LEVELS[key]}' -o equal.h5")
      for name, key, target, unit, what in (
          ("splitters", "chip.sigma_eta_rad", ">= 0.01", "rad", "splitter error, corrected,"),
          ("calibration", "chip.sigma_cal_rad", ">= 1e-4", "rad", "phase offset that calibration leaves"),
          ("loss", "chip.arm_loss_spread_db", ">= 1e-3", "dB", "spread of the arms' losses"))),
    ("gain-training", ">= 2", "errors that 95 of 100 good-lab chips tolerate, published structure: trained with weight noise over trained without errors",
     (gained, "published_standin", "published"), RUN_TOLERANCES),
    ("gain-chips", ">= 1", "the same: 120 more epochs through simulated chips over 120 more with weight noise",
     (gained, "published_chips", "published_standin_longer"), RUN_TOLERANCES),
    ("yield-doped-heaters", ">= 0.9", "share of 400 chips of doped-heaters, calibrated in situ, with receiver noise, that decode every word; lower end of the 95 % interval",
     (at, yields, ("in-situ", "doped-heaters"), 1), RUN),
    ("yield-good-lab", ">= 0.95", "the same at good-lab, corrected only", (at, yields, ("noisy", "good-lab"), 1), RUN),
    *((f"noise-{name}", target, f"% of words right on 20 chips, all words, noise of set receivers, default link unless stated: {what}",
       (noisy, network, preset, *settings),
       f"{OPTINC} run {BASE} {shown(noisy_options(network, preset, *settings))} -o noisy.h5")
      for name, (network, preset, settings, target, what) in NOISY.items()),
    *((f"gradient-{name}", "<= 0.05", f"relative error of a real gradient through a design-target chip, all noise: {what}",
       (gradient_error, f"shipped/{name}_noise_aware"),
       f"{OPTINC} run {SPLITTERS} {shown(gradient_options(f'shipped/{name}_noise_aware'))} -o noisy_gradient.h5")
      for name, what in (("published", "published structure"), ("bottleneck", "9,984 MZIs"))),
    *((f"tail-{round(100 * share)}", target, f"% of words right that {round(100 * share)} of 100 good-lab chips reach, 9,984 MZIs, all noise of "
       "set receivers, default link", (tail, share), f"{OPTINC} run {BASE} {shown(TAIL)} -o tail.h5")
      for share, target in ((0.95, ">= 99.8"), (0.99, ">= 99.75"))),
    *((f"learning-{preset}", ">= -0.3", "points of final accuracy relative to exact averaging, lower end of the 95 % interval of 5 seeds: "
       "9,984 MZIs, all noise of set receivers, including phase locks, default link",
       (points, LEARNING, f"96-32, {preset}", "low"),
       f"{OPTINC} run experiments/data/studies/{LEARNING}.toml -o {LEARNING}.h5") for preset in ("design-target", "good-lab")),
    ("correction-gain", ">= 0", "gain in word accuracy by splitter correction, least over levels, published network",
     least_gain_of_correction, f"{OPTINC} run {SPLITTERS} -o splitter_errors.h5"),
    *((f"codes-{path.replace('_', '-')}", target, "error of a real gradient over that of ideal codes, published network, no noise",
       (gradient_over_codes, path), f"{OPTINC} run {SPLITTERS} -o splitter_errors.h5")
      for path, target in (("network", "= 1"), ("chip_corrected", "<= 1.01"))),
    ("trained-good-lab", "< 0.95", "share of 20 good-lab chips on which the published network, trained without errors, decodes every word, without noise",
     trained_yield, f"{OPTINC} run {SPLITTERS} --set chip.preset=good-lab --set measure.words=0 "
     "--set 'measure.variants=[\"corrected_quadrature\"]' --sweep 'chip.sigma_eta_rad=[0.01]' --trials 20 -o trained.h5"),
)
