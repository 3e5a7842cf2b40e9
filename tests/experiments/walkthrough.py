"""Runs every block of experiments/walkthrough.md in order, in an empty folder, and compares what comes out with what
the page prints.

Usage: walkthrough.py OPTINC [--update]. Exits 77 (skipped) when a module is missing.

A block ```sh or ```python that is followed at once by a block ```text must print what that holds; any other must print
nothing. In a ```text block `...` stands for any text within a line; a line that is `...` alone stands for any lines.
--update writes what came out into blocks that no longer fit, and the figure into the gallery.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "experiments/walkthrough.md"
FIGURE = ROOT / "docs/gallery/walkthrough.png"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```\n(?:(```text\n)(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
LIMIT_S = 300

sys.path.insert(0, str(ROOT / "python"))
sys.dont_write_bytecode = True
try:
    import h5py  # noqa: F401
    import matplotlib  # noqa: F401
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


def run_shell(text: str, folder: Path, environment: dict[str, str]) -> str:
    """What a shell prints for `text`. Raises CalledProcessError where a command fails."""
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment, timeout=LIMIT_S,
                          stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def run_python(text: str, names: dict[str, Any], line: int) -> str:
    """What Python prints for `text`, which shares its names with the blocks before it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("\n" * line + text, str(PAGE), "exec"), names)
    return out.getvalue()


def main(optinc: Path, update: bool) -> int:
    """Runs the page. Returns the exit status."""
    page = PAGE.read_text(encoding="utf-8")
    fresh, end, wrong, blocks = "", 0, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "experiments").symlink_to(ROOT / "experiments")
        environment = {**os.environ, "PATH": f"{optinc.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        names: dict[str, Any] = {"__name__": "walkthrough"}
        os.chdir(folder)
        try:
            for block in BLOCK.finditer(page):
                language, text, has_output, wanted = block.groups()
                line = page.count("\n", 0, block.start()) + 1
                try:
                    printed = tidy(run_shell(text, folder, environment) if language == "sh"
                                   else run_python(text, names, line))
                except Exception:
                    traceback.print_exc()
                    print(f"{PAGE.name}:{line}: this block failed.", file=sys.stderr)
                    return 1
                blocks += 1
                fresh += page[end:block.end()]
                end = block.end()
                if fits(printed, wanted or ""):
                    continue
                wrong += 1
                print(f"{PAGE.name}:{line}: printed\n{printed}where the page says\n{wanted or ''}", file=sys.stderr)
                if has_output:
                    fresh = fresh[:len(fresh) - len(f"{wanted}```\n")] + printed + "```\n"
            if not (folder / FIGURE.name).is_file():
                print(f"{PAGE.name}: made no {FIGURE.name}.", file=sys.stderr)
                return 1
            if update:
                PAGE.write_text(fresh + page[end:], encoding="utf-8")
                shutil.copy(folder / FIGURE.name, FIGURE)
        finally:
            os.chdir(ROOT)
    if not blocks:
        print(f"{PAGE.name}: no blocks to run.", file=sys.stderr)
        return 1
    if wrong and not update:
        print(f"{PAGE.name}: {wrong} of {blocks} blocks print something else. Where that is right: "
              f"{Path(__file__).name} OPTINC --update", file=sys.stderr)
        return 1
    print(f"{blocks} blocks run, {wrong} {'rewritten' if update else 'differ'}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve(), "--update" in sys.argv[2:]))
