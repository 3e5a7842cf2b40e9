#!/usr/bin/env python3
"""Every function of warnings in a public header of physics is called where a user meets the device: by a study, a command,
a circuit or the Python module."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CALLERS = ("experiments", "onn", "python/bindings", "physics/circuit")


def sources(folder, *endings):
    return [path for ending in endings for path in sorted((ROOT / folder).rglob("*" + ending))]


def main():
    declared = {name for path in sources("physics", ".hpp") if "detail" not in path.parts
                for name in re.findall(r"std::vector<Warning> (\w+_warnings)\(", path.read_text())}
    called = {name for folder in CALLERS for path in sources(folder, ".cpp", ".hpp")
              for name in re.findall(r"(?<!std::vector<Warning> )\b(\w+_warnings)\(", path.read_text())}
    wrong = [f"{name}: nobody is ever shown it (call it where its device enters)" for name in sorted(declared - called)]
    print("\n".join(wrong) or f"{len(declared)} functions of warnings")
    return 1 if wrong or len(declared) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
