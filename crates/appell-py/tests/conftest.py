"""What every test needs: the repository, and the command line beside which results are held."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
ZOO = sorted((ROOT / "zoo").glob("*.toml"))


@pytest.fixture(scope="session")
def cli() -> Any:
    """The command line: JSON, or an array file, of a command with arguments."""
    program = os.environ.get("APPELL_CLI") or shutil.which("appell")
    if program is None:
        pytest.skip("no command line: set APPELL_CLI to the program")

    def run(*arguments: str) -> Any:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1, 3), done.stderr
        return json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout

    return run
