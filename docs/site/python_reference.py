"""The reference of the Python package: every public name with its signature, docstring, members and an example.

Nothing is imported: signatures and docstrings are read from the sources and from the stubs of the compiled module, which
a build puts beside them (build/PRESET/python/optinc), and examples from docs/examples.
"""

import ast
import functools
import re
from pathlib import Path

MODULES = ("optinc", "torch", "jax", "results", "layout", "fit")
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
GIVEN = {"optinc": "import pathlib\nimport numpy as np, optinc", "torch": "import optinc, torch\nfrom optinc.torch import *",
         "jax": "import jax, numpy as np, optinc\nfrom optinc.jax import *",
         "results": "import optinc\nfrom optinc import results\n"
                    "run = results.open_run(\"run.h5\")  # a mesh of 4 ports, 2 trials, chip.sigma_eta_rad = 0.01, 0.02",
         "layout": "import optinc\nfrom optinc import layout", "fit": "import pathlib\nimport numpy as np\nfrom optinc import fit"}
"""What the examples of a module begin with."""
_ARRAY = re.compile(r"Annotated\[(NDArray\[\S+?\]), dict\(.*?\)\]")


def examples(module):
    """Examples of a module by name, as doctests."""
    blocks = re.split(r"\n\n(?=\S)", (EXAMPLES / f"{module}.txt").read_text(encoding="utf-8").strip())
    return {name: text + "\n" for name, _, text in (block.partition("\n") for block in blocks)}


def public(package, module):
    """(name, its definition in the sources) of all that a module offers, in the order of its __all__."""
    tree = _tree(_file(package, "__init__" if module == "optinc" else module))
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "__all__":
            return [(name, _definition(package, tree, name)) for name in ast.literal_eval(statement.value)]
    raise ValueError(f"{module} has no __all__ (it says what is public). Give it one.")


def undocumented(package):
    """What is public and says nothing, and names without an example."""
    missing = []
    for module in MODULES:
        shown = examples(module)
        for name, found in public(package, module):
            missing += [f"{module}: no example of {name}"] * (name not in shown)
            missing += [f"{module}.{name}"] * (not _said(found))
            missing += [f"{module}.{name}.{member}" for member, part in _members(found) if not _said(part)]
    return missing


def page(package, module):
    """The page of a module, as Markdown; without the package a line that says where it comes from."""
    if package is None:
        return f"# {module}\n\nNot part of this copy. `docs/site/build --python build/PRESET/python/optinc` adds it.\n"
    tree = _tree(_file(package, "__init__" if module == "optinc" else module))
    name = module if module == "optinc" else f"optinc.{module}"
    text = [f"# {name}\n", _prose(ast.get_docstring(tree) or ""), f"Examples begin with\n\n```python\n{GIVEN[module]}\n```\n"]
    shown = examples(module)
    for title, found in public(package, module):
        text += [f"## {title}\n", f"```python\n{_signature(found)}\n```\n", _prose(_said(found))]
        if title in shown:
            shown_text = shown[title].replace("  # doctest: +SKIP", "  # takes seconds")
            text.append("```python\n" + re.sub("^    ", "", shown_text, flags=re.MULTILINE) + "```\n")
        members = _members(found)
        values = [(member, part) for member, part in members if not isinstance(part, ast.FunctionDef) or _is_property(part)]
        text += [f"- `{_signature(part)}`: {_prose(' '.join(_said(part).split()))}".rstrip() for _, part in values] + [""]
        for member, part in members:
            if (member, part) not in values:
                text.append(f"### {title}.{member}\n\n```python\n{_signature(part)}\n```\n\n{_prose(_said(part))}")
    return "\n".join(text)


def _file(package, module):
    places = [package / f"{module}{ending}" for ending in (".py", ".pyi")] + [package / module / "__init__.py"]
    return next(place for place in places if place.exists())


@functools.cache
def _tree(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    tree.file = file
    return tree


def _definition(package, tree, name):
    """Where a name is defined: in a module, or where that imports it from. A constant's docstring stands behind it."""
    for statement, behind in zip(tree.body, [*tree.body[1:], None]):
        if getattr(statement, "name", None) == name:
            return statement
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            if getattr(target, "id", None) == name:
                statement.said = ast.literal_eval(behind.value) if isinstance(behind, ast.Expr) else ""
                return statement
    for statement in ast.walk(tree):
        if isinstance(statement, ast.ImportFrom) and name in (alias.name for alias in statement.names):
            folder = tree.file.parent if statement.level == 1 else tree.file.parent.parent
            return _definition(package, _tree(_file(folder, statement.module)), name)
    raise ValueError(f"{name} is defined nowhere (__all__ of {tree.file} has it). Remove it there.")


def _members(found):
    """(name, definition) of what is public in a class: constructor, properties, methods, fields; without setters."""
    if not isinstance(found, ast.ClassDef):
        return []
    members = {}
    for statement, behind in zip(found.body, [*found.body[1:], None]):
        name = getattr(statement, "name", None) or getattr(getattr(statement, "target", None), "id", "_")
        if isinstance(statement, ast.AnnAssign):
            statement.said = ast.literal_eval(behind.value) if isinstance(behind, ast.Expr) else ""
            if not statement.said and "dataclass" not in ast.unparse(found.decorator_list) and not _is_tuple(found):
                continue  # a type for checkers
            if not statement.said:
                statement.said = "See above."
        if (not name.startswith("_") or name == "__init__" and ast.get_docstring(statement)) and name not in members:
            members[name] = statement
    return list(members.items())


def _is_property(found):
    return any(ast.unparse(decorator) == "property" for decorator in found.decorator_list)


def _is_tuple(found):
    return any("NamedTuple" in ast.unparse(base) for base in found.bases)


def _said(found):
    return found.said if hasattr(found, "said") else ast.get_docstring(found) or ""


def _signature(found):
    """A definition without its body, arrays by their elements."""
    if isinstance(found, (ast.Assign, ast.AnnAssign)):
        text = ast.unparse(found)
    elif isinstance(found, ast.ClassDef):
        text = f"class {found.name}"
        for statement in found.body:
            if getattr(statement, "name", "") == "__init__":
                text += re.sub(r"^\(self(, )?", "(", f"({ast.unparse(statement.args)})")
                break
    elif _is_property(found):
        text = f"{found.name}: {ast.unparse(found.returns) if found.returns else 'object'}"
    else:
        returns = f" -> {ast.unparse(found.returns)}" if found.returns else ""
        text = f"{found.name}({ast.unparse(found.args)}){returns}"
    return _ARRAY.sub(r"\1", text).replace("numpy.typing.", "").replace("numpy.", "")


def _prose(text):
    """A docstring as Markdown: nothing in it is HTML, and lists of arguments are lists."""
    lines, section = [], ""
    for line in text.splitlines():
        if re.fullmatch(r"(Args|Returns|Raises):", line):
            lines += [f"*{line}*", ""]
            section = line
            continue
        if line and not line.startswith(" "):
            section = ""
        if section in ("Args:", "Raises:"):
            line = re.sub(r"^    (\w+): ", r"- \1: ", line)
        elif section:
            line = line[4:]
        lines.append(line)
    return "\n".join(line if line.startswith("    ") else line.replace("<", "&lt;") for line in lines) + "\n"
