"""What a reader is told of any file of its kind: how to read its intervals, how to repeat it, how to open it."""

from __future__ import annotations

from ..run import CALCULATED, Run
from ..study import metrics
from .elements import Child, Element, node


def how_to_read(run: Run) -> list[str]:
    """Sentences on what the numbers mean and how sure they are."""
    told = []
    if run.summary is not None:
        told += ["Mean [low, high]: the mean over the trials that were run, and the interval that covers the mean over "
                 "infinitely many with 95 % confidence: bootstrap percentiles (1,000 resamples) from 100 to 500 "
                 "trials, Student's t with fewer or more; for shares Wilson's score interval, with as many draws as would "
                 "scatter like the trials do, so that it stays between 0 and 1. If all trials agree, the interval has "
                 "no width, which does not tell how often rarer values occur. A single trial has no interval.",
                 "The interval is that of the mean. Single chips, meshes or trainings scatter more widely: the quantiles "
                 "in the group summary show how widely, with exact intervals from order statistics.",
                 "Points are paired: trial i has the same random draws at every point, scaled. Differences between "
                 "points are known better than their two intervals suggest.",
                 "Intervals show the uncertainty from the number of trials, not whether the model of the devices is right."]
        if "yield" in metrics(run):
            told.append("The yield is a share of trials; its interval is the exact binomial one (Clopper-Pearson).")
    if run.laws is not None:
        told.append("A law holds if the measured value lies within the tolerance of the expected value. A full run "
                    "must also resolve it: five standard errors are at most the tolerance. A quick run takes "
                    "five standard errors as the tolerance if that is more.")
    if any(run.group(name) is not None for name in ("budget", *CALCULATED)):
        told.append("These numbers are computed from the values of devices and networks that the file names: they have "
                    "no intervals, and are only as good as those values.")
    told.append("A dash (-) means that there is no value. Numbers are rounded for display; the page's source "
                "has every number of the file to the last bit, in its data elements.")
    return told


def how_to_repeat(run: Run) -> list[Child]:
    """The command that made the file."""
    told: list[Child] = [node("pre", node("code", "\n".join(run.provenance.command.split("; "))), tabindex="0")]
    if "config_toml" in run.attributes and run.trials is not None:
        told.append(node("p", "If the study's file is gone, save the settings below as study.toml and run ",
                         node("code", "optinc run study.toml -o again.h5"), ". Threads, shards and interruptions "
                         "change no number; another compiler or processor may change the last digits."))
    return told


def how_to_open(run: Run) -> Element:
    """Lines of Python that read the file, with three packages."""
    name = repr(run.path.name)
    groups = ("trials", "laws", "budget", *CALCULATED, "training")
    group = next((group for group in groups if run.group(group) is not None), None)
    lines = ["import h5py", f"with h5py.File({name}) as file:", "    print(list(file), dict(file.attrs))"]
    if group is not None:
        lines += ["", "import xarray                       # by the names of the axes",
                  f"data = xarray.open_dataset({name}, group={group!r}, engine='h5netcdf')", "print(data)"]
    lines += ["", "from optinc.results import open_run  # ours, in python/src",
              f"with open_run({name}) as run:", "    print(run.sweeps, run.provenance.run_id)"]
    return node("pre", node("code", "\n".join(lines)), tabindex="0")
