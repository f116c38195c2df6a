"""Bundles for download, with the hidden values that the caller may open."""

from typing import Annotated

import msgspec
from litestar.response import Stream

from engine.kit.audiences import PUBLIC
from engine.season.state import Opened
from engine.table.model.state import Table
from engine.tournament.model.state import Cancelled
from engine.values import identifier, stream_of
from service.api.http.access.phases import entries_of
from service.api.http.access.rights import SEASON, TABLE, TOURNAMENT, Kind, demand_form, reach
from service.api.http.access.viewers import entrant_of
from service.api.http.declaring.queries import Query
from service.api.http.operations import operation
from service.api.http.shell import Asked, Shell, principal_of, shell_of
from service.bundles.gathering import located
from service.bundles.lines import Kind as Bundled
from service.bundles.writing import Wanted, bundle
from service.log.keys import Keys
from service.people.tokens import Principal

MEDIA = "application/x-ndjson"
ENTRANT = Query(
    "entrant",
    str,
    "The caller's entry whose cards the bundle opens. Without it, public cards only.",
)
_PREFIXES: dict[Bundled, str] = {"hand": "hnd", "tournament": "trn", "season": "ssn"}
_PROBLEMS = ("not_over", "not_signed_yet", "log_incomplete")


@operation(
    "GET", "/v1/hands/{hand_id:str}/bundle", "bundle_hand",
    "Download a settled hand with everything that proves it: see api-spec/bundle.md.",
    needs="read_league", scope="leagues:read", answer=str, produces=(MEDIA,), problems=_PROBLEMS,
)  # fmt: skip
async def bundle_hand(request: Asked, hand_id: str) -> Stream:
    """Write a hand's bundle, with the hidden values that the caller may open."""
    return await _bundled(request, "hand", hand_id, TABLE)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/bundle", "bundle_tournament",
    "Download a finished tournament with everything that proves it: see api-spec/bundle.md.",
    needs="read_league", scope="leagues:read", answer=str, produces=(MEDIA,), problems=_PROBLEMS,
)  # fmt: skip
async def bundle_tournament(request: Asked, tournament_id: str) -> Stream:
    """Write a tournament's bundle, with the hidden values that the caller may open."""
    return await _bundled(request, "tournament", tournament_id, TOURNAMENT)


@operation(
    "GET", "/v1/seasons/{season_id:str}/bundle", "bundle_season",
    "Download a season and the tournaments it counted, with everything that proves them.",
    needs="read_league", scope="leagues:read", answer=str, produces=(MEDIA,),
    problems=(*_PROBLEMS, "validation_failed"),
)  # fmt: skip
async def bundle_season(
    request: Asked, season_id: str, entrant: Annotated[str | None, ENTRANT]
) -> Stream:
    """Write a season's bundle. It opens cards only for the caller's entry in ``entrant``."""
    return await _bundled(request, "season", season_id, SEASON, entrant)


async def _bundled(
    request: Asked,
    kind: Bundled,
    subject: str,
    above: Kind[msgspec.Struct],
    entrant: str | None = None,
) -> Stream:
    """
    Return the bundle of *subject* as a stream of lines.

    Args:
        above: The kind of stream that the caller must be able to see. For a hand it is the table.
        entrant: The entry whose cards a season's bundle opens.
    """
    demand_form(subject, _PREFIXES[kind])
    shell = shell_of(request)
    async with shell.engine.connect() as connection:
        number, table = await located(connection, shell.pool, kind, subject)
    league = identifier("lge", number)
    # As in every other answer, a draft is missing for callers who may not see it.
    await reach(request, table or subject, above, fresh=False)
    if kind == "season":
        viewer = await _entrant_named(shell, principal_of(request), league, subject, entrant)
    else:
        viewer = await _viewer(shell, principal_of(request), league, table or subject)
    wanted = Wanted(kind=kind, subject=subject, viewer=viewer)
    keys = Keys(*shell.settings.secret_keys)
    lines = await bundle(shell.engine, shell.pool, keys, wanted)
    headers = {"Content-Disposition": f'attachment; filename="{subject}.bundle"'}
    return Stream(lines, media_type=MEDIA, headers=headers)


async def _viewer(shell: Shell, principal: Principal, league: str, subject: str) -> str:
    """Return the caller's entrant, or the public if the caller did not play."""
    writer = shell.runtime.writer
    state = (await writer.load(league, stream_of(subject))).state
    if isinstance(state, Table):
        state = (await writer.load(league, stream_of(state.tournament))).state
    elif isinstance(state, Cancelled):
        return PUBLIC
    return entrant_of(state, principal.account.player) or PUBLIC


async def _entrant_named(
    shell: Shell, principal: Principal, league: str, season: str, wanted: str | None
) -> str:
    """
    Return the entrant that the request names, or the public if it names none.

    Raises:
        BadRequest: If the season has counted no such entry of the caller.
    """
    if wanted is None:
        return PUBLIC
    writer = shell.runtime.writer
    state = (await writer.load(league, stream_of(season))).state
    counted = [each.tournament for each in state.counted] if isinstance(state, Opened) else []
    for tournament in counted:
        state = (await writer.load(league, stream_of(tournament), fresh=False)).state
        player = principal.account.player
        if any(each.entrant == wanted and each.player == player for each in entries_of(state)):
            return str(wanted)
    raise ENTRANT.refused("Expected your entry in a tournament that this season has counted")
