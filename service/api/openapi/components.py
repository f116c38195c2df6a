"""
The component schemas: the types that bodies are read into and that answers are written from.

Bodies are closed: an unknown member is refused. Answers are open and whole: every member is always
there, and clients ignore members that they do not know. A type with both uses has two schemas, and
the one for bodies ends in ``Wanted``.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args, get_origin

import msgspec
from msgspec import inspect

from service.api.http.declaring.words import WORDS
from service.api.openapi.forms import formed
from service.api.openapi.repairs import as_markdown, renamed, repaired
from service.base.docstrings import members_of
from service.base.documents import Document, Json

REF = "#/components/schemas/{name}"
_PAGE = re.compile(r"\bPage_(\w+)_")


class Undescribed(Exception):
    """Members of bodies or answers have no text, so nobody could learn their meaning."""

    def __init__(self, missing: Sequence["Missing"]) -> None:
        listed = ", ".join(f"{each.module}.{each.struct}.{each.member}" for each in missing)
        super().__init__(f"write a text below each of these members: {listed}")


class Missing(NamedTuple):
    """A member without a text."""

    module: str
    struct: str
    member: str


@dataclass(frozen=True, slots=True)
class Components:
    """The schemas of all bodies and answers."""

    schemas: Document
    """The named schemas, by name."""

    bodies: Document
    """The schema of each body, by the ``repr`` of its type."""

    answers: Document
    """The schema of each answer, by the ``repr`` of its type."""

    undescribed: tuple[Missing, ...]


def components(bodies: Sequence[object], answers: Sequence[object]) -> Components:
    """Return the schemas of these types, and of everything within them."""
    asked, given = _Made(bodies), _Made(answers)
    for schema in given.schemas.values():
        _open(schema)
    twice = _differing(asked.schemas, given.schemas)

    def wanted(name: str) -> str:
        return f"{name}Wanted" if name in twice else name

    taken = {wanted(name) for name in twice} & {*asked.schemas, *given.schemas}
    if taken:
        raise TypeError(f"two schemas would have the name {taken}")
    closed = {
        wanted(name): renamed(schema, wanted) | {"title": wanted(name)}
        for name, schema in asked.schemas.items()
    }
    return Components(
        schemas=dict(sorted({**closed, **given.schemas}.items())),
        bodies={shape: renamed(schema, wanted) for shape, schema in asked.shapes.items()},
        answers=given.shapes,
        undescribed=tuple(sorted({*asked.undescribed, *given.undescribed})),
    )


class _Made:
    """The schemas that msgspec makes of *shapes*, repaired and described."""

    def __init__(self, shapes: Sequence[object]) -> None:
        made, named = msgspec.json.schema_components(shapes, ref_template=REF)
        self.undescribed: list[Missing] = []
        self.shapes: Document = {
            repr(shape): _paged(repaired(schema))
            for shape, schema in zip(shapes, made, strict=True)
        }
        classes = _classes(shapes)
        self.schemas: Document = {}
        for name, schema in named.items():
            kept = _PAGE.sub(r"\1Page", name)
            self.schemas[kept] = _paged(repaired(schema)) | {"title": kept}
            if "properties" in schema:
                formed(self.schemas[kept], classes[name])
                self._describe(self.schemas[kept], classes[name])

    def _describe(self, schema: Document, kind: type) -> None:
        """Write the text of each property below it: its docstring, its own text, or its word."""
        texts = _texts(kind)
        for member, shown in schema["properties"].items():
            text = texts.get(member) or shown.get("description") or _tagged(member, kind)
            text = text or WORDS.get(member)
            if text is None:
                self.undescribed.append(Missing(kind.__module__, kind.__name__, member))
                continue
            default = shown.pop("x-default", None)
            shown["description"] = as_markdown(text) + (
                f" Default: `{default}`." if default else ""
            )


def _paged(schema: Json) -> Json:
    """Return *schema* with the names of pages as clients see them: ``LeaguePage``."""
    return renamed(schema, lambda name: _PAGE.sub(r"\1Page", name))


def _texts(kind: type) -> dict[str, str]:
    """Return the texts below the members of *kind*, by the members' names in JSON."""
    below = members_of(kind)
    if not issubclass(kind, msgspec.Struct):
        return dict(below)
    fields = {each.name: each.encode_name for each in msgspec.structs.fields(kind)}
    return {fields[name]: text for name, text in below.items() if name in fields}


def _tagged(member: str, kind: type) -> str | None:
    """Return the text of a member that names the type of its object, or None for others."""
    if not issubclass(kind, msgspec.Struct) or kind.__struct_config__.tag_field != member:
        return None
    return f"Always `{kind.__struct_config__.tag}`."


def _open(schema: Document) -> None:
    """Let an answer's schema demand all its members, without defaults, and allow more."""
    if schema.get("additionalProperties") is False:
        del schema["additionalProperties"]
    if "properties" in schema:
        schema["required"] = sorted(schema["properties"])
        for shown in schema["properties"].values():
            shown.pop("default", None)


def _differing(first: Document, second: Document) -> set[str]:
    """Return the names whose schemas differ, or refer to schemas that differ."""
    both = first.keys() & second.keys()
    found = {name for name in both if first[name] != second[name]}
    while True:
        more = {name for name in both - found if _refers(first[name], found)}
        if not more:
            return found
        found |= more


def _refers(schema: Json, names: set[str]) -> bool:
    if isinstance(schema, list):
        return any(_refers(each, names) for each in schema)
    if not isinstance(schema, dict):
        return False
    target = str(schema.get("$ref", "")).rpartition("/")[2]
    return target in names or any(_refers(each, names) for each in schema.values())


def _classes(shapes: Iterable[object]) -> dict[str, type]:
    """Return every class within *shapes*, by the name that msgspec gives its schema."""
    found: dict[str, type] = {}
    seen: set[object] = set()
    waiting = [inspect.type_info(shape) for shape in shapes]
    while waiting:
        each = waiting.pop()
        match each:
            case inspect.StructType(cls=kind) | inspect.TypedDictType(cls=kind):
                if kind in seen:
                    continue
                seen.add(kind)
                found[_name(kind)] = get_origin(kind) or kind
        waiting.extend(_within(each))
    return found


def _name(kind: object) -> str:
    """Return the name that msgspec gives the schema of a class, or of a generic one."""
    origin = get_origin(kind) or kind
    if not isinstance(origin, type):
        raise TypeError(f"{kind} is no class")
    arguments = "_".join(_name(each) for each in get_args(kind))
    return f"{origin.__name__}_{arguments}_" if arguments else origin.__name__


def _within(kind: inspect.Type) -> list[inspect.Type]:
    match kind:
        case inspect.StructType(fields=fields) | inspect.TypedDictType(fields=fields):
            return [each.type for each in fields]
        case inspect.Metadata(type=inner):
            return [inner]
        case inspect.UnionType(types=types):
            return list(types)
        case inspect.DictType(key_type=key, value_type=value):
            return [key, value]
        case inspect.TupleType(item_types=types):
            return list(types)
        case inspect.CollectionType(item_type=inner):
            return [inner]
        case _:
            return []
