"""State changes within a hand. The amounts are in the events."""

from typing import Never

from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import InvariantViolated
from engine.kit.cards import in_deck_order
from engine.table.model import events
from engine.table.model.hand import Decision, Hand, InHand
from engine.table.model.state import Place, Table
from engine.values import Chips, SealedCard

CardEvent = events.SelectionCommitted | events.ImprovementCommitted


def with_place(table: Table, place: Place) -> tuple[Place, ...]:
    """Return the places with *place* in its seat."""
    seat, places = place.seat, list(table.places)
    # If no seat is empty, the n-th place is that of seat n.
    if seat <= len(places) and places[seat - 1].seat == seat:
        places[seat - 1] = place
        return tuple(places)
    return tuple([place if other.seat == seat else other for other in places])


def in_hand(table: Table, seat: int) -> tuple[Place, InHand]:
    places = table.places
    # If no seat is empty, the n-th place is that of seat n.
    if seat > len(places) or (place := places[seat - 1]).seat != seat:
        place = table.at(seat)
    held = place.hand
    if held is None:
        raise InvariantViolated(f"seat {seat} is not in the hand")
    return place, held


def drawn_off(hand: Hand, pot: int, cards: tuple[tuple[int, str], ...]) -> Hand:
    """Return *hand* after seats drew *cards* for a tied *pot*."""
    return replace(
        hand,
        pile_next=hand.pile_next + len(cards),
        drawn_off=(*hand.drawn_off, *(card for _, card in cards)),
        draw_offs=(*hand.draw_offs, (pot, cards)),
    )


def _forced_bets_posted(table: Table, hand: Hand, event: events.ForcedBetsPosted) -> Table:
    places = {place.seat: place for place in table.places}
    sabacc_pot, table_ante = table.sabacc_pot, 0
    for post in event.posts:
        place = places[post.seat]
        if place.hand is None or post.chips > place.stack:
            raise InvariantViolated(f"seat {post.seat} cannot post {post.chips}")
        if post.kind == "sabacc_ante":
            sabacc_pot += post.chips
            places[post.seat] = replace(place, stack=place.stack - post.chips)
            continue
        if post.kind == "table_ante":
            table_ante += post.chips
            places[post.seat] = replace(place, stack=place.stack - post.chips)
            continue
        street_chips = 0 if post.kind == "ante" else post.chips
        held = replace(
            place.hand,
            wager=place.hand.wager + post.chips,
            put_in=place.hand.put_in + street_chips,
        )
        places[post.seat] = replace(place, stack=place.stack - post.chips, hand=held)
    return replace(
        table,
        places=tuple(places.values()),
        sabacc_pot=sabacc_pot,
        hand=replace(
            hand,
            current_bet=event.price,
            table_ante=table_ante,
            done=(*hand.done, "forced"),
        ),
    )


def _dice_rolled(table: Table, hand: Hand, event: events.DiceRolled) -> Table:
    rolled = replace(hand, target=event.target, suit=event.suit, done=(*hand.done, "roll"))
    return replace(table, hand=rolled)


def _dealt(
    table: Table, hand: Hand, dealt: tuple[events.DealtTo, ...], *, fresh: bool
) -> tuple[tuple[Place, ...], int]:
    """Return the places with their new cards, and the index of the pile's next card."""
    by_seat = {part.seat: part.cards for part in dealt}
    places = []
    for place in table.places:
        cards = by_seat.get(place.seat)
        if cards is None or place.hand is None:
            places.append(place)
        elif fresh:
            held = replace(place.hand, fresh=(*place.hand.fresh, *cards))
            places.append(replace(place, hand=held))
        else:
            places.append(replace(place, hand=replace(place.hand, cards=cards)))
    return tuple(places), hand.pile_next + sum([len(cards) for cards in by_seat.values()])


def _cards_dealt(table: Table, hand: Hand, event: events.CardsDealt) -> Table:
    places, following = _dealt(table, hand, event.dealt, fresh=False)
    after = replace(hand, pile_next=following, done=(*hand.done, "deal"))
    return replace(table, places=places, hand=after)


def _replacements_dealt(table: Table, hand: Hand, event: events.ReplacementsDealt) -> Table:
    places, following = _dealt(table, hand, event.dealt, fresh=True)
    return replace(table, places=places, hand=replace(hand, pile_next=following))


def _pile_committed(table: Table, hand: Hand, event: events.PileCommitted) -> Table:
    shuffled, card_rounds = hand.recyclable, hand.card_rounds
    if card_rounds is not None:
        card_rounds = replace(card_rounds, open_discards=card_rounds.open_discards[-1:])
    if event.pile != hand.pile + 1 or event.size != len(shuffled):
        raise InvariantViolated(f"pile {event.pile} of {event.size} cards after {hand.pile}")
    return replace(
        table,
        hand=replace(
            hand,
            pile=event.pile,
            pile_cards=in_deck_order(shuffled),
            pile_next=0,
            earlier_piles=(*hand.earlier_piles, hand.pile_cards),
            discards=(),
            card_rounds=card_rounds,
        ),
    )


def without_cards(hand: Hand, held: InHand) -> tuple[InHand, Hand]:
    """Return *held* without cards, and *hand* with these cards discarded."""
    gone = [card.card for card in (*held.cards, *held.selection, *held.fresh, *held.field)]
    bare = replace(held, live=False, cards=(), selection=(), fresh=(), field=())
    return bare, replace(hand, discards=(*hand.discards, *gone))


def _hand_killed(table: Table, hand: Hand, event: events.HandKilled) -> Table:
    place, held = in_hand(table, event.seat)
    bare, after = without_cards(hand, held)
    return replace(table, places=with_place(table, replace(place, hand=bare)), hand=after)


def _hand_quit(table: Table, hand: Hand, event: events.HandQuit) -> Table:
    """Discard the cards of a player who leaves, and stop waiting for that seat."""
    place, held = in_hand(table, event.seat)
    bare, after = without_cards(hand, held)
    left = replace(table, places=with_place(table, replace(place, hand=bare)), hand=after)
    decision = after.decision
    if decision is None:
        return left
    seats = tuple(seat for seat in decision.seats if seat != event.seat)
    over = not seats or not left.contested()
    return replace(
        left, hand=replace(after, decision=None if over else replace(decision, seats=seats))
    )


def _decision_opened(table: Table, hand: Hand, event: events.DecisionOpened) -> Table:
    decision = Decision(
        token=event.decision,
        phase=event.phase,
        street=event.street,
        turn=event.turn,
        seats=event.seats,
        deadline=event.deadline,
    )
    return replace(table, hand=replace(hand, decision=decision, turn=event.turn))


def _decision_extended(table: Table, hand: Hand, event: events.DecisionExtended) -> Table:
    if hand.decision is None or hand.decision.token != event.decision:
        raise InvariantViolated("a decision was extended that is not open")
    return replace(
        table, hand=replace(hand, decision=replace(hand.decision, deadline=event.deadline))
    )


def answered(hand: Hand, seat: int, token: str) -> Decision | None:
    decision = hand.decision
    if decision is None or decision.token != token or seat not in decision.seats:
        raise InvariantViolated(f"seat {seat} answered {token}, which does not wait for it")
    if len(decision.seats) == 1:
        return None
    place = decision.seats.index(seat)
    return replace(decision, seats=decision.seats[:place] + decision.seats[place + 1 :])


def _chosen(
    pool: tuple[SealedCard, ...], cards: tuple[str, ...]
) -> tuple[tuple[SealedCard, ...], tuple[SealedCard, ...]]:
    kept: list[SealedCard] = []
    rest: list[SealedCard] = []
    for card in pool:
        if card.card in cards:
            kept.append(card)
        else:
            rest.append(card)
    if len(kept) != len(cards):
        raise InvariantViolated("a selection names a card that is not there")
    return tuple(kept), tuple(rest)


def _selection_committed(table: Table, hand: Hand, event: events.SelectionCommitted) -> Table:
    place, held = in_hand(table, event.seat)
    kept, rest = _chosen(held.cards, event.cards.value)
    chosen = replace(held, selection=kept, cards=rest, selected=True)
    return _committed(table, hand, place, chosen, event)


def _improvement_committed(table: Table, hand: Hand, event: events.ImprovementCommitted) -> Table:
    place, held = in_hand(table, event.seat)
    kept, rest = _chosen(held.fresh, event.cards.value)
    chosen = replace(held, selection=(*held.selection, *kept), fresh=rest, improved=True)
    return _committed(table, hand, place, chosen, event)


def _committed(table: Table, hand: Hand, place: Place, held: InHand, event: CardEvent) -> Table:
    return replace(
        table,
        places=with_place(table, attended(place, held, place.stack, timed_out=event.timed_out)),
        hand=replace(hand, decision=answered(hand, event.seat, event.decision)),
    )


def attended(place: Place, held: InHand, stack: Chips, *, timed_out: bool) -> Place:
    if timed_out:
        return replace(place, hand=held, stack=stack, timeouts=place.timeouts + 1)
    return replace(place, hand=held, stack=stack, timeouts=0, away=False)


def _selections_closed(table: Table, hand: Hand, event: events.SelectionsClosed) -> Table:
    return replace(table, hand=replace(hand, kept=event.counts, done=(*hand.done, "select")))


def _improvements_closed(table: Table, hand: Hand, event: events.ImprovementsClosed) -> Table:
    return replace(table, hand=replace(hand, kept=event.counts, done=(*hand.done, "improve")))


def _cards_discarded(table: Table, hand: Hand, event: events.CardsDiscarded) -> Table:
    places = []
    gone: list[str] = []
    unselected = event.stage == "unselected"
    for place in table.places:
        held = place.hand
        if held is None or not held.live:
            places.append(place)
            continue
        for card in held.cards if unselected else held.fresh:
            gone.append(card.card)
        bare = replace(held, cards=()) if unselected else replace(held, fresh=())
        places.append(replace(place, hand=bare))
    after = replace(
        hand, discards=(*hand.discards, *gone), done=(*hand.done, f"discard_{event.stage}")
    )
    return replace(table, places=tuple(places), hand=after)


def _seat_acted(table: Table, hand: Hand, event: events.SeatActed) -> Table:
    decision = answered(hand, event.seat, event.decision)
    place, held = in_hand(table, event.seat)
    if place.stack - event.paid != event.stack:
        raise InvariantViolated(f"seat {event.seat} paid {event.paid} of {place.stack}")
    after = replace(
        hand,
        decision=decision,
        current_bet=event.current_bet,
        full_raise=event.full_raise,
        last_actor=event.seat,
        actions=hand.actions + 1,
        chips_in=hand.chips_in or event.paid > 0,
    )
    if event.verb == "fold":
        held, after = without_cards(after, held)
    held = replace(
        held,
        wager=held.wager + event.paid,
        put_in=held.put_in + event.paid,
        acted_at=event.current_bet,
    )
    acted = attended(place, held, event.stack, timed_out=event.timed_out)
    return replace(table, places=with_place(table, acted), hand=after)


def _street_closed(table: Table, hand: Hand, event: events.StreetClosed) -> Table:
    places = [
        place
        if (held := place.hand) is None
        else replace(place, hand=replace(held, put_in=0, acted_at=None))
        for place in table.places
    ]
    after = replace(
        hand,
        street=event.street + 1,
        current_bet=0,
        full_raise=event.min_open,
        last_actor=None,
        done=(*hand.done, f"bet{event.street}"),
    )
    return replace(table, places=tuple(places), hand=after)


WITHIN_HANDS = (
    Cases[Table, Hand, Never, Table]()
    .on(events.ForcedBetsPosted, _forced_bets_posted)
    .on(events.DiceRolled, _dice_rolled)
    .on(events.CardsDealt, _cards_dealt)
    .on(events.HandKilled, _hand_killed)
    .on(events.HandQuit, _hand_quit)
    .on(events.DecisionOpened, _decision_opened)
    .on(events.DecisionExtended, _decision_extended)
    .on(events.SelectionCommitted, _selection_committed)
    .on(events.ImprovementCommitted, _improvement_committed)
    .on(events.SelectionsClosed, _selections_closed)
    .on(events.ImprovementsClosed, _improvements_closed)
    .on(events.CardsDiscarded, _cards_discarded)
    .on(events.ReplacementsDealt, _replacements_dealt)
    .on(events.PileCommitted, _pile_committed)
    .on(events.SeatActed, _seat_acted)
    .on(events.StreetClosed, _street_closed)
)
