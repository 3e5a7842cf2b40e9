"""Every public name is documented, has an example that runs, and stands in the reference of the site.

Examples of PyTorch and JAX run where these are. Those of studies need the tool in OPTINC_TOOL.
"""

import doctest
import importlib.util
import os
import sys
import tempfile
import unittest
from pathlib import Path

import optinc

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/site"))
import python_reference as reference  # noqa: E402

PACKAGE = Path(optinc.__file__).parent
NEEDS = {"torch": ("torch",), "jax": ("jax",), "results": ("h5py", "xarray", "pandas", "matplotlib"), "fit": ("scipy",),
         "layout": ("gdstk", "matplotlib"), "optinc": ("h5py", "xarray", "pandas", "matplotlib")}
STUDY = 'model = "mesh"\nmesh.ports = 4'


class Reference(unittest.TestCase):
    # Fails when a public function, class, member or constant says nothing, or has no example.
    def test_everything_is_documented(self):
        self.assertEqual(reference.undocumented(PACKAGE), [])

    def test_what_is_missing_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder)
            (package / "layout.py").write_text('from .other import far\n__all__ = ["far", "near", "Kind", "SIZE"]\nSIZE = 1\n'
                                               'def near(x):\n    pass\n')
            (package / "other.pyi").write_text('def far(x):\n    """Far."""\n'
                                               'class Kind:\n    """A kind."""\n    @property\n    def size(self) -> int: ...\n')
            (package / "layout.py").write_text((package / "layout.py").read_text().replace("import far", "import far, Kind"))
            found = dict(reference.public(package, "layout"))
            self.assertEqual([name for name, what in found.items() if not reference._said(what)], ["near", "SIZE"])
            self.assertEqual([name for name, part in reference._members(found["Kind"]) if not reference._said(part)], ["size"])

    def test_pages(self):
        for module in reference.MODULES:
            page = reference.page(PACKAGE, module)
            for name, _ in reference.public(PACKAGE, module):
                self.assertIn(f"\n## {name}\n", page)
            self.assertEqual(set(reference.examples(module)), {name for name, _ in reference.public(PACKAGE, module)})
        self.assertIn("- `alpha: NDArray[float64]`: ", reference.page(PACKAGE, "optinc"))


class Examples(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.addCleanup(os.chdir, Path.cwd())
        self.addCleanup(optinc.set_threads, optinc.threads())
        os.chdir(scratch.name)

    def run_examples(self, module):
        for name in NEEDS[module]:
            found = importlib.util.find_spec(name)
            if found is None or found.origin is None:  # the folder of tests beside this file is no package
                self.skipTest(f"no {name}")
        if module in ("optinc", "results") and not os.environ.get("OPTINC_TOOL"):
            self.skipTest("no OPTINC_TOOL")
        if module == "results":
            Path("study.toml").write_text(STUDY)
            optinc.run("study.toml", trials=2, sweep={"chip.sigma_eta_rad": [0.01, 0.02]}, output="run.h5", progress=False)
        given = {}
        exec(reference.GIVEN[module], given)
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
        for name, text in reference.examples(module).items():
            runner.run(parser.get_doctest(text, dict(given), f"{module}: {name}", f"{module}.txt", 0))
        self.assertEqual(runner.summarize(verbose=False).failed, 0)


for each in reference.MODULES:
    setattr(Examples, f"test_{each}", lambda self, module=each: self.run_examples(module))


if __name__ == "__main__":
    unittest.main()
