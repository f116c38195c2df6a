"""Merging two players who are one person."""

from contextlib import suppress
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta
from msgspec.structs import replace
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.merging import MergePlayers
from engine.values import PlayerId, number_of
from service.api.http.access.rights import LeaguePlace, demand_form
from service.api.http.declaring.declaration import OnPeople
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.reasons import keep
from service.api.http.writing.submitting import Order, answer
from service.base.errors import BadRequest, StreamNotFound
from service.director.uniting import merge_players as merge
from service.log.rehearsal import Rehearsed
from service.people import accounts, entered_players
from service.people.texts import Written
from service.people.tokens import lock_families


class MergeWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The player who stays, and the reason for the merge."""

    into: Annotated[str, Meta(pattern="^plr_[0-9a-f]{32}$")]
    """The player who stays, for whom everything counts from now on."""

    reason: Written
    """The reason, 1 to 2000 characters. Members of the league can read it."""


class PlayersMade(msgspec.Struct, kw_only=True):
    """Two players who count as one from now on."""

    league: str
    player: str
    """The player who is no longer a member."""

    into: str
    """The player who stands for both."""

    position: str | None = None


@operation(
    "POST", "/v1/leagues/{league_id:str}/players/{player_id:str}/merge", "merge_players",
    "Merge a player into another one, because both are the same person. This cannot be undone.",
    needs="manage_league", scope="leagues:manage", answer=PlayersMade,
    problems=(
        "not_found", "member_unknown", "merge_invalid", "merged_already", "merged_player",
        "merge_of_office", "merge_of_banned", "merge_of_entered", "merge_of_erased",
        "merge_of_login", "players_met", "results_meet", "frozen", "text_forged",
    ),
    key_required=True, dry_run=True,
    on_people=OnPeople("removal", "merges a player into another one", "nobody"),
    about="Standings of open seasons, ratings and records count the results of both for the player "
    "who stays. Tournaments, closed seasons and the log keep both identifiers. The account of the "
    "other player stays, and is no longer a member of this league.",
)  # fmt: skip
async def merge_players(
    player_id: str, body: MergeWanted, place: LeaguePlace, order: Order, shell: Shell
) -> Response[bytes]:
    """
    Decide on the log and on the two accounts, and end the claim code of the one who goes.

    Nobody claims either account meanwhile. If this process dies between the two commits, the code
    stays, and is refused because its player is merged.
    """
    demand_form(player_id, "plr")
    player, into = PlayerId(player_id), PlayerId(body.into)
    two = (place.state.one(player), place.state.one(into)) == (player, into)
    trial = replace(order, rehearse=True)
    command = MergePlayers(
        player=player,
        into=into,
        by=PlayerId(order.actor),
        reason=await keep(shell, place.id, trial, body.reason, about=into),
        known=False,
        now=order.received_at,
    )
    # No words are stored for a merge that is refused.
    if two:
        async with shell.engine.connect() as connection:
            await _demand_accounts(connection, player, into)
    if not order.rehearse:
        with suppress(Rehearsed):
            await merge(shell.runtime, place.id, command, trial)
    reason = await keep(shell, place.id, order, body.reason, about=into)
    command = replace(command, reason=reason)
    async with shell.engine.begin() as connection:
        if two:
            await lock_families(connection, [number_of(player), number_of(into)])
            await _demand_accounts(connection, player, into)
        receipt = await merge(shell.runtime, place.id, command, order)
        await entered_players.end_claim(connection, place.id, player)
    content = {"league": place.id, "player": player, "into": into}
    return answer(receipt, content, 200, version_of=place.stream)


async def _demand_accounts(connection: AsyncConnection, player: PlayerId, into: PlayerId) -> None:
    """
    Check that both accounts exist, and that somebody can sign in as the one who stays.

    Raises:
        StreamNotFound: If one of them has no account.
        BadRequest: If one of them was erased, or only the player who goes has a login.
    """
    found = await accounts.standing(connection, [number_of(player), number_of(into)])
    for each in (player, into):
        if each not in found:
            raise StreamNotFound("there is no account of this player", player=each)
        if found[each] == "erased":
            detail = "this player was erased, and nobody can say any more who it was"
            raise BadRequest("merge_of_erased", detail, player=each)
    if (found[player], found[into]) == ("login", "none"):
        detail = (
            "somebody signs in as the player who would go, and nobody as the one who would stay:"
            " merge the other way round"
        )
        raise BadRequest("merge_of_login", detail, player=player, into=into)
