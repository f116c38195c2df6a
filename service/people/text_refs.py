"""References to texts: the events that can hold them, and the references in a document."""

import re
from collections.abc import Iterator
from functools import cache
from typing import get_args

import msgspec

from engine.values import TextId, TextRef
from service.log.catalogue import events_by_category, tag_of
from service.log.hiding import Hint

_MEMBERS = {"text", "digest"}
_NAME = re.compile("txt_[0-9a-f]{32}")


@cache
def types_with_texts() -> tuple[str, ...]:
    """Return every event type that can refer to a text."""
    events = {each for events in events_by_category().values() for each in events}
    return tuple(sorted(tag_of(each) for each in events if _refers(each, set())))


def refs_in(document: object) -> Iterator[TextRef]:
    """Yield every reference to a text in an event's JSON, at any depth."""
    if isinstance(document, dict):
        name, digest = document.get("text"), document.get("digest")
        if document.keys() == _MEMBERS and isinstance(name, str) and isinstance(digest, str):
            yield TextRef(text=TextId(name), digest=digest)
            return
        document = list(document.values())
    if isinstance(document, list):
        for each in document:
            yield from refs_in(each)


def named_in(document: object) -> dict[str, str | None]:
    """
    Return the texts that an event's JSON names, each with its digest.

    The digest is None for the bare names of older versions (``tournament_cancelled`` v1).
    """
    return {**dict.fromkeys(_bare_names(document)), **{e.text: e.digest for e in refs_in(document)}}


def _bare_names(document: object) -> Iterator[str]:
    if isinstance(document, str) and _NAME.fullmatch(document):
        yield document
    elif isinstance(document, dict | list):
        for each in document.values() if isinstance(document, dict) else document:
            yield from _bare_names(each)


def _refers(kind: Hint, seen: set[Hint]) -> bool:
    if kind is TextRef:
        return True
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind in seen:
            return False
        seen.add(kind)
        return any(_refers(field.type, seen) for field in msgspec.structs.fields(kind))
    return any(_refers(each, seen) for each in get_args(kind))
