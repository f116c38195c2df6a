"""State changes at the end of a hand: the reveal, the pots, the settlement or a voided deal."""

from typing import Never

from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import InvariantViolated
from engine.table.evolve.in_hand import drawn_off, in_hand, with_place
from engine.table.model import events
from engine.table.model.hand import Hand, InHand, LastHand
from engine.table.model.state import Table
from engine.values import SealedCard


def _hands_revealed(table: Table, hand: Hand, event: events.HandsRevealed) -> Table:
    return replace(table, hand=replace(hand, revealed=event.hands, done=(*hand.done, "reveal")))


def _unmatched_returned(table: Table, hand: Hand, event: events.UnmatchedReturned) -> Table:
    place, held = in_hand(table, event.seat)
    lighter = replace(
        place,
        stack=place.stack + event.chips,
        hand=replace(held, wager=held.wager - event.chips),
    )
    return replace(table, places=with_place(table, lighter))


def _pots_formed(table: Table, hand: Hand, event: events.PotsFormed) -> Table:
    chips = sum([pot.chips for pot in event.pots])
    wagered = sum([held.wager for place in table.places if (held := place.hand) is not None])
    card_rounds = hand.card_rounds
    if (event.carry, event.dead) != (table.carry, hand.dead) or (
        chips != wagered + table.carry + hand.dead
    ):
        raise InvariantViolated(f"pots of {chips} chips from wagers of {wagered}")
    if card_rounds is not None:
        card_rounds = replace(card_rounds, dead=0)
    formed = replace(hand, pots=event.pots, in_pots=chips, card_rounds=card_rounds)
    return replace(table, carry=0, hand=formed)


def _draw_off_dealt(table: Table, hand: Hand, event: events.DrawOffDealt) -> Table:
    cards = tuple((part.seat, part.card.card) for part in event.cards)
    return replace(table, hand=drawn_off(hand, event.pot, cards))


def _cube_rolled(table: Table, hand: Hand, event: events.CubeRolled) -> Table:
    return replace(table, hand=replace(hand, cubes=(*hand.cubes, (event.pot, event.winner))))


def _pot_awarded(table: Table, hand: Hand, event: events.PotAwarded) -> Table:
    paid = sum([share.chips for share in event.shares])
    if hand.in_pots is None or paid + event.remainder != event.chips:
        raise InvariantViolated(f"pot {event.pot} of {event.chips} chips does not add up")
    won = {}
    for share in event.shares:
        place = table.at(share.seat)
        stack = place.stack + share.chips
        won[share.seat] = replace(place, stack=stack, pots_won=place.pots_won + 1)
    places = tuple([won.get(place.seat, place) for place in table.places])
    after = replace(hand, in_pots=hand.in_pots - event.chips, awards=(*hand.awards, event))
    return replace(table, places=places, carry=table.carry + event.remainder, hand=after)


def _covered(held: InHand) -> tuple[SealedCard, ...]:
    """Return the cards of a seat that nobody else has seen."""
    return (*held.selection, *held.cards, *held.fresh)


def _deal_voided(table: Table, hand: Hand, event: events.DealVoided) -> Table:
    """Restore every seat's books from before the deal. A player who is away stays away."""
    opened = hand.opened
    returned = {share.seat: share.chips for share in event.returned}
    # The penalty hand served in this deal is due again. Penalties imposed in it stay.
    served = {books.seat: min(books.penalty, 1) for books in opened.seats}
    places = tuple(
        replace(
            place,
            stack=place.stack + returned.get(place.seat, 0),
            penalty=place.penalty + served[place.seat],
            hand=None,
        )
        for place in table.places
    )
    stacks = [(books.seat, books.stack) for books in opened.seats]
    if (event.hand, event.deal) != (hand.hand, hand.deal) or stacks != [
        (place.seat, place.stack) for place in places
    ]:
        raise InvariantViolated(f"deal {event.deal} voided, and not everything went back")
    if (event.carry, event.sabacc_pot) != (opened.carry, opened.sabacc_pot):
        raise InvariantViolated(f"deal {event.deal} voided with another carry")
    return replace(
        table,
        places=places,
        carry=event.carry,
        sabacc_pot=event.sabacc_pot,
        hand=None,
        voided=opened,
    )


def _hand_settled(table: Table, hand: Hand, event: events.HandSettled) -> Table:
    if hand.in_pots or (event.carry, event.sabacc_pot) != (table.carry, table.sabacc_pot):
        raise InvariantViolated(f"hand {event.number} settled with {hand.in_pots} chips in pots")
    stacks = [(place.seat, place.entrant, place.stack) for place in table.places]
    if stacks != [(part.seat, part.entrant, part.stack) for part in event.stacks]:
        raise InvariantViolated(f"hand {event.number} settled with other stacks")
    busts = {bust.seat for bust in event.busts}
    places = [
        replace(place, hand=None, hands_won=place.hands_won + (place.seat in event.winners))
        for place in table.places
        if place.seat not in busts
    ]
    winner = table.at(event.winners[0]) if event.ending == "folds" else None
    last_hand = LastHand(
        hand=hand.hand,
        number=hand.number,
        last=hand.last,
        target=hand.target,
        suit=hand.suit,
        revealed=hand.revealed,
        awards=hand.awards,
        winners=event.winners,
        ranked=() if hand.card_rounds is None else hand.card_rounds.ranked,
        sabacc_awards=() if hand.card_rounds is None else hand.card_rounds.sabacc_awards,
        unshown_by=None if winner is None else winner.entrant,
        unshown=() if winner is None or winner.hand is None else _covered(winner.hand),
    )
    return replace(
        table, places=tuple(places), hand=None, last_hand=last_hand, pause_since=event.at
    )


AT_THE_END = (
    Cases[Table, Hand, Never, Table]()
    .on(events.HandsRevealed, _hands_revealed)
    .on(events.UnmatchedReturned, _unmatched_returned)
    .on(events.PotsFormed, _pots_formed)
    .on(events.DrawOffDealt, _draw_off_dealt)
    .on(events.CubeRolled, _cube_rolled)
    .on(events.PotAwarded, _pot_awarded)
    .on(events.DealVoided, _deal_voided)
    .on(events.HandSettled, _hand_settled)
)
