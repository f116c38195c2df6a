"""The hands of an evening, each with its pot, its winner and a link to its replay."""

import asyncio
from datetime import datetime

import msgspec

from service.api.http.reading.paging import Page as Listed
from service.api.public.hands import PublicHand
from service.api.table.hands import HandListed
from service.console.asking import Ask, seen_by
from service.console.calling import Values
from service.console.declaring import page
from service.console.pages import Page

_PAGE = 100


class _Evening(msgspec.Struct):
    """The members of a tournament that this page reads."""

    league: str
    name: str


class _PublicEvening(_Evening):
    """The same of a public tournament."""

    league_name: str


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
    league_name: str | None = None
    """The league's name for a stranger, who has no list of leagues."""

    hands: tuple[HandSeen, ...]
    """The newest first."""

    next: str | None


@page("/tournaments/{tournament:str}/hands", open=True)
async def hands(ask: Ask, tournament: str) -> Page:
    """List the hands of all tables. Strangers see finished hands of a public evening."""
    return Page("evening/hands.html", await seen_by(ask, _as_member, _as_stranger, tournament))


async def _as_member(ask: Ask, tournament: str) -> HandsScreen:
    path = f"/v1/tournaments/{tournament}"
    shown, listed = await asyncio.gather(
        ask.api.get(path, _Evening),
        ask.api.get(f"{path}/hands", Listed[HandListed], **_paged(ask)),
    )
    rows = tuple(_seen(ask, each, state=each.state) for each in listed.items)
    return HandsScreen(
        id=tournament,
        league=shown.league,
        name=shown.name,
        hands=rows,
        next=listed.next_cursor,
    )


async def _as_stranger(ask: Ask, tournament: str) -> HandsScreen:
    path = f"/v1/public/tournaments/{tournament}"
    shown, listed = await asyncio.gather(
        ask.api.get(path, _PublicEvening),
        ask.api.get(f"{path}/hands", Listed[PublicHand], **_paged(ask)),
    )
    return HandsScreen(
        id=tournament,
        league=shown.league,
        league_name=shown.league_name,
        name=shown.name,
        hands=tuple(_seen(ask, each, state="settled") for each in listed.items),
        next=listed.next_cursor,
    )


def _paged(ask: Ask) -> Values:
    return {"limit": _PAGE, "cursor": ask.query("cursor") or None}


def _seen(ask: Ask, listed: HandListed | PublicHand, *, state: str) -> HandSeen:
    gone = ask.gettext("somebody who has left")
    return HandSeen(
        hand=listed.hand,
        number=listed.number,
        table=listed.table,
        table_number=listed.table_number,
        over=listed.settled_at is not None,
        voided=state == "voided",
        pot=listed.pot,
        winners=tuple(won.name or gone for won in listed.winners),
        at=listed.opened_at,
    )
