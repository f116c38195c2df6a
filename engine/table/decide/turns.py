"""Card turns, taken by players or by the clock after a timeout."""

from datetime import datetime

from engine.hand.betting import LegalAction, VerbNotPlayed
from engine.kit.cards import in_deck_order
from engine.table.decide.answering import answering, checked, open_decision
from engine.table.games.course import Course
from engine.table.games.game import CardAnswer
from engine.table.games.playing import advance
from engine.table.games.registry import game_of, turns_of
from engine.table.model import errors, events
from engine.table.model.commands import CallHand, FieldCards, TakeCardTurn
from engine.table.model.events.event_parts import opened
from engine.table.model.hand import Decision
from engine.table.model.state import Place, Table
from engine.table.model.wagers import legal_wagers


def legal_on_turn(table: Table, seat: int) -> tuple[LegalAction, ...]:
    """Return the card actions and bets that *seat* may choose from now."""
    decision = table.decision
    if decision is None or seat not in decision.seats:
        return ()
    turns = game_of(table.ruleset).turns
    wagers = legal_wagers(table, seat)
    if turns is None:
        return wagers
    place = table.at(seat)
    actions = [*wagers]
    if decision.phase == "card":
        actions += turns.actions(table, place)
        earliest = turns.earliest_call(table)
        hand = table.hand
        if earliest is not None and hand is not None and hand.in_card_rounds.round >= earliest:
            actions.append(LegalAction(verb="call_hand", rule="traditional.call"))
    if turns.field and place.hand is not None and place.hand.cards:
        loose = tuple(card.card for card in place.hand.cards)
        actions.append(LegalAction(verb="field", rule="traditional.field", cards=loose))
    return tuple(actions)


def take_card_turn(course: Course, command: TakeCardTurn) -> None:
    """Take a card action from the seat that is next."""
    decision, place, _ = answering(course.table, command.entrant, command.decision, "card")
    action = _allowed(course.table, place, command)
    answer = CardAnswer(
        decision=decision,
        place=place,
        verb=command.verb,
        source=action.source,
        card=command.card,
        fee=action.amount or 0,
        salt=command.salt,
        timed_out=False,
        now=command.now,
    )
    course.emit(turns_of(course.table.ruleset).taken(course, answer))
    advance(course, command.now)


def _allowed(table: Table, place: Place, command: TakeCardTurn) -> LegalAction:
    """Return the legal action that *command* asks for."""
    turns = turns_of(table.ruleset)
    if command.verb not in turns.verbs:
        raise VerbNotPlayed(verb=command.verb, betting=table.ruleset.variant)
    fitting = [
        action
        for action in turns.actions(table, place)
        if action.verb == command.verb and command.source in (None, action.source)
    ]
    if not fitting:
        raise errors.CardActionNotAllowed(verb=command.verb, source=command.source)
    if len(fitting) > 1:
        raise errors.SourceMissing(verb=command.verb)
    action = fitting[0]
    if action.cards is not None and command.card is None:
        raise errors.CardMissing(verb=command.verb, rule=action.rule)
    if command.card is not None and command.card not in (action.cards or ()):
        raise errors.CardNotHeld(card=command.card)
    return action


def stand_by_clock(course: Course, decision: Decision, place: Place, now: datetime) -> None:
    """Let a seat stand after its timeout (rulebook ``clock.card``)."""
    answer = CardAnswer(
        decision=decision,
        place=place,
        verb="stand",
        source=None,
        card=None,
        fee=0,
        salt=None,
        timed_out=True,
        now=now,
    )
    course.emit(turns_of(course.table.ruleset).taken(course, answer))


def field_cards(course: Course, command: FieldCards) -> None:
    """Put own cards into the static field. The decision stays open."""
    table = course.table
    place = table.place_of(command.entrant)
    if place is None:
        raise errors.EntrantNotSeated
    decision = open_decision(table, command.decision)
    if place.hand is None or not place.hand.live:
        raise errors.NotDealtIn(seat=place.seat)
    turns = game_of(table.ruleset).turns
    if turns is None or not turns.field:
        raise VerbNotPlayed(verb="field", betting=table.ruleset.variant)
    if place.seat not in decision.seats:
        raise errors.NotYourTurn(seat=decision.seats[0])
    if not command.cards:
        raise errors.CardMissing(verb="field", rule="traditional.field")
    faces = checked(command.cards, place.hand.cards)
    by_face = {card.card: card for card in place.hand.cards}
    course.emit(
        events.CardsFielded(
            decision=decision.token,
            seat=place.seat,
            entrant=place.entrant,
            cards=tuple(opened(by_face[face]) for face in in_deck_order(faces)),
            at=command.now,
            rule="traditional.field",
        )
    )


def call_hand(course: Course, command: CallHand) -> None:
    """Call the hand. Card turns end, and the last street begins with the caller."""
    table = course.table
    decision, place, _ = answering(table, command.entrant, command.decision, "card")
    earliest = turns_of(table.ruleset).earliest_call(table)
    now = course.hand.in_card_rounds.round
    if earliest is None:
        raise VerbNotPlayed(verb="call_hand", betting=table.ruleset.variant)
    if now < earliest:
        raise errors.CallTooEarly(round=now, earliest=earliest)
    course.emit(
        events.HandCalled(
            round=now,
            decision=decision.token,
            seat=place.seat,
            entrant=place.entrant,
            at=command.now,
            rule="traditional.call",
        )
    )
    advance(course, command.now)
