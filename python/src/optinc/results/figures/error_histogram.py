"""By how much the wrong codes are wrong."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .. import style
from ..errors import NotInResult
from ..run import Run
from ..study import fixed, indices_of, per_variant, say_point, words_of


@style.styled
def error_histogram(run: Run, *, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Words of all trials by code error (LSB), a panel per variant, at one sweep point.

    `at`: values of the sweeps, by parameter name. By default the last point where corrected chips err, an ablation
    at `all`; the title says which.

    Raises NotInResult where the study did not count code errors.
    """
    summary = run.require("summary")
    if "code_error_count_sum" not in summary:
        raise NotInResult(f"{run.path} has no code_error_count_sum in its summary. "
                          "Let measure.metrics name code_error_count and run the study again.")
    counts = summary["code_error_count_sum"]
    point = telling_point(run, counts, at)
    errors = counts["code_error"].values
    variants = [(name, of.values) for name, of in per_variant(counts.isel(point))]
    figure, rows = style.panels(len(variants), 1, style.COLUMN_IN, 0.8 + 1.25 * len(variants), sharex=True, sharey=True)
    for index, (name, count) in enumerate(variants):
        axes = rows[index, 0]
        look = style.variant(name)
        count = np.nan_to_num(count)
        some = count > 0
        axes.bar(errors[some], count[some], width=1.0, color=look["color"], linewidth=0)
        wrong, near = count[errors != 0].sum(), count[np.abs(errors) == 1].sum()
        if name:
            style.panel(axes, index, str(look["label"]))
        axes.text(0.99, 0.97, (f"wrong: {wrong / count.sum():.2%}" if count.sum() else "not run")
                  + (f"\nof these ±1: {near / wrong:.0%}" if wrong else ""),
                  transform=axes.transAxes, ha="right", va="top", fontsize=7,
                  bbox=dict(facecolor="white", edgecolor="none", pad=1, alpha=0.8))
        axes.set_yscale("log")
        axes.set_ylabel("words")
    last = rows[-1, 0]
    last.set_ylim(0.7, max(float(np.nanmax([c for _, c in variants], initial=0)), 1.0) * 3)
    code_axis(last, int(np.abs(errors).max()))
    units, long_name = words_of(counts["code_error"].attrs, "code error")
    last.set_xlabel(style.label(long_name, units))
    where = say_point(run, point)
    return style.finish(figure, run, "Code errors" + (f" at {where}" if where else ""))


def telling_point(run: Run, counts: Any, at: Optional[Mapping[str, Any]]) -> dict[str, int]:
    """The last sweep point, in the order of the file, where corrected chips err; the last of all if none does. What
    `at` names stands fixed, and so does an ablation."""
    held = set(indices_of(run, at or {})) | {"ablation"}
    point = fixed(run, tuple(axis for axis in run.sweeps if axis not in held), at)
    free = [axis for axis in run.sweeps if axis not in point]
    if not free:
        return point
    names = [name for name, _ in per_variant(counts)]
    of = dict(per_variant(counts))["corrected_quadrature" if "corrected_quadrature" in names else names[0]].isel(point)
    wrong = of.where(of["code_error"] != 0, 0).sum("code_error").transpose(*free).values
    imperfect = np.argwhere(wrong > 0)
    best = imperfect[-1] if len(imperfect) else np.array(wrong.shape) - 1
    found = {**point, **{axis: int(i) for axis, i in zip(free, best)}}
    return {axis: found[axis] for axis in run.sweeps}


def code_axis(axes: Any, largest: int) -> None:
    """Errors of either sign up to `largest`: linear to 4, logarithmic beyond."""
    base = 4 if largest <= 300 else 16
    powers = [base ** k for k in range(9) if base ** k <= largest]
    axes.set_xscale("symlog", linthresh=4, linscale=1.2, base=4)
    axes.xaxis.set_major_locator(FixedLocator([-p for p in reversed(powers)] + [0] + powers))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:+.0f}" if value else "0"))
    axes.set_xlim(-largest * 1.1, largest * 1.1)
