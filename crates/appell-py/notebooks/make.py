"""Makes the notebooks of the scripts in this folder: `python make.py`.

A script is cells that begin with `# %%` or, for text, `# %% [markdown]`. The notebooks hold no outputs;
the tests execute them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
MARK = "# %%"


def notebook(script: str) -> str:
    """The text of a notebook."""
    cells = [cell(part) for part in script.split(MARK)[1:]]
    document = {
        "cells": [{"id": f"cell-{index}", **entry} for index, entry in enumerate(cells)],
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1) + "\n"


def cell(part: str) -> dict[str, Any]:
    """One cell."""
    head, _, body = part.partition("\n")
    if "[markdown]" in head:
        text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines())
        return {"cell_type": "markdown", "metadata": {}, "source": lines(text)}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": lines(body.strip()),
    }


def lines(text: str) -> list[str]:
    """As notebooks keep them."""
    return text.splitlines(keepends=True)


def scripts() -> list[Path]:
    """The scripts of this folder."""
    return sorted(path for path in FOLDER.glob("*.py") if path.name != "make.py")


if __name__ == "__main__":
    for path in scripts():
        path.with_suffix(".ipynb").write_text(notebook(path.read_text(encoding="utf-8")), encoding="utf-8")
