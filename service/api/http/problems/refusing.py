"""Answers that the protocol sends before a request reaches the application."""

from dataclasses import dataclass
from http import HTTPStatus

import msgspec

from service.api.http.problems.answers import (
    DOCUMENTATION,
    MEDIA_TYPE,
    RETRY_AFTER_SECONDS,
    SHELL_CATALOGUE,
)
from service.api.http.wire.crowding import TOO_MANY
from service.base.errors import Overloaded

PRIVATE = (
    (b"cache-control", b"no-store"),
    (b"vary", b"Authorization, Accept, Accept-Encoding, Origin"),
    (b"x-content-type-options", b"nosniff"),
)
"""The headers of every answer of the API that does not say otherwise."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A fixed answer, after which the connection is closed."""

    code: str
    retry: int | None = None
    """Seconds after which the client may try again."""

    detail: str | None = None
    """A sentence that says more than the title."""

    @property
    def answer(self) -> bytes:
        """The complete HTTP answer: head and problem document."""
        status, _ = SHELL_CATALOGUE[self.code]
        body = _document(self.code, self.detail)
        lines = [
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            f"content-type: {MEDIA_TYPE}",
            f"content-length: {len(body)}",
            "cache-control: no-store",
            "connection: close",
        ]
        if self.retry is not None:
            lines.append(f"retry-after: {self.retry}")
        return "\r\n".join([*lines, "", ""]).encode() + body


def _document(code: str, detail: str | None, **more: str) -> bytes:
    status, title = SHELL_CATALOGUE[code]
    document = {
        "type": DOCUMENTATION + code,
        "title": title,
        "status": status,
        "detail": detail or title[0].lower() + title[1:],
        **more,
        "code": code,
    }
    return msgspec.json.encode(document)


MALFORMED = Refusal("bad_request")
HOST_INVALID = Refusal(
    "bad_request",
    detail="send one Host header with the name of the server, and a path or an http address",
)
TOO_LARGE = Refusal("headers_too_large")
TOO_SLOW = Refusal("request_too_slow")
CROWDED = Refusal("too_many_connections", retry=5)

_REQUEST = "00000000-0000-4000-8000-000000000000"
_OVERLOADED = _document(Overloaded.code, TOO_MANY, instance=f"urn:uuid:{_REQUEST}")
_BEFORE, _, _AFTER = _OVERLOADED.partition(_REQUEST.encode())
_HEAD = (
    f"content-type: {MEDIA_TYPE}\r\ncontent-length: {len(_OVERLOADED)}\r\n"
    f"retry-after: {RETRY_AFTER_SECONDS}\r\n".encode()
    + b"".join(b"%b: %b\r\n" % each for each in PRIVATE)
    + b"x-request-id: "
)


def overloaded(request: str) -> tuple[bytes, bytes]:
    """
    Return the headers and the body of a refusal because too many requests are under way.

    They say what the application says, without the client's rate limits, which this does not count.

    Args:
        request: The number of the request.
    """
    number = request.encode()
    return _HEAD + number, _BEFORE + number + _AFTER
