"""The first example of python/README.md prints what the page says."""

import contextlib
import io
import re
import unittest
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "python" / "README.md"


class Readme(unittest.TestCase):
    def test_first_example(self):
        found = re.search(r"```python\n(.*?)```\n```text\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(found[1], README.name, "exec"), {})
        self.assertEqual(printed.getvalue(), found[2])


if __name__ == "__main__":
    unittest.main()
