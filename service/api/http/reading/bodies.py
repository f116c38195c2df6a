"""Strict reading of request bodies. Every deviation gets a problem code."""

import json
import re
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import TypeVar, overload

import msgspec

from service.api.http.access.authentication import demand_still
from service.api.http.problems.faults import fault, faults_of, refused
from service.api.http.shell import Asked
from service.base.documents import Json
from service.base.errors import BadRequest
from service.people.names import named

Body = TypeVar("Body", bound=msgspec.Struct)

_DEPTH_MAX = 32
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


@overload
async def read_body(request: Asked, shape: type[Body]) -> tuple[Body, bytes]: ...


@overload
async def read_body(request: Asked, shape: UnionType) -> tuple[msgspec.Struct, bytes]: ...


async def read_body(
    request: Asked, shape: type[Body] | UnionType
) -> tuple[Body | msgspec.Struct, bytes]:
    """
    Return the body as *shape*, and its canonical bytes, which are equal for equal requests.

    The bytes are used for a digest. They leave out the members that *shape* names in ``SECRET``.

    Raises:
        BadRequest: With a code for the kind of error, and its place.
        Unauthenticated: If the caller's token ended while the body came.
    """
    media = request.headers.get("content-type", "application/json").partition(";")[0].strip()
    if media.lower() != "application/json":
        raise BadRequest("unsupported_media_type", "the body has to be application/json")
    return body_of(await whole_body(request) or b"{}", shape)


async def whole_body(request: Asked) -> bytes:
    """Return the bytes of the body. The caller's token must still be valid when all have come."""
    text = await request.body()
    await demand_still(request)
    return text


@overload
def body_of(text: bytes, shape: type[Body]) -> tuple[Body, bytes]: ...


@overload
def body_of(text: bytes, shape: type[Body] | UnionType) -> tuple[Body | msgspec.Struct, bytes]: ...


def body_of(text: bytes, shape: type[Body] | UnionType) -> tuple[Body | msgspec.Struct, bytes]:
    """
    Return a JSON text as *shape*, and its canonical bytes, like :func:`read_body`.

    Raises:
        BadRequest: With a code for the kind of error, and its place.
    """
    content, misnamed = _decoded(text)
    try:
        body: Body = _held(msgspec.convert({"body": content}, _holding(shape), strict=True))
    except msgspec.ValidationError as error:
        raise refused(faults_of(content, shape)) from error
    if misnamed:
        raise refused(faults_of(content, shape))
    for name in getattr(shape, "SECRET", ()):
        content.pop(name, None)
    return body, msgspec.json.encode(content, order="sorted")


@cache
def _holding(shape: object) -> type[msgspec.Struct]:
    """
    Return a struct with a member ``body`` of this shape.

    msgspec caches its analysis of a struct. It would analyse each member of a bare union again for
    each body.
    """
    return msgspec.defstruct("Holding", [("body", shape)])


_held = attrgetter("body")


def _decoded(text: bytes) -> tuple[Json, list[str]]:
    """
    Return the value of a JSON text with names in their normal form, and the names that have none.

    Raises:
        BadRequest: ``invalid_unicode`` or ``invalid_json``.
    """
    try:
        content = msgspec.json.decode(text)
    except UnicodeDecodeError as error:
        raise BadRequest("invalid_unicode", "the body is not UTF-8") from error
    except (msgspec.DecodeError, RecursionError) as error:
        code = "invalid_unicode" if _SURROGATE.search(text) else "invalid_json"
        raise BadRequest(code, "the body is not JSON (RFC 8259) in UTF-8") from error
    misnamed: list[str] = []
    members = _checked(content, 0, misnamed)
    # If there are as many colons as members, no member was overwritten. Colons in strings
    # do not count.
    if text.count(b":") != members and _STRING.sub(b"", text).count(b":") != members:
        raise BadRequest("invalid_json", f"an object has the member {_repeated(text)} twice")
    return content, misnamed


def invalid(message: str) -> BadRequest:
    """Return the refusal for one validation error of msgspec."""
    return refused([fault(message)])


def _checked(content: object, depth: int, misnamed: list[str]) -> int:
    """
    Return the number of object members in *content*. Normalise every ``name`` in place.

    In every body a ``name`` is the name of something.

    Args:
        misnamed: Gets the names that are not valid. They stay as they are.

    Raises:
        BadRequest: If the nesting or a string is invalid.
    """
    if depth > _DEPTH_MAX:
        raise BadRequest("invalid_json", "the body is nested too deeply")
    members = 0
    if isinstance(content, str):
        if _CONTROL.search(content) is not None:
            raise BadRequest(
                "invalid_unicode", "text must not hold control characters or lone surrogates"
            )
    elif isinstance(content, dict):
        members = len(content)
        for name, value in content.items():
            _checked(name, depth + 1, misnamed)
            members += _checked(value, depth + 1, misnamed)
        called = content.get("name")
        if isinstance(called, str):
            try:
                content["name"] = named(called)
            except ValueError:
                misnamed.append(called)
    elif isinstance(content, list):
        for value in content:
            members += _checked(value, depth + 1, misnamed)
    return members


def _repeated(text: bytes) -> str:
    """Return, in quotes, the first member name that an object of *text* has twice."""
    found: list[str] = []

    def pairs(members: list[tuple[str, object]]) -> None:
        names = [name for name, _ in members]
        found.extend(name for name in names if names.count(name) > 1)

    json.loads(text, object_pairs_hook=pairs)
    return json.dumps(found[0])
