"""The command line: optinc-results."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, Optional, Sequence, TextIO

import matplotlib
from matplotlib.figure import Figure

from . import style
from .._files import require_not_input
from .compare import differences
from .errors import NotAResult, NotInResult
from .figures import FIGURES, drawn, names_of, says
from .headlines import headlines
from .report import write_report
from .run import Run, open_run
from .table import tidy, write_csv
from .text import aligned, clean

FIGURES_HELP = """Draws the figures that the study names in its key `figures`; if it names none, every figure for
which there is data (pareto only if named). Each figure is written as PNG and PDF and replaces an earlier one of the same name.

""" + "".join(f"  {name:<21}{says(name)}\n" for name in FIGURES)
EXAMPLES = """examples:
  optinc-results show results/quickstart.h5
  optinc-results figures results/quickstart.h5 -o results/figures
  optinc-results figures results/quickstart.h5 -o /tmp --only gradient
  optinc-results table results/quickstart.h5 -o accuracy.csv --metric word_accuracy
  optinc-results table results/quickstart.h5 -o means.csv --group summary
  optinc-results report results/quickstart.h5
  optinc-results compare before.h5 after.h5 --metric word_accuracy
"""


def say(text: Any, to: Optional[TextIO] = None) -> None:
    """Prints what a file or its name may have a part in."""
    print(clean(str(text)), file=to)


def figures(run: Run, arguments: argparse.Namespace) -> None:
    """Draws all figures before it writes the first."""
    if arguments.beside and arguments.only != ["learning_energy"]:
        raise NotInResult("--beside is for --only learning_energy: other figures show one file.")
    names, certain = (arguments.only, True) if arguments.only else names_of(run)
    found: dict[str, Figure] = {}
    for name in dict.fromkeys(names):
        try:
            found.update(drawn(run, name, **({"beside": arguments.beside} if arguments.beside else {})))
        except NotInResult as error:
            if arguments.only:
                raise
            if certain:  # asked for by the study, whose data a --set may have left out
                say(f"optinc-results: left out {name}: {error}", sys.stderr)
    if not found:
        raise NotInResult(f"{run.path} has nothing to draw (tried {', '.join(names) or 'no figure'}). "
                          "Does the study measure anything?")
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, figure in found.items():
        say(style.save(figure, arguments.output, name)[0])


def table(run: Run, arguments: argparse.Namespace) -> None:
    """Writes a tidy table."""
    require_not_input(arguments.output, run.path)
    write_csv(tidy(run, arguments.metric, arguments.group), arguments.output, arguments.force)
    say(arguments.output)


def report(run: Run, arguments: argparse.Namespace) -> None:
    """Writes the page of a result."""
    say(write_report(run, arguments.output, arguments.force))


def show(run: Run, arguments: argparse.Namespace) -> None:
    """Prints the headline numbers."""
    say(headlines(run))


def compare(run: Run, arguments: argparse.Namespace) -> None:
    """Prints by how much two results differ, with intervals."""
    with open_run(arguments.other) as other:
        found = differences(run, other, arguments.metric)
    rows = [list(found), *([f"{value:.6g}" if isinstance(value, float) else str(value) for value in row]
                           for row in zip(*found.values()))]
    say("\n".join(aligned(rows)))
    apart = sum(low > 0 or high < 0 for low, high in zip(found["low"], found["high"]))
    say(f"{apart} of {len(found['one'])} differ by more than their 95 % intervals.")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="optinc-results", description="Reads, tabulates and draws OptINC results.",
                                  epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, act: object, summary: str, description: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=description, epilog=EXAMPLES,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
        added.add_argument("file", type=Path, metavar="FILE", help="result file of optinc")
        added.set_defaults(act=act)
        return added

    draw = command("figures", figures, "draw figures", FIGURES_HELP)
    draw.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="folder for the figures")
    draw.add_argument("--only", action="append", choices=FIGURES, metavar="NAME", help="draw only this figure; repeatable")
    draw.add_argument("--beside", type=Path, action="append", metavar="FILE",
                      help="another result that the figure of --only learning_energy shows too; repeatable")
    write = command("table", table, "write a CSV table",
                    "Writes one row per sweep point, trial and variant. Missing numbers are empty fields.")
    write.add_argument("-o", "--output", type=Path, required=True, metavar="CSV", help="output file")
    write.add_argument("--force", action="store_true", help="overwrite an existing output file")
    write.add_argument("--metric", metavar="M", help="write only this quantity (default: all quantities per trial and variant)")
    write.add_argument("--group", metavar="G", help="group of the file: summary, training, ...; or differences: of trainings, to the exact average"
                            " (default: trials, or what the file holds instead)")
    page = command("report", report, "write one HTML page",
                   "Writes a self-contained page that works offline, without scripts: settings, main numbers with their intervals,\n"
                   "the figures that the study names, warnings, provenance and the command that repeats the run.")
    page.add_argument("-o", "--output", type=Path, metavar="HTML", help="output file (default: FILE with the extension .html)")
    page.add_argument("--force", action="store_true", help="overwrite an existing output file")
    against = command("compare", compare, "print differences to another result",
                      "Prints a metric of FILE and of OTHER, the difference, and its 95 % interval, at all points that both have.")
    against.add_argument("other", type=Path, metavar="OTHER", help="another result file")
    against.add_argument("--metric", metavar="M", help="compare this metric (default: the most telling one of both)")
    command("show", show, "print the main numbers", "Prints the provenance and the main numbers of a result.")
    return top


def main(words: Optional[Sequence[str]] = None) -> int:
    """Runs the command line `words` (default: that of the process). Returns the exit status."""
    arguments = parser().parse_args(words)
    matplotlib.rcdefaults()  # not the settings of a matplotlibrc that lies beside a result, LaTeX among them
    try:
        with open_run(arguments.file) as run:
            arguments.act(run, arguments)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (NotAResult, OSError) as error:
        say(f"optinc-results: {' '.join(str(error).split())}", sys.stderr)
        return 1
    except Exception as error:  # what a damaged or edited file can lack is without end
        if sys.flags.dev_mode:
            raise
        say(f"optinc-results: {arguments.file}: damaged, or not as OptINC wrote it ({type(error).__name__}: "
            f"{' '.join(str(error).split())}). Use another copy; Python's option -X dev shows where.", sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
