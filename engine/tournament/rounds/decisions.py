"""
The seats and results of scheduled rounds, and the way to the final.

Source: rulebook ``rounds``.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, Never

from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import InvariantViolated, Wording
from engine.tournament.fairness.digests import of_draws
from engine.tournament.model.commands.rounds import EndRound, EndRoundEarly, SeatRound
from engine.tournament.model.errors import DirectiveStale, TablesMissing
from engine.tournament.model.errors.rounds import NoRoundInPlay
from engine.tournament.model.events import Event, SeatsDrawn
from engine.tournament.model.events.rounds import (
    CutMade,
    FinalSeated,
    RoundClosing,
    RoundEnded,
    RoundSeated,
)
from engine.tournament.model.state import Running, State
from engine.tournament.model.state.rounds import RoundsState
from engine.tournament.model.terms import Rounds
from engine.tournament.model.values import SeatAssignment
from engine.tournament.model.values.rounds import (
    Meetings,
    RoundDraw,
    RoundResult,
    RoundSeat,
    RoundTable,
    Score,
)
from engine.tournament.rounds import pairing, scoring
from engine.tournament.rounds.cutting import after_last_round, eliminated, over, places
from engine.tournament.seating.draw import draw_order, draw_seats, tables_for, tables_needed
from engine.values import Chips, EntrantId, Seat, TableId


def first_round(drawn: SeatsDrawn) -> RoundSeated:
    """Return the first round. The seat draw decides its tables, whatever the pairing."""
    numbers = sorted({each.table_number for each in drawn.assignments})
    tables = tuple(
        _table(number, [each for each in drawn.assignments if each.table_number == number])
        for number in numbers
    )
    return RoundSeated(
        round=1,
        rule="rounds.first",
        candidates=scoring.scores_of(drawn.draw.order, (), ()),
        draw=RoundDraw(number=drawn.draw.number, label="seats", order=drawn.draw.order),
        tables=tables,
        meetings=_meetings(drawn.draw.order, (), tables),
    )


def _table(number: int, seats: Sequence[SeatAssignment]) -> RoundTable:
    return RoundTable(
        table=seats[0].table,
        number=number,
        place=number,
        seats=tuple(
            RoundSeat(entrant=each.entrant, seat=each.seat, stack=each.stack) for each in seats
        ),
    )


def seat_round(state: Running, command: SeatRound) -> tuple[Event, ...]:
    """
    Return the seats of the next round or of the final.

    Before their time, or during a pause, nothing happens.

    Raises:
        TablesMissing: If there are fewer identifiers than tables.
    """
    rounds = state.rounds
    if rounds is None or rounds.next_at is None or command.now < rounds.next_at or state.paused:
        return ()
    if over(state):
        return _by_points(state, rounds)
    if rounds.cut is not None:
        return (_final(state, rounds, rounds.cut.going, command.table_ids),)
    return (_round(state, rounds, command.table_ids),)


def tables_max(state: Running) -> int:
    """Return the most tables that the next round or the final may need."""
    people = len(state.remaining())
    return max(
        tables_needed(people, table_seats=state.terms.table_seats), tables_for(state.terms, people)
    )


def closed(state: State, closing: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return *closing*, followed by the end if no round is in play that could be the last."""
    rounds = state.rounds if isinstance(state, Running) else None
    if not closing or rounds is None or rounds.stage != "between" or not isinstance(state, Running):
        return closing
    return (*closing, *_by_points(replace(state, closing=True), rounds))


def _by_points(state: Running, rounds: RoundsState) -> tuple[Event, ...]:
    """Return the end by points, between two rounds or before the final."""
    scores = scores_left(rounds.scores, rounds.playing)
    return after_last_round(state, plan_of(state), scores, ())


def _enough(table_ids: tuple[TableId, ...], required: int) -> None:
    if len(set(table_ids)) < required:
        raise TablesMissing(given=len(set(table_ids)), required=required)


def _round(state: Running, rounds: RoundsState, table_ids: tuple[TableId, ...]) -> RoundSeated:
    plan, seats, number = plan_of(state), state.terms.table_seats, state.draws + 1
    label: Literal["order"] = "order"
    drawn = draw_order(
        rounds.playing, masters=state.masters, number=number, label=label, digest=of_draws(state)
    )
    scores = ranked_by(scores_left(rounds.scores, rounds.playing), drawn)
    history = [each.tables for each in rounds.seated]
    people = paired(plan, [each.entrant for each in scores], drawn, history, seats=seats)
    _enough(table_ids, len(people))
    place_drawn = {entrant: place for place, entrant in enumerate(drawn)}
    stacks = stacks_for_round(state, rounds)
    tables = tuple(
        RoundTable(
            table=table_ids[index],
            number=rounds.tables + index + 1,
            place=index + 1,
            seats=tuple(
                RoundSeat(entrant=entrant, seat=Seat(seat), stack=stacks[entrant])
                for seat, entrant in enumerate(
                    sorted(seated, key=lambda each: place_drawn[each]), start=1
                )
            ),
        )
        for index, seated in enumerate(people)
    )
    by_draw = tuple(sorted(scores, key=lambda each: place_drawn[each.entrant]))
    return RoundSeated(
        round=rounds.number + 1,
        rule=RULES[plan.seating],
        candidates=scores if plan.seating == "swiss" else by_draw,
        draw=RoundDraw(number=number, label=label, order=drawn),
        tables=tables,
        meetings=_meetings(drawn, history, tables),
    )


RULES: Mapping[str, str] = {
    "heats": "rounds.heats",
    "swiss": "rounds.swiss",
    "round_robin": "rounds.round_robin",
}


def plan_of(state: Running) -> Rounds:
    """Return the terms of the rounds."""
    if not isinstance(state.terms.format, Rounds):
        raise InvariantViolated("this tournament has no rounds")
    return state.terms.format


def ranked_by(scores: tuple[Score, ...], drawn: tuple[EntrantId, ...]) -> tuple[Score, ...]:
    """Return *scores* by rank. Equals are in the order of the draw."""
    place = {entrant: index for index, entrant in enumerate(drawn)}
    return tuple(sorted(scores, key=lambda each: (each.rank, place[each.entrant])))


def paired(
    plan: Rounds,
    ranked: Sequence[EntrantId],
    drawn: Sequence[EntrantId],
    history: Sequence[Sequence[RoundTable]],
    *,
    seats: int,
) -> list[list[EntrantId]]:
    """
    Return the entrants of each table by the rule of *plan*. *history* holds all earlier rounds.
    """
    if plan.seating == "heats":
        return pairing.heats(drawn, seats=seats)
    number = pairing.numbered(drawn)
    met = _met(drawn, history)
    if plan.seating == "swiss":
        tables = pairing.swiss([number[each] for each in ranked], met, seats=seats)
    else:
        tables = pairing.round_robin(range(len(drawn)), met, seats=seats)
    return [[drawn[each] for each in table] for table in tables]


def _met(people: Sequence[EntrantId], history: Sequence[Sequence[RoundTable]]) -> pairing.Met:
    number, met = pairing.numbered(people), pairing.Met(len(people))
    for tables in history:
        met.add([number[e.entrant] for e in t.seats if e.entrant in number] for t in tables)
    return met


def _meetings(
    people: Sequence[EntrantId],
    history: Sequence[Sequence[RoundTable]],
    tables: Sequence[RoundTable],
) -> Meetings:
    number, met = pairing.numbered(people), _met(people, history)
    seated = [[number[each.entrant] for each in table.seats] for table in tables]
    again = pairing.known_faces(met, seated)
    met.add(seated)
    fewest, most = met.spread()
    return Meetings(fewest=fewest, most=most, again=again)


def stacks_for_round(state: Running, rounds: RoundsState) -> Mapping[EntrantId, Chips]:
    """Return the stacks with which the remaining entrants begin the next round."""
    if plan_of(state).stacks == "fresh":
        return dict.fromkeys(rounds.playing, state.terms.starting_stack)
    return {each: rounds.stack_of(each) for each in rounds.playing}


def _final(
    state: Running,
    rounds: RoundsState,
    going: tuple[EntrantId, ...],
    table_ids: tuple[TableId, ...],
) -> FinalSeated:
    """Return the seats of the final. They are drawn from its players in order of registration."""
    plan, terms = plan_of(state), state.terms
    finalists = tuple(each for each in rounds.playing if each in going)
    required = tables_for(terms, len(finalists))
    _enough(table_ids, required)
    draw, assignments = draw_seats(
        finalists,
        tables=table_ids[:required],
        stack=plan.final_stack or terms.starting_stack,
        masters=state.masters,
        number=state.draws + 1,
        label="final",
        digest=of_draws(state),
        first=rounds.tables + 1,
    )
    if plan.final_stack is None and plan.stacks == "carried":
        assignments = tuple(_with_own_chips(each, rounds) for each in assignments)
    last = rounds.tables + required
    return FinalSeated(
        draw=RoundDraw(number=draw.number, label="final", order=draw.order),
        assignments=assignments,
        breaking_order=tuple(range(last, rounds.tables, -1)),
        rule="rounds.final",
    )


def _with_own_chips(each: SeatAssignment, rounds: RoundsState) -> SeatAssignment:
    return SeatAssignment(
        entrant=each.entrant,
        table=each.table,
        table_number=each.table_number,
        seat=each.seat,
        stack=rounds.stack_of(each.entrant),
    )


def end_early(state: Running, command: EndRoundEarly) -> tuple[Event, ...]:
    """
    Return the event that makes the hands in play the last of this round.

    Raises:
        NoRoundInPlay: If no round is being played.
    """
    rounds = state.rounds
    if rounds is None or rounds.stage != "playing":
        raise NoRoundInPlay
    if rounds.closing:
        return ()
    return (
        RoundClosing(
            round=rounds.number, by=command.by, reason=command.reason, rule="rounds.ended_early"
        ),
    )


def end_round(state: Running, command: EndRound) -> tuple[Event, ...]:
    """
    Return the results of a round, and after the last one the cut or the end.

    Raises:
        DirectiveStale: If the tables or stacks are not those of the round.
    """
    rounds = state.rounds
    if rounds is None or rounds.stage != "playing" or rounds.number != command.round:
        return ()
    ends = {each.table: each for each in command.tables}
    if sorted(ends) != sorted(each.table for each in state.tables):
        raise DirectiveStale(problem=Wording("the tables are not those of the round"))
    for seating in state.tables:
        here = sorted(each.entrant for each in ends[seating.table].stacks)
        if here != sorted(each.entrant for each in seating.seats):
            raise DirectiveStale(problem=Wording("the stacks do not cover everyone at the table"))
    tables = tuple(
        scoring.result_of(
            state.terms,
            table,
            ends[table.table],
            [each for each in rounds.busted if each.table == table.table],
        )
        for table in rounds.seated[-1].tables
    )
    return _ended(state, rounds, command, tables)


def _ended(
    state: Running, rounds: RoundsState, command: EndRound, tables: tuple[RoundResult, ...]
) -> tuple[Event, ...]:
    plan = plan_of(state)
    broke: tuple[EntrantId, ...] = ()
    if plan.stacks == "carried":
        broke = tuple(each.entrant for each in rounds.busted if each.entrant in rounds.playing)
    left = tuple(each for each in rounds.playing if each not in broke)
    before = [each.tables for each in rounds.seated], [each.results for each in rounds.ended]
    scores = scoring.scores_of(rounds.playing, before[0], [*before[1], tables])
    out = places(
        state, [each for each in scores if each.entrant in broke], first_place=len(left) + 1
    )
    kept = scores_left(scores, left)
    last = rounds.number == plan.rounds or over(state) or len(left) < 2
    after = after_last_round(state, plan, kept, out) if last else ()
    goes_on = not last or any(isinstance(each, CutMade) for each in after)
    ended = RoundEnded(
        round=rounds.number,
        results=tables,
        scores=kept,
        away=command.away,
        penalties=command.penalties,
        next_at=_next(plan, rounds.number, command.now) if goes_on else None,
        rule="rounds.ended_early" if rounds.closing else "rounds.end",
    )
    return (ended, *eliminated(out, rule="rounds.out"), *after)


def scores_left(scores: tuple[Score, ...], left: tuple[EntrantId, ...]) -> tuple[Score, ...]:
    """Return the scores of the *left* entrants, ranked among themselves."""
    kept = [each for each in scores if each.entrant in left]
    ranks = [each.rank for each in kept]
    return tuple(
        Score(
            entrant=each.entrant,
            rank=ranks.index(each.rank) + 1,
            shared=ranks.count(each.rank),
            points=each.points,
            wins=each.wins,
            chips=each.chips,
        )
        for each in kept
    )


def _next(plan: Rounds, number: int, now: datetime) -> datetime:
    """
    Return the instant at which the next round, or the final, is seated.

    Source: rulebook ``rounds.start``.
    """
    earliest = now + timedelta(seconds=plan.between_seconds)
    fixed = plan.starts_at[number - 1 : number]
    return max((earliest, *fixed))


DECIDED = (
    Cases[Running, Never, tuple[Event, ...]]()
    .on(SeatRound, seat_round)
    .on(EndRound, end_round)
    .on(EndRoundEarly, end_early)
)
