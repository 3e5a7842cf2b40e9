"""Group hardening: an installed OptINC serves other projects and other machines, runs survive."""

import shutil

from .claim import at, claims_of, progress, shared

GROUP = "hardening"


# -- the runs that several claims share

@shared
def installed(bench):
    """The lines tests/install prints, from a portable build. Raises where any of it fails."""
    if not shutil.which("qemu-x86_64"):
        raise RuntimeError("no qemu-x86_64: apt-get install qemu-user")
    return bench.run("tests/install", "--keep", bench.folder / "install")[0]


def consumers(bench):
    """Programs of others that were compiled against an installed OptINC: plainly, for this processor, from the packages."""
    installed(bench)
    return len(list((bench.folder / "install").glob("consumer-*/build/consumer")))


def ran_without_avx(bench):
    """1 where the emulated processor without AVX gave the same numbers: tests/install compares them and fails otherwise."""
    installed(bench)
    return int((bench.folder / "install/nehalem.h5").is_file())


FUZZ_SECONDS = 60


@shared
def fuzzed(bench):
    """(executions, findings) of every target under tests/fuzz, a minute each."""
    if not shutil.which("clang++"):
        raise RuntimeError("no clang++: experiments/scripts/setup fuzz")
    report = bench.told("tests/fuzz/run", "--json", "--seconds", FUZZ_SECONDS)
    for row in report["targets"]:
        progress("   {target}: {executions} executions, {per_second}/s, findings {findings}, in HDF5 {in_hdf5}".format(**row))
    return min(row["executions"] for row in report["targets"]), report["findings"]


def cppcheck_findings(bench):
    """1 where cppcheck has something to say of our sources."""
    if not shutil.which("cppcheck"):
        raise RuntimeError("no cppcheck: experiments/scripts/setup analyse")
    return bench.run("tests/analyse", "--cppcheck", accept=(0, 1))[2]


def kills_survived(bench):
    """Of 50 kills at random moments of a run of 30 s, those after which it goes on as if nothing had been."""
    bench.optinc("list")  # so that it is built
    return bench.told("tests/faults/kill_and_resume", "--json")["survived"]


# -- the claims

FUZZ = f"tests/fuzz/run --seconds {FUZZ_SECONDS}"

CLAIMS = claims_of(GROUP,
    # name, target, unit, measurement, command
    ("consumers", "= 3", "external programs compiled against an installation and run: plainly, with -march=native, against the packages",
     consumers, "tests/install"),
    ("no-avx", "= 1", "1 if the portable build gives the same numbers on an emulated Nehalem", ran_without_avx, "tests/install"),
    ("fuzz-findings", "= 0", "inputs that end a reader other than by a refusal: seven targets, a minute each, ASan and UBSan",
     (at, fuzzed, 1), FUZZ),
    ("fuzz-executions", ">= 500", "executions of the slowest target in that minute", (at, fuzzed, 0), FUZZ),
    ("cppcheck", "= 0", "1 if cppcheck reports anything in physics, onn or experiments", cppcheck_findings,
     "tests/analyse --cppcheck"),
    ("kills", "= 50", "of 50 SIGKILLs at random moments of a 30 s run survived: nothing lost, the same file at the end",
     kills_survived, "tests/faults/kill_and_resume"),
)
