#!/usr/bin/python3
"""Holds each device quantity to one struct, so that no two parts of the program can disagree about a device.

UnitHardware (onn/hardware) describes a unit's devices, from the settings structs of physics; transmission, drift,
crosstalk and budget read it. Prints FILE: STRUCT and why for what describes a device again; exits 1 when there is one.

  one_description.py [ROOT]      check the sources under ROOT (default: this repository)
  one_description.py --self-test break every rule once in a scratch tree and see each caught

mutations: LinkSettings gets lo_power_w; BudgetSettings gets a LaserSettings; IncoherentSum gets its responsivity back
"""

import re
import sys
import tempfile
from pathlib import Path

ROOMS = ("physics", "onn", "experiments")
SETTINGS = ("MzmSettings", "ReceiverSettings", "PhotodiodeSettings", "AdcSettings", "ThermoOpticShifter", "LaserSettings")
OF_A_UNIT = SETTINGS + ("HeaterSettings", "FrontEnd", "SplitterTree", "FibreCoupler", "Fibre", "Waveguide", "RoutingSettings",
                        "FloorPlanSettings", "LayoutSettings", "LinkSettings")
HOMES = [  # a member's whole name, the structs that may have it
    (r"lo_power\w*|cmrr\w*", ("ReceiverSettings",)),
    (r"responsivity\w*|dark_current\w*", ("PhotodiodeSettings",)),
    (r"rin_db\w*", ("LaserSettings", "LightNoise")),  # LightNoise: of any light on a direct receiver, amplified too
    (r"wall_plug\w*|linewidth_hz", ("LaserSettings",)),
    (r"leak|\w+_leak|extinction\w*|insertion_loss\w*|drive_capacitance\w*",
     ("MzmSettings", "ReadoutNoise")),  # ReadoutNoise: of the local oscillator, a result in digits
    (r"v_pi\w*", ("MzmSettings", "ThermoOpticFigures")),  # ThermoOpticFigures: a result
    (r"p_pi\w*|pi_power\w*", ("ThermoOpticShifter", "HeaterArray", "HeaterBudget")),  # an array's each; a result
    (r"effective_bits|adc_\w+|step_j", ("AdcSettings",)),
    # of the laser; a change of it; and the wavelength that a device's own data hold at
    (r"wavelength_m", ("LaserSettings", "Environment", "DriftHistory", "FibreCoupler", "ThermoOpticShifter", "Mmi2x2", "CarrierDispersion",
                       "IndexFit", "DirectionalCoupler", "SoaSettings", "ProcessModel")),
]
HOLDERS = {  # outside physics, structs with a device's settings in them, or made from them
    "UnitHardware": OF_A_UNIT,
    "HeaterSettings": ("ThermoOpticShifter",), "RoutingSettings": ("Waveguide",), "LayoutSettings": ("FloorPlanSettings",),  # members of UnitHardware
    "Stage": ("MzmSettings", "AdcSettings"), "StageReceivers": ("ReceiverSettings", "LaserSettings"),  # the unit's, of one stage
    "ResponseTable": ("AdcSettings",),  # a copy of the unit's that goes with the tabulated outputs
}

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
STRUCT = re.compile(r"\b(?:struct|class)\s+(\w+)\s*(?:final\s*)?(?::([^;{}()]*))?\{")


def without_braces(text):
    """`text` without what stands in braces: bodies of functions and of structs in it, and initialisers."""
    kept, depth = [], 0
    for c in text:
        depth += c == "{"
        if depth == 0:
            kept.append(c)
        if c == "}":
            depth -= 1
            if depth == 0:
                kept.append(";" if "(" in "".join(kept).rsplit(";", 1)[-1] else "")
    return "".join(kept)


def structs(text):
    """(name, bases, {member: words of its type}) of every struct or class in a source, those within others and in functions too."""
    text = COMMENT.sub(" ", text)
    for match in STRUCT.finditer(text):
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        members = {}
        for statement in without_braces(text[match.end():end - 1]).split(";"):
            while "<" in statement and statement != (flat := re.sub(r"<([^<>]*)>", lambda m: f" {m[1]} ".replace(",", " "), statement)):
                statement = flat  # std::vector<LaserSettings> lasers holds LaserSettings
            statement = re.sub(r"=[^,]*", "", statement)
            head = re.fullmatch(r"\s*(?:(?:public|private|protected)\s*:\s*)?((?:[\w:]+\s+)*?[\w:]+)\s*((?:[&*]\s*)?\b\w+(?:\s*,\s*\w+)*)\s*",
                                statement, re.S)
            if head and not re.match(r"\s*(using|friend|return|struct|enum|static)\b", statement):
                for name in re.findall(r"\w+", head[2]):
                    members[name] = [] if head[2][0] in "&*" else re.findall(r"\w+", head[1])
        bases = re.findall(r"\w+", re.sub(r"\b(public|private|virtual)\b", "", match[2] or ""))
        yield match[1], bases, members


def why_not(room, name, bases, members):
    """What a struct of this room must not hold, one line each."""
    for member in members:
        for pattern, homes in HOMES:
            if re.fullmatch(pattern, member) and name not in homes:
                yield f"{member} is described by {homes[0]}; read it there"
    if room != "physics":
        for kind in [*bases, *sum(members.values(), [])]:
            if kind in OF_A_UNIT and kind not in HOLDERS.get(name, ()):
                yield f"a {kind} of its own; UnitHardware has the unit's"


def problems(root):
    """(number of structs read, list of lines to print)."""
    seen, found, defined = 0, [], {}
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.[hc]pp")):
            file = path.relative_to(root).as_posix()
            for name, bases, members in structs(path.read_text(encoding="utf-8")):
                seen += 1
                defined.setdefault(name, []).append(file)
                found += [f"{file}: {name}: {reason}" for reason in why_not(room, name, bases, members)]
    for name in ("UnitHardware", *SETTINGS):
        if seen and len(defined.get(name, [])) != 1:
            found.append(f"{name} is defined {len(defined.get(name, []))} times: {', '.join(defined.get(name, []))} (once: one struct "
                         "describes the device; rename it in SETTINGS, too)")
    return seen, found


def self_test():
    """Every line of `wrong` must be caught and none of `right`."""
    base = "\n".join(f"struct {name} {{}};" for name in ("UnitHardware", *SETTINGS))
    wrong = [("onn/a.hpp", f"struct Some {{ double x = 1.0, {member} = 0.5; }};") for member in
             ("lo_power_w", "responsivity_a_per_w", "dark_current_a", "rin_db_per_hz", "cmrr_db", "extinction_db", "leak", "modulator_leak",
              "v_pi_v", "effective_bits", "adc_bits", "wall_plug_efficiency", "wavelength_m", "p_pi_w", "pi_power_w",
              "insertion_loss_db")]
    wrong += [("physics/devices/a.hpp", "struct IncoherentSum { double responsivity_a_per_w = 0.9; };"),
              ("onn/a.cpp", "namespace { struct Deep { int f() const { return 1; } struct In { double cmrr_db{30}; }; }; }"),
              ("experiments/a.hpp", "class Own { private: LaserSettings laser; };"),
              ("onn/a.hpp", "struct Budget { MzmSettings modulator = {.leak = 0}; };"),
              ("onn/a.hpp", "struct Late { double f(double x); std::vector<ReceiverSettings> all; };"),
              ("onn/a.hpp", "struct Later { int f() const { return 1; } FloorPlanSettings plan; };"),
              ("onn/a.hpp", "struct Mine : LaserSettings { int number; };"), ("onn/a.hpp", "struct LaserSettings { double power_w; };")]
    right = [("onn/a.hpp", "struct Environment { double wavelength_m = 0.0; };"), ("onn/a.hpp", "struct HeaterBudget { double pi_power_w; };"),
             ("physics/devices/a.hpp", "struct Row { PhotodiodeSettings diode; };"), ("onn/a.hpp", "struct View { const LaserSettings& laser; };"),
             ("onn/a.hpp", "struct Plain { double f(double lo_power_w) const; void g(LaserSettings laser); };  // double leak;"),
             ("onn/a.cpp", "double f() { double leak = 1; return leak; }"), ("onn/a.hpp", "struct Bits { int bits = 7; };")]
    failures = 0
    for cases, expected in ((wrong, 1), (right, 0)):
        for file, source in cases:
            with tempfile.TemporaryDirectory() as scratch:
                for place, text in (("physics/base.hpp", base), (file, source)):
                    path = Path(scratch, place)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text)
                if len(problems(Path(scratch))[1]) != expected:
                    failures += 1
                    print(f"self-test: {file}: {source} was {'missed' if expected else 'refused'}")
    print(f"self-test: {len(wrong)} wrong and {len(right)} right structs, {failures} misjudged")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    seen, found = problems(root)
    if not seen:
        print(f"one_description: no structs under {root}")
        return 1
    print(*found, sep="\n", end="\n" if found else "")
    print(f"one_description: {seen} structs, {len(found)} that describe a device again")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
