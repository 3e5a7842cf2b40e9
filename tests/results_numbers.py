"""Numbers of the tables of docs/results.md and docs/results-appendix.md are those of what ran or is printed, rounded.

Usage: results_numbers.py OPTINC [--update] [--sourceless]. Above every table stands <!-- numbers: NAME; made by GROUP/ENTRY .. -->: the
entries of experiments/data/results.toml that make it anew. Tables with a row in PRINTED are compared with what `optinc .. --json`
prints now, others with experiments/data/records/numbers/NAME.csv, which experiments/results writes: columns and first column as on
the page, numbers in full. A cell that it leaves empty is not compared; --sourceless lists such cells that hold numbers. Sentences
in said-ENTRY.csv, {} in place of each number, are sought on these pages, README and limitations, and compared too.

--update rounds the sources' numbers into the pages. Prints which tables are compared and which wait; exits 1 when a number differs, a
table has no name, or an entry is unknown.
"""

import csv
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[1]
SPEAKING = [ROOT / "README.md", ROOT / "docs/limitations.md"]  # pages without tables of results
PAGES = [ROOT / "docs" / name for name in ("results.md", "results-appendix.md")]
MANIFEST = ROOT / "experiments/data/results.toml"
RECORDED = ROOT / "experiments/data/records/numbers"
MARK = re.compile(r"^<!-- numbers: ([\w-]+); made by ([\w/ -]+) -->\n((?:\|.*\n)+)", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w-])")


@dataclass(frozen=True)
class Printed:
    """A table, or columns of it, that commands print: `cells` of what each printed gives {(row, column): number or numbers}."""
    commands: tuple[str, ...]
    cells: Callable[..., dict[tuple[str, str], Any]]


def grid(rows, columns):
    """A cell for every row of the page, a record of what was printed, and every column, what it says of the record."""
    return {(label, column): of(record) for label, record in rows.items() for column, of in columns.items()}


def transposed(cells):
    return {(column, row): value for (row, column), value in cells.items()}


def named(records, key, names, **also):
    """The only record of every name that is also as asked for, by what the page calls it."""
    return {label: next(r for r in records if r[key] == name and all(r[k] == v for k, v in also.items())) for label, name in names.items()}


def iteration(told):
    names = {"ring, 32 bits": "ring", "ring, 8 bits": "ring, 8 bits", "published network, noise-aware": "OptINC", "96-32 network": "OptINC, 96-32",
             "carry chain": "OptINC, carry chain"}
    rows = named(told["scenarios"], "name", {label: f"F2 ResNet50 {name}" for label, name in names.items()}, servers=4)
    cells = grid(rows, {"time (ms)": lambda r: 1e3 * r["total_s"], "chips": lambda r: r["chips"], "total (J)": lambda r: r["energy_j"],
                        "heaters, lasers, receivers (J)": lambda r: r["static_j"], "transceivers (J)": lambda r: r["transceivers_j"],
                        "drivers, converters, clocks (J)": lambda r: r["symbol_j"]})
    return transposed({(row, column): value for (row, column), value in cells.items() if value})


def arrangements(told):
    names = {"ring, 32 bits": "ring, 32 bits", "in-network aggregation, 32 bits": "in-network aggregation, 32 bits",
             "in-network aggregation, 8 bits": "in-network aggregation, 8 bits", "tree of 4 inputs, carry chains": "tree of 4",
             "tree of 4 inputs, 96-32 network": "tree of 4, trained", "tree of 16 inputs, carry chains, signed levels": "tree of 16",
             "circuit-switched in 80 us, a unit per group": "fast circuits, N/4 units", "circuit-switched in 80 us, one unit": "fast circuits, one unit"}
    return grid(named(told["scenarios"], "name", names, servers=256),
                {"units": lambda r: r["units"] or None, "chips": lambda r: r["chips"] or None, "iteration (ms)": lambda r: 1e3 * r["total_s"],
                 "over the ring's": lambda r: r["normalised"] or 1.0, "energy of the network (J)": lambda r: r["energy_j"]})


def ratios(told):
    rows = {r["name"]: r["normalised"] for r in told["scenarios"] if r["servers"] in (4, 1024)}
    same_codes = tuple(rows[f"F2 {model} OptINC"] / rows[f"F2 {model} ring, 8 bits"] for model in ("ResNet50", "LLaMA"))
    return {("ODDL 1.6 times faster than a fat-tree", "here"): (rows["S0 fat-tree"], rows["S3b fat-tree"]),
            ("ODDL 1.7 times faster than a SiP-Ring", "here"): (rows["S0 SiP-Ring"], rows["S3b SiP-Ring"]),
            ("ResNet50: iteration takes 0.74 of a ring's", "here"): rows["F1 ResNet50 OptINC"],
            ("LLaMA: iteration takes 0.83 of a ring's", "here"): rows["F1 LLaMA OptINC"],
            ("the same, if OptINC sends 8 bits and the ring 32", "here"): (rows["F2 ResNet50 OptINC"], rows["F2 LLaMA OptINC"]),
            ("the same, if OptINC sends 8 bits and the ring 32", "basis"): same_codes,
            ("ODDL of 4 nodes is as fast as a switch", "here"): rows["4 nodes ODDL"],
            ("ODDL of 4 nodes is as fast as a switch", "basis"): 1e6 * next(r["circuits_s"] for r in told["scenarios"] if r["name"] == "4 nodes ODDL")}


LINKS = {"ring of PAM4 links": "ring", "adder chip": "hub"}
LINK_BUDGETS = tuple(f"budget --set parts.set=idealised --set network.source={source} --set time.sampling=clocked "
                     "--set time.symbol_rate_bd=38.7e9 --set receiver.bandwidth_hz=20e9" for source in LINKS.values())


def operating_points(designs, *links):
    chain = "carry chain{}, more light{}".format
    names = {"published network, noise-aware": "published, noise-aware", "96-32 network": "96-32", "96-32 network, noise set `full`": "96-32, noise set full",
             "96-32 network, twice the light": "96-32, twice the light", "96-32 network, `good-lab`": "96-32, good-lab", chain("", ""): chain("", ""),
             chain(" for 8 servers", ", signed levels"): chain(" for 8 servers", ", signed levels")}
    rows = {label: (r["symbol_rate"], r["static_power"] + r["symbol_power"], r["energy_per_bit"], r["delay"])
            for label, r in named(designs["designs"], "design", names).items()}
    rows |= {label: (r["symbol_rate_bd"], r["static_power"]["total"] + r["symbol_power"]["total"], r["energy_per_bit_j"], r["delay"]["total"])
             for label, r in zip(LINKS, links)}
    return grid(rows, {"GBd": lambda r: r[0] / 1e9, "Tb/s": lambda r: r[1] / r[2] / 1e12, "W": lambda r: r[1], "pJ per bit": lambda r: 1e12 * r[2],
                       "delay (ns)": lambda r: 1e9 * r[3]})


def setting(record, key):
    """What a design of a list sets a key to."""
    return float(re.search(rf"{key}=([^;]+)", record["settings"])[1])


def averages(told):
    rows = {r["design"]: r for r in told["designs"]}
    energy = {name: 1e12 * r["energy_per_bit"] for name, r in rows.items()}
    names = {name: name for name in ("sums of 4, owners", "sums of 4, star", "ring of 4", "sums of 8, owners", "ring of 8", "adder chip, 8 servers")}
    names["aggregating switch, 8 servers (8.8 pJ)"] = "aggregating switch, 8 servers"
    upper = "sums of 64 servers, two levels, set by hand"
    cells = grid({**{label: rows[name] for label, name in names.items()}, upper: rows["sums of 64, lower units"]}, {
        "pJ/bit": lambda r: energy[r["design"]], "effective bits": lambda r: setting(r, "converter.effective_bits"),
        "launch; oscillators (mW)": lambda r: tuple(1e3 * setting(r, key) for key in ("link.launch_power_w", "receiver.lo_power_w"))})
    return {**cells, (upper, "pJ/bit"): energy["sums of 64, lower units"] + energy["sums of 64, upper unit"] / 8}


def bits_sent():
    """Digits that digit sums send over those of a ring, whose partial sums of k codes of 8 bits have as many digits as they need."""
    def digits(codes):
        return next(n for n in range(4, 20) if 4 ** n > 255 * codes)

    def bound(servers):
        return 4 * (servers + 1) / sum(digits(k) + 4 for k in range(1, servers))
    names = {"4": 4, "8": 8, "16, in two levels of four": 16, "64, in two levels of eight": 64, "256": 256}
    return {(label, "bound"): bound(servers) for label, servers in names.items()}


def neurons(told, averages):
    energy = {r["design"]: 1e12 * r["energy_per_bit"] for r in averages["designs"]}
    names = {"96-32 network": "96-32", "4-32x5-4, the smallest that learns every word": "4-32-32-32-32-32-4"}
    names |= {name: name for name in ("published layers", "4-32-4", "4-16-4", "carry chain, 4 servers", "carry chain, 8 servers", "carry chain, 16 servers")}
    cells = grid(named(told["designs"], "design", names), {"neurons": lambda r: r["neurons"], "neurons alone (pJ/bit)": lambda r: 1e12 * r["neurons_per_bit"]})
    sums = {name: energy["sums of 8, owners" if "8 servers" in name else "sums of 4, owners"] for name in names if "16 servers" not in name}
    return {**cells, **{(name, "digit sums in all (pJ/bit)"): value for name, value in sums.items()}}


def chain_parts(told):
    return transposed(grid(named(told["designs"], "design", {"published network": "published 8 bit", "carry chain": "chain N=4 B=8"}), {
        "MZIs": lambda r: r["mzis"], "receivers": lambda r: r["receivers"], "modulators": lambda r: r["modulators"],
        "heater power at 1 mW for a phase shift of pi, with trimming (W)": lambda r: r["heater_power"],
        "power without drivers and converters (W)": lambda r: r["static_power"]}))


def adding(of_sixteen, of_all):
    keys = (("in-network aggregation", "adding_fat_tree_ratio"), ("OptINC (8 bits, two levels)", "optinc_ratio"))
    sixteen = [r for r in of_sixteen["competitions"] if r["name"] == "jobs of 16 nodes" and not r["overlap"] and not r["scattered"]]
    cells = {(f"16, {r['compute_s']} s", column): r[key] for r in sixteen if r["compute_s"] > 0.01 for column, key in keys}
    packed = next(r for r in of_all["competitions"] if r["name"] == "ECMP" and r["compute_s"] == 0.046 and r["oversubscription"] == 1
                  and not (r["load"] or r["scattered"] or r["overlap"]))
    return {**cells, ("1,024, 0.046 s", "in-network aggregation"): packed["adding_fat_tree_ratio"]}


def shape_of(widths):
    return f"budget --set parts.set=idealised --set network.hidden=[{','.join(map(str, widths))}]"


SHAPES = {"five layers of 32": [32] * 5, "64 and 32 alternating, seven layers": [64, 32] * 3 + [64], "128 and 16 alternating, seven layers": [128, 16] * 3 + [128],
          "five layers of 64": [64] * 5, "128 and 32 alternating, five layers": [128, 32] * 2 + [128], "96 and 32 alternating, seven layers": [96, 32] * 3 + [96]}
LIGHT = {"0.1, 1.0 (default)": (1e-4, 1e-3), "0.2, 0.9": (2e-4, 9e-4), "0.35, 0.75": (3.5e-4, 7.5e-4), "0.55, 0.55": (5.5e-4, 5.5e-4)}
LINK_POWERS = tuple(f"budget --network shipped/bottleneck_noise_aware --set parts.set=idealised --set chip.preset=good-lab "
                    f"--set link.signal_full_scale_w={neuron} --set receiver.lo_power_w={oscillator}" for neuron, oscillator in LIGHT.values())
OSCILLATORS = {"in phase (idealised)": "in-phase", "in guides as long as the light's way": "beside-signal",
               **dict.fromkeys(("bypassing the meshes, phases set at calibration alone", *(f"the same, locked at {f} Hz" for f in ("0.01", "0.1", "1"))), "direct")}
APPROXIMATED = {"all six": "[]", "2 to 5": "[1,6]", "3 and 4": "[1,2,5,6]", "none": "[1,2,3,4,5,6]"}
BY_NAME = {"published network": "published", "published network, noise-aware": "published_noise_aware", "96-32 network": "bottleneck_noise_aware",
           "128-16 network": "doped_heaters_noise_aware"}


def of_budgets(labels, **columns):
    """A row for every label from the budget that stands in its place; columns by name."""
    return lambda *told: {(label, column): of(budget) for label, budget in zip(labels, told) for column, of in columns.items()}


def static(budget):
    return budget["static_power"]["total"]


def mzis(budget):
    return budget["mzis"]


NETWORKS = {"published network": "shipped/published", "published network, noise-aware": "shipped/published_noise_aware",
            "96-32 network": "shipped/bottleneck_noise_aware", "carry chain": "carry-chain"}
BUDGETS = tuple(f"budget --network {network} --set parts.set={parts} --set time.sampling=clocked --set time.symbol_rate_bd=28e9 --set task.rounding=half-up"
                for parts in ("idealised", "published") for network in NETWORKS.values())


def watts(*told):
    cells = {}
    for (parts, row), budget in zip([(parts, row) for parts in ("idealised", "published") for row in NETWORKS], told):
        cells[row, "W, idealised" if parts == "idealised" else "W, published"] = budget["static_power"]["total"] + budget["symbol_power"]["total"]
        cells[row, f"pJ/bit, {parts}"] = 1e12 * budget["energy_per_bit_j"]
    return cells


POINTS = "compare-costs at_operating_points"
PRINTED = {
    "iteration-energy": Printed(("interconnect headline",), iteration),
    "published-ratios": Printed(("interconnect headline",), ratios),
    "arrangements": Printed(("interconnect arrangements",), arrangements),
    "published-parts": Printed(BUDGETS, watts),
    "which-average": Printed((), bits_sent),
    "averages": Printed(("compare-costs averages",), averages),
    "architectures": Printed(("compare-costs architectures", "compare-costs averages"), neurons),
    "shapes": Printed(tuple(map(shape_of, SHAPES.values())), of_budgets(SHAPES, MZIs=mzis, W=static)),
    "links": Printed(LINK_POWERS, of_budgets(LIGHT, W=static)),
    "oscillators": Printed(tuple(f"budget --network shipped/bottleneck_noise_aware --set parts.set=idealised --set link.oscillators={kind}"
                                 for kind in OSCILLATORS.values()), of_budgets(OSCILLATORS, **{"power of the unit (W)": static})),
    "approximated": Printed(tuple(f"budget --set training.full_svd_layers={layers}" for layers in APPROXIMATED.values()), of_budgets(APPROXIMATED, MZIs=mzis)),
    "noise-by-preset": Printed((*(f"budget --network shipped/{name}" for name in BY_NAME.values()), "budget --network carry-chain", "budget --network carry-chain",
                                "budget --network digit-sums"), of_budgets((*BY_NAME, "carry chain", "carry chain, phases fitted", "digit sums"), MZIs=mzis)),
    "chain-parts": Printed(("compare-costs published",), chain_parts),
    "operating-points": Printed((POINTS, *LINK_BUDGETS), operating_points),
    "adding": Printed(("cluster oddl_optinc", "cluster oddl"), adding),
}


def iteration_said(told):
    """Of ResNet50: time spared against a ring of floats, what a ring of the same codes takes more, joules of three."""
    rows = {r["name"].removeprefix("F2 ResNet50 "): r for r in told["scenarios"] if r["name"].startswith("F2 ResNet50") and r["servers"] == 4}
    light, floats, codes = rows["OptINC, 96-32"], rows["ring"], rows["ring, 8 bits"]
    spared, more = 100 * (1 - light["total_s"] / floats["total_s"]), 100 * (codes["total_s"] / light["total_s"] - 1)
    return {"OptINC takes {} % less time than the 32-bit ring. A ring of the same 8-bit codes takes {} % more time than OptINC": (spared, more),
            "takes {} % less time than a 32-bit ring's (calibrated), but {} J, not {} J; an 8-bit ring takes {} J":
            (spared, light["energy_j"], floats["energy_j"], codes["energy_j"])}


SAID = (Printed(("interconnect headline",), iteration_said),)  # sentences, as in said-ENTRY.csv


def rows_of(table):
    """Cells of a table of a page: the header first; the line below it is left out."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()]
    return [lines[0], *lines[2:]]


def number(text):
    return Decimal(text.replace(",", ""))


def rounded(text, value):
    """The value as a page gives it that has `text` now: as many decimals, and its way with thousands and signs."""
    digits = max(0, -number(text).as_tuple().exponent)
    if "e" in text:
        return f"{value:.{len(text.split('e')[0].partition('.')[2])}e}".replace("e-0", "e-").replace("e+0", "e")
    told = f"{value:,.{digits}f}" if "," in text or abs(value) >= 1e4 else f"{value:.{digits}f}"
    return "+" + told if text.startswith("+") and value > 0 else told


def alike(text, value):
    """Whether the number of a page is the value, rounded."""
    page = number(text)
    return abs(page - Decimal(repr(float(value)))) <= Decimal(5).scaleb(page.as_tuple().exponent - 1) * Decimal("1.000001")


def compared(table, cells):
    """(the table with the source's numbers, how many were compared, what differs, cells whose numbers have no source)."""
    header, *rows = rows_of(table)
    lines, total, wrong, missed, sourceless = table.splitlines(), 0, [], dict(cells), []
    for at, row in enumerate(rows):
        for column, cell in zip(header[1:], row[1:]):
            values = missed.pop((row[0], column), None)
            if values is None:
                sourceless += [f"{row[0]}, {column}: {cell}"] if NUMBER.search(cell) else []
                continue
            values = values if isinstance(values, (tuple, list)) else (values,)
            found = NUMBER.findall(cell)
            if len(found) != len(values):
                wrong.append(f"{row[0]}, {column}: {cell!r}; the source has {len(values)} numbers")
                continue
            total += len(found)
            off = [(text, value) for text, value in zip(found, values) if not alike(text, value)]
            wrong += [f"{row[0]}, {column}: {text}; the source has {value:.8g}" for text, value in off]
            told = iter(rounded(text, value) if (text, value) in off else text for text, value in zip(found, values))
            row[header.index(column)] = NUMBER.sub(lambda _: next(told), cell)
        lines[at + 2] = "| " + " | ".join(row).rstrip() + " |"
    wrong += [f"{row}, {column}: the source has it, the table does not" for row, column in missed]
    return "\n".join(lines) + "\n", total, wrong, sourceless


def recorded(name):
    """Cells of what the table's entry of the manifest wrote, {} where it has not run."""
    path = RECORDED / f"{name}.csv"
    if not path.exists():
        return {}
    header, *rows = csv.reader(path.open(encoding="utf-8", newline=""))
    return {(row[0], column): tuple(float(n) for n in cell.split()) for row in rows for column, cell in zip(header[1:], row[1:]) if cell}


def sources(optinc):
    """(sentences of every command in SAID, cells of every table that has a source, by name)."""
    printed = {}

    def told(command):
        if command not in printed:
            done = subprocess.run([optinc, *command.split(), "--json", "--quiet"], capture_output=True, text=True, check=True)
            printed[command] = json.loads(done.stdout)
        return printed[command]

    cells = {name: source.cells(*map(told, source.commands)) for name, source in PRINTED.items()}
    said = {source.commands[0]: source.cells(*map(told, source.commands)) for source in SAID}
    return said, {name: {at: value for at, value in {**cells.get(name, {}), **recorded(name)}.items() if value is not None}
            for name in tables()}


def tables():
    """Every table of the pages, by name."""
    found = [(match[1], match[3]) for page in PAGES for match in MARK.finditer(page.read_text(encoding="utf-8"))]
    assert len(dict(found)) == len(found), "two tables have one name"
    return dict(found)


def sentences(printed):
    """[(entry or command, words with {} for each number, the numbers)] of what entries of the manifest wrote, and what is printed."""
    return [(command, words, list(values)) for command, said in printed.items() for words, values in said.items()] + [(path.stem.removeprefix("said-"), words, [float(n) for cell in cells for n in cell.split()])
            for path in sorted(RECORDED.glob("said-*.csv")) for words, *cells in csv.reader(path.open(encoding="utf-8", newline=""))]


def spoken(text, words, values):
    """(the text with the numbers of their source, how often it says the words, what differs)."""
    words_between = (re.sub(r"(\\ )+", r"\\s+", re.escape(gap)) for gap in words.split("{}"))
    places, wrong = list(re.finditer(f"({NUMBER.pattern})".join(words_between), text)), []
    for place in reversed(places):
        for at, value in reversed(list(enumerate(values, 1))):
            if not alike(place[at], value):
                wrong.append(f"{words}: {place[at]}; the source has {value:.8g}")
                text = text[:place.start(at)] + rounded(place[at], value) + text[place.end(at):]
    return text, len(places), wrong


def nameless(text):
    """Tables without a mark above them: their first lines."""
    marked = {match.start(3) for match in MARK.finditer(text)}
    return [match[1] for match in re.finditer(r"(?:\A|(?<=\n))(?<!\|\n)(\|.*)\n\|[-|]+\n", text) if match.start() not in marked]


class Held:
    """What came of holding pages to their sources."""

    def __init__(self, optinc):
        printed, self.known = sources(optinc)
        self.entries = {f"{group}/{name}" for group, rows in tomllib.loads(MANIFEST.read_text(encoding="utf-8")).items() for name in rows}
        self.said = sentences(printed)
        self.silent = {(entry, words) for entry, words, _ in self.said}
        self.total, self.waiting, self.without, self.different, self.unnamed = 0, [], [], [], []

    def page(self, name, text):
        """The text of a page with the numbers of the sources."""
        for entry, words, values in self.said:
            text, count, wrong = spoken(text, words, values)
            self.total += count * len(values)
            self.silent -= {(entry, words)} if count else set()
            self.different += [f"{name}, said by {entry}: {what}" for what in wrong]
        for match in list(MARK.finditer(text)):
            table, count, wrong, sourceless = compared(match[3], self.known[match[1]])
            self.total += count
            self.waiting += [] if count else [match[1]]
            self.without += [f"{match[1]}: {cell}" for cell in sourceless]
            self.different += [f"{name}, {match[1]}: {what}" for what in wrong]
            self.unnamed += [f"{name}, {match[1]}: no entry {entry} in {MANIFEST.name}" for entry in set(match[2].split()) - self.entries]
            text = text.replace(match[3], table)
        return text


def main(optinc, update, sourceless_too):
    """Returns the exit status."""
    held = Held(optinc)
    for page in (*SPEAKING, *PAGES):
        text = page.read_text(encoding="utf-8")
        if page in PAGES:
            held.unnamed += [f"{page.name}: a table without a name: {first}. Write <!-- numbers: NAME; made by GROUP/ENTRY --> above it."
                             for first in nameless(text)]
        changed = held.page(page.name, text)
        if update:
            page.write_text(changed, encoding="utf-8")
    unsaid = [f'no page says "{words}", which {entry} has numbers for' for entry, words in sorted(held.silent)]
    wrong = [*held.unnamed, *unsaid, *([] if update else held.different)]
    print("".join(f"{line}\n" for line in wrong), file=sys.stderr, end="")
    print("".join(f"no source: {cell}\n" for cell in held.without) if sourceless_too else "", end="")
    print(f"{held.total} numbers of {len(tables())} tables compared; waiting for a record: {len(held.waiting)} ({', '.join(held.waiting)}); "
          f"cells without a source: {len(held.without)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(words) != 1:
        sys.exit(__doc__)
    sys.exit(main(str(Path(words[0]).resolve()), "--update" in sys.argv, "--sourceless" in sys.argv))
