"""Results as tables of HTML, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["tables"]

_MOST = 60
_MARKS = {"proved": "\u2713", "refuted": "\u2717", "undecided": "?"}


def tables(data: Mapping[str, Any]) -> str:
    """A result: what is single in one table, each list of objects in a table of its own."""
    single = {name: value for name, value in data.items() if not _is_list_of_objects(value)}
    several = {name: value for name, value in data.items() if name not in single}
    parts = [_pairs(single)] if single else []
    parts += [f"<h4>{_words(name)}</h4>{_rows(value)}" for name, value in several.items()]
    return f'<div style="overflow-x: auto">{"".join(parts)}</div>'


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _pairs(data: Mapping[str, Any]) -> str:
    said = {name: value for name, value in data.items() if value not in (None, [], {})}
    head = '<th scope="row" style="text-align: left">'
    rows = (f"<tr>{head}{_words(name)}</th>{_cell(value)}</tr>" for name, value in said.items())
    return f"<table>{''.join(rows)}</table>"


def _rows(items: Sequence[Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(name for item in items for name, value in item.items() if value is not None))
    head = "".join(f'<th scope="col">{_words(name)}</th>' for name in names)
    rows = ("".join(_cell(item.get(name)) for name in names) for item in items[:_MOST])
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    more = f"<p>and {len(items) - _MOST} more</p>" if len(items) > _MOST else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: Any) -> str:
    return f'<td style="text-align: left">{_value(value)}</td>'


def _value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and value in _MARKS:
        return f"{_MARKS[value]} {value}"
    if isinstance(value, dict):
        return _pairs(value)
    if isinstance(value, list) and value and all(isinstance(item, list) for item in value):
        rows = ("".join(f"<td>{_value(item)}</td>" for item in row) for row in value[:_MOST])
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    if isinstance(value, list):
        return ", ".join(_value(item) for item in value[:_MOST]) + (", \u2026" if len(value) > _MOST else "")
    if isinstance(value, float):
        return f"{value:.6g}"
    return html.escape(str(value))


def _words(name: str) -> str:
    return html.escape(name.replace("_", " "))
