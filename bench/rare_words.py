#!/usr/bin/env python3
"""Rare words: estimated, counted, and how far down an estimate tells, as JSON.

    PYTHONPATH=build/ci/python bench/rare_words.py [DESIGN]..      (default: all)

Words in succession at 40 GBd through perfect chips with all noise. `counted`: words that average() gets wrong, in calls of 100,000
words; blocks of 512 words share the phases of their locks, so the standard error of the count is that of the calls. `estimated`:
rare_words(). `far`: the share and its relative standard error where more light makes words rarer still.
"""

import json
import sys

import numpy as np
import optinc

WORDS = 100_000  # of a call


def hardware(launch_w, lock_rad, **link):
    unit = optinc.UnitHardware("idealised")
    unit.timing.sampling, unit.timing.symbol_rate_bd = "clocked", 40e9
    unit.receiver.bandwidth_hz, unit.laser.rin_db_per_hz = 24e9, -150
    unit.link.signed_levels, unit.link.drive_depth = True, 0.6
    unit.link.launch_power_w, unit.link.sigma_lock_rad = launch_w, lock_rad
    unit.converter.bits, unit.converter.effective_bits = 8, 6.5
    for key, value in link.items():
        setattr(unit.link, key, value)
    return unit


def chain(launch_w, lock_rad):
    unit = hardware(launch_w, lock_rad, signal_full_scale_w=1e-3, drive_depth=1.0)
    unit.receiver.lo_power_w = 2e-3
    return unit


# name: servers, unit, hardware of launch power, launch power and locks that are counted, calls, powers that make words rarer
DESIGNS = {
    "owner": (4, lambda: optinc.digit_sums(4, 8), lambda w, s: hardware(w, s, destinations=1), (4.2e-5, 0.05), 500, (7.2e-5, 1.3e-4)),
    "ring": (8, lambda: optinc.word_hops("ring", 8, 8), hardware, (6.5e-6, 0.05), 30, (1.1e-5, 1.4e-5)),
    "chain": (4, lambda: optinc.carry_chain(servers=4, bits=8), chain, (4.8e-4, 0.02), 100, (8e-4, 1.05e-3)),
}


def programmed(name, launch_w, lock_rad):
    _, make, devices = DESIGNS[name][:3]
    return make().fabricate("ideal").program(hardware=devices(launch_w, lock_rad))


def codes(name, words, seed):
    return np.random.default_rng(seed).integers(0, 256, (DESIGNS[name][0], words))


def estimated(name, launch_w, lock_rad):
    chip = programmed(name, launch_w, lock_rad)
    return chip.rare_words(codes(name, 256, 1), draws=500)


def counted(name, launch_w, lock_rad, calls):
    chip = programmed(name, launch_w, lock_rad)
    noise, quiet = optinc.NoiseSwitches.all(), optinc.NoiseSwitches()
    wrong = []
    for call in range(calls):
        sent = codes(name, WORDS, call)
        right = chip.average(sent, quiet)
        wrong.append(np.count_nonzero(chip.average(sent, noise, instant=call) != right) / WORDS)
        print(f"\r{name}: {call + 1} of {calls}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return {"share": np.mean(wrong), "error": np.std(wrong, ddof=1) / calls**0.5, "words": calls * WORDS}


def main():
    told = {}
    for name in sys.argv[1:] or DESIGNS:
        point, calls, rarer = DESIGNS[name][3:]
        told[name] = {"estimated": estimated(name, *point), "counted": counted(name, *point, calls),
                      "far": [estimated(name, launch_w, 0.02) for launch_w in rarer]}
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
