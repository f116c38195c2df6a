"""State changes in a game of card turns."""

from typing import Never

from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import InvariantViolated
from engine.kit.cards import deck
from engine.table.evolve.in_hand import (
    answered,
    attended,
    drawn_off,
    in_hand,
    with_place,
    without_cards,
)
from engine.table.model import events
from engine.table.model.events.event_parts import CardCount, OpenCard
from engine.table.model.hand import Hand, InHand, Roll
from engine.table.model.state import Place, Table
from engine.values import SealedCard, only


def _without(cards: tuple[SealedCard, ...], gone: tuple[str, ...]) -> tuple[SealedCard, ...]:
    rest = tuple(card for card in cards if card.card not in gone)
    if len(rest) + len(gone) != len(cards):
        raise InvariantViolated("a card went that was not there")
    return rest


def _face_down(card: OpenCard, place: Place) -> SealedCard:
    """Return the open *card* as a face-down card of the hand in *place*."""
    return SealedCard(
        card.card,
        bytes.fromhex(card.salt),
        card.pile,
        card.position,
        only(place.entrant),
    )


def _card_turn_taken(table: Table, hand: Hand, event: events.CardTurnTaken) -> Table:
    card_rounds = hand.in_card_rounds
    decision = answered(hand, event.seat, event.decision)
    place, held = in_hand(table, event.seat)
    if place.stack - event.fee != event.stack:
        raise InvariantViolated(f"seat {event.seat} paid {event.fee} of {place.stack}")
    after = replace(
        _pile_after(hand, event),
        decision=decision,
        card_rounds=replace(
            card_rounds,
            taken=(*card_rounds.taken, event.seat),
            open_discards=_discards_after(card_rounds.open_discards, event),
            market=_market_after(card_rounds.market, event),
            dead=card_rounds.dead + event.fee,
        ),
        actions=hand.actions + 1,
        chips_in=hand.chips_in or event.fee > 0,
    )
    if event.verb == "junk":
        held, after = without_cards(after, held)
    else:
        held = replace(held, cards=_cards_after(held, place, event))
    turned = attended(place, held, event.stack, timed_out=event.timed_out)
    return replace(table, places=with_place(table, turned), hand=after)


def _cards_after(held: InHand, place: Place, event: events.CardTurnTaken) -> tuple[SealedCard, ...]:
    cards = held.cards
    if event.given is not None:
        cards = _without(cards, (event.given.value,))
    if event.shown is not None:
        cards = _without(cards, (event.shown.card,))
    if event.drawn is not None:
        cards = (*cards, event.drawn)
    if event.taken is not None:
        cards = (*cards, _face_down(event.taken, place))
    return cards


def _pile_after(hand: Hand, event: events.CardTurnTaken) -> Hand:
    discards = hand.discards
    if event.given is not None:
        discards = (*discards, event.given.value)
    drawn = event.drawn is not None
    return replace(hand, discards=discards, pile_next=hand.pile_next + drawn)


def _discards_after(
    pile: tuple[OpenCard, ...], event: events.CardTurnTaken
) -> tuple[OpenCard, ...]:
    if event.taken is not None and event.source == "discards":
        if pile[-1:] != (event.taken,):
            raise InvariantViolated("a card was taken that does not lie on top")
        pile = pile[:-1]
    return pile if event.shown is None else (*pile, event.shown)


def _market_after(
    market: tuple[OpenCard, ...], event: events.CardTurnTaken
) -> tuple[OpenCard, ...]:
    if event.taken is None or event.source == "discards":
        return market
    if event.taken not in market:
        raise InvariantViolated("a card was taken that lies on no pile")
    return tuple(card for card in market if card != event.taken)


def _cards_fielded(table: Table, hand: Hand, event: events.CardsFielded) -> Table:
    if hand.decision is None or event.seat not in hand.decision.seats:
        raise InvariantViolated(f"seat {event.seat} fielded cards out of turn")
    place, held = in_hand(table, event.seat)
    faces = tuple(card.card for card in event.cards)
    fielded = tuple(card for card in held.cards if card.card in faces)
    after = replace(held, cards=_without(held.cards, faces), field=(*held.field, *fielded))
    return replace(table, places=with_place(table, replace(place, hand=after)))


def _hand_called(table: Table, hand: Hand, event: events.HandCalled) -> Table:
    called = replace(hand, card_rounds=replace(hand.in_card_rounds, called=True, caller=event.seat))
    if event.seat is None or event.decision is None:
        return replace(table, hand=called)
    place, held = in_hand(table, event.seat)
    called = replace(
        called, decision=answered(hand, event.seat, event.decision), actions=hand.actions + 1
    )
    return replace(
        table,
        places=with_place(table, attended(place, held, place.stack, timed_out=False)),
        hand=called,
    )


def _discard_flipped(table: Table, hand: Hand, event: events.DiscardFlipped) -> Table:
    card_rounds = hand.in_card_rounds
    flipped = replace(card_rounds, open_discards=(*card_rounds.open_discards, event.card))
    return replace(table, hand=replace(hand, pile_next=hand.pile_next + 1, card_rounds=flipped))


def _market_card_laid(table: Table, hand: Hand, event: events.MarketCardLaid) -> Table:
    card_rounds = hand.in_card_rounds
    laid = replace(card_rounds, market=(event.card, *card_rounds.market))
    return replace(table, hand=replace(hand, pile_next=hand.pile_next + 1, card_rounds=laid))


def _shift_rolled(table: Table, hand: Hand, event: events.ShiftRolled) -> Table:
    roll = Roll(round=event.round, dice=event.dice, doubles=event.doubles)
    card_rounds = replace(hand.in_card_rounds, rolls=(*hand.in_card_rounds.rolls, roll))
    return replace(table, hand=replace(hand, card_rounds=card_rounds))


def _hands_taken_up(table: Table, hand: Hand, event: events.HandsTakenUp) -> Table:
    places = []
    gone: list[str] = []
    counts = {count.seat: count.cards for count in event.counts}
    staying = {card.card for card in hand.in_card_rounds.open_discards}
    for place in table.places:
        if place.hand is None or not place.hand.live:
            places.append(place)
            continue
        # The oldest cards go first. A shift takes the whole hand unless the count is smaller.
        taken = counts.get(place.seat, 0)
        gone += [card.card for card in place.hand.cards[:taken]]
        staying |= {card.card for card in (*place.hand.field, *place.hand.cards[taken:])}
        places.append(replace(place, hand=replace(place.hand, cards=place.hand.cards[taken:])))
    if event.with_pile:
        discards = tuple(card for card in deck(table.ruleset.deck) if card not in staying)
        after = replace(hand, discards=discards, pile_next=len(hand.pile_cards))
    else:
        after = replace(hand, discards=(*hand.discards, *gone))
    due = tuple(count for count in event.counts if count.cards)
    card_rounds = replace(hand.in_card_rounds, shifted=True, taken_up=event.counts, due=due)
    return replace(table, places=tuple(places), hand=replace(after, card_rounds=card_rounds))


def _shift_dealt(table: Table, hand: Hand, event: events.ShiftDealt) -> Table:
    due = {count.seat: count.cards for count in hand.in_card_rounds.due}
    places = {place.seat: place for place in table.places}
    for part in event.dealt:
        place, held = in_hand(table, part.seat)
        due[part.seat] -= len(part.cards)
        dealt = replace(held, cards=(*held.cards, *part.cards))
        places[part.seat] = replace(place, hand=dealt)
    left = tuple(CardCount(seat=seat, cards=cards) for seat, cards in due.items() if cards)
    count = sum(len(part.cards) for part in event.dealt)
    after = replace(
        hand, pile_next=hand.pile_next + count, card_rounds=replace(hand.in_card_rounds, due=left)
    )
    return replace(table, places=tuple(places.values()), hand=after)


def _card_round_closed(table: Table, hand: Hand, event: events.CardRoundClosed) -> Table:
    card_rounds = replace(hand.in_card_rounds, round=event.round + 1, taken=(), shifted=False)
    return replace(table, hand=replace(hand, card_rounds=card_rounds))


def _totals_announced(table: Table, hand: Hand, event: events.TotalsAnnounced) -> Table:
    card_rounds = replace(hand.in_card_rounds, announced=event.totals)
    return replace(
        table, hand=replace(hand, card_rounds=card_rounds, done=(*hand.done, "announce"))
    )


def _hands_ranked(table: Table, hand: Hand, event: events.HandsRanked) -> Table:
    card_rounds = replace(hand.in_card_rounds, ranked=event.hands)
    return replace(table, hand=replace(hand, card_rounds=card_rounds, done=(*hand.done, "reveal")))


def _penalty_paid(table: Table, hand: Hand, event: events.PenaltyPaid) -> Table:
    place = table.at(event.seat)
    if place.stack - event.paid != event.stack:
        raise InvariantViolated(f"seat {event.seat} paid {event.paid} of {place.stack}")
    return replace(
        table,
        places=with_place(table, replace(place, stack=event.stack)),
        sabacc_pot=table.sabacc_pot + event.paid,
    )


def _demise_dealt(table: Table, hand: Hand, event: events.DemiseDealt) -> Table:
    cards = tuple((dealt.seat, dealt.card.card) for dealt in event.dealt)
    return replace(table, hand=drawn_off(hand, event.pot, cards))


def _sabacc_pot_awarded(table: Table, hand: Hand, event: events.SabaccPotAwarded) -> Table:
    if event.chips > table.sabacc_pot:
        raise InvariantViolated(f"a Sabacc pot of {event.chips} chips was not there")
    card_rounds = hand.in_card_rounds
    place = table.at(event.seat)
    return replace(
        table,
        places=with_place(table, replace(place, stack=place.stack + event.chips)),
        sabacc_pot=table.sabacc_pot - event.chips,
        hand=replace(
            hand,
            card_rounds=replace(card_rounds, sabacc_awards=(*card_rounds.sabacc_awards, event)),
        ),
    )


WITHIN_ROUNDS = (
    Cases[Table, Hand, Never, Table]()
    .on(events.CardTurnTaken, _card_turn_taken)
    .on(events.CardsFielded, _cards_fielded)
    .on(events.HandCalled, _hand_called)
    .on(events.DiscardFlipped, _discard_flipped)
    .on(events.MarketCardLaid, _market_card_laid)
    .on(events.ShiftRolled, _shift_rolled)
    .on(events.HandsTakenUp, _hands_taken_up)
    .on(events.ShiftDealt, _shift_dealt)
    .on(events.CardRoundClosed, _card_round_closed)
    .on(events.TotalsAnnounced, _totals_announced)
    .on(events.HandsRanked, _hands_ranked)
    .on(events.PenaltyPaid, _penalty_paid)
    .on(events.DemiseDealt, _demise_dealt)
    .on(events.SabaccPotAwarded, _sabacc_pot_awarded)
)
