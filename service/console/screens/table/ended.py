"""The end of a table's last hand: the hands shown, the winners, and what decided."""

from collections.abc import Collection, Sequence

import msgspec

from engine.hand.spike_reasons import reason
from engine.kit.cards import total
from engine.rulesets import CorellianSpike, Ruleset
from engine.table.read.view_parts import AwardView, LastHandView, RevealedView
from service.api.http.declaring.rule_names import NUMBERS
from service.api.table.views import TableSeen
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.rules.titles import ALONE


class PlayedSeat(msgspec.Struct, kw_only=True):
    """A seat at a hand."""

    seat: int
    entrant: str


class Played(msgspec.Struct, kw_only=True):
    """The members of a hand that name the players at its seats."""

    seats: tuple[PlayedSeat, ...]
    names: dict[str, str]


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A hand that was turned over at the end of the last hand."""

    name: str
    cards: tuple[str, ...]
    total: int
    distance: int | None
    suited: int | None
    suit: str | None
    name_of_hand: str | None


class Paid(msgspec.Struct, frozen=True, kw_only=True):
    """A pot of the last hand."""

    pot: int
    """The number of the pot. 1 is the main pot, and 0 the Sabacc pot."""

    winners: tuple[tuple[str, int], ...]
    number: str
    """The number of the deciding rule in the rulebook, or nothing."""

    why: str
    """``distance``, ``suit_count`` or a comparison of Spike if that decided, else the rule."""

    remainder: int


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """The end of the last hand: the cards shown, and the winners with the reason."""

    hand: str
    number: int
    shown: tuple[Shown, ...]
    paid: tuple[Paid, ...]


async def _names(ask: Ask, seen: TableSeen, last: LastHandView) -> dict[int, str]:
    """Return the names of the last hand by seat. A player who busted in it has left the table."""
    try:
        hand = await ask.api.get(f"/v1/hands/{last.hand}", Played)
    except Problem:  # the read model has not caught up yet
        return {each.seat: seen.names.get(each.entrant, each.entrant) for each in seen.seats}
    return {each.seat: hand.names.get(each.entrant, each.entrant) for each in hand.seats}


async def end_of(ask: Ask, seen: TableSeen, rules: Ruleset) -> Ended | None:
    """Return the end of the table's last hand, or None before it."""
    last = seen.last_hand
    return None if last is None else _ended(ask, last, await _names(ask, seen, last), rules)


def _ended(ask: Ask, last: LastHandView, names: dict[int, str], rules: Ruleset) -> Ended:
    def name(seat: int) -> str:
        return names.get(seat) or ask.gettext("Seat %(seat)s") % {"seat": seat}

    shown = [
        Shown(
            name=name(each.seat),
            cards=each.cards,
            total=each.total,
            distance=each.distance,
            suited=each.suit_count,
            suit=last.suit,
            name_of_hand=None if each.name == "total" else each.name,
        )
        for each in sorted(last.revealed, key=lambda each: each.seat not in last.winners)
    ]
    if last.shown:
        shown += [
            Shown(
                name=name(each), cards=last.shown, total=total(last.shown), distance=None,
                suited=None, suit=None, name_of_hand=None,
            )
            for each in last.winners[:1]
        ]  # fmt: skip
    paid = [
        Paid(
            pot=each.pot,
            winners=tuple((name(seat), chips) for seat, chips in each.winners),
            number=NUMBERS.get(rule, ""),
            why=_why(last, each, rule, rules),
            remainder=each.remainder,
        )
        for each in last.awards
        for rule in (each.rule if last.revealed else ALONE,)
    ]
    if last.sabacc_awards:
        winners = tuple((name(seat), chips) for seat, chips in last.sabacc_awards)
        paid.append(Paid(pot=0, winners=winners, number="", why="", remainder=0))
    return Ended(hand=last.hand, number=last.number, shown=tuple(shown), paid=tuple(paid))


def _why(last: LastHandView, award: AwardView, rule: str, rules: Ruleset) -> str:
    """Return the fact that decided a pot, in a game with a target or in Spike, or the rule."""
    if rule != "showdown.best":
        return rule
    if isinstance(rules, CorellianSpike):
        return spike_reason(rules, last.revealed, {seat for seat, _ in award.winners}) or rule
    return target_reason(last.revealed, {seat for seat, _ in award.winners}) or rule


def target_reason(revealed: Sequence[RevealedView], won: Collection[int]) -> str | None:
    """Return the comparison with the target that put the winners before the next, or None."""
    keys = {
        each.seat: (each.distance, -(each.suit_count or 0))
        for each in revealed
        if each.distance is not None
    }
    if len(keys) < len(revealed):
        return None
    best = min((key for seat, key in keys.items() if seat in won), default=(0, 0))
    # A better hand had no share in this pot.
    beaten = [key for seat, key in keys.items() if seat not in won and key > best]
    if not beaten:
        return None
    return "suit_count" if min(beaten)[0] == best[0] else "distance"


def spike_reason(
    rules: CorellianSpike, revealed: Sequence[RevealedView], won: Collection[int]
) -> str | None:
    """Return the comparison that put the winners of a pot before the others, or None."""
    best = next((each.cards for each in revealed if each.seat in won), None)
    others = [each.cards for each in revealed if each.seat not in won]
    found = None if best is None or not others else reason(rules, best, others)
    return None if found in (None, "name") else f"spike.{found}"
