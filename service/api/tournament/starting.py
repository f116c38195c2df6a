"""Starting, pausing, resuming and cancelling a tournament."""

from datetime import datetime

import msgspec
from litestar import Response

from engine.tournament.model.commands import Cancel, Pause, Resume
from engine.tournament.model.state import Phase, phase_of
from engine.values import TextRef
from service.api.http.access.rights import TournamentPlace
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.reasons import keep
from service.api.http.writing.submitting import Order, answer, decide_one, encoded
from service.director.level_clock import after_outages
from service.director.submitting import start_tournament
from service.director.whole_table import with_stacks
from service.log.record import league_number
from service.people.texts import Written


class Reasoned(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An optional reason. The event holds only a reference to the text."""

    reason: Written | None = None
    """The reason, 1 to 2000 characters. Members of the league can read it."""


class Changed(msgspec.Struct, kw_only=True):
    """The state of a tournament after a command."""

    tournament: str
    state: Phase
    """The phase of the tournament after the command."""

    position: str | None


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/start", "start_tournament",
    "Start play now: close registration, draw the seats and open the tables.",
    needs="start_tournaments",
    scope="tournaments:manage", body=Nothing, answer=Changed, status=202,
    problems=("forbidden", "registration_closed", "registration_not_open", "too_few_entrants"),
)  # fmt: skip
async def start_now(place: TournamentPlace, order: Order, shell: Shell) -> Response[bytes]:
    """
    Start play before the announced time.

    With too few entrants nothing changes: only the start job postpones or cancels.
    """
    await start_tournament(shell.runtime, place.league, place.id, shell.now(), order)
    after = await shell.runtime.writer.load(place.league, place.stream)
    changed = Changed(tournament=place.id, state=phase_of(after.state), position=None)
    return encoded(changed, 202)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/pause", "pause_tournament",
    "Pause a tournament. No further hands open.",
    needs="run_floor", scope="tournaments:manage", answer=Changed,
    problems=("forbidden", "tournament_not_running", "text_forged"),
)  # fmt: skip
async def pause(
    body: Reasoned,
    place: TournamentPlace,
    order: Order,
    now: datetime,
    shell: Shell,
) -> Response[bytes]:
    """Pause the tournament. Hands in play are played to their end."""
    words = await _words(shell, body, place.league, order)
    command = Pause(reason="director" if words is None else words.text, words=words, now=now)
    return await _decided(shell, place, order, command, "paused")


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/resume", "resume_tournament",
    "Resume a paused tournament.",
    needs="run_floor", scope="tournaments:manage", body=Reasoned, answer=Changed,
    problems=("forbidden", "tournament_not_running", "text_forged"),
)  # fmt: skip
async def resume(
    place: TournamentPlace, order: Order, now: datetime, shell: Shell
) -> Response[bytes]:
    """Resume play. The sweep opens the next hands."""
    return await _decided(shell, place, order, Resume(now=now), "running")


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/cancel", "cancel_tournament",
    "Cancel a tournament. It has no result, and its terms decide the refunds.",
    needs="direct_play", scope="tournaments:manage",
    answer=Changed,
    problems=(
        "forbidden", "tournament_over", "frozen", "text_forged",
    ), dry_run=True,
    key_required=True,
)  # fmt: skip
async def cancel(
    body: Reasoned,
    place: TournamentPlace,
    order: Order,
    now: datetime,
    shell: Shell,
) -> Response[bytes]:
    """Cancel the tournament. Staff who are entered in it may not cancel it."""
    words = await _words(shell, body, place.league, order)
    command = Cancel(reason="director" if words is None else words.text, words=words, now=now)
    receipt = await with_stacks(shell.runtime, place.league, place.id, command, order)
    content = {"tournament": place.id, "state": "cancelled"}
    return answer(receipt, content, 200, version_of=place.stream)


async def _words(shell: Shell, body: Reasoned, league: str, order: Order) -> TextRef | None:
    return None if body.reason is None else await keep(shell, league, order, body.reason)


async def _decided(
    shell: Shell, place: TournamentPlace, order: Order, command: Pause | Resume, state: str
) -> Response[bytes]:
    asked = (command,)
    commands = await after_outages(
        shell.runtime, league_number(place.league), place.state, asked, order.received_at
    )
    receipt = await decide_one(shell, place.league, place.id, order, commands)
    content = {"tournament": place.id, "state": state}
    return answer(receipt, content, 200, version_of=place.stream)
