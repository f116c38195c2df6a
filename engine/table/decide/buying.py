"""Purchases and returns of chips between hands."""

from engine.rulesets import OpenEnd
from engine.table.decide.seating import between_hands, check_placed
from engine.table.model import errors, events
from engine.table.model.commands import BuyChips, Placed, ReturnChips
from engine.table.model.state import Table

_RULES = {"rebuy": "rebuy", "item": "items.stake", "add_on": "add_on"}


def buy_chips(table: Table, command: BuyChips) -> tuple[events.ChipsBought, ...]:
    """
    Bring chips to a seat. A player who has just busted gets the seat back.

    Raises:
        HandInPlay: If a hand is in play.
        SeatOccupied: If somebody else sits there.
    """
    between_hands(table)
    place = table.place_of(command.entrant)
    if place is None:
        arriving = Placed(seat=command.seat, entrant=command.entrant, stack=command.chips)
        check_placed(table.entrants(), (arriving,), table.seat_count, table.ruleset)
    elif place.seat != command.seat:
        raise errors.EntrantAlreadySeated(seat=place.seat)
    if command.chips % table.ruleset.chip_unit:
        raise errors.StackNotInUnits(stack=command.chips, unit=table.ruleset.chip_unit)
    return (
        events.ChipsBought(
            seat=command.seat,
            entrant=command.entrant,
            chips=command.chips,
            stack=command.chips + (0 if place is None else place.stack),
            cause=command.cause,
            at=command.now,
            rule=_rule(table, command),
        ),
    )


def _rule(table: Table, command: BuyChips) -> str:
    if command.cause == "add_on" and isinstance(table.ruleset.end, OpenEnd):
        return "casino.add_on"
    return _RULES[command.cause]


def return_chips(table: Table, command: ReturnChips) -> tuple[events.ChipsReturned, ...]:
    """
    Take chips in exchange for a staked item, which its owner buys back.

    Raises:
        HandInPlay: If a hand is in play.
        StackTooSmall: If no chips would be left.
    """
    between_hands(table)
    place = table.place_of(command.entrant)
    if place is None:
        raise errors.EntrantNotSeated
    if place.stack <= command.chips:
        raise errors.StackTooSmall(stack=place.stack, chips=command.chips)
    return (
        events.ChipsReturned(
            seat=place.seat,
            entrant=place.entrant,
            chips=command.chips,
            stack=place.stack - command.chips,
            at=command.now,
            rule="items.buy_back",
        ),
    )
