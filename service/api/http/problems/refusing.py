"""Answers that the protocol sends before a request reaches the application."""

from dataclasses import dataclass
from http import HTTPStatus

import msgspec

from service.api.http.problems.answers import DOCUMENTATION, MEDIA_TYPE, SHELL_CATALOGUE


@dataclass(frozen=True, slots=True)
class Refusal:
    """A fixed answer, after which the connection is closed."""

    code: str
    retry: int | None = None
    """Seconds after which the client may try again."""

    @property
    def answer(self) -> bytes:
        """The complete HTTP answer: head and problem document."""
        status, title = SHELL_CATALOGUE[self.code]
        document = {
            "type": DOCUMENTATION + self.code,
            "title": title,
            "status": status,
            "detail": title[0].lower() + title[1:],
            "code": self.code,
        }
        body = msgspec.json.encode(document)
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


MALFORMED = Refusal("bad_request")
TOO_LARGE = Refusal("headers_too_large")
TOO_SLOW = Refusal("request_too_slow")
CROWDED = Refusal("too_many_connections", retry=5)
