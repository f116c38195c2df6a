"""The declaration of a route, used by the access checks, the binder and the documents."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from types import UnionType
from typing import Literal, NamedTuple, TypedDict

import msgspec

from engine.league.roles import Capability
from service.api.http.declaring.queries import Query

BODY_MAX = 64 * 1024
"""Largest JSON body in bytes. No valid request comes near it."""

JSON = "application/json"

Method = Literal["GET", "POST", "PUT", "DELETE"]

Needs = Literal["anyone", "account", "own_entry"] | Capability
"""
The rights that a caller needs. ``anyone`` means no token, and ``account`` a token for the caller's
own things. ``own_entry`` means ``enter_tournaments`` and an entry in the tournament. Any other
value is a capability in the league of the object.
"""


Effect = Literal[
    "invitation",
    "claim",
    "by_invitation",
    "by_claim",
    "role",
    "removal",
    "ban",
    "disclosure",
    "reset",
    "by_reset",
    "sandbox",
]
"""
The effect of a route on a person's rights. ``invitation`` and ``claim`` return a code that makes
somebody a member. ``by_invitation`` and ``by_claim`` use such a code. ``reset`` returns a code for
a new password of an account, and ``by_reset`` uses it. ``sandbox`` makes the caller a player of the
sandbox league.
"""


class OnPeople(NamedTuple):
    """The effect of a route on a person, apart from letting them play."""

    effect: Effect
    deed: str
    """A description of the effect for ``docs/roles.md``."""

    offices: Capability | Literal["nobody", "caller"]
    """
    The additional capability needed if the person holds an office or will get one. ``nobody`` means
    that nobody may do it, and ``caller`` that the route concerns the caller.
    """


class Deprecated(NamedTuple):
    """The end of a route, which its answers announce in ``Deprecation`` and ``Sunset``."""

    since: date
    ends: date
    instead: str
    """The route to use instead, such as ``GET /v1/me``."""

    @property
    def headers(self) -> dict[str, str]:
        """The headers ``Deprecation`` (RFC 9745) and ``Sunset`` (RFC 8594) of the answers."""
        since, ends = (datetime.combine(each, time.min, UTC) for each in (self.since, self.ends))
        return {
            "Deprecation": f"@{int(since.timestamp())}",
            "Sunset": format_datetime(ends, usegmt=True),
        }


Precondition = Literal["ignored", "honoured", "demanded"]
"""
The use of ``If-Match``: there is no version to compare, so only ``*`` passes a command; checked if
it is sent; or required.
"""


class Further(TypedDict, total=False):
    """The members of a declaration that few routes need. :class:`Operation` describes them."""

    takes: str
    body_max: int
    tag: str
    about: str
    precondition: Precondition
    public: bool
    deprecated: Deprecated
    streams: bool
    asks: bool


Body = type[msgspec.Struct] | UnionType
"""The type of a JSON body: a struct, or a union of structs that a member tells apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """The declaration of one method of one path."""

    method: Method
    name: str
    """The ``operationId``, which generated clients use. It is never renamed."""

    summary: str
    scope: str | None
    needs: Needs
    body: Body | type[str] | None
    answer: object
    """The type of the answer's body, or None for an empty body."""

    status: int
    query: tuple[Query, ...]
    """The query parameters. Every other name in a query is refused."""

    key_required: bool
    problems: tuple[str, ...]
    produces: tuple[str, ...]
    """The media types of the answer. The first is sent to a client that accepts all of them."""

    on_people: OnPeople | None
    dry_run: bool
    """True if ``?dry_run=true`` answers with the changes that the command would cause."""

    takes: str = JSON
    """Media type of the request body."""

    body_max: int = BODY_MAX
    """Largest body in bytes."""

    tag: str | None = None
    """The document's group of routes, or None for the group of the handler's module."""

    about: str | None = None
    """A description for the document, in addition to the sentences made of the declaration."""

    precondition: Precondition = "ignored"
    events: bool = False
    """True if the answer holds events, in the versions that ``Accept-Event-Version`` pins."""

    etag: bool = False
    """True if the answer has an ``ETag`` and the route answers ``If-None-Match``."""

    public: bool = False
    """True if the answer is the same for every caller, so that caches may keep it."""

    deprecated: Deprecated | None = None
    streams: bool = False
    """True if the answer may be a stream that stays open."""

    asks: bool = False
    """True for a ``POST`` that only asks. It is answered while commands are refused."""

    @property
    def changes(self) -> bool:
        """True if the route may change something."""
        return self.method != "GET"

    @property
    def commands(self) -> bool:
        """True if the route is refused while an operator lets nobody change anything."""
        return self.changes and not self.asks

    @property
    def media(self) -> str:
        """The media type that is sent to a client that accepts all of them."""
        return self.produces[0]

    @property
    def query_names(self) -> frozenset[str]:
        """The names of the query parameters."""
        return frozenset(each.name for each in self.query)

    @property
    def open(self) -> bool:
        """True if the route needs no token. A token that is sent anyway is still checked."""
        return self.needs == "anyone"

    @property
    def capability(self) -> Capability | None:
        """
        The capability that the caller's role in the league must have, or None for routes without
        one.
        """
        match self.needs:
            case "anyone" | "account":
                return None
            case "own_entry":
                return "enter_tournaments"
            case capability:
                return capability
