"""Walk-ins: a player without an account who comes to the desk and wants to play."""

from typing import Literal

import msgspec
from litestar import Response
from msgspec.structs import replace

from engine import tournament
from engine.tournament.entering.staff import counts_as_entered
from engine.tournament.model.commands import Register
from engine.tournament.model.events import ChipsPromised
from engine.tournament.model.events.entering import LateSeatDrawn, TableAdded
from engine.tournament.model.state import Running
from engine.values import EntrantId, PlayerId, Seat, TableId, identifier
from service.api.http.access.rights import LEAGUE, TournamentPlace, demand_also, find
from service.api.http.declaring.declaration import OnPeople
from service.api.http.operations import operation
from service.api.http.shell import Asked, Shell
from service.api.http.writing.submitting import Order, answer
from service.api.league.likenesses import demand_distinct
from service.api.league.players import PlayerWanted, ones_of, stored
from service.api.tournament.entry_times import with_entry_times
from service.api.tournament.registrations import REGISTERING, status_of
from service.base.errors import scopes_missing
from service.director.in_play import demand_no_office_since
from service.director.walking_in import walk_in as submit_walk_in
from service.log.writer import Receipt
from service.people import entered_players
from service.people.entered_players import identity_of
from service.people.rosters import Row
from service.people.tokens import Principal


class WalkInWanted(PlayerWanted, forbid_unknown_fields=True, kw_only=True):
    """A player at the desk."""

    bot: bool = False
    """True if a program will play. The terms may forbid it, or demand it."""


class WalkedIn(msgspec.Struct, kw_only=True):
    """A player who was entered at the desk."""

    tournament: str
    player: str
    name: str
    """As shown to everybody."""

    claim: str | None
    """
    The claim code, shown only once. Null in the answer to a retry, and for a player whom the
    league had entered before.
    """

    entrant: str
    status: Literal["registered", "waitlisted", "requested"]
    """
    The place, or a position on the waitlist. ``requested`` means that the entry waits for approval:
    staff who walk in themselves cannot approve themselves.
    """

    table: str | None
    """The table of the seat, or null until seats are drawn."""

    seat: int | None
    """The seat at that table, or null until seats are drawn."""

    position: str | None = None


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/walk-ins", "walk_in",
    "Enter a player who has no account: as a member, in the tournament, and at a table.",
    needs="run_tournaments", scope="tournaments:manage", answer=WalkedIn, status=201,
    key_required=True, problems=(*REGISTERING, "forbidden", "name_taken"),
    on_people=OnPeople("claim", "enters a player at the desk, with a claim code", "nobody"),
    about="The token also needs the scope `leagues:manage`. The player is checked in if check-in "
    "is open, and seated at once during late registration.",
)  # fmt: skip
async def walk_in(
    request: Asked,
    body: WalkInWanted,
    place: TournamentPlace,
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Store the player, and append membership, entry and seat together."""
    demand_also(place.role, "manage_players")
    if "leagues:manage" not in principal.scopes:
        raise scopes_missing("leagues:manage")
    identity = identity_of(body.name, body.email, body.external_id)
    named = await entered_players.known(shell.engine, place.league, [identity])
    known = await ones_of(shell, place.league, named)
    player = known.get(identity, PlayerId(identifier("plr", order.new_id(0))))
    entry = Register(
        entrant=EntrantId(identifier("ent", order.new_id(1))),
        player=player,
        bot=body.bot,
        table_ids=(TableId(identifier("tbl", order.new_id(2))),),
        by=PlayerId(principal.account.player),
        now=shell.now(),
    )
    if identity not in known:
        house = (await find(request, place.league, LEAGUE)).state
        await demand_distinct(shell, house, body.name)
        # No player is stored for an entry that the tournament refuses.
        tournament.decider.decide((await with_entry_times(shell, place)).state, entry)
    elif isinstance(place.state, Running) and not counts_as_entered(place.state, player):
        await demand_no_office_since(shell.runtime.pool, place.league, place.id, player)
    row = Row(1, body.name, "player", identity)
    players, codes = await stored(shell, principal, place.league, order, (row,))
    # Another desk may have stored the same player meanwhile, under another identifier.
    player = players[identity]
    entry = replace(entry, player=player)
    receipt = await submit_walk_in(shell.runtime, place.league, place.id, entry, order)
    table, seat = _seat(receipt, entry.entrant)
    content = {
        "tournament": place.id,
        "player": player,
        "name": body.name,
        "claim": codes.get(identity),
        "entrant": entry.entrant,
        "status": status_of(receipt),
        "table": table,
        "seat": seat,
    }
    return answer(receipt, content, version_of=place.stream)


def _seat(receipt: Receipt, entrant: EntrantId) -> tuple[TableId | None, Seat | None]:
    """Return the table and the seat that an entrant got, or None twice without a seat."""
    for recorded in receipt.recorded:
        event = recorded.event
        seated = isinstance(event, LateSeatDrawn | TableAdded | ChipsPromised)
        if seated and event.entrant == entrant:
            return event.table, event.seat
    return None, None
