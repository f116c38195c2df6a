"""What leaves whole: standings, results and payouts as CSV, and a league as an archive."""

from collections.abc import AsyncIterator
from typing import Annotated

from litestar.response import Stream

from engine.league.roles import may
from engine.values import number_of
from service.api.http.access import (
    AS_KNOWN,
    LeaguePlace,
    SeasonPlace,
    TournamentPlace,
    demand_also,
)
from service.api.http.operations import operation
from service.api.http.phases import Tournament
from service.api.http.positions import caught_up, plays_in
from service.api.http.shell import Asked, Shell
from service.exports import tables
from service.exports.archive import prepare, streamed
from service.exports.csvs import MEDIA_TYPE
from service.people import operator_log
from service.people.tokens import Principal


@operation(
    "GET", "/v1/seasons/{season_id:str}/standings.csv", "export_standings",
    "A season's standings as CSV.",
    needs="read_league", scope="leagues:read", answer=str, query=("min_position",),
    problems=("invalid_cursor", "not_caught_up"), media="text/csv",
)  # fmt: skip
async def export_standings(
    request: Asked, place: Annotated[SeasonPlace, AS_KNOWN], shell: Shell
) -> Stream:
    """Write the read model."""
    await caught_up(request, place.league, "standings")
    return _csv(tables.standings(shell.engine, place.id), f"standings-{place.id}")


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/results.csv", "export_results",
    "Every entry of a tournament with its placing, as CSV.",
    needs="read_league", scope="leagues:read", answer=str, query=("min_position",),
    problems=("invalid_cursor", "not_caught_up"), media="text/csv",
)  # fmt: skip
async def export_results(
    request: Asked, place: Annotated[TournamentPlace, AS_KNOWN], shell: Shell
) -> Stream:
    """Write the read model, in order of registration."""
    await caught_up(request, place.league, "records")
    found = tables.results(shell.engine, place.league, place.id)
    return _csv(found, f"results-{place.id}")


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/payouts.csv", "export_payouts",
    "What a tournament has paid out, as CSV.",
    needs="read_league", scope="leagues:read", answer=str, query=("min_position",),
    problems=("invalid_cursor", "not_caught_up"), media="text/csv",
)  # fmt: skip
async def export_payouts(
    request: Asked, place: Annotated[TournamentPlace, AS_KNOWN], shell: Shell
) -> Stream:
    """Write the read model, in order of registration."""
    await caught_up(request, place.league, "records")
    found = tables.payouts(shell.engine, place.league, place.id)
    return _csv(found, f"payouts-{place.id}")


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/refunds.csv", "export_refunds",
    "What a cancelled tournament owes its entrants, part by part, as CSV.",
    needs="read_league", scope="leagues:read", answer=str, media="text/csv",
)  # fmt: skip
async def export_refunds(place: TournamentPlace, shell: Shell, principal: Principal) -> Stream:
    """Write what its own log says: all of it for who reports results, else the caller's own."""
    own = None if may(place.role, "report_results") else principal.account.player
    found = tables.refunds(shell.engine, _owed(place.state, own))
    return _csv(found, f"refunds-{place.id}")


async def _owed(state: Tournament, player: str | None) -> AsyncIterator[tables.Owed]:
    """Yield what a tournament owes its entrants, or one *player* of them."""
    yield tables.Owed(
        tournament=state.terms.tournament,
        name=state.terms.name,
        currency=state.terms.currency,
        policy=state.books.policy,
        refunds=[each for each in state.books.refunds if player in (None, each.player)],
    )


@operation(
    "GET", "/v1/leagues/{league_id:str}/results.csv", "export_league_results",
    "Every entry of every tournament of a league, as CSV.",
    needs="read_league", scope="leagues:read", answer=str, query=("min_position",),
    problems=("invalid_cursor", "not_caught_up"), media="text/csv",
)  # fmt: skip
async def export_league_results(
    request: Asked, place: Annotated[LeaguePlace, AS_KNOWN], shell: Shell
) -> Stream:
    """Write the read model, in order of registration."""
    await caught_up(request, place.league, "records")
    found = tables.results(shell.engine, place.league)
    return _csv(found, f"results-{place.id}")


@operation(
    "GET", "/v1/leagues/{league_id:str}/archive", "take_league_away",
    "A league's whole data as one zip that proves itself; for owners who do not play just now.",
    needs="manage_members", scope="leagues:manage", answer=bytes,
    problems=("not_caught_up", "text_forged"), media="application/zip",
)  # fmt: skip
async def take_league_away(
    request: Asked, place: LeaguePlace, shell: Shell, principal: Principal
) -> Stream:
    """Write it as it is read, for an owner who does not play; a part of it does not hold."""
    # Metadata are for auditors only, and nobody audits a league in which they play.
    demand_also(place.role, "audit_hands", entered=await plays_in(request, place.id))
    taking = await prepare(shell.engine, place.id)
    async with shell.engine.begin() as connection:
        taker = principal.account.player
        await operator_log.add(connection, [number_of(place.id)], taker, "archive_taken", place.id)
    headers = {"Content-Disposition": f'attachment; filename="{place.id}.zip"'}
    return Stream(streamed(taking, shell.now()), media_type="application/zip", headers=headers)


def _csv(content: AsyncIterator[bytes], name: str) -> Stream:
    disposition = f'attachment; filename="{name}.csv"'
    headers = {"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"}
    return Stream(content, media_type=MEDIA_TYPE, headers=headers)
