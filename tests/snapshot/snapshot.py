#!/usr/bin/env python3
"""Everything that OptINC computes, on small examples: recorded, and compared with an earlier record.

    snapshot.py record --optinc build/release/bin/optinc -o before.json     three minutes on two cores
    (change the code, build)
    snapshot.py record --optinc build/release/bin/optinc -o after.json
    snapshot.py compare before.json after.json

A commit that moves code moves nothing: compare ends with 0. A commit that changes physics says in its message which
datasets moved and by how much: compare lists them and ends with 1.

Records are comparable on one machine with one compiler: other processors and compilers fuse multiplications and
additions (FMA) in other places, and vector units sum in another order. Records are therefore never committed.

What a record holds: every dataset and attribute of every file that the commands of runs.py write, and the JSON that
they print. FILE.json has type, shape and SHA-256 of each, and all text; FILE.npz, beside it, has the numbers. Dates,
command lines, the program's revision and the time that something took are left out (contents.py, IGNORED)."""

import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
try:
    import comparison
    import contents
    import coverage
    import record
except ModuleNotFoundError as missing:
    print(f"snapshot.py: {missing} (Debian: python3-h5py, python3-numpy; run it with /usr/bin/python3)", file=sys.stderr)
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]


def in_folder(chosen, work):
    """Calls work(folder) in a new folder: `chosen`, which is kept, or one that goes."""
    if chosen:
        pathlib.Path(chosen).mkdir(parents=True)
        return work(pathlib.Path(chosen).resolve())
    with tempfile.TemporaryDirectory(prefix="snapshot-") as folder:
        return work(pathlib.Path(folder))


def record_command(arguments):
    optinc = pathlib.Path(arguments.optinc).resolve()

    def work(folder):
        record.prepare(folder)
        found, seconds = record.record(optinc, folder, arguments.threads, arguments.quiet)
        record.write(arguments.output, record.about(optinc), found)
        print(f"{len(found)} datasets and attributes of {len(seconds)} commands in {sum(seconds.values()):.0f} s: "
              f"{arguments.output}")
        return coverage.report(optinc, folder, sys.stdout)

    return 1 if in_folder(arguments.folder, work) else 0


def coverage_command(arguments):
    optinc = pathlib.Path(arguments.optinc).resolve()

    def work(folder):
        record.prepare(folder)
        holes = coverage.report(optinc, folder, sys.stdout)
        if arguments.act is not None:
            runs = [run for run in record.RUNS if run.study or run.arguments[0] == "budget"]
            record.record(optinc, folder, 2, True, runs)
            with tempfile.TemporaryDirectory(prefix="snapshot-") as place:
                idle = coverage.Trial(optinc, folder, record.execute).idle(place, arguments.act)
            for key, names in idle:
                print(f"changes no number: {key} (in {names})")
            holes += len(idle)
        return holes

    return 1 if in_folder(None, work) else 0


def compare_command(arguments):
    old, new = comparison.Record(arguments.old), comparison.Record(arguments.new)
    for setting in arguments.rename:
        old.rename(*setting.split("=", 1))
    for key in ("version", "processor"):
        if old.about.get(key) != new.about.get(key):
            print(f"warning: {key} {old.about.get(key)!r} and {new.about.get(key)!r}: differences may mean nothing")
    print(f"old: {old.about['program']}\nnew: {new.about['program']}")
    print(f"left out: {', '.join(sorted(contents.IGNORED))}")
    lines = comparison.compare(old, new, arguments.numbers)
    for name, text in [] if arguments.summary else lines:
        print(f"{name}: {text}")
    for line in comparison.by_run(lines):
        print(line)
    print(f"{len(lines)} of {len(old.datasets.keys() | new.datasets.keys())} datasets and attributes moved")
    return 1 if lines else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    tool = dict(default=ROOT / "build/release/bin/optinc", metavar="FILE", help="the program (default: %(default)s)")

    recorded = commands.add_parser("record", help="run every command and write what it gave, and the coverage")
    recorded.add_argument("--optinc", **tool)
    recorded.add_argument("-o", "--output", required=True, metavar="FILE.json", help="record to write; FILE.npz beside it")
    recorded.add_argument("--threads", type=int, default=2, help="of the program; no result depends on them (default: 2)")
    recorded.add_argument("--folder", metavar="FOLDER", help="new folder to run in, kept (default: a temporary one)")
    recorded.add_argument("--quiet", action="store_true", help="no times of commands")
    recorded.set_defaults(work=record_command)

    compared = commands.add_parser("compare", help="list what moved between two records; ends with 1 where anything did")
    compared.add_argument("old", metavar="OLD.json")
    compared.add_argument("new", metavar="NEW.json")
    compared.add_argument("--numbers", action="store_true", help="leave out text: names, units, descriptions, configurations")
    compared.add_argument("--summary", action="store_true", help="count what moved of each command, and list nothing")
    compared.add_argument("--rename", action="append", default=[], metavar="OLD=NEW",
                          help="names of OLD that have this part get the other in its place; repeatable")
    compared.set_defaults(work=compare_command)

    covered = commands.add_parser("coverage", help="list keys and choices that no command sets; ends with 1 where one is left")
    covered.add_argument("--optinc", **tool)
    covered.add_argument("--act", nargs="?", const="", metavar="SECTION.KEY",
                         help="run every study again with each key (whose name begins so) at its default, and list keys that "
                              "change no number (all of them: 7 minutes)")
    covered.set_defaults(work=coverage_command)

    arguments = parser.parse_args()
    try:
        return arguments.work(arguments)
    except BrokenPipeError:  # of a reader such as head that saw enough
        sys.stdout = None
        return 1
    except (record.Failed, OSError) as error:
        print(f"snapshot.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
