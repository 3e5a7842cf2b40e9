"""Which source of error makes the variance."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
import xarray
from matplotlib.figure import Figure

from .. import style
from ..run import Run
from ..study import fixed, parameters, per_variant, say_point

MOST_PANELS = 4


@style.styled
def ablation(run: Run, *, at: Optional[Mapping[str, Any]] = None) -> Figure:
    """Shares of every source in the variance of the error, a panel per variant, or, where there is but one, per value of
    another sweep: with the source alone, and by what leaves with it. Sources stand in the order of their largest share.
    The two differ, and do not add up to 1, where sources act together.

    `at`: values of the other sweeps, by parameter name, else their first point; the title says which.
    Raises NotInResult where the study did no ablation.
    """
    data = run.require("ablation")
    own = [axis for axis in run.sweeps if axis != "ablation" and axis in data["share_alone"].dims]
    asked = {parameters(run)[name].axis for name in at or {}}
    spread = next((axis for axis in own if axis not in asked and 1 < data.sizes[axis] <= MOST_PANELS), None)
    if data.sizes.get("variant", 1) > 1:
        spread = None
    point = {axis: i for axis, i in fixed(run, ("ablation", *([spread] if spread else [])), at).items() if axis in own}
    alone, without = (panels_of(run, data[name].isel(point), spread) for name in ("share_alone", "share_without"))
    order = np.argsort(np.nanmax(np.nan_to_num([side.values for _, side in alone + without]), axis=0), kind="stable")
    names = [str(name) for name in data["source"].values[order]]
    columns = len(alone)
    width = style.COLUMN_IN if columns == 1 else style.PAGE_IN
    figure, grid = style.panels(1, columns, width, 1.3 + 0.34 * len(names), sharey=True, sharex=True)
    rows = np.arange(len(names))
    for index, ((name, first), (_, second)) in enumerate(zip(alone, without)):
        axes = grid[0, index]
        for values, shift, look in ((first.values[order], 0.19, dict(facecolor="#555555", label="this source alone")),
                                    (second.values[order], -0.19, dict(facecolor="white", hatch="////",
                                                                       label="removed with this source"))):
            axes.barh(rows + shift, values, height=0.36, edgecolor="black", linewidth=0.6, **look)
            for row, value in zip(rows, values):
                if value != 0:  # exactly 0: the source does not act in this variant
                    axes.text(max(np.nan_to_num(value), 0.0) + 0.02, row + shift, percent(value), va="center",
                              fontsize=6)
        axes.axvline(0, color="black", linewidth=0.6)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("share of the variance")
        if name:
            style.panel(axes, index, name)
    axes.set_yticks(rows, [style.plain(n) for n in names])
    shares = np.nan_to_num([side.values for _, side in alone + without])
    axes.set_xlim(min(0.0, float(shares.min()) * 1.1), max(1.0, float(shares.max())) * 1.18)
    metric = str(data.attrs.get("metric", "error")).replace("_", " ")
    where = say_point(run, point)
    return style.finish(figure, run, f"Sources of the variance of the {metric}" + (f" at {where}" if where else ""),
                        grid[0, 0].get_legend_handles_labels())


def panels_of(run: Run, shares: xarray.DataArray, spread: Optional[str]) -> list[tuple[str, xarray.DataArray]]:
    """Title and shares of every panel: one a value of the sweep `spread`, else one a variant."""
    if spread is None:
        return [(str(style.variant(name)["label"]) if name else "", values) for name, values in per_variant(shares)]
    return [(say_point(run, {spread: place}), per_variant(shares.isel({spread: place}))[0][1])
            for place in range(shares.sizes[spread])]


def percent(value: float) -> str:
    """A share to a tenth of a percent, without a sign of nothing; a dash where it is unknown."""
    return f"{100 * value:.1f} %".replace("-0.0 %", "0.0 %") if np.isfinite(value) else "–"
