"""
The forms of texts that msgspec leaves out of its schemas.

An instant is a ``date-time``. A member that is named after a thing holds that thing's identifier.
"""

from collections.abc import Iterator, Mapping

from msgspec import inspect

from service.base.documents import Document

PATTERNS: Mapping[str, str] = {
    name: f"^{prefix}_[0-9a-f]{{32}}$"
    for name, prefix in {
        "dispute": "dsp",
        "entrant": "ent",
        "hand": "hnd",
        "league": "lge",
        "player": "plr",
        "season": "ssn",
        "table": "tbl",
        "tournament": "trn",
    }.items()
}
"""The pattern of a text in a member of this name. A test holds all received answers against it."""


def formed(schema: Document, kind: type) -> None:
    """Write the forms of the members of *kind* into its *schema*."""
    about = inspect.type_info(kind)
    if not isinstance(about, inspect.StructType | inspect.TypedDictType):
        return
    for field in about.fields:
        name, shown = field.encode_name, schema["properties"][field.encode_name]
        for each in _texts(shown):
            if _instant(field.type):
                each["format"] = "date-time"
            elif name in PATTERNS and not each.keys() & {"pattern", "enum", "format"}:
                each["pattern"] = PATTERNS[name]


def _instant(kind: inspect.Type) -> bool:
    """Return whether a value may be an instant."""
    match kind:
        case inspect.DateTimeType():
            return True
        case inspect.Metadata(type=inner) | inspect.CollectionType(item_type=inner):
            return _instant(inner)
        case inspect.UnionType(types=types):
            return any(_instant(each) for each in types)
        case _:
            return False


def _texts(schema: Document) -> Iterator[Document]:
    """Yield every part of *schema* that is a text."""
    if schema.get("type") == "string":
        yield schema
    for each in (*schema.get("anyOf", ()), schema.get("items")):
        if isinstance(each, dict):
            yield from _texts(each)
