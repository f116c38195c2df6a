"""Directing a tournament: start, pause, resume, cancel."""

from typing import Literal

import msgspec
from litestar import Response
from litestar.params import FromPath

from engine.tournament.model.commands import Cancel, Pause, Resume
from engine.tournament.model.state import phase_of
from service.api.http.access import reach
from service.api.http.bodies import read_body
from service.api.http.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.reasons import keep
from service.api.http.rehearsing import rehearsable
from service.api.http.shell import Asked, shell_of
from service.api.http.submitting import answer, decide_one, encoded, order_of
from service.director.submitting import start_tournament
from service.director.whole_table import with_stacks
from service.people.texts import Written


class Reasoned(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Why, in words that are kept; the event names the text."""

    reason: Written | None = None


class Changed(msgspec.Struct, kw_only=True):
    """A tournament after a command."""

    tournament: str
    state: str
    position: str | None


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/start", "start_tournament",
    "Start play now: close registration, draw the seats, open the tables.",
    needs="start_tournaments",
    scope="tournaments:manage", body=Nothing, answer=Changed, status=202,
    problems=("forbidden", "tournament_not_running", "registration_not_open"),
)  # fmt: skip
async def start_now(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Do what the start job would do at its time."""
    shell = shell_of(request)
    _, raw = await read_body(request, Nothing)
    place = await reach(request, tournament_id, "trn")
    order = order_of(request, raw)
    await start_tournament(shell.runtime, place.league, tournament_id, shell.now(), order.command)
    after = await shell.runtime.writer.load(place.league, place.stream)
    changed = Changed(tournament=tournament_id, state=phase_of(after.state), position=None)
    return encoded(changed, 202)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/pause", "pause_tournament",
    "Open no further hands.",
    needs="run_floor", scope="tournaments:manage", body=Reasoned, answer=Changed,
    problems=("forbidden", "tournament_not_running", "text_forged"),
)  # fmt: skip
async def pause(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Pause; hands in play go on to their end."""
    return await _direct(request, tournament_id, "pause")


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/resume", "resume_tournament",
    "Open hands again.",
    needs="run_floor", scope="tournaments:manage", body=Reasoned, answer=Changed,
    problems=("forbidden", "tournament_not_running", "text_forged"),
)  # fmt: skip
async def resume(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Resume; the sweep opens the next hands."""
    return await _direct(request, tournament_id, "resume")


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/cancel", "cancel_tournament",
    "End a tournament without a result; its money is owed by the policy of its terms.",
    needs="direct_play", scope="tournaments:manage", body=Reasoned,
    answer=Changed,
    problems=(
        "forbidden", "tournament_over", "frozen", "text_forged",
    ), dry_run=True,
)  # fmt: skip
@rehearsable
async def cancel(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Cancel, for who directs and has no share in it."""
    return await _direct(request, tournament_id, "cancel")


async def _direct(
    request: Asked, tournament_id: str, what: Literal["pause", "resume", "cancel"]
) -> Response[bytes]:
    shell = shell_of(request)
    body, raw = await read_body(request, Reasoned)
    place = await reach(request, tournament_id, "trn")
    order, now = order_of(request, raw), shell.now()
    reason, words = "director", None
    if body.reason is not None and what != "resume":
        words = await keep(request, place.league, order, body.reason)
        reason = words.text
    commands: dict[str, Pause | Resume | Cancel] = {
        "pause": Pause(reason=reason, words=words, now=now),
        "resume": Resume(now=now),
        "cancel": Cancel(reason=reason, words=words, now=now),
    }
    command = commands[what]
    if isinstance(command, Cancel):
        runtime, league = shell.runtime, place.league
        receipt = await with_stacks(runtime, league, tournament_id, command, order.command)
    else:
        receipt = await decide_one(shell, place.league, tournament_id, order, [command])
    states = {"pause": "paused", "resume": "running", "cancel": "cancelled"}
    content = {"tournament": tournament_id, "state": states[what]}
    return answer(receipt, content, 200, version_of=place.stream)
