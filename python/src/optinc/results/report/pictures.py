"""The figures of a page: drawn from the file, embedded, and told in words."""

from __future__ import annotations

import base64
import io
import re
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from .. import style
from ..errors import NotInResult
from ..figures import FIGURES, drawn, names_of
from ..run import Run
from .elements import Element, node, scrolling

MOST_VECTOR_BYTES = 400_000
"""A drawing of more bytes is embedded as pixels."""

PIXELS_PER_INCH = 200
REM_PER_INCH = 8.5
"""Width of a figure on the page: its letters are then as large as those of the text."""
LEAST_REM_PER_INCH = 5.5
"""On a narrow screen a figure scrolls rather than being narrower than this."""


def pictures(run: Run) -> tuple[list[Element], list[str]]:
    """The figures that the study names, or else those there is data for; and a sentence for each that it names without
    data for it. Raises NotAResult where it names figures there are not."""
    names, certain = names_of(run)
    found, left_out = [], []
    for name in dict.fromkeys(names):
        try:
            found += [picture(title, name, figure) for title, figure in drawn(run, name).items()]
        except NotInResult as error:
            if certain:
                left_out.append(f"{name} is not drawn: {str(error).replace(str(run.path), run.path.name)}")
    return found, left_out


def picture(title: str, name: str, figure: Figure) -> Element:
    """A figure with its caption."""
    width = figure.get_figwidth()
    image = node("img", src=data_uri(figure), alt=f"{title.replace('_', ' ').capitalize()}. {in_words(figure)}",
                 style=f"width:{REM_PER_INCH * width:.1f}rem;min-width:{LEAST_REM_PER_INCH * width:.1f}rem")
    caption = node("figcaption", node("strong", title.replace("_", " ").capitalize()), f". {description(name)}")
    return node("figure", scrolling(image, f"Figure {title.replace('_', ' ')}"), caption, id=f"figure-{title}")


def description(name: str) -> str:
    """What a figure shows: the first sentences of its function's description, without its options and errors."""
    text = (FIGURES[name].__doc__ or "").split("\n\n")[0]
    return plain_text(re.sub(r"`([^`]*)`", r"\1", re.split(r"\bRaises\b", text)[0]))


def data_uri(figure: Figure) -> str:
    """The figure as SVG, or as PNG where that would be too large. The same figure gives the same text."""
    with matplotlib.rc_context({**style.LOOK, "svg.hashsalt": "optinc"}):
        image = saved(figure, format="svg", metadata={"Date": None, "Creator": None})
        if len(image) <= MOST_VECTOR_BYTES:
            return "data:image/svg+xml;base64," + base64.b64encode(image).decode("ascii")
        image = saved(figure, format="png", dpi=PIXELS_PER_INCH, metadata={"Software": None})
        return "data:image/png;base64," + base64.b64encode(image).decode("ascii")


def saved(figure: Figure, **options: Any) -> bytes:
    """The file that the figure is saved to."""
    out = io.BytesIO()
    figure.savefig(out, **options)
    return out.getvalue()


def in_words(figure: Figure) -> str:
    """What stands against what in every panel, and what the lines are: for readers who cannot see the figure."""
    told = []
    for axes in figure.axes:
        x, y, title = (plain_text(text) for text in (axes.get_xlabel(), axes.get_ylabel(), axes.get_title(loc="left")))
        shown = f"{y} against {x}" if x and y else x or y
        told.append(": ".join(part for part in (title, shown) if part))
    labels = [text for legend in figure.legends for text in (t.get_text() for t in legend.get_texts())]
    labels += [label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]]
    lines = list(dict.fromkeys(plain_text(label) for label in labels if label.strip()))
    told += [f"Shown: {', '.join(lines)}"] if lines else []
    return " ".join(f"{text}." for text in dict.fromkeys(told) if text)


def plain_text(text: str) -> str:
    """On one line, without what only matplotlib understands."""
    return " ".join(text.replace(r"\$", "$").split())
