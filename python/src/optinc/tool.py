"""Runs studies by the command-line tool optinc."""

from __future__ import annotations

import codecs
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

if TYPE_CHECKING:
    import xarray

_Path = Union[str, "os.PathLike[str]"]


def run(
    study: _Path,
    *,
    trials: Optional[int] = None,
    settings: Optional[Mapping[str, Any]] = None,
    sweep: Optional[Mapping[str, Sequence[Any]]] = None,
    seed: Optional[int] = None,
    threads: Optional[int] = None,
    output: Optional[_Path] = None,
    force: bool = False,
    progress: bool = True,
    tool: Optional[_Path] = None,
) -> xarray.Dataset:
    """Runs a study by the command-line tool (optinc run) and returns the results of every trial.

        accuracy = optinc.run("my_study.toml", trials=10, sweep={"chip.sigma_eta_rad": [0.01, 0.02]}).word_accuracy
        accuracy.mean("trial").to_pandas()

    Args:
        study: path of a TOML file, or name of a shipped study (optinc list).
        trials: trials per sweep point (runner.trials).
        settings: values that replace those of the study: {"chip.preset": "doped-heaters"}.
        sweep: values of swept keys. Each replaces the study's sweep of that key or adds one.
        seed: seed of all random number streams (run.seed).
        threads: number of threads, 0: all cores (run.threads). Results do not depend on it.
        output: result file to write. Without it, a temporary file is used, and nothing is kept.
        force: overwrites an existing output file.
        progress: shows progress on sys.stderr. Warnings are shown in any case.
        tool: path of the program; default: environment variable OPTINC_TOOL, otherwise optinc on the PATH.

    Returns:
        The group trials of the result file, in memory. Its axes are those of the sweeps, then trial and those of each
        quantity; its attributes are those of the file. Means with confidence intervals and all else are in the output
        file: optinc.results.open_run(output).

    Raises:
        ValueError: the tool refuses the study or fails; the message is the tool's.
        FileNotFoundError: there is no tool.
        ImportError: a package that reads result files is missing.
        RuntimeError: a signal ended the tool, or the program is another one.
        KeyboardInterrupt: Ctrl-C. The tool stores the finished trials and ends; optinc resume OUTPUT continues the run.
    """
    try:
        from .results import open_run  # before the work: without it, there is nothing to return
    except ModuleNotFoundError as missing:
        raise ImportError(f"Results are read by h5py and xarray ({missing}). Run pip install h5py xarray.") from missing

    options = {"--trials": trials, "--seed": seed, "--threads": threads}
    words = [f"{name}={value}" for name, value in options.items() if value is not None]
    words += [f"--set={key}={_toml(value)}" for key, value in (settings or {}).items()]
    words += [f"--sweep={key}={_toml(values)}" for key, values in (sweep or {}).items()]
    words += ["--force"] * force + ["--quiet"] * (not progress)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(output or Path(scratch) / "results.h5")
        _call([_program(tool), "run", *words, f"--output={file}", "--", os.fspath(study)])
        with open_run(file) as results:
            return results.require("trials").load().assign_attrs(results.attributes)


def _toml(value: Any) -> str:
    """A value as TOML, which writes numbers, texts and lists as JSON does; arrays and paths too."""
    return json.dumps(value, ensure_ascii=False, default=lambda v: v.tolist() if hasattr(v, "tolist") else os.fspath(v))


def _program(tool: Optional[_Path]) -> str:
    wanted = os.fspath(tool or os.environ.get("OPTINC_TOOL") or "optinc")
    found = shutil.which(wanted)
    if found is None:
        raise FileNotFoundError(
            f"no program {wanted} (studies are run by the command-line tool). Compile it in a clone (cmake --preset "
            "release && cmake --build --preset release) and set OPTINC_TOOL to the path of build/release/bin/optinc.")
    return found


def _call(words: Sequence[str]) -> None:
    """Runs the tool and passes on what it says, at once. Raises ValueError with its sentence where it refuses."""
    # Told that it writes to a terminal, the tool renews its line of progress
    reader, writer = pty.openpty() if sys.stderr.isatty() or "ipykernel" in sys.modules else os.pipe()
    with open(reader, "rb", buffering=0) as said:
        try:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer)
        finally:
            os.close(writer)
        try:
            last = _passed_on(said)
        except BaseException:  # Ctrl-C in a terminal reaches the tool too; a second, different signal does no harm
            process.terminate()
            sys.stderr.write(_passed_on(said))
            raise
        finally:
            status = process.wait()
    sentence = last.removeprefix("optinc: ").strip()
    if status in (1, 2) and sentence:
        raise ValueError(sentence)
    sys.stderr.write(last)
    if status != 0:
        raise RuntimeError(f"{words[0]} ended with status {status} (ended by a signal, or another program). "
                           "Finished trials are kept: see optinc resume --help.")


def _passed_on(said: Any) -> str:
    """Writes what is read to sys.stderr, but not the tool's last sentence, which opens with its name: returns that."""
    decoder, text, shown = codecs.getincrementaldecoder("utf-8")("replace"), "", 0
    while part := _read(said):
        text += decoder.decode(part)
        last = re.search("^optinc: (?!warning)", text, re.MULTILINE)
        end = last.start() if last else len(text)
        sys.stderr.write(text[shown:end])
        sys.stderr.flush()
        shown = end
    return text[shown:]


def _read(said: Any) -> bytes:
    """What there is, as soon as there is something; b"" at the end."""
    try:
        return bytes(said.read(4096))
    except OSError:  # the end of a terminal
        return b""
