"""Scheduled rounds: what is read of them, and their early end."""

import msgspec
from litestar import Response
from litestar.params import FromPath

from engine.tournament.model.rounds_commands import EndRoundEarly
from engine.values import PlayerId
from service.api.http.access import reach
from service.api.http.bodies import read_body
from service.api.http.moments import AS_OF_PROBLEMS, moment_of, place_then
from service.api.http.operations import operation
from service.api.http.reasons import keep
from service.api.http.shell import Asked, principal_of, shell_of
from service.api.http.submitting import answer, encoded, order_of
from service.api.tournament.rounds_shown import RoundsShown, rounds_shown
from service.director.submitting import submit_to_tournament
from service.people.texts import Written


class EarlyEnd(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Why; members of the league may read it."""

    reason: Written


class RoundClosed(msgspec.Struct, kw_only=True):
    """A round in which no further hand is opened."""

    tournament: str
    round: int
    position: str | None


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/rounds", "read_rounds",
    "Scheduled rounds: who meets whom, results, points so far, how evenly all have met.",
    needs="read_league", scope="leagues:read",
    answer=RoundsShown, query=("as_of",), problems=AS_OF_PROBLEMS,
)  # fmt: skip
async def read_rounds(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Read from the aggregate."""
    place = await reach(request, tournament_id, "trn")
    moment = await moment_of(request, place.league)
    if moment is not None:
        then = await place_then(place, moment)
        return encoded(rounds_shown(then.state), headers=moment.headers)
    return encoded(rounds_shown(place.state), headers={"ETag": f'"{place.loaded.version}"'})


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/rounds/end", "end_round",
    "Let the hands in play be the last of this round.",
    needs="direct_play", scope="tournaments:manage", body=EarlyEnd, answer=RoundClosed,
    problems=("forbidden", "no_round_in_play", "tournament_not_running", "text_forged"),
)  # fmt: skip
async def end_round(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """End a round early; what follows comes at its time."""
    shell = shell_of(request)
    body, raw = await read_body(request, EarlyEnd)
    place = await reach(request, tournament_id, "trn")
    order = order_of(request, raw)
    reason = await keep(request, place.league, order, body.reason)
    command = EndRoundEarly(
        by=PlayerId(principal_of(request).account.player), reason=reason, now=shell.now()
    )
    receipt = await submit_to_tournament(
        shell.runtime, place.league, tournament_id, command, order.command
    )
    after = (await shell.runtime.writer.load(place.league, place.stream, fresh=False)).state
    number = rounds_shown(after).number
    return answer(receipt, {"tournament": tournament_id, "round": number}, 200)
