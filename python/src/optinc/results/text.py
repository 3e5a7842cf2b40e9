"""Text of a file on its way to a terminal, a page or a spreadsheet."""

from __future__ import annotations

import re
import textwrap
from typing import Sequence

_NOT_SHOWN = re.compile("[^\t\n\\x20-\\x7e\\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Control characters of ASCII and Latin-1, what ends a line or turns the direction of writing, halves of surrogate pairs."""


def clean(text: str) -> str:
    """Text with a replacement character for each that commands a terminal or that HTML does not allow."""
    return _NOT_SHOWN.sub("\ufffd", text.replace("\r\n", "\n"))


def cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula: behind an apostrophe where it begins like one."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: its first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(f"{cell:<{width}}" if i == 0 else f"{cell:>{width}}" for i, (cell, width) in enumerate(zip(row, widths)))
            for row in rows]


COLUMNS = 100
"""Of a terminal: no line of prose or of a table is longer, as in the tables of optinc."""


def folded(text: str, indent: str = "") -> list[str]:
    """A sentence as lines of a terminal."""
    return textwrap.wrap(text, COLUMNS, initial_indent=indent, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)
