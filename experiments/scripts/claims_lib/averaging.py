"""Group averaging: averages in light that leave the arithmetic to integers."""

import subprocess

from .claim import OPTINC, ROOT, claims_of, sets, shared, shown

GROUP = "averaging"
BASE = "experiments/data/networks/base.toml"
SERVERS = (1, 2, 4, 8, 16, 32, 64)
ROUNDINGS = ("half-even", "half-up", "floor")

# 40 GBd, receivers of 24 GHz, converters of 40 fJ a step, lasers of -150 dB/Hz
LINK = ("network.source=digit-sums", "parts.set=idealised", "task.rounding=half-even", "link.signed_levels=true", "converter.bits=8",
        "converter.step_j=40e-15", "laser.rin_db_per_hz=-150", "receiver.bandwidth_hz=24e9", "time.sampling=clocked",
        "time.symbol_rate_bd=40e9")
OWNER = ("link.destinations=1", "owner.converter_bits=3.5")


def light(launch_w, oscillator_w, depth, bits):
    return (f"link.launch_power_w={launch_w}", f"receiver.lo_power_w={oscillator_w}", f"link.drive_depth={depth}",
            f"converter.effective_bits={bits}")


POINTS = {  # by hand, the best of a few dozen
    "owner-4": ("task.servers=4", *OWNER, *light(2e-4, 6e-4, 0.5, 5.4)),
    "owner-8": ("task.servers=8", *OWNER, *light(2e-4, 2.4e-3, 0.6, 6.4)),
    "star-4": ("task.servers=4", *light(1e-3, 3e-4, 0.6, 5.4)),
}
PROTOTYPE = {  # share of codes wrong, pJ per bit: it did not count the owner's answers, whose PAM4 can be wrong too
    "owner-4": (1.7e-5, 2.18), "owner-8": (3.2e-5, 2.06), "star-4": (1.7e-5, 2.45)}


def words_of(name):
    """Arguments of the run that counts words, settled."""
    return (BASE, *sets("runner.trials=4", "measure.words=100000", 'measure.variants=["noisy"]', "noise.set=receivers", *LINK,
                        *POINTS[name]))


@shared
def wrong(bench, name):
    """Share of settled words wrong."""
    return 1 - float(bench.trials(f"averaging_{name}", "word_accuracy", *words_of(name)).mean())


@shared
def wrong_in_time(bench, name):
    """The same of words in succession."""
    return float(bench.trials(f"averaging_time_{name}", "words_wrong", *words_of(name),
                              *sets("model=waveform", "study=waveform", "measure.words=20000")).mean())


@shared
def energy(bench, name):
    """pJ per bit, as optinc budget says."""
    return 1e12 * bench.answer("budget", *sets(*LINK, *POINTS[name]))["energy_per_bit_j"]


@shared
def inexact(bench):
    """Largest share of words wrong without noise, over servers and roundings."""
    return max(1 - float(bench.trials(f"averaging_exact_{n}_{rounding}", "word_accuracy", *exact_options(n, rounding)).mean())
               for n in SERVERS for rounding in ROUNDINGS)


def exact_options(servers, rounding):
    return (BASE, *sets("runner.trials=1", "measure.words=20000", 'measure.variants=["corrected_quadrature"]',
                        "network.source=digit-sums", "parts.set=idealised", f"task.servers={servers}", f"task.rounding={rounding}"))


def places(bench):
    """Source files that name a design without being it."""
    found = subprocess.run(["git", "grep", "-l", "-e", '"digit-sums"', "-e", '"carry-chain"', "--", "onn/*.cpp", "onn/*.hpp",
                            "experiments/*.cpp", "experiments/*.hpp", "physics"], cwd=ROOT, capture_output=True, text=True, check=True)
    return len(found.stdout.split())


CLAIMS = claims_of(
    GROUP,
    ("exact", "= 0", f"share of words wrong without noise, at worst, {len(SERVERS)} numbers of servers from {SERVERS[0]} to {SERVERS[-1]}, "
     f"{len(ROUNDINGS)} roundings", inexact, f"{OPTINC} run {shown(exact_options(8, 'half-up'))}"),
    *(row for name, (codes, pj) in PROTOTYPE.items() for row in (
        (f"{name}-wrong", f"<= {codes:g}", "share of settled words wrong, 4 chips", (wrong, name), f"{OPTINC} run {shown(words_of(name))}"),
        (f"{name}-energy", f"<= {1.1 * pj:.3f}", f"pJ per bit, the prototype's {pj} and 10 %", (energy, name), f"{OPTINC} budget {shown(sets(*LINK, *POINTS[name]))}"))),
    ("star-4-in-time", "", "share of words in succession wrong, 4 chips", (wrong_in_time, "star-4"),
     f"{OPTINC} run {shown(words_of('star-4'))} --set model=waveform --set study=waveform --set measure.words=20000"),
    ("places", "= 1", "source files that know a design by name without being it", places,
     'git grep -l -e \'"digit-sums"\' -e \'"carry-chain"\' -- "onn/*.[ch]pp" "experiments/*.[ch]pp" physics'))
