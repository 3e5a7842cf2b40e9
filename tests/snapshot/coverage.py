"""Which keys and choices of a study the snapshot sets to anything but their defaults, where something reads them."""

import contextlib
import json
import pathlib
import re
import shutil
import subprocess
import tomllib
import types

from contents import entry
from runs import RUNS

NOT_SET = {
    "run.threads": "changes no result: record --threads compares", "run.time_limit_s": "ends a run where the clock says",
}
CHECKED_ONLY = {
}
NO_NUMBERS = {"study": "a name", "figures": "what is drawn, which no dataset holds"}
CHOICES_LEFT = {
    "figures": "drawn, not stored", "measure.metrics": "none named: all of a model", "runner.precision_metric": "any: one code",
    "yield.metric": "any: one code", "tolerance.key": "any number: one code", "run.threads": "changes no result",
    "chip.preset": "custom is in force wherever a value differs",
}
HARDWARE = r"(parts|neuron|owner|laser|modulator|receiver|converter|heater|splitter|coupler|fibre|waveguide|layout|link|time)\..*"
# What commands read that are no models
READERS = {
    "train": rf"(model|run\.seed|task\..*|network\..*|training\..*|chip\..*|{HARDWARE}|noise\..*)$",
    "budget": rf"(budget\..*|network\..*|task\..*|chip\..*|{HARDWARE})$",
    "check-network": r"(task\..*|network\..*)$",
}


def ask(optinc, folder, *words):
    done = subprocess.run([optinc, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"optinc {' '.join(words)}: {done.stderr}"
    return done.stdout


def flat(config):
    """{section.key: value} of a configuration without its sweeps."""
    found = {}
    for key, value in config.items():
        if isinstance(value, dict):
            found.update({f"{key}.{below}": v for below, v in value.items()})
        elif key != "sweep":
            found[key] = value
    return found


def in_force(optinc, folder, run):
    """{key: [every value]} of a run, its sweeps included."""
    settings = [word for setting in run.settings for word in ("--set", setting)]
    study = run.study or "empty.toml"
    config = tomllib.loads(ask(optinc, folder, "run", study, "--print-config", *settings))
    values = {key: [value] for key, value in flat(config).items()}
    for sweep in config.get("sweep", []):
        for key, swept in sweep.get("values", {}).items():
            values[key] = list(swept)
    return values


def explained(optinc, folder, key):
    """Default's models and the choices that a key has."""
    text = re.sub(r"\n {11}", " ", ask(optinc, folder, "explain", key))
    allowed = re.search(r"allowed: (.*)", text)[1]
    choices = [True, False] if allowed == "true or false" else (
        allowed.split(" of ", 1)[1].split(", ") if re.match(r"(one|a list) of [a-z]", allowed)
        and not re.match(r"a list of (integers|numbers|names)", allowed) else [])
    models = re.search(r"models: +(.*)", text)
    return types.SimpleNamespace(models=re.split(r", ", models[1]) if models else [], choices=choices)


def reads(run, values, key, about):
    """Whether the command of a run looks at a key."""
    command = run.arguments[0]
    if command in READERS:
        return re.match(READERS[command], key) is not None
    return values["model"][0] in about.models or "." not in key


def survey(optinc, folder):
    """Keys with their default, choices and the runs where they are set otherwise: [(key, about, runs, choices missing)]."""
    (folder / "empty.toml").write_text("")
    defaults = flat(tomllib.loads(ask(optinc, folder, "run", "empty.toml", "--print-config")))
    runs = [run for run in RUNS if run.study or run.arguments[0] == "budget"]
    forces = [in_force(optinc, folder, run) for run in runs]
    rows = []
    for key, default in defaults.items():
        about = explained(optinc, folder, key)
        reading = [(run, f) for run, f in zip(runs, forces) if reads(run, f, key, about)]
        setting = [run for run, f in reading if any(v != default for v in f[key])]
        seen = [w for _, f in reading for v in f[key] for w in (v if isinstance(v, list) else [v])]
        rows.append((key, default, setting, [c for c in about.choices if c not in seen]))
    return rows


def sweep_keys(folder):
    """Keys of [[sweep]] and methods that no study uses."""
    used = set()
    for path in sorted((folder / "studies").glob("*.toml")):
        for sweep in tomllib.loads(path.read_text()).get("sweep", []):
            used |= set(sweep) | {f"method = {sweep.get('method', 'linear')}"}
    wanted = {"name", "values", "shapes", "range", "method", "points", "scale", "sources"}
    methods = {f"method = {m}" for m in ("linear", "log", "random", "sobol", "latin-hypercube", "ablation")}
    return sorted((wanted | methods) - used)


def report(optinc, folder, out):
    """Prints the coverage and returns the number of holes in it."""
    rows, holes = survey(optinc, folder), 0
    for key, default, setting, missing in rows:
        if not setting and key not in NOT_SET:
            print(f"never set: {key} (default {default!r})", file=out)
            holes += 1
        if missing and key not in CHOICES_LEFT:
            print(f"never chosen: {key} = {', '.join(map(str, missing))}", file=out)
            holes += 1
    for name in sweep_keys(folder):
        print(f"never used: [[sweep]] {name}", file=out)
        holes += 1
    for key, why in NOT_SET.items():
        print(f"left out: {key} ({why})", file=out)
    for key, why in CHOICES_LEFT.items():
        print(f"choices left out: {key} ({why})", file=out)
    done = sum(bool(setting) for _, _, setting, _ in rows)
    print(f"coverage: {done} of {len(rows)} keys are set to another value than their default; {holes} holes", file=out)
    return holes


class Trial:
    """Runs studies again with one key otherwise, in a copy of the folder that a record was made in."""

    def __init__(self, optinc, folder, execute):
        self.optinc, self.folder, self.execute = optinc, folder, execute

    def idle(self, place, only=""):
        """[(key, runs)] of keys that change no number of any study that sets them. `place`: a folder for the copy;
        `only`: what their names begin with."""
        self.again = pathlib.Path(place) / "again"
        shutil.copytree(self.folder, self.again)
        known = {**NOT_SET, **NO_NUMBERS, **CHECKED_ONLY}
        rows = [row for row in survey(self.optinc, self.again) if row[0] not in known and row[0].startswith(only)]
        return [(key, ", ".join(run.name for run in runs)) for key, default, runs, _ in rows
                if not any(self.acts(run, key, default) for run in sorted(runs, key=trains))]

    def acts(self, run, key, default):
        """Whether the numbers of a run change with the key: from each of its values to the default or another one."""
        sweep = swept_with(self.again, run, key)
        points = [dict(zip(sweep, values)) for values in zip(*sweep.values())] if sweep else [{}]
        force = in_force(self.optinc, self.again, run)[key]
        others = [default, *force, *explained(self.optinc, self.again, key).choices, *near(force[0])]
        with unswept(self.again, run, key if sweep else None):
            for point in points:
                before = self.numbers(run, point)
                for other in others:
                    if other == point.get(key, force[0]):
                        continue
                    after = self.numbers(run, {**point, key: other})
                    if None not in (before, after) and before != after:
                        return True
        return False

    def numbers(self, run, values):
        """{dataset: entry} of what is no text; None where the run is refused."""
        for left in [path for output in run.outputs for path in self.again.glob(f"{output}*")]:
            shutil.rmtree(left) if left.is_dir() else left.unlink()  # a run that failed leaves its journal
        given = [word for key, value in values.items() for word in ("--set", f"{key}={json.dumps(value)}")]
        try:
            found = self.execute(self.optinc, run, self.again, 2, given)
        except RuntimeError:
            return None
        finally:
            for output in run.outputs:
                shutil.copy(self.folder / output, self.again / output)
        return {name: entry(value) for name, value in found.items() if not isinstance(value, list)}


def trains(run):
    """Whether a run trains a network for long: tried last."""
    return run.arguments[0] == "train"


def near(value):
    """Another value of a number, where the default may be refused."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return []
    return [value // 2, value + 1] if isinstance(value, int) else [value / 2, 2 * value]


def swept_with(folder, run, key):
    """{key: values} of the sweep that has this key, {} where none has: of a range its ends."""
    if not run.study:
        return {}
    for sweep in tomllib.loads((folder / run.study).read_text()).get("sweep", []):
        values = {**sweep.get("values", {}), **sweep.get("range", {})}
        if key in values:
            return values
    return {}


@contextlib.contextmanager
def unswept(folder, run, key):
    """The study of a run without the sweep of a key, for as long as this lasts. Sweeps stand last in its file."""
    if key is None:
        yield
        return
    path = folder / run.study
    text = path.read_text()
    blocks = text.split("\n[[sweep]]")
    path.write_text("\n[[sweep]]".join(block for i, block in enumerate(blocks) if i == 0 or f'"{key}"' not in block))
    try:
        yield
    finally:
        path.write_text(text)
