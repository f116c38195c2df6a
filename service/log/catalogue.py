"""
The catalogue of stored events: each type with the JSON Schema of its ``data``.

The catalogue also copies the rules' names from the rulebook into
``service/api/http/declaring/rule_names.py``, because an installed service has no documents.

``api-spec/events/<type>.v<n>.json`` is a promise: the shape in a committed file never changes. A
new shape is a new version in a file beside it. Titles and descriptions are not part of the shape:
they follow the docstrings. Run this module to write missing files, the current descriptions, and
``docs/events.md``.
"""

import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from inspect import cleandoc
from pathlib import Path
from textwrap import wrap
from typing import get_args, get_origin

import msgspec

from engine.coordination.aggregates import DECIDERS
from engine.kit.audiences import STAFF_ONLY
from engine.values import Sealed, SealedCard
from service.base.docstrings import members_of
from service.base.documents import Document, Json
from service.log.event_sets import sets_of
from service.log.hiding import Hint
from service.log.upcasters import current_version

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "api-spec" / "events"
SETS = ROOT / "api-spec" / "event-sets.json"
DOCUMENT = ROOT / "docs" / "events.md"
RULEBOOK = ROOT / "docs" / "rulebook.md"
RULE_NAMES = ROOT / "service" / "api" / "http" / "declaring" / "rule_names.py"
_RULE = re.compile(r"^\| (\d+\.\d+) \| `([a-z0-9_.]+)` \|", re.M)

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_NOTES = frozenset({"title", "description"})
"""Keywords of a schema that explain its shape and do not change it."""
_NAMED = frozenset({"properties", "$defs"})
"""Keywords that hold schemas by name. A property may be named ``title``."""
_VALUES = frozenset({"const", "default", "enum"})
"""Keywords that hold values and no schemas."""

SEALED_SCHEMA: Document = {
    "type": "object",
    "description": "A hidden value: who may open it, and the commitment that fixes it.",
    "properties": {
        "audience": {"type": "array", "items": {"type": "string"}},
        "commitment": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    },
    "required": ["audience", "commitment"],
    "additionalProperties": False,
}

CARD_SCHEMA: Document = {
    "type": "object",
    "description": "A face-down card: its place in a pile whose root was committed before.",
    "properties": {
        "pile": {"type": "integer", "minimum": 1},
        "position": {"type": "integer", "minimum": 0},
    },
    "required": ["pile", "position"],
    "additionalProperties": False,
}


class SchemaChanged(Exception):
    """A stored event's shape is not the committed one: it needs a new version."""


class SchemaUnknown(Exception):
    """An event holds a type that has no stored form."""


@cache
def events_by_category() -> dict[str, tuple[type[msgspec.Struct], ...]]:
    """Return every event, by the category of the streams that hold it."""
    return {category: get_args(decider.events) for category, decider in DECIDERS.items()}


@cache
def event_types() -> frozenset[str]:
    """Return the tags of all events."""
    return frozenset(tag_of(event) for event in _events())


def tag_of(event: type[msgspec.Struct]) -> str:
    """Return an event's stored name."""
    return str(event.__struct_config__.tag)


def schema_of(event: type[msgspec.Struct]) -> Document:
    """Return the JSON Schema of an event's ``data`` in its current version."""
    tag = tag_of(event)
    generated = msgspec.json.schema(event, schema_hook=_hidden)
    version = current_version(tag)
    return {
        "$schema": DIALECT,
        "$id": f"holotable/events/{tag}.v{version}.json",
        **generated,
    }


def file_of(event: type[msgspec.Struct]) -> Path:
    """Return the path of an event's committed schema."""
    tag = tag_of(event)
    return SCHEMAS / f"{tag}.v{current_version(tag)}.json"


def text_of(schema: Document) -> str:
    """Return the text of *schema* in its committed form."""
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def shape_of(schema: Json) -> Json:
    """Return *schema* without its titles and descriptions."""
    if isinstance(schema, list):
        return [shape_of(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    shape: Document = {}
    for keyword, held in schema.items():
        if keyword in _NAMED:
            shape[keyword] = {name: shape_of(part) for name, part in held.items()}
        elif keyword in _VALUES:
            shape[keyword] = held
        elif keyword not in _NOTES:
            shape[keyword] = shape_of(held)
    return shape


def same_shape(committed: str, generated: str) -> bool:
    """Return whether two schemas have the same shape, apart from titles and descriptions."""
    return bool(shape_of(json.loads(committed)) == shape_of(json.loads(generated)))


def document() -> str:
    """Return the text of ``docs/events.md``."""
    lines = [
        "# Stored events",
        "",
        "Made by `python -m service.log.catalogue`; do not edit.  Each event links to the JSON",
        "Schema of its public part (`data`).  `sealed` marks values only for their audience.",
        "For events that only staff may read, feeds show no data, and bundles show only the hash.",
    ]
    for category, events in events_by_category().items():
        lines += ["", f"## {category}", ""]
        for event in events:
            lines += _entry(event)
    return "\n".join(lines) + "\n"


def write() -> list[Path]:
    """
    Write the schemas and documents with a text that differs from the committed one.

    Returns:
      The paths that were written.

    Raises:
      SchemaChanged: If a committed schema has another shape, or a set of versions another version.
        Then nothing is written.
    """
    texts = {file_of(event): text_of(schema_of(event)) for event in _events()}
    for path, text in texts.items():
        if path.exists() and not same_shape(path.read_text(encoding="utf-8"), text):
            raise SchemaChanged(f"{path.name} is committed with another shape")
    demand_sets_kept()
    texts |= {DOCUMENT: document(), RULE_NAMES: rule_names(), SETS: sets_text()}
    SCHEMAS.mkdir(parents=True, exist_ok=True)
    written = []
    for path, text in texts.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            written.append(path)
    return written


def sets_text() -> str:
    """Return the text of ``api-spec/event-sets.json``: the version of each event in each set."""
    return json.dumps(sets_of(event_types()), indent=1, sort_keys=True) + "\n"


def demand_sets_kept() -> None:
    """
    Check that committed sets of event versions keep their content. They may only gain types.

    Raises:
      SchemaChanged: If a set has another version of a type.
    """
    committed = json.loads(SETS.read_text(encoding="utf-8")) if SETS.exists() else {}
    current = json.loads(sets_text())
    for number, versions in committed.items():
        changed = versions.items() - current.get(number, {}).items()
        if changed:
            raise SchemaChanged(
                f"set {number} of event versions is committed with {sorted(changed)}; begin a new "
                "set in service/log/event_sets.py, with the way back to the older ones"
            )


def rule_names() -> str:
    """Return the text of ``api/http/declaring/rule_names.py``: every rule of the rulebook."""
    rules = [f"{number}:{name}" for number, name in _RULE.findall(RULEBOOK.read_text("utf-8"))]
    lines = wrap(" ".join(rules), 96, break_long_words=False, break_on_hyphens=False)
    said = "Every rule of ``docs/rulebook.md``. Made by ``python -m service.log.catalogue``."
    return "\n".join((f'"""{said}"""', "", '_RULES = """', *lines, _RULE_NAMES_END))


_RULE_NAMES_END = '''""".split()  # noqa: SIM905 - a list would take a line for each

NUMBERS = {name: number for number, _, name in (each.partition(":") for each in _RULES)}
"""The number of each rule in the rulebook, such as ``7.3``, by its name."""

NAMES = sorted(NUMBERS)
"""The names of all rules."""
'''


def _events() -> Iterator[type[msgspec.Struct]]:
    """Yield every event, in the order of the document."""
    for events in events_by_category().values():
        yield from events


def _hidden(value: object) -> Document:
    if value is SealedCard:
        return dict(CARD_SCHEMA)
    if value is Sealed or get_origin(value) is Sealed:
        return dict(SEALED_SCHEMA)
    raise SchemaUnknown(f"{value!r} has no stored form in an event")


def _entry(event: type[msgspec.Struct]) -> list[str]:
    tag = tag_of(event)
    path = f"api-spec/events/{file_of(event).name}"
    about = cleandoc(event.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    fields = ", ".join(_field(field) for field in msgspec.structs.fields(event)) or "nothing"
    return [
        f"### [`{tag}`](../{path})",
        "",
        *([about, ""] if about else []),
        *(["Only staff may read it.", ""] if tag in STAFF_ONLY else []),
        f"Holds {fields}.",
        "",
        *_notes(event),
    ]


def _notes(event: type[msgspec.Struct]) -> list[str]:
    """Return the texts about an event's members. The members of a part appear once per event."""
    # Several games may share a member. Its text appears once.
    said = dict.fromkeys(_said(event, "", {event}))
    notes = [f"- `{path}`: {text.replace('``', '`')}" for path, text in said]
    return [*notes, ""] if notes else []


def _said(
    struct: type[msgspec.Struct], within: str, seen: set[type[msgspec.Struct]]
) -> Iterator[tuple[str, str]]:
    about = members_of(struct)
    for field in msgspec.structs.fields(struct):
        path = f"{within}{field.encode_name}"
        if field.name in about:
            yield path, about[field.name]
        for part in _parts(field.type):
            if part not in seen:
                seen.add(part)
                yield from _said(part, f"{path}.", seen)


def _parts(kind: Hint) -> Iterator[type[msgspec.Struct]]:
    """Yield the structs that a member's type is made of."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if not issubclass(kind, Sealed | SealedCard):
            yield kind
        return
    for argument in get_args(kind):
        yield from _parts(argument)


def _field(field: msgspec.structs.FieldInfo) -> str:
    hidden = "Sealed" in str(field.type)
    return f"`{field.encode_name}` (sealed)" if hidden else f"`{field.encode_name}`"


if __name__ == "__main__":
    sys.stdout.writelines(f"{path.relative_to(ROOT)}\n" for path in write())
