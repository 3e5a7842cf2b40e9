"""The command-line tool optinc from Python: studies, and tables of what networks, clusters and chips cost."""

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
from typing import IO, TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union

if TYPE_CHECKING:
    import pandas
    import xarray

_Path = Union[str, "os.PathLike[str]"]
_List = Union[_Path, Mapping[str, Sequence[Mapping[str, Any]]]]


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
        tool: path of the program; default: environment variable OPTINC_TOOL, otherwise that of the package, or optinc on the PATH.

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
    words += _settings(settings)
    words += [f"--sweep={key}={_toml(values)}" for key, values in (sweep or {}).items()]
    words += ["--force"] * force + ["--quiet"] * (not progress)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(output or Path(scratch) / "results.h5")
        _call([_program(tool), "run", *words, f"--output={file}", "--", os.fspath(study)])
        with open_run(file) as results:
            return results.require("trials").load().assign_attrs(results.attributes)


def interconnect(scenarios: _List = "headline", *, table: str = "scenarios", tool: Optional[_Path] = None) -> pandas.DataFrame:
    """Iterations of training on electrical, optical and OptINC networks (optinc interconnect), a row a scenario and number
    of servers, in SI units.

        optinc.interconnect({"scenario": [{"network": "switch", "collective": "ring", "servers": [4, 8]}]}).total_s

    Args:
        scenarios: path of a list, name of a shipped one, or its tables as dicts (optinc interconnect --keys),
            which are numbered where they have no name.
        table: "scenarios" or "sensitivity".
        tool: as for run().

    Returns:
        The table; its `attrs` hold what the tool says beside it: title, notes.

    Raises:
        ValueError: the tool refuses the list (its sentence), or there is no such table in its answer.
        FileNotFoundError: there is no tool.
        ImportError: pandas is missing.
    """
    return _table("interconnect", scenarios, [], table, tool)


def cluster(jobs: _List = "oddl", *, table: Optional[str] = None, tool: Optional[_Path] = None) -> pandas.DataFrame:
    """Jobs on a cluster with optical circuits (optinc cluster), a row for each, in SI units.

        optinc.cluster("oddl", table="competitions").groupby("routing").iteration_s.mean()

    Args:
        jobs: path of a list, name of a shipped one, or its tables as dicts: {"iteration": [{..}]} (optinc cluster --keys).
        table: "testbeds", "light_paths", "competitions", "iterations", "days" or "failures"; may be left out where one
            alone has rows.
        tool: as for run().

    Returns and raises as interconnect() does.
    """
    return _table("cluster", jobs, [], table, tool)


def operating_point(designs: _List, *, settings: Optional[Mapping[str, Any]] = None, tool: Optional[_Path] = None,
                    **options: Any) -> pandas.DataFrame:
    """Where units decode at the highest rate, or with the least energy, and what that costs (optinc operating-point), a row
    a design, in SI units.

        chain = {"design": [{"name": "chain", "set": ["network.source=carry-chain"]}]}
        optinc.operating_point(chain, wrong=1e-3, chips=20).symbol_rate

    Args:
        designs: path of a list, name of a shipped one, or its tables as dicts.
        settings: values for all designs that do not set them: {"chip.preset": "good-lab"}.
        tool: as for run().
        options: as on the command line: goal="energy", wrong=1e-3, chips_right=0.95, hold=["time.symbol_rate_bd"].

    Returns and raises as interconnect() does.
    """
    words = [f"--{name.replace('_', '-')}={value}" for name, given in options.items()
             for value in (given if isinstance(given, (list, tuple)) else [given])]
    return _table("operating-point", designs, words + _settings(settings), None, tool)


def budget(study: Optional[_Path] = None, *, network: Optional[_Path] = None, settings: Optional[Mapping[str, Any]] = None,
           table: str = "by_stage", tool: Optional[_Path] = None) -> pandas.DataFrame:
    """Loss, power, delay and area of a network's chip (optinc budget), in SI units and dB.

        optinc.budget(settings={"network.source": "carry-chain"}).groupby(["quantity", "part"]).value.sum()

    Args:
        study: path of a study, or name of a shipped one; without it, built-in values.
        network: a network or result file, or "shipped/NAME".
        settings: values that replace those of the study.
        table: "by_stage", a row for every quantity, part and stage; "stages", "parts", "heaters" or "answers".
        tool: as for run().

    Returns:
        The table; its `attrs` hold the rest of the answer, such as energy_per_bit_j.

    Raises as interconnect() does.
    """
    words = ([] if network is None else [f"--network={os.fspath(network)}"]) + _settings(settings)
    return _table("budget", study, words, table, tool)


def _table(command: str, source: Optional[_List], words: Sequence[str], table: Optional[str],
           tool: Optional[_Path]) -> pandas.DataFrame:
    """A table of what a command says with --json."""
    try:
        import pandas
    except ModuleNotFoundError as missing:
        raise ImportError(f"Tables are those of pandas ({missing}). Run pip install pandas.") from missing
    with tempfile.TemporaryDirectory() as scratch:
        if isinstance(source, Mapping):
            listed, source = source, Path(scratch) / "list.toml"
            named = [(name, {"name": f"{name} {i}", **row}) for name, rows in listed.items() for i, row in enumerate(rows)]
            source.write_text("".join(f"[[{name}]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in row.items())
                                      for name, row in named), encoding="utf-8")
        given = [] if source is None else ["--", os.fspath(source)]
        said = Path(scratch) / "answer.json"
        with said.open("wb") as answer:
            _call([_program(tool), command, *words, "--json", "--quiet", *given], answer)
        found = json.loads(said.read_text(encoding="utf-8"))
    tables = {name: rows for name, rows in found.items() if isinstance(rows, list) and rows and isinstance(rows[0], dict)}
    if command == "budget":
        tables["by_stage"] = list(_by_stage(found))
    if table is None and len(tables) == 1:
        table = next(iter(tables))
    if table not in tables:
        raise ValueError(f"{'which table' if table is None else f'no table {table}'} in the answer of optinc {command} (it has "
                         f"{', '.join(tables) or 'none'}). Choose one of these.")
    frame = pandas.json_normalize(tables[table])
    frame.attrs.update({name: value for name, value in found.items() if name not in tables})
    return frame


def _by_stage(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Rows of the quantities of a budget."""
    stages = [stage["name"] for stage in found["stages"]]
    for quantity, told in found.items():
        for part, values in told["parts"].items() if isinstance(told, dict) and "parts" in told else ():
            for stage, value in zip(stages, values["by_stage"]):
                yield {"quantity": quantity, "part": part, "stage": stage, "value": value, "unit": told["unit"]}


def _settings(settings: Optional[Mapping[str, Any]]) -> list[str]:
    return [f"--set={key}={_toml(value)}" for key, value in (settings or {}).items()]


def _toml(value: Any) -> str:
    """A value as TOML, which writes numbers, texts and lists as JSON does; arrays and paths too."""
    return json.dumps(value, ensure_ascii=False, default=lambda v: v.tolist() if hasattr(v, "tolist") else os.fspath(v))


def _program(tool: Optional[_Path]) -> str:
    package = Path(__file__).parent
    own, without = package / "bin/optinc", package / "without_tool.txt"
    wanted = os.fspath(tool or os.environ.get("OPTINC_TOOL") or (own if own.exists() else "optinc"))
    found = shutil.which(wanted)
    if found is None:
        raise FileNotFoundError(f"no program {wanted} (studies are run by the command-line tool). " + (
            without.read_text(encoding="utf-8").strip() if without.exists() else "Compile it in a clone (cmake --preset "
            "release && cmake --build --preset release) and set OPTINC_TOOL to the path of build/release/bin/optinc."))
    return found


def _call(words: Sequence[str], answer: Union[int, IO[bytes]] = subprocess.DEVNULL) -> None:
    """Runs the tool, whose stdout goes to `answer`, and passes on what it says on stderr, at once. Raises ValueError with its
    sentence where it refuses."""
    # Told that it writes to a terminal, the tool renews its line of progress
    reader, writer = pty.openpty() if sys.stderr.isatty() or "ipykernel" in sys.modules else os.pipe()
    with open(reader, "rb", buffering=0) as said:
        try:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=answer, stderr=writer)
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
