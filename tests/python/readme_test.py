"""Examples of python/README.md print what the page says."""

import contextlib
import io
import re
import unittest
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "python" / "README.md"


class Readme(unittest.TestCase):
    def test_examples_with_an_output(self):
        names = {}  # as one session: a later example imports nothing again
        found = re.findall(r"```python\n((?:(?!```).)*)```\n```text\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
        self.assertEqual(len(found), 3)
        for example, wanted in found:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(example, README.name, "exec"), names)
            self.assertEqual(printed.getvalue(), wanted)


if __name__ == "__main__":
    unittest.main()
