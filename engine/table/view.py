"""
What one viewer may see of a table.

A view is built by naming what is shown; nothing reaches it by being left over.
Source: rulebook ``visibility``.
"""

from datetime import datetime

import msgspec

from engine.betting import LegalAction
from engine.pots import build_pots
from engine.rulesets import Amounts, CorellianSpike
from engine.table import levels
from engine.table.events import Ranked, Revealed
from engine.table.showing import can_show
from engine.table.state import Hand, InHand, Place, Rounds, Table
from engine.table.turns import legal_on_turn
from engine.values import Chips, EntrantId, HandId, TableId, TournamentId


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    pass


class RevealedView(_Part, frozen=True, kw_only=True):
    """A hand that was turned over."""

    seat: int
    cards: tuple[str, ...]
    total: int
    distance: int | None = None
    """From the target number, in a game that has one; like the suit count."""

    suit_count: int | None = None
    name: str | None = None
    """What the hand is called, in a game without target."""


class SeatView(_Part, frozen=True, kw_only=True):
    """An occupied seat, as everyone sees it."""

    seat: int
    entrant: EntrantId
    stack: Chips
    wager: Chips = 0
    """Chips put into the hand."""

    put_in: Chips = 0
    """Chips put into the street."""

    dealt: bool = False
    live: bool = False
    all_in: bool = False
    away: bool = False
    answered: bool = False
    """Has committed its cards in the select or improve phase that is open."""

    kept: int | None = None
    """Cards in the selection; known once everybody has committed."""

    card_count: int | None = None
    """All cards of the hand, in a game of card turns."""

    field: tuple[str, ...] = ()
    """Cards of the static field."""

    announced: int | None = None
    """What the first cards add up to, where totals are announced."""

    revealed: RevealedView | None = None


class RoundView(_Part, frozen=True, kw_only=True):
    """Where a game of card turns stands."""

    round: int
    taken: tuple[int, ...]
    """Seats that have had their card turn in this round."""

    called: bool
    caller: int | None
    rolls: tuple[tuple[int, int], ...]
    """The pairs of dice so far, one a round."""

    discard_top: str | None
    """The card that lies on an open discard pile."""

    discard_count: int
    """Cards of an open discard pile."""

    pile_count: int
    """Cards of the draw pile."""

    market: tuple[str, ...]
    """The open piles of the Galaxy Series: pilot, wing, gunner."""


class PotView(_Part, frozen=True, kw_only=True):
    """What a pot would be if the hand ended now."""

    chips: Chips
    eligible: tuple[int, ...]


class OwnView(_Part, frozen=True, kw_only=True):
    """What only the viewer sees: the own cards."""

    seat: int
    cards: tuple[str, ...]
    """Dealt and not selected."""

    selection: tuple[str, ...]
    new_cards: tuple[str, ...]
    """Replacements that may be added to the selection."""


class DecisionView(_Part, frozen=True, kw_only=True):
    """What the table waits for."""

    token: str
    phase: str
    street: int
    turn: int
    seats: tuple[int, ...]
    deadline: datetime


class AwardView(_Part, frozen=True, kw_only=True):
    """How one pot was paid."""

    pot: int
    chips: Chips
    winners: tuple[tuple[int, Chips], ...]
    remainder: Chips
    rule: str
    """The rulebook's name of what decided it."""


class LastHandView(_Part, frozen=True, kw_only=True):
    """How the hand before ended."""

    hand: HandId
    number: int
    target: int | None
    suit: str | None
    revealed: tuple[RevealedView, ...]
    awards: tuple[AwardView, ...]
    winners: tuple[int, ...]
    sabacc_awards: tuple[tuple[int, Chips], ...] = ()
    """Who took how much of the Sabacc pot."""

    shown: tuple[str, ...] = ()
    """The hand of a winner by folds who has shown it."""


class NextLevelView(_Part, frozen=True, kw_only=True):
    """What the forced bets will be, and when; one of the last three says so."""

    number: int
    amounts: Amounts
    hands_left: int | None = None
    """Hands still to be opened before it, where the table counts them."""

    due: datetime | None = None
    """The instant, while the tournament's clock runs."""

    left_seconds: int | None = None
    """Whole seconds of the level that are left, while the clock stands."""


class TableView(_Part, frozen=True, kw_only=True):
    """A table as one viewer sees it; safe to serialise."""

    table: TableId
    tournament: TournamentId
    number: int
    seat_count: int
    hand: HandId | None = None
    hand_number: int = 0
    deal: int | None = None
    last: bool = False
    phase: str | None = None
    """``select``, ``improve``, ``card`` or ``bet`` while a decision is open."""

    target: int | None = None
    suit: str | None = None
    deck_root: str | None = None
    pile: int | None = None
    seats: tuple[SeatView, ...] = ()
    pots: tuple[PotView, ...] = ()
    current_bet: Chips = 0
    carry: Chips = 0
    sabacc_pot: Chips = 0
    rounds: RoundView | None = None
    """In a game of card turns, while a hand is in play."""

    button: int = 0
    small_blind: int | None = None
    big_blind: int | None = None
    level: int = 1
    amounts: Amounts = Amounts()
    next_level: NextLevelView | None = None
    """None if the forced bets stay, or go by orbits or players."""
    experimental: bool = False
    """Whether the ruleset plays what rests on one public program alone."""

    held: str | None = None
    closed: bool = False
    decision: DecisionView | None = None
    me: OwnView | None = None
    my_turn: bool = False
    legal: tuple[LegalAction, ...] = ()
    """What the viewer may do now."""

    last_hand: LastHandView | None = None


def seen_by(table: Table, viewer: EntrantId | None) -> TableView:
    """
    Return what *viewer* may see; a spectator, who is no viewer, sees what is public.

    Two states that differ only in what is hidden from *viewer* have equal views.
    """
    hand = table.hand
    mine = None if viewer is None else table.place_of(viewer)
    public = TableView(
        table=table.table,
        tournament=table.tournament,
        number=table.number,
        seat_count=table.seat_count,
        hand_number=table.hand_number,
        seats=tuple(_seat(table, place) for place in table.places),
        carry=table.carry,
        sabacc_pot=table.sabacc_pot,
        button=table.button,
        level=_level_number(table),
        amounts=_amounts(table),
        next_level=_next_level(table),
        experimental=isinstance(table.ruleset, CorellianSpike) and table.ruleset.experimental,
        held=table.held,
        closed=table.closed,
        last_hand=_last_hand(table),
    )
    if hand is None:
        if mine is None or not can_show(table, mine):
            return public
        show = LegalAction(verb="show", rule="showdown.show")
        return msgspec.structs.replace(public, legal=(show,))
    seen = msgspec.structs.replace(
        public,
        hand=hand.hand,
        deal=hand.deal,
        last=hand.last,
        phase=None if hand.decision is None else hand.decision.phase,
        target=hand.target,
        suit=hand.suit,
        deck_root=hand.deck_root,
        pile=hand.pile,
        pots=_pots(table, hand),
        current_bet=hand.current_bet,
        rounds=None if hand.rounds is None else _rounds(hand, hand.rounds),
        small_blind=hand.small_blind,
        big_blind=hand.big_blind,
        decision=_decision(hand),
    )
    if mine is None or mine.hand is None:
        return seen
    waiting = hand.decision is not None and mine.seat in hand.decision.seats
    return msgspec.structs.replace(
        seen,
        me=_own(mine.seat, mine.hand),
        my_turn=waiting,
        legal=_legal(table, mine.seat) if waiting and table.held is None else (),
    )


def _amounts(table: Table) -> Amounts:
    floor = table.floor()
    return Amounts(small=floor.small, big=floor.big, ante=floor.ante)


def _level_number(table: Table) -> int:
    return levels.reached(table) if levels.by_hands(table) else table.level_number


def _next_level(table: Table) -> NextLevelView | None:
    if not levels.by_hands(table) or (amounts := levels.coming(table)) is None:
        return None
    number = levels.reached(table) + 1
    return NextLevelView(number=number, amounts=amounts, hands_left=levels.hands_left(table))


def _legal(table: Table, seat: int) -> tuple[LegalAction, ...]:
    decision = table.decision
    if decision is None or decision.phase in ("bet", "card"):
        return legal_on_turn(table, seat)
    rule = "selection.first" if decision.phase == "select" else "selection.improve"
    return (LegalAction(verb=decision.phase, rule=rule),)


def _seat(table: Table, place: Place) -> SeatView:
    hand, held = table.hand, place.hand
    if hand is None or held is None:
        return SeatView(seat=place.seat, entrant=place.entrant, stack=place.stack, away=place.away)
    phase = None if hand.decision is None else hand.decision.phase
    return SeatView(
        seat=place.seat,
        entrant=place.entrant,
        stack=place.stack,
        wager=held.wager,
        put_in=held.put_in,
        dealt=True,
        live=held.live,
        all_in=held.live and place.stack == 0 and not table.ruleset.moneyless,
        away=place.away,
        answered=(phase == "select" and held.selected) or (phase == "improve" and held.improved),
        kept=next((count.cards for count in hand.kept if count.seat == place.seat), None),
        card_count=None if hand.rounds is None else len(held.field) + len(held.cards),
        field=tuple(card.card for card in held.field),
        announced=None if hand.rounds is None else _announced(hand.rounds, place.seat),
        revealed=next(
            (
                shown
                for shown in _revealed(hand.revealed, _ranked(hand))
                if shown.seat == place.seat
            ),
            None,
        ),
    )


def _revealed(
    revealed: tuple[Revealed, ...], ranked: tuple[Ranked, ...]
) -> tuple[RevealedView, ...]:
    with_target = tuple(
        RevealedView(
            seat=shown.seat,
            cards=tuple(card.card for card in shown.cards),
            total=shown.total,
            distance=shown.distance,
            suit_count=shown.suit_count,
        )
        for shown in revealed
    )
    without = tuple(
        RevealedView(
            seat=shown.seat,
            cards=tuple(card.card for card in shown.cards),
            total=shown.total,
            name=shown.name,
        )
        for shown in ranked
    )
    return with_target or without


def _ranked(hand: Hand) -> tuple[Ranked, ...]:
    return () if hand.rounds is None else hand.rounds.ranked


def _announced(rounds: Rounds, seat: int) -> int | None:
    return next((each.total for each in rounds.announced if each.seat == seat), None)


def _rounds(hand: Hand, rounds: Rounds) -> RoundView:
    return RoundView(
        round=rounds.round,
        taken=rounds.taken,
        called=rounds.called,
        caller=rounds.caller,
        rolls=tuple(roll.dice for roll in rounds.rolls),
        discard_top=rounds.open_discards[-1].card if rounds.open_discards else None,
        discard_count=len(rounds.open_discards),
        pile_count=hand.pile_left,
        market=tuple(card.card for card in rounds.market),
    )


def _pots(table: Table, hand: Hand) -> tuple[PotView, ...]:
    if hand.pots:
        return tuple(PotView(chips=pot.chips, eligible=pot.eligible) for pot in hand.pots)
    wagers = {place.seat: place.hand.wager for place in table.dealt() if place.hand is not None}
    live = [place.seat for place in table.live()]
    return tuple(
        PotView(chips=pot.chips, eligible=pot.eligible)
        for pot in build_pots(wagers, live=live, carry=table.carry + hand.dead)
    )


def _decision(hand: Hand) -> DecisionView | None:
    decision = hand.decision
    if decision is None:
        return None
    return DecisionView(
        token=decision.token,
        phase=decision.phase,
        street=decision.street,
        turn=decision.turn,
        seats=decision.seats,
        deadline=decision.deadline,
    )


def _own(seat: int, held: InHand) -> OwnView:
    return OwnView(
        seat=seat,
        cards=tuple(card.card for card in held.cards),
        selection=tuple(card.card for card in held.selection),
        new_cards=tuple(card.card for card in held.fresh),
    )


def _last_hand(table: Table) -> LastHandView | None:
    last = table.last_hand
    if last is None:
        return None
    return LastHandView(
        hand=last.hand,
        number=last.number,
        target=last.target,
        suit=last.suit,
        revealed=_revealed(last.revealed, last.ranked),
        awards=tuple(
            AwardView(
                pot=award.pot,
                chips=award.chips,
                winners=tuple((share.seat, share.chips) for share in award.shares),
                remainder=award.remainder,
                rule=award.rule,
            )
            for award in last.awards
        ),
        winners=last.winners,
        sabacc_awards=tuple((award.seat, award.chips) for award in last.sabacc_awards),
        shown=last.shown,
    )
