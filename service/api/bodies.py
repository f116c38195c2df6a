"""Reading request bodies strictly: what is not exactly right gets a code, not a guess."""

import re
from typing import Any, TypeVar

import msgspec

from service.api.shell import Asked
from service.errors import BadRequest

Body = TypeVar("Body", bound=msgspec.Struct)

_DEPTH_MAX = 32
_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_PLACE = re.compile(r"^(?P<detail>.*?)(?: - at `(?P<path>.+)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


async def read_body(request: Asked, shape: type[Body]) -> tuple[Body, bytes]:
    """
    Return the body as *shape*, and its canonical bytes: the same for the same request.

    The bytes are digested, so they leave out the members that *shape* names in ``SECRET``.

    Raises:
        BadRequest: With a code that says what is wrong and where.
    """
    media = request.headers.get("content-type", "application/json").partition(";")[0].strip()
    if media.lower() != "application/json":
        raise BadRequest("unsupported_media_type", "bodies are application/json")
    text = await request.body() or b"{}"
    content = parsed(text)
    try:
        body = msgspec.convert(content, shape, strict=True)
    except msgspec.ValidationError as error:
        raise invalid(str(error)) from error
    for name in getattr(shape, "SECRET", ()):
        content.pop(name, None)
    return body, msgspec.json.encode(content, order="sorted")


def parsed(text: bytes) -> Any:
    """
    Return what *text* says in JSON.

    Raises:
        BadRequest: ``invalid_unicode`` or ``invalid_json``.
    """
    try:
        content = msgspec.json.decode(text)
    except UnicodeDecodeError as error:
        raise BadRequest("invalid_unicode", "the body is not UTF-8") from error
    except (msgspec.DecodeError, RecursionError) as error:
        code = "invalid_unicode" if _SURROGATE.search(text) else "invalid_json"
        raise BadRequest(code, "the body is not JSON as RFC 8259 and UTF-8 have it") from error
    _refuse_bad_text(content, 0)
    return content


def invalid(message: str) -> BadRequest:
    """Return the refusal for what msgspec says is wrong with a value."""
    found = _PLACE.match(message)
    detail, path = (found["detail"], found["path"] or "") if found else (message, "")
    pointer = "".join("/" + (name or index) for name, index in _STEP.findall(path))
    unknown = detail.startswith("Object contains unknown field")
    code = "unknown_field" if unknown else "invalid_value"
    listed = [{"pointer": pointer, "detail": detail, "code": code}]
    return BadRequest("validation_failed", "the request is not as it should be", errors=listed)


def _refuse_bad_text(content: Any, depth: int) -> None:
    if depth > _DEPTH_MAX:
        raise BadRequest("invalid_json", "the body is nested too deeply")
    if isinstance(content, str):
        if _CONTROL.search(content) is not None:
            raise BadRequest(
                "invalid_unicode", "text must not hold control characters or lone surrogates"
            )
    elif isinstance(content, dict):
        for name, value in content.items():
            _refuse_bad_text(name, depth + 1)
            _refuse_bad_text(value, depth + 1)
    elif isinstance(content, list):
        for value in content:
            _refuse_bad_text(value, depth + 1)
