"""JSON answers."""

import msgspec
from litestar import Response


class _Answer(Response[bytes]):
    """An answer that skips the framework's own encoding."""

    def __init__(
        self, content: bytes, status: int, headers: dict[str, str], media_type: str
    ) -> None:
        self.content = content
        self.status_code = status
        self.headers = headers
        self.media_type = media_type
        self.encoding = "utf-8"
        self.background = None
        self.cookies = []
        self.response_type_encoders = {}


def encoded(
    content: object, status: int = 200, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Return *content* as a JSON answer."""
    return _Answer(msgspec.json.encode(content), status, headers or {}, "application/json")


def ready(content: bytes, status: int, headers: dict[str, str], media_type: str) -> Response[bytes]:
    """Return an answer whose bytes are made already."""
    return _Answer(content, status, headers, media_type)
