"""Pages of docs/ that are what the tool prints: cli.md (the --help of every command), parts.md and presets.md (`optinc devices`).

Usage: generated_pages.py OPTINC [--update]. Exits 1 when a page differs; --update writes all three.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

COLUMNS = 100  # of a terminal (terminal_columns)
DOCS = Path(__file__).resolve().parents[1] / "docs"
UPDATED_BY = "by `tests/generated_pages.py OPTINC --update`; a test checks it"
CLI = f"""# Command line reference

Generated from `--help` {UPDATED_BY}.
`optinc explain KEY` explains every key of a study, `optinc list` names what is shipped.
"""
PARTS = f"""# Parts of a unit

Generated from `optinc devices` {UPDATED_BY}.

A *part* is one device of one publication with all of its figures. A study names parts, such as
`receiver.device = "zhang-2025-receiver"`; they set the keys in the column *sets*, and single keys override them. `optinc
budget` lists a unit's parts and what the study overrides.

Every figure is *read* (quoted from its source, or computed from such a quotation), *measured here*, *from memory* (no
better than assumed), or *assumed*, because the source is silent or the part is no specific device. No key
takes parts of the kinds phase lock, serialiser, clock recovery, switch, module, fibre and analogue sampler yet. There is no
part for heater drivers, none with the power of a phase lock, and none with power and bandwidth of a sampler alone.
"""
PRESETS = f"""# Presets and defaults

Generated from `optinc devices` and `optinc explain` {UPDATED_BY}.

Where every number of a preset comes from, and in brackets the range of what was published or measured of its kind. *Read*,
*measured here*, *from memory* and *assumed* mean the same as for [parts](parts.md). The spread of losses is drawn for every
arm, whatever the scale at which its source measured it: no spread between the arms of one die was found published. Drawn
for a whole die, 0.13 dB an arm would be 0.26 dB a column for all light of a chip: 25 dB rms in 96 columns.
`chip.preset = "foundry"`, of earlier versions, had the loss of doped heaters and the power of metal ones; it is refused. Its
errors are those of `doped-heaters`.
"""
DEFAULTS = """
## Defaults that no part sets

What a unit takes where a study says nothing, and where the value or its range comes from. A choice of this project is assumed.

"""
KNOWN = ("read", "measured here", "from memory", "assumed")
PREFIXES = {-15: "f", -12: "p", -9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
WITH_PREFIX = ("m", "s", "W", "V", "A", "J", "Hz", "ohm", "J/K", "F", "Bd", "S/s", "bit/s")


def printed(optinc, *words):
    """What `optinc WORDS` prints."""
    return subprocess.run(["optinc", *words], executable=optinc, capture_output=True, text=True, check=True).stdout


def help_of(optinc, *words):
    """What `optinc WORDS --help` prints."""
    return "\n".join(line.rstrip() for line in printed(optinc, *words, "--help").strip().splitlines())


def cli_page(optinc):
    """The whole page of the command line."""
    top = help_of(optinc)
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", top, re.MULTILINE).group(1)
    commands = re.findall(r"^  (\S+)  +", listed, re.MULTILINE)
    sections = [CLI, f"```text\n{top}\n```\n"]
    sections += [f"## optinc {name}\n\n```text\n{help_of(optinc, name)}\n```\n" for name in commands]
    return "\n".join(sections)


def quantity(value, unit):
    """24.77 mW, as `optinc devices` prints it."""
    if value == 0 or unit not in WITH_PREFIX:
        return f"{value:.4g} {unit}".strip()
    power = next((p for p in sorted(PREFIXES, reverse=True) if abs(value) >= 10.0**p * (1 - 1e-9)), -15)
    return f"{value / 10.0**power:.4g} {PREFIXES[power]}{unit}"


def row(*cells):
    """A row of a table."""
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n"


def part_section(part):
    """A part with its figures."""
    text = f"### {part['name']}\n\n{part['what']}\nSource: {part['source']}"
    text += f"; measured on {part['measured_on']}.\n\n" if part["measured_on"] else ".\n\n"
    text += row("figure", "value", "sets", "known", "from") + row("---", "---", "---", "---", "---")
    for figure in part["parameters"]:
        value = quantity(figure["value"], figure["unit"])
        if "low" in figure:
            value += f" ({quantity(figure['low'], figure['unit'])} to {quantity(figure['high'], figure['unit'])})"
        text += row(figure["name"], value, f"`{figure['key']}`" if figure["key"] else "", figure["known"], figure["from"])
    return text


def devices(optinc, presets):
    """The presets that `optinc devices` lists, or the parts."""
    return [part for part in json.loads(printed(optinc, "devices", "--json"))["devices"] if part["kind"].endswith(" preset") == presets]


def presets_page(optinc):
    """The whole page of presets, and of defaults."""
    presets = devices(optinc, presets=True)
    text = PRESETS
    for kind in dict.fromkeys(part["kind"] for part in presets):
        of_kind = [part for part in presets if part["kind"] == kind]
        counts = [sum(f["known"] == known for part in of_kind for f in part["parameters"]) for known in KNOWN]
        key = {"chip preset": "chip.preset", "process preset": "fabrication.preset"}[kind]
        text += f"\n## `{key}`\n\nFigures: {', '.join(f'{count} {known}' for count, known in zip(counts, KNOWN))}.\n\n"
        text += "\n".join(part_section(part) for part in of_kind)
    text += DEFAULTS + row("key", "default", "source") + row(*["---"] * 3)
    for key in budget_of(optinc)["keys_without_part"]:
        told = dict(re.findall(r"^  (\w+): +(.*(?:\n {11}.*)*)", printed(optinc, "explain", key), re.MULTILINE))
        unit = "" if told["unit"] == "1" else " " + told["unit"]
        text += row(f"`{key}`", f"`{told['default']}`{unit}", re.sub(r"\s+", " ", told["source"]))
    return text


def budget_of(optinc, parts="published"):
    """The budget of a unit of a set of parts."""
    return json.loads(printed(optinc, "budget", "--network", "shipped/64x4", "--json", "--quiet", "--set", f"parts.set={parts}"))


def parts_page(optinc):
    """The whole page of parts: kinds of which nothing was read first."""
    kinds = {}
    for part in devices(optinc, presets=False):
        kinds.setdefault(part["kind"], []).append(part)
    read = {kind: sum(any(f["known"] == "read" for f in part["parameters"]) for part in parts) for kind, parts in kinds.items()}
    order = sorted(kinds, key=lambda kind: (read[kind] > 0, kind))
    counts = {kind: [sum(f["known"] == known for part in kinds[kind] for f in part["parameters"]) for known in KNOWN] for kind in order}
    text = PARTS + "\n" + row("kind", "parts", "with a figure read", *KNOWN) + row(*["---"] * 7)
    text += "".join(row(kind, len(kinds[kind]), read[kind], *counts[kind]) for kind in order)
    text += row("all", sum(map(len, kinds.values())), sum(read.values()), *(sum(c[k] for c in counts.values()) for k in range(4)))
    budget = budget_of(optinc)
    for parts, told in (("published", "A unit as it is by default"), ("idealised", 'A unit of `parts.set = "idealised"`')):
        text += f"\n{told} names these parts:\n\n" + row("key", "part", "figures read", "assumed") + row(*["---"] * 4)
        text += "".join(row(f"`{p['key']}`", p["part"], p["read"], p["assumed"]) for p in budget_of(optinc, parts)["parts"])
    text += "\nNo part sets these keys of a unit: " + ", ".join(f"`{key}`" for key in budget["keys_without_part"]) + ".\n"
    for kind in order:
        text += f"\n## {kind.capitalize()}\n\n" + "\n".join(part_section(part) for part in kinds[kind])
    return text


def main(optinc, update):
    """Returns the exit status."""
    status = 0
    for name, page, columns in (("cli.md", cli_page(optinc), COLUMNS), ("parts.md", parts_page(optinc), None),
                                ("presets.md", presets_page(optinc), None)):
        path = DOCS / name
        long = [line for line in page.splitlines() if columns and len(line) > columns]
        if long:
            print("\n".join([f"{name}: longer than {columns} columns:", *long]), file=sys.stderr)
            status = 1
        elif update:
            path.write_text(page, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != page:
            print(f"docs/{name} differs from what optinc prints. Write it anew: tests/{Path(__file__).name} {optinc} --update", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--update"]
    if len(words) != 1:
        sys.exit(__doc__)
    sys.exit(main(str(Path(words[0]).resolve()), "--update" in sys.argv))
