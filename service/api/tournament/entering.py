"""Drafts, approval, waitlist offers, check-in and announcements of one tournament."""

from datetime import datetime
from typing import Literal, get_args

import msgspec
from litestar import Response

from engine.tournament.model.commands import Command
from engine.tournament.model.commands.entering import (
    AnnounceDraft,
    AnswerOffer,
    Approve,
    CheckIn,
    CloseLateRegistration,
    CloseRegistration,
    DiscardDraft,
    PostNotice,
    Refuse,
)
from engine.tournament.model.errors.entering import NotADraft
from engine.tournament.model.events import Event
from engine.tournament.model.events.entering import OfferExtended
from engine.tournament.model.state import Drafted, phase_of
from engine.values import EntrantId, PlayerId, TournamentId
from service.announcing.terms import TournamentWanted, demand_sandbox, drafting, opening
from service.api.http.access.phases import entering_of
from service.api.http.access.rights import LEAGUE, TournamentPlace, find
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Asked, Shell
from service.api.http.writing.reasons import keep
from service.api.http.writing.submitting import Order, answer, decide_one
from service.api.tournament.entrants import my_entry
from service.base.errors import BadRequest
from service.director.admission import table_ids
from service.director.submitting import submit_to_tournament
from service.log.writer import Receipt
from service.people.texts import Written, words
from service.people.tokens import Principal

_DIRECTOR = "tournaments:manage"


ABOUT_ENTRANT = tuple(
    each
    for each in get_args(Event)
    if "entrant" in each.__struct_fields__ and each is not OfferExtended
)
"""The events by which a command changes an entrant. OfferExtended records outages before it."""


class RefusalWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The reason for refusing an applicant."""

    reason: Written
    """The reason, 1 to 2000 characters. Only staff can read it."""


class AnswerWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The answer to an offer from the waitlist."""

    accepted: bool
    """True takes the place, false leaves it to the next player on the waitlist."""


class AnnouncementWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The text of a notice to the players."""

    text: Written
    """The notice, 1 to 2000 characters. Members of the league can read it."""


class EntryChanged(msgspec.Struct, kw_only=True):
    """The effect of a command. ``events`` lists the types of its events, in order."""

    tournament: str
    entrant: str | None
    """The entrant that the command changed, or null if it changed none."""

    events: tuple[str, ...]
    """Types of events, such as `entrant_checked_in`."""

    position: str | None = None


class AnnouncementListed(msgspec.Struct, kw_only=True):
    """A notice to the players."""

    number: int
    """Its number, from 0."""

    id: str
    """The text, `txt_…`."""

    text: str | None
    """The notice, or null once it is erased."""

    at: datetime
    """The time of the notice."""


@operation(
    "PUT", "/v1/tournaments/{tournament_id:str}/terms", "revise_terms",
    "Replace the terms of a draft.",
    needs="manage_tournaments", scope=_DIRECTOR, answer=EntryChanged,
    problems=(
        "bad_request", "not_a_sandbox", "beacon_unknown",
        "not_a_draft", "terms_invalid", "terms_contradict", "unknown_ruleset", "invalid_ruleset",
    ),
    precondition="demanded",
)  # fmt: skip
async def revise_terms(
    request: Asked, body: TournamentWanted, place: TournamentPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Replace all terms. Those that the request leaves out return to their defaults."""
    if not isinstance(place.state, Drafted):
        raise NotADraft(phase=phase_of(place.state))
    league = (await find(request, place.league, LEAGUE)).state
    demand_sandbox(body, league.sandbox)
    if body.masters is not None:
        raise BadRequest("bad_request", "a draft has no masters; fix them when registration opens")
    if body.season != place.state.terms.season:
        raise BadRequest("bad_request", "a draft cannot move to another season")
    command = drafting(
        body,
        TournamentId(place.id),
        league.league,
        shell.now(),
        shell.runtime.pulses,
        league.publicity.visibility,
    )
    return await _ask(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/announce", "announce_draft",
    "Announce a draft. Registration opens at once, unless its terms give a later time.",
    needs="manage_tournaments", scope=_DIRECTOR, body=Nothing, answer=EntryChanged,
    problems=("not_a_draft", "terms_invalid", "terms_contradict", "season_closed", "own_points"),
)  # fmt: skip
async def announce_draft(place: TournamentPlace, order: Order, shell: Shell) -> Response[bytes]:
    """Announce the draft. Unless registration opens later, open it in the same append."""
    now = shell.now()
    commands: list[Command] = [AnnounceDraft(now=now)]
    opens_at = place.state.terms.registration_opens_at
    if opens_at is None or opens_at <= now:
        commands.append(opening(None, now, shell.runtime.entropy.token))
    receipt = await decide_one(shell, place.league, place.id, order, commands)
    return entry_changed(receipt, place)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/discard", "discard_draft",
    "Discard a draft, which can then never be announced. Ordinary lists leave it out.",
    needs="manage_tournaments", scope=_DIRECTOR, body=Nothing, answer=EntryChanged,
    problems=("not_a_draft",),
)  # fmt: skip
async def discard_draft(place: TournamentPlace, order: Order, shell: Shell) -> Response[bytes]:
    """Record that the draft is discarded. Its terms stay in the log."""
    command = DiscardDraft(now=shell.now())
    return await _ask(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registrations/{entrant_id:str}/approve",
    "approve_entry", "Approve an applicant.",
    needs="run_tournaments", scope=_DIRECTOR, body=Nothing, answer=EntryChanged,
    problems=(
        "applicant_unknown", "player_banned", "registration_closed", "tournament_full",
        "no_seat_free", "office_held", "seats_being_drawn",
    ),
)  # fmt: skip
async def approve_entry(
    entrant_id: str, place: TournamentPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Approve the applicant, who gets a place or joins the waitlist at once."""
    command = Approve(
        entrant=EntrantId(entrant_id),
        table_ids=table_ids(order),
        now=shell.now(),
    )
    return await _ask(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registrations/{entrant_id:str}/refuse",
    "refuse_entry", "Refuse an applicant, with a reason.",
    needs="run_tournaments", scope=_DIRECTOR, answer=EntryChanged,
    problems=("applicant_unknown", "registration_closed", "text_forged"),
)  # fmt: skip
async def refuse_entry(
    entrant_id: str,
    body: RefusalWanted,
    place: TournamentPlace,
    order: Order,
    shell: Shell,
) -> Response[bytes]:
    """Refuse the applicant. Only staff can read the reason."""
    found = entering_of(place.state)
    asking = found.applicant(EntrantId(entrant_id))
    about = None if asking is None else asking.player
    reason = await keep(shell, place.league, order, body.reason, about=about, audience="staff")
    command = Refuse(entrant=EntrantId(entrant_id), reason=reason, now=shell.now())
    return await _ask(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/offers", "answer_offer",
    "Accept the place offered to me, or leave it to the next player on the waitlist.",
    needs="enter_tournaments", scope="tables:play", answer=EntryChanged,
    problems=(
        "no_offer", "offer_expired", "player_banned", "registration_closed", "seats_being_drawn",
    ),
)  # fmt: skip
async def answer_offer(
    body: AnswerWanted,
    place: TournamentPlace,
    order: Order,
    now: datetime,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Answer the caller's offer. An answer at the very instant of expiry still counts."""
    mine = my_entry(principal, place, order)
    command = AnswerOffer(entrant=mine, accepted=body.accepted, now=now)
    return await _ask(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/check-ins", "check_in",
    "Check in to a tournament.", needs="own_entry", scope="tables:play", body=Nothing,
    answer=EntryChanged, problems=(
        "check_in_not_open", "entrant_unknown", "player_banned", "registration_not_open",
        "seats_being_drawn",
    ),
)  # fmt: skip
async def check_in(
    place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Check the caller in. A player who was seated absent plays from the next hand."""
    return await _check_in(shell, place, order, my_entry(principal, place, order))


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registrations/{entrant_id:str}/check-in",
    "check_in_entrant", "Check an entrant in.",
    needs="run_floor", scope=_DIRECTOR, body=Nothing, answer=EntryChanged,
    problems=(
        "check_in_not_open", "entrant_unknown", "player_banned", "registration_not_open",
        "seats_being_drawn",
    ),
)  # fmt: skip
async def check_in_entrant(
    entrant_id: str, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Check an entrant in on their behalf. The event names the caller."""
    by = PlayerId(principal.account.player)
    return await _check_in(shell, place, order, EntrantId(entrant_id), by)


async def _check_in(
    shell: Shell,
    place: TournamentPlace,
    order: Order,
    entrant: EntrantId,
    by: PlayerId | None = None,
) -> Response[bytes]:
    command = CheckIn(entrant=entrant, table_ids=table_ids(order), by=by, now=shell.now())
    return await _ask(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registration/close", "close_registration",
    "Close registration, or late registration once play has begun.",
    needs="start_tournaments", scope=_DIRECTOR, body=Nothing, answer=EntryChanged,
    problems=("registration_closed", "registration_not_open"),
)  # fmt: skip
async def close_registration(place: TournamentPlace, order: Order, shell: Shell) -> Response[bytes]:
    """Close late registration during play, and registration before it."""
    now = shell.now()
    playing = phase_of(place.state) in ("running", "paused")
    command = CloseLateRegistration(now=now) if playing else CloseRegistration(now=now)
    return await _ask(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/announcements", "post_announcement",
    "Post a notice to the players.", needs="direct_play", scope=_DIRECTOR,
    answer=EntryChanged, status=201,
    problems=("tournament_not_announced", "text_forged"),
    key_required=True,
)  # fmt: skip
async def post_announcement(
    body: AnnouncementWanted, place: TournamentPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Keep the text outside the log. The event holds only a reference to it."""
    text = await keep(shell, place.league, order, body.text)
    command = PostNotice(text=text, now=shell.now())
    return await _ask(shell, place, order, command, status=201)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/announcements", "list_announcements",
    "List the notices to the players, oldest first.",
    needs="read_league", scope="leagues:read", answer=Page[AnnouncementListed],
    problems=("invalid_cursor", "text_forged"),
)  # fmt: skip
async def list_announcements(place: TournamentPlace, shell: Shell, pages: Pages) -> Response[bytes]:
    """List the notices from the aggregate."""
    found = entering_of(place.state)
    said = await words(shell.engine, [each.text for each in found.notices])
    items = [
        AnnouncementListed(
            number=number, id=each.text.text, text=said.get(each.text.text), at=each.at
        )
        for number, each in enumerate(found.notices)
    ]
    paged = await pages.live(place.league, f"announcements {place.id}", int)
    return pages.answer(paged.cut(items, lambda each: (each.number,)))


async def _ask(
    shell: Shell,
    place: TournamentPlace,
    order: Order,
    command: Command,
    status: Literal[200, 201] = 200,
) -> Response[bytes]:
    receipt = await submit_to_tournament(shell.runtime, place.league, place.id, command, order)
    return entry_changed(receipt, place, status, about=getattr(command, "entrant", None))


def entry_changed(
    receipt: Receipt,
    place: TournamentPlace,
    status: Literal[200, 201] = 200,
    about: EntrantId | None = None,
) -> Response[bytes]:
    """
    Answer with the types of the events, and with the entrant that they change.

    Args:
        about: The entrant that the command names. Others may leave the waitlist before. Without one
            it is the first that the events name.
    """
    found = [each.event for each in receipt.recorded if each.stream == place.stream]
    named = [each.entrant for each in found if isinstance(each, ABOUT_ENTRANT)]
    content = {
        "tournament": place.id,
        "entrant": about if about in named else next(iter(named), None),
        "events": tuple(each.__struct_config__.tag for each in found),
    }
    return answer(receipt, content, status, version_of=place.stream)
