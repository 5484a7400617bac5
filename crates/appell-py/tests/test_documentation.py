"""The examples in Python of the documentation: run page by page, with the outputs shown."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = [ROOT / "docs" / "how-to" / name for name in ("derivatives.md", "lqr.md", "pydy.md", "sympy.md")]
FENCE = re.compile(r"^```python\n(.*?)^```\n(?:```output\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def test_the_first_five_lines_work_as_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    first = FENCE.findall((ROOT / "docs" / "python.md").read_text(encoding="utf-8"))[0][0]
    assert "reaction(" in first
    monkeypatch.chdir(ROOT)
    exec(compile(first, "python.md", "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_print_what_their_page_shows(page: Path) -> None:
    pytest.importorskip("scipy")
    pytest.importorskip("sympy")
    if page.stem == "pydy":
        pytest.importorskip("pydy", reason="the page runs PyDy's own examples, and PyDy is not installed")
    fences = FENCE.findall(page.read_text(encoding="utf-8"))
    assert fences
    names: dict[str, object] = {}
    for code, shown in fences:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(page), "exec"), names)
        assert printed.getvalue() == shown
