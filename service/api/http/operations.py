"""
The decorator that makes a function the handler of a route.

The declaration names the rights a caller needs and the text for the documents. The function's
signature names its inputs. ``service.api.http.binding`` reads it when the process starts.
"""

from collections.abc import Callable
from typing import Unpack

import msgspec
from litestar import route
from litestar.handlers import HTTPRouteHandler

from service.api.http.binding import Handler, bound
from service.api.http.declaring.declaration import (
    JSON,
    Further,
    Method,
    Needs,
    OnPeople,
    Operation,
)
from service.api.http.declaring.queries import DRY_RUN, Query
from service.api.http.writing.preconditions import honoured


def operation(
    method: Method,
    path: str,
    name: str,
    summary: str,
    *,
    needs: Needs,
    scope: str | None = None,
    body: type[msgspec.Struct] | type[str] | None = None,
    answer: object = None,
    status: int = 200,
    query: tuple[Query, ...] = (),
    key_required: bool = False,
    problems: tuple[str, ...] = (),
    produces: tuple[str, ...] = (JSON,),
    dry_run: bool = False,
    on_people: OnPeople | None = None,
    **further: Unpack[Further],
) -> Callable[[Handler], HTTPRouteHandler]:
    """
    Register a handler for *method* and *path*.

    Args:
        needs: The rights that a caller needs.
        body: The type of a body that the handler does not take as its parameter ``body``.
        query: The query parameters that the handler does not take as its own parameters.
        problems: The operation's own problem codes, in addition to the common ones.
        further: The members of the declaration that few routes need.
        on_people: Its effect on people. Routes that change members or their roles need it.

    Raises:
        TypeError: If the handler asks for something that the declaration does not give.
    """
    added = honoured(method, path, further)
    described = Operation(
        method=method, name=name, summary=summary, scope=scope, needs=needs, on_people=on_people,
        body=body, query=(*query, DRY_RUN) if dry_run else query, answer=answer, status=status,
        produces=produces, problems=problems, key_required=key_required, dry_run=dry_run, **added,
    )  # fmt: skip

    def declared(handler: Handler) -> HTTPRouteHandler:
        whole, answered = bound(described, path, handler)
        return route(
            path, status_code=status, opt={"operation": whole}, include_in_schema=False,
            http_method=[method],
        )(answered)  # fmt: skip

    return declared
