"""Group published: trained networks for every row of the published table that was reached, and the published MZI counts."""

from .claim import OPTINC, ROOT, at, claims_of, sets, shared, shown, stored
from .hardware_aware import noisy, noisy_options

GROUP = "published"
BASE = "experiments/data/networks/base.toml"
LIST = "experiments/data/lists/published.toml"
TRAIN = "experiments/data/networks/train"
WORDS = 1_000_000
HALF = [60, 120, 240, 120, 60]
DRAWN = 10_000_000
NETWORKS = {  # name: (settings of its task, hidden widths, words asked, most that are wrong, what)
    "published": ((), [64, 128, 256, 128, 64], 28_561, "= 0", "4 servers, published structure"),
    "32x5": ((), [32] * 5, 28_561, "= 0", "4 servers, 2,272 MZIs"),
    "cascade_first": (("task.level=first",), HALF, 28_561, "= 0", "first level, 36,690 MZIs"),
    "cascade_first_40x5": (("task.level=first",), [40] * 5, 28_561, "= 0", "first level, 3,500 MZIs"),
    "cascade_second": (("task.level=second",), HALF, 371_293, "= 0", "second level, 36,690 MZIs"),
    "3_servers": (("task.servers=3",), [64] * 5, 10_000, "= 0", "mean of 3 servers"),
    "majority": (("task.reduction=majority",), [32] * 5, 28_561, "= 0", "vote of 4 servers, 2,272 MZIs"),
    "saturated_sum": (("task.reduction=saturated-sum",), [32] * 5, 28_561, "= 0", "sum of 4 servers up to the largest code, 2,272 MZIs"),
    "8_servers": (("task.servers=8",), [64] * 7, 390_625, "= 0", "8 servers, 12,800 MZIs"),
    "16_bits": (("task.bits=16",), [64, 128, 256, 512, 256, 128, 64], 7**8 + DRAWN, "= 0",
                "16 bits, 173,504 MZIs, published widths: words of seven digit sums at the edges of carries, and 1e7 drawn"),
    "16_servers": (("task.servers=16",), [64] * 7, 5_764_801, "<= 159", "16 servers in one unit, 12,800 MZIs; the aim is 0"),
}
# as much light as in study cascade
BRIGHT = ("link.signal_full_scale_w=1e-3", "link.signed_levels=true", "receiver.lo_power_w=1e-2", "receiver.bandwidth_hz=1e9")
NOISE_AWARE = {  # name: (network, its task and link, {preset: target}, what)
    "first": ("shipped/cascade_first_noise_aware", ("task.level=first", "network.hidden=[80]"),
              {"design-target": ">= 99.9", "good-lab": ">= 99.8"}, "all words, first level, default link"),
    "second": ("shipped/cascade_second_noise_aware", ("task.level=second", "network.hidden=[80]"),
               {"design-target": ">= 99", "good-lab": ">= 98"}, "all words, second level, default link"),
    "8-servers": ("shipped/8_servers_noise_aware", ("task.servers=8", "network.hidden=[96]", *BRIGHT),
                  {"design-target": ">= 98", "good-lab": ">= 93"}, "all words, 8 servers, bright link"),
    "16-servers": ("shipped/16_servers_noise_aware", ("task.servers=16", "network.hidden=[96]", *BRIGHT, "measure.words=50000"),
                   {"design-target": ">= 92"}, "16 servers in one unit, 50,000 drawn words, bright link"),
    "16-bits": ("shipped/16_bits_noise_aware", ("task.bits=16", "network.hidden=[64,128,256,512,256,128,64]", *BRIGHT, "measure.words=10000"),
                {"design-target": ">= 99.9"}, "16 bits, 10,000 drawn words, bright link"),
}


def options(name):
    task, hidden, *_ = NETWORKS[name]
    return [*sets(f"network.source=shipped/{name}", *task, f"network.hidden={hidden}"), *(("--words", str(DRAWN)) if name == "16_bits" else ())]


def wrong(bench, name):
    """Words that a shipped network gets wrong: of its whole task, if that can be asked."""
    found = bench.answer("check-network", BASE, *options(name))
    assert found["every"] == (name != "16_bits") and found["words"] == NETWORKS[name][2], found
    return found["wrong"]


def wrong_as_published(bench):
    """Words wrong of the published structure of 16 bits, trained here: layers 4 to 6 approximated, the others by full SVD."""
    folder = bench.folder / "networks"
    bench.optinc("--version")
    bench.run(ROOT / TRAIN, "--only", "16_bits_published", folder)
    task, hidden, *_ = NETWORKS["16_bits"]
    settings = sets(f"network.source={folder / '16_bits_published.h5'}", *task, f"network.hidden={hidden}")
    return bench.answer("check-network", BASE, "--words", str(WORDS), *settings)["wrong"]


def cascade_study(preset):
    """Arguments of `run`: five trained units. Perfect chips are known perfectly; splitters of others to 1 mrad, as the study has it."""
    return ["experiments/data/studies/cascade.toml", "--trials", "1",
            *sets(f"measure.words={WORDS}", "network.source=shipped/cascade_first", "network.above=shipped/cascade_second"),
            "--sweep", f'chip.preset=["{preset}"]', "--sweep", f'calibration.policy=["{"oracle" if preset == "ideal" else "noisy"}"]']


@shared
def cascade(bench, preset):
    """Words of a million that five trained units in two levels decode otherwise than the flat average of 16 servers."""
    names, right = stored(bench.result(f"cascade-{preset}", *cascade_study(preset)), "trials/variant", "trials/cascade_accuracy")
    right = right.reshape(-1)
    return {name: round(WORDS * (1 - right[names.index(name)])) for name in names}


def noisy_cascade_options(preset):
    """Options of `optinc run`: five units trained for noise, all noise on, default link, perfect chips or corrected ones."""
    return "--trials", "3", *sets(
        "model=cascade", f"network.source={NOISE_AWARE['first'][0]}", f"network.above={NOISE_AWARE['second'][0]}",
        f"chip.preset={preset}", "noise.set=receivers", "measure.words=300000", 'measure.variants=["noisy"]')


def noisy_cascade(bench, preset):
    """Percent of drawn words that five units trained for noise average as one flat average does, three sets of chips."""
    return float(100 * bench.trials("noisy_cascade", "cascade_accuracy", BASE, *noisy_cascade_options(preset)).mean())


APPROXIMATED = ("experiments/data/studies/approximated_layers.toml", "--sweep", "training.full_svd_layers=[[],[1,2,3,4,5,6]]",
                "--sweep", 'chip.preset=["good-lab"]')


def wrong_by_full_svd(bench):
    """Words wrong of the published network built by full SVD, over those of one whose layers are all approximated."""
    approximated, full = 1 - bench.trials("approximated_layers", "word_accuracy", *APPROXIMATED).reshape(2, -1).mean(axis=1)
    return float(full / approximated)


def share(bench, bits, way):
    """Percent of the MZIs of full SVD in a network of the published shape, counted in one of two ways."""
    found = next(design for design in bench.answer("compare-costs", LIST)["designs"] if design["design"] == f"published {bits} bit")
    return round(100 * found[way] / found["mzis_full_svd"], 1)


CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    *((f"wrong-{name.replace('_', '-')}", target, f"words wrong of {words:,}, as trained, no chip: {what}", (wrong, name),
       f"{OPTINC} check-network {BASE} {shown(options(name))}") for name, (_, _, words, target, what) in NETWORKS.items()),
    *((f"cascade-{name}", target, f"words wrong of {WORDS:,} drawn, five trained units for 16 servers against the flat average: {what}",
       (at, (cascade, preset), variant),
       f"{OPTINC} run {shown(cascade_study(preset))} -o cascade.h5")
      for name, preset, variant, target, what in (
          ("ideal", "ideal", "corrected_quadrature", "= 0", "perfect chips, no noise"),
          ("design-target", "design-target", "corrected_quadrature", "", "design-target chips, no noise"),
          ("noisy", "design-target", "noisy", "", "design-target chips, all noise; not trained for either"))),
    *((f"noise-{name}-{preset}", target, f"% of words right on 20 chips, all noise of set receivers: {what}, trained for noise",
       (noisy, network, preset, *settings),
       f"{OPTINC} run {BASE} {shown(noisy_options(network, preset, *settings))} -o noisy.h5")
      for name, (network, settings, targets, what) in NOISE_AWARE.items() for preset, target in targets.items()),
    *((f"noise-cascade-{preset}", target, "% of words right, 900,000 drawn, five units trained for noise, all noise, default link",
       (noisy_cascade, preset),
       f"{OPTINC} run {BASE} {shown(noisy_cascade_options(preset))} -o noisy_cascade.h5")
      for preset, target in (("ideal", ">= 98"), ("design-target", ">= 97.5"), ("good-lab", ">= 95"))),
    ("wrong-16-bits-published", "<= 100", f"words wrong of {7**8 + WORDS:,}, published structure of 16 bits (layers 4 to 6 approximated), trained in one stage",
     wrong_as_published, f"{TRAIN} --only 16_bits_published /tmp/networks"),
    ("wrong-by-full-svd", ">= 5", "times as many words wrong by full SVD of all layers as by approximation of all, 10 corrected good-lab chips, no noise",
     wrong_by_full_svd, f"{OPTINC} run {shown(APPROXIMATED)} -o approximated_layers.h5"),
    *((f"mzis-{bits}-bits", f"= {target}", "% of the MZIs of full SVD, layers approximated as published", (share, bits, "mzis_published_way"),
       f"{OPTINC} compare-costs {LIST}") for bits, target in ((8, 39.2), (16, 49.2))),
)
