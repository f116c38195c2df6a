"""Entering a tournament, and withdrawing before play starts."""

from typing import Annotated, Literal

import msgspec
from litestar import Response

from engine.tournament.entering.staff import counts_as_entered
from engine.tournament.model.commands import Register, Withdraw
from engine.tournament.model.state import Running
from engine.tournament.model.values import Entry
from engine.tournament.model.values.entering import Applicant
from engine.values import EntrantId, PlayerId
from service.announcing.sandbox_leagues import is_sandbox
from service.api.http.access.phases import entering_of, entries_of
from service.api.http.access.rights import AS_KNOWN, TournamentPlace
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.reading.listing import Key, Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer, decide_one
from service.api.tournament.entrants import EntrantShown, my_entry, shown_entrants
from service.api.tournament.entry_times import with_entry_times
from service.base.errors import Forbidden, StreamNotFound
from service.director.admission import table_ids
from service.director.in_play import demand_no_office_since
from service.director.submitting import submit_to_tournament
from service.log.writer import Receipt
from service.people.tokens import Principal


class RegistrationWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An entry to make. A bot must set ``bot``."""

    bot: bool = False
    """True if a program will play. The terms may forbid it, or demand it."""


class RegistrationListed(EntrantShown, kw_only=True):
    """One entry in a list of entries."""

    entrant: str


class Registration(msgspec.Struct, kw_only=True):
    """An entry after a registration or withdrawal."""

    entrant: str
    tournament: str
    player: str
    status: Literal["registered", "waitlisted", "requested", "withdrawn"]
    """``requested`` means that the entry waits for a director's approval."""

    position: str | None = None


REGISTERING = (
    "already_entered", "player_banned", "bots_forbidden", "bots_only", "registration_closed",
    "registration_not_open", "tournament_full", "no_seat_free", "entry_refused",
    "re_entry_not_allowed", "office_held", "seats_being_drawn",
)  # fmt: skip
"""The problems of an entry."""

STATUSES = {
    "entrant_registered": "registered",
    "entrant_waitlisted": "waitlisted",
    "entry_requested": "requested",
}
"""The status after an entry, by the type of its event."""


def status_of(receipt: Receipt) -> str:
    """Return the status after an entry. Events of outages may come before the entry's own."""
    found = (STATUSES[each.type] for each in receipt.recorded if each.type in STATUSES)
    return next(found, "registered")


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registrations", "register_entrant",
    "Enter a tournament.",
    needs="enter_tournaments",
    scope="tables:play", answer=Registration, status=201,
    problems=REGISTERING,
    key_required=True,
)  # fmt: skip
async def register_entrant(
    body: RegistrationWanted,
    place: Annotated[TournamentPlace, AS_KNOWN],
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Register the caller, who may get a place, join the waitlist or need approval."""
    player = PlayerId(principal.account.player)
    return await register(shell, place, order, player, bot=body.bot)


async def register(
    shell: Shell,
    place: TournamentPlace,
    order: Order,
    player: PlayerId,
    *,
    bot: bool,
    by: PlayerId | None = None,
) -> Response[bytes]:
    """
    Enter *player*, and answer with the new entry.

    Args:
        by: The member of staff who acts for the player, if any.

    Raises:
        Forbidden: In the sandbox league, which a player enters once at a time.
    """
    if is_sandbox(place.league):
        raise Forbidden("the sandbox league is entered by POST /v1/sandbox/entries")
    entrant = EntrantId(f"ent_{order.new_id(0).hex}")
    command = Register(
        entrant=entrant,
        player=player,
        bot=bot,
        table_ids=table_ids(order),
        by=by,
        now=shell.now(),
    )
    # Another process may have started play.
    state = (await shell.runtime.writer.load(place.league, place.stream)).state
    if isinstance(state, Running) and not counts_as_entered(state, player):
        await demand_no_office_since(shell.runtime.pool, place.league, place.id, player)
    receipt = await submit_to_tournament(shell.runtime, place.league, place.id, command, order)
    content = {
        "entrant": entrant,
        "tournament": place.id,
        "player": player,
        "status": status_of(receipt),
    }
    return answer(receipt, content, version_of=place.stream)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/registrations", "list_registrations",
    "List the entries of a tournament.",
    needs="read_league", scope="leagues:read", answer=Page[RegistrationListed],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_registrations(
    place: TournamentPlace, shell: Shell, principal: Principal, pages: Pages
) -> Response[bytes]:
    """List entries in order of registration, then the waitlist, then applicants."""
    place = await with_entry_times(shell, place)
    entrants = await shown_entrants(shell, principal, place)
    items = [
        RegistrationListed(entrant=each.id, **msgspec.structs.asdict(each)) for each in entrants
    ]
    keys = _keys(place)
    items.sort(key=lambda each: keys[each.entrant])
    paged = await pages.live(place.league, f"registrations {place.id}", int, int, str)
    return pages.answer(paged.cut(items, lambda each: keys[each.entrant]))


def _keys(place: TournamentPlace) -> dict[str, Key]:
    """Return the place of each entrant in the list, which does not move when another leaves."""
    known = entering_of(place.state)
    parts: tuple[tuple[Entry | Applicant, ...], ...] = (
        entries_of(place.state),
        known.waiting,
        known.applicants,
    )
    return {
        each.entrant: (part, each.number, each.entrant)
        for part, found in enumerate(parts)
        for each in found
    }


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/withdrawals", "withdraw_entrant",
    "Withdraw the caller's entry before play, or a waitlist place or application until the end.",
    needs="own_entry", scope="tables:play", body=Nothing, answer=Registration,
    problems=("entrant_unknown", "registration_closed", "seats_being_drawn"),
)  # fmt: skip
async def withdraw_entrant(
    place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Withdraw the caller's entry or application. A retry gets the first answer again."""
    player = PlayerId(principal.account.player)
    command = Withdraw(entrant=my_entry(principal, place, order), now=shell.now())
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    if not receipt.recorded:
        raise StreamNotFound("there is no entry to withdraw")
    content = {
        "entrant": receipt.recorded[0].event.entrant,
        "tournament": place.id,
        "player": player,
        "status": "withdrawn",
    }
    return answer(receipt, content, 200, version_of=place.stream)
