"""An HTML page as a tree, read by html.parser alone; and a browser's word on how wide pages are."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "img", "br", "hr", "input"}


@dataclass
class Node:
    """An element: its attributes, and its children in order, text among them."""

    tag: str
    attributes: dict
    children: list = field(default_factory=list)

    def all(self, tag=None):
        """Every element below it, or those of one tag, in the order of the page."""
        for child in self.children:
            if isinstance(child, Node):
                if tag in (None, child.tag):
                    yield child
                yield from child.all(tag)

    def text(self):
        """All text below it, with single spaces."""
        return " ".join("".join(c if isinstance(c, str) else c.raw() for c in self.children).split())

    def raw(self):
        """All text below it as it stands."""
        return "".join(c if isinstance(c, str) else c.raw() for c in self.children)

    def by_id(self, identity):
        return next(node for node in self.all() if node.attributes.get("id") == identity)


class Reader(HTMLParser):
    """Builds the tree; a tag that is not closed, or closed by another, is an error."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.root = Node("page", {})
        self.open = [self.root]
        self.feed(text)
        self.close()
        assert len(self.open) == 1, f"not closed: {[node.tag for node in self.open[1:]]}"

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"{tag} has an attribute twice"
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag):
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)


def read(path):
    """The page in the file `path`."""
    return Reader(Path(path).read_text(encoding="utf-8")).root


@dataclass
class Cell:
    """A cell of a table: its text, and the values and texts of its numbers."""

    text: str
    values: list
    shown: list


def cell(node):
    numbers = list(node.all("data"))
    return Cell(node.text(), [float(n.attributes["value"]) for n in numbers], [n.text() for n in numbers])


def tables(page):
    """Captions of all tables, and for each its headings and rows of cells."""
    found = {}
    for table in page.all("table"):
        rows = [[cell(c) for c in row.children if isinstance(c, Node)] for row in table.all("tr")]
        label = " ".join(table.attributes["aria-label"].split())
        assert label not in found, f"two tables {label}"
        found[label] = [c.text for c in rows[0]], rows[1:]
    return found


def table(page, begin):
    """Headings and rows of the one table whose caption begins so."""
    hits = [found for label, found in tables(page).items() if label.startswith(begin)]
    assert len(hits) == 1, (begin, list(tables(page)))
    return hits[0]


SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def number_shown(text):
    """The number that a text says, and half a unit of its last digit."""
    mantissa, _, power = text.replace(",", "").partition("×10")
    factor = 10.0 ** int(power.translate(SUPERSCRIPTS)) if power else 1.0
    decimals = len(mantissa.partition(".")[2])
    unit = 10.0 ** -decimals
    if not decimals:
        unit = 10.0 ** (len(mantissa) - len(mantissa.rstrip("0"))) if mantissa.strip("-0") else 1.0
    return float(mantissa) * factor, 0.5 * unit * factor


def browser():
    """A Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def measured(paths, widths):
    """What a browser says of every page at every width (px), each in a frame of its own: {(path, width): {"wide": width of
    the page's contents, "images": how many, "shown": how many of them it can draw}}."""
    frames = "".join(f'<iframe data-width="{width}" style="border:0;width:{width}px;height:800px" src="'
                     f'{Path(path).resolve().as_uri()}"></iframe>' for path in paths for width in widths)
    script = """<script>onload = () => { document.title = JSON.stringify([...document.querySelectorAll("iframe")].map(f => {
        const d = f.contentDocument, images = [...d.images];
        d.querySelectorAll("details").forEach(e => e.open = true);
        return {wide: d.documentElement.scrollWidth, window: f.contentWindow.innerWidth, images: images.length,
                shown: images.filter(i => i.complete && i.naturalWidth > 0).length}; })) }</script>"""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "frames.html")
        page.write_text(f'<!DOCTYPE html><meta charset="utf-8"><body>{frames}{script}', encoding="utf-8")
        done = subprocess.run([browser(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                               "--allow-file-access-from-files", "--disable-web-security", f"--user-data-dir={folder}/profile",
                               "--virtual-time-budget=60000", "--dump-dom", page.as_uri()],
                              capture_output=True, text=True, timeout=180)
    title = re.search(r"<title>(.*?)</title></head><body>|<title>(\[.*?\])</title>", done.stdout, re.DOTALL)
    assert title, f"{done.stderr[-2000:]}"
    told = json.loads(html.unescape(next(filter(None, title.groups()))))
    return dict(zip(((path, width) for path in paths for width in widths), told))
