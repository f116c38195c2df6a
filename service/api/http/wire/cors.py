"""Cross-origin requests: which web sites' scripts may read the answers in a browser."""

from collections.abc import Iterable

Headers = list[tuple[bytes, bytes]]

ANY = "*"

EXPOSED = (
    "Command-Id", "Deprecation", "ETag", "Holotable-As-Of", "Holotable-Behind",
    "Idempotent-Replayed", "Link", "Location", "Min-Position", "RateLimit", "RateLimit-Policy",
    "Retry-After", "Sunset", "WWW-Authenticate", "X-Request-Id",
)  # fmt: skip
"""The headers of answers that a script may read. Without this list it reads only a few."""

ALLOWED = (
    "Accept", "Accept-Event-Version", "Authorization", "Content-Type", "Idempotency-Key",
    "If-Match", "If-None-Match", "Last-Event-ID", "Min-Position",
)  # fmt: skip
"""The headers of requests that a script may send."""

_KEPT_SECONDS = 7200

_EXPOSED = (b"access-control-expose-headers", ", ".join(EXPOSED).encode())
_PREFLIGHT: Headers = [
    (b"access-control-allow-headers", ", ".join(ALLOWED).encode()),
    (b"access-control-max-age", b"%d" % _KEPT_SECONDS),
]


class Cors:
    """
    The origins whose scripts may read the answers.

    Nothing here ever allows credentials of the browser: a script has to send a token itself. So a
    site that a person visits cannot act with that person's rights.

    Args:
        origins: The allowed origins, such as ``https://league.example``, or ``*`` for all.
    """

    def __init__(self, origins: Iterable[str]) -> None:
        self._origins = frozenset(each.encode() for each in origins)
        self._any = ANY.encode() in self._origins

    def headers(self, origin: bytes) -> Headers:
        """Return the headers that let a script of *origin* read an answer, or none."""
        allowed = self._allowed(origin)
        return [] if allowed is None else [(b"access-control-allow-origin", allowed), _EXPOSED]

    def preflight(self, origin: bytes, allow: str) -> Headers:
        """
        Return the headers that let a script of *origin* send a request, or none.

        Args:
            allow: The methods of the path.
        """
        allowed = self._allowed(origin)
        if allowed is None:
            return []
        return [
            (b"access-control-allow-origin", allowed),
            (b"access-control-allow-methods", allow.encode()),
            *_PREFLIGHT,
        ]

    def _allowed(self, origin: bytes) -> bytes | None:
        if self._any:
            return ANY.encode()
        return origin if origin in self._origins else None
