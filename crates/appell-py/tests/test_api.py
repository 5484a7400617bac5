"""`docs/python-api.md`: what the package offers, from its own signatures and docstrings.

The page is what the sources say; `python crates/appell-py/tests/test_api.py` writes it.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "python-api.md"
PACKAGE = ROOT / "crates" / "appell-py" / "python" / "appell"

HEAD = """# Python: classes and functions

Written by `python crates/appell-py/tests/test_api.py` from the docstrings; do not edit it. The guide is [Python](python.md).
"""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def page() -> str:
    """The page."""
    names = offered()
    # Of two of one name the offered one counts, which stands in the modules that the package imports from, its stub first.
    sources = sorted(PACKAGE.glob("*.py*"), key=lambda path: (path.stem in imported(), path.suffix == ".py"))
    modules = [ast.parse(path.read_text(encoding="utf-8")) for path in sources]
    nodes = {node.name: node for module in modules for node in module.body if isinstance(node, (ast.ClassDef, Function))}
    shown = [nodes[name] for name in names if name in nodes]
    classes = [section(node, nodes) for node in shown if isinstance(node, ast.ClassDef)]
    functions = [entry(node, "##") for node in shown if isinstance(node, Function)]
    return HEAD + "".join(classes + functions)


def imported() -> set[str]:
    """The modules from which the package takes what it offers."""
    module = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    return {node.module for node in module.body if isinstance(node, ast.ImportFrom) and node.module is not None}


def offered() -> list[str]:
    """`__all__`."""
    module = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    raise AssertionError("the package does not say what it offers")


def section(node: ast.ClassDef, nodes: dict[str, ast.ClassDef | Function]) -> str:
    """A class with its methods, those of the package's classes that it is made of too."""
    text = f"\n## {node.name}\n\n{described(node)}"
    classes = [node, *inner(node, nodes)]
    return text + "".join(entry(method, "###") for own in classes for method in methods(own))


def inner(node: ast.ClassDef, nodes: dict[str, ast.ClassDef | Function]) -> Iterator[ast.ClassDef]:
    """The classes of the package that a class is made of, and that are not offered themselves."""
    for base in node.bases:
        own = nodes.get(ast.unparse(base))
        if isinstance(own, ast.ClassDef) and own.name not in offered():
            yield own
            yield from inner(own, nodes)


def methods(node: ast.ClassDef) -> Iterator[Function]:
    """Those for users, without the declarations of overloads."""
    for method in node.body:
        if not isinstance(method, Function) or method.name.startswith("_"):
            continue
        if not any("overload" in ast.unparse(own) for own in method.decorator_list):
            yield method


def entry(node: Function, level: str) -> str:
    """A function or method."""
    is_property = any(ast.unparse(own).endswith("property") for own in node.decorator_list)
    arguments = "" if is_property else f"({signature(node)})"
    return f"\n{level} {node.name}\n\n```text\n{node.name}{arguments}\n```\n\n{described(node)}"


def signature(node: Function) -> str:
    """The names of the arguments with their defaults."""
    own = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(own, Function)
    every = [*own.args.posonlyargs, *own.args.args, *own.args.kwonlyargs, own.args.vararg, own.args.kwarg]
    for argument in every:
        if argument is not None:
            argument.annotation = None
    return ast.unparse(own.args).removeprefix("self, ").removeprefix("cls, ").removeprefix("self").removeprefix("cls")


def described(node: ast.ClassDef | Function) -> str:
    """The docstring; what it lists is kept as it stands."""
    text = inspect.cleandoc(ast.get_docstring(node) or "")
    lists = re.search(r"\n\n[A-Z]\w+\n---+\n", text)
    if lists is None:
        return f"{fenced(text)}\n"
    words = text[: lists.start()]
    return f"{fenced(words)}\n\n```text\n{text[lists.start() :].strip()}\n```\n"


def fenced(words: str) -> str:
    """Words with examples as code."""
    lines: list[str] = []
    code = False
    for line in words.splitlines():
        begins = line.startswith(">>>")
        if begins and not code:
            lines.append("```pycon")
            code = True
        if code and not line:
            lines.append("```")
            code = False
        lines.append(line)
    return "\n".join(lines + (["```"] if code else []))


def test_the_page_is_what_the_docstrings_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: python crates/appell-py/tests/test_api.py"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
