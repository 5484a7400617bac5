"""Studies of many motions, in folders of ordinary files; computed here or by an executor."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from concurrent.futures import Executor
from functools import lru_cache
from operator import index
from pathlib import Path
from typing import Any

from . import _appell
from ._errors import translated
from ._model import Model
from ._shown import Shown
from ._toml import document

__all__ = ["Chart", "Study", "sweep"]

_SHARES = 256
_Design = tuple[str, str, str]
_Three = tuple[str, str, str]
_Labels = tuple[str | None, str | None, str | None]


class Chart:
    """A chart of a study; a notebook shows it.

    Attributes
    ----------
    svg, png, html : bytes
        The files. The page tells what is under the pointer, and loads nothing.
    """

    def __init__(self, study: Study, names: _Three, labels: _Labels, section: str | None, title: str) -> None:
        self._given = (str(study.path), names, labels, section, title)
        # Drawn as the study is now, so that what is wrong is said at once.
        self.svg: bytes = self._bytes("svg")

    @property
    def png(self) -> bytes:
        """The chart in pixels, two for one of the SVG."""
        return self._bytes("png")

    @property
    def html(self) -> bytes:
        """A page in one file."""
        return self._bytes("html")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the chart; the ending decides: ``.svg``, ``.png`` or ``.html``."""
        Path(path).write_bytes(self._bytes(Path(path).suffix.lower().removeprefix(".")))

    def _bytes(self, format: str) -> bytes:
        return _appell.study_chart(*self._given, format)

    def _repr_svg_(self) -> str:
        return self.svg.decode()

    def __repr__(self) -> str:
        x, y, colour = self._given[1]
        return f"Chart({colour!r} over {x!r} and {y!r})"


class Study(Shown):
    """A study in a folder: parts that are there whole or not at all.

    The parts are Parquet files: DuckDB, Polars and pandas read them as they are,
    ``polars.scan_parquet("study/part-*.parquet")``.

    Attributes
    ----------
    path : pathlib.Path
        The folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path)

    def status(self) -> dict[str, int]:
        """What is done: ``members``, ``done``, ``parts``, ``parts_done``. Every part is held against its digest."""
        found: dict[str, int] = json.loads(_appell.study_status(str(self.path)))
        return found

    def to_arrow(self, columns: list[str] | None = None) -> Any:
        """The rows of all parts that are done, in the order of the members, as a ``pyarrow.Table``.

        Parameters
        ----------
        columns : list of str, optional
            Only these columns.
        """
        import pyarrow
        import pyarrow.parquet

        parts = sorted(self.path.glob("part-*.parquet"), key=_number)
        if not parts:
            raise ValueError(f"no part of the study in {self.path} is done yet")
        tables = [pyarrow.parquet.read_table(part, columns=columns) for part in parts]
        return pyarrow.concat_tables([table.replace_schema_metadata(None) for table in tables])

    def dataset(self) -> Any:
        """The parts that are done as a ``pyarrow.dataset.Dataset``: nothing is read before it is asked for.

        ``study.dataset().to_table(columns=["m", "far"], filter=pyarrow.compute.field("far") > 2)`` reads two columns.
        """
        import pyarrow.dataset

        parts = sorted(self.path.glob("part-*.parquet"), key=_number)
        if not parts:
            raise ValueError(f"no part of the study in {self.path} is done yet")
        return pyarrow.dataset.dataset([str(part) for part in parts], format="parquet")

    def section(self, name: str) -> Any:
        """The rows of a section of all parts that are done, as a ``pyarrow.Table``: ``member``, ``t`` and what is noted.

        Parameters
        ----------
        name : str
            The name of the reduction.
        """
        import pyarrow
        import pyarrow.parquet

        # A section stands before its part: what has no part yet is computed anew.
        parts = sorted(self.path.glob("part-*.parquet"), key=_number)
        files = [self.path / f"section-{name}-{_number(part):05}.parquet" for part in parts]
        if not files or not files[0].exists():
            raise ValueError(f"the study in {self.path} has no part with a section {name!r}")
        tables = [pyarrow.parquet.read_table(file) for file in files]
        return pyarrow.concat_tables([table.replace_schema_metadata(None) for table in tables])

    def chart(
        self,
        x: str,
        y: str,
        colour: str,
        *,
        section: str | None = None,
        title: str = "",
        x_label: str | None = None,
        y_label: str | None = None,
        colour_label: str | None = None,
    ) -> Chart:
        """One column in colours over two others: cells with contours of a full grid, dots of other members.

        Parameters
        ----------
        x, y, colour : str
            Names of columns; only that of the colour may hold words.
        section : str, optional
            The section whose rows are drawn in place of the members.
        title : str
            What stands above the chart.
        x_label, y_label, colour_label : str, optional
            What stands at them in place of the column's name and unit.

        Raises
        ------
        ValueError
            No part is done yet, or there is no such column; the columns there are stand in the message.

        Examples
        --------
        >>> import tempfile
        >>> import appell as ap
        >>> design = {"until": 2, "grid": {"x": "0:1:5", "x'": "0:1:5"}, "reduce": {"far": {"max": "x"}}}
        >>> spring = ap.Model(coordinates="x", kinetic="x'^2/2", potential="x^2/2", initial=["x = 1", "x' = 0"])
        >>> ap.sweep(spring, design, tempfile.mkdtemp()).chart("x(0)", "x'(0)", "far")
        Chart('far' over 'x(0)' and "x'(0)")
        """
        return Chart(self, (x, y, colour), (x_label, y_label, colour_label), section, title)

    def to_pandas(self, columns: list[str] | None = None) -> Any:
        """The same as a ``pandas.DataFrame``."""
        return self.to_arrow(columns).to_pandas()

    def __repr__(self) -> str:
        return f"Study({str(self.path)!r})"


def sweep(
    model: Model | str | os.PathLike[str],
    design: Mapping[str, Any] | str | os.PathLike[str],
    out: str | os.PathLike[str],
    executor: Executor | None = None,
    shard: tuple[int, int] | None = None,
    *,
    threads: int = 0,
    exact: bool = False,
    yes: bool = False,
) -> Study:
    """Computes what is missing of a study, and gives it.

    Parameters
    ----------
    model : Model or path
        The model; it goes to workers as a text.
    design : path or mapping
        The design: a file, or what would stand in it, such as ``{"grid": {"m": "0.5:2:16"}}``.
    out : path
        The folder of the study. A study that is there is gone on with.
    executor : concurrent.futures.Executor, optional
        Where the parts are computed, such as ``ProcessPoolExecutor()`` or Dask's ``client.get_executor()``; the folder
        must be the same for all workers. Without it they are computed here, by all processors.
    shard : (int, int), optional
        ``(i, n)``: only the parts whose number leaves the remainder ``i`` when divided by ``n``.
    threads : int, optional
        How many threads compute a part: 0 for one for each processor here, and for one at an executor's worker.
    exact : bool, optional
        Whether the study has the same bits on every machine: by elementary functions of our own, without compiled C.
    yes : bool, optional
        Whether a study of more than 20 million rows, or 8 GB, may be begun.

    Returns
    -------
    Study

    Raises
    ------
    ModelError
        What is wrong with the design or the model.
    ValueError
        The folder holds another study, or a part of it was changed.

    Examples
    --------
    >>> import appell, tempfile
    >>> model = appell.Model.gallery("chaplygin-sleigh")
    >>> design = {"until": 1, "grid": {"m": "0.5:2:4", "theta'": [0.5, 1]}}
    >>> study = appell.sweep(model, design, tempfile.mkdtemp())
    >>> study.status()
    {'members': 8, 'done': 8, 'parts': 1, 'parts_done': 1}
    """
    first, of = (0, 1) if shard is None else (index(number) for number in shard)
    if not 0 <= first < of:
        last = f"the last one of {of} is ({of - 1}, {of})" if of > 0 else "and there is at least one, (0, 1)"
        raise ValueError(f"shard={shard!r}: shares are counted from 0, {last}")
    own = model if isinstance(model, Model) else Model(model)
    given = _given(design)
    folder = str(Path(out).absolute())
    with translated():
        _, parts = own._session.study_size(given, yes)
    if executor is None:
        _share(own.name, own.text, given, folder, None if shard is None else (first, of), threads, exact)
        return Study(out)
    count = min(-(-parts // of), _SHARES)
    shares = [(first + of * i, of * count) for i in range(count)]
    arguments = [(own.name, own.text, given, folder, share, threads or 1, exact) for share in shares]
    futures = [executor.submit(_share, *own_arguments) for own_arguments in arguments]
    try:
        for future in futures:
            future.result()
    except BaseException:
        # What has not begun is left for another call.
        for future in futures:
            future.cancel()
        raise
    return Study(out)


def _given(design: Mapping[str, Any] | str | os.PathLike[str]) -> _Design:
    """The name, the text and the folder of a design; those of a mapping are relative to where we are."""
    if isinstance(design, Mapping):
        return "design", document(design, str), os.getcwd()
    path = Path(design)
    return str(path), path.read_text(encoding="utf-8"), str(path.absolute().parent)


@lru_cache(maxsize=4)
def _session(name: str, text: str) -> _appell.Session:
    return _appell.Session(name, text)


def _share(
    name: str,
    text: str,
    design: _Design,
    out: str,
    shard: tuple[int, int] | None,
    threads: int,
    exact: bool,
) -> str:
    """What a worker does: its model is read and prepared once."""
    with translated():
        return _session(name, text).study(design, out, shard, threads, exact)


def _number(part: Path) -> int:
    return int(part.stem.removeprefix("part-"))
