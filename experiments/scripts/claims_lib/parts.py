"""Group parts: what the parts of a unit are known from, and watts summed a second time from their table.

`watts` shares no code with the tool. It counts shifters, modulators and receivers from the widths of a network, takes every
figure from `optinc devices`, and sums what each part draws.
"""

import json
import math
import tomllib

from .claim import OPTINC, ROOT, claims_of, sets, shared, shown, stored

GROUP = "parts"
KNOWN = ("read", "measured here", "from memory", "assumed")
RATE_BD = 28e9
CLOCKED = ("time.sampling=clocked", f"time.symbol_rate_bd={RATE_BD}")
DESIGNS = {  # widths; or what the carry chain has, whose neurons send fields of both signs: twice the swing of the others
    "published": (("--network", "shipped/published"), (4, 64, 128, 256, 128, 64, 4)),
    "96-32": (("--network", "shipped/bottleneck_noise_aware"), (4, 96, 32, 96, 32, 96, 32, 96, 4)),
    "carry-chain": (("--set", "network.source=carry-chain"), {"shifters": 107, "modulators": 30, "receivers": 12, "swing": 2}),
}
SERVERS, DIGITS = 4, 4
LAUNCH_W, SIGNAL_W, OSCILLATOR_W = 1e-3, 1e-4, 1e-3  # of the default link
FIBRE_KM, CONNECTORS = 0.01, 2  # of each fibre


@shared
def devices(bench):
    return {part["name"]: part for part in json.loads(bench.optinc("devices", "--json")[0])["devices"]}


def parts_of(bench):
    return [part for part in devices(bench).values() if not part["kind"].endswith(" preset")]


def known(bench, how):
    """Figures of all parts that are known in this way."""
    return sum(figure["known"] == how for part in parts_of(bench) for figure in part["parameters"])


def kinds_without_read(bench):
    kinds = {part["kind"] for part in parts_of(bench)}
    return len(kinds - {part["kind"] for part in parts_of(bench) if any(f["known"] == "read" for f in part["parameters"])})


@shared
def budget(bench, *words):
    return json.loads(bench.optinc("budget", "--json", "--quiet", *words)[0])


def counts(design):
    """Shifters; modulators and receivers of the neurons; swing of these modulators, against a server's. A layer of n rows and m
    columns is cut into squares of the smaller side s: each has a mesh of s (s - 1) shifters and s more at its outputs, and s
    attenuators of two shifters."""
    if isinstance(design, dict):
        return design
    shifters = neurons = 0
    for inputs, outputs in zip(design, design[1:]):
        side = min(inputs, outputs)
        shifters += max(inputs, outputs) // side * (side * (side - 1) + side + 2 * side)
        neurons += outputs
    return {"shifters": shifters, "modulators": neurons - design[-1], "receivers": neurons - design[-1], "swing": 1}


def watts(bench, told, design):
    """Watts of a unit, at RATE_BD with clocked receivers, of the parts that its budget names: heaters with their static
    phases trimmed, which are pi each on average; light, by the losses between laser and use, from one laser or boosters;
    amplifiers; symbols."""
    n = counts(design)
    of = {f"{used['key'].split('.')[0]}.{figure['key']}": figure["value"]
          for used in told["parts"] for figure in devices(bench)[used["part"]]["parameters"] if figure["key"]}

    def through_tree(ends):
        return of["splitter.loss_db"] * math.ceil(math.log2(ends))

    answers = SERVERS * DIGITS
    glass = {figure["name"]: figure["value"] for figure in devices(bench)["standard-fibre"]["parameters"]}
    fibre = glass["loss"] * FIBRE_KM + glass["loss of a connector"] * CONNECTORS
    to_server, in_server = through_tree(SERVERS + 1) + fibre, through_tree(DIGITS)
    to_neuron = through_tree(SERVERS + 1) + of["coupler.loss_db"] + through_tree(n["modulators"] + n["receivers"])
    light = (answers * LAUNCH_W * 10 ** ((of["modulator.loss_db"] + in_server + fibre + of["coupler.loss_db"] + to_server) / 10)
             + (n["modulators"] * SIGNAL_W * 10 ** (of["modulator.loss_db"] / 10) + n["receivers"] * OSCILLATOR_W)
             * 10 ** (to_neuron / 10)
             + answers * OSCILLATOR_W * 10 ** ((in_server + to_server) / 10))
    if of["laser.booster_w"] > 0 and light > of["laser.power_w"]:
        light_w = of["laser.power_w"] / of["laser.wall_plug_efficiency"] + light / of["laser.booster_efficiency"]
    else:
        light_w = light / of["laser.wall_plug_efficiency"]
    receivers = n["receivers"] + answers

    def drive(swing):
        return of["modulator.driver_j"] + of["modulator.drive_capacitance_f"] * (swing * of["modulator.v_pi_v"]) ** 2

    symbol_j = (n["modulators"] * drive(n["swing"]) + answers * drive(1) + receivers * of["time.clocked_receiver_j"]
                + answers * 2 ** of["converter.effective_bits"] * of["converter.step_j"])
    return (n["shifters"] * of["heater.pi_power_w"] + light_w + receivers * of["receiver.supply_power_w"] + RATE_BD * symbol_j)


def watts_apart(bench, name, parts):
    """Relative difference of the tool's watts and the sum's."""
    words, design = DESIGNS[name]
    told = budget(bench, *words, *sets(*CLOCKED, f"parts.set={parts}"))
    tool = sum(part["total"] for table in ("static_power", "symbol_power") for part in told[table]["parts"].values())
    return abs(tool / watts(bench, told, design) - 1)


def joules_apart(bench, name, parts):
    """Relative difference of the tool's energy per bit of a server's, eight a symbol, and the sum's."""
    words, design = DESIGNS[name]
    told = budget(bench, *words, *sets(*CLOCKED, f"parts.set={parts}"))
    return abs(told["energy_per_bit_j"] / (watts(bench, told, design) / (RATE_BD * 8 * SERVERS)) - 1)


def unmarked(bench):
    """Designs of the shipped list, at two rates, whose budget keeps quiet although a part's figure is exceeded."""
    count = 0
    for design in tomllib.loads((ROOT / "experiments/data/lists/operating_points.toml").read_text(encoding="utf-8"))["design"]:
        for rate_bd in (40e9, 100e9):
            told = budget(bench, *sets(*design["set"], "time.sampling=clocked", f"time.symbol_rate_bd={rate_bd}"))
            for used in told["parts"]:
                for f in devices(bench)[used["part"]]["parameters"]:
                    beyond = (f["name"] in ("symbol rate", "sampling rate") and rate_bd > f["value"]) or (
                        f["key"] == "overload_a" and f["value"] == 0)
                    count += beyond and not any(used["part"] in note for note in told["notes"])
    return count


NETWORK = ("network.source=shipped/bottleneck_noise_aware", "measure.variants=[\"noisy\"]", "measure.words=65536", "runner.trials=8")
MISMATCHES_M = (0, 2, 20)
BUILDER_BD = (10e9, 16e9, 23.5e9)


@shared
def words_wrong(bench, *settings):
    """Share of words wrong of 96-32, eight chips, in percent."""
    file = bench.folder / "words.h5"
    bench.optinc("run", "experiments/data/networks/base.toml", "-o", file, "--quiet", "--force", *sets(*NETWORK, *settings))
    right, = stored(file, "trials/word_accuracy")
    return 100 * (1 - float(right.mean()))


PUBLISHED = ("parts.set=published", "chip.preset=design-target", "noise.set=receivers")
BUILDER = ("parts.set=published", "chip.preset=good-lab", "noise.set=full", "time.sampling=clocked")
RUN = f"{OPTINC} run experiments/data/networks/base.toml -o r.h5 "
CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    ("parts", "", "parts of all kinds", lambda bench: len(parts_of(bench)), f"{OPTINC} devices"),
    ("kinds-without-read", "", "kinds of parts without a figure that was read", kinds_without_read, f"{OPTINC} devices --json"),
    *((f"figures-{how.replace(' ', '-')}", "", f"figures of parts: {how}", (known, how), f"{OPTINC} devices --json") for how in KNOWN),
    ("keys-without-part", "", "keys of a unit that no part sets",
     lambda bench: len(budget(bench, *DESIGNS["96-32"][0], *sets(*CLOCKED))["keys_without_part"]), f"{OPTINC} budget"),
    *((f"{what}-{name}-{parts}", "<= 0.01", f"relative difference of a unit's {told} and a sum from the table of parts: {name}, "
       f"{parts} parts", (measure, name, parts), f"{OPTINC} budget {shown(DESIGNS[name][0] + sets(*CLOCKED, f'parts.set={parts}'))}")
      for parts in ("published", "idealised") for name in DESIGNS for what, told, measure in (("watts", "watts", watts_apart), ("joules", "joules per bit", joules_apart))),
    ("rows-unmarked", "= 0", "designs of list operating_points, at 40 and 100 GBd, beyond a part's figure without a note", unmarked,
     f"{OPTINC} budget"),
    *((f"wrong-mismatch-{m}m", "", f"% of words wrong, 96-32, settled, fibres that differ by {m} m",
       (words_wrong, *PUBLISHED, f"link.fibre_mismatch_m={m}"), RUN + shown(sets(*NETWORK, *PUBLISHED, f"link.fibre_mismatch_m={m}")))
      for m in MISMATCHES_M),
    *((f"wrong-builder-{bd / 1e9:g}-gbd", "", f"% of words wrong, 96-32, good-lab, noise set full, {bd / 1e9:g} GBd",
       (words_wrong, *BUILDER, f"time.symbol_rate_bd={bd}"), RUN + shown(sets(*NETWORK, *BUILDER, f"time.symbol_rate_bd={bd}")))
      for bd in BUILDER_BD),
)
