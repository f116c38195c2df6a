"""Rulings on entrants and tables. Every ruling has a reason and is never edited."""

from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.tournament.model.commands import floor as floor_commands
from engine.tournament.model.events import floor as floor_events
from engine.tournament.model.events.floor import PenaltyGiven
from engine.tournament.model.state import Running, entry_of
from engine.values import EntrantId, Seat, TableId, stream_of
from service.api.http.access.rights import Place, TablePlace, TournamentPlace
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing import reasons
from service.api.http.writing.submitting import Order, answer
from service.director.submitting import submit_to_tournament
from service.log.writer import Receipt
from service.people.texts import Written

Entrant = Annotated[str, Meta(pattern="^ent_[0-9a-f]{32}$")]
TableName = Annotated[str, Meta(pattern="^tbl_[0-9a-f]{32}$")]


class ReasonGiven(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The reason for a ruling. Members of the league may read it."""

    reason: Written
    """The reason, 1 to 2000 characters. Members of the league can read it."""


class MoveWanted(ReasonGiven, forbid_unknown_fields=True, kw_only=True):
    """An entrant to move, and the seat to move to."""

    entrant: Entrant
    """The entrant to move."""

    table: TableName
    """The table to move to."""

    seat: Annotated[int, Meta(ge=1, le=12)] | None = None
    """Null means the worst legal seat at the table."""


class OrderWanted(ReasonGiven, forbid_unknown_fields=True, kw_only=True):
    """The order in which the open tables break."""

    order: tuple[Annotated[int, Meta(ge=1)], ...]
    """The numbers of all open tables, the first to break first."""


class AboutEntrant(ReasonGiven, forbid_unknown_fields=True, kw_only=True):
    """The entrant that the ruling is about."""

    entrant: Entrant
    """The entrant that the ruling is about."""


class PenaltyWanted(AboutEntrant, forbid_unknown_fields=True, kw_only=True):
    """A penalty in hands, or in rounds of as many hands as the table has players."""

    hands: Annotated[int, Meta(ge=1, le=1000)] | None = None
    """The number of hands. Give either this or `rounds`."""

    rounds: Annotated[int, Meta(ge=1, le=100)] | None = None
    """The number of rounds, each of as many hands as the entrant's table has players."""


class Ruled(msgspec.Struct, kw_only=True):
    """A ruling in force."""

    tournament: str
    ruling: str | None
    """The type of the ruling's event, or null if the ruling changed nothing."""
    hands: int | None = None
    """The number of hands of a penalty."""
    position: str | None


_PROBLEMS = ("forbidden", "tournament_not_running", "ruling_not_possible", "text_forged")


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/moves", "order_move",
    "Move an entrant to another table as soon as both tables are between hands.",
    scope="tournaments:manage", needs="run_floor", answer=Ruled, status=201,
    key_required=True, problems=(*_PROBLEMS, "entrant_unknown", "table_not_in_play", "own_seat"),
    dry_run=True,
)  # fmt: skip
async def order_move(
    shell: Shell, body: MoveWanted, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Order the move, which the tables carry out between hands."""
    command = floor_commands.OrderMove(
        entrant=EntrantId(body.entrant),
        to_table=TableId(body.table),
        to_seat=None if body.seat is None else Seat(body.seat),
        **await signed(shell, place, order, body.reason, about=body.entrant),
    )
    return await ruled(shell, place, place.id, order, command)


@operation(
    "PUT", "/v1/tournaments/{tournament_id:str}/breaking_order", "change_breaking_order",
    "Change the order in which the open tables break.",
    scope="tournaments:manage", needs="run_floor", answer=Ruled,
    key_required=True, problems=_PROBLEMS, dry_run=True,
    precondition="demanded",
)  # fmt: skip
async def change_breaking_order(
    shell: Shell, body: OrderWanted, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Replace the breaking order, which was first published with the seat draw."""
    command = floor_commands.ChangeBreakingOrder(
        order=body.order, **await signed(shell, place, order, body.reason)
    )
    return await ruled(shell, place, place.id, order, command, status=200)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/warnings", "warn_entrant",
    "Warn an entrant, on record.",
    scope="tournaments:manage", needs="direct_play", answer=Ruled, status=201,
    key_required=True, problems=(*_PROBLEMS, "entrant_unknown"),
)  # fmt: skip
async def warn(
    shell: Shell, body: AboutEntrant, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Record a warning, which has no effect on play."""
    command = floor_commands.Warn(
        entrant=EntrantId(body.entrant),
        **await signed(shell, place, order, body.reason, about=body.entrant),
    )
    return await ruled(shell, place, place.id, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/penalties", "give_penalty",
    "Give an entrant a penalty: a number of hands that it posts for and loses.",
    scope="tournaments:manage", needs="direct_play", answer=Ruled, status=201,
    key_required=True, problems=(*_PROBLEMS, "entrant_unknown"), dry_run=True,
)  # fmt: skip
async def penalise(
    shell: Shell, body: PenaltyWanted, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Give a penalty, which the entrant serves from the next hand on."""
    command = floor_commands.Penalise(
        entrant=EntrantId(body.entrant),
        hands=body.hands,
        rounds=body.rounds,
        **await signed(shell, place, order, body.reason, about=body.entrant),
    )
    return await ruled(shell, place, place.id, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/disqualifications", "disqualify_entrant",
    "Disqualify an entrant. A hand in play is folded, and the chips leave play.",
    scope="tournaments:manage", needs="direct_play", answer=Ruled, status=201,
    key_required=True, problems=(*_PROBLEMS, "entrant_unknown"), dry_run=True,
)  # fmt: skip
async def disqualify(
    shell: Shell, body: AboutEntrant, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Disqualify an entrant, who gets the place of a bust in the hand in play."""
    command = floor_commands.Disqualify(
        entrant=EntrantId(body.entrant),
        **await signed(shell, place, order, body.reason, about=body.entrant),
    )
    return await ruled(shell, place, place.id, order, command)


@operation(
    "POST", "/v1/tables/{table_id:str}/hold", "hold_table",
    "Hold one table, even during a hand.",
    scope="tournaments:manage", needs="run_floor", answer=Ruled,
    key_required=True, problems=(*_PROBLEMS, "table_not_in_play", "table_closed", "own_seat"),
    dry_run=True,
)  # fmt: skip
async def hold_table(
    shell: Shell, body: ReasonGiven, place: TablePlace, order: Order
) -> Response[bytes]:
    """Hold a table. Its clock stands still until its release."""
    return await _at_table(shell, body, place, order, floor_commands.HoldOneTable)


@operation(
    "POST", "/v1/tables/{table_id:str}/release", "release_table",
    "Release a held table. An open decision gets its full time again.",
    scope="tournaments:manage", needs="run_floor", answer=Ruled,
    key_required=True, problems=(*_PROBLEMS, "table_not_in_play", "table_closed", "own_seat"),
    dry_run=True,
)  # fmt: skip
async def release_table(
    shell: Shell, body: ReasonGiven, place: TablePlace, order: Order
) -> Response[bytes]:
    """Release a held table, so that play goes on there."""
    return await _at_table(shell, body, place, order, floor_commands.ReleaseTable)


async def _at_table(
    shell: Shell,
    body: ReasonGiven,
    place: TablePlace,
    order: Order,
    wanted: type[floor_commands.HoldOneTable] | type[floor_commands.ReleaseTable],
) -> Response[bytes]:
    command = wanted(table=place.state.table, **await signed(shell, place, order, body.reason))
    return await ruled(shell, place, place.state.tournament, order, command, status=200)


async def signed(
    shell: Shell,
    place: Place[msgspec.Struct],
    order: Order,
    reason: str,
    *,
    about: str | None = None,
) -> reasons.StaffDecision:
    """Return the members that every ruling has: its author, its reason and its time."""
    entry = None
    if about is not None and isinstance(place.state, Running):
        entry = entry_of(place.state, EntrantId(about))
    player = None if entry is None else entry.player
    return await reasons.signed(shell, place.league, order, reason, about=player)


async def ruled(
    shell: Shell,
    place: Place[msgspec.Struct],
    tournament_id: str,
    order: Order,
    command: floor_commands.Command,
    *,
    status: int = 201,
) -> Response[bytes]:
    """Decide the command on the tournament, then apply its consequences to the tables."""
    receipt = await submit_to_tournament(shell.runtime, place.league, tournament_id, command, order)
    content, stream = _content(tournament_id, receipt), stream_of(tournament_id)
    return answer(receipt, content, status, version_of=stream)


def _content(tournament_id: str, receipt: Receipt) -> dict[str, object]:
    # Levels and outages that the clock had not followed yet come before the ruling.
    found = (each.event for each in receipt.recorded if isinstance(each.event, floor_events.Event))
    first = next(found, None)
    return {
        "tournament": tournament_id,
        "ruling": None if first is None else first.__struct_config__.tag,
        "hands": first.hands if isinstance(first, PenaltyGiven) else None,
    }
