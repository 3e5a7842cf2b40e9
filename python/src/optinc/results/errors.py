"""What goes wrong with a file, said as PROBLEM (WHY). SUGGESTION."""

from __future__ import annotations


class NotAResult(ValueError):
    """The file is no result that this package reads."""


class NotInResult(NotAResult):
    """The file is a result, but does not hold what was asked for."""
