"""
What a route is: one declaration that routing, the guard and the document all read.

Everything is closed unless it says ``open``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from litestar import route
from litestar.handlers import HTTPRouteHandler

from service.api.rehearsing import rehearsable

Method = Literal["GET", "POST", "DELETE"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path."""

    name: str
    """``operation_id``: generated clients call it so; never renamed."""

    summary: str
    scope: str | None
    open: bool
    body: Any
    answer: Any
    status: int
    query: tuple[str, ...]
    key_required: bool
    problems: tuple[str, ...]
    media: str
    dry_run: bool
    """Whether ``?dry_run=true`` answers with what would change, and appends nothing."""


def operation(
    method: Method,
    path: str,
    name: str,
    summary: str,
    *,
    scope: str | None = None,
    open: bool = False,
    body: Any = None,
    answer: Any = None,
    status: int = 200,
    query: tuple[str, ...] = (),
    key_required: bool = False,
    problems: tuple[str, ...] = (),
    media: str = "application/json",
    dry_run: bool = False,
) -> Callable[[Any], HTTPRouteHandler]:
    """
    Return a decorator that makes a handler the answer to *method* *path*.

    Args:
        scope: What the token must allow.
        open: Whether no token is needed; a token sent anyway is still checked.
        query: Names of the query parameters, for the document.
        problems: Codes this operation may answer beside those that all may.
    """
    described = Operation(
        name=name,
        summary=summary,
        scope=scope,
        open=open,
        body=body,
        answer=answer,
        status=status,
        query=(*query, "dry_run") if dry_run else query,
        key_required=key_required,
        problems=problems,
        media=media,
        dry_run=dry_run,
    )
    methods: list[Any] = [method, "HEAD"] if path in ("/livez", "/readyz") else [method]
    routed = route(
        path,
        http_method=methods,
        status_code=status,
        opt={"operation": described},
        include_in_schema=False,
    )
    return (lambda handler: routed(rehearsable(handler))) if dry_run else routed
