"""The codes of players, on seat cards and phones, which lead staff to the line at the door."""

import asyncio

import msgspec

from service.api.tournament.tournaments import TournamentShown
from service.console import links
from service.console.asking import Ask, seen_by
from service.console.calling import Problem
from service.console.declaring import page
from service.console.pages import Done, Page
from service.console.screens.evening.door import works_here


class Foreign(msgspec.Struct, kw_only=True):
    """An evening whose league is not the reader's."""

    id: str
    name: str = ""
    """Nothing if strangers may not see the evening, or if there is none."""

    league_name: str = ""


@page("/tournaments/{tournament:str}/here/{player:str}", open=True)
async def own_code(ask: Ask, tournament: str, player: str) -> Done | Page:
    """
    Lead staff to the player's line at the door, and other readers to the poster.

    Whoever scans the code of another league reads that, and what to do.
    """
    try:
        return await seen_by(ask, _at_this_door, _at_another_door, tournament, player)
    except Problem as problem:
        if problem.status != 404:
            raise
        return Page("evening/foreign_code.html", Foreign(id=tournament), 404)


async def _at_this_door(ask: Ask, tournament: str, player: str) -> Done:
    me, shown = await asyncio.gather(
        ask.me(), ask.api.get(f"/v1/tournaments/{tournament}", TournamentShown)
    )
    if works_here(me, shown) and player != me.id:
        return Done(f"{links.door(tournament)}?q={player}")
    return Done(links.tournament(tournament))


async def _at_another_door(ask: Ask, tournament: str, player: str) -> Done | Page:
    seen = await ask.api.get(f"/v1/public/tournaments/{tournament}", Foreign)
    if ask.signed_in:
        return Page("evening/foreign_code.html", seen)
    return Done(links.poster_of_code(tournament, player))
