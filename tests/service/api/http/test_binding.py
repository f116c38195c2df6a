"""A handler with an argument that its declaration does not supply stops the start."""

from collections.abc import Awaitable, Callable
from datetime import date
from typing import Annotated

import httpx
import msgspec
import pytest
from litestar import Litestar, Response

from service.api.http.access.rights import LeaguePlace, SeasonPlace
from service.api.http.declaring.by import By
from service.api.http.declaring.declaration import Deprecated, Needs
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.writing.submitting import Order, encoded
from service.api.routes import ROUTES
from service.people.tokens import Principal

pytestmark = pytest.mark.anyio

Handler = Callable[..., Awaitable[Response[bytes]]]


class Wanted(msgspec.Struct):
    name: str


async def plain(body: Wanted, place: LeaguePlace, order: Order) -> Response[bytes]:
    return encoded([body.name, place.id, str(order.command_id)])


async def elsewhere(place: SeasonPlace) -> Response[bytes]:
    return encoded(place.id)


async def unheard_of(body: Wanted, colour: str) -> Response[bytes]:
    return encoded([body.name, colour])


async def order_first(order: Order, body: Wanted) -> Response[bytes]:
    return encoded([body.name, str(order.command_id)])


async def no_order(place: LeaguePlace) -> Response[bytes]:
    return encoded(place.id)


async def ordered(order: Order) -> Response[bytes]:
    return encoded(str(order.command_id))


async def known(principal: Principal) -> Response[bytes]:
    return encoded(principal.account.player)


async def looked_up(colour: str) -> str:
    return colour


async def through(found: Annotated[str, By(looked_up)]) -> Response[bytes]:
    return encoded(found)


def declare(
    handler: Handler,
    *,
    needs: Needs = "read_league",
    body: type[msgspec.Struct] | None = None,
    dry_run: bool = False,
) -> type[msgspec.Struct] | type[str] | None:
    """Declare a route answered by *handler*, and return the body that it takes."""
    path = "/v1/leagues/{league_id:str}/tries"
    made = operation("POST", path, "try_it", "Try.", needs=needs, body=body, dry_run=dry_run)
    taken: type[msgspec.Struct | str] | None = made(handler).opt["operation"].body
    return taken


def test_the_body_that_a_handler_takes_is_the_one_the_documents_name() -> None:
    assert declare(plain) is Wanted
    assert declare(ordered, body=Nothing) is Nothing


@pytest.mark.parametrize(
    ("handler", "words", "said"),
    [
        (plain, {"body": Nothing}, "says twice which body"),
        (elsewhere, {}, "does not lead to"),
        (no_order, {"needs": "account"}, "asks for no role"),
        (unheard_of, {}, "gives no colour"),
        (through, {}, "gives no colour"),
        (order_first, {}, "before the body"),
        (no_order, {"dry_run": True}, "takes no order"),
        (ordered, {"needs": "anyone"}, "is open"),
        (known, {"needs": "anyone"}, "is open"),
    ],
)
def test_what_a_declaration_does_not_give_is_refused(handler, words, said) -> None:
    with pytest.raises(TypeError, match=said):
        declare(handler, **words)


def test_every_route_takes_the_request_alone_and_keeps_its_name() -> None:
    for handler in ROUTES:
        assert list(handler.fn.__annotations__) == ["request", "return"]
        assert handler.fn.__name__ not in ("provided", "rehearsed")


async def test_a_deprecated_route_says_since_when_and_until_when() -> None:
    ending = Deprecated(date(2027, 1, 1), date(2027, 7, 1), "GET /v1/me")

    async def old() -> Response[bytes]:
        return encoded({})

    route = operation("GET", "/old", "old", "Old.", needs="anyone", deprecated=ending)(old)
    app = Litestar(route_handlers=[route], openapi_config=None)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://test"
    ) as http:
        answer = await http.get("/old")
    assert answer.headers["deprecation"] == "@1798761600"
    assert answer.headers["sunset"] == "Thu, 01 Jul 2027 00:00:00 GMT"
