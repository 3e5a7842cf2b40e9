"""What the Python tests of the tool share: running it, and small studies."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python/src"))
from optinc.results import contents, differing  # noqa: E402, F401

OPTINC = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path("optinc")

# a network far too small to be right, two chips, few words: every step of the main job in about two seconds
SMALL = [
    "network.hidden=[8,8]", "training.epochs=2", "training.warmup_epochs=1", "runner.trials=2", "measure.words=600",
    "gradient.hidden=4", "gradient.batch=6000",
]
SMALL_ARGUMENTS = [word for setting in SMALL for word in ("--set", setting)] + ["--sweep", "chip.sigma_eta_rad=[0.01,0.02]"]

def optinc(*arguments, timeout=300):
    return subprocess.run([OPTINC, *map(str, arguments)], capture_output=True, text=True, timeout=timeout)
