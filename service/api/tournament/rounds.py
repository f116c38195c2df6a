"""Reading scheduled rounds, and ending one early."""

import msgspec
from litestar import Response

from engine.tournament.model.commands.rounds import EndRoundEarly
from engine.values import PlayerId
from service.api.http.access.rights import TournamentPlace
from service.api.http.operations import operation
from service.api.http.reading.etags import Tags
from service.api.http.reading.moments import AS_OF_PROBLEMS, Then, place_then
from service.api.http.shell import Shell
from service.api.http.writing.reasons import keep
from service.api.http.writing.submitting import Order, answer, encoded
from service.api.tournament.rounds_shown import RoundsShown, rounds_shown
from service.director.submitting import submit_to_tournament
from service.people.texts import Written
from service.people.tokens import Principal


class EarlyEnd(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The reason for the early end. Members of the league may read it."""

    reason: Written
    """The reason, 1 to 2000 characters."""


class RoundClosed(msgspec.Struct, kw_only=True):
    """A round in which no further hands open."""

    tournament: str
    round: int
    """The number of the round, from 1."""

    position: str | None


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/rounds", "read_rounds",
    "Read the scheduled rounds: pairings, results, points so far, and meetings.",
    needs="read_league", scope="leagues:read",
    answer=RoundsShown, problems=AS_OF_PROBLEMS,
)  # fmt: skip
async def read_rounds(place: TournamentPlace, then: Then, tags: Tags) -> Response[bytes]:
    """Read the rounds from the aggregate, now or as of an earlier moment."""
    moment = await then.moment(place.league)
    if moment is not None:
        there = await place_then(place, moment)
        return encoded(rounds_shown(there.state), headers=moment.headers)
    return tags.answer(rounds_shown(place.state), place.loaded.version)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/rounds/end", "end_round",
    "End the current round after the hands in play.",
    needs="direct_play", scope="tournaments:manage", answer=RoundClosed,
    problems=("forbidden", "no_round_in_play", "tournament_not_running", "text_forged"),
    key_required=True,
)  # fmt: skip
async def end_round(
    body: EarlyEnd,
    place: TournamentPlace,
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """End the round early. The next round still begins at its planned time."""
    reason = await keep(shell, place.league, order, body.reason)
    command = EndRoundEarly(by=PlayerId(principal.account.player), reason=reason, now=shell.now())
    receipt = await submit_to_tournament(shell.runtime, place.league, place.id, command, order)
    after = (await shell.runtime.writer.load(place.league, place.stream, fresh=False)).state
    number = rounds_shown(after).number
    return answer(receipt, {"tournament": place.id, "round": number}, 200)
