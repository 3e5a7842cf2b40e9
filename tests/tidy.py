#!/usr/bin/env python3
"""clang-tidy over the sources it is given, as many at once as there are processors; tests/analyse calls it.

  tidy.py BUILD FILE.cpp...   BUILD: a configured build folder that holds compile_commands.json

A source that was clean is remembered in BUILD/clean by a digest of all it is made from (itself and its headers with
their comments, .clang-tidy, the version of clang-tidy) and not looked at again until that changes. Exits 1 where
there is a finding."""

import concurrent.futures
import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def commands_of(build):
    """Source -> command that compiles it. One source that is compiled twice stands once."""
    return {Path(entry["file"]).resolve(): entry for entry in json.loads((build / "compile_commands.json").read_text())}


def digest(entry, rules):
    """What decides the findings of a source, as one name; None where it does not even preprocess."""
    command = shlex.split(entry["command"])
    output = command.index("-o")
    del command[output:output + 2]
    command.remove("-c")
    done = subprocess.run([*command, "-E", "-C"], cwd=entry["directory"], capture_output=True)
    return None if done.returncode else hashlib.sha256(rules + done.stdout).hexdigest()


def look_at(source, entry, build, rules):
    """Findings of one source as text, empty when it is clean."""
    name = digest(entry, rules)
    stamp = build / "clean" / name if name else None
    if stamp and stamp.exists():
        return ""
    done = subprocess.run(["clang-tidy", "-p", build, "--quiet", source], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        return done.stdout or done.stderr or f"{source}: clang-tidy ended with {done.returncode} and said nothing"
    if stamp:
        stamp.touch()
    return ""


def main():
    build, *names = sys.argv[1:]
    build = Path(build).resolve()
    (build / "clean").mkdir(exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    rules = (ROOT / ".clang-tidy").read_bytes() + version
    commands = commands_of(build)
    sources = [Path(name).resolve() for name in names]
    unknown = [source for source in sources if source not in commands]
    for source in unknown:
        print(f"clang-tidy: {source.relative_to(ROOT)} is compiled nowhere in {build.name}", file=sys.stderr)
    sources = [source for source in sources if source in commands]
    start, wrong = time.monotonic(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = [pool.submit(look_at, source, commands[source], build, rules) for source in sources]
        for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            if said := future.result():
                wrong += 1
                print(said, flush=True)
            if sys.stderr.isatty():
                left = (time.monotonic() - start) / done * (len(waiting) - done)
                print(f"\rclang-tidy: {done} of {len(waiting)} files, {wrong} with findings, {left / 60:.0f} min left ",
                      end="", file=sys.stderr, flush=True)
    print(f"clang-tidy: findings in {wrong} of {len(sources)} files")
    sys.exit(bool(wrong or unknown))


if __name__ == "__main__":
    main()
