#!/usr/bin/env python3
"""Draws which average pays, for the README and docs/results.md: docs/diagrams/averages-light.svg and averages-dark.svg, and for
screens of 600 pixels and less averages-narrow-light.svg and averages-narrow-dark.svg.

Usage: docs/diagrams/averages.py [--check]. Every number is read from a table of docs/results.md. --check writes nothing and exits 1 when
a file is not what this script draws.
"""

import itertools
import math
import re
import sys
from pathlib import Path

from system import PALETTES, Drawing, main

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results.md"
WIDTH, HEIGHT = 980, 412
TOP, STEP, RIGHT = 96, 38, 500  # RIGHT: where the second panel begins
NUMBER = re.compile(r"\d[\d,]*\.?\d*")


def table(name):
    """Cells of a named table of the results, by the first column."""
    text = RESULTS.read_text(encoding="utf-8")
    lines = re.search(rf"<!-- numbers: {name};[^>]*-->\n((?:\|.*\n)+)", text)[1].splitlines()
    return {row[0]: row[1:] for row in ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:])}


def first(cell):
    """The number of a cell, None without one."""
    found = NUMBER.match(cell)
    return float(found[0].replace(",", "")) if found else None


class Axis:
    """A logarithmic axis from left to right."""

    def __init__(self, drawing, left, right, low, high, ticks, title):
        self.d, self.left, self.right, self.low, self.high = drawing, left, right, math.log10(low), math.log10(high)
        self.bottom = HEIGHT - 74
        for value, label in ticks:
            drawing.parts.append(f'<line x1="{self.at(value):.1f}" y1="{TOP - 20}" x2="{self.at(value):.1f}" y2="{self.bottom}" '
                                 f'stroke="{drawing.note}" stroke-width="0.5" stroke-dasharray="2 3"/>')
            drawing.text(f"{self.at(value):.1f}", self.bottom + 18, label, 13)
        drawing.text((left + right) / 2, self.bottom + 38, title, 13)

    def at(self, value):
        return self.left + (self.right - self.left) * (math.log10(value) - self.low) / (self.high - self.low)

    def interval(self, y, low, high):
        self.d.parts.append(f'<line x1="{self.at(low):.1f}" y1="{y}" x2="{self.at(high):.1f}" y2="{y}" stroke="{self.d.ink}" stroke-width="2"/>')
        for end in (low, high):
            self.d.parts.append(f'<line x1="{self.at(end):.1f}" y1="{y - 5}" x2="{self.at(end):.1f}" y2="{y + 5}" stroke="{self.d.ink}" stroke-width="2"/>')

    def mark(self, y, value, shape):
        mark(self.d, self.at(value), y, shape)


def mark(d, x, y, shape):
    """A marker: shapes differ, so the drawing reads in grey."""
    filled, open_ = f'fill="{d.light}" stroke="{d.paper}" stroke-width="1"', f'fill="{d.paper}" stroke="{d.ink}" stroke-width="2"'
    d.parts.append({
        "disc": f'<circle cx="{x:.1f}" cy="{y}" r="7" {filled}/>',
        "square": f'<rect x="{x - 6:.1f}" y="{y - 6}" width="12" height="12" {open_}/>',
        "triangle": f'<path d="M {x - 7:.1f} {y + 6} L {x + 7:.1f} {y + 6} L {x:.1f} {y - 7} z" {open_}/>',
        "diamond": f'<path d="M {x - 7:.1f} {y} L {x:.1f} {y - 7} L {x + 7:.1f} {y} L {x:.1f} {y + 7} z" fill="{d.ink}"/>',
    }[shape])


def legend(d, x, y, entries):
    for shape, words, width in entries:
        mark(d, x + 7, y - 5, shape)
        d.text(x + 19, y, words, 13, anchor="start")
        x += width


def energies(d):
    """Least energy of sums, ring and adder chip against the number of servers, with what other parts make of the ring."""
    d.text(12, 24, "Which average takes least energy?", 16, weight="bold", anchor="start")
    legend(d, 12, 52, [("disc", "digit sums (light)", 148), ("square", "ring", 66), ("triangle", "adder chip", 100)])
    axis = Axis(d, 128, 470, 5, 70, [(5, "5"), (10, "10"), (20, "20"), (50, "50")], "pJ per bit, published parts")
    draws = {re.search(r"\d+", name)[0]: [first(cell) for cell in cells] for name, cells in table("parts-draws").items() if name.startswith("ring")}
    for at, (name, (sums, _, ring, adder, *_)) in enumerate(table("which-average").items()):
        servers, y = re.match(r"\d+", name)[0], TOP + 10 + STEP * at
        d.text(12, y + 5, f"{servers} servers", 14, anchor="start")
        if servers in draws:
            axis.interval(y, draws[servers][2], draws[servers][4])
        for cell, shape, off in ((ring, "square", 0), (adder, "triangle", 9), (sums, "disc", -8)):
            if first(cell):
                axis.mark(y + off, first(cell), shape)
            elif shape == "disc":
                d.text(f"{axis.at(5.2):.1f}", y + 5, "no converter for sums", 12, d.note, anchor="start")
    trained = table("published-parts")["96-32 network"][-1]
    d.text(12, TOP + 10 + STEP * 5 + 5, f"A trained network (96-32), 4 servers: {trained} at its default light", 13, d.note, anchor="start")
    d.text(12, HEIGHT - 14, "Marks: published parts, 28 GBd. Bars: rings, 10 to 90 % of part draws", 12, d.note, anchor="start")


def words_wrong(d):
    """Share of words wrong of every unit as it is programmed by default, a mark for each preset."""
    d.text(512, 24, "Which unit decodes on a real chip?", 16, weight="bold", anchor="start")
    presets = (("disc", "design-target"), ("square", "good-lab"), ("diamond", "doped-heaters"))
    legend(d, 512, 52, [(shape, name, 136) for shape, name in presets])
    axis = Axis(d, 690, 960, 0.007, 100, [(0.01, "0.01"), (0.1, "0.1"), (1, "1"), (10, "10"), (100, "100")], "words wrong (%), default receiver noise")
    units = {name: cells for name, (_, *cells) in table("noise-by-preset").items() if "phases fitted" not in name}
    for at, (name, right) in enumerate(units.items()):
        y = TOP + 10 + STEP * at
        d.text(512, y + 5, name.replace("published network, noise-aware", "published, noise-aware"), 14, anchor="start")
        for (shape, _), cell, off in zip(presets, right, (-8, 0, 8)):
            axis.mark(y + off, 100 - first(cell), shape)


def averages(palette, narrow=False):
    """Both panels, side by side or one below the other."""
    d = Drawing(palette)
    energies(d)
    d.parts.append(f'<g transform="translate({-RIGHT} {HEIGHT})">' if narrow else "<g>")
    words_wrong(d)
    d.parts.append("</g>")
    return d.svg("Digit sums take less energy per bit than a ring or an adder chip up to 64 servers; words wrong of six units on chips of three presets",
                 HEIGHT * (2 if narrow else 1), WIDTH - RIGHT + 10 if narrow else WIDTH)


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main("averages.py", {f"averages-{kind}{name}.svg": averages(palette, bool(kind))
                                  for kind, (name, palette) in itertools.product(("", "narrow-"), PALETTES.items())}))
