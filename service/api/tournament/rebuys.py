"""Rebuys, staked items, add-ons, and leaving or closing a game."""

from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.coordination.policies import level_played
from engine.tournament.model.commands import (
    AddOn,
    BuyBackItem,
    CloseEarly,
    DeclareRebuy,
    Leave,
    StakeItem,
)
from engine.tournament.model.commands.money import TakeAddOn
from engine.tournament.model.state import Running
from engine.values import CHIPS_MAX, EntrantId, stream_of
from service.api.http.access.rights import AS_KNOWN, TournamentPlace
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer
from service.api.tournament.entrants import OwnEntry
from service.director.submitting import submit_to_tournament


class RebuyWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The rebuy to declare. The body may be left out."""

    number: Annotated[int, Meta(ge=1)] | None = None
    """
    The number of the rebuy among the entrant's, from 1. If it is not the next one, because the
    player or staff bought it already, nothing is bought (`not_the_next`). Null means the next one.
    """


class ItemWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An item to stake, with its agreed value in chips."""

    item: Annotated[str, Meta(pattern="^[a-z0-9_]{1,40}$")]
    """The item's slug. In one tournament it always means the same item."""

    value: Annotated[int, Meta(ge=1, le=CHIPS_MAX)]
    """The chips that the item is worth, the same each time it is staked."""


class AddOnWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An add-on. In a tournament ``chips`` is null, because the terms fix the amount."""

    chips: Annotated[int, Meta(ge=1, le=CHIPS_MAX)] | None = None
    """In a casino, the chips to add. Null takes the add-on of the terms."""


class Bought(msgspec.Struct, kw_only=True):
    """The effect of a command about chips. ``events`` lists the types of its events, in order."""

    entrant: str | None
    """The entrant that the command is about, or null for closing the tournament."""

    tournament: str
    events: tuple[str, ...]
    """Types of events, such as `rebuy_declared`."""

    position: str | None = None


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/rebuys", "declare_rebuy",
    "Declare a rebuy: at once if the caller has busted, or else for the next bust.",
    needs="own_entry", scope="tables:play", answer=Bought, status=201,
    key_required=True, problems=("rebuy_not_allowed", "tournament_not_running"),
)  # fmt: skip
async def declare_rebuy(
    body: RebuyWanted,
    place: Annotated[TournamentPlace, AS_KNOWN],
    mine: OwnEntry,
    order: Order,
    shell: Shell,
) -> Response[bytes]:
    """Declare a rebuy. A declared rebuy is owed and cannot be withdrawn."""
    level = await level_of(shell, place, mine)
    command = DeclareRebuy(entrant=mine, level=level, number=body.number, now=shell.now())
    return await buy(shell, place, order, command)


async def level_of(shell: Shell, place: TournamentPlace, mine: EntrantId) -> int:
    """Return the level of the hand in play or next at an entrant's table, or 1 without a seat."""
    state = place.state
    if isinstance(state, Running):
        for seating in state.tables:
            if seating.seat_of(mine) is not None:
                table = await shell.runtime.writer.load(
                    place.league, stream_of(seating.table), fresh=False
                )
                return level_played(table.state, state.clock)
    return 1


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/items", "stake_item",
    "Stake an item of agreed value after I have busted.",
    needs="own_entry", scope="tables:play", answer=Bought, status=201,
    problems=(
        "rebuy_not_allowed", "item_not_owned", "item_value_unknown", "tournament_not_running",
    ),
    key_required=True,
)  # fmt: skip
async def stake_item(
    body: ItemWanted,
    place: Annotated[TournamentPlace, AS_KNOWN],
    mine: OwnEntry,
    order: Order,
    shell: Shell,
) -> Response[bytes]:
    """Put an item into escrow for chips of its value."""
    command = StakeItem(entrant=mine, item=body.item, value=body.value, now=shell.now())
    return await buy(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/items/return", "buy_back_item",
    "Buy back the caller's staked item between hands.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=Bought, status=201,
    problems=("item_not_staked", "hand_in_play", "stack_too_small", "tournament_not_running"),
    key_required=True,
)  # fmt: skip
async def buy_back_item(
    place: Annotated[TournamentPlace, AS_KNOWN], mine: OwnEntry, order: Order, shell: Shell
) -> Response[bytes]:
    """Pay chips for the caller's item in escrow."""
    return await buy(shell, place, order, BuyBackItem(entrant=mine, now=shell.now()))


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/add-ons", "add_on",
    "Add chips to the caller's seat: before the next hand of a casino, or during a break.",
    needs="own_entry", scope="tables:play", answer=Bought, status=201,
    key_required=True,
    problems=(
        "not_a_casino", "rebuy_not_allowed", "add_on_not_allowed", "hand_in_play",
        "no_hand_left", "tournament_not_running",
    ),
)  # fmt: skip
async def add_on(
    body: AddOnWanted,
    place: Annotated[TournamentPlace, AS_KNOWN],
    mine: OwnEntry,
    order: Order,
    shell: Shell,
) -> Response[bytes]:
    """Add chips in a casino, or take the add-on of the terms. Chips arrive between hands."""
    command: AddOn | TakeAddOn = TakeAddOn(entrant=mine, now=shell.now())
    if body.chips is not None:
        command = AddOn(entrant=mine, chips=body.chips, now=shell.now())
    return await buy(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/leave", "leave_casino",
    "Leave a casino with the caller's chips. A hand in play is folded.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=Bought, status=201,
    problems=("not_a_casino", "rebuy_not_allowed", "tournament_not_running"),
)  # fmt: skip
async def leave_casino(
    place: Annotated[TournamentPlace, AS_KNOWN], mine: OwnEntry, order: Order, shell: Shell
) -> Response[bytes]:
    """Release the caller's seat as soon as no hand is in play."""
    return await buy(shell, place, order, Leave(entrant=mine, now=shell.now()))


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/close", "close_tournament",
    "Close a tournament early, or a casino. The hands in play are the last.",
    needs="run_tournaments", scope="tournaments:manage", body=Nothing, answer=Bought, status=201,
    problems=("forbidden", "tournament_not_running"),
)  # fmt: skip
async def close_tournament(place: TournamentPlace, order: Order, shell: Shell) -> Response[bytes]:
    """Open no further hands. Chips rank the remaining entrants."""
    return await buy(shell, place, order, CloseEarly(now=shell.now()))


async def buy(
    shell: Shell,
    place: TournamentPlace,
    order: Order,
    command: DeclareRebuy | StakeItem | BuyBackItem | AddOn | TakeAddOn | Leave | CloseEarly,
) -> Response[bytes]:
    """Decide *command*, which concerns chips, and answer with the types of its events."""
    receipt = await submit_to_tournament(shell.runtime, place.league, place.id, command, order)
    content = {
        "entrant": None if isinstance(command, CloseEarly) else command.entrant,
        "tournament": place.id,
        "events": [each.type for each in receipt.recorded],
    }
    return answer(receipt, content, version_of=place.stream)
