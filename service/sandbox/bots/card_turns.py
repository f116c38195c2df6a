"""
Card turns of the example players, in games without a target.

Each action is judged by its immediate outcome: the chance that the new total beats one opponent,
averaged over the cards that may come. The best total is 23 in Traditional, 0 in Corellian Spike.
"""

from collections.abc import Callable, Sequence
from typing import Final

from service.base.documents import Document
from service.sandbox.bots import spike
from service.sandbox.bots.judgement import DECK, worth
from service.sandbox.bots.strengths import STEADY, Style

PURE: Final = 23
FACES: Final = (-17, -15, -14, -13, -11, -8, -2, 0)
D76: Final = (*(tuple(range(1, 16)) * 4), *(FACES * 2))
"""The values of the deck of Traditional."""

D62: Final = tuple(map(worth, DECK))
"""The values of the deck of Corellian Spike."""

MARKET: Final = ("pilot", "wing", "gunner")
"""The open piles of the Galaxy Series, in the order of the view."""

CALLS: Final = 0.75
FIELDS: Final = 0.9
"""The chances above which a player calls the hand, and lays the cards in the static field."""

Judge = Callable[[Sequence[int]], float]


def value_of(card: str) -> int:
    """
    Return the value of a card of either deck.

    >>> [value_of(card) for card in ("SA07", "X17a", "X00b", "T-09", "Z2")]
    [7, -17, 0, -9, 0]
    """
    if card.startswith("Z"):
        return 0
    if card.startswith("X"):
        return -int(card[1:3])
    return int(card[1:]) if card[1] in "+-" else int(card[2:])


def is_traditional(cards: Sequence[str]) -> bool:
    """
    Return whether *cards* belong to the deck of Traditional. Its card names carry no sign.

    >>> is_traditional(["SA07", "X00b"]), is_traditional(["C+07", "Z1"])
    (True, False)
    """
    return not any(card.startswith("Z") or card[1] in "+-" for card in cards)


def traditional(values: Sequence[int]) -> float:
    """
    Return the chance that a hand of Traditional beats one opponent's.

    >>> traditional((15, 8)) > traditional((15, 5)) > traditional((15, 14))
    True
    """
    total = sum(values)
    if sorted(values) == [0, 2, 3]:
        return 1.0
    if abs(total) == PURE:
        return 0.97
    if total == 0 or abs(total) > PURE:
        return 0.02
    return 0.25 + 0.68 * (total / PURE) ** 1.5 if total > 0 else 0.12


def near_zero(values: Sequence[int]) -> float:
    """
    Return the chance that a hand of Corellian Spike beats one opponent's.

    >>> near_zero((0, 0)) > near_zero((4, -4)) > near_zero((4, -3)) > near_zero((9, 9))
    True
    """
    total = sum(values)
    if total == 0:
        return 0.98 if set(values) == {0} else 0.85
    return 0.55 * 0.8 ** (abs(total) - 1) + (0.03 if total > 0 else 0.0)


def hand_of(view: Document) -> tuple[str, ...]:
    """Return all the viewer's cards, including those in the static field."""
    mine = view["me"]
    seat = next(seat for seat in view["seats"] if seat["seat"] == mine["seat"])
    return (*mine["cards"], *seat.get("field", ()))


def standing(view: Document) -> float:
    """Return the chance that the hand beats one opponent's. In early card rounds it is near 0.5."""
    cards = hand_of(view)
    if is_traditional(cards):
        known = traditional([value_of(card) for card in cards])
        certain = 0.4 + 0.12 * float(view["rounds"]["round"])
    else:
        known = near_zero([value_of(card) for card in cards])
        certain = 0.4 + 0.2 * float(view["rounds"]["round"])
    return 0.5 + (known - 0.5) * min(1.0, certain)


def card_turn(view: Document, style: Style = STEADY) -> Document:
    """
    Return the card action with the best chance after it.

    An action must improve the chance by more than a margin, because the next shift may undo it.
    """
    cards = hand_of(view)
    old = is_traditional(cards)
    judge, deck = (traditional, D76) if old else (near_zero, D62)
    now = judge([value_of(card) for card in cards])
    verbs = {action["verb"] for action in view["legal"]}
    if "call_hand" in verbs and now > CALLS:
        return {"type": "call_hand"}
    if "field" in verbs and now > FIELDS:
        return {"type": "field", "cards": list(view["me"]["cards"])}
    if style.practised and not old:
        return _spike_turn(view, cards)
    best: Document = {"type": "stand"}
    promise = now + style.margin
    unseen = _unseen(deck, [value_of(card) for card in cards])
    for action in view["legal"]:
        coming = _coming(action, view, unseen)
        for given in action["cards"] or (None,) if coming else ():
            left = [value_of(card) for card in cards if card != given]
            expected = sum(judge([*left, value]) for value in coming) / len(coming)
            if expected - _cost(action, view) > promise:
                promise = expected - _cost(action, view)
                best = {"type": action["verb"], "source": action["source"]}
                if given is not None:
                    best["card"] = given
    return best


def _spike_turn(view: Document, cards: Sequence[str]) -> Document:
    """Return the action with the best outlook over all turns to come."""
    hand = spike.hand_of(map(value_of, cards))
    turns = max(0, spike.ROUNDS - int(view["rounds"]["round"]))
    best: Document = {"type": "stand"}
    promise = spike.outlook(hand, turns)
    for action in view["legal"]:
        for given in action["cards"] or (None,):
            kept = hand if given is None else spike.without(hand, value_of(given))
            open_card = _open_card(action, view)
            if open_card is not None:
                found = spike.outlook(spike.hand_of((*kept, value_of(open_card))), turns)
            elif action["source"] == "pile":
                found = spike.after_draw(kept, hand, turns)
            else:
                continue
            if found - _cost(action, view) > promise:
                promise = found - _cost(action, view)
                best = {"type": action["verb"], "source": action["source"]}
                if given is not None:
                    best["card"] = given
    return best


def _unseen(deck: Sequence[int], seen: Sequence[int]) -> list[int]:
    left = list(deck)
    for value in seen:
        left.remove(value)
    return left


def _coming(action: Document, view: Document, unseen: Sequence[int]) -> Sequence[int]:
    """Return the equally likely values that *action* may bring, or () if it brings no card."""
    if action["verb"] not in ("draw", "trade", "gain", "swap", "buy"):
        return ()
    open_card = _open_card(action, view)
    return unseen if open_card is None else (value_of(open_card),)


def _open_card(action: Document, view: Document) -> str | None:
    """Return the card that lies open where *action* takes one, or None."""
    if action["source"] == "discards":
        return str(view["rounds"]["discard_top"])
    if action["source"] in MARKET:
        return str(view["rounds"]["market"][MARKET.index(action["source"])])
    return None


def _cost(action: Document, view: Document) -> float:
    """Return the fee of *action* as a fraction of the pots."""
    at_stake = sum(pot["chips"] for pot in view["pots"]) + 1
    return float((action["amount"] or 0) / at_stake)
