"""Closing a season, once all tournaments announced for it are counted."""

from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta
from msgspec.structs import replace

from engine.season.commands import LeaveOut
from engine.values import PlayerId, TournamentId, stream_of
from service.api.http.access.entered import is_entered
from service.api.http.access.rights import SeasonPlace, demand_also
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.reasons import keep
from service.api.http.writing.submitting import Order, answer
from service.api.season.seasons import SeasonMade
from service.base.errors import BadRequest
from service.director import season_ends
from service.log.writer import States, StreamEvents
from service.people.texts import Written
from service.people.tokens import Principal

LEFT_OUT_MAX = 100
"""Most tournaments that one close may leave out."""

Tournaments = Annotated[
    tuple[Annotated[str, Meta(pattern="^trn_[0-9a-f]{32}$")], ...], Meta(max_length=LEFT_OUT_MAX)
]


class SeasonCloseWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Options for closing a season. The body may be left out."""

    leave_out: Tournaments = ()
    """
    Tournaments to leave out. They give no points, and the season closes without them. Owners only.
    """

    reason: Written | None = None
    """The reason for leaving them out. Needed if there are any."""


@operation(
    "POST", "/v1/seasons/{season_id:str}/close", "close_season",
    "Close a season and draw lots between players who are equal in everything.",
    needs="manage_seasons", scope="tournaments:manage", answer=SeasonMade,
    problems=(
        "bad_request",
        "forbidden", "frozen", "season_closed", "season_uncounted", "leave_out_invalid",
        "text_forged",
    ),
    dry_run=True,
    key_required=True,
)  # fmt: skip
async def close_season(
    principal: Principal, body: SeasonCloseWanted, place: SeasonPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """
    Close the season and publish the master. Refuse it while a tournament is still to be counted.
    """
    leave_out = await _left_out(shell, principal, place, order, body)
    if leave_out is not None:
        order = replace(order, office="manage_league")
    before = await season_ends.announced_before(shell.runtime, place.league, place.id)
    now = shell.now()

    async def decide(states: States) -> list[StreamEvents]:
        return await season_ends.decided(states, place.id, before, leave_out=leave_out, now=now)

    receipt = await shell.runtime.writer.submit(place.league, order, decide)
    content = {"id": place.id, "league": place.league, "name": place.state.terms.name}
    return answer(receipt, content, 200, version_of=place.stream)


async def _left_out(
    shell: Shell, principal: Principal, place: SeasonPlace, order: Order, body: SeasonCloseWanted
) -> LeaveOut | None:
    """
    Return the tournaments that the caller leaves out, with author and reason.

    Raises:
        Forbidden: If the caller is not an owner of the league, or plays in one of the tournaments.
            Otherwise a loser could take the result away.
        BadRequest: If only one of ``leave_out`` and ``reason`` is given.
    """
    if not body.leave_out and body.reason is None:
        return None
    if not body.leave_out or body.reason is None:
        raise BadRequest("bad_request", "give both leave_out and reason, or neither")
    demand_also(place.role, "manage_league")
    player = principal.account.player
    for each in body.leave_out:
        there = stream_of(TournamentId(each))
        state = (await shell.runtime.writer.load(place.league, there)).state
        entered = await is_entered(shell, place.league, state, player)
        demand_also(place.role, "report_results", entered=entered)
    return LeaveOut(
        tournaments=tuple(TournamentId(each) for each in dict.fromkeys(body.leave_out)),
        reason=await keep(shell, place.league, order, body.reason),
        author=PlayerId(principal.account.player),
    )
