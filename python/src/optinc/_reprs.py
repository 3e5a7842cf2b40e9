"""What objects of the compiled module say of themselves: their public values, arrays by shape."""

from typing import Any

import numpy as np

from . import _core


def described(thing: Any) -> str:
    """<LaserSettings: device='..', power_w=0.001, ..>; of an array its kind and shape, of another object its class."""
    values = {name: getattr(thing, name) for kind in reversed(type(thing).__mro__) for name, member in vars(kind).items()
              if not name.startswith("_") and isinstance(member, property)}
    told = ", ".join(f"{name}={_value(value)}" for name, value in values.items())
    return f"<{type(thing).__name__}{': ' + told if told else ''}>"


def _value(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}"
    if isinstance(value, (list, tuple)):
        return f"{len(value)} x {type(value[0]).__name__}" if value else "none"
    if type(value).__module__ == _core.__name__:
        return type(value).__name__
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


for _kind in vars(_core).values():
    if isinstance(_kind, type) and getattr(_kind, "__repr__") is object.__repr__:
        setattr(_kind, "__repr__", described)
