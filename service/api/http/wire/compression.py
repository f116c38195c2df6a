"""
Compression of answers with gzip.

The length of compressed bytes reveals something about their content. Two equal cards compress
better than two different ones, and an eavesdropper who counts bytes could notice. So only the
answers listed here are compressed. None of them holds a secret, or cards that only some people may
see.
"""

import gzip
import re

from service.base.errors import Overloaded
from service.base.pools import COMPRESSION

Headers = list[tuple[bytes, bytes]]

LENGTH_MIN = 1024
"""Bodies below this many bytes are sent as they are."""

_IN_THREAD = 32 * 1024
"""Larger bodies are compressed in a thread, so that other requests go on."""

_LEVEL = 5

MEDIA = frozenset(
    {
        b"application/json",
        b"application/x-ndjson",
        b"application/yaml",
        b"text/css",
        b"text/csv",
        b"text/html",
        b"text/javascript",
    }
)
"""The media types that are compressed. Streams of events never are."""

_PATHS = (
    "/v1/public/", "/v1/leagues/", "/v1/rulesets", "/v1/seasons/", "/v1/terms-presets",
    "/v1/tournaments/", "/openapi.", "/docs", "/problems/",
)  # fmt: skip
_LASTING = ("/openapi.", "/docs")
_KEPT_MAX = 16
_kept: dict[bytes, bytes] = {}
"""Lasting answers in compressed form, by their tags. There are seven of them."""

_NEVER = re.compile(r"/(?:events|invitations|claims|calendar\.ics)/?$")
_TAG = re.compile(rb'"([^"]*)-gzip"')


def compressible(path: str) -> bool:
    """
    Return whether the answers of *path* may be compressed.

    >>> compressible("/v1/seasons/ssn_1/standings"), compressible("/v1/tables/tbl_1")
    (True, False)
    """
    return path.startswith(_PATHS) and _NEVER.search(path) is None


def suits(status: int, headers: Headers) -> bool:
    """Return whether an answer that begins like this is worth compressing."""
    found = dict(headers)
    media = found.get(b"content-type", b"").partition(b";")[0].strip()
    length = found.get(b"content-length", b"0")
    return (
        status == 200
        and media in MEDIA
        and b"content-encoding" not in found
        and int(length) >= LENGTH_MIN
    )


def lasting(path: str) -> bool:
    """
    Return whether *path* answers the same until the process ends, so that it is compressed once.

    >>> lasting("/openapi.json"), lasting("/v1/public/leagues/lge_1")
    (True, False)
    """
    return path.startswith(_LASTING)


async def compressed(
    headers: Headers, body: bytes, *, lasts: bool = False
) -> tuple[Headers, bytes]:
    """
    Return headers and body of an answer as gzip. A strong ``ETag`` becomes another strong one.

    The same bytes always give the same bytes: the format's own time is left out. If too many long
    answers wait for the thread, this one is returned as it is.

    Args:
        lasts: True to keep the result under the answer's tag, which is a digest of the body.
    """
    tag = dict(headers).get(b"etag") if lasts else None
    smaller = None if tag is None else _kept.get(tag)
    if smaller is None:
        try:
            if len(body) > _IN_THREAD:
                smaller = await COMPRESSION.run(None, gzip.compress, body, _LEVEL, mtime=0)
            else:
                smaller = gzip.compress(body, _LEVEL, mtime=0)
        except Overloaded:
            return headers, body
    if tag is not None and len(_kept) < _KEPT_MAX:
        _kept[tag] = smaller
    length = (b"content-length", b"%d" % len(smaller))
    kept = [(name, tagged(value) if name == b"etag" else value) for name, value in headers
            if name != b"content-length"]  # fmt: skip
    return [*kept, (b"content-encoding", b"gzip"), length], smaller


def tagged(tag: bytes) -> bytes:
    """
    Return the tag of the compressed answer.

    >>> tagged(b'"12"'), tagged(b'W/"12"')
    (b'"12-gzip"', b'W/"12"')
    """
    return tag if tag.startswith(b"W/") else tag[:-1] + b'-gzip"'


def untagged(tags: bytes) -> bytes:
    """
    Return a list of tags with those of compressed answers as the routes know them.

    >>> untagged(b'"12-gzip", W/"13"')
    b'"12", W/"13"'
    """
    return _TAG.sub(rb'"\1"', tags)
