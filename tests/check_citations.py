#!/usr/bin/python3
"""Refuses sources that cite a page which is not in the project: a reader could not look it up.

Every NAME.md in a source must be a file of the repository, by its path from the root or from the source's folder, or by a bare name that
one folder has. Cite the paper, the equation or a page of docs/ instead. Prints FILE:LINE and the page; exits 1 when there is one.

  check_citations.py [ROOT]      check the sources under ROOT (default: this repository)
  check_citations.py --self-test cite a page that is there and three that are not
"""

import re
import sys
import tempfile
from pathlib import Path

FOLDERS = ("bench", "cmake", "docs", "experiments", "onn", "physics", "python", "tests")
SUFFIXES = (".hpp", ".cpp", ".h", ".py", ".toml", ".cmake")
PAGE = re.compile(r"(?<![\w./*{}-])([\w./-]*\w\.md)\b")
NOT_PAGES = {"PAGE.md", "notes.md"}  # a placeholder in a usage text, a file that a test writes


def files(root, suffixes):
    for folder in FOLDERS:
        yield from (path for path in sorted((root / folder).rglob("*")) if path.suffix in suffixes and path.is_file())


def problems(root):
    """(number of files read, list of lines to print)."""
    pages = {path.relative_to(root).as_posix() for path in [*files(root, (".md",)), *root.glob("*.md")]}
    names = {page.rsplit("/", 1)[-1] for page in pages}
    read, found = 0, []
    for path in files(root, SUFFIXES):
        if path.name == Path(__file__).name:  # whose self-test cites pages that are not there
            continue
        read += 1
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            for page in PAGE.findall(line):
                here = (path.parent.relative_to(root) / page).as_posix()
                known = page in pages or here in pages or ("/" not in page and page in names | NOT_PAGES)
                if not known:
                    found.append(f"{path.relative_to(root).as_posix()}:{number}: {page} (not in the project; cite the paper or a page of docs/)")
    return read, found


def self_test():
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        (root / "docs").mkdir()
        (root / "onn").mkdir()
        (root / "docs/theory.md").write_text("laws\n")
        (root / "onn/a.hpp").write_text("/// docs/theory.md, theory.md\n/// physics" ".md 4.6\n// (spec/optinc" ".md 1)\n/// docs/other" ".md\n")
        found = problems(root)[1]
    right = [line.split(":")[1] for line in found] == ["2", "3", "4"]
    print(f"self-test: {len(found)} of 3 wrong citations found, {'no' if right else 'some'} others")
    return 0 if right else 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    read, found = problems(root)
    if not read:
        print(f"check_citations: no sources under {root}")
        return 1
    print(*found, sep="\n", end="\n" if found else "")
    print(f"check_citations: {read} files, {len(found)} citations of pages that are not in the project")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
