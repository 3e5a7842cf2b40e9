"""Group docs: what a stranger reads: the README, the commands that its pages print, the site, the width of tables and pages."""

import re
import subprocess
import sys

from .claim import OPTINC, ROOT, STUDY, at, claims_of, progress, shared
from .main_job import clone

GROUP = "docs"
CI = "build/ci"
README = (ROOT / "README.md").read_text(encoding="utf-8")
# every command that prints a table, on what is shipped; {out}: a result file
TABLES = (
    ("list",), ("devices",), ("inspect", "{out}"), ("validate", "--quick", "8"), ("check-network", "experiments/data/studies/carry_chain.toml"),
    ("budget", "--set", "network.source=carry-chain", "--set", "task.rounding=half-up"), ("compare-costs", "experiments/data/lists/published.toml"),
    ("interconnect", "experiments/data/lists/headline.toml", "--quiet"), ("interconnect", "experiments/data/lists/ring_1024.toml", "--quiet"),
    ("cluster", "experiments/data/lists/oddl.toml", "--quiet"), ("operating-point", "experiments/data/lists/operating_points.toml",
                                                                 "--wrong", "0.05", "--chips", "1", "--words", "60", "--bandwidths", "32e9", "--quiet"),
    ("explain",), ("explain", "chip"), ("explain", "chip.sigma_eta_rad"), ("circuit", "--models"), ("cluster", "--keys"), ("interconnect", "--keys"),
)


def words(text):
    return len(re.sub(r"^```.*?^```|\]\([^)]*\)|<[^>\n]*>", " ", text, flags=re.MULTILINE | re.DOTALL).split())


BEFORE = "a2601f4d"
"""The revision against which words are counted."""
READ = ("README.md", "docs/results.md", "docs/limitations.md", "docs/guide")
APPENDIX = "docs/results-appendix.md"


@shared
def read_words(bench, revision):
    """Words without code of README, guide, results and limitations at a revision; those of the appendix count half."""
    pages = bench.run("git", "ls-tree", "-r", "--name-only", revision, *READ, APPENDIX)[0].split()
    of = {page: words(bench.run("git", "show", f"{revision}:{page}")[0]) for page in pages if page.endswith(".md")}
    for page, count in of.items():
        progress(f"   {revision} {page}: {count}")
    return sum(count / 2 if page == APPENDIX else count for page, count in of.items())


def shorter(bench):
    return read_words(bench, "HEAD") / read_words(bench, BEFORE)


@shared
def results_numbers(bench):
    """(numbers of the results' tables compared, tables, those that wait for a study, differing numbers, cells without a source)."""
    bench.optinc("list")  # compiles it
    done = subprocess.run(["/usr/bin/python3", "-B", ROOT / "tests/results_numbers.py", OPTINC], cwd=ROOT, capture_output=True, text=True)
    told = re.search(r"(\d+) numbers of (\d+) tables compared; waiting for a record: (\d+) .*; cells without a source: (\d+)", done.stdout)
    numbers, tables, waiting, sourceless = map(int, told.groups())
    return numbers, tables, waiting, len(done.stderr.splitlines()), sourceless


def numbers(text):
    """Numbers in prose and tables: not in code, links or addresses."""
    prose = re.sub(r"^```.*?^```|`[^`\n]*`|\]\([^)]*\)|<[^>]*>", " ", text, flags=re.MULTILINE | re.DOTALL)
    return len(re.findall(r"(?<![\w.])\d[\d,.]*", prose))


@shared
def compiled(bench):
    """A whole build of the preset ci."""
    bench.run("cmake", "--preset", "ci")
    bench.run("cmake", "--build", "--preset", "ci")


@shared
def guide(bench):
    """(blocks of the guide, blocks that fail or print something else)."""
    compiled(bench)
    text, _, status = bench.run("/usr/bin/python3", "tests/guide.py", f"{CI}/bin/optinc", accept=(0, 1))
    pages = [line.split(": ")[1].split() for line in text.splitlines() if ".md: " in line]
    if status and not any(int(words[2]) for words in pages):
        raise RuntimeError("tests/guide.py failed before it could run a page")
    return sum(int(words[0]) for words in pages), sum(int(words[2]) for words in pages)


def complaints(bench):
    """What Doxygen says of the headers, as cmake/docs_check.cmake counts it."""
    bench.run("cmake", "--preset", "ci")
    told, _, status = bench.run("cmake", "--build", "--preset", "ci", "--target", "docs", accept=(0, 1))
    if status == 0:
        return 0
    found = re.search(r"Doxygen has (\d+) complaints", told)
    if found is None:
        raise RuntimeError("Doxygen did not run. Install it: experiments/scripts/setup docs.")
    return int(found.group(1))


@shared
def site(bench):
    """(pages, broken links) of the site, built anew."""
    said = bench.run("docs/site/build", "--out", bench.folder / "site")[0]
    return [int(n) for n in re.search(r"(\d+) pages in .*, (\d+) broken links", said).groups()]


@shared
def result(bench):
    """A small result of the main job."""
    return bench.result("main_job", STUDY, "--trials", "2", "--set", "measure.words=64", "--set", "measure.once=[]")


def widest(bench):
    """Columns of the widest line that a command prints, of all commands that print a table."""
    most = 0
    for command in TABLES:
        said = bench.optinc(*(str(result(bench)) if word == "{out}" else word for word in command))[0]
        width = max(len(line) for line in said.splitlines() if not line.startswith("by "))  # the command, as it was typed
        if width > most:
            progress(f"   {width} columns: optinc {' '.join(command)}")
        most = max(most, width)
    return most


def in_390(pages):
    """Pixels that the widest of these pages takes in a window of 390, in Chromium."""
    sys.path.insert(0, str(ROOT / "tests/experiments"))
    import html_page  # noqa: PLC0415
    if html_page.browser() is None:
        raise RuntimeError("no Chromium. Run experiments/scripts/setup browser.")
    return max(told["wide"] for told in html_page.measured(pages, (390,)).values())


def page_width(bench):
    """Of a report page."""
    page = bench.folder / "main_job.html"
    bench.optinc("report", result(bench), "-o", page, "--force")
    return in_390([page])


def site_width(bench):
    """Of the site: tables, code and figures scroll in their places."""
    site(bench)
    return in_390(sorted((bench.folder / "site").rglob("*.html")))


def persona(bench, name):
    """Minutes that a script of tests/personas takes, from the tool to its own answer."""
    compiled(bench)
    seconds, status = bench.run("env", f"OPTINC_BUILD={ROOT / CI}", f"tests/personas/{name}", accept=(0, 77))[1:]
    if status == 77:
        raise RuntimeError("it needs the Python module, or PyTorch. Configure preset ci with -DOPTINC_PYTHON_MODULE=ON.")
    return seconds / 60


@shared
def tool(bench):
    """Minutes from a fresh clone to the tool and the package, packages installed."""
    return bench.run("env", "CCACHE_DISABLE=1", "experiments/quickstart", "--no-install", "--build-only", "--python", bench.folder / "venv",
                     cwd=clone(bench))[1] / 60


PERSONAS = {"photonics": "a measured mesh of 8 ports: fidelity after correction, and over a day",
            "training": "a PyTorch model on four processes, averaged exactly and by a chip",
            "architect": "a model of one's own on 16 servers: ring and OptINC, in time and energy",
            "developer": "a program of one's own with find_package(optinc)",
            "analyst": "a study in two shards, merged: means with intervals, by h5py and as CSV"}


SITE = "docs/site/build"
WORDS = "experiments/claims read-words read-words-before read-shorter"
NUMBERS = f"/usr/bin/python3 tests/results_numbers.py {OPTINC}"
GUIDE = f"/usr/bin/python3 tests/guide.py {CI}/bin/optinc"
CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    ("readme-lines", "<= 150", "lines of the README", lambda _: README.count("\n"), "wc -l README.md"),
    ("readme-words", "", "words of its prose", lambda _: words(README), "wc -w README.md"),
    ("readme-numbers", "", "numbers in its prose", lambda _: numbers(README), "grep -c '[0-9]' README.md"),
    ("read-words", "", "words of README, guide, results and limitations, without code; the appendix counts half", (read_words, "HEAD"), WORDS),
    ("read-words-before", "", f"the same at {BEFORE}", (read_words, BEFORE), WORDS),
    ("read-shorter", "<= 0.5", "the first over the second", shorter, WORDS),
    ("results-compared", "", "numbers of the results' tables compared with their sources", (at, results_numbers, 0), NUMBERS),
    ("results-different", "= 0", "of these, those that differ", (at, results_numbers, 3), NUMBERS),
    ("results-waiting", "", "tables of the results that wait for a record of experiments/results", (at, results_numbers, 2), NUMBERS),
    ("results-sourceless", "", "cells of these tables whose numbers no source has", (at, results_numbers, 4), NUMBERS + " --sourceless"),
    ("guide-blocks", ">= 40", "commands, programs and files of the user guide that are executed", (at, guide, 0), GUIDE),
    ("guide-wrong", "= 0", "of these, those that fail or print something other than the page", (at, guide, 1), GUIDE),
    ("doxygen", "= 0", "Doxygen warnings about the headers", complaints, "cmake --build build/ci --target docs"),
    ("site-pages", ">= 30", "pages of the site", (at, site, 0), SITE),
    ("site-broken", "= 0", "broken links of the site", (at, site, 1), SITE),
    ("table-width", "<= 100", "columns of the widest line that a command prints", widest, f"{OPTINC} list | wc -L"),
    ("page-width", "<= 390", "pixels that a report page takes in a window of 390 (Chromium)", page_width, f"{OPTINC} report main_job.h5"),
    ("site-width", "<= 390", "pixels that the widest page of the site takes in a window of 390 (Chromium)", site_width, SITE),
    ("clone-to-tool", "", "minutes from a clone to the tool and the package, without ccache", tool,
     "experiments/quickstart --no-install --build-only --python .venv"),
    *((f"persona-{name}", "", f"minutes from the tool to an answer: {what}", (persona, name), f"tests/personas/run {CI} {name}")
      for name, what in PERSONAS.items()),
)
