"""Every notebook of docs/notebooks runs, and draws as many figures as are stored in it. Needs nbclient and PyTorch."""

import sys
import unittest
from pathlib import Path

try:
    import nbformat
    from nbclient import NotebookClient
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-nbclient, python3-ipykernel)")
    sys.exit(77)

NOTEBOOKS = sorted((Path(__file__).resolve().parents[3] / "docs" / "notebooks").glob("*.ipynb"))


def figures(notebook):
    """Figures in the outputs of its cells."""
    return sum("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))


def printed(notebook):
    """What its cells print."""
    return [output["text"] for cell in notebook.cells for output in cell.get("outputs", []) if output.get("name") == "stdout"]


class Notebooks(unittest.TestCase):
    def test_each_runs(self):
        self.assertGreaterEqual(len(NOTEBOOKS), 3)
        for path in NOTEBOOKS:
            with self.subTest(notebook=path.name):
                stored = nbformat.read(path, 4)
                found = nbformat.read(path, 4)
                NotebookClient(found, timeout=300, kernel_name="python3").execute()  # raises where a cell does
                self.assertGreater(figures(stored), 0)
                self.assertEqual(figures(found), figures(stored))
                self.assertEqual(printed(found), printed(stored))


if __name__ == "__main__":
    unittest.main()
