"""What a tournament's rebuys and staked things ask of its tables; beside ``engine.policies``."""

from collections.abc import Iterable
from datetime import datetime

from engine.table.commands import BuyChips, ReturnChips
from engine.tournament.events import Event as TournamentEvent
from engine.tournament.events import ItemReturned, ItemStaked, RebuyTaken
from engine.values import TableId


def chips_of(
    events: Iterable[TournamentEvent], *, now: datetime
) -> dict[TableId, tuple[BuyChips | ReturnChips, ...]]:
    """
    Return what tables must be told of a tournament's new *events*: chips that come and go.

    To be decided in the append of those events, never later.
    """
    asked: dict[TableId, tuple[BuyChips | ReturnChips, ...]] = {}
    for event in events:
        command: BuyChips | ReturnChips
        match event:
            case RebuyTaken():
                command = BuyChips(
                    seat=event.seat,
                    entrant=event.entrant,
                    chips=event.chips,
                    cause="rebuy",
                    now=now,
                )
            case ItemStaked():
                command = BuyChips(
                    seat=event.seat,
                    entrant=event.entrant,
                    chips=event.value,
                    cause="item",
                    now=now,
                )
            case ItemReturned():
                command = ReturnChips(entrant=event.entrant, chips=event.value, now=now)
            case _:
                continue
        asked[event.table] = (*asked.get(event.table, ()), command)
    return asked
