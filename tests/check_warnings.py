#!/usr/bin/env python3
"""Every function of warnings in a public header of physics is called where a user meets the device: by a study, a command,
a circuit or the Python module."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CALLERS = ("experiments", "onn", "python/bindings", "physics/circuit")
OF_PROGRAMS_ALONE = {
    "dac_warnings": "a Dac with a range of its own; chips have the DAC of chip.dac_bits, whose range is a turn",
    "heater_warnings": "a HeaterArray; die and heater of studies are warned of by die_warnings and thermo_optic_warnings",
    "crosstalk_inversion_warnings": "a CrosstalkInversion, which a trial makes of phases that no setting holds",
}
"""Functions for devices that C++ programs alone make, and why no study has them."""


def sources(folder, *endings):
    return [path for ending in endings for path in sorted((ROOT / folder).rglob("*" + ending))]


def main():
    declared = {name for path in sources("physics", ".hpp") if "detail" not in path.parts
                for name in re.findall(r"std::vector<Warning> (\w+_warnings)\(", path.read_text())}
    called = {name for folder in CALLERS for path in sources(folder, ".cpp", ".hpp")
              for name in re.findall(r"(?<!std::vector<Warning> )\b(\w+_warnings)\(", path.read_text())}
    wrong = [f"{name}: nobody is ever shown it (call it where its device enters, or say here why not)"
             for name in sorted(declared - called - set(OF_PROGRAMS_ALONE))]
    wrong += [f"{name}: listed here, but {'called' if name in called else 'gone'}"
              for name in sorted(OF_PROGRAMS_ALONE) if name in called or name not in declared]
    print("\n".join(wrong) or f"{len(declared)} functions of warnings")
    return 1 if wrong or len(declared) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
