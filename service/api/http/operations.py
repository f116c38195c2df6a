"""
What a route is: one declaration that routing, the guard and the document all read.

Each says who may ask (``needs``): there is no default, so a route that forgets it does
not start.  ``service.api.http.access`` checks by it, and ``docs/roles.md`` is made from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from litestar import route
from litestar.handlers import HTTPRouteHandler

from engine.league.roles import Capability

BODY_MAX = 64 * 1024
"""Bytes; nothing that a client may send in JSON comes near it."""

Method = Literal["GET", "POST", "PUT", "DELETE"]

Needs = Literal["anyone", "account", "own_entry"] | Capability
"""
Who may ask: ``anyone``, without a token; ``account``, about what is one's own; else a
capability in the league of the object.  ``own_entry`` is ``enter_tournaments`` and an
entry in the tournament it is about.
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
]
"""
What a route does to a person's rights.  The answer holds an ``invitation`` or a ``claim``: a code
that makes somebody a member.  ``by_invitation`` and ``by_claim`` use such a code.
A ``reset`` holds a code for a new password of an account, and ``by_reset`` uses it.
"""


class OnPeople(NamedTuple):
    """How a route acts on a person, other than by letting them play."""

    effect: Effect
    deed: str
    """In the words of ``docs/roles.md``."""

    offices: Capability | Literal["nobody", "caller"]
    """
    What it needs, beside ``needs``, if the person holds an office or is to get one:
    ``nobody`` may, or it is about the ``caller``.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path."""

    name: str
    """``operation_id``: generated clients call it so; never renamed."""

    summary: str
    scope: str | None
    needs: Needs
    body: Any
    answer: Any
    status: int
    query: tuple[str, ...]
    key_required: bool
    problems: tuple[str, ...]
    media: str
    takes: str
    """Media type of the body."""

    body_max: int
    """Bytes."""

    on_people: OnPeople | None
    dry_run: bool
    """Whether ``?dry_run=true`` answers with what would change; ``rehearsable`` sees to it."""

    @property
    def open(self) -> bool:
        """Whether no token is needed; a token sent anyway is still checked."""
        return self.needs == "anyone"

    @property
    def capability(self) -> Capability | None:
        """What the caller's role in the league must permit; None where no league is asked."""
        match self.needs:
            case "anyone" | "account":
                return None
            case "own_entry":
                return "enter_tournaments"
            case capability:
                return capability


def operation(
    method: Method,
    path: str,
    name: str,
    summary: str,
    *,
    needs: Needs,
    scope: str | None = None,
    body: Any = None,
    answer: Any = None,
    status: int = 200,
    query: tuple[str, ...] = (),
    key_required: bool = False,
    problems: tuple[str, ...] = (),
    media: str = "application/json",
    takes: str = "application/json",
    body_max: int = BODY_MAX,
    dry_run: bool = False,
    on_people: OnPeople | None = None,
) -> Callable[[Any], HTTPRouteHandler]:
    """
    Return a decorator that makes a handler the answer to *method* *path*.

    Args:
        needs: Who may ask, beside holding a token that allows ``scope``.
        scope: What the token must allow.
        problems: Codes this operation may answer beside those that all may.
        on_people: Needed by a route that changes who belongs to a league, and as what.
    """
    described = Operation(
        name=name, summary=summary, scope=scope, needs=needs, on_people=on_people,
        body=body, takes=takes, body_max=body_max, query=(*query, "dry_run") if dry_run else query,
        answer=answer, status=status, media=media, problems=problems,
        key_required=key_required, dry_run=dry_run,
    )  # fmt: skip
    return route(
        path,
        http_method=[method, "HEAD"] if path in ("/livez", "/readyz") else [method],
        status_code=status,
        opt={"operation": described},
        include_in_schema=False,
    )
