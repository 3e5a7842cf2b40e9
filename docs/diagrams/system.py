#!/usr/bin/env python3
"""Draws the diagram of the system that the README shows: docs/diagrams/system-light.svg and system-dark.svg.

Usage: docs/diagrams/system.py [--check]. --check writes nothing and exits 1 when a file is not what this script draws.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT = 980, 330
# paper, ink, what light passes, what is electrical, notes: they differ in lightness, so the drawing reads in grey
PALETTES = {"light": ("#ffffff", "#1f2328", "#b4530a", "#dfe7f1", "#57606a"),
            "dark": ("#0d1117", "#e6edf3", "#f0a35e", "#26303d", "#9da7b3")}


class Drawing:
    """SVG elements in one palette."""

    def __init__(self, palette):
        self.paper, self.ink, self.light, self.fill, self.note = palette
        self.parts = []

    def text(self, x, y, words, size=14, colour=None, weight="normal", anchor="middle"):
        self.parts.append(f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" '
                          f'fill="{colour or self.ink}">{words}</text>')

    def lines(self, x, y, words, size=12, colour=None):
        for row, line in enumerate(words):
            self.text(x, y + 15 * row, line, size, colour)

    def box(self, x, y, width, height, filled=True):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" stroke="{self.ink}" '
                          f'stroke-width="1.3" fill="{self.fill if filled else "none"}"/>')

    def beam(self, *points, arrow=False):
        path = " L ".join(f"{x} {y}" for x, y in points)
        end = ' marker-end="url(#arrow)"' if arrow else ""
        self.parts.append(f'<path d="M {path}" stroke="{self.light}" stroke-width="2" fill="none"{end}/>')

    def mesh(self, x, y, columns, rows, pitch_x, pitch_y):
        """A rectangular mesh: waveguides, and an MZI where two of them cross."""
        for row in range(rows):
            self.beam((x, y + row * pitch_y), (x + columns * pitch_x, y + row * pitch_y))
        for column in range(columns):
            for row in range(column % 2, rows - 1, 2):
                left, top = x + (column + 0.22) * pitch_x, y + row * pitch_y
                self.parts.append(f'<rect x="{left:.1f}" y="{top - 3}" width="{0.56 * pitch_x:.1f}" height="{pitch_y + 6}" rx="4" '
                                  f'stroke="{self.light}" stroke-width="1.5" fill="{self.paper}"/>')

    def svg(self, title, height=HEIGHT, width=WIDTH):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}" '
                f'font-family="Helvetica, Arial, sans-serif">\n<title>{title}</title>\n'
                '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
                f'<path d="M 0 0 L 8 4 L 0 8 z" fill="{self.light}"/></marker></defs>\n'
                f'<rect width="{width}" height="{height}" fill="{self.paper}"/>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"


def system(palette):
    """Servers send, unit P averages, the network rounds, unit T returns the mean to every server."""
    d = Drawing(palette)
    rows = [62, 112, 162, 212]
    for n, y in enumerate(rows, 1):
        d.box(12, y - 18, 112, 36)
        d.text(68, y + 5, f"server {n}", 13)
        d.beam((124, y), (176, y), (214, 137), arrow=True)
        d.box(852, y - 18, 112, 36)
        d.text(908, y + 5, f"server {n}", 13)
        d.beam((760, 137), (802, y), (850, y), arrow=True)
    for x, name in ((216, "P"), (716, "T")):
        d.box(x, 107, 44, 60)
        d.text(x + 22, 144, name, 20, weight="bold")
    d.box(296, 40, 384, 194, filled=False)
    d.text(488, 60, "optical neural network: each layer", 13)
    d.beam((260, 137), (294, 137), arrow=True)
    d.mesh(316, 89, 6, 5, 30, 24)
    for row in range(5):
        y = 89 + 24 * row
        d.beam((496, y), (572, y))
        d.box(520, y - 8, 18, 16)
        d.box(572, y - 9, 46, 18)
        d.text(595, y + 4, "ReLU", 11)
        d.beam((618, y), (646, y))
    d.lines(404, 215, ["interferometer mesh"], 12)
    d.lines(530, 215, ["attenuators"], 12)
    d.lines(618, 215, ["receivers"], 12)
    d.beam((680, 137), (714, 137), arrow=True)
    d.text(12, 26, "send gradient codes", 13, weight="bold", anchor="start")
    d.text(964, 26, "receive the mean", 13, weight="bold", anchor="end")
    d.text(238, 92, "averages", 12)
    d.text(738, 92, "splits", 12)
    d.text(12, 262, "Imperfections modelled:", 12, d.note, anchor="start")
    for x, words in ((76, ["modulator extinction,", "level mismatch"]), (212, ["phase-lock error,", "combiner error"]),
                     (400, ["splitters, phases, loss, DACs,", "crosstalk, drift, calibration"]),
                     (600, ["shot, amplifier and", "intensity noise, ceilings"]), (900, ["receiver noise, ADC,", "PAM4 thresholds"])):
        d.lines(x, 286, words, 12, d.note)
    return d.svg("Servers send gradient codes as light; unit P averages them, a network of MZI meshes and receivers rounds the "
                 "mean, unit T returns it to every server")


def main(script, drawings):
    """Writes drawings, {file: SVG}, or, with --check, compares them. Returns the exit status."""
    status = 0
    for name, drawn in drawings.items():
        path = HERE / name
        if "--check" not in sys.argv:
            path.write_text(drawn, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != drawn:
            print(f"{path}: not what docs/diagrams/{script} draws. Run it.", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main("system.py", {f"system-{name}.svg": system(palette) for name, palette in PALETTES.items()}))
