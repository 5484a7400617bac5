"""Lists of names that belong to an object, and are read as copies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import overload

__all__ = ["Listed"]


class Listed:
    """A list of names of which each reader gets a copy: what is sorted or extended there is the reader's own."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Listed: ...

    @overload
    def __get__(self, instance: object, owner: type) -> list[str]: ...

    def __get__(self, instance: object | None, owner: type) -> Listed | list[str]:
        if instance is None:
            return self
        try:
            return list(instance.__dict__[self._name])
        except KeyError:
            raise AttributeError(self._name) from None

    def __set__(self, instance: object, names: Iterable[str]) -> None:
        instance.__dict__[self._name] = list(names)
