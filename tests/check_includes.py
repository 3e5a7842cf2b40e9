#!/usr/bin/python3
"""Holds the includes to the plan of the house: physics <- onn <- experiments, each room without what it must not know, and none
into another's detail/ folders, which are not installed.

Prints FILE:LINE and why for every include that breaks a rule; exits 1 when there is one.

  check_includes.py [ROOT]      check the sources under ROOT (default: this repository)
  check_includes.py --self-test break every rule once in a scratch tree and see each caught
"""

import re
import sys
import tempfile
from pathlib import Path

ROOMS = {"physics": (), "onn": ("physics",), "experiments": ("physics", "onn")}  # room: others it may include
# rooms of a folder, from the ground up: each may include itself, its own floor's neighbours never, and any floor below
FLOORS = {
    "physics": (("core", "simd"), ("random",), ("devices",), ("circuit", "mesh", "thermal"), ("layout",), ("variation",), ("gpu",)),
    "onn": (("task", "hardware"), ("network",), ("chip",), ("link",), ("margin", "training", "budget", "gpu")),
    "experiments": (("base",), ("files/readers",), ("files/hdf5",), ("files/chips",), ("study",), ("models/learning",), ("models",),
                    ("run/trials",), ("run",), ("designs",), ("fabrics/interconnect",), ("fabrics/cluster",), ("validate",), ("cli",)),
}
GUESTS = ("tests", "bench")  # may include any room; of detail/ see DETAIL_USERS
READERS = "experiments/files/readers"  # a library of its own
MODULE = "python"  # binds physics, onn and readers, and knows nothing else of experiments
GENERATED = {"experiments": {"optinc_version.hpp", "chakra.pb.h"}}

FILES_IN_HDF5 = (r"(hdf5|H5)[\w.]*", "result files are written in experiments")
CONFIGURATION = (r"toml(\+\+)?[/.].*|CLI/.*|nlohmann/.*", "configuration and command line live in experiments")
FORBIDDEN = {  # room: (pattern of the whole name, why)
    "physics": [FILES_IN_HDF5, CONFIGURATION,
                (r"fstream|filesystem|iostream|cstdio|stdio\.h|fcntl\.h|unistd\.h", "physics knows nothing of files and prints nothing"),
                (r"chrono|ctime|time\.h|fmt/chrono\.h", "physics knows no clock"),
                (r"random", "draws come from physics/random, the same on every platform")],
    "onn": [FILES_IN_HDF5, CONFIGURATION],
    READERS: [FILES_IN_HDF5, CONFIGURATION, (rf"onn/.*|(?!{READERS}/)experiments/.*", "the Python module links readers alone")],
}
THREADS = r"omp\.h|thread|mutex|atomic|future|condition_variable"
THREADS_USER = "physics/core/parallel.hpp"  # words and chips are shared out to threads through it alone
SYSTEM_USER = ("physics/simd/processor.cpp", "unistd.h")  # the only way to ask for the sizes of caches
YAML = r"yaml-cpp/.*"
YAML_USER = "experiments/files/readers/document.cpp"
TOML_USER = ("experiments/files/readers/toml_text.hpp", "toml++/toml.h")  # all TOML is read there
ODEINT = r"boost/numeric/odeint.*"
ODEINT_USERS = ("physics/thermal/detail/thermal_odeint.cpp", "physics/thermal/detail/stiff_step.cpp")
# what may include a detail/ header of another library: file and why. Tests of a library (tests/physics, ..) may by themselves.
DETAIL_USERS = {
    "bench/main.cpp": "--simd takes one SIMD target and tells which there are",
    "tests/support/simd.hpp": "one body of a test on every SIMD target",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def floor(path):
    """(folder, room in it, its floor) of a path: the longest room that holds it, or its first two folders and None. A file
    of the folder itself, such as main.cpp, is in room ""."""
    folder, *inside = path.split("/")[:-1]
    for depth in range(len(inside), 0, -1):
        room = "/".join(inside[:depth])
        for i, rooms in enumerate(FLOORS.get(folder, ())):
            if room in rooms:
                return folder, room, i
    return folder, "/".join(inside), None


def why_not_detail(file, name):
    """Why `file` must not include the header `name`, as one that may be internal; empty when it may."""
    parts = file.split("/")
    if "/detail/" not in name or file in DETAIL_USERS:
        return ""
    library = name.split("/")[0]
    if library not in (parts[0], parts[1] if parts[0] == "tests" else ""):
        return f"detail/ is for {library} and its tests; an exception stands in DETAIL_USERS"
    if parts[0] == library and file.endswith(".hpp") and "detail" not in parts:
        return "headers outside detail/ are installed, those in detail/ are not"
    return ""


def why_not(file, quoted, angled):
    """Why `file` (relative, with /) must not include this; empty when it may."""
    room = file.split("/")[0]
    if reason := why_not_detail(file, quoted or angled):
        return reason
    if room == MODULE and quoted and not quoted.startswith(("physics/", "onn/", f"{READERS}/", f"{MODULE}/")):
        return "the Python module binds physics, onn and readers alone"
    if room in (*GUESTS, MODULE):
        return ""
    name = quoted or angled
    first = name.split("/")[0]
    if re.fullmatch(ODEINT, name) and file not in ODEINT_USERS:
        return " and ".join(ODEINT_USERS) + " are the only users of Odeint"
    if re.fullmatch(YAML, name) and file != YAML_USER:
        return f"{YAML_USER} is the only user of yaml-cpp"
    if room == "physics" and re.fullmatch(THREADS, name) and file != THREADS_USER:
        return f"{THREADS_USER} is the only user of threads in physics"
    for pattern, reason in FORBIDDEN.get(READERS if file.startswith(f"{READERS}/") else room, []):
        if re.fullmatch(pattern, name) and (file, name) not in (SYSTEM_USER, TOML_USER):
            return reason
    if first in ROOMS:
        if first != room and first not in ROOMS[room]:
            return f"includes point one way, physics <- onn <- experiments; {room} must not know {first}"
        if angled:
            return "our own headers are included with quotes"
        (folder, room_of, here), (other, wanted, below) = floor(file), floor(name)
        for stands, at in (((folder, room_of), here), ((other, wanted), below)):
            if stands[0] in FLOORS and stands[1] and at is None:
                return f"{'/'.join(stands)} stands on no floor; name it in FLOORS"
        if folder == other and None not in (here, below) and wanted != room_of and below >= here:
            return f"{folder}/{room_of} stands below {folder}/{wanted} or beside it; see FLOORS"
        return ""
    if quoted and name not in GENERATED.get(room, ()):
        return "our own headers are named from the repository root and lie in " + ", ".join(ROOMS)
    return ""


def cycle(uses):
    """A cycle of modules (a header with its rows and its source), [a, b, .., a], among {module: modules it includes}; [] when there is none."""
    done = set()

    def walk(module, path):
        if module in path:
            return path[path.index(module):] + [module]
        if module in done:
            return []
        for used in sorted(uses.get(module, ())):
            if found := walk(used, path + [module]):
                return found
        done.add(module)
        return []

    return next((found for module in sorted(uses) if (found := walk(module, []))), [])


def problems(root):
    """(number of files read, list of lines to print)."""
    files, found, uses = 0, [], {}
    for room in (*ROOMS, *GUESTS, MODULE):
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".h", ".cu", ".cuh"):
                continue
            files += 1
            file = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                reason = match and why_not(file, *match.groups())
                if reason:
                    found.append(f"{file}:{number}: {line.strip()} ({reason})")
                if match and match[1] and file.startswith("onn/") and match[1].startswith("onn/"):
                    module, used = (name.rsplit(".", 1)[0].removesuffix("_rows") for name in (file, match[1]))
                    if module != used:
                        uses.setdefault(module, set()).add(used)
    if ring := cycle(uses):
        found.append(f"{ring[0]}: {' -> '.join(ring)} (a cycle of includes; move what both need into a header of its own)")
    return files, found


ROW = re.compile(r"\| \[?`(\w+)/`")  # of a table whose first heading is TABLE
TABLE = "| room, from the ground up |"


def told_otherwise(root):
    """Lines about READMEs whose tables of rooms are not those of FLOORS, in an order that FLOORS has too."""
    found = []
    for folder, floors in FLOORS.items():
        of = {}  # README's folder: {room in it: its lowest floor}
        for i, rooms in enumerate(floors):
            for room in rooms:
                parts = (folder, *room.split("/"))
                for depth in range(1, len(parts)):
                    of.setdefault("/".join(parts[:depth]), {}).setdefault(parts[depth], i)
        for place, floor_of in of.items():
            file = root / place / "README.md"
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            told = [match[1] for line in text.partition(TABLE)[2].splitlines() if (match := ROW.match(line))]
            unknown = sorted(set(told) ^ set(floor_of))
            if unknown:
                found.append(f"{place}/README.md: rooms in FLOORS or in the table behind \"{TABLE}\" alone: {', '.join(unknown)}")
            elif [floor_of[room] for room in told] != sorted(floor_of[room] for room in told):
                found.append(f"{place}/README.md: {', '.join(told)} (FLOORS has another order)")
    return found


def self_test():
    """Every line of `wrong` must be caught and none of `right`."""
    wrong = [("physics/a.hpp", '"onn/task/task.hpp"'), ("physics/a.cpp", '"experiments/x.hpp"'), ("onn/a.cpp", '"experiments/x.hpp"'),
             ("physics/a.cpp", "<hdf5.h>"), ("physics/a.cpp", "<H5Cpp.h>"), ("onn/a.cpp", "<hdf5_hl.h>"), ("onn/a.cpp", "<toml++/toml.h>"),
             ("physics/a.cpp", "<CLI/CLI.hpp>"), ("physics/a.cpp", "<fstream>"), ("physics/a.cpp", "<unistd.h>"), ("physics/a.cpp", "<chrono>"), ("physics/a.cpp", "<omp.h>"),
             ("physics/a.cpp", "<random>"), ("physics/devices/mzi.cpp", "<boost/numeric/odeint.hpp>"),
             ("experiments/a.cpp", "<boost/numeric/odeint.hpp>"), ("onn/a.cpp", '"task.hpp"'), ("onn/a.cpp", '"tests/support/x.hpp"'),
             ("onn/a.cpp", "<physics/core/units.hpp>"), ("experiments/run/trials/a.cpp", '"experiments/cli/x.hpp"'),
             ("experiments/study/a.hpp", '"experiments/models/learning/x.hpp"'), ("experiments/models/learning/a.hpp", '"experiments/models/x.hpp"'),
             ("onn/new/a.hpp", '"onn/task/x.hpp"'), ("onn/link/a.hpp", '"onn/new/x.hpp"'), ("onn/task/a.hpp", '"onn/network/x.hpp"'), ("onn/training/a.cpp", '"onn/budget/x.hpp"'),
             ("onn/link/a.hpp", '"onn/link/detail/x.hpp"'), ("physics/mesh/a.hpp", '"physics/mesh/engine/detail/x.hpp"'), ("onn/link/a.cpp", '"physics/simd/detail/x.hpp"'),
             ("experiments/models/a.cpp", '"onn/link/detail/x.hpp"'), ("bench/a.cpp", '"physics/simd/detail/x.hpp"'), ("tests/support/a.hpp", '"physics/simd/detail/x.hpp"'),
             ("tests/experiments/a.test.cpp", '"onn/link/detail/x.hpp"'), ("tests/consumer/main.cpp", "<optinc/physics/simd/detail/x.hpp>"),
             ("onn/a.cpp", '"experiments/files/readers/text.hpp"'), ("experiments/files/readers/a.cpp", '"onn/task/task.hpp"'), ("experiments/files/readers/a.cpp", '"experiments/base/x.hpp"'),
             ("experiments/files/readers/a.cpp", "<hdf5.h>"), ("experiments/files/readers/mapping.cpp", "<toml++/toml.h>"), ("experiments/a.cpp", "<yaml-cpp/yaml.h>"), ("experiments/files/readers/a.cpp", "<yaml-cpp/yaml.h>"),
             ("python/bindings/a.cpp", '"experiments/x.hpp"'), ("python/bindings/a.cpp", '"onn/link/detail/x.hpp"')]
    right = [("physics/simd/processor.cpp", "<unistd.h>"), ("physics/thermal/detail/thermal_odeint.cpp", "<boost/numeric/odeint.hpp>"), ("onn/a.cpp", '"physics/core/units.hpp"'), ("onn/a.cpp", "<omp.h>"),
             ("onn/a.cpp", "<chrono>"), ("experiments/a.cpp", "<hdf5.h>"), ("experiments/a.cpp", '"optinc_version.hpp"'), ("physics/a.cpp", "<cmath>"),
             ("experiments/cli/a.cpp", '"experiments/run/trials/x.hpp"'), ("experiments/cli/a.cpp", '"experiments/cli/x.hpp"'),
             ("onn/link/a.cpp", '"onn/link/detail/x.hpp"'), ("onn/budget/a.cpp", '"onn/link/detail/x.hpp"'), ("onn/link/detail/a.hpp", '"onn/link/detail/x.hpp"'),
             ("tests/onn/link/a.test.cpp", '"onn/link/detail/x.hpp"'), ("bench/main.cpp", '"physics/simd/detail/x.hpp"'), ("bench/a.cpp", '"physics/simd/x.hpp"'),
             ("experiments/files/readers/a.cpp", '"physics/core/field.hpp"'), ("experiments/files/readers/toml_text.hpp", "<toml++/toml.h>"), ("experiments/files/readers/document.cpp", "<yaml-cpp/parser.h>"), ("experiments/files/chips/a.cpp", '"experiments/files/readers/text.hpp"'),
             ("python/bindings/a.cpp", '"experiments/files/readers/netlist.hpp"'), ("python/bindings/a.cpp", '"onn/link/x.hpp"'), ("python/bindings/a.cpp", '"python/bindings/x.hpp"')]
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:  # a README's table of rooms in another order, one left out, and as it is
        rooms = [room for floor_of in FLOORS["onn"] for room in floor_of]
        Path(scratch, "onn").mkdir()
        for told, right_order in ((rooms[::-1], False), (rooms[1:], False), (rooms, True)):
            Path(scratch, "onn/README.md").write_text("\n".join([TABLE, *(f"| `{room}/` |" for room in told)]), encoding="utf-8")
            failures += any(line.startswith("onn/") for line in told_otherwise(Path(scratch))) == right_order
    failures += 0 if cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"] and not cycle({"a": {"b", "c"}, "b": {"c"}}) else 1
    for cases, expected in ((wrong, 1), (right, 0)):
        for file, include in cases:
            with tempfile.TemporaryDirectory() as scratch:
                path = Path(scratch, file)
                path.parent.mkdir(parents=True)
                path.write_text(f"#pragma once\n  # include {include}\n")
                if len(problems(Path(scratch))[1]) != expected:
                    failures += 1
                    print(f"self-test: {file} including {include} was {'missed' if expected else 'refused'}")
    print(f"self-test: {len(wrong)} wrong and {len(right)} right includes, {failures} misjudged")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    files, found = problems(root)
    if not files:
        print(f"check_includes: no sources under {root}")
        return 1
    found += told_otherwise(root)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"check_includes: {files} files, {len(found)} places that break the plan")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
