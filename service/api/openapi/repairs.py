"""
Schemas in the form that linters accept and generators of clients read.

What is sent does not change: these forms mean the same or, for a pair, a little less.
"""

import re
from collections.abc import Callable, Iterator

import msgspec

from service.base.documents import Document, Json

_NAMED = frozenset({"properties", "patternProperties", "$defs"})
"""Keywords that hold schemas by name."""

_VALUES = frozenset({"enum", "const", "examples", "required", "discriminator", "default"})
"""Keywords that hold no schemas."""

_ROLE = re.compile(r":\w+:`~?([^`]+)`")
_DEFAULT_MAX = 200


def repaired(schema: Json) -> Json:
    """Return *schema* with every part repaired."""
    if isinstance(schema, list):
        return [repaired(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found: Document = {}
    for keyword, held in schema.items():
        if keyword in _NAMED:
            found[keyword] = {name: _property(repaired(each)) for name, each in held.items()}
        elif keyword in _VALUES:
            found[keyword] = held
        elif keyword == "description":
            found[keyword] = as_markdown(held)
        else:
            found[keyword] = repaired(held)
    for repair in (_pair, _values, _reference):
        repair(found)
    return found


def as_markdown(text: str) -> str:
    """Return a docstring's text as Markdown, on one line for each paragraph."""
    plain = _ROLE.sub(r"`\1`", text).replace("``", "`")
    return "\n\n".join(" ".join(each.split()) for each in plain.split("\n\n"))


def renamed(schema: Json, name: Callable[[str], str]) -> Json:
    """Return *schema* with *name* applied to the schemas that it refers to."""
    if isinstance(schema, list):
        return [renamed(each, name) for each in schema]
    if isinstance(schema, dict):
        return {keyword: renamed(held, name) for keyword, held in schema.items()}
    if isinstance(schema, str) and schema.startswith("#/components/schemas/"):
        place, _, last = schema.rpartition("/")
        return f"{place}/{name(last)}"
    return schema


def used(document: Document) -> None:
    """Remove the components that nothing refers to."""
    while True:
        targets = set(_targets(document))
        left = [
            (kind, name)
            for kind, named in document["components"].items()
            for name in named
            if kind != "securitySchemes" and f"#/components/{kind}/{name}" not in targets
        ]
        if not left:
            return
        for kind, name in left:
            del document["components"][kind][name]


def _targets(part: Json) -> Iterator[str]:
    """Yield everything that *part* refers to."""
    if isinstance(part, dict):
        for keyword, held in part.items():
            if keyword == "$ref":
                yield held
            else:
                yield from _targets(held)
    elif isinstance(part, list):
        for each in part:
            yield from _targets(each)


def _property(schema: Document) -> Document:
    """Lift a description out of ``anyOf``, and write a default that is not a scalar as text."""
    for part in schema.get("anyOf", ()):
        if "description" in part:
            schema.setdefault("description", part.pop("description"))
    default = schema.get("default")
    if isinstance(default, dict | list | tuple):
        del schema["default"]
        text = msgspec.json.encode(default).decode()
        if len(text) <= _DEFAULT_MAX:
            schema["x-default"] = text
    return schema


def _pair(schema: Document) -> None:
    """Let a tuple be an array of its items. Its length stays fixed."""
    parts = schema.pop("prefixItems", None)
    if parts is not None:
        different = [each for number, each in enumerate(parts) if each not in parts[:number]]
        schema["items"] = different[0] if len(different) == 1 else {"anyOf": different}


def _values(schema: Document) -> None:
    """Name the type of an enumeration. A constant boolean is a boolean."""
    values = schema.get("enum", ())
    if values and all(isinstance(each, bool) for each in values):
        schema["type"] = "boolean"
        del schema["enum"]
        schema.pop("default", None)
    elif values and all(isinstance(each, str) for each in values):
        schema["type"] = "string"


def _reference(schema: Document) -> None:
    """Leave out the ``type`` that msgspec writes beside a reference of our own."""
    if "$ref" in schema:
        schema.pop("type", None)
