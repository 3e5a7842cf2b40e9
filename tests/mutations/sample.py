#!/usr/bin/env python3
"""Changes one operator of physics or onn at a time and demands that a test sees it.

  sample.py BUILD RESULTS.jsonl            the sample: 600 mutants of a fixed seed, without kernels and GPU code
  sample.py BUILD RESULTS.jsonl --most 20  so many more of them; those in RESULTS are not run again
  sample.py .. --under physics/devices     only those in a folder
  sample.py --summary RESULTS.jsonl        killed and alive of those that ran, and the survivors

BUILD: a build folder whose optinc_onn and optinc_physics are compiled; nothing in it or in the sources is changed. A mutant is
compiled alone, before the libraries, and linked with the tests that include its header; where they pass, with all tests of its
room, and then with the Monte-Carlo tests among the former. About half a minute of processor each, once the tests of a room are compiled (BUILD/mutants)."""

import argparse
import hashlib
import json
import random
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEED, SAMPLE, SECONDS = 62, 600, 300
SWAPS = {"<": ("<=", ">"), "<=": ("<", ">"), ">": (">=", "<"), ">=": (">", "<"), "==": ("!=",), "!=": ("==",), "&&": ("||",), "||": ("&&",),
         "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "+=": ("-=",), "-=": ("+=",), "*=": ("/=",), "++": ("--",)}
OPERATOR = re.compile(r"(?<= )(?:" + "|".join(re.escape(o) for o in sorted(SWAPS, key=len, reverse=True) if o != "++") + r")(?= )|\+\+(?=\w)")
LIBRARIES = ["onn/liboptinc_onn.a", "physics/liboptinc_physics.a"]
LINKED = ["-lfmt", "-lhwy", "-lgomp"]


def mutants():
    """The sample, (file, offset, operator, its replacement) each: kernels and GPU code are held by contracts of their own."""
    found = []
    for path in sorted(path for room in ("physics", "onn") for path in (ROOT / room).rglob("*.cpp")):
        name = path.relative_to(ROOT).as_posix()
        if re.search(r"kernel|/gpu/|/simd/", name):
            continue
        code = re.sub(r'//.*|"(?:\\.|[^"\\\n])*"|^\s*(?:#|template|///).*', lambda m: " " * len(m[0]), path.read_text(), flags=re.M)
        found += [(name, m.start(), m[0], other) for m in OPERATOR.finditer(code) for other in SWAPS[m[0]]]
    return random.Random(SEED).sample(found, SAMPLE)


def flags(build):
    """How a test is compiled, without precompiled headers, optimisation and warnings."""
    entry = next(e for e in json.loads((build / "compile_commands.json").read_text()) if "test_physics.dir" in e["command"])
    words = [w for w in shlex.split(entry["command"])[1:] if w.startswith(("-D", "-I", "-isystem", "/usr/include", "-m", "-f", "-std"))]
    return [*words, "-O0", "-Wno-everything" if "clang" in entry["command"] else "-w"]


def compiled(source, target, options):
    """Compiles unless `target` is there; whether it did."""
    if target.exists():
        return True
    target.parent.mkdir(parents=True, exist_ok=True)
    return subprocess.run(["c++", *options, "-I", ROOT, "-c", source, "-o", target], cwd=ROOT, capture_output=True).returncode == 0


def test_object(source, folder, options):
    """The object of a test, made anew when the test changes."""
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    target = folder / f"{source.name}-{digest}.o"
    if not compiled(source, target, options):
        sys.exit(f"sample: {source} does not compile")
    return target


def passes(objects, build, folder, chosen="~MC:*"):
    """Whether the tests pass; false where they fail, crash, or take SECONDS."""
    program = folder / "tests"
    linked = subprocess.run(["c++", *objects, *(build / name for name in LIBRARIES), "-Wl,--allow-multiple-definition", *LINKED, "-o", program],
                            capture_output=True, text=True)
    if linked.returncode:
        sys.exit(f"sample: cannot link: {linked.stderr[-2000:]}")
    try:
        return subprocess.run([program, chosen], cwd=folder, capture_output=True, timeout=SECONDS).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def verdict(name, build, folder, mutant, options):
    """What becomes of a mutant that compiles: "killed", "killed by its room", or "alive"."""
    room = ROOT / "tests" / Path(name).parent.as_posix().removesuffix("/detail")
    while not list(room.glob("*.cpp")):
        room = room.parent
    header = f'"{name.removesuffix(".cpp")}.hpp"'
    tests = sorted(room.glob("*.cpp"))
    own = [test for test in tests if header in test.read_text() or test.name == f"{Path(name).stem}.test.cpp"]
    shared = [ROOT / "tests/support/main.cpp", *(test for test in tests if not test.name.endswith(".test.cpp"))]
    for chosen, which, word in ((own, "~MC:*", "killed"), (tests, "~MC:*", "killed by its room"), (own, "MC:*", "killed by Monte Carlo")):
        objects = [test_object(test, folder, options) for test in dict.fromkeys([*shared, *chosen])]
        if chosen and not passes([mutant, *objects], build, folder, which) and (which != "MC:*" or passes(objects, build, folder, which)):
            return word  # Monte Carlo that takes too long kills nothing
    return "alive"


def run(build, results, most, under):
    folder = build / "mutants"
    folder.mkdir(exist_ok=True)
    known = {json.loads(line)["mutant"] for line in results.read_text().splitlines()} if results.exists() else set()
    options = flags(build)
    for name, at, old, new in mutants():
        source = (ROOT / name).read_text()
        line, column = source.count("\n", 0, at) + 1, at - source.rfind("\n", 0, at)
        mutant = f"{name}:{line}:{column}: {old} -> {new}"
        if mutant in known or not name.startswith(under):
            continue
        if most == 0:
            break
        most -= 1
        changed, target = folder / "mutant.cpp", folder / "mutant.o"
        target.unlink(missing_ok=True)
        changed.write_text(f'#line 1 "{ROOT / name}"\n' + source[:at] + new + source[at + len(old):])
        ending = verdict(name, build, folder, target, options) if compiled(changed, target, options) else "does not compile"
        with results.open("a") as file:
            file.write(json.dumps({"mutant": mutant, "verdict": ending, "line": source.splitlines()[line - 1].strip()}) + "\n")
        print(f"{ending:18} {mutant}", flush=True)


def summary(results):
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    for row in rows:
        if row["verdict"] == "alive":
            print(f"{row['mutant']}    {row['line']}")
    print(", ".join(f"{count} {word}" for word, count in Counter(row["verdict"] for row in rows).most_common()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, nargs="?")
    parser.add_argument("results", type=Path)
    parser.add_argument("--most", type=int, default=-1)
    parser.add_argument("--under", default="")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    if options.summary:
        summary(options.results)
    elif options.build is None:
        parser.error("no build folder")
    else:
        run(options.build.resolve(), options.results, options.most, options.under)


if __name__ == "__main__":
    main()
