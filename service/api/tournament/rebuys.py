"""Chips from outside: rebuys, things staked in their place, coming to a casino and leaving."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import Meta

from engine.coordination.policies import level_played
from engine.tournament.model.commands import (
    AddOn,
    BuyBackItem,
    CloseEarly,
    Command,
    DeclareRebuy,
    Leave,
    StakeItem,
)
from engine.tournament.model.money_commands import TakeAddOn
from engine.tournament.model.state import Running
from engine.values import CHIPS_MAX, EntrantId, stream_of
from service.api.http.access import Place, entrant_of, reach
from service.api.http.bodies import Body, read_body
from service.api.http.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.shell import Asked, principal_of, shell_of
from service.api.http.submitting import answer, order_of
from service.base.errors import StreamNotFound
from service.director.submitting import submit_to_tournament
from service.log.writer import Receipt


class ItemWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A thing, and the value in chips that was agreed on."""

    item: Annotated[str, Meta(pattern="^[a-z0-9_]{1,40}$")]
    """A slug; it is the same thing wherever it turns up in this tournament."""

    value: Annotated[int, Meta(ge=1, le=CHIPS_MAX)]


class AddOnWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """More chips of one's own; in a tournament null, for what its terms sell."""

    chips: Annotated[int, Meta(ge=1, le=CHIPS_MAX)] | None = None


class Bought(msgspec.Struct, kw_only=True):
    """What counts, and whether chips have come or gone with it."""

    entrant: str | None
    tournament: str
    events: tuple[str, ...]
    position: str | None = None


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/rebuys", "declare_rebuy",
    "Owe a new stack: at once if my last chip is gone, else when it goes.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=Bought, status=201,
    key_required=True, problems=("rebuy_not_allowed", "tournament_not_running"),
)  # fmt: skip
async def declare_rebuy(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Declare; what is declared is owed and cannot be taken back."""
    place = await reach(request, tournament_id, "trn", fresh=False)
    level = await _level(request, place)
    return await _buy(
        request,
        tournament_id,
        Nothing,
        lambda mine, _, now: DeclareRebuy(entrant=mine, level=level, now=now),
    )


async def _level(request: Asked, place: Place) -> int:
    """Return the level of the hand at the caller's table, else of its next one; 1 without one."""
    mine = entrant_of(place.state, principal_of(request).account.player)
    seatings = place.state.tables if isinstance(place.state, Running) and mine else ()
    for seating in seatings:
        if seating.seat_of(EntrantId(str(mine))) is not None:
            writer = shell_of(request).runtime.writer
            loaded = await writer.load(place.league, stream_of(seating.table), fresh=False)
            return level_played(loaded.state, place.state.clock)
    return 1


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/items", "stake_item",
    "Stake a thing of agreed value, having lost my last chip.",
    needs="own_entry", scope="tables:play", body=ItemWanted, answer=Bought, status=201,
    problems=(
        "rebuy_not_allowed", "item_not_owned", "item_value_unknown", "tournament_not_running",
    ),
)  # fmt: skip
async def stake_item(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Put a thing into escrow; its value is the only money."""
    return await _buy(
        request,
        tournament_id,
        ItemWanted,
        lambda mine, body, now: StakeItem(entrant=mine, item=body.item, value=body.value, now=now),
    )


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/items/return", "buy_back_item",
    "Buy back, between hands, what I have staked.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=Bought, status=201,
    problems=("item_not_staked", "hand_in_play", "stack_too_small", "tournament_not_running"),
)  # fmt: skip
async def buy_back_item(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Give chips for a thing in escrow."""
    return await _buy(
        request, tournament_id, Nothing, lambda mine, _, now: BuyBackItem(entrant=mine, now=now)
    )


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/add-ons", "add_on",
    "Bring more chips to my seat: in a casino before the next hand, in a tournament at a break.",
    needs="own_entry", scope="tables:play", body=AddOnWanted, answer=Bought, status=201,
    key_required=True,
    problems=(
        "not_a_casino", "rebuy_not_allowed", "add_on_not_allowed", "hand_in_play",
        "tournament_not_running",
    ),
)  # fmt: skip
async def add_on(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Promise chips, which come between hands; or take the add-on of the terms."""

    def asked(mine: EntrantId, body: AddOnWanted, now: datetime) -> AddOn | TakeAddOn:
        if body.chips is None:
            return TakeAddOn(entrant=mine, now=now)
        return AddOn(entrant=mine, chips=body.chips, now=now)

    return await _buy(request, tournament_id, AddOnWanted, asked)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/leave", "leave_casino",
    "Leave a casino with my chips; during a hand this is a fold.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=Bought, status=201,
    problems=("not_a_casino", "rebuy_not_allowed", "tournament_not_running"),
)  # fmt: skip
async def leave_casino(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Give up my seat as soon as no hand is in play."""
    return await _buy(
        request, tournament_id, Nothing, lambda mine, _, now: Leave(entrant=mine, now=now)
    )


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/close", "close_tournament",
    "End the game early, or a casino at all: the hands in play are the last.",
    needs="run_tournaments", scope="tournaments:manage", body=Nothing, answer=Bought, status=201,
    problems=("forbidden", "tournament_not_running"),
)  # fmt: skip
async def close_tournament(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Open no further hand; who is left is ranked by chips."""
    shell = shell_of(request)
    _, raw = await read_body(request, Nothing)
    place = await reach(request, tournament_id, "trn")
    order = order_of(request, raw)
    command = CloseEarly(now=shell.now())
    receipt = await submit_to_tournament(
        shell.runtime, place.league, tournament_id, command, order.command
    )
    return _bought(receipt, place, tournament_id, None)


async def _buy(
    request: Asked,
    tournament: str,
    shape: type[Body],
    asked: Callable[[EntrantId, Body, datetime], Command],
) -> Response[bytes]:
    """Have decided what the caller's own entry asks for, with a body of *shape*."""
    shell = shell_of(request)
    body, raw = await read_body(request, shape)
    now = shell.now()
    place = await reach(request, tournament, "trn", fresh=False)
    entrant = entrant_of(place.state, principal_of(request).account.player)
    if entrant is None:
        raise StreamNotFound("there is no entry of yours")
    mine = EntrantId(entrant)
    order = order_of(request, raw)
    receipt = await submit_to_tournament(
        shell.runtime, place.league, tournament, asked(mine, body, now), order.command
    )
    return _bought(receipt, place, tournament, mine)


def _bought(
    receipt: Receipt, place: Place, tournament: str, entrant: EntrantId | None
) -> Response[bytes]:
    content = {
        "entrant": entrant,
        "tournament": tournament,
        "events": [each.type for each in receipt.recorded],
    }
    return answer(receipt, content, version_of=place.stream)
