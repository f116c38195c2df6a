"""The entries of a tournament as members see them."""

from collections import Counter
from collections.abc import Container
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec

from engine.league.roles import STAFF
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.state.entering import Entering
from engine.tournament.model.values import Entry
from engine.tournament.model.values.entering import Applicant
from engine.tournament.results.ranking import out_in_round
from engine.values import EntrantId
from service.api.http.access.phases import (
    Tournament,
    disqualified_in,
    entering_of,
    entries_of,
    payouts_of,
    placings_of,
    tables_of,
)
from service.api.http.access.rights import TournamentPlace
from service.api.http.access.viewers import entrant_of
from service.api.http.declaring.by import By
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order
from service.base.errors import StreamNotFound
from service.people.accounts import names
from service.people.tokens import Principal

EntrantStatus = Literal[
    "requested",
    "refused",
    "waitlisted",
    "offered",
    "registered",
    "playing",
    "rebuy_open",
    "busted",
    "eliminated",
    "cashed_out",
    "finished",
]
"""The state of an entry or application."""


class EntrantShown(msgspec.Struct, kw_only=True):
    """One entry. ``placing`` is null until the entrant has a place."""

    id: str
    """The entrant, `ent_…`."""

    player: str
    name: str | None
    """The player's name now."""

    bot: bool
    """True if the entrant is a program."""

    status: EntrantStatus
    """
    ``rebuy_open`` while a rebuy window sells something. ``busted`` until the place is known: after
    the hand of hand-for-hand play at all tables, or after the last hand.
    """

    table: str | None
    """The table at which the entrant sits, or null."""

    seat: int | None
    """The seat at that table, or null."""

    rebuys: int
    """The number of rebuys that the entrant has bought. The next one has the number after it."""

    rebuy_declared: bool
    """True if the entrant has declared a rebuy, which comes once the last chip is lost."""

    placing: int | None
    """The place, from 1, or null while it is unknown."""

    payout: int | None
    """Money won, in minor units of the currency. Null without a payout."""

    checked_in: bool
    """True once the entrant has checked in."""

    absent: bool
    """True for a no-show who was seated and has not come yet (`no_show`: `seat_absent`)."""

    disqualified: bool
    """True for a disqualified entrant. The seat is taken until the hand in play ends."""

    line: int | None
    """The position on the waitlist, from 1, or null for everybody else."""

    offered_until: datetime | None
    """The time at which the offer of a place expires, or null without an offer."""


def my_entry(principal: Principal, place: TournamentPlace, order: Order) -> EntrantId:
    """
    Return the caller's place on the waitlist, application or latest entry, in this order.

    If the caller has no entry at all, return an unknown entrant. The tournament then refuses
    the command. A retry of the command that ended the entry still gets its first answer.
    """
    player, found = principal.account.player, entering_of(place.state)
    outside = (*found.waiting, *found.applicants)
    waiting = next((each.entrant for each in outside if each.player == player), None)
    mine = waiting or entrant_of(place.state, player)
    return mine or EntrantId(f"ent_{order.new_id(0).hex}")


async def own_entry(place: TournamentPlace, principal: Principal) -> EntrantId:
    """
    Return the caller's latest entry.

    Raises:
        StreamNotFound: If the caller has no entry.
    """
    entrant = entrant_of(place.state, principal.account.player)
    if entrant is None:
        raise StreamNotFound("you have no entry here")
    return entrant


OwnEntry = Annotated[EntrantId, By(own_entry)]


async def shown_entrants(
    shell: Shell, principal: Principal, place: TournamentPlace
) -> list[EntrantShown]:
    """Return the entries with seat, place and payout, then the waitlist and the applicants."""
    state = place.state
    known = entering_of(state)
    outside = _outside(principal, place, known)
    entries: tuple[Entry | Applicant, ...] = (*entries_of(state), *outside)
    called = await names(shell.engine, [UUID(hex=each.player[4:]) for each in entries])
    seats = {
        seated.entrant: (table.table, seated.seat)
        for table in tables_of(state)
        for seated in table.seats
    }
    placings = {each.entrant: each.place for each in placings_of(state)}
    lines = {each.entrant: index for index, each in enumerate(known.waiting, start=1)}
    payouts = {each.entrant: each.amount for each in payouts_of(state)}
    disqualified, rebuys = disqualified_in(state), Counter(state.books.rebuys)
    declared = state.declared if isinstance(state, Running) else ()
    return [
        EntrantShown(
            id=each.entrant,
            player=each.player,
            name=called.get(each.player),
            bot=each.bot,
            status=_status(state, each, seats, placings),
            table=None if (seat := seats.get(each.entrant)) is None else seat[0],
            seat=None if seat is None else seat[1],
            rebuys=rebuys[each.entrant],
            rebuy_declared=each.entrant in declared,
            placing=placings.get(each.entrant),
            payout=payouts.get(each.entrant),
            checked_in=each.entrant in known.checked_in,
            absent=each.entrant in known.absent,
            disqualified=each.entrant in disqualified,
            line=lines.get(each.entrant),
            offered_until=each.offered_until if isinstance(each, Applicant) else None,
        )
        for each in entries
    ]


def _outside(
    principal: Principal, place: TournamentPlace, known: Entering
) -> tuple[Applicant, ...]:
    """Return the waitlist and the applicants. Players see only their own application."""
    player = principal.account.player
    asking = (each for each in known.applicants if place.role in STAFF or each.player == player)
    return (*known.waiting, *asking)


def _status(
    state: Tournament,
    entry: Entry | Applicant,
    seats: Container[EntrantId],
    placings: Container[EntrantId],
) -> EntrantStatus:
    if isinstance(entry, Applicant):
        if not entry.number:
            return "requested" if entry.refused is None else "refused"
        return "waitlisted" if entry.offered_until is None else "offered"
    entrant = entry.entrant
    if isinstance(state, Finished):
        return "finished"
    if entrant in placings:
        return "eliminated"
    if not isinstance(state, Running):
        return "playing" if entrant in seats else "registered"
    if entrant in {each.entrant for each in state.left}:
        return "cashed_out"
    if state.window(entrant) is not None:
        return "busted" if state.no_hand_follows else "rebuy_open"
    if entrant in {each.entrant for each in out_in_round(state)}:
        return "busted"
    return "playing"
