#!/usr/bin/env python3
"""Breaks one place of the model at a time and demands that the laws of `optinc validate` see it.

  mutations.py                  every mutation: copy the tree, break, build, run the laws it names with --quick, put back
  mutations.py WORD ...         those with a word in their name, their file or a law they name
  mutations.py --json ..        the same, as one JSON object on stdout; progress goes to stderr
  mutations.py --list           what there is, and the laws that must fail
  mutations.py --check OPTINC   fast: every search text occurs once, every law of that tool stands in a mutation

Works on a copy, never here; --folder keeps the copy and its build for the next time. Prints a line a mutation; exits 1
where a law did not see its mutation. Needs what the build needs; about half a minute each on two cores."""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
from table import MUTATIONS  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
CONFIGURE = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O2", "-DOPTINC_TESTS=OFF", "-DOPTINC_BENCH=OFF",
             "-DOPTINC_MPI=OFF"]


def choose(words):
    """The mutations that have one of the words; all without words. Exits where a word finds none."""
    found = {}
    for word in words:
        hits = [m for m in MUTATIONS if any(word.lower() in text.lower() for text in (m.name, m.file, *m.laws))]
        if not hits:
            sys.exit(f"mutations: no mutation has '{word}' in its name, file or laws. See --list.")
        found.update((m.name, m) for m in hits)
    return list(found.values()) or MUTATIONS


def check(optinc):
    """Complaints about the table: texts that do not occur once, laws unknown or in no mutation."""
    known = {law["name"] for law in json.loads(subprocess.run([optinc, "validate", "--list", "--json"], check=True,
                                                              capture_output=True, text=True).stdout)["laws"]}
    named = {law for m in MUTATIONS for law in m.laws}
    complaints = [f"no mutation breaks the law '{law}'" for law in sorted(known - named)]
    complaints += [f"there is no law '{law}'" for law in sorted(named - known)]
    for m in MUTATIONS:
        times = (ROOT / m.file).read_text().count(m.old)
        if times != 1 or m.old == m.new or not m.laws:
            complaints.append(f"{m.file}: the text of '{m.name}' occurs {times} times, not once: {m.old}")
    if len({m.name for m in MUTATIONS}) < len(MUTATIONS):
        complaints.append("two mutations bear one name")
    return complaints


def copy_tree(folder):
    """Brings the files that git knows, or would, into `folder`; unchanged ones keep their time, so that ninja rests."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
                            text=True).stdout.splitlines()
    for name in listed:
        source, target = ROOT / name, folder / name
        if source.is_file() and not (target.exists() and target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def build(folder):
    """Compiles the tool of the copy; returns its path. Raises CalledProcessError, with the compiler's words printed."""
    binary = folder / "build"
    if not (binary / "build.ninja").exists():
        subprocess.run(["cmake", "-S", folder, "-B", binary, *CONFIGURE], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["cmake", "--build", binary, "--target", "optinc"], capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-3000:], file=sys.stderr)
        done.check_returncode()
    return binary / "bin/optinc"


def failing(optinc, laws):
    """The laws of a quick run of which a point fails. Raises RuntimeError where the tool gives no table."""
    done = subprocess.run([optinc, "validate", "--quick", "--quiet", "--json", *laws], capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        raise RuntimeError(f"no table: {done.stderr.strip() or done.returncode}")
    return {law["law"] for law in json.loads(done.stdout)["laws"] if law["verdict"] != "pass"}


def run(chosen, folder, log):
    """Applies each mutation to the copy and puts it back, telling `log`; returns a row each: who had to see it, who did
    not, and what went wrong where it could not be run."""
    copy_tree(folder)
    log("building the copy as it is ...")
    if broken := failing(build(folder), sorted({law for m in chosen for law in m.laws})):
        sys.exit(f"mutations: laws fail with nothing broken ({', '.join(sorted(broken))}). Mend these first.")
    rows = []
    for m in chosen:
        start, path, problem = time.monotonic(), folder / m.file, None
        whole = path.read_text()
        try:
            path.write_text(whole.replace(m.old, m.new))
            missed = sorted(set(m.laws) - failing(build(folder), m.laws))
            verdict = f"NOT SEEN by {', '.join(missed)}" if missed else f"seen by {', '.join(m.laws)}"
        except (subprocess.CalledProcessError, RuntimeError) as error:
            missed, problem, verdict = list(m.laws), str(error), f"NOT RUN: {error}"
        finally:
            path.write_text(whole)
        seconds = time.monotonic() - start
        rows.append({"name": m.name, "file": m.file, "laws": m.laws, "missed_by": missed, "problem": problem,
                     "seconds": round(seconds, 1)})
        log(f"{seconds:5.0f} s  {m.file}: {m.name}: {verdict}")
    build(folder)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", metavar="OPTINC")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--folder", type=Path, help="where the copy is kept (default: a temporary one)")
    options = parser.parse_args()
    if options.check:
        complaints = check(options.check)
        print("\n".join(complaints) or f"{len(MUTATIONS)} mutations, each in its place")
        return bool(complaints)
    chosen = choose(options.words)
    if options.list:
        for m in chosen:
            print(f"{m.file}: {m.name}\n    - {m.old}\n    + {m.new}\n    must fail: {', '.join(m.laws)}")
        return 0
    def log(text):
        print(text, file=sys.stderr if options.json else sys.stdout, flush=True)

    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        rows = run(chosen, options.folder.resolve(), log)
    else:
        with tempfile.TemporaryDirectory(prefix="optinc-mutations-") as folder:
            rows = run(chosen, Path(folder), log)
    missed = sum(bool(row["missed_by"]) for row in rows)
    log(f"{len(rows) - missed} of {len(rows)} mutations seen")
    if options.json:
        print(json.dumps({"mutations": rows, "missed": missed}, indent=2))
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
