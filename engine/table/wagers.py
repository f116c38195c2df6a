"""What a table's ruleset makes of bets: forced ones, the street being played, legal actions."""

from engine.betting import LegalAction, legal_actions
from engine.errors import InvariantViolated
from engine.rulesets import (
    Ante,
    Blinds,
    CoruscantShift,
    NoForcedBet,
    PokerNoLimit,
    RoundsRuleset,
)
from engine.street import Street
from engine.table.events import Level, Post
from engine.table.hand import Hand
from engine.table.state import Table
from engine.values import Chips


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
    Return the forced bets of the hand; who has less posts what is left.

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
            owed = level.amounts.ante
            return tuple(
                Post(seat=seat, kind="ante", owed=owed, chips=min(owed, stacks[seat]))
                for seat in hand.order
            )
        case Blinds():
            posts = []
            small, big = level.amounts.small, level.amounts.big
            if (seat := hand.small_blind) in stacks and seat is not None:
                chips = min(small, stacks[seat])
                posts.append(Post(seat=seat, kind="small_blind", owed=small, chips=chips))
            if (seat := hand.big_blind) is not None:
                chips = min(big, stacks[seat])
                posts.append(Post(seat=seat, kind="big_blind", owed=big, chips=chips))
                posts += _table_ante(seat, level.amounts.ante, stacks[seat] - chips)
            return tuple(posts)


def _table_ante(seat: int, owed: Chips, left: Chips) -> list[Post]:
    """Return what the big blind pays (rulebook ``forced.table_ante``), the blind covered first."""
    if not owed:
        return []
    return [Post(seat=seat, kind="table_ante", owed=owed, chips=min(owed, left))]


def price_of(table: Table, posts: tuple[Post, ...]) -> Chips:
    """
    Return what everyone owes in the first street once *posts* are made.

    A short big blind does not lower it, unless the ruleset says so.

    Source: rulebook ``forced.short_blind``.
    """
    full = not (
        isinstance(table.ruleset, CoruscantShift) and table.ruleset.short_blind == "as_posted"
    )
    blinds = [post for post in posts if post.kind in ("small_blind", "big_blind")]
    return max((post.owed if full else post.chips for post in blinds), default=0)


def _antes(ruleset: RoundsRuleset, order: tuple[int, ...]) -> tuple[Post, ...]:
    """Return both antes of every seat (rulebook ``traditional.two_pots``)."""
    main, sabacc = ruleset.main_ante, ruleset.sabacc_ante
    posts = [Post(seat=seat, kind="ante", owed=main, chips=main) for seat in order]
    if sabacc:
        posts += [Post(seat=seat, kind="sabacc_ante", owed=sabacc, chips=sabacc) for seat in order]
    return tuple(posts)


def _turn_after(table: Table, hand: Hand) -> int:
    """Return the seat to whose left the turn goes on (rulebook ``betting.first_actor``)."""
    if hand.last_actor is not None:
        return hand.last_actor
    if not isinstance(table.ruleset, CoruscantShift):
        caller = hand.in_rounds.caller
        return table.button if caller is None else caller - 1
    if table.ruleset.first_actor[hand.street - 1] == "left_of_big_blind":
        return table.button if hand.big_blind is None else hand.big_blind
    return table.button


def street_of(table: Table) -> Street:
    """Return the betting round that the hand is in."""
    hand, level = table.hand, table.level
    if hand is None or level is None:
        raise InvariantViolated("a street outside a hand")
    ruleset = table.ruleset
    return Street(
        table.places,
        ruleset.betting,
        ruleset.chip_unit,
        min_open(table, level),
        hand.current_bet,
        hand.full_raise,
        _turn_after(table, hand),
        ruleset.moneyless,
        ruleset.revision,
    )


def legal_wagers(table: Table, seat: int) -> tuple[LegalAction, ...]:
    """Return what *seat* may do now; nothing if it is not its turn to bet."""
    decision = table.decision
    if decision is None or decision.phase != "bet" or seat not in decision.seats:
        return ()
    return legal_actions(street_of(table), seat)
