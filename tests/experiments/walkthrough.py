"""Runs every block of experiments/walkthrough.md as tests/guide.py runs a page, by the tool of a build folder.

Usage: walkthrough.py OPTINC [--update]. Exits 77 (skipped) when a module is missing. --update also writes the figure into
the gallery.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIGURE = ROOT / "docs/gallery/walkthrough.png"
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True
from guide import run_page  # noqa: E402  exits 77 where a module is missing


def main(optinc: Path, update: bool) -> int:
    """Runs the page. Returns the exit status."""
    environment = {**os.environ, "PATH": f"{optinc.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryDirectory() as folder:
        try:
            blocks, wrong = run_page(ROOT / "experiments/walkthrough.md", Path(folder), environment, optinc.parents[1], update)
        finally:
            os.chdir(ROOT)
        made = Path(folder, FIGURE.name)
        print(f"{blocks} blocks run, {wrong} {'rewritten' if update else 'differ'}; figure: {made.is_file()}")
        if update and made.is_file():
            shutil.copy(made, FIGURE)
        return int(not blocks or not made.is_file() or wrong > 0 and not update)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve(), "--update" in sys.argv[2:]))
