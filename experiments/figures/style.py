"""One look for every figure: legible at a paper's column width, readable in grey, signed with its run."""

import textwrap

import matplotlib

matplotlib.use("Agg")  # draws without a display
import matplotlib.pyplot as plt  # noqa: E402

COLUMN_IN = 3.4  # one column of a two-column paper
PAGE_IN = 7.0    # both

# Each thing differs from its neighbours in lightness, line and marker, so that colour is never needed.
VARIANTS = {
    "uncorrected": dict(color="#e69f00", linestyle="--", marker="s", label="uncorrected"),
    "corrected": dict(color="#0060a8", linestyle="-", marker="o", label="corrected"),
    "noisy": dict(color="#000000", linestyle=":", marker="^", label="corrected, receiver and lock noise"),
}
DIGITS = [  # one target level each: fill, line
    dict(color="#bdbdbd", linestyle="-"),
    dict(color="#e69f00", linestyle="--"),
    dict(color="#0060a8", linestyle="-."),
    dict(color="#000000", linestyle=":"),
]


def use():
    """Sets matplotlib up; call before drawing."""
    plt.rcParams.update({
        "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "legend.fontsize": 7,
        "xtick.labelsize": 7, "ytick.labelsize": 7,
        "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.6,
        "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.4, "axes.axisbelow": True,
        "lines.linewidth": 1.3, "lines.markersize": 4, "legend.frameon": False, "legend.handlelength": 2.6,
        "pdf.fonttype": 42,  # text stays text
        "figure.constrained_layout.use": True, "savefig.dpi": 220,
    })


def variant(name):
    """Line style of a chip variant; a variant this file does not know is drawn grey."""
    return dict(VARIANTS.get(name, dict(color="#777777", linestyle="-", marker="x", label=name)))


def panel(axes, letter, title):
    """Letter and title above a panel, flush left."""
    axes.set_title(f"({letter}) {title}", loc="left")


def save(figure, directory, name, title, signature):
    """Titles and signs the figure and writes DIRECTORY/NAME.png and .pdf."""
    figure.suptitle(title, fontsize=9, x=0.01, ha="left")
    # About 23 characters of the small print to an inch
    signature = textwrap.fill(signature, int(23 * figure.get_figwidth()), break_long_words=False)
    figure.supxlabel(signature, fontsize=5.5, color="#555555", x=0.01, ha="left")
    figure.savefig(directory / f"{name}.png")
    # No creation date: the same results give the same file
    figure.savefig(directory / f"{name}.pdf", metadata={"CreationDate": None})
    plt.close(figure)
