"""docs/cli.md is what `optinc --help` and the --help of every command print.

Usage: cli_page.py OPTINC [--update]. Exits 1 when the page differs; --update writes it.
"""

import re
import subprocess
import sys
from pathlib import Path

COLUMNS = 100  # of a terminal (terminal_columns)
PAGE = Path(__file__).resolve().parents[1] / "docs/cli.md"
HEAD = """# Command line reference

Generated from `--help` by `tests/cli_page.py OPTINC --update`; a test checks that it is up to date.
`optinc explain KEY` explains every key of a study, `optinc list` names what is shipped.
"""


def text_of(optinc, *words):
    """What `optinc WORDS --help` prints."""
    done = subprocess.run(["optinc", *words, "--help"], executable=optinc, capture_output=True, text=True, check=True)
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def page(optinc):
    """The whole page."""
    top = text_of(optinc)
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", top, re.MULTILINE).group(1)
    commands = re.findall(r"^  (\S+)  +", listed, re.MULTILINE)
    sections = [HEAD, f"```text\n{top}\n```\n"]
    sections += [f"## optinc {name}\n\n```text\n{text_of(optinc, name)}\n```\n" for name in commands]
    return "\n".join(sections)


def main(optinc, update):
    """Returns the exit status."""
    wanted = page(optinc)
    long = [line for line in wanted.splitlines() if len(line) > COLUMNS]
    if long:
        print("\n".join([f"longer than {COLUMNS} columns:", *long]), file=sys.stderr)
        return 1
    if update:
        PAGE.write_text(wanted, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != wanted:
        print(f"docs/cli.md differs from what --help prints. Write it anew: tests/{Path(__file__).name} {optinc} --update", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--update"]
    if len(words) != 1:
        sys.exit(__doc__)
    sys.exit(main(str(Path(words[0]).resolve()), "--update" in sys.argv))
