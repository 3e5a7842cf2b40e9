"""experiments/train_torch: a small decoder on four processes, stopped and gone on with, and what it refuses."""

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[3] / "experiments/train_torch"
SMALL = ["decoder-small", "--paths", "chip", "--seeds", "1", "--steps", "8", "--evaluations", "4", "--batch", "4"]


class Training(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.text = self.folder / "text"
        self.text.write_text("Light adds up where it meets, and rounds to what it was sent for. " * 400)

    def command(self, *options, output="out.h5"):
        return [sys.executable, TOOL, *SMALL, "--data", self.text, "-o", self.folder / output, *options]

    def trained(self, output):
        done = subprocess.run(self.command(output=output), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    # Fails when a resumed training begins anew, counts steps twice or sees other batches.
    def test_a_stopped_training_is_resumed(self):
        from optinc.results import open_run
        self.assertIn("chip training loss", self.trained("whole.h5").stdout)
        cut = self.folder / "cut.h5"
        run = subprocess.Popen(self.command(output="cut.h5"), stderr=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + 120
        kept = Path(f"{cut}.parts/chip-1.pt")
        while not kept.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        self.assertTrue(kept.exists())
        went_on = self.trained("cut.h5").stderr
        self.assertNotIn("chip, seed 1: step 2/8", went_on)
        self.assertIn("chip, seed 1: step 8/8", went_on)
        with open_run(self.folder / "whole.h5") as whole, open_run(cut) as resumed:
            found = [run.trials["test_loss"].values[:, 0, 0] for run in (whole, resumed)]
            wrong = whole.trials["sent_error_rate"].values[:, 0, 0]
        self.assertEqual(found[0].shape, (1, 4))
        # buckets of DDP are formed anew where it goes on, and so are the blocks that share a scale
        self.assertLess(abs(found[0] - found[1]).max(), 1e-3)
        self.assertTrue((found[0][:, -1] < found[0][:, 0]).all())
        self.assertTrue(0 < wrong[0] < 0.01, wrong)
        told = subprocess.run([Path(sys.modules["optinc"].__path__[0]).parents[1] / "bin/optinc", "inspect", cut], capture_output=True, text=True)
        self.assertRegex(told.stderr, "a training in PyTorch.* Read it with optinc-results")

    def test_refusals(self):
        for options, sentence in ((["--steps", "5"], "a multiple of --evaluations 4"), (["--batch", "6"], "a multiple of 4"),
                                  (["--learning-rate", "0"], "above 0"), (["--paths", "light"], "invalid choice")):
            done = subprocess.run(self.command(*options), capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(sentence, done.stderr)
            self.assertEqual(list(self.folder.glob("out*")), [])
        output = self.folder / "out.h5"
        output.write_text("kept")
        self.assertIn("--force", subprocess.run(self.command(), capture_output=True, text=True).stderr)
        self.assertEqual(output.read_text(), "kept")
        output.unlink()
        self.text.unlink()
        done = subprocess.run(self.command(), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("no such file")), (1, 1))


if __name__ == "__main__":
    missing = [name for name in ("torchvision", "h5netcdf", "xarray", "matplotlib") if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped: no", ", ".join(missing))
        sys.exit(77)
    unittest.main()
