"""
Answers against the document: each JSON answer must be exactly what its route declares.

The API's test client calls :func:`check` for every answer, so every test is a test of the
document too.
"""

import re
from functools import cache
from typing import Any

import httpx
import msgspec

from service.api.http.declaring.declaration import Operation
from service.api.http.problems.answers import MEDIA_TYPE
from service.api.http.writing.rehearsing import WouldChange
from service.api.openapi.answers import TEXTS, codes_of, types_of
from service.api.openapi.forms import PATTERNS
from service.api.routes import ROUTES

_PARAMETER = re.compile(r"\{\w+:\w+\}")


_OF_ANY = frozenset(("method_not_allowed",))
"""Codes that no single route answers with."""

_LEGAL = re.compile(r"\.legal\[\d+\]$")
"""Legal actions keep a null for each number that does not apply. Their types leave these out."""

received: dict[str, set[bytes]] | None = None
"""The answers received so far, by operation, or None if nobody records examples."""


@cache
def _operations() -> list[tuple[str, re.Pattern[str], Operation]]:
    found = []
    for handler in ROUTES:
        for path in handler.paths:
            pattern = re.compile(_PARAMETER.sub("[^/]+", path))
            found += [
                (method, pattern, handler.opt["operation"]) for method in handler.http_methods
            ]
    # A path without parameters is meant before one with them.
    return sorted(found, key=lambda each: each[1].pattern.count("[^/]+"))


@cache
def _codes_of(described: Operation) -> frozenset[str]:
    in_path = any(each is described and "[^/]+" in path.pattern for _, path, each in _operations())
    return frozenset(codes_of(described, in_path)) | _OF_ANY


def operation_of(method: str, path: str) -> Operation | None:
    """Return the declaration of the route that serves *path*, or None if there is none."""
    for known, pattern, described in _operations():
        if known == method and pattern.fullmatch(path):
            return described
    return None


async def check(answer: httpx.Response) -> None:
    """
    Check that an answer is what its route declares: its JSON, or the code of its problem.

    Raises:
        AssertionError: If a member is missing, is not declared, or has another type.
    """
    media = answer.headers.get("content-type", "").partition(";")[0]
    described = operation_of(answer.request.method, answer.request.url.path)
    if described is None:
        return
    if media == MEDIA_TYPE:
        await answer.aread()
        code = answer.json()["code"]
        assert code in _codes_of(described), f"{described.name} does not declare {code}"
    await _record_text(described, media, answer)
    if media != "application/json":
        return
    await answer.aread()
    shape = described.answer
    if answer.request.url.params.get("dry_run") == "true" and described.dry_run:
        shape = WouldChange
    elif received is not None:
        received.setdefault(described.name, set()).add(answer.content)
    faults = [fault_of(answer.content, each) for each in types_of(shape)]
    assert None in faults, f"{described.name} answers what it does not declare: {faults}"


async def _record_text(described: Operation, media: str, answer: httpx.Response) -> None:
    """Keep an answer that is shown as text, if examples are recorded."""
    if received is not None and media in TEXTS and described.media == media:
        await answer.aread()
        received.setdefault(described.name, set()).add(answer.content)


def fault_of(content: bytes, shape: Any) -> str | None:
    """Return the difference between a JSON answer and its declared *shape*, or None."""
    try:
        decoded = msgspec.json.decode(content, type=shape)
    except msgspec.ValidationError as error:
        return str(error)
    return _between(
        "$", msgspec.json.decode(content), msgspec.json.decode(msgspec.json.encode(decoded))
    )


def _named(name: str, value: Any) -> bool:
    """Return whether a text in a member of this name is the identifier that it should be."""
    return not isinstance(value, str) or re.fullmatch(PATTERNS[name], value) is not None


def _between(path: str, sent: Any, declared: Any) -> str | None:
    """Return the first place where the answer differs from its declared form."""
    if isinstance(sent, dict) and isinstance(declared, dict):
        for name in sorted({*sent, *declared}):
            if name not in sent:
                return f"`{path}.{name}` is missing"
            if name not in declared and _LEGAL.search(path) and sent[name] is None:
                continue
            if name not in declared:
                return f"`{path}.{name}` is not declared"
            if name in PATTERNS and not _named(name, sent[name]):
                return f"`{path}.{name}` is no identifier: {sent[name]!r}"
            if fault := _between(f"{path}.{name}", sent[name], declared[name]):
                return fault
        return None
    if isinstance(sent, list) and isinstance(declared, list) and len(sent) == len(declared):
        faults = (
            _between(f"{path}[{i}]", *pair)
            for i, pair in enumerate(zip(sent, declared, strict=True))
        )
        return next((each for each in faults if each), None)
    return None if sent == declared else f"`{path}` is {sent!r}, declared as {declared!r}"
