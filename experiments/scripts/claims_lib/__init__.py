"""The groups of claims: every module here with a list CLAIMS is one. A new group is a new file."""

import importlib
import pkgutil


def all_claims():
    """Every claim of every group, in order of file name."""
    claims = []
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        claims += getattr(importlib.import_module(f"{__name__}.{module.name}"), "CLAIMS", [])
    return claims
