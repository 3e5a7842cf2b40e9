"""The examples for Lightning, the Trainer of Hugging Face and FSDP2 train on four processes. Needs PyTorch 2.8 or newer."""

import importlib.util
import re
import subprocess
import sys
import unittest
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[3] / "docs/examples"


class Frameworks(unittest.TestCase):
    # Fails when gradients do not pass the light (no words are counted) or the training does not learn (ln 2 is chance).
    def trained(self, name, *packages):
        for package in packages:
            if importlib.util.find_spec(package) is None:
                self.skipTest(f"no {package}")
        done = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4",
                               EXAMPLES / f"with_{name}.py"], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        loss, steps, wrong, words = map(float, re.search(r"loss (\S+), (\d+) steps, (\d+) of (\d+) words wrong", done.stdout).groups())
        self.assertLess(loss, 0.5)
        self.assertGreater(steps, 50)
        self.assertTrue(0 < wrong < 0.1 * words)

    def test_lightning(self):
        self.trained("lightning", "lightning")

    def test_trainer(self):
        self.trained("trainer", "transformers", "accelerate")

    def test_fsdp2(self):
        self.trained("fsdp2")


if __name__ == "__main__":
    unittest.main()
