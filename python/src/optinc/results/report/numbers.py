"""Numbers as a reader wants them, with the file's own value beside them in the page."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import style
from .elements import Element, node

MISSING = "-"
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def number(value: float, digits: int = 5, step: float = 0.0) -> str:
    """`value` with `digits` significant digits, zeros at the end left out, or with all digits down to the power of ten
    `step`: 41,664, 0.00517, 1.2×10⁻⁵, "-" for NaN. What is not 0 or 1 does not read so."""
    if math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    if step > 0:
        nearest = round(value / step) * step
        value = value if nearest == 0 or math.isclose(abs(nearest), 1) else nearest
        digits = min(max(magnitude(value) - magnitude(step) + 1, 1), 15)
    while digits < 15 and abs(value) != 1 and float(f"{abs(value):.{digits - 1}e}") == 1:
        digits += 1
    return significant(value, digits, step > 0)


def magnitude(value: float) -> int:
    """Power of ten of the first digit."""
    return math.floor(math.log10(abs(value)) + 1e-12)


def significant(value: float, digits: int, zeros: bool) -> str:
    """`value`, not 0, with so many significant digits; `zeros`: those at the end are kept."""
    mantissa, rounded = f"{value:.{digits - 1}e}".split("e")
    power = int(rounded)
    if -4 <= power < 9:
        text = f"{float(f'{mantissa}e{rounded}'):,.{max(digits - 1 - power, 0)}f}"
        return text if zeros else without_zeros(text)
    return f"{mantissa if zeros else without_zeros(mantissa)}×10{str(power).translate(SUPERSCRIPTS)}"


def without_zeros(text: str) -> str:
    """Without the zeros a decimal fraction ends on."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def data(value: Any, scale: float = 1.0, digits: int = 5, step: float = 0.0) -> Element:
    """A number of the file: its value to the last bit for programs, times `scale` and rounded for readers."""
    exact = float(value)
    return node("data", number(exact * scale, digits, step), value=repr(exact))


def with_interval(mean: Any, low: Any, high: Any, scale: float = 1.0) -> list[Any]:
    """`mean [low, high]`, all three down to the second digit of half the interval."""
    half = abs(float(high) - float(low)) * scale / 2
    known = math.isfinite(half) and half > 1e-12 * abs(float(mean)) * scale
    step = 10.0 ** (magnitude(half) - 1) if known else 0.0
    ends = node("span", "[", data(low, scale, step=step), ", ", data(high, scale, step=step), "]", class_="interval")
    return [data(mean, scale, step=step), " ", ends]


def scale_of(values: Any, units: str) -> tuple[float, str]:
    """Factor and unit for a table of these numbers: 0.005 rad is 5 mrad."""
    array = np.asarray(values, float).ravel()
    return style.scale_of([*array[np.isfinite(array)]], units)


def in_units(units: str) -> str:
    """` (rad)` behind a name; nothing for pure numbers."""
    return "" if units in ("1", "") else f" ({'m²' if units == 'm2' else units})"


def value_of(value: Any) -> Any:
    """A value of a swept parameter or an attribute: a number's element, or text."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, float, np.integer, np.floating)):
        return data(value, digits=6)
    return str(value)
