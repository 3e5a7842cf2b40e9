"""What a snapshot runs: commands of optinc in order, in a folder that holds studies/ and what inputs.py writes."""

import dataclasses


@dataclasses.dataclass
class Run:
    """One command. `outputs` are files that are recorded; `json`: standard output is recorded, too."""
    name: str
    arguments: list
    outputs: tuple = ()
    json: bool = False
    status: int = 0

    @property
    def study(self):
        """Path of the study that the command reads, None where it reads none."""
        found = [a for a in self.arguments[1:2] if str(a).startswith("studies/")]
        return found[0] if found else None

    @property
    def settings(self):
        """key=value of every --set."""
        return [self.arguments[i + 1] for i, a in enumerate(self.arguments) if a == "--set"]


def sets(*settings):
    return [word for setting in settings for word in ("--set", setting)]


def train(name, *settings):
    return Run(name, ["train", "studies/train_tiny.toml", "-o", f"{name}.h5", "--quiet", *sets(*settings)],
               (f"{name}.h5",))


def study(name, of=None, settings=()):
    """A study; of another's name, with settings over it."""
    return Run(name, ["run", f"studies/{of or name}.toml", "-o", f"{name}.h5", "--quiet", *sets(*settings)], (f"{name}.h5",))


def replay(of, trial, point=0):
    name = f"replay_{of}"
    return Run(name, ["replay", f"{of}.h5", "--trial", str(trial), "--point", str(point), "-o", f"{name}.h5", "--quiet"],
               (f"{name}.h5",))


def budget(name, *settings, network=None):
    given = ["studies/budget.toml"] if network is None else ["--network", network]
    return Run(name, ["budget", *given, "--json", "-o", f"{name}.h5", "--quiet", *sets(*settings)], (f"{name}.h5",), True)


def words(name, status, *settings):
    return Run(name, ["check-network", "studies/train_tiny.toml", "--json", "--quiet", "--words", "20000", *sets(*settings)],
               json=True, status=status)


STUDIES = ("chip_errors", "chip_network", "chip_shipped", "chip_even", "chip_noise", "chip_calibration", "chip_diagonal", "chip_chain", "chip_clocked",
           "chip_levels", "sums", "waveform", "oscillators", "twin", "tolerance", "shapes", "cascade", "drift", "drift_policy", "drift_wafer", "comb", "mesh", "mesh_detuned", "mesh_drift", "mesh_file", "learning",
           "learning_cascade", "learning_images", "learning_drift", "learning_copies")
HEATERS = ("typical-metal-heater", "typical-doped-silicon-heater", "dave-2024-metal-clad-heater",
           "chen-2024-slow-light-heater", "typical-undercut-heater", "lu-2015-suspended-heater")
PARTS = {  # every part of a unit that a name chooses
    "laser.device": "typical-dfb-laser van-rees-2019-laser li-2021-laser piezo-2024-laser wire-bond-2021-laser".split(),
    "laser.booster": "juodawlkis-2009-booster glhc-booster no-booster typical-fibre-booster".split(),
    "modulator.device": ("typical-modulator weigel-2018-modulator he-2019-modulator low-voltage-2020-modulator "
                         "valdez-2022-modulator tao-2024-modulator").split(),
    "modulator.driver": ("assumed-1pj-driver zhang-2025-driver breyne-2020-driver liao-2022-driver zhao-2014-driver "
                         "wang-2025-transmitter razavi-2021-transmitter typical-linear-driver").split(),
    "receiver.device": ("patel-2022-receiver shi-2019-receiver linear-28nm-2018-receiver awny-2018-receiver "
                        "garcia-lopez-2017-receiver garcia-lopez-2017-wide-receiver cao-2024-receiver zhang-2025-receiver "
                        "typical-linear-receiver").split(),
    "receiver.photodiodes": ("typical-germanium-photodiode shi-2024-photodiode priel-2026-photodiode strained-c-l-band-photodiode "
                             "large-core-photodiode").split(),
    "converter.device": ("typical-converter receiver-56g-converter solis-ti-converter ramkaj-2018-converter ibm-56g-converter "
                         "zandieh-2019-converter").split(),
    "splitter.device": "zhang-2013-y-branch adiabatic-2023-splitter sakamaki-2009-y-branch openebl-2024-y-branch typical-y-branch".split(),
    "coupler.device": ("typical-edge-coupler typical-grating-coupler wan-2025-edge-coupler duv-inverse-grating-coupler "
                       "vertical-grating-coupler zhou-2024-grating-coupler taillaert-2006-grating-coupler").split(),
    "waveguide.device": "soi-strip-500x220 vlasov-2004-strip selvaraja-2014-strip macrochip-rib openebl-2024-strip".split(),
    "time.clocked_receiver": ("typical-wireline-receiver emami-2007-wireline-receiver finfet-30g-wireline-receiver "
                              "han-2021-wireline-receiver pam4-22g-wireline-receiver").split(),
}
SETS_OF_PARTS = [[f"{key}={names[i % len(names)]}" for key, names in PARTS.items()] for i in range(max(map(len, PARTS.values())))]
DEVICES = ("harris-2014-heater", "soref-bennett-1987", "typical-directional-coupler", "zhang-2013-y-branch",
           "soi-strip-500x220", "standard-fibre", "johnson-2020-crossing", "typical-edge-coupler",
           "weigel-2018-modulator", "almae-2021-soa", "patel-2022-receiver")

# networks first: studies read them
TRAININGS = [
    train("tiny"),
    train("tiny_first", "task.level=first", "network.hidden=[6,6]", "training.epochs=10"),
    train("tiny_second", "task.level=second", "network.hidden=[24,24,24]", "training.epochs=400"),
    train("projected", "training.scheme=projected", "training.project_every=2", "training.squared_share=0.3",
          "training.epochs=9"),
    train("full_svd", "training.full_svd_layers=[1,2]", "training.epochs=9"),
    train("noise_aware", "network.start=tiny.h5", "training.noise=0.5", "training.noise_ramp=0.2", "training.ceiling=0.9", "training.epochs=4"),
    train("matrix_noise", "network.start=tiny.h5", "training.matrix_noise=0.05", "training.epochs=4"),
    train("on_chips", "network.start=tiny.h5", "training.on_chips=true", "training.epochs=3", "training.learning_rate=1e-3"),
    train("stopped", "training.stop_margin=0.02", "training.epochs=700", "training.dead_zone=0.1"),
    train("chosen_words", "training.hard_error=0.25", "training.easy_share=0.3", "training.hard_power=2", "training.hard_memory=0.6", "training.window=0.3", "training.window_ramp=0.6",
          "training.initial_variance=2.5", "training.epochs=12"),
    train("drawn_words", "task.bits=16", "training.words_per_epoch=160", "training.hard_error=0.25", "training.epochs=12"),
    train("other_servers", "network.start=tiny.h5", "task.servers=3", "training.epochs=4"),
    train("published", "task.servers=4", "task.bits=8", "network.hidden=[64,128,256,128,64]", "training.epochs=3",
          "training.batch=512"),
]
LABORATORY = [
    Run("fabricate", ["fabricate", "tiny.h5", "-o", "chip.h5", "--preset", "doped-heaters", "--seed", "4", "--chip", "3",
                      *sets("chip.rho_ab=0.2")], ("chip.h5",)),
    study("comb_measured", "comb", ["chip.measured=chip.h5"]),
    study("chip_float32", "chip_noise", ["measure.arithmetic=float32"]),
    Run("fabricate_shipped", ["fabricate", "shipped/32x5", "-o", "chip_32x5.h5"], ("chip_32x5.h5",)),
    Run("program", ["program", "tiny.h5", "-o", "phases.h5", "--chip", "chip.h5"], ("phases.h5",)),
    Run("program_dac", ["program", "tiny.h5", "-o", "phases.csv", "--dac-bits", "8"], ("phases.csv",)),
    Run("program_shipped", ["program", "shipped/32x5", "-o", "phases_32x5.h5"], ("phases_32x5.h5",)),
    Run("program_matrix", ["program", "target.csv", "-o", "phases_target.csv"], ("phases_target.csv",)),
    Run("transfer", ["transfer", "phases.h5", "-o", "matrix.h5", "--mesh", "layer0/block0/mesh", "--chip", "chip.h5"],
        ("matrix.h5",)),
    Run("transfer_csv", ["transfer", "phases.csv", "-o", "matrix.csv", "--mesh", "layer1/block0/attenuators"],
        ("matrix.csv",)),
    Run("transfer_touchstone", ["transfer", "phases_target.csv", "-o", "matrix.s8p", "--frequency-hz", "1.9e14"],
        ("matrix.s8p",)),
]
COSTS = [
    budget("budget"),
    Run("budget_sums", ["budget", "studies/budget_sums.toml", "--json", "-o", "budget_sums.h5", "--quiet"], ("budget_sums.h5",), True),
    budget("budget_skew", "link.skew=at-servers"),
    budget("budget_incoherent", "link.averaging=incoherent"),
    budget("budget_lookahead", "network.carries=lookahead", "link.signed_levels=true"),
    *(budget(f"budget_{heater.replace('-', '_')}", f"heater.device={heater}") for heater in HEATERS),
    *(budget(f"budget_parts_{i}", *parts) for i, parts in enumerate(SETS_OF_PARTS)),
    budget("budget_tiny", network="tiny.h5"),
    budget("budget_published", network="shipped/published"),
    Run("designs", ["compare-costs", "lists/published.toml", "--json", "-o", "designs.h5", "--quiet"], ("designs.h5",), True),
    Run("interconnect", ["interconnect", "lists/headline.toml", "--json", "-o", "interconnect.h5", "--quiet", "--trace",
                         "trace.json"], ("interconnect.h5", "trace.json"), True),
    *(Run(f"cluster_{name}", ["cluster", f"lists/{name}.toml", "--json", "-o", f"cluster_{name}.h5", "--quiet"], (f"cluster_{name}.h5",), True)
      for name in ("oddl", "oddl_failures", "oddl_parallel")),
    *(Run(name, ["operating-point", f"lists/{designs}_designs.toml", *options, "--chips", "1", "--json", "--quiet"], json=True)
      for name, designs, options in (("least_energy", "few", ("--goal", "energy", "--hold", "time.symbol_rate_bd")),
                                     ("fastest", "few", ("--wrong", "0.05", "--words", "60", "--bandwidths", "32e9")),
                                     ("rarely_wrong", "rare", ("--wrong", "1e-6")))),
    *(Run(f"device_{name.replace('-', '_')}", ["devices", name, "--json"], json=True) for name in DEVICES),
]
WORDS = [
    words("words_tiny", 0, "network.source=on_chips.h5"),
    words("words_wrong", 1, "network.source=projected.h5"),
    words("words_first", 0, "network.source=carry-chain", "task.level=first"),
    words("words_32_bit", 0, "network.source=carry-chain", "task.servers=4", "task.bits=32"),
    words("words_shipped", 0, "network.source=shipped/published", "task.servers=4", "task.bits=8"),
]
SECOND_LOOKS = [  # the same trials by other ways
    replay("chip_network", 1, 5),
    replay("comb", 1, 1),
    replay("mesh", 2, 3),
    replay("tolerance", 1, 4),
    replay("cascade", 0, 1),
    replay("drift", 1, 2),
    replay("learning", 1, 9),
    Run("ablate", ["ablate", "studies/chip_levels.toml", "-o", "ablate.h5", "--quiet", "--sweep", "chip.rho_ab=[0.1]"],
        ("ablate.h5",)),
    *(Run(f"mesh_shard{i}", ["run", "studies/mesh.toml", "-o", f"shard{i}.h5", "--quiet", "--shard", f"{i}/2"],
          (f"shard{i}.h5",)) for i in (1, 2)),
    Run("merge", ["merge", "shard1.h5", "shard2.h5", "-o", "merged.h5"], ("merged.h5",)),
    Run("resume", ["resume", "drift_policy.h5", "--trials", "2", "--quiet"], ("drift_policy.h5",)),
    Run("inspect", ["inspect", "chip_network.h5", "--json"], json=True),
]
LAWS = [Run("laws", ["validate", "--quick", "--json", "--quiet", "-o", "laws.h5"], ("laws.h5",), True)]

VARIATIONS = [
    *(study(f"parts_{i}", "parts", parts) for i, parts in enumerate(SETS_OF_PARTS)),
    study("chip_first", "chip_levels", ["task.level=first"]),
    study("chip_second", "chip_levels", ["task.level=second"]),
    study("chip_incoherent", "chip_noise", ["link.averaging=incoherent"]),
    *(study(f"reduced_to_{name.replace('-', '_')}", "chip_levels", [f"task.reduction={name}"]) for name in ("saturated-sum", "majority")),
    study("mesh_nearest", "mesh_file", ["mesh.nearest_unitary=true"]),
    study("mesh_measured", "mesh_file", ["mesh.measured=measured.csv", "mesh.measured_crosstalk=crosstalk.csv"]),
    study("cascade_in_situ", "cascade", ["calibration.policy=in-situ", "calibration.in_situ_steps=3"]),
    study("learning_cnn", "learning_drift", ["learner.kind=cnn", "learner.width=4", "learner.steps=2", "drift.instants=2"]),
]
RUNS = [*TRAININGS, *(study(name) for name in STUDIES), *VARIATIONS, *LABORATORY, *COSTS, *WORDS, *SECOND_LOOKS, *LAWS]
