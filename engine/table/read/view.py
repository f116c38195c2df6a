"""
A viewer's view of a table.

A view names each value that it shows, so a new member of the state stays hidden by default.

Source: rulebook ``visibility``.
"""

import msgspec

from engine.errors import InvariantViolated
from engine.hand.betting import LegalAction
from engine.hand.pots import build_pots
from engine.rulesets import Amounts, CorellianSpike, CoruscantShift
from engine.table.decide.showing import can_show
from engine.table.decide.turns import legal_on_turn
from engine.table.games.steps import rules_of
from engine.table.model import levels
from engine.table.model.events import Ranked, Revealed
from engine.table.model.hand import CardRounds, Hand, InHand
from engine.table.model.state import Place, Table
from engine.table.read.view_parts import (
    AwardView,
    DecisionView,
    LastHandView,
    NextLevelView,
    OwnView,
    PotView,
    RevealedView,
    RoundView,
    SeatView,
    TableView,
)
from engine.values import EntrantId


def seen_by(table: Table, viewer: EntrantId | None) -> TableView:
    """
    Return the view of *viewer*. A spectator, with viewer None, sees only public values.

    Two states that differ only in values hidden from *viewer* have equal views.
    """
    hand = table.hand
    mine = None if viewer is None else table.place_of(viewer)
    public = _between_hands(table)
    if hand is None:
        if mine is None or not can_show(table, mine):
            return public
        show = LegalAction(verb="show", rule="showdown.show")
        return msgspec.structs.replace(public, legal=(show,))
    seen = _in_play(table, hand, public)
    if mine is None or mine.hand is None:
        return seen
    waiting = hand.decision is not None and mine.seat in hand.decision.seats
    return msgspec.structs.replace(
        seen,
        me=_own(mine.seat, mine.hand),
        my_turn=waiting,
        legal=_legal(table, mine.seat) if waiting and table.held is None else (),
    )


def hands_in(table: Table) -> tuple[OwnView, ...]:
    """Return the own cards of every seat in the hand, for auditors after its end."""
    return tuple(_own(each.seat, each.hand) for each in table.places if each.hand is not None)


def _between_hands(table: Table) -> TableView:
    """Return the public view without the hand in play, except for its seats."""
    return TableView(
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


def _in_play(table: Table, hand: Hand, public: TableView) -> TableView:
    """Return *public* with the public values of the *hand* in play."""
    return msgspec.structs.replace(
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
        rounds=None if hand.card_rounds is None else _card_rounds(hand, hand.card_rounds),
        small_blind=hand.small_blind,
        big_blind=hand.big_blind,
        decision=_decision(hand),
    )


def _amounts(table: Table) -> Amounts:
    least = table.least_amounts()
    return Amounts(small=least.small, big=least.big, ante=least.ante)


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
    rules, held = rules_of(table, CoruscantShift), _held(table, seat)
    if decision.phase == "select":
        least = rules.first_selection_min
        return (LegalAction(verb="select", rule="selection.first", cards_min=least),)
    least = max(0, rules.final_selection_min - len(held.selection))
    return (LegalAction(verb="improve", rule="selection.improve", cards_min=least),)


def _held(table: Table, seat: int) -> InHand:
    held = table.at(seat).hand
    if held is None:
        raise InvariantViolated(f"seat {seat} is asked for cards and has none")
    return held


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
        card_count=None if hand.card_rounds is None else len(held.field) + len(held.cards),
        field=tuple(card.card for card in held.field),
        announced=None if hand.card_rounds is None else _announced(hand.card_rounds, place.seat),
        revealed=_revealed_at(hand, place.seat),
    )


def _revealed_at(hand: Hand, seat: int) -> RevealedView | None:
    ranked = _ranked(hand)
    if not hand.revealed and not ranked:
        return None
    return next((each for each in _revealed(hand.revealed, ranked) if each.seat == seat), None)


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
    return () if hand.card_rounds is None else hand.card_rounds.ranked


def _announced(card_rounds: CardRounds, seat: int) -> int | None:
    return next((each.total for each in card_rounds.announced if each.seat == seat), None)


def _card_rounds(hand: Hand, card_rounds: CardRounds) -> RoundView:
    return RoundView(
        round=card_rounds.round,
        taken=card_rounds.taken,
        called=card_rounds.called,
        caller=card_rounds.caller,
        rolls=tuple(roll.dice for roll in card_rounds.rolls),
        discard_top=card_rounds.open_discards[-1].card if card_rounds.open_discards else None,
        discard_count=len(card_rounds.open_discards),
        pile_count=hand.pile_left,
        market=tuple(card.card for card in card_rounds.market),
    )


def _pots(table: Table, hand: Hand) -> tuple[PotView, ...]:
    if hand.pots:
        # Pots keep their numbers until the end. A paid pot has 0 chips.
        paid = {award.pot for award in hand.awards}
        return tuple(
            PotView(chips=0 if number in paid else pot.chips, eligible=pot.eligible)
            for number, pot in enumerate(hand.pots, start=1)
        )
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
