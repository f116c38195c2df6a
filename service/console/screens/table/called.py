"""The latest announcement and a proposed deal, which players hear at the table."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from service.api.http.reading.paging import Page as Listed
from service.api.tournament.entering import AnnouncementListed
from service.api.tournament.payout_deals import DealsShown
from service.console.asking import Ask
from service.console.screens.evening.clock import NOTICE_SECONDS
from service.console.screens.table.game import Game

NOTICES_MAX = 200


class Deal(msgspec.Struct, frozen=True, kw_only=True):
    """A proposed payout deal that the reader has not answered."""

    number: int
    share: int
    """The reader's share, in minor units of the currency."""

    ends: bool
    """True if the deal ends play."""


class Called(msgspec.Struct, frozen=True, kw_only=True):
    """The news of the evening for a player at the table."""

    announcement: str | None
    """The latest announcement, as long as the clock of the room shows it."""

    deal: Deal | None


async def called_at(ask: Ask, game: Game, now: datetime) -> Called:
    """Return the news of the evening at a table. A deal needs money, and an entry of the reader."""
    above = f"/v1/tournaments/{game.id}"
    path = f"{above}/announcements"
    if game.my is None or game.currency is None:
        said = await ask.api.get(path, Listed[AnnouncementListed], limit=NOTICES_MAX)
        return Called(announcement=_latest(said.items, now), deal=None)
    said, deals = await asyncio.gather(
        ask.api.get(path, Listed[AnnouncementListed], limit=NOTICES_MAX),
        ask.api.get(f"{above}/deals", DealsShown),
    )
    deal = _waiting(deals, game.my.entrant)
    return Called(announcement=_latest(said.items, now), deal=deal)


def _latest(notices: Sequence[AnnouncementListed], now: datetime) -> str | None:
    since = now - timedelta(seconds=NOTICE_SECONDS)
    return next((each.text for each in reversed(notices) if each.text and each.at > since), None)


def _waiting(deals: DealsShown, entrant: str) -> Deal | None:
    """Return the proposal that waits for *entrant*, or None."""
    offer = deals.offer
    if offer is None or entrant not in offer.shares or entrant in offer.accepted:
        return None
    return Deal(number=offer.number, share=offer.shares[entrant], ends=offer.ends)
