"""Exports: standings, results and payouts as CSV, and a whole league as an archive."""

from collections.abc import AsyncIterator
from typing import Annotated

from litestar.response import Stream

from engine.league.roles import may
from engine.values import number_of
from service.api.http.access.phases import Tournament
from service.api.http.access.rights import (
    AS_KNOWN,
    LeaguePlace,
    SeasonPlace,
    TournamentPlace,
    demand_also,
)
from service.api.http.operations import operation
from service.api.http.reading.positions import Reads, plays_in
from service.api.http.shell import Shell
from service.exports import tables
from service.exports.archive import prepare, streamed
from service.exports.csvs import MEDIA_TYPE
from service.people import operator_log
from service.people.tokens import Principal


@operation(
    "GET", "/v1/seasons/{season_id:str}/standings.csv", "export_standings",
    "Export a season's standings as CSV.",
    needs="read_league", scope="leagues:read", answer=str,
    problems=("invalid_cursor", "not_caught_up"), produces=("text/csv",),
)  # fmt: skip
async def export_standings(
    place: Annotated[SeasonPlace, AS_KNOWN], shell: Shell, reads: Reads
) -> Stream:
    """Export the read model, in order of rank."""
    await reads.caught_up(place.league, "standings")
    return _csv(tables.standings(shell.engine, place.id), f"standings-{place.id}")


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/results.csv", "export_results",
    "Export all entries of a tournament with their places, as CSV.",
    needs="read_league", scope="leagues:read", answer=str,
    problems=("invalid_cursor", "not_caught_up"), produces=("text/csv",),
)  # fmt: skip
async def export_results(
    place: Annotated[TournamentPlace, AS_KNOWN], shell: Shell, reads: Reads
) -> Stream:
    """Export the read model, in order of registration."""
    await reads.caught_up(place.league, "records")
    found = tables.results(shell.engine, place.league, place.id)
    return _csv(found, f"results-{place.id}")


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/payouts.csv", "export_payouts",
    "Export the payouts of a tournament as CSV.",
    needs="read_league", scope="leagues:read", answer=str,
    problems=("invalid_cursor", "not_caught_up"), produces=("text/csv",),
)  # fmt: skip
async def export_payouts(
    place: Annotated[TournamentPlace, AS_KNOWN], shell: Shell, reads: Reads
) -> Stream:
    """Export the read model, in order of registration."""
    await reads.caught_up(place.league, "records")
    found = tables.payouts(shell.engine, place.league, place.id)
    return _csv(found, f"payouts-{place.id}")


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/refunds.csv", "export_refunds",
    "Export the refunds that a cancelled tournament owes, part by part, as CSV.",
    needs="read_league", scope="leagues:read", answer=str, produces=("text/csv",),
)  # fmt: skip
async def export_refunds(place: TournamentPlace, shell: Shell, principal: Principal) -> Stream:
    """
    Export the refunds from the log: all for members who may report results, otherwise the caller's.
    """
    own = None if may(place.role, "report_results") else principal.account.player
    found = tables.refunds(shell.engine, _owed(place.state, own))
    return _csv(found, f"refunds-{place.id}")


async def _owed(state: Tournament, player: str | None) -> AsyncIterator[tables.Owed]:
    """Yield the refunds that a tournament owes, or only those of *player*."""
    yield tables.Owed(
        tournament=state.terms.tournament,
        name=state.terms.name,
        currency=state.terms.currency,
        policy=state.books.policy,
        refunds=[each for each in state.books.refunds if player in (None, each.player)],
    )


@operation(
    "GET", "/v1/leagues/{league_id:str}/results.csv", "export_league_results",
    "Export all entries of all tournaments of a league as CSV.",
    needs="read_league", scope="leagues:read", answer=str,
    problems=("invalid_cursor", "not_caught_up"), produces=("text/csv",),
)  # fmt: skip
async def export_league_results(
    place: Annotated[LeaguePlace, AS_KNOWN], shell: Shell, reads: Reads
) -> Stream:
    """Export the read model, in order of registration."""
    await reads.caught_up(place.league, "records")
    found = tables.results(shell.engine, place.league)
    return _csv(found, f"results-{place.id}")


@operation(
    "GET", "/v1/leagues/{league_id:str}/archive", "take_league_away",
    "Download all data of a league with its proofs as a zip. The owner must not be entered.",
    needs="manage_members", scope="leagues:manage", answer=bytes,
    problems=("not_caught_up", "text_forged"), produces=("application/zip",),
)  # fmt: skip
async def take_league_away(place: LeaguePlace, shell: Shell, principal: Principal) -> Stream:
    """Stream the archive while it is read. An incomplete archive is not valid."""
    # Metadata is for auditors only, and nobody who is entered may audit the league.
    demand_also(place.role, "audit_hands", entered=await plays_in(shell, principal, place.id))
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
