"""Strict reading of request bodies. Every deviation gets a problem code."""

import json
import re
from typing import TypeVar

import msgspec

from service.api.http.shell import Asked
from service.base.documents import Json
from service.base.errors import BadRequest
from service.people.names import named

Body = TypeVar("Body", bound=msgspec.Struct)

_DEPTH_MAX = 32
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_PLACE = re.compile(r"^(?P<detail>.*?)(?: - at `(?P<path>.+)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


async def read_body(request: Asked, shape: type[Body]) -> tuple[Body, bytes]:
    """
    Return the body as *shape*, and its canonical bytes, which are equal for equal requests.

    The bytes are used for a digest. They leave out the members that *shape* names in ``SECRET``.

    Raises:
        BadRequest: With a code that tells the kind and the place of the error.
    """
    media = request.headers.get("content-type", "application/json").partition(";")[0].strip()
    if media.lower() != "application/json":
        raise BadRequest("unsupported_media_type", "the body has to be application/json")
    text = await request.body() or b"{}"
    content = parsed(text)
    try:
        body = msgspec.convert(content, shape, strict=True)
    except msgspec.ValidationError as error:
        raise invalid(str(error)) from error
    for name in getattr(shape, "SECRET", ()):
        content.pop(name, None)
    return body, msgspec.json.encode(content, order="sorted")


def parsed(text: bytes) -> Json:
    """
    Return the value of a JSON text.

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
    members = _checked(content, 0)
    # If there are as many colons as members, no member was overwritten. Colons in strings
    # do not count.
    if text.count(b":") != members and _STRING.sub(b"", text).count(b":") != members:
        raise BadRequest("invalid_json", f"an object has the member {_repeated(text)} twice")
    return content


def invalid(message: str) -> BadRequest:
    """Return the refusal for a validation error of msgspec."""
    found = _PLACE.match(message)
    detail, path = (found["detail"], found["path"] or "") if found else (message, "")
    pointer = "".join("/" + (name or index) for name, index in _STEP.findall(path))
    unknown = detail.startswith("Object contains unknown field")
    code = "unknown_field" if unknown else "invalid_value"
    listed = [{"pointer": pointer, "detail": detail, "code": code}]
    return BadRequest("validation_failed", "the request is invalid", errors=listed)


def _checked(content: object, depth: int) -> int:
    """
    Return the number of object members in *content*. Normalise every ``name`` in place.

    Raises:
        BadRequest: If the nesting, a string or a name is invalid.
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
            _checked(name, depth + 1)
            members += _checked(value, depth + 1)
        called = content.get("name")
        if isinstance(called, str):
            content["name"] = _named(called)
    elif isinstance(content, list):
        for value in content:
            members += _checked(value, depth + 1)
    return members


def _named(name: str) -> str:
    """Return a member ``name`` in its normal form. In every body it is the name of something."""
    try:
        return named(name)
    except ValueError as error:
        listed = [{"pointer": "/name", "detail": str(error), "code": "invalid_value"}]
        detail = "the request is invalid"
        raise BadRequest("validation_failed", detail, errors=listed) from error


def _repeated(text: bytes) -> str:
    """Return, in quotes, the first member name that an object of *text* has twice."""
    found: list[str] = []

    def pairs(members: list[tuple[str, object]]) -> None:
        names = [name for name, _ in members]
        found.extend(name for name in names if names.count(name) > 1)

    json.loads(text, object_pairs_hook=pairs)
    return json.dumps(found[0])
