"""Random answers to the open decision of a table: legal ones, and others to be tried."""

from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Any, get_args

from engine.hand.betting import CardSource, LegalAction
from engine.rulesets import CoruscantShift
from engine.table.model.commands import (
    Act,
    CallHand,
    CardVerb,
    Command,
    FieldCards,
    Improve,
    Select,
    TakeCardTurn,
    Verb,
)
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.table.read.view_parts import TableView
from tests.engine.table.tables import digest

VERBS: tuple[Verb, ...] = get_args(Verb)
CARD_VERBS: tuple[CardVerb, ...] = get_args(CardVerb)
SOURCES: tuple[CardSource | None, ...] = (None, *get_args(CardSource))


class Choices(Random):
    """
    Random choices that hypothesis can shrink.

    Args:
        given: Numbers of any size, used first, one for each choice.
        then: The seed of all later choices. With 0, these are always the first possibility.
    """

    def __init__(self, given: Sequence[int], then: int) -> None:
        super().__init__(then)
        self._given = iter(given)
        self._dull = then == 0

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """Return the next choice below *start*."""
        assert stop is None and step == 1
        chosen = next(self._given, None)
        if chosen is not None:
            return chosen % start
        return 0 if self._dull else super().randrange(start)


def view_of(table: Table, seat: int) -> TableView:
    """Return the view of the entrant in *seat*."""
    return seen_by(table, table.at(seat).entrant)


class Chooser:
    """
    A maker of commands for the seats that must act.

    Args:
        dice: The source of every choice.
    """

    def __init__(self, dice: Random) -> None:
        self.dice = dice

    def rarely(self, times: int) -> bool:
        """Return True on average once in *times* calls. Shrunken choices never give True."""
        return self.dice.randrange(times) == times - 1

    def some(self, cards: Sequence[str]) -> tuple[str, ...]:
        """Return a random subset of *cards*."""
        return tuple(card for card in cards if self.dice.randrange(2))

    def legal(self, table: Table, view: TableView, now: datetime) -> Command:
        """
        Return a random command that the *view* of a seat calls legal.

        Two folds or junks in three are replaced by another action.
        """
        action = view.legal[self.dice.randrange(len(view.legal))]
        if action.verb in ("fold", "junk") and not self.rarely(3):
            action = view.legal[1]
        return self.command(table, view, action, now)

    def command(self, table: Table, view: TableView, action: LegalAction, now: datetime) -> Command:
        """Return the command that carries out *action*."""
        assert view.me is not None
        match action.verb:
            case "select" | "improve":
                cards = view.me.cards if action.verb == "select" else view.me.new_cards
                chosen = self.some(cards)
                least = _least(table, view)
                if len(chosen) < least:
                    chosen = cards[:least]
                return answer_with_cards(table, view.me.seat, chosen, now)
            case "raise_to":
                amount = self.amount(action, table.ruleset.chip_unit)
                return wager(table, view.me.seat, "raise_to", amount, now)
            case "field":
                cards = self.some(action.cards or ()) or (action.cards or ())[:1]
                return FieldCards(**_asked(table, view.me.seat, now), cards=cards)
            case "call_hand":
                return CallHand(**_asked(table, view.me.seat, now))
            case verb if verb in CARD_VERBS:
                cards = action.cards or (None,)
                card = cards[self.dice.randrange(len(cards))]
                return card_turn(table, view.me.seat, verb, card, action.source, now)
            case verb:
                return wager(table, view.me.seat, verb, None, now)  # type: ignore[arg-type]

    def amount(self, action: LegalAction, unit: int) -> int:
        """Return the smallest or the largest amount of *action*, or whole chips in between."""
        assert action.min is not None and action.max is not None
        choice = self.dice.randrange(8)
        if choice == 7 or action.max - action.min < unit:
            return action.max
        if choice < 4:
            return action.min if action.min % unit == 0 else action.max
        first = -(-action.min // unit)
        return unit * (first + self.dice.randrange(action.max // unit - first + 1))


def _least(table: Table, view: TableView) -> int:
    """Return the smallest number of cards that the seat may choose now."""
    assert view.me is not None and table.decision is not None
    if not isinstance(table.ruleset, CoruscantShift):
        return 0
    if table.decision.phase == "select":
        return table.ruleset.first_selection_min
    return 0 if view.me.selection else 1


def _asked(table: Table, seat: int, now: datetime) -> dict[str, Any]:
    return {"entrant": table.at(seat).entrant, "decision": token_of(table), "now": now}


def card_turn(
    table: Table, seat: int, verb: Any, card: str | None, source: Any, now: datetime
) -> TakeCardTurn:
    """Return a card action of *seat*, legal or not."""
    salt = digest("salt", seat, token_of(table))
    return TakeCardTurn(**_asked(table, seat, now), verb=verb, card=card, source=source, salt=salt)


def wager(table: Table, seat: int, verb: Verb, amount: int | None, now: datetime) -> Act:
    """Return a bet of *seat*, legal or not."""
    return Act(
        entrant=table.at(seat).entrant, decision=token_of(table), verb=verb, amount=amount, now=now
    )


def answer_with_cards(
    table: Table, seat: int, cards: tuple[str, ...], now: datetime
) -> Select | Improve:
    """Return a selection or an improvement of *seat*, as the open decision asks."""
    assert table.decision is not None
    kind = Select if table.decision.phase == "select" else Improve
    return kind(
        entrant=table.at(seat).entrant,
        decision=token_of(table),
        cards=cards,
        salt=digest("salt", seat, token_of(table)),
        now=now,
    )


def token_of(table: Table) -> str:
    """Return the token of the open decision."""
    assert table.decision is not None, "a hand in play waits for somebody"
    return table.decision.token


def is_legal(table: Table, action: LegalAction | None, amount: int | None) -> bool:
    """Return True if *action* of the view allows *amount*. ``None`` is never legal."""
    if action is None:
        return False
    if action.verb != "raise_to":
        return action.verb not in ("select", "improve")
    if amount is None or action.min is None or action.max is None:
        return False
    whole = amount % table.ruleset.chip_unit == 0 or amount == action.max
    return action.min <= amount <= action.max and whole


def is_legal_turn(
    legal: Sequence[LegalAction], verb: str, card: str | None, source: str | None
) -> bool:
    """
    Return True if a card action is one of *legal*.

    The source may be ``None`` if only one action fits without it.
    """
    fitting = [a for a in legal if a.verb == verb and source in (None, a.source)]
    if len(fitting) != 1:
        return False
    cards = fitting[0].cards
    return card is None if cards is None else card in cards
