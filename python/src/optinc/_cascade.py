"""Units in two levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Union

import numpy as np

from ._core import NoiseSwitches, ProgrammedChip, ResponseTable, Task, Unit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_Unit = Union[ProgrammedChip, ResponseTable, Unit]


class Cascade:
    """Two levels of units, which average the codes of N^2 servers: N units of level "first", each for N servers, send the sums
    of their codes to one of level "second". It has no optics of its own: sums are decided and sent anew.

        first, second = (optinc.carry_chain(servers=4, bits=8, level=level) for level in ("first", "second"))
        chips = [unit.fabricate("good-lab", chip=i).program() for i, unit in enumerate([first] * 4 + [second])]
        optinc.Cascade(chips[:4], chips[4]).average(codes)  # integers (16, n) -> (n,)

    below: the units of the first level, in the order of their servers; above: that of the second. Each is a ProgrammedChip,
    its ResponseTable, or a Unit without devices. Give every chip a number of its own (fabricate(chip=)): chips of the same
    number have the same noise.

    Raises TypeError for other units, ValueError where tasks or the number of units do not agree.
    """

    def __init__(self, below: Sequence[_Unit], above: _Unit) -> None:
        self.below, self.above = list(below), above
        for unit in (*self.below, above):
            if not isinstance(unit, (ProgrammedChip, ResponseTable, Unit)):
                raise TypeError(f"a cascade of a {type(unit).__name__} (needs ProgrammedChips, ResponseTables or Units). "
                                "Program a chip: chip.program().")
        top = above.task
        wanted = Task(top.servers, top.bits, top.rounding, "first", outputs=top.outputs)
        for unit in self.below:
            if (unit.task.level, unit.task.servers, unit.task.bits) != ("first", wanted.servers, wanted.bits):
                raise ValueError(f"{unit.task} below {top} (level \"first\", with as many servers and bits). Choose another unit.")
        if top.level != "second" or len(self.below) != top.servers:
            raise ValueError(f"{len(self.below)} units below one of level \"{top.level}\" for {top.servers} (level \"second\", and "
                             "as many below as it has servers). Choose others.")

    @property
    def task(self) -> Task:
        """What the units do together: the rounded mean of all servers' codes."""
        top = self.above.task
        return Task(top.servers**2, top.bits, top.rounding)

    def average(self, codes: ArrayLike, noise: NoiseSwitches | None = None, instant: int = 0, first_word: int = 0,
                arithmetic: str = "float64") -> NDArray[np.uint32]:
        """Codes that the servers receive, integers (N^2, n) -> uint32 (n,): as ProgrammedChip.average() of every unit.

        noise: of the chips, all of it if not given; tables have their own, and units have none. Raises what average() of
        the units raises, and ValueError for codes of another shape.
        """
        given = np.asarray(codes)
        if given.ndim != 2 or len(given) != self.task.servers:
            raise ValueError(f"codes of shape {given.shape} (needs ({self.task.servers}, n): a row for every server). Reshape them.")
        way = (NoiseSwitches.all() if noise is None else noise, 0, instant, first_word, arithmetic)
        between = [answers(unit, part, *way) for unit, part in zip(self.below, np.split(given, len(self.below)))]
        return answers(self.above, np.stack(between), *way)

    def __repr__(self) -> str:
        return f"<Cascade: {len(self.below)} units below one, {self.task}>"


def answers(unit: _Unit, codes: NDArray[np.uint32], noise: NoiseSwitches, server: int, instant: int, first_word: int,
            arithmetic: str) -> NDArray[np.uint32]:
    """What any unit makes of codes."""
    if isinstance(unit, ProgrammedChip):
        return unit.average(codes, noise, server, instant, first_word, arithmetic)
    if isinstance(unit, ResponseTable):
        return unit.average(codes, instant, first_word)
    return unit.average(codes)
