"""The routes by path: every method of a path, and the declaration of each."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from litestar.handlers import HTTPRouteHandler

from service.api.http.declaring.declaration import Operation

_ORDER = ("GET", "POST", "PUT", "PATCH", "DELETE")


_KNOWN_MAX = 4096
_LENGTH_MAX = 128
"""Paths that are remembered, and their length. Without it a client could fill the memory."""


@dataclass(slots=True)
class Methods:
    """The methods of one path."""

    operations: dict[str, Operation] = field(default_factory=dict)
    """The declarations by method, without ``HEAD`` and ``OPTIONS``, which follow from them."""

    @property
    def allow(self) -> str:
        """The value of ``Allow``: every method that the path answers."""
        found = [each for each in _ORDER if each in self.operations]
        if "GET" in found:
            found.insert(1, "HEAD")
        return ", ".join([*found, "OPTIONS"])


@dataclass(slots=True)
class _Node:
    """One part of a path."""

    parts: dict[str, "_Node"] = field(default_factory=dict)
    parameter: "_Node | None" = None
    methods: Methods | None = None


class Paths:
    """
    Every path of an application.

    A fixed part goes before a parameter in its place, as in the framework's own routing.
    """

    def __init__(self, handlers: Iterable[HTTPRouteHandler]) -> None:
        self._root = _Node()
        self._known: dict[str, Methods] = {}
        for handler in handlers:
            operation: Operation = handler.opt["operation"]
            for path in handler.paths:
                methods = self._made(path)
                for method in handler.http_methods - {"HEAD"}:
                    methods.operations[method] = operation

    def at(self, path: str) -> Methods | None:
        """Return the methods of *path*, or None if no route has it."""
        if path in self._known:
            return self._known[path]
        found = self._found(path)
        if found is not None and len(path) <= _LENGTH_MAX:
            if len(self._known) >= _KNOWN_MAX:
                self._known.clear()
            self._known[path] = found
        return found

    def _found(self, path: str) -> Methods | None:
        node = self._root
        for part in path.split("/"):
            if part:
                following = node.parts.get(part) or node.parameter
                if following is None:
                    return None
                node = following
        return node.methods

    def _made(self, path: str) -> Methods:
        node = self._root
        for part in filter(None, path.split("/")):
            if part.startswith("{"):
                node.parameter = node = node.parameter or _Node()
            else:
                node = node.parts.setdefault(part, _Node())
        if node.methods is None:
            node.methods = Methods()
        return node.methods
