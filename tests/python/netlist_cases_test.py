#!/usr/bin/env python3
"""Every input of tests/data/circuits by the command line and by the package: right, or refused in words, and the same.

cases.json lists them: the file (a netlist, or a block that one is made for), wavelengths, and what is right: powers or
fields from a closed form, which `why` names, or a pattern of the refusal. Run alone, it prints the counts:

  OPTINC_TOOL=build/ci/bin/optinc PYTHONPATH=build/ci/python tests/python/netlist_cases_test.py --json
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy
import optinc
from optinc.circuits import Circuit

DATA = Path(__file__).resolve().parents[1] / "data/circuits"
CASES = json.loads((DATA / "cases.json").read_text(encoding="utf-8"))
BLOCK = re.compile(r"\.(s(\d+)p|ts)$", re.IGNORECASE)


def netlist_of(case, scratch):
    """The netlist of a case: its file, or one that holds the measured block."""
    block = BLOCK.search(case["file"])
    if not block:
        return DATA / case["file"]
    settings = {"file": str(DATA / case["file"]), **({"convention": case["convention"]} if "convention" in case else {})}
    path = Path(scratch) / "block.json"
    path.write_text(json.dumps({"instances": {"m": {"component": "touchstone", "settings": settings}},
                                "ports": {f"p{i}": f"m,port{i}" for i in range(1, int(block[2] or 2) + 1)}}))
    return path


def by_command_line(case, netlist, scratch):
    """(ports, wavelengths, S), or the text of a refusal."""
    made = Path(scratch) / "made.h5"
    at = case.get("wavelengths_m", [1.55e-6])
    done = subprocess.run([os.environ["OPTINC_TOOL"], "circuit", netlist, "-o", made, "--quiet", "--force", "--wavelength-m", *map(repr, at),
                           "--points", str(case.get("points", 1)), *(["--absorb-unconnected"] if case.get("absorb") else []),
                           *(["--mapping", case["mapping"]] if "mapping" in case else [])],
                          capture_output=True, text=True)
    if done.returncode:
        told = [line for line in done.stderr.splitlines() if not line.startswith("optinc: warning: ")]
        return "\n".join(told).removeprefix("optinc: ").strip()
    with h5py.File(made) as file:
        circuit = file["circuit"]
        s = circuit["scattering"][()]
        return [name.decode() for name in circuit["port_out"][()]], circuit["wavelength"][()], s[..., 0] + 1j * s[..., 1]


def by_package(case, netlist, wavelengths):
    try:
        circuit = Circuit(netlist, absorb_unconnected=case.get("absorb", False), mapping=case.get("mapping"))
        return list(circuit.ports), wavelengths, circuit(wavelengths)
    except ValueError as error:
        return str(error)
    except Exception as error:  # none of those that are promised
        return f"{type(error).__name__}: {error}"


def faults(case, found):
    """What is wrong with an answer, for people; nothing where it is right."""
    if "refused" in case:
        if not isinstance(found, str):
            return [f"computed, though it is to be refused: {case['refused']}"]
        return [] if re.search(case["refused"], found) and "\n" not in found else [f"refused otherwise: {found}"]
    if isinstance(found, str):
        return [f"refused: {found}"]
    ports, _, s = found
    wrong = []
    for right in case["right"]:  # at one of the wavelengths, or at all
        field = s[case.get("at", slice(None)), ports.index(right["out"]), ports.index(right["in"])]
        off = abs(field - complex(*right["field"])) if "field" in right else abs(20 * numpy.log10(abs(field)) - right["power_db"])
        if not numpy.max(off) <= right["tolerance"]:
            wrong.append(f"{right['in']} to {right['out']}: {field} is off by {numpy.max(off)} ({right})")
    return wrong


def judged(case):
    """(faults, whether it was refused, whether the two answers differ) of a case."""
    with tempfile.TemporaryDirectory() as scratch:
        netlist = netlist_of(case, scratch)
        told = by_command_line(case, netlist, scratch)
        first, last = (case.get("wavelengths_m", [1.55e-6]) * 2)[:2] if len(case.get("wavelengths_m", [0])) == 1 else case["wavelengths_m"]
        same = by_package(case, netlist, told[1] if not isinstance(told, str) else numpy.linspace(first, last, case.get("points", 1)))
    if isinstance(told, str) or isinstance(same, str):
        differ = told != same
    else:
        differ = told[0] != same[0] or not numpy.array_equal(told[2], same[2])
    return faults(case, told) + [f"package: {text}" for text in faults(case, same)], isinstance(told, str), differ


@unittest.skipUnless(os.environ.get("OPTINC_TOOL"), "needs OPTINC_TOOL")
class NetlistCases(unittest.TestCase):
    def test_all(self):
        for case in CASES:
            with self.subTest(case["file"], **{k: v for k, v in case.items() if k not in ("file", "right")}):
                wrong, _, differ = judged(case)
                self.assertEqual(wrong, [])
                self.assertFalse(differ, "command line and package differ")

    def test_every_file_is_a_case(self):
        listed = {case["file"] for case in CASES}
        for case in list(listed):
            if not BLOCK.search(case):
                listed |= set(re.findall(r"file: ([\w.]+)", (DATA / case).read_text(encoding="utf-8")))
        kept = {path.name for path in DATA.iterdir() if path.suffix not in (".py", ".md") and path.name != "cases.json"}
        self.assertEqual(kept - listed, set())


def main():
    counts = {"inputs": 0, "right": 0, "refused": 0, "wrong": 0, "different": 0}
    for case in CASES:
        wrong, refused, differ = judged(case)
        counts["inputs"] += 1
        counts["wrong" if wrong else "refused" if refused else "right"] += 1
        counts["different"] += differ
        for text in wrong:
            print(f"{case['file']}: {text}", file=sys.stderr)
        if differ:
            print(f"{case['file']}: command line and package differ", file=sys.stderr)
    print(json.dumps(counts))
    return counts["wrong"] + counts["different"] > 0


if __name__ == "__main__":
    sys.exit(main() if sys.argv[1:] == ["--json"] else unittest.main())
