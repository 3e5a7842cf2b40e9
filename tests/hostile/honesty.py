"""What --dry-run says against what a run takes: peak memory, size of the file, and time.

Usage: honesty.py OPTINC [NAME ...] [--quick] [--json]. Without names every study below, with --quick those of a few seconds. A
ratio is what the run took over what was said; a study fails where that of memory or file is outside 1/1.5..1.5. Those of time, of
runs of over two seconds, are counted apart: they hold on an idle machine alone. Runs are on one thread, or as the study says.
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

from hostile import run

UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9}
FACTOR = 1.5
SHORTEST_S = 2.0
CHIP = '[runner]\ntrials = 1\n[network]\nsource = "{}"\n'
MESH = 'model = "mesh"\n[runner]\ntrials = {}\n[mesh]\nports = {}\n'
BOTTLENECK = CHIP.format("shipped/bottleneck_noise_aware")
MANY = ",".join(f"{i * 1e-6:.7f}" for i in range(10000))
TEXTS = {
    "mesh 64": MESH.format(2, 64),
    "mesh 256": MESH.format(2, 256),
    "mesh 512": MESH.format(2, 512),
    "mesh 1024, 2 threads": MESH.format(2, 1024) + "[run]\nthreads = 2\n",
    "mesh 256, wafer": MESH.format(1, 256) + '[fabrication]\nprocess = "wafer"\ndie_length_m = 0.1\ndie_width_m = 0.1\n',
    "mesh_drift 256": MESH.format(1, 256).replace('"mesh"', '"mesh_drift"') + "[drift]\ninstants = 3\n",
    "10,000 points": MESH.format(1, 2) + '[measure]\nmetrics = ["mesh_error"]\n[[sweep]]\nvalues = {"chip.sigma_eta_rad" = [' + MANY + "]}\n",
    "100,000 trials": MESH.format(100000, 2) + '[measure]\nmetrics = ["mesh_error"]\n',
    "published, 1e6 words": CHIP.format("shipped/published") + "[measure]\nwords = 1_000_000\n",
    "chain, 5e6 words": CHIP.format("carry-chain") + "[measure]\nwords = 5_000_000\n",
    "chain, 5e6 words, float32": CHIP.format("carry-chain") + '[measure]\nwords = 5_000_000\narithmetic = "float32"\n',
    "16 bits": CHIP.format("shipped/16_bits") + "[task]\nbits = 16\n[measure]\nwords = 200_000\n",
    "waveform": 'model = "waveform"\n' + BOTTLENECK + '[measure]\nwords = 200_000\n[time]\nsampling = "clocked"\n',
    "unclocked": BOTTLENECK + '[measure]\nwords = 20_000\n[time]\nsampling = "unclocked"\n',
    "comb": 'model = "comb"\n' + BOTTLENECK + "[measure]\nwords = 2000\n[comb]\nchannels = 61\n",
    "drift": 'model = "drift"\n' + BOTTLENECK + "[measure]\nwords = 2000\n[drift]\ninstants = 100\n",
    "cascade, 1e6 words": 'model = "cascade"\n' + CHIP.format("carry-chain") + "[measure]\nwords = 1_000_000\n",
    "tolerance, 1e6 words": 'model = "tolerance"\n' + CHIP.format("carry-chain") + "[measure]\nwords = 1_000_000\n[tolerance]\nsteps = 2\n",
    "once": CHIP.format("shipped/published") + '[measure]\nwords = 100\nonce = ["eye", "gradient", "cost"]\n',
    "in-situ": CHIP.format("shipped/published") + '[measure]\nwords = 100\n[calibration]\npolicy = "in-situ"\nin_situ_steps = 3\n',
    **{f"{source}, 1e6 words": CHIP.format(source) + "[measure]\nwords = 1_000_000\n"
       for source in ("digit-sums", "analogue-sum", "ring", "hub")},
    "sums of sums, 1e6 words": 'model = "cascade"\n' + CHIP.format("digit-sums") + "[measure]\nwords = 1_000_000\n",
    "drift with checks": 'model = "drift"\n' + CHIP.format("digit-sums") + "[measure]\nwords = 20_000\n[drift]\ninstants = 200\n",
    "training, 16 bits": "[runner]\ntrials = 1\n[measure]\nwords = 100\n[task]\nbits = 16\n[network]\nhidden = [64, 64]\n"
                         "[training]\nwarmup_epochs = 0\nepochs = 1\nwords_per_epoch = 1_000_000\n",
}
"""Studies by name. The first column of a table of ratios."""

SHIPPED = {
    "mesh_scaling": ["--trials", "20"],
    "mesh_balance": ["--trials", "5"],
    "mesh_comparison": ["--trials", "2"],
    "wavelength": ["--trials", "5"],
    "wafer": ["--trials", "30"],
    "mesh_drift": ["--trials", "4"],
    "oscillator_drift": ["--trials", "1"],
    "waveform": ["--trials", "1"],
    "carry_chain": ["--trials", "2"],
    "cascade": ["--trials", "1"],
    "comb": ["--trials", "1"],
    "calibration": ["--trials", "1"],
    "digit_sums": ["--trials", "1"],
    "cascading_sums": ["--trials", "1"],
    "drifting_sums": ["--trials", "1"],
}
"""Shipped studies and what makes them short."""

QUICK = ["mesh 256", "10,000 points", "unclocked", "tolerance, 1e6 words", "wafer"]


def said(text, what):
    """Bytes that a dry run says of `what`."""
    number, unit = re.search(rf"^{what} +(?:about |at most )?([\d.]+) ([kMG]B)", text, re.M).groups()
    return float(number) * UNITS[unit]


def seconds_said(text):
    """What a dry run says of time; None where it says nothing."""
    found = re.search(r"^time +(?:at most )?([\d.e+-]+) (ms|s|min|h)\b", text, re.M)
    return float(found[1]) * {"ms": 1e-3, "s": 1, "min": 60, "h": 3600}[found[2]] if found else None


def measured(optinc, name, folder):
    """Ratios of one study."""
    words = SHIPPED.get(name, [])
    study = name
    if name in TEXTS:
        study = folder / "study.toml"
        study.write_text(TEXTS[name])
    if "threads" not in name:
        words = [*words, "--threads", "1"]
    dry = run([optinc, "run", study, *words, "--dry-run"], folder)
    if dry.status:
        raise RuntimeError(f"{name}: {dry.err}")
    took = run([optinc, "run", study, *words, "-o", "out.h5", "--force", "--quiet"], folder, timeout=900)
    if took.status:
        raise RuntimeError(f"{name}: {took.err}")
    size = (folder / "out.h5").stat().st_size
    memory, file = said(dry.out, "memory"), said(dry.out, "file")
    return {"memory_said_mb": memory / 1e6, "memory_mb": took.rss / 1e6, "memory_ratio": took.rss / memory,
            "file_said_kb": file / 1e3, "file_kb": size / 1e3, "file_ratio": size / file,
            "seconds_said": seconds_said(dry.out), "seconds": took.seconds}


def is_told(ratio):
    return 1 / FACTOR <= ratio <= FACTOR


def is_time_told(row):
    """Whether the time of a row was said; of short runs starting takes most, and it is not."""
    return row["seconds"] < SHORTEST_S or (row["seconds_said"] or 0) and is_told(row["seconds"] / row["seconds_said"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("optinc", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names = options.names or (QUICK if options.quick else [*TEXTS, *SHIPPED])
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            found[name] = row = measured(options.optinc.resolve(), name, pathlib.Path(folder))
            if not options.json:
                print(f"{name:28s} memory {row['memory_said_mb']:8.1f} {row['memory_mb']:8.1f} MB {row['memory_ratio']:5.2f}   file "
                      f"{row['file_said_kb']:9.1f} {row['file_kb']:9.1f} kB {row['file_ratio']:6.2f}   time {row['seconds_said']} {row['seconds']:.1f} s",
                      flush=True)
    outside = {name: row for name, row in found.items()
               if not (is_told(row["memory_ratio"]) and is_told(row["file_ratio"]))}
    if options.json:
        print(json.dumps({"studies": len(found), "outside": sorted(outside),
                          "outside_in_time": sorted(name for name, row in found.items() if not is_time_told(row)),
                          "ratios": found}, indent=2))
    for name in outside:
        print(f"{name}: said otherwise than taken by more than a factor of {FACTOR}", file=sys.stderr)
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
