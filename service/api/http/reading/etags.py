"""
Entity tags (RFC 9110, section 8.8.3): which version of a thing an answer shows.

The tag of a read is the version of the aggregate that it shows, as in ``"12"``. If the answer also
shows things from elsewhere, such as names, a digest of the whole answer stands behind the version,
as in ``"12-9f0c…"``. :func:`version_in` finds the version in both.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Annotated

import msgspec
from litestar import Response

from service.api.http.declaring.by import By
from service.api.http.reading.encoding import encoded
from service.api.http.shell import Asked

_DIGITS = 32
_TAG = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')
_VERSION = re.compile(r'(?:W/)?"(\d{1,18})(?:-[0-9a-z-]*)?"')


@dataclass(frozen=True, slots=True)
class Tagging:
    """The answers that a client has already, by its ``If-None-Match``."""

    given: str | None

    def unchanged(self, tag: str) -> bool:
        """
        Return whether the client has the answer with *tag* already.

        Tags are compared weakly, as the RFC demands. A header that is not a list of tags matches
        nothing.
        """
        return self.given is not None and matches(self.given, tag)

    def answer(
        self,
        content: object,
        version: int,
        *,
        whole: bool = False,
        headers: dict[str, str] | None = None,
    ) -> Response[bytes]:
        """
        Answer with *content* and its tag, or with 304 if the client has it already.

        Args:
            version: The version of the aggregate that *content* shows.
            whole: True if *content* also depends on things outside the aggregate, such as the
                caller's role, names or words. The tag then changes with each of them.
        """
        shown = msgspec.json.encode(content)
        tag = tag_of(version, shown if whole else None)
        if self.unchanged(tag):
            return not_modified(tag, headers)
        return encoded(msgspec.Raw(shown), headers={**(headers or {}), "ETag": tag})


async def tagging(request: Asked) -> Tagging:
    """Return the answers that the client of *request* has already."""
    return Tagging(request.headers.get("if-none-match"))


Tags = Annotated[Tagging, By(tagging)]
"""Annotation of a handler's parameter. The route's answer then has an ``ETag``."""


def matches(given: str, tag: str) -> bool:
    """
    Return whether the header value *given*, a list of tags or ``*``, names *tag*, compared weakly.

    >>> matches('"11", W/"12"', '"12"'), matches("*", '"12"'), matches('"1"', '"12"')
    (True, True, False)
    >>> matches("12", '"12"'), matches('"a,b"', 'W/"a,b"')
    (False, True)
    """
    if given.strip() == "*":
        return True
    wanted = tag.removeprefix("W/")
    position, found = 0, False
    while position < len(given):
        if given[position] in " \t,":
            position += 1
            continue
        each = _TAG.match(given, position)
        if each is None:
            return False
        found = found or each[1] == wanted
        position = each.end()
        if position < len(given) and given[position] not in " \t,":
            return False
    return found


def version_in(tag: str) -> int | None:
    """
    Return the version of the aggregate in *tag*, or None for a tag that holds none.

    >>> version_in('"12"'), version_in('W/"12-9f0c"'), version_in('"spike"')
    (12, 12, None)
    """
    found = _VERSION.fullmatch(tag.strip())
    return None if found is None else int(found[1])


def tag_of(version: int, shown: bytes | None = None) -> str:
    """
    Return the tag of an answer that shows *version* of an aggregate.

    Args:
        shown: The answer's bytes, if they also depend on things outside the aggregate.
    """
    digest = "" if shown is None else f"-{hashlib.sha256(shown).hexdigest()[:_DIGITS]}"
    return f'"{version}{digest}"'


def not_modified(tag: str, headers: dict[str, str] | None = None) -> Response[bytes]:
    """Return the answer 304: the client's copy, which has *tag*, is still right."""
    return Response(b"", status_code=304, headers={**(headers or {}), "ETag": tag})
