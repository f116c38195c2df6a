"""The hands of an evening, with what each was worth and who won it. Each leads to its replay."""

import asyncio
from datetime import datetime

import msgspec

from service.api.http.paging import Page as Listed
from service.api.table.hands import HandListed
from service.console.asking import Ask
from service.console.declaring import page
from service.console.pages import Page

_PAGE = 100


class _Evening(msgspec.Struct):
    """The members of a tournament that this page reads."""

    league: str
    name: str


class HandSeen(msgspec.Struct, kw_only=True):
    """A hand in the list."""

    hand: str
    number: int
    table: str
    table_number: int | None
    over: bool
    voided: bool
    pot: int
    winners: tuple[str, ...]
    at: datetime


class HandsScreen(msgspec.Struct, kw_only=True):
    """The page of an evening's hands."""

    id: str
    league: str
    name: str
    hands: tuple[HandSeen, ...]
    """The newest first."""

    next: str | None


@page("/tournaments/{tournament:str}/hands")
async def hands(ask: Ask, tournament: str) -> Page:
    """List the hands of all tables."""
    path = f"/v1/tournaments/{tournament}"
    cursor = ask.query("cursor") or None
    shown, listed = await asyncio.gather(
        ask.api.get(path, _Evening),
        ask.api.get(f"{path}/hands", Listed[HandListed], limit=_PAGE, cursor=cursor),
    )
    gone = ask.gettext("somebody who has left")
    screen = HandsScreen(
        id=tournament,
        league=shown.league,
        name=shown.name,
        hands=tuple(
            HandSeen(
                hand=each.hand,
                number=each.number,
                table=each.table,
                table_number=each.table_number,
                over=each.settled_at is not None,
                voided=each.state == "voided",
                pot=each.pot,
                winners=tuple(won.name or gone for won in each.winners),
                at=each.opened_at,
            )
            for each in listed.items
        ),
        next=listed.next_cursor,
    )
    return Page("evening/hands.html", screen)
