"""The page: its parts in order."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..conclusion import conclusion
from ..run import Run
from .cost_tables import cost_tables
from .elements import Child, Element, document, listed, node, section
from .guide import how_to_open, how_to_read, how_to_repeat
from .pictures import pictures
from .study_tables import study_tables
from .what_was_run import about, key_figures, kind_of, origin

STYLE = Path(__file__).with_name("page.css")

ALLOWED = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a browser may load for the page: nothing from elsewhere, no script."""


def page(run: Run) -> str:
    """The report on a result file as one HTML page that needs nothing else: what was run, its headline numbers, its
    figures, where it comes from and how to repeat it. The same file gives the same page. Raises NotAResult where its
    settings cannot be read or name figures there are not."""
    numbers = [*study_tables(run), *cost_tables(run)]
    figures, left_out = pictures(run)
    settings = str(run.attributes.get("config_toml", ""))
    parts = [
        section("about", "What was run", about(run)),
        section("numbers", "Headline numbers", numbers or node("p", "The file holds no summary of numbers.")),
        section("figures", "Figures", figures or node("p", "There is nothing to draw."),
                (node("p", text, class_="note") for text in left_out)),
        section("reading", "How to read these numbers", listed(how_to_read(run))),
        section("origin", "Where it comes from", origin(run, digest_of(run.path))),
        section("repeat", "To repeat it", how_to_repeat(run)),
        section("python", "The file in Python", how_to_open(run)),
    ]
    if settings:
        parts.append(section("settings", "Settings", node("details", node("summary", "Every setting in force, as TOML"),
                                                          node("pre", node("code", settings), tabindex="0"))))
    title = run.provenance.title
    head = node("head", node("meta", charset="utf-8"), node("title", title),
                node("meta", name="viewport", content="width=device-width, initial-scale=1"),
                node("meta", http_equiv="Content-Security-Policy", content=ALLOWED),
                node("link", rel="icon", href="data:,"), node("style", STYLE.read_text(encoding="utf-8")))
    links = listed([node("a", part[0].text or "", href=f"#{part[0].get('id')}") for part in parts])
    return document(head, node("body", node("a", "To the contents", href="#about", class_="skip"), opening(run),
                               node("nav", links, aria_label="Contents"), node("main", parts),
                               node("footer", node("p", run.provenance.signature()))))


def digest_of(path: Path) -> str:
    """SHA-256 of a file of any size."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def opening(run: Run) -> Element:
    """Title, what the file is, a few numbers, and what the reader must know before all others."""
    p = run.provenance
    seed = f" from seed {p.seed}" if "seed" in run.attributes else ""
    made = f"Made {p.created_utc.replace('T', ', ').replace('Z', ' UTC')} by OptINC {p.optinc_version}{seed}."
    told = key_figures(run)
    key = node("dl", (node("div", node("dt", name), node("dd", value)) for name, value in told), class_="key")
    said = conclusion(run)
    return node("header", node("p", "OptINC report", class_="kind"), node("h1", p.title),
                node("p", f"{kind_of(run)} {made}", class_="lead"), node("p", said, class_="conclusion") if said else None, key if told else None, cautions(run))


def cautions(run: Run) -> list[Child]:
    """That the run is not complete or but a part, and the warnings stored in the file, each in a box."""
    told: list[Child] = []
    if run.incomplete:
        asked, done = run.asked_and_run
        text = f"{done:,} of {asked:,} trials were run; every number below refers to these. Continue with: "
        command = node("code", f"optinc resume {run.path.name}")
        told.append(caution("This run is not complete", node("p", text, command, ".")))
    if "shard" in run.attributes:
        text = f"It is shard {run.attributes['shard']}. Merge all of them: "
        told.append(caution("This is a part of a run", node("p", text, node("code", "optinc merge"), ".")))
    warnings = str(run.attributes.get("warnings", "")).splitlines()
    if warnings:
        told.append(caution("Warnings of the run", listed(warnings)))
    return told


def caution(title: str, *children: Child) -> Element:
    """A box that is seen first."""
    return node("section", node("h2", title), *children, class_="caution", aria_label=title)
