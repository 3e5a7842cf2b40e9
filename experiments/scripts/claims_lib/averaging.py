"""Group averaging: averages in light that leave the arithmetic to integers, and electronics that add the same words."""

import subprocess
import tomllib

from .claim import OPTINC, ROOT, Measured, claims_of, sets, shared, shown

GROUP = "averaging"
BASE = "experiments/data/networks/base.toml"
LIST = "experiments/data/lists/averages.toml"
SOURCES = ("digit-sums", "analogue-sum", "ring", "hub")
SERVERS = (1, 2, 4, 8, 16, 32, 64)
ROUNDINGS = ("half-even", "half-up", "floor", "stochastic")

DESIGNS = {"owner-4": "sums of 4, owners", "star-4": "sums of 4, star", "ring-4": "ring of 4", "owner-8": "sums of 8, owners",
           "ring-8": "ring of 8", "adder-8": "adder chip, 8 servers", "switch-8": "aggregating switch, 8 servers",
           "analogue-star": "analogue sum of 8, star"}
# Of the prototype: share of codes wrong and pJ per bit (it counted neither the errors of an owner's answers nor what trees
# lose), and, of what it compared them with, pJ per bit and the share of a design's symbols that it counted: partial sums as
# long as codes
SUMS = {"owner-4": (1.7e-5, 2.18), "owner-8": (3.2e-5, 2.06), "star-4": (1.7e-5, 2.45)}
OPPONENTS = {"ring-4": (2.36, 24 / 26), "ring-8": (2.75, 56 / 65), "adder-8": (3.14, 1.0), "switch-8": (11.9, 1.0)}


def settings_of(name):
    """Arguments that set a design of the list."""
    listed = tomllib.loads((ROOT / LIST).read_text(encoding="utf-8"))
    design = next(d for d in listed["design"] if d["name"] == DESIGNS[name])
    return sets(*listed["set"], *design["set"])


def words_of(name):
    """Arguments of the run that counts words, in succession."""
    return (BASE, *sets("runner.trials=4", "measure.words=1000000", 'measure.variants=["noisy"]', "noise.set=receivers"),
            *settings_of(name))


@shared
def wrong(bench, name):
    """Share of words wrong."""
    return 1 - float(bench.trials(f"averaging_{name}", "word_accuracy", *words_of(name)).mean())


@shared
def code_error(bench, name):
    """rms error of answers, in codes."""
    return float(bench.trials(f"averaging_{name}_error", "code_error_rms", *words_of(name)).mean())


@shared
def costs(bench):
    """{design of the list: pJ per bit}."""
    return {row["design"]: 1e12 * row["energy_per_bit"] for row in bench.answer("compare-costs", LIST)["designs"]}


def energy(bench, name):
    """pJ per bit."""
    return costs(bench)[DESIGNS[name]]


def beside_prototype(bench, name):
    """Energy of what the prototype counted too, over the prototype's."""
    pj, counted = OPPONENTS[name]
    ratio = energy(bench, name) * counted / pj
    return Measured(ratio, "0.9 to 1.1", 0.9 <= ratio <= 1.1)


LEAST = ("--goal", "energy", "--hold", "time.symbol_rate_bd", "--wrong", "5e-5", "--set", "splitter.loss_db=0")


def without_trees(bench, name):
    """Least energy of a design whose trees lose nothing, over the prototype's."""
    head, *designs = (ROOT / LIST).read_text(encoding="utf-8").split("[[design]]\n")
    one = bench.folder / f"{name}.toml"
    one.write_text(head + "[[design]]\n" + next(d for d in designs if d.startswith(f'name = "{DESIGNS[name]}"')), encoding="utf-8")
    point = bench.answer("operating-point", one, *LEAST)["points"][0]
    ratio = 1e12 * point["energy_per_bit"] / SUMS[name][1] if point["found"] else float("inf")
    return Measured(ratio, "0.9 to 1.1", 0.9 <= ratio <= 1.1)


def over(bench, name, other):
    """Energy of a design over another's."""
    return energy(bench, name) / energy(bench, other)


def exact_options(source, servers, rounding):
    return (BASE, *sets("runner.trials=1", "measure.words=20000", 'measure.variants=["corrected_quadrature"]',
                        f"network.source={source}", "parts.set=idealised", f"task.servers={servers}", f"task.rounding={rounding}"))


@shared
def inexact(bench):
    """Largest share of words wrong without noise, over designs, servers and roundings."""
    return max(1 - float(bench.trials(f"averaging_exact_{source}_{n}_{rounding}", "word_accuracy",
                                      *exact_options(source, n, rounding)).mean())
               for source in SOURCES for n in SERVERS for rounding in ROUNDINGS)


def places(bench):
    """Source files that name a design without being it."""
    found = subprocess.run(["git", "grep", "-l", "-e", '"digit-sums"', "-e", '"carry-chain"', "--", "onn/*.cpp", "onn/*.hpp",
                            "experiments/*.cpp", "experiments/*.hpp", "physics"], cwd=ROOT, capture_output=True, text=True, check=True)
    return len(found.stdout.split())


def checked_options(block):
    """Answers that are the sums of a single digit, so that a word is wrong where its sum is."""
    return (BASE, *sets("runner.trials=25", "measure.words=1000000", 'measure.variants=["noisy"]', "noise.set=receivers",
                        "noise.lock=false", "parts.set=idealised", "network.source=digit-sums", "task.servers=4", "task.bits=2",
                        "task.level=first", "converter.bits=8", "converter.effective_bits=6.4", "link.launch_power_w=1.15e-4", f"link.check_block={block}"))


@shared
def sums_wrong(bench, block):
    """Share of sums wrong, checked in blocks or not (0)."""
    return 1 - float(bench.trials(f"averaging_checks_{block}", "word_accuracy", *checked_options(block)).mean())


def undetected(bench, block):
    """Sums that stay wrong over theory: half of the pairs of errors cancel, B p^2 / 2 of the sums."""
    ratio = sums_wrong(bench, block) / (block * sums_wrong(bench, 0) ** 2 / 2)
    return Measured(ratio, "0.8 to 1.2", 0.8 <= ratio <= 1.2)


DRIFT = ("experiments/data/studies/drifting_sums.toml",)


@shared
def day(bench, checks):
    """(share of words right, number of calibrations a day) of each variant of the day of drift, with checks or without."""
    extra = () if checks else sets("link.check_block=0", 'measure.variants=["drifting","recalibrated"]')
    found = {}
    right = bench.trials(f"averaging_day_{checks}", "instant_accuracy", *DRIFT, *extra)
    since = bench.trials(f"averaging_day_{checks}", "since_calibration", *DRIFT, *extra)
    for v, variant in enumerate(("drifting", "recalibrated", "checked")[:right.shape[-2]]):
        found[variant] = (float(right[..., v, :].mean()), float((since[..., v, 1:] == 0).sum(-1).mean()))
    return found


def wrong_in_a_day(bench, checks, variant):
    return 1 - day(bench, checks)[variant][0]


def calibrations(bench, variant):
    return day(bench, True)[variant][1]


def per_gradient(bench, name):
    """pJ of a design of 6-bit codes per gradient."""
    return 6 * costs(bench)[name]


CASCADE = "experiments/data/studies/cascading_sums.toml"


@shared
def two_levels(bench):
    """Share of words wrong of 64 servers at the most light of the study."""
    return 1 - float(bench.trials("averaging_two_levels", "cascade_accuracy", CASCADE).mean(axis=(1, 2))[-1])


def two_levels_energy(bench):
    """pJ per bit of 64 servers: units of the first level serve eight of them, the one above 64."""
    return costs(bench)["sums of 64, lower units"] + costs(bench)["sums of 64, upper unit"] / 8


LEARNING = "experiments/data/studies/learning_digit_sums.toml"
ANALOGUE = "experiments/data/studies/learning_analogue_sums.toml"
ANALOGUE_PATHS = {"one-receiver": "one copy", "star": "own copies, equal", "star-apart": "own copies"}


@shared
def ends(bench, rounding):
    from .learning import ends_in  # noqa: PLC0415
    return ends_in(bench.result(f"averaging_learning_{rounding}", LEARNING, *sets(f"task.rounding={rounding}")))


@shared
def analogue_ends(bench):
    from .learning import ends_in  # noqa: PLC0415
    return ends_in(bench.result("averaging_learning_analogue", ANALOGUE))


def analogue_lost(bench, path):
    """Points of accuracy lost against exact averaging."""
    found = analogue_ends(bench)
    name = max((name for name in found if ANALOGUE_PATHS[path] in name), key=lambda name: name.endswith(ANALOGUE_PATHS[path]))
    return -100 * found[name].mean


def lost_points(bench, rounding, path):
    """Points of accuracy lost against exact averaging: the worse end of the interval."""
    found = ends(bench, rounding)
    end = next(of for name, of in found.items() if path in name)
    return -100 * end.mean


COSTS = f"{OPTINC} compare-costs averages"
CLAIMS = claims_of(
    GROUP,
    ("exact", "= 0", f"share of words wrong without noise, at worst: sums, ring, hub, {len(SERVERS)} numbers of servers from {SERVERS[0]} to "
     f"{SERVERS[-1]}, {len(ROUNDINGS)} roundings", inexact, f"{OPTINC} run {shown(exact_options('ring', 8, 'half-up'))}"),
    *(row for name, (codes, pj) in SUMS.items() for row in (
        (f"{name}-wrong", f"<= {codes:g}", "share of words wrong, 4 chips", (wrong, name), f"{OPTINC} run {shown(words_of(name))}"),
        (f"{name}-energy", "", "pJ per bit", (energy, name), COSTS),
        (f"{name}-prototype", "", f"least energy with trees that lose nothing, as the prototype had them, over its {pj} pJ",
         (without_trees, name), f"{OPTINC} operating-point averages {' '.join(LEAST)}"))),
    *(row for name, (pj, counted) in OPPONENTS.items() for row in (
        (f"{name}-wrong", "<= 5e-5", "share of words wrong, 4 chips", (wrong, name), f"{OPTINC} run {shown(words_of(name))}"),
        (f"{name}-energy", "", "pJ per bit", (energy, name), COSTS),
        (f"{name}-prototype", "", f"its energy, times {counted:.3f} for what the prototype counted, over the prototype's {pj} pJ",
         (beside_prototype, name), COSTS))),
    *((f"ring-{n}-over-owner", ">= 1", f"energy of a ring of {n} over that of sums at owners, both near 1e-5 of words wrong",
       (over, f"ring-{n}", f"owner-{n}"), COSTS) for n in (4, 8)),
    ("checks-raw", "", "share of sums wrong without checks, 25 million sums of 4 servers", (sums_wrong, 0),
     f"{OPTINC} run {shown(checked_options(0))}"),
    ("checks-left", "", "sums that stay wrong with a check word behind every 16, over half of the pairs of errors, B p^2 / 2", (undetected, 16),
     f"{OPTINC} run {shown(checked_options(16))}"),
    ("day-unchecked", "", "share of words wrong in a day of drift, oscillators set every hour, no checks", (wrong_in_a_day, False, "recalibrated"),
     f"{OPTINC} run drifting_sums --set link.check_block=0 --set 'measure.variants=[\"drifting\",\"recalibrated\"]'"),
    ("day-hourly", "", "the same with checks", (wrong_in_a_day, True, "recalibrated"), f"{OPTINC} run drifting_sums"),
    ("day-checked", "", "share of words wrong in a day of drift, oscillators set when checks fail", (wrong_in_a_day, True, "checked"),
     f"{OPTINC} run drifting_sums"),
    ("day-calibrations", "<= 23", "calibrations of that day, by failed checks (a clock: 24)", (calibrations, "checked"), f"{OPTINC} run drifting_sums"),
    *((f"learning-{rounding}-{path}", target, f"points lost against exact averaging, mean of 5 trainings, {path}, rounded {rounding}",
       (lost_points, rounding, path), f"{OPTINC} run learning_digit_sums --set task.rounding={rounding}")
      for rounding, target in (("stochastic", "<= 0.3"), ("half-up", "")) for path in ("digit sums", "ring")),
    ("two-levels-wrong", "<= 2e-4", "share of words wrong, 64 servers in two levels, 4 trials of nine units", two_levels, f"{OPTINC} run cascading_sums"),
    ("two-levels-energy", "", "its pJ per bit (the prototype derived 2.2)", two_levels_energy, COSTS),
    ("analogue-star-energy", "<= 8.03", "pJ per gradient of an analogue star of 8, the prototype's 7.3 and 10 %",
     (per_gradient, "analogue sum of 8, star"), COSTS),
    ("analogue-star-error", "", "rms error of its answers at that point, codes", (code_error, "analogue-star"),
     f"{OPTINC} run {shown(words_of('analogue-star'))}"),
    ("analogue-owner-energy", "", "the same with one receiver, which sends the sum on", (per_gradient, "analogue sum of 8, owners"), COSTS),
    *((f"learning-{path}", "<= 0.3" if path == "star" else "", f"points lost against exact averaging, mean of 5 trainings, analogue sum, {said}",
       (analogue_lost, path), f"{OPTINC} run learning_analogue_sums") for path, said in ANALOGUE_PATHS.items()),
    ("places", "= 1", "source files that know a design by name without being it", places,
     'git grep -l -e \'"digit-sums"\' -e \'"carry-chain"\' -- "onn/*.[ch]pp" "experiments/*.[ch]pp" physics'))
