"""Bets under the table's ruleset: forced bets, the current street and the legal actions."""

from collections.abc import Iterable, Iterator, Mapping

from engine.errors import InvariantViolated
from engine.hand.betting import LegalAction, legal_actions
from engine.hand.street import Street
from engine.rulesets import (
    Amounts,
    Ante,
    Blinds,
    CoruscantShift,
    NoForcedBet,
    PokerNoLimit,
    RoundsRuleset,
)
from engine.table.model.events import Level, Post, PostKind
from engine.table.model.hand import Hand
from engine.table.model.state import Table
from engine.values import Chips

Due = tuple[int, PostKind, Chips]
"""A seat, a forced bet and its full amount."""


def min_open(table: Table, level: Level) -> Chips:
    """Return the smallest opening bet at *level*, in chips."""
    rules, unit = table.ruleset.betting, table.ruleset.chip_unit
    if not isinstance(rules, PokerNoLimit):
        return 0
    match rules.min_open:
        case "big_blind":
            return level.amounts.big
        case "half_ante":
            return max(unit, level.amounts.ante // 2 // unit * unit)
        case "table_min":
            return max(unit, table.ruleset.table_min or 0)
        case int(chips):
            return chips


def forced_bets(table: Table) -> tuple[Post, ...]:
    """
    Return the forced bets of the hand. A seat that has too few chips posts all it has.

    Source: rulebook ``forced.short``.
    """
    hand, level = table.hand, table.level
    if hand is None or level is None:
        raise InvariantViolated("forced bets outside a hand")
    stacks = {place.seat: place.stack for place in table.places if place.hand is not None}
    if not isinstance(table.ruleset, CoruscantShift):
        return _antes(table.ruleset, hand.order)
    match table.ruleset.forced:
        case NoForcedBet():
            return ()
        case Ante():
            return _posts([(seat, "ante", level.amounts.ante) for seat in hand.order], stacks)
        case Blinds() as forced:
            return _posts(_with_blinds(hand, level.amounts, forced, stacks), stacks)


def _with_blinds(
    hand: Hand, amounts: Amounts, forced: Blinds, stacks: Mapping[int, Chips]
) -> Iterator[Due]:
    """
    Yield the forced bets due before the cards, in the order in which a stack pays them.

    Antes of the players come before the blinds. An ante of the table comes after the big blind.

    Source: rulebook ``forced.player_ante``, ``forced.table_ante``.
    """
    if amounts.ante and forced.player_ante:
        yield from ((seat, "ante", amounts.ante) for seat in hand.order)
    if (seat := hand.small_blind) in stacks and seat is not None:
        yield seat, "small_blind", amounts.small
    if (seat := hand.big_blind) is not None:
        yield seat, "big_blind", amounts.big
        if amounts.ante and not forced.player_ante:
            yield seat, "table_ante", amounts.ante


def _posts(due: Iterable[Due], stacks: Mapping[int, Chips]) -> tuple[Post, ...]:
    """Return the posts of *due*. A seat that has too few chips posts all it has."""
    left = dict(stacks)
    posts = []
    for seat, kind, owed in due:
        chips = min(owed, left[seat])
        left[seat] -= chips
        posts.append(Post(seat=seat, kind=kind, owed=owed, chips=chips))
    return tuple(posts)


def price_of(table: Table, posts: tuple[Post, ...]) -> Chips:
    """
    Return the chips that everybody owes in the first street after *posts*.

    A short big blind does not lower this price, unless the ruleset says so.

    Source: rulebook ``forced.short_blind``.
    """
    full = not (
        isinstance(table.ruleset, CoruscantShift) and table.ruleset.short_blind == "as_posted"
    )
    price = 0
    for post in posts:
        if post.kind in ("small_blind", "big_blind"):
            price = max(price, post.owed if full else post.chips)
    return price


def _antes(ruleset: RoundsRuleset, order: tuple[int, ...]) -> tuple[Post, ...]:
    """Return the antes of every seat to both pots (rulebook ``traditional.two_pots``)."""
    main, sabacc = ruleset.main_ante, ruleset.sabacc_ante
    posts = [Post(seat=seat, kind="ante", owed=main, chips=main) for seat in order]
    if sabacc:
        posts += [Post(seat=seat, kind="sabacc_ante", owed=sabacc, chips=sabacc) for seat in order]
    return tuple(posts)


def _first_after(table: Table, hand: Hand) -> int:
    """Return the seat after which a street begins (rulebook ``betting.first_actor``)."""
    if not isinstance(table.ruleset, CoruscantShift):
        caller = hand.in_card_rounds.caller
        return table.button if caller is None else caller - 1
    if table.ruleset.first_actor[hand.street - 1] == "left_of_big_blind":
        return table.button if hand.big_blind is None else hand.big_blind
    return table.button


def street_of(table: Table) -> Street:
    """Return the street that the hand is in."""
    hand = table.hand
    if hand is None:
        raise InvariantViolated("a street outside a hand")
    last = hand.last_actor
    return Street(
        table.places,
        table.ruleset,
        hand.min_open,
        hand.current_bet,
        hand.full_raise,
        _first_after(table, hand) if last is None else last,
    )


def legal_wagers(table: Table, seat: int) -> tuple[LegalAction, ...]:
    """Return the legal actions of *seat*. There are none if it is not the seat's turn to bet."""
    decision = table.decision
    if decision is None or decision.phase != "bet" or seat not in decision.seats:
        return ()
    return legal_actions(street_of(table), seat)
