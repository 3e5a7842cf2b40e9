"""The learning curve."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..run import Run


@style.styled
def training(run: Run) -> Figure:
    """Loss (digit^2), share of words right and least margin (digit) against epoch.

    Raises NotInResult where the file has no training.
    """
    data = run.require("training")
    epoch, accuracy, margin = (data[name].values for name in ("epoch", "word_accuracy", "margin"))
    figure, rows = style.panels(3, 1, style.COLUMN_IN, 4.4, sharex=True)
    top, middle, bottom = rows[:, 0]
    mark = dict(color="black", marker="." if len(epoch) < 20 else None)
    top.plot(epoch, data["loss"].values, **mark)
    top.set_yscale("log")
    top.set_ylabel("loss (digit²)")
    style.panel(top, 0, "mean loss of the epoch")
    middle.plot(epoch, accuracy, **mark)
    middle.set_ylim(-0.03, 1.05)
    middle.set_ylabel("words right (share)")
    wrong = np.flatnonzero(accuracy < 1)
    first = int(wrong[-1]) + 1 if len(wrong) else 0
    if first < len(epoch):
        middle.axvline(epoch[first], color="#0060a8", linestyle="--", linewidth=0.9)
        late = first > len(epoch) / 2
        middle.annotate(f"all words right\nfrom epoch {epoch[first]} on", color="#0060a8",
                        xy=(epoch[first], 0.08), xytext=(-4 if late else 4, 0), textcoords="offset points",
                        ha="right" if late else "left", fontsize=7)
    style.panel(middle, 1, "word accuracy")
    bottom.plot(epoch, margin, **mark)
    bottom.axhline(0, color=style.ACCENT, linewidth=0.8)
    bottom.set_ylabel("margin (digit)")
    bottom.set_ylim(max(float(np.nanmin(margin)), -1.0) - 0.05, 0.5)
    bottom.text(epoch[-1], 0.46, "0.5: exact levels", ha="right", va="top", fontsize=6.5, color="#555555")
    bottom.set_xlabel("epoch")
    style.panel(bottom, 2, "worst word's distance from a wrong decision")
    return style.finish(figure, run, f"Training the network ({epoch[-1]} epochs)")
