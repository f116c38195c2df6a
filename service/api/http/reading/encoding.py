"""JSON answers."""

import msgspec
from litestar import Response


class _Answer(Response[bytes]):
    """A JSON answer that skips the framework's own encoding."""

    def __init__(self, content: bytes, status: int, headers: dict[str, str]) -> None:
        self.content = content
        self.status_code = status
        self.headers = headers
        self.media_type = "application/json"
        self.encoding = "utf-8"
        self.background = None
        self.cookies = []
        self.response_type_encoders = {}


def encoded(
    content: object, status: int = 200, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Return *content* as a JSON answer."""
    return _Answer(msgspec.json.encode(content), status, headers or {})
