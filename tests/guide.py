"""Runs every block of docs/guide/*.md, each page in an empty folder of its own, and compares what comes out with what
the page prints.

Usage: guide.py OPTINC [PAGE.md ...] [--update]. OPTINC is the tool in its build folder, compiled with all targets. Exits 77
(skipped) when a Python module or a tool is missing.

  ```sh, ```python       are run; a block ```text that follows at once is what they print, else they print nothing
                         (`...` in it stands for any text within a line, a line `...` for any lines)
  ```octave, ```r        are run where octave-cli and Rscript are (experiments/scripts/setup readers), else left out
  ```LANGUAGE file=NAME  is written to that file
  ```diff                is applied to a copy of the source tree; the files it changes are compiled as the build folder
                         compiles them and linked before its libraries: the `optinc` of the blocks behind it
A page that makes an `optinc.Mesh` needs the compiled module of the build folder, and is left out where this Python cannot load
one. Blocks without a language are for the eye. The package is installed into a scratch prefix first: its programs are on the
PATH, and CMake finds it. --update writes what came out into blocks that no longer fit.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "docs/guide"
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```\n(?:(```text\n)(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
LIMIT_S = 300
OTHER_LANGUAGES = {"octave": ("octave-cli", "--no-init-file", "--quiet", "--eval"), "r": ("Rscript", "--vanilla", "-e")}

sys.path.insert(0, str(ROOT / "python/src"))
sys.dont_write_bytecode = True
try:
    import h5py  # noqa: F401
    import matplotlib  # noqa: F401
    import scipy  # noqa: F401
    import xarray  # noqa: F401
except ModuleNotFoundError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def fits(printed: str, wanted: str) -> bool:
    """Whether `printed` is what `wanted` says, where `...` stands for anything in a line, or for any lines."""
    pattern = "".join(r"(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n"
                      for line in wanted.splitlines())
    return re.fullmatch(pattern, printed) is not None


def tidy(printed: str) -> str:
    """Without blanks at ends of lines and blank lines at either end."""
    lines = "\n".join(line.rstrip() for line in printed.splitlines()).strip("\n")
    return f"{lines}\n" if lines else ""


def has_module(build: Path) -> bool:
    """Whether this Python can load the compiled module of a build; its package is then the one that pages import."""
    sys.path.insert(0, str(build / "python"))
    for name in [name for name in sys.modules if name.partition(".")[0] == "optinc"]:  # the package without the module
        del sys.modules[name]
    try:
        importlib.import_module("optinc._core")
    except ImportError:
        sys.path.pop(0)
        return False
    return True


def run_shell(text: str, folder: Path, environment: dict[str, str]) -> str:
    """What a shell prints for `text`. Raises CalledProcessError where a command fails."""
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment, timeout=LIMIT_S,
                          stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


class PatchedTool:
    """A copy of the source tree that ```diff blocks change, and the optinc that comes of it."""

    def __init__(self, folder: Path, build: Path) -> None:
        self.tree, self.build, self.program = folder / "optinc", build, folder / "patched/optinc"
        self.changed: set[str] = set()
        self.fresh = True

    def apply(self, text: str) -> None:
        """Applies a unified diff, whose hunks must all fit."""
        if not self.tree.exists():
            for room in ("physics", "onn", "experiments"):
                shutil.copytree(ROOT / room, self.tree / room, ignore=shutil.ignore_patterns("networks", "gallery", "__pycache__"))
        subprocess.run(["patch", "-p1", "--fuzz=2"], cwd=self.tree, input=text, text=True, check=True, stdout=subprocess.DEVNULL)
        self.changed |= set(re.findall(r"^\+\+\+ b/(\S+\.cpp)", text, re.MULTILINE))
        self.fresh = False

    def make(self) -> None:
        """Compiles what changed since."""
        if self.fresh:
            return
        entries = json.loads((self.build / "compile_commands.json").read_text())
        self.program.parent.mkdir(exist_ok=True)
        objects = []
        for entry in entries:
            source = Path(entry["file"])
            # a library's sources may be compiled several at a time, by a file that includes them
            text = source.read_text() if source.is_relative_to(self.build) else f'#include "{source}"\n'
            if not any(f'"{ROOT / name}"' in text for name in self.changed):
                continue
            objects.append(str(self.program.parent / f"{len(objects)}.o"))
            patched = Path(objects[-1]).with_suffix(".cpp")
            patched.write_text(text.replace(f'"{ROOT}/', f'"{self.tree}/'))
            words = shlex.split(entry["command"])
            words[words.index("-o") + 1] = objects[-1]
            words[words.index("-c") + 1] = str(patched)
            first = next(i for i, word in enumerate(words) if word.startswith(("-D", "-I")))
            subprocess.run(words[:first] + [f"-I{self.tree}"] + words[first:], cwd=entry["directory"], check=True)
        link = subprocess.run(["ninja", "-t", "commands", "bin/optinc"], cwd=self.build, check=True, text=True,
                              stdout=subprocess.PIPE).stdout.splitlines()[-1]
        mine = " ".join(map(shlex.quote, objects))
        subprocess.run(link.replace("-o bin/optinc", f"{mine} -o {shlex.quote(str(self.program))}"), shell=True, cwd=self.build,
                       check=True)
        self.fresh = True


def run_python(text: str, names: dict[str, Any], page: Path, line: int) -> str:
    """What Python prints for `text`, which shares its names with the page's blocks before it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("\n" * line + text, str(page), "exec"), names)
    return out.getvalue()


def run_page(page: Path, folder: Path, environment: dict[str, str], build: Path, update: bool) -> tuple[int, int]:
    """Runs a page in `folder`. Returns how many blocks it has and how many came out otherwise or failed."""
    text = page.read_text(encoding="utf-8")
    (folder / "experiments").symlink_to(ROOT / "experiments")
    tool = PatchedTool(folder, build)
    environment = {**environment, "PATH": f"{tool.program.parent}:{environment['PATH']}"}
    names: dict[str, Any] = {"__name__": "guide"}
    fresh, end, wrong, blocks = "", 0, 0, 0
    os.chdir(folder)
    for block in BLOCK.finditer(text):
        language, file, source, has_output, wanted = block.groups()
        line = text.count("\n", 0, block.start()) + 1
        if language == "text":
            print(f"{page.name}:{line}: a block of text behind no command", file=sys.stderr)
            return blocks, wrong + 1
        blocks += 1
        printed = ""
        try:
            if file:
                (folder / file).write_text(source, encoding="utf-8")
            elif language == "diff":
                tool.apply(source)
            elif language == "sh":
                tool.make()
                printed = tidy(run_shell(source, folder, environment))
            elif language == "python":
                printed = tidy(run_python(source, names, page, line))
            elif language in OTHER_LANGUAGES:
                program = OTHER_LANGUAGES[language]
                if not shutil.which(program[0]):
                    print(f"{page.name}:{line}: left out, no {program[0]}", flush=True)
                    blocks -= 1
                    continue
                printed = tidy(subprocess.run([*program, source], cwd=folder, env=environment, timeout=LIMIT_S,
                                              stdout=subprocess.PIPE, text=True, check=True).stdout)
            else:
                raise ValueError(f"a block {language} without file=NAME")
        except Exception:
            traceback.print_exc()
            print(f"{page.name}:{line}: this block failed.", file=sys.stderr)
            return blocks, wrong + 1
        fresh += text[end:block.end()]
        end = block.end()
        if fits(printed, wanted or ""):
            continue
        wrong += 1
        print(f"{page.name}:{line}: printed\n{printed}where the page says\n{wanted or ''}", file=sys.stderr)
        if has_output:
            fresh = fresh[:len(fresh) - len(f"{wanted}```\n")] + printed + "```\n"
    if update:
        page.write_text(fresh + text[end:], encoding="utf-8")
    return blocks, wrong


def main(optinc: Path, chosen: list[str], update: bool) -> int:
    """Runs the pages. Returns the exit status."""
    for tool in ("cmake", "ninja", "patch"):
        if not shutil.which(tool):
            print(f"skipped: no {tool}")
            return 77
    pages = [GUIDE / name for name in chosen] or sorted(GUIDE.glob("*.md"))
    build = optinc.parents[1]
    total = failed = 0
    compiled = has_module(build)
    with tempfile.TemporaryDirectory() as scratch:
        prefix = Path(scratch) / "prefix"
        subprocess.run(["cmake", "--install", str(build), "--prefix", str(prefix)], check=True, stdout=subprocess.DEVNULL)
        environment = {**os.environ, "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                       "PYTHONDONTWRITEBYTECODE": "1", "CMAKE_PREFIX_PATH": str(prefix), "CMAKE_GENERATOR": "Ninja"}
        os.environ["PATH"] = environment["PATH"]  # for optinc.run
        for page in pages:
            if not compiled and "optinc.Mesh" in page.read_text(encoding="utf-8"):
                print(f"{page.name}: left out, no compiled module (-DOPTINC_PYTHON_MODULE=ON)", flush=True)
                continue
            folder = Path(scratch) / page.stem
            folder.mkdir()
            try:
                blocks, wrong = run_page(page, folder, environment, build, update)
            finally:
                os.chdir(ROOT)
            print(f"{page.name}: {blocks} blocks, {wrong} {'rewritten' if update else 'differ or failed'}", flush=True)
            total += blocks
            failed += wrong
    if not total:
        print(f"{GUIDE}: no blocks to run.", file=sys.stderr)
        return 1
    if failed and not update:
        print(f"guide: {failed} of {total} blocks are wrong. Where what they print is right: {Path(__file__).name} OPTINC --update",
              file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--update"]
    if not words:
        sys.exit(__doc__)
    sys.exit(main(Path(words[0]).resolve(), words[1:], "--update" in sys.argv[1:]))
