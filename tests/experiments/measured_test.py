"""The checks against measured chips: their form, on the quick groups, and what the command says of a folder that is not there.

    measured_test.py     data: OPTINC_MEASURED, or ../shared/measured; skipped (77) where neither is
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("OPTINC_MEASURED", ROOT.parent / "shared/measured"))
COMMAND = ROOT / "experiments/measured"


def measured(*arguments):
    return subprocess.run([sys.executable, COMMAND, *map(str, arguments)], capture_output=True, text=True)


class Measured(unittest.TestCase):
    def test_no_folder(self):
        with tempfile.TemporaryDirectory() as empty:
            done = measured(empty)
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds no folder pai2023_mesh", done.stderr)

    # Fails when a row has no bound that it is held against, or the page names a row that is not there
    def test_rows_and_file(self):
        import h5py  # noqa: PLC0415
        with tempfile.TemporaryDirectory() as folder:
            done = measured(DATA, "--only", "couplers,nitride", "--json", "-o", Path(folder) / "out")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            rows = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
            self.assertEqual(done.returncode, 0 if all(row["holds"] for row in rows.values()) else 1)
            self.assertTrue(rows["nitride-coupling"]["holds"])
            low, high = rows["nitride-coupling"]["interval"]
            self.assertTrue(low < rows["nitride-coupling"]["value"] < high)
            with h5py.File(Path(folder) / "out/measured.h5") as file:
                self.assertEqual([name.decode() for name in file["rows/name"][()]], list(rows))
                self.assertEqual(file["couplers/length_um"].attrs["unit"], "um")
            self.assertTrue((Path(folder) / "out/couplers.pdf").exists())

    def test_the_page_names_rows(self):
        sys.path.insert(0, str(ROOT / "experiments/scripts"))
        from claims_lib.measured import CHECKS  # noqa: PLC0415
        page = (ROOT / "docs/measured.md").read_text(encoding="utf-8")
        for names in CHECKS.values():
            for name in names:
                self.assertIn(f"`{name}`", page)


if __name__ == "__main__":
    if not (DATA / "pai2023_mesh").is_dir():
        print(f"skipped: no measured data in {DATA} (OPTINC_MEASURED names another folder)")
        sys.exit(77)
    unittest.main()
