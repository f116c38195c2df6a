"""State changes of a table: one function for each event. The amounts are in the events."""

from collections.abc import Callable
from typing import Never, TypeVar

from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import InvariantViolated
from engine.hand.positions import clockwise
from engine.kit.cards import deck
from engine.rulesets import Amounts, CoruscantShift
from engine.table.evolve.at_settlement import AT_THE_END
from engine.table.evolve.in_card_rounds import WITHIN_ROUNDS
from engine.table.evolve.in_hand import WITHIN_HANDS, with_place
from engine.table.model import events
from engine.table.model.commands import LevelFloor
from engine.table.model.digests import digest_of
from engine.table.model.events import Event
from engine.table.model.hand import CardRounds, Hand, InHand
from engine.table.model.shown import shown
from engine.table.model.state import Place, State, Table, Wait
from engine.table.model.wagers import min_open


def evolve(state: State, event: Event) -> State:
    """
    Return the state after *event*.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    if isinstance(state, Table):
        if state.closed:
            raise InvariantViolated(f"{type(event).__name__} at a table that is closed")
        hand = state.hand
        if hand is None:
            return BETWEEN_HANDS[type(event)](state, event)
        return IN_PLAY[type(event)](state, hand, event)
    if isinstance(event, events.TableOpened):
        return _table_opened(event)
    raise InvariantViolated(f"{type(event).__name__} before a table was opened")


def _table_opened(event: events.TableOpened) -> Table:
    return Table(
        table=event.table,
        tournament=event.tournament,
        number=event.number,
        ruleset=event.ruleset,
        ruleset_hash=event.ruleset_hash,
        seat_count=event.seat_count,
        decision_seconds=event.decision_seconds,
        grace_seconds=event.grace_seconds,
        places=tuple(
            Place(seat=placed.seat, entrant=placed.entrant, stack=placed.stack)
            for placed in sorted(event.seats, key=lambda placed: placed.seat)
        ),
        base=event.ruleset.base_amounts(),
        pause_since=event.at,
    )


def _hand_opened(table: Table, event: events.HandOpened) -> Table:
    """Take everything from the event, except the table's constants."""
    if table.hand is not None:
        raise InvariantViolated(f"hand {event.number} opened over another")
    if event.ruleset_hash != table.ruleset_hash:
        raise InvariantViolated("a hand was opened under another ruleset")
    return Table(
        table=table.table,
        tournament=table.tournament,
        number=table.number,
        ruleset=table.ruleset,
        ruleset_hash=table.ruleset_hash,
        seat_count=table.seat_count,
        decision_seconds=event.decision_seconds,
        grace_seconds=event.grace_seconds,
        places=tuple([_place_from(books) for books in event.seats]),
        hand_number=event.number,
        stage=event.stage,
        round=event.round,
        button=event.button,
        starter=event.starter,
        small_blind=event.small_blind,
        big_blind=event.big_blind,
        first_dealer=event.first_dealer,
        orbits=event.orbits,
        level=event.level,
        base=event.base,
        carry=event.carry,
        sabacc_pot=event.sabacc_pot,
        dealers_left=event.dealers_left,
        hand=_hand_from(table, event),
        pause_since=event.at,
    )


def _hand_from(table: Table, event: events.HandOpened) -> Hand:
    dealt = tuple([books.seat for books in event.seats if books.dealt])
    least = min_open(table, event.level)
    return Hand(
        hand=event.hand,
        number=event.number,
        deal=event.deal,
        last=event.last,
        small_blind=event.small_blind,
        big_blind=event.big_blind,
        order=clockwise(dealt, event.button),
        seeds=event.seeds,
        digest=digest_of(event.openings),
        deck_root=event.deck_root,
        pile=1,
        pile_cards=deck(table.ruleset.deck),
        min_open=least,
        full_raise=least,
        card_rounds=None if isinstance(table.ruleset, CoruscantShift) else CardRounds(),
        opened=event,
    )


def _beacon_awaited(table: Table, event: events.TableBeaconAwaited) -> Table:
    """Store the pulse to wait for. It lapses if a seat is taken or left (``beacon.lapsed``)."""
    return replace(table, awaited=event)


def _beacon_mixed(table: Table, hand: Hand, event: events.TableBeaconMixed) -> Table:
    """Mix the pulse into the digest from which the whole hand is drawn."""
    return replace(table, hand=replace(hand, digest=digest_of(hand.opened.openings, event)))


def _place_from(books: events.SeatBooks) -> Place:
    kill = "penalty" if books.penalty else ("away" if books.away else None)
    hand = InHand(stack_at_start=books.stack, kill=kill) if books.dealt else None
    return Place(
        seat=books.seat,
        entrant=books.entrant,
        stack=books.stack,
        away=books.away,
        timeouts=books.timeouts,
        arrived=books.waiting,
        penalty=books.penalty - 1 if books.penalty > 0 else 0,
        hands_won=books.hands_won,
        pots_won=books.pots_won,
        hand=hand,
    )


def _seat_went_away(table: Table, event: events.SeatWentAway) -> Table:
    return replace(table, places=with_place(table, replace(table.at(event.seat), away=True)))


def _seat_came_back(table: Table, event: events.SeatCameBack) -> Table:
    back = replace(table.at(event.seat), away=False, timeouts=0)
    return replace(table, places=with_place(table, back))


def _seats_vacated(table: Table, event: events.SeatsVacated) -> Table:
    if table.hand is not None:
        raise InvariantViolated("a seat was vacated during a hand")
    gone = {placed.seat for placed in event.departures}
    return replace(
        table,
        awaited=None,
        places=tuple(place for place in table.places if place.seat not in gone),
        carry=table.carry - event.carry,
        sabacc_pot=table.sabacc_pot - event.sabacc_pot,
    )


def _arrivals_seated(table: Table, event: events.ArrivalsSeated) -> Table:
    """Seat the newcomers. A merged table restarts its levels (rulebook ``escalation.merged``)."""
    if table.hand is not None:
        raise InvariantViolated("a seat was taken during a hand")
    arrived = (
        Place(
            seat=each.seat,
            entrant=each.entrant,
            stack=each.stack,
            away=each.away,
            timeouts=each.timeouts,
            hands_won=each.hands_won,
            pots_won=each.pots_won,
            arrived=True,
        )
        for each in event.arrivals
    )
    taken = {each.seat for each in event.arrivals}
    seated = replace(
        table,
        awaited=None,
        places=tuple(sorted((*table.places, *arrived), key=lambda place: place.seat)),
        dealers_left=tuple(seat for seat in table.dealers_left if seat not in taken),
        carry=table.carry + event.carry,
        sabacc_pot=table.sabacc_pot + event.sabacc_pot,
    )
    if not event.restart:
        return seated
    base = table.base if event.floor is None else _raised(table, event.floor)
    return replace(seated, base=base, first_dealer=0, orbits=0, level=None)


def _raised(table: Table, least: LevelFloor) -> Amounts:
    own = table.least_amounts()
    return Amounts(
        small=max(own.small, least.small),
        big=max(own.big, least.big),
        ante=max(own.ante, least.ante),
    )


def _table_held(table: Table, event: events.TableHeld) -> Table:
    return replace(table, held=event.reason)


def _table_resumed(table: Table, event: events.TableResumed) -> Table:
    resumed = replace(table, held=None)
    hand = table.hand
    if hand is None or hand.decision is None or event.deadline is None:
        return resumed
    decision = replace(hand.decision, deadline=event.deadline)
    return replace(resumed, hand=replace(hand, decision=decision))


def _table_waiting(table: Table, event: events.TableWaiting) -> Table:
    wait = Wait(
        hand_number=event.hand_number,
        reason=event.reason,
        tournament_version=event.tournament_version,
    )
    return replace(table, wait=wait)


def _table_closed(table: Table, event: events.TableClosed) -> Table:
    return replace(table, closed=True)


def _hand_shown(table: Table, event: events.HandShown) -> Table:
    cards = shown(table, event)
    last = None if table.last_hand is None else replace(table.last_hand, unshown=(), shown=cards)
    return replace(table, last_hand=last)


def _chips_bought(table: Table, event: events.ChipsBought) -> Table:
    place = table.place_of(event.entrant)
    if table.hand is not None or (place is not None and place.seat != event.seat):
        raise InvariantViolated("chips were bought during a hand or for another seat")
    if event.stack != event.chips + (0 if place is None else place.stack):
        raise InvariantViolated(f"seat {event.seat} has another stack than was said")
    if place is not None:
        return replace(table, places=with_place(table, replace(place, stack=event.stack)))
    back = Place(seat=event.seat, entrant=event.entrant, stack=event.chips)
    places = tuple(sorted((*table.places, back), key=lambda each: each.seat))
    return replace(table, awaited=None, places=places)


def _chips_returned(table: Table, event: events.ChipsReturned) -> Table:
    place = table.at(event.seat)
    if table.hand is not None or event.stack < 0 or place.stack - event.chips != event.stack:
        raise InvariantViolated("a seat gave back chips that it does not have")
    poorer = replace(place, stack=event.stack)
    return replace(table, places=with_place(table, poorer))


def _penalty_imposed(table: Table, event: events.PenaltyImposed) -> Table:
    """Add penalty hands, from the next hand on."""
    place = table.at(event.seat)
    if event.left != place.penalty + event.hands:
        raise InvariantViolated(f"seat {event.seat} has other hands to miss than was said")
    return replace(table, places=with_place(table, replace(place, penalty=event.left)))


def _carry_awarded(table: Table, event: events.CarryAwarded) -> Table:
    given = {share.seat: share.chips for share in event.shares}
    if table.hand is not None or sum(given.values()) != table.carry + table.sabacc_pot:
        raise InvariantViolated("a closing table gave away another sum than it carries")
    places = tuple(
        replace(place, stack=place.stack + given.get(place.seat, 0)) for place in table.places
    )
    if [place.stack for place in places] != [part.stack for part in event.stacks]:
        raise InvariantViolated("a closing table gave away its carry to other stacks")
    return replace(table, places=places, carry=0, sabacc_pot=0)


def _opened_twice(table: Table, event: events.TableOpened) -> Table:
    raise InvariantViolated("a table was opened twice")


Happened = TypeVar("Happened")


def _refused(cases: Cases[Table, Hand, Happened, Table]) -> Cases[Table, Happened, Table]:
    """Return a refusal for each of *cases*, because no hand is in play."""
    return Cases(dict.fromkeys(cases, _outside_a_hand))


def _outside_a_hand(table: Table, event: object) -> Table:
    raise InvariantViolated(f"{type(event).__name__} outside a hand")


def _hand_or_not(cases: Cases[Table, Happened, Table]) -> Cases[Table, Hand, Happened, Table]:
    """Return *cases* with functions that also take the hand in play."""
    return Cases({kind: _besides_hand(then) for kind, then in cases.items()})


def _besides_hand(
    then: Callable[[Table, Happened], Table],
) -> Callable[[Table, Hand, Happened], Table]:
    def apply(table: Table, hand: Hand, event: Happened) -> Table:
        return then(table, event)

    return apply


_WITHIN_HANDS = (
    WITHIN_HANDS.and_all(WITHIN_ROUNDS)
    .and_all(AT_THE_END)
    .on(events.TableBeaconMixed, _beacon_mixed)
)
_AT_TABLE = (
    Cases[Table, Never, Table]()
    .on(events.TableOpened, _opened_twice)
    .on(events.CarryAwarded, _carry_awarded)
    .on(events.HandOpened, _hand_opened)
    .on(events.TableBeaconAwaited, _beacon_awaited)
    .on(events.ChipsBought, _chips_bought)
    .on(events.ChipsReturned, _chips_returned)
    .on(events.HandShown, _hand_shown)
    .on(events.PenaltyImposed, _penalty_imposed)
    .on(events.SeatWentAway, _seat_went_away)
    .on(events.SeatCameBack, _seat_came_back)
    .on(events.SeatsVacated, _seats_vacated)
    .on(events.ArrivalsSeated, _arrivals_seated)
    .on(events.TableHeld, _table_held)
    .on(events.TableResumed, _table_resumed)
    .on(events.TableWaiting, _table_waiting)
    .on(events.TableClosed, _table_closed)
)
IN_PLAY = _WITHIN_HANDS.and_all(_hand_or_not(_AT_TABLE))
"""The function for each event while a hand is in play."""

BETWEEN_HANDS = _AT_TABLE.and_all(_refused(_WITHIN_HANDS))
"""The function for each event at an open table while no hand is in play."""
