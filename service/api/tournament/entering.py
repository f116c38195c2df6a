"""Getting into a tournament: drafts, approval, places in line, checking in, news for players."""

from datetime import datetime
from typing import Any, Literal

import msgspec
from litestar import Response
from litestar.params import FromPath

from engine.tournament.model.commands import Command
from engine.tournament.model.entering_commands import (
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
from engine.tournament.model.entering_errors import NotADraft
from engine.tournament.model.entering_values import Entering
from engine.tournament.model.state import Drafted, phase_of
from engine.values import EntrantId, LeagueId, TournamentId
from service.announcing.terms import TournamentWanted, demand_sandbox, drafting, opening
from service.api.http.access import Place, reach
from service.api.http.bodies import read_body
from service.api.http.listing import listed
from service.api.http.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.paging import Page
from service.api.http.positions import live_listing
from service.api.http.reasons import keep
from service.api.http.shell import Asked, shell_of
from service.api.http.submitting import Order, answer, decide_one, order_of
from service.api.tournament.entrants import my_entry
from service.base.errors import BadRequest
from service.director.admission import table_ids
from service.director.submitting import submit_to_tournament
from service.log.streams import league_stream
from service.people.texts import Written, words

_DIRECTOR = "tournaments:manage"


class RefusalWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Why a player does not get in."""

    reason: Written


class AnswerWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Whether a place that is kept is taken."""

    accepted: bool


class AnnouncementWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What the players are to know."""

    text: Written


class EntryChanged(msgspec.Struct, kw_only=True):
    """What a command has changed; ``events`` are their types, in order."""

    tournament: str
    entrant: str | None
    events: tuple[str, ...]
    position: str | None = None


class AnnouncementShown(msgspec.Struct, kw_only=True):
    """One announcement; ``text`` is null once its author's words are erased."""

    id: str
    text: str | None
    at: datetime


@operation(
    "PUT", "/v1/tournaments/{tournament_id:str}/terms", "revise_terms",
    "Write a draft's terms anew.", needs="manage_tournaments", scope=_DIRECTOR,
    body=TournamentWanted, answer=EntryChanged,
    problems=(
        "not_a_draft", "terms_invalid", "terms_contradict", "unknown_ruleset", "invalid_ruleset",
    ),
)  # fmt: skip
async def revise_terms(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Replace the terms whole; what is not named gets its default again."""
    body, raw = await read_body(request, TournamentWanted)
    place = await reach(request, tournament_id, "trn")
    if not isinstance(place.state, Drafted):
        raise NotADraft(phase=phase_of(place.state))
    league = await shell_of(request).runtime.writer.load(place.league, league_stream(place.league))
    sandbox: Any = league.state
    demand_sandbox(body, sandbox.sandbox)
    if body.masters is not None:
        raise BadRequest("bad_request", "masters are fixed when registration opens, not in a draft")
    if body.season != place.state.terms.season:
        raise BadRequest("bad_request", "a draft stays in its season")
    shell = shell_of(request)
    command = drafting(
        body, TournamentId(tournament_id), LeagueId(place.league), shell.now(), shell.runtime.pulses
    )
    return await _ask(request, place, tournament_id, raw, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/announce", "announce_draft",
    "Publish a draft; registration opens at once unless its terms say later.",
    needs="manage_tournaments", scope=_DIRECTOR, body=Nothing, answer=EntryChanged,
    problems=("not_a_draft", "terms_invalid", "terms_contradict", "season_closed"),
)  # fmt: skip
async def announce_draft(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Announce and, usually, open registration in the same append."""
    _, raw = await read_body(request, Nothing)
    place = await reach(request, tournament_id, "trn")
    shell, order = shell_of(request), order_of(request, raw)
    now = shell.now()
    commands: list[Any] = [AnnounceDraft(now=now)]
    opens_at = getattr(getattr(place.state, "terms", None), "registration_opens_at", None)
    if opens_at is None or opens_at <= now:
        commands.append(opening(None, now, shell.runtime.entropy.token))
    receipt = await decide_one(shell, place.league, tournament_id, order, commands)
    return _answered(receipt, place, tournament_id)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/discard", "discard_draft",
    "Give a draft up: it is never announced, and is in no list that does not ask for it.",
    needs="manage_tournaments", scope=_DIRECTOR, body=Nothing, answer=EntryChanged,
    problems=("not_a_draft",),
)  # fmt: skip
async def discard_draft(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Leave it in the log, where it was written."""
    _, raw = await read_body(request, Nothing)
    place = await reach(request, tournament_id, "trn")
    command = DiscardDraft(now=shell_of(request).now())
    return await _ask(request, place, tournament_id, raw, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registrations/{entrant_id:str}/approve",
    "approve_entry", "Let somebody in who asks for approval.",
    needs="run_tournaments", scope=_DIRECTOR, body=Nothing, answer=EntryChanged,
    problems=(
        "applicant_unknown", "player_banned", "registration_closed", "tournament_full",
        "no_seat_free", "office_held",
    ),
)  # fmt: skip
async def approve_entry(
    request: Asked, tournament_id: FromPath[str], entrant_id: FromPath[str]
) -> Response[bytes]:
    """Say yes: a place, or a place in line, follows at once."""
    _, raw = await read_body(request, Nothing)
    place = await reach(request, tournament_id, "trn")
    order = order_of(request, raw)
    command = Approve(
        entrant=EntrantId(entrant_id),
        table_ids=table_ids(order.command),
        now=shell_of(request).now(),
    )
    return await _ask(request, place, tournament_id, raw, command, order)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registrations/{entrant_id:str}/refuse",
    "refuse_entry", "Refuse somebody who asks for approval, and say why.",
    needs="run_tournaments", scope=_DIRECTOR, body=RefusalWanted, answer=EntryChanged,
    problems=("applicant_unknown", "registration_closed", "text_forged"),
)  # fmt: skip
async def refuse_entry(
    request: Asked, tournament_id: FromPath[str], entrant_id: FromPath[str]
) -> Response[bytes]:
    """Say no; the staff and the player can read why."""
    body, raw = await read_body(request, RefusalWanted)
    place = await reach(request, tournament_id, "trn")
    order = order_of(request, raw)
    found: Entering = getattr(place.state, "entering", Entering())
    asking = found.applicant(EntrantId(entrant_id))
    about = None if asking is None else asking.player
    reason = await keep(request, place.league, order, body.reason, about=about, audience="staff")
    command = Refuse(entrant=EntrantId(entrant_id), reason=reason, now=shell_of(request).now())
    return await _ask(request, place, tournament_id, raw, command, order)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/offers", "answer_offer",
    "Take the place that is kept for me, or leave it to the next in line.",
    needs="enter_tournaments", scope="tables:play", body=AnswerWanted, answer=EntryChanged,
    problems=("no_offer", "offer_expired", "player_banned", "registration_closed"),
)  # fmt: skip
async def answer_offer(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Answer; an answer at the last instant counts."""
    body, raw = await read_body(request, AnswerWanted)
    place = await reach(request, tournament_id, "trn")
    order, now = order_of(request, raw), shell_of(request).now()
    mine = my_entry(request, place, order)
    command = AnswerOffer(entrant=mine, accepted=body.accepted, now=now)
    return await _ask(request, place, tournament_id, raw, command, order)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/check-ins", "check_in",
    "Say that I am there.", needs="own_entry", scope="tables:play", body=Nothing,
    answer=EntryChanged, problems=("check_in_not_open", "entrant_unknown", "registration_not_open"),
)  # fmt: skip
async def check_in(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Check in; who comes after the start to a seat that was kept is dealt in again."""
    _, raw = await read_body(request, Nothing)
    place = await reach(request, tournament_id, "trn")
    return await _check_in(request, place, tournament_id, raw)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registrations/{entrant_id:str}/check-in",
    "check_in_entrant", "Say that an entrant is there.",
    needs="run_floor", scope=_DIRECTOR, body=Nothing, answer=EntryChanged,
    problems=("check_in_not_open", "entrant_unknown", "registration_not_open"),
)  # fmt: skip
async def check_in_entrant(
    request: Asked, tournament_id: FromPath[str], entrant_id: FromPath[str]
) -> Response[bytes]:
    """Check somebody in who stands at the runtime."""
    _, raw = await read_body(request, Nothing)
    place = await reach(request, tournament_id, "trn")
    return await _check_in(request, place, tournament_id, raw, EntrantId(entrant_id))


async def _check_in(
    request: Asked, place: Place, tournament: str, raw: bytes, entrant: EntrantId | None = None
) -> Response[bytes]:
    order = order_of(request, raw)
    ids = table_ids(order.command)
    who = entrant or my_entry(request, place, order)
    command = CheckIn(entrant=who, table_ids=ids, now=shell_of(request).now())
    return await _ask(request, place, tournament, raw, command, order)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registration/close", "close_registration",
    "Take no more entrants: before the start, or late ones.",
    needs="start_tournaments", scope=_DIRECTOR, body=Nothing, answer=EntryChanged,
    problems=("registration_closed", "registration_not_open"),
)  # fmt: skip
async def close_registration(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Close whatever is open; what is closed stays so."""
    _, raw = await read_body(request, Nothing)
    place = await reach(request, tournament_id, "trn")
    now = shell_of(request).now()
    playing = phase_of(place.state) in ("running", "paused")
    command = CloseLateRegistration(now=now) if playing else CloseRegistration(now=now)
    return await _ask(request, place, tournament_id, raw, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/announcements", "post_announcement",
    "Tell the players something.", needs="direct_play", scope=_DIRECTOR,
    body=AnnouncementWanted, answer=EntryChanged, status=201,
    problems=("tournament_not_announced", "text_forged"),
)  # fmt: skip
async def post_announcement(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Keep the words, and put their name into the feed."""
    body, raw = await read_body(request, AnnouncementWanted)
    place = await reach(request, tournament_id, "trn")
    order = order_of(request, raw)
    text = await keep(request, place.league, order, body.text)
    command = PostNotice(text=text, now=shell_of(request).now())
    return await _ask(request, place, tournament_id, raw, command, order, status=201)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/announcements", "list_announcements",
    "What the staff told the players, oldest first.",
    needs="read_league", scope="leagues:read", answer=Page, query=("limit", "cursor"),
    problems=("invalid_cursor", "text_forged"),
)  # fmt: skip
async def list_announcements(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """List from the aggregate."""
    place = await reach(request, tournament_id, "trn")
    found: Entering = getattr(place.state, "entering", Entering())
    said = await words(shell_of(request).engine, [each.text for each in found.notices])
    shown = [
        AnnouncementShown(id=each.text.text, text=said.get(each.text.text), at=each.at)
        for each in found.notices
    ]
    items = [{"number": index, **msgspec.to_builtins(each)} for index, each in enumerate(shown)]
    paged = await live_listing(request, place.league, f"announcements {tournament_id}", int)
    return listed(request, paged.cut(items, lambda each: (each["number"],)))


async def _ask(
    request: Asked,
    place: Place,
    tournament: str,
    raw: bytes,
    command: Command,
    order: Order | None = None,
    status: Literal[200, 201] = 200,
) -> Response[bytes]:
    shell, known = shell_of(request), order or order_of(request, raw)
    receipt = await submit_to_tournament(
        shell.runtime, place.league, tournament, command, known.command
    )
    return _answered(receipt, place, tournament, status)


def _answered(
    receipt: Any, place: Place, tournament: str, status: Literal[200, 201] = 200
) -> Response[bytes]:
    found = [each.event for each in receipt.recorded if each.stream == place.stream]
    named = (getattr(each, "entrant", None) for each in found)
    content = {
        "tournament": tournament,
        "entrant": next((each for each in named if each is not None), None),
        "events": tuple(each.__struct_config__.tag for each in found),
    }
    return answer(receipt, content, status, version_of=place.stream)
