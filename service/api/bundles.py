"""Evidence to take away: bundles, with what the caller may open."""

from typing import Any

from litestar import Response
from litestar.params import FromPath

from engine.tournament.state import Finished, Registering, Running
from engine.values import identifier, stream_of
from service.api.access import belong, demand_form, entrant_of
from service.api.operations import operation
from service.api.shell import Asked, principal_of, shell_of
from service.bundles.gathering import located
from service.bundles.lines import Kind
from service.bundles.writing import PUBLIC, bundle
from service.keys import Keys

MEDIA = "application/x-ndjson"
_PROBLEMS = ("not_over", "not_signed_yet", "log_incomplete")


@operation(
    "GET", "/v1/hands/{hand_id:str}/bundle", "bundle_hand",
    "A settled hand with all that proves it: see api-spec/bundle.md.",
    needs="read_league", scope="leagues:read", answer=str, media=MEDIA, problems=_PROBLEMS,
)  # fmt: skip
async def bundle_hand(request: Asked, hand_id: FromPath[str]) -> Response[bytes]:
    """Write what the caller may open of a hand."""
    return await _bundled(request, "hand", hand_id, "hnd")


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/bundle", "bundle_tournament",
    "A tournament that is over with all that proves it: see api-spec/bundle.md.",
    needs="read_league", scope="leagues:read", answer=str, media=MEDIA, problems=_PROBLEMS,
)  # fmt: skip
async def bundle_tournament(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Write what the caller may open of a tournament."""
    return await _bundled(request, "tournament", tournament_id, "trn")


async def _bundled(request: Asked, kind: Kind, subject: str, prefix: str) -> Response[bytes]:
    demand_form(subject, prefix)
    shell = shell_of(request)
    async with shell.engine.connect() as connection:
        number, table = await located(connection, shell.pool, kind, subject)
        league = identifier("lge", number)
        await belong(request, league)
        viewer = await _viewer(request, league, table or subject)
        keys = Keys(shell.settings.secret_key)
        lines = await bundle(connection, shell.pool, keys, kind, subject, viewer)
    headers = {"Content-Disposition": f'attachment; filename="{subject}.bundle"'}
    return Response(b"".join(lines), media_type=MEDIA, headers=headers)


async def _viewer(request: Asked, league: str, subject: str) -> str:
    """Return as whom the caller played, or the public."""
    writer = shell_of(request).desk.writer
    state: Any = (await writer.load(league, stream_of(subject))).state
    if not isinstance(state, Registering | Running | Finished):
        above = getattr(state, "tournament", None)
        state = (await writer.load(league, stream_of(above))).state if above else None
    return entrant_of(state, principal_of(request).account.player) or PUBLIC
