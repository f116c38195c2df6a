"""
What a route is: one declaration that routing, the guard and the document all read.

Each says who may ask (``needs``): there is no default, so a route that forgets it does
not start.  ``service.api.access`` checks by it, and ``docs/roles.md`` is made from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

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
) -> Callable[[Any], HTTPRouteHandler]:
    """
    Return a decorator that makes a handler the answer to *method* *path*.

    Args:
        needs: Who may ask, beside holding a token that allows ``scope``.
        scope: What the token must allow.
        problems: Codes this operation may answer beside those that all may.
    """
    described = Operation(
        name=name,
        summary=summary,
        scope=scope,
        needs=needs,
        body=body,
        answer=answer,
        status=status,
        query=(*query, "dry_run") if dry_run else query,
        key_required=key_required,
        problems=problems,
        media=media,
        takes=takes,
        body_max=body_max,
        dry_run=dry_run,
    )
    return route(
        path,
        http_method=[method, "HEAD"] if path in ("/livez", "/readyz") else [method],
        status_code=status,
        opt={"operation": described},
        include_in_schema=False,
    )
