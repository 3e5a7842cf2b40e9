"""Elements of an HTML page, built as a tree so that no text of a file can be taken for markup."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any, Iterable, Sequence, Union

from ..text import clean

Element = ElementTree.Element
VISIBLE_ROWS = 16
"""Rows of a table that are seen without scrolling in its box (page.css)."""
Child = Union[str, Element, None, Iterable[Any]]
"""Text, an element, nothing, or any number of these."""

OWN_LINE = {"head", "body", "header", "main", "footer", "nav", "section", "h1", "h2", "h3", "p", "ul", "li", "dl",
            "div", "table", "thead", "tbody", "tr", "figure", "figcaption", "details", "summary", "pre", "meta",
            "title", "style", "link"}
"""Elements behind which the page's source begins a new line."""


def node(tag: str, *children: Child, **attributes: Any) -> Element:
    """The element `tag` with its children in order. Attributes that are None are left out; in the names of the others
    `_` stands for `-`, and one at the end is dropped (`class_`)."""
    element = Element(tag, {name.rstrip("_").replace("_", "-"): clean(str(value))
                            for name, value in attributes.items() if value is not None})
    element.tail = "\n" if tag in OWN_LINE else None
    for child in children:
        append(element, child)
    return element


def append(element: Element, child: Child) -> None:
    """Puts `child` behind what `element` holds."""
    if child is None:
        return
    if isinstance(child, Element):
        element.append(child)
    elif isinstance(child, str):
        if len(element):
            element[-1].tail = (element[-1].tail or "") + clean(child)
        else:
            element.text = (element.text or "") + clean(child)
    else:
        for part in child:
            append(element, part)


def document(head: Element, body: Element) -> str:
    """The page as text."""
    whole = node("html", "\n", head, body, lang="en")
    return f"<!DOCTYPE html>\n{ElementTree.tostring(whole, 'unicode', method='html')}\n"


def section(identity: str, title: str, *children: Child) -> Element:
    """A section of the page under its heading."""
    return node("section", node("h2", title, id=identity), *children, aria_labelledby=identity)


def scrolling(child: Element, label: str) -> Element:
    """A box that scrolls by itself, by keyboard too, where its contents are larger than the window."""
    return node("div", child, class_="scroll", role="region", tabindex="0", aria_label=label)


def table(caption: Child, columns: Sequence[Child], rows: Sequence[Sequence[Child]], heads: int = 1) -> Element:
    """A table whose first `heads` columns name the row, under its caption, in a box that scrolls by itself."""
    title = node("p", caption, class_="caption")
    if len(rows) > VISIBLE_ROWS:
        append(title, node("span", f" {len(rows)} rows: scroll in the table for the rest.", class_="more"))
    label = "".join(title.itertext())
    header = node("tr", (node("th", name, scope="col") for name in columns))
    body = [node("tr", (cell_of(cell, i < heads) for i, cell in enumerate(row))) for row in rows]
    whole = node("table", node("thead", header), node("tbody", body), aria_label=label)
    return node("div", title, scrolling(whole, label))


def cell_of(content: Child, head: bool) -> Element:
    """A cell of a table. A short name stays on one line."""
    short = "name" if isinstance(content, str) and len(content) <= 40 else None
    return node("th", content, scope="row", class_=short) if head else node("td", content, class_=short)


def facts(rows: Iterable[tuple[str, Child]]) -> Element:
    """Names and what they stand for, one below the other; those that stand for nothing are left out."""
    told = ((name, value) for name, value in rows if value not in (None, ""))
    return node("dl", ((node("dt", name), node("dd", value)) for name, value in told), class_="facts")


def listed(items: Sequence[Child], **attributes: Any) -> Element:
    """An unordered list."""
    return node("ul", (node("li", item) for item in items), **attributes)
