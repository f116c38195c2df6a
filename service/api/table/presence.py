"""Stepping away from a seat, and coming back to it."""

from typing import Annotated

import msgspec
from litestar import Response

from engine.table.model.commands import ComeBack, StepAway
from engine.table.model.errors import EntrantNotSeated
from service.api.http.access.rights import AS_KNOWN, TablePlace
from service.api.http.access.viewers import entrant_of, tournament_of_table
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer, decide_one
from service.director.next_hand import lead
from service.people.tokens import Principal


class PresenceWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A change between away and playing, which takes effect from the next hand."""

    away: bool
    """True to go away, false to come back for the next hand."""


class Presence(msgspec.Struct, kw_only=True):
    """The caller's seat after the change. A seat that is away posts, and its hand is killed."""

    table: str
    entrant: str
    away: bool
    """True if the player is away."""

    position: str | None


@operation(
    "POST", "/v1/tables/{table_id:str}/presence", "set_presence",
    "Step away from the caller's seat, or come back to it.",
    needs="own_entry",
    scope="tables:play", answer=Presence, problems=("entrant_not_seated",),
)  # fmt: skip
async def set_presence(
    body: PresenceWanted,
    place: Annotated[TablePlace, AS_KNOWN],
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Record that the caller is away or back. A repeated request changes nothing."""
    tournament = await tournament_of_table(shell, place)
    entrant = entrant_of(tournament, principal.account.player)
    if entrant is None:
        raise EntrantNotSeated()
    command = StepAway(entrant=entrant) if body.away else ComeBack(entrant=entrant)
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    if not body.away:
        # The table may be waiting for this player (rulebook ``absence.players_away``).
        lead(shell.runtime, place.league, place.id)
    content = {"table": place.id, "entrant": entrant, "away": body.away}
    return answer(receipt, content, 200, version_of=place.stream)
