"""
Chips and entrants that come to a table, or leave it, by a decision of the tournament.

The two aggregates meet here, as in ``engine.coordination.policies``.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from engine.rulesets import EachDealtOnce
from engine.table.decide.opening import dealable
from engine.table.decide.quitting import carry_shares
from engine.table.model.commands import (
    Arrival,
    AwardCarry,
    BuyChips,
    CloseTable,
    HoldTable,
    ImposePenalty,
    QuitHand,
    ResumeTable,
    ReturnChips,
    SeatArrivals,
    VacateSeats,
)
from engine.table.model.commands import Command as TableCommand
from engine.table.model.errors import NoHandLeft
from engine.table.model.state import State as TableState
from engine.table.model.state import Table
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.commands import RecordBrought, RecordLeaves
from engine.tournament.model.commands.entering import RecordPurge
from engine.tournament.model.directives import BringIn, Close, LetGo, Purge
from engine.tournament.model.events import Event as TournamentEvent
from engine.tournament.model.events import ItemReturned, ItemStaked, LeaveDeclared, RebuyTaken
from engine.tournament.model.events.floor import (
    EntrantDisqualified,
    PenaltyGiven,
    TableHoldOrdered,
    TableReleased,
)
from engine.tournament.model.events.money import AddOnTaken
from engine.tournament.model.state import Running
from engine.tournament.model.state import State as TournamentState
from engine.tournament.model.values import Standing
from engine.values import Chips, EntrantId, TableId

Asked = tuple[tuple[TableCommand, ...], tuple[TournamentCommand, ...]]
"""The commands of the table, then those of the tournament, for one append."""


def chips_of(
    events: Iterable[TournamentEvent], *, now: datetime
) -> dict[TableId, tuple[TableCommand, ...]]:
    """
    Return the commands that a tournament's new *events* cause at its tables.

    Decide them in the append of those events, never later.
    """
    asked: dict[TableId, tuple[TableCommand, ...]] = {}
    for event in events:
        command: TableCommand
        match event:
            case RebuyTaken(seat=seat, entrant=entrant, chips=chips):
                command = BuyChips(seat=seat, entrant=entrant, chips=chips, cause="rebuy", now=now)
            case ItemStaked(seat=seat, entrant=entrant, value=chips):
                command = BuyChips(seat=seat, entrant=entrant, chips=chips, cause="item", now=now)
            case AddOnTaken(seat=seat, entrant=entrant, chips=chips):
                command = BuyChips(seat=seat, entrant=entrant, chips=chips, cause="add_on", now=now)
            case ItemReturned():
                command = ReturnChips(entrant=event.entrant, chips=event.value, now=now)
            case LeaveDeclared():
                command = QuitHand(entrant=event.entrant, now=now)
            case EntrantDisqualified():
                command = QuitHand(entrant=event.entrant, rule=event.rule, now=now)
            case PenaltyGiven():
                command = ImposePenalty(
                    entrant=event.entrant, hands=event.hands, rule=event.rule, now=now
                )
            case TableHoldOrdered():
                command = HoldTable(reason="director")
            case TableReleased():
                command = ResumeTable(now=now)
            case _:
                continue
        if event.table is not None:
            asked[event.table] = (*asked.get(event.table, ()), command)
    return asked


def demand_a_hand(here: TableState, asked: Iterable[TableCommand]) -> None:
    """
    Check that a player who buys chips now can still play them.

    The table itself does not check it: audits let it decide purchases again that were made before
    this rule.

    Args:
        here: The table before the commands.
        asked: The commands of :func:`chips_of` for it.

    Raises:
        NoHandLeft: If an add-on is among them, and no further hand is played at the table.

    Source: rulebook ``rebuy.last_hand``.
    """
    buys = any(isinstance(each, BuyChips) and each.cause == "add_on" for each in asked)
    if buys and isinstance(here, Table) and no_hand_left(here):
        raise NoHandLeft


def no_hand_left(table: Table) -> bool:
    """
    Return whether the last hand is played or in play, or everybody has dealt who still could.

    While a hand is in play that was not called the last, nobody knows yet who can still deal.
    """
    if table.hand is not None:
        return table.hand.opened.last
    once = isinstance(table.ruleset.end, EachDealtOnce) and table.hand_number > 0
    all_dealt = once and not set(table.dealers_left).intersection(dealable(table))
    return table.played_last or all_dealt


def letting_go(here: Table, order: LetGo, *, now: datetime) -> Asked:
    """
    Return the commands by which departing entrants give up their seats.

    If nobody stays, the first of them takes the carry.
    """
    going = [place for place in here.places if place.entrant in order.entrants]
    stacks = {place.entrant: place.stack for place in going}
    if len(going) == len(here.places) and going:
        stacks[going[0].entrant] += here.carry
    return (
        (VacateSeats(departures=tuple(stacks), now=now),),
        (
            RecordLeaves(
                table=here.table,
                stacks=tuple(Standing(entrant=who, stack=chips) for who, chips in stacks.items()),
                now=now,
            ),
        ),
    )


def bringing_in(here: Table, order: BringIn, *, now: datetime) -> Asked:
    """Return the commands that bring promised chips to their seats."""
    commands: list[TableCommand] = []
    for each in order.promised:
        if each.newcomer:
            newcomer = Arrival(seat=each.seat, entrant=each.entrant, stack=each.chips)
            commands.append(SeatArrivals(arrivals=(newcomer,), now=now))
            continue
        commands.append(
            BuyChips(
                seat=each.seat, entrant=each.entrant, chips=each.chips, cause="add_on", now=now
            )
        )
    return tuple(commands), (RecordBrought(table=here.table, now=now),)


def purging(here: Table, order: Purge, *, now: datetime) -> Asked:
    """Return the commands that remove no-shows and their chips from the table."""
    going = [place for place in here.places if place.entrant in order.entrants]
    # If nobody stays, the table's carry leaves play too.
    carried = here.carry + here.sabacc_pot if len(going) == len(here.places) else 0
    stacks = tuple(
        Standing(entrant=place.entrant, stack=place.stack + (carried if index == 0 else 0))
        for index, place in enumerate(going)
    )
    return (
        (VacateSeats(departures=tuple(each.entrant for each in stacks), now=now),),
        (RecordPurge(table=here.table, stacks=stacks, now=now),),
    )


def closing(here: Table, order: Close, *, now: datetime) -> tuple[TableCommand, ...]:
    """Return the commands that close a table. In a finished game the last player gets its carry."""
    close = CloseTable(reason=order.reason, now=now)
    if order.reason == "finished" and carry_shares(here):
        return AwardCarry(now=now), close
    return (close,)


def carry_at_closing(
    tables: Iterable[Table], stacks: Iterable[Standing], *, now: datetime
) -> tuple[dict[TableId, AwardCarry], tuple[Standing, ...]]:
    """Return the awards of each table's carry at the end, and the *stacks* after them."""
    given: dict[EntrantId, Chips] = {}
    awards: dict[TableId, AwardCarry] = {}
    for table in tables:
        shares = dict(carry_shares(table))
        if shares:
            awards[table.table] = AwardCarry(now=now)
            given |= {place.entrant: shares.get(place.seat, 0) for place in table.places}
    after = tuple(
        Standing(
            entrant=each.entrant,
            stack=each.stack + given.get(each.entrant, 0),
            hands_won=each.hands_won,
            pots_won=each.pots_won,
        )
        for each in stacks
    )
    return awards, after


def books_of(tournament: TournamentState, here: Table) -> dict[str, Any]:
    """Return the declared rebuys and the items in escrow, for the books of the next hand."""
    if not isinstance(tournament, Running):
        return {}
    seats = {place.entrant: place.seat for place in here.places}
    escrow = (item.value for item in tournament.items if item.staked and item.owner in seats)
    declared = (seat for entrant, seat in seats.items() if entrant in tournament.declared)
    return {"escrow": sum(escrow), "declared": tuple(declared)}
