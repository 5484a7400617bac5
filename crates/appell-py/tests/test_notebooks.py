"""The notebooks are made of their scripts, and run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
sys.path.insert(0, str(FOLDER))

from make import notebook, scripts  # noqa: E402


@pytest.mark.parametrize("script", scripts(), ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")
def test_a_notebook_runs(script: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    path = script.with_suffix(".ipynb")
    text = path.read_text(encoding="utf-8")
    assert text == notebook(script.read_text(encoding="utf-8")), "run `python make.py` in notebooks/"
    document = nbformat.reads(text, as_version=4)
    nbformat.validate(document)
    nbclient.NotebookClient(document, timeout=300, kernel_name="python3").execute()
    shown = [output for cell in document.cells for output in cell.get("outputs", [])]
    assert shown
