"""A player's controls, one for each legal action, and the requests that they send."""

from collections.abc import Callable, Sequence

import msgspec

from engine.hand.betting import CardSource
from service.api.table import actions
from service.api.table.legal import (
    Legal,
    LegalBuy,
    LegalCall,
    LegalDraw,
    LegalField,
    LegalGain,
    LegalImprove,
    LegalJunk,
    LegalRaise,
    LegalSelect,
    LegalStay,
    LegalSwap,
    LegalTrade,
)
from service.api.table.views import TableRead

_KEYS = {
    "fold": "f", "junk": "f", "check": "c", "call": "c", "stay": "c", "stand": "s", "draw": "d",
    "gain": "g", "trade": "t", "swap": "w", "buy": "b", "field": "x", "call_hand": "h",
    "select": "Enter", "improve": "Enter", "show": "s", "raise_to": "r",
}  # fmt: skip
"""The key of each verb. The page lists them."""

_AHEAD = frozenset({"check", "call", "stay", "stand", "select", "improve", "show"})
"""Verbs whose button stands out: they keep the hand alive without a choice."""


class Control(msgspec.Struct, frozen=True, kw_only=True):
    """One button of the form."""

    verb: str
    do: str
    """The value that the button sends: the verb, and the source after a colon."""

    source: str | None
    amount: int | None
    """The price in chips, or null if the action is free."""

    takes: str
    """Cards that go with the action: ``none``, ``one``, ``any`` or ``some``."""

    least: int
    """The smallest number of cards."""

    key: str
    ahead: bool


class Raise(msgspec.Struct, frozen=True, kw_only=True):
    """The choice of an amount. Amounts are the seat's total in this street."""

    least: int
    most: int
    unit: int
    half: int
    """A raise of half the pot, within the limits."""

    pot: int
    """A raise of the pot, within the limits."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """An own card on the page."""

    card: str
    kept: bool
    """True for a card of the selection, which cannot be taken back."""

    choosable: bool
    chosen: bool


class Acts(msgspec.Struct, frozen=True, kw_only=True):
    """The controls for all actions that a player can take now."""

    decision: str
    controls: tuple[Control, ...]
    raising: Raise | None
    cards: tuple[Choice, ...]


def acts_of(table: TableRead, chosen: Sequence[str], unit: int) -> Acts:
    """Return the controls for exactly the legal actions of *table*, with *chosen* cards ticked."""
    legal = table.legal
    raising = next((each for each in legal if isinstance(each, LegalRaise)), None)
    return Acts(
        decision=_decision(table),
        controls=tuple(_control(each) for each in legal if not isinstance(each, LegalRaise)),
        raising=None if raising is None else _raise(table, raising, unit),
        cards=_cards(table, chosen),
    )


def _decision(table: TableRead) -> str:
    """Return the token to send. Showing a hand answers no decision, so it names the hand."""
    if table.decision is not None:
        return table.decision.token
    return "" if table.last_hand is None else str(table.last_hand.hand)


def _control(legal: Legal) -> Control:
    verb = str(legal.__struct_config__.tag)
    source, amount, takes, least = _needs(legal)
    return Control(
        verb=verb,
        do=verb if source is None else f"{verb}:{source}",
        source=source,
        amount=amount,
        takes=takes,
        least=least,
        key=_KEYS[verb],
        ahead=verb in _AHEAD,
    )


def _needs(legal: Legal) -> tuple[CardSource | None, int | None, str, int]:
    """Return the source, the price, the cards that go with it, and the fewest of them."""
    match legal:
        case LegalCall(amount=amount) | LegalStay(amount=amount):
            return None, amount, "none", 0
        case LegalSelect(cards_min=least) | LegalImprove(cards_min=least):
            return None, None, "any", least
        case LegalDraw(source=source):
            return source, None, "none", 0
        case LegalTrade(source=source, amount=amount) | LegalSwap(source=source, amount=amount):
            return source, amount, "one", 1
        case LegalGain(source=source, amount=amount) | LegalBuy(source=source, amount=amount):
            return source, amount, "none", 0
        case LegalJunk(amount=amount):
            return None, amount, "none", 0
        case LegalField():
            return None, None, "some", 1
        case _:
            return None, None, "none", 0


def _raise(table: TableRead, legal: LegalRaise, unit: int) -> Raise:
    """Return the limits, and raises of half the pot and of the pot after a call."""
    mine = next((each for each in table.seats if table.me and each.seat == table.me.seat), None)
    due = table.current_bet - (mine.put_in if mine else 0)
    after_call = sum(each.chips for each in table.pots) + due

    def to(chips: int) -> int:
        whole = (table.current_bet + chips) // unit * unit
        return max(legal.min, min(legal.max, whole))

    return Raise(
        least=legal.min, most=legal.max, unit=unit, half=to(after_call // 2), pot=to(after_call)
    )


def _cards(table: TableRead, chosen: Sequence[str]) -> tuple[Choice, ...]:
    mine = table.me
    if mine is None:
        return ()
    open_to: set[str] = set()
    for each in table.legal:
        match each:
            case LegalSelect():
                open_to |= set(mine.cards)
            case LegalImprove():
                open_to |= set(mine.new_cards)
            case LegalTrade(cards=cards) | LegalSwap(cards=cards) | LegalField(cards=cards):
                open_to |= set(cards)
    kept = [Choice(card=each, kept=True, choosable=False, chosen=False) for each in mine.selection]
    rest = [
        Choice(card=each, kept=False, choosable=each in open_to, chosen=each in chosen)
        for each in dict.fromkeys((*mine.cards, *mine.new_cards))
        if each not in mine.selection
    ]
    return (*kept, *rest)


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a sent form."""

    do: str
    decision: str
    cards: tuple[str, ...]
    amount: int | None
    expected: int | None


def action_of(sent: Sent) -> actions.Action | None:
    """Return the action that a form asks for, or None for an unknown button."""
    verb, _, source = sent.do.partition(":")
    make = _MAKERS.get(verb)
    return None if make is None else make(sent, _SOURCES.get(source))


_SOURCES: dict[str, CardSource] = {
    "pile": "pile", "discards": "discards", "pilot": "pilot", "wing": "wing", "gunner": "gunner",
}  # fmt: skip


def _one(sent: Sent) -> str | None:
    """Return the chosen card. None lets the API say that exactly one is needed."""
    return sent.cards[0] if len(sent.cards) == 1 else None


_Maker = Callable[[Sent, CardSource | None], actions.Action]
_MAKERS: dict[str, _Maker] = {
    "fold": lambda sent, _: actions.Fold(decision=sent.decision),
    "check": lambda sent, _: actions.Check(decision=sent.decision),
    "call": lambda sent, _: actions.Call(decision=sent.decision, expected=sent.expected),
    "stay": lambda sent, _: actions.Stay(decision=sent.decision, expected=sent.expected),
    "raise_to": lambda sent, _: actions.RaiseTo(decision=sent.decision, amount=sent.amount),
    "select": lambda sent, _: actions.SelectCards(decision=sent.decision, cards=sent.cards),
    "improve": lambda sent, _: actions.ImproveSelection(decision=sent.decision, cards=sent.cards),
    "stand": lambda sent, _: actions.Stand(decision=sent.decision),
    "draw": lambda sent, source: actions.Draw(decision=sent.decision, source=source),
    "gain": lambda sent, source: actions.Gain(decision=sent.decision, source=source),
    "buy": lambda sent, source: actions.Buy(decision=sent.decision, source=source),
    "trade": lambda sent, source: actions.Trade(
        decision=sent.decision, card=_one(sent), source=source
    ),
    "swap": lambda sent, source: actions.Swap(
        decision=sent.decision, card=_one(sent), source=source
    ),
    "junk": lambda sent, _: actions.Junk(decision=sent.decision),
    "field": lambda sent, _: actions.Field(decision=sent.decision, cards=sent.cards),
    "call_hand": lambda sent, _: actions.CallTheHand(decision=sent.decision),
    "show": lambda sent, _: actions.Show(decision=sent.decision),
}
