"""Replays of hands, and the openings that let an auditor see every card of one."""

from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.kit.audiences import AUDITOR, PUBLIC
from engine.league.openings import OpenValues
from engine.league.roles import Role
from engine.table.read.replay import Replay, Step
from engine.tournament.model.state import State
from engine.values import HandId, PlayerId, number_of, stream_of
from service.api.http.access.entered import is_entered
from service.api.http.access.hands import reach_hand
from service.api.http.access.phases import entries_of
from service.api.http.access.rights import demand, demand_also
from service.api.http.declaring.by import By
from service.api.http.declaring.queries import Query
from service.api.http.operations import operation
from service.api.http.reading.called import names_at
from service.api.http.shell import Asked, Shell, operation_of, principal_of, shell_of
from service.api.http.wire.negotiating import ALL, best
from service.api.http.writing import reasons
from service.api.http.writing.submitting import Order, answer, decide_one
from service.base.errors import (
    BadRequest,
    NotOver,
    OpeningNeeded,
    StreamNotFound,
    scopes_missing,
)
from service.log.streams import tournament_stream
from service.people.texts import Written
from service.people.tokens import Principal
from service.projections.reads.hand_rows import HandRow
from service.replays.forms import JSON, SINGLE, WHOLE
from service.replays.reading import read_replay

AUDIT_SCOPE = "hands:audit"

SEEN_AS = Query(
    "as", str,
    "The perspective: `public`, `auditor` or an entrant. Without it, the caller's own.",
)  # fmt: skip
STEP = Query("step", Annotated[int, Meta(ge=1)], "Answer only this step, from 1.")


class HandOpeningWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A request to open a hand's hidden values, with a reason and a time limit."""

    reason: Written
    """The reason for the opening. The staff of the league may read it."""

    minutes: Annotated[int, Meta(ge=1, le=24 * 60)] = 60
    """The length of the opening in minutes."""


class OpeningMade(msgspec.Struct, kw_only=True):
    """A recorded opening of a hand. It is an event in the league's stream."""

    hand: str
    by: str
    """The player who opened the hand."""

    expires_at: datetime
    """The instant at which the opening ends."""

    position: str | None = None


async def _opened(request: Asked, hand_id: str) -> HandRow:
    """
    Return a hand that the caller may open.

    Raises:
        StreamNotFound: If the hand does not exist, or belongs to another league.
        Forbidden: If the role does not allow it, or the caller counts as entered there.
        NotOver: If the hand is still in play.
    """
    row, role = await reach_hand(request, hand_id)
    shell, player = shell_of(request), principal_of(request).account.player
    tournament = await _tournament(shell, row)
    demand(request, role, entered=await is_entered(shell, row.league, tournament, player))
    if not (await _read(shell, row, PUBLIC)).over:
        raise NotOver("the hand is still in play")
    return row


@operation(
    "POST", "/v1/hands/{hand_id:str}/openings", "open_hand",
    "Open all hidden values of a finished hand for a time. The opening is an event.",
    needs="audit_hands", scope=AUDIT_SCOPE, answer=OpeningMade, status=201,
    problems=("forbidden", "not_over", "opening_invalid", "text_forged"),
)  # fmt: skip
async def open_hand(
    body: HandOpeningWanted,
    row: Annotated[HandRow, By(_opened)],
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Record the opening before any value is shown: hand, auditor, reason and end."""
    player = principal.account.player
    reason = await reasons.keep(shell, row.league, order, body.reason, audience="staff")
    now = order.received_at
    command = OpenValues(
        what="hand",
        subject=row.hand,
        by=PlayerId(player),
        reason=reason,
        now=now,
        expires_at=now + timedelta(minutes=body.minutes),
    )
    receipt = await decide_one(shell, row.league, row.league, order, [command])
    [opened] = [each.event for each in receipt.recorded]
    content = {"hand": row.hand, "by": player, "expires_at": opened.expires_at}
    return answer(receipt, content, version_of=stream_of(row.league))


class ReplayShown(Replay, frozen=True, kw_only=True):
    """A hand from one perspective, with the names of its players."""

    names: dict[str, str]
    """The names of the players in the hand now, by entrant."""


@operation(
    "GET", "/v1/hands/{hand_id:str}/replay", "replay_hand",
    "Replay a hand. Accept: application/json, application/x-ndjson, text/plain or text/x-phh.",
    needs="read_league", scope="leagues:read", answer=ReplayShown | Step,
    problems=("validation_failed", "bad_request", "forbidden", "not_over", "opening_needed"),
    produces=(JSON, *(each for each in WHOLE if each != JSON)),
)  # fmt: skip
async def replay_hand(
    request: Asked,
    hand_id: str,
    seen_as: Annotated[str | None, SEEN_AS],
    number: Annotated[int | None, STEP],
    principal: Principal,
    shell: Shell,
) -> Response[bytes]:
    """Answer the hand, or one step, from a perspective, by default the caller's own."""
    row, role = await reach_hand(request, hand_id)
    perspective, unsealing = await _perspective(shell, principal, row, role, seen_as)
    found = await _read(shell, row, perspective)
    if unsealing:
        await _demand_opening(shell, principal, row, found)
    media = _media(request)
    if number is None:
        seated = [str(each["entrant"]) for each in row.seats]
        called = await names_at(shell, await _tournament(shell, row), seated)
        shown = ReplayShown(**msgspec.structs.asdict(found), names=called)
        return Response(WHOLE[media](shown), media_type=media)
    if media not in SINGLE:
        raise BadRequest(
            "bad_request",
            "this media type holds only whole hands; leave out step, or accept another type",
        )
    if number > len(found.steps):
        raise StreamNotFound("the hand has no such step")
    return Response(SINGLE[media](found.steps[number - 1]), media_type=media)


async def _tournament(shell: Shell, row: HandRow) -> State:
    loaded = await shell.runtime.writer.load(row.league, tournament_stream(row.tournament))
    return loaded.state


def _entries(tournament: State, player: str) -> list[str]:
    """Return every entry of *player*. A player with re-entries has several."""
    return [each.entrant for each in entries_of(tournament) if each.player == player]


async def _read(shell: Shell, row: HandRow, perspective: str) -> Replay:
    keys = await shell.runtime.writer.store.keys(number_of(row.league))
    return await read_replay(shell.pool, row, keys, perspective)


async def _perspective(
    shell: Shell, principal: Principal, row: HandRow, role: Role, asked: str | None
) -> tuple[str, bool]:
    """
    Return the perspective of the caller, and whether it needs an opening.

    Raises:
        BadRequest: ``validation_failed`` if there is no such perspective.
        Forbidden: If the perspective is not the caller's own, and the caller may not open hands.
    """
    tournament = await _tournament(shell, row)
    own = _entries(tournament, principal.account.player)
    if asked is None:
        here = {seat["entrant"] for seat in row.seats}
        return next((each for each in own if each in here), PUBLIC), False
    if asked == PUBLIC or asked in own:
        return asked, False
    if asked != AUDITOR and asked not in {each.entrant for each in entries_of(tournament)}:
        raise SEEN_AS.refused("Expected public, auditor, or an entrant of the tournament")
    entered = await is_entered(shell, row.league, tournament, principal.account.player)
    demand_also(role, "audit_hands", entered=entered)
    if AUDIT_SCOPE not in principal.scopes:
        raise scopes_missing(AUDIT_SCOPE)
    return asked, True


async def _demand_opening(shell: Shell, principal: Principal, row: HandRow, found: Replay) -> None:
    """
    Check that the hand is over and that the caller has a recorded opening of it.

    Raises:
        NotOver: If the hand is still in play.
        OpeningNeeded: If the caller has no opening, or it has expired.
    """
    if not found.over:
        raise NotOver("the hand is still in play")
    league = (await shell.runtime.writer.load(row.league, stream_of(row.league))).state
    player = principal.account.player
    if not league.may_see(HandId(row.hand), player, shell.now()):
        raise OpeningNeeded(
            "record an opening first: POST /v1/hands/{id}/openings, with your reason", hand=row.hand
        )


def _media(request: Asked) -> str:
    """Return the media type that the ``Accept`` header likes best, or else JSON."""
    accepted = request.headers.get("accept", ALL)
    return best(accepted, operation_of(request).produces) or JSON
