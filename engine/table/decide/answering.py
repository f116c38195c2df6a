"""Checks on an answer to the open decision: its entrant, its token and its cards."""

from engine.kit.cards import in_deck_order
from engine.table.model import errors
from engine.table.model.hand import Decision, InHand
from engine.table.model.state import Place, Table
from engine.values import EntrantId, SealedCard


def open_decision(table: Table, token: str) -> Decision:
    """
    Return the open decision, if *token* names it.

    Raises:
        CommandRejected: If no decision or another one is open, or the table is on hold.
    """
    hand = table.hand
    if hand is None or (decision := hand.decision) is None:
        raise errors.NoDecisionOpen
    if table.held is not None:
        raise errors.TableOnHold(reason=table.held)
    if decision.token != token:
        raise errors.StaleDecision(decision=token, current=decision.token)
    return decision


def answering(
    table: Table, entrant: EntrantId, token: str, phase: str
) -> tuple[Decision, Place, InHand]:
    """
    Return the open decision of *phase*, and the place and hand of *entrant*.

    Raises:
        CommandRejected: If the entrant, the token or the phase does not match, or if it is not
            the entrant's turn.
    """
    for place in table.places:
        if place.entrant == entrant:
            break
    else:
        raise errors.EntrantNotSeated
    decision = open_decision(table, token)
    held = place.hand
    if held is None or not held.live:
        raise errors.NotDealtIn(seat=place.seat)
    if decision.phase != phase:
        raise errors.WrongPhase(phase=decision.phase)
    if place.seat not in decision.seats:
        if phase in ("bet", "card"):
            raise errors.NotYourTurn(seat=decision.seats[0])
        raise errors.SelectionFinal
    return decision, place, held


def checked(cards: tuple[str, ...], pool: tuple[SealedCard, ...]) -> tuple[str, ...]:
    """
    Return *cards* in the order of the deck.

    Raises:
        CommandRejected: If a card is named twice, or is not in *pool*.
    """
    several = len(cards) > 1
    if several and len(set(cards)) != len(cards):
        raise errors.CardsDuplicated
    faces = [card.card for card in pool]
    for card in cards:
        if card not in faces:
            raise errors.CardNotHeld(card=card)
    return in_deck_order(cards) if several else cards
