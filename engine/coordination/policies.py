"""
The commands that an event of one aggregate causes in another.

Aggregates meet here and in ``deals``, ``purchases``, ``rearrangements`` and ``next_hand``.
Everything here is a function of states and events. The service loads them, decides the returned
commands and appends all their events at once.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from msgspec.structs import replace

from engine.coordination.season_points import points_of, without_house_bots
from engine.decider import Command, Decider, Event, State
from engine.errors import CommandRejected, InvariantViolated
from engine.hand.positions import DEALT_MIN
from engine.rulesets import ruleset_hash
from engine.season import decisions as seasons
from engine.season.commands import AddTournament, AwardPoints, ReviseAward
from engine.season.state import Opened
from engine.season.state import State as SeasonState
from engine.season.values import Outlook, Prospect
from engine.table.decide.opening import dealable
from engine.table.decide.positions import marks_of
from engine.table.model import levels
from engine.table.model.commands import ComeBack, LevelFloor, OpenTable, Placed, StepAway
from engine.table.model.events import Event as TableEvent
from engine.table.model.events import FormedPot, HandSettled, PotAwarded, PotsFormed
from engine.table.model.state import Table
from engine.tournament.model.commands import RecordBusts
from engine.tournament.model.events import Event as TournamentEvent
from engine.tournament.model.events import TournamentAnnounced
from engine.tournament.model.events.entering import EntrantCheckedIn, NoShowSeated, TableAdded
from engine.tournament.model.state import (
    Cancelled,
    Closed,
    Drafted,
    Finished,
    Running,
    Seating,
    Unannounced,
    entries_of,
)
from engine.tournament.model.state import State as TournamentState
from engine.tournament.model.table_summary import TableSummary
from engine.tournament.model.values import Busted, LevelClock, Standing
from engine.tournament.seating.draw import seats_at
from engine.values import Chips, EntrantId, SeasonId, Seat, TableId


def decide_in_turn(
    decider: Decider[State, Command, Event], state: State, commands: Iterable[Command]
) -> tuple[tuple[Event, ...], State]:
    """
    Return the events of *commands*, and the state after them.

    Each command is decided in the state that the commands before it left.

    Raises:
        CommandRejected: If a command is refused. Then no event counts.
    """
    events: list[Event] = []
    for command in commands:
        decided, state = decider.carry_out(state, command)
        events.extend(decided)
    return tuple(events), state


def tables_of(tournament: TournamentState, *, now: datetime) -> tuple[OpenTable, ...]:
    """
    Return the commands that open the tables of a tournament that has just started.

    Raises:
        InvariantViolated: If the tournament is not running.
    """
    if not isinstance(tournament, Running):
        raise InvariantViolated(f"a tournament {type(tournament).__name__} opens no tables")
    return tuple(_opening(tournament, seating, now=now) for seating in tournament.tables)


def _opening(tournament: Running, seating: Seating, *, now: datetime) -> OpenTable:
    """Return the command that opens one table. Everybody has a starting stack."""
    terms = tournament.terms
    stacks = {each.entrant: terms.starting_stack for each in seating.seats}
    return opening(tournament, seating, stacks, seats=seats_at(terms, tables=1), now=now)


def opening(
    tournament: Running,
    seating: Seating,
    stacks: Mapping[EntrantId, Chips],
    *,
    seats: int,
    now: datetime,
) -> OpenTable:
    """Return the command that opens a table with so many *seats*."""
    terms = tournament.terms
    return OpenTable(
        table=seating.table,
        tournament=terms.tournament,
        number=seating.number,
        ruleset=terms.ruleset,
        ruleset_hash=ruleset_hash(terms.ruleset),
        decision_seconds=terms.decision_seconds,
        grace_seconds=terms.grace_seconds,
        seats=tuple(
            Placed(seat=each.seat, entrant=each.entrant, stack=stacks[each.entrant])
            for each in seating.seats
        ),
        seat_count=seats,
        now=now,
    )


def presence_of(
    tournament: TournamentState, events: Iterable[TournamentEvent]
) -> dict[TableId, tuple[StepAway | ComeBack, ...]]:
    """
    Return the commands that tell tables which entrants are absent and which have arrived.

    Decide them in the append of *events*, once the tables are open.

    Args:
        tournament: The state after *events*.
    """
    if not isinstance(tournament, Running):
        return {}
    seats = {each.entrant: table.table for table in tournament.tables for each in table.seats}
    asked: dict[TableId, tuple[StepAway | ComeBack, ...]] = {}
    for event in events:
        if not isinstance(event, NoShowSeated | EntrantCheckedIn) or event.entrant not in seats:
            continue
        absent = isinstance(event, NoShowSeated)
        told = StepAway(entrant=event.entrant) if absent else ComeBack(entrant=event.entrant)
        table = seats[event.entrant]
        asked[table] = (*asked.get(table, ()), told)
    return asked


def added_tables(
    tournament: TournamentState, events: Iterable[TournamentEvent], *, now: datetime
) -> tuple[OpenTable, ...]:
    """
    Return the commands that open the tables added by *events*, in the append of *events*.

    Args:
        tournament: The state after *events*.
    """
    if not isinstance(tournament, Running):
        return ()
    added = {each.table for each in events if isinstance(each, TableAdded)}
    return tuple(
        _opening(tournament, seating, now=now)
        for seating in tournament.tables
        if seating.table in added
    )


def busts_of(table: Table, events: Iterable[TableEvent]) -> RecordBusts | None:
    """
    Return the command that records the busts in one table's new *events*, or None without busts.

    Decide it in the append of those events, never later.

    Args:
        table: The state after *events*.
    """
    happened = tuple(events)
    settled = next((each for each in happened if isinstance(each, HandSettled)), None)
    if settled is None or not settled.busts:
        return None
    main = settled.winners[:1]
    fatal = fatal_pots(happened, settled)
    able = dealable(table)
    there = {place.seat: place.entrant for place in table.places if place.seat in able}
    there |= {bust.seat: bust.entrant for bust in settled.busts}
    return RecordBusts(
        table=table.table,
        hand_number=settled.number,
        busts=tuple(
            Busted(
                entrant=bust.entrant,
                seat=Seat(bust.seat),
                stack_at_start=bust.stack_at_start,
                pot=fatal[bust.seat][0],
                won_by=fatal[bust.seat][1],
            )
            for bust in settled.busts
        ),
        round=table.round,
        level=table.level_number,
        last=table.played_last,
        to_deal=tuple([there[seat] for seat in table.dealers_left if seat in there]),
        main_winner=next((each.entrant for each in settled.stacks if each.seat in main), None),
        now=settled.at,
    )


def level_played(table: Table, clock: LevelClock | None) -> int:
    """Return the level of the hand in play at *table*, or else the level of its next hand."""
    if table.hand is not None:
        return table.level_number
    if levels.by_hands(table):
        return levels.next_level(table).number
    return table.level_number if clock is None else clock.level


def stacks_between_hands(table: Table) -> tuple[Standing, ...]:
    """
    Return everybody's stack at *table*. The bets of a hand in play go back to their owners.

    Source: rulebook ``cancellation.stacks``.
    """
    at_start = {}
    if table.hand is not None:
        at_start = {books.seat: books.stack for books in table.hand.opened.seats}
    return tuple(
        Standing(entrant=place.entrant, stack=at_start.get(place.seat, place.stack))
        for place in table.places
    )


def fatal_pots(
    events: Iterable[TableEvent], settled: HandSettled
) -> dict[int, tuple[int | None, tuple[EntrantId, ...]]]:
    """
    Return, for each busted seat, the pot that held its last chips, and the winners of that pot.

    This is the last pot that the seat could have won. The shortest stack's chips lie in the main
    pot, the others' in their side pots. A seat that could win no pot had its chips in the main pot.

    Source: rulebook ``bounty.pot``.
    """
    entrants = {each.seat: each.entrant for each in settled.stacks}
    pots: tuple[FormedPot, ...] = ()
    won: dict[int, tuple[EntrantId, ...]] = {}
    for event in events:
        if isinstance(event, PotsFormed):
            pots = event.pots
        elif isinstance(event, PotAwarded):
            seats = sorted(share.seat for share in event.shares if share.chips)
            won[event.pot] = tuple(entrants[seat] for seat in seats)
    fatal: dict[int, tuple[int | None, tuple[EntrantId, ...]]] = {}
    for bust in settled.busts:
        own = (number for number, pot in enumerate(pots, 1) if bust.seat in pot.eligible)
        number = max(own, default=1)
        winners = tuple(each for each in won.get(number, ()) if each != bust.entrant)
        fatal[bust.seat] = (number if pots else None, winners)
    return fatal


def idle_tables(tables: Mapping[TableId, Table]) -> tuple[TableId, ...]:
    """
    Return the open tables without a hand in play, by number.

    Ask for their next step again when something changes.
    """
    by_number = sorted(tables.values(), key=lambda each: each.number)
    return tuple(each.table for each in by_number if each.idle and not each.closed)


def summary_of(table: Table) -> TableSummary:
    """Return the facts about *table* by which its tournament directs it."""
    able = dealable(table)
    there = [place for place in table.places if place.hand is not None or place.seat in able]
    there = [place for place in there if not place.away]
    in_play = [place.seat for place in table.places if place.hand is not None]
    return TableSummary(
        table=table.table,
        idle=table.settled,
        hand_number=table.hand_number,
        stacks=tuple(
            Standing(
                entrant=place.entrant,
                stack=place.stack,
                hands_won=place.hands_won if table.ruleset.moneyless else 0,
                pots_won=place.pots_won,
            )
            for place in table.places
        ),
        playable=len(able) >= DEALT_MIN,
        attended=len(there) > 1 or (bool(there) and table.least_amounts() != LevelFloor()),
        blinds_out=levels.blinds_out(table),
        # A seat in a hand may win it, so its empty stack means nothing until the hand is settled.
        dealers_left=len(set(table.dealers_left).intersection({*able, *in_play})),
        stage=table.stage,
        carried=table.carry + table.sabacc_pot,
        round=table.round,
        marks=marks_of(table) if table.first_dealer else None,
        dealable=tuple(map(Seat, able)),
        newcomers=tuple(Seat(place.seat) for place in table.places if place.arrived),
        away=tuple(place.entrant for place in table.places if place.away),
    )


def season_told(
    season: SeasonState, tournament: TournamentState, *, now: datetime
) -> AwardPoints | ReviseAward | None:
    """
    Return the command that *season* still needs about *tournament*, or None if there is none.

    A tournament that only house bots have played gives no points. A revoked award comes back by
    nothing but the command of a person, whatever becomes of its tournament.
    """
    if not isinstance(tournament, Finished) or not isinstance(season, Opened):
        return None
    if tournament.frozen:
        # The question is asked again when the dispute releases the tournament.
        return None
    award = points_of(tournament, now=now)
    if not award.placings:
        return None
    counted = season.tournament(award.tournament)
    if counted is None:
        return award
    if counted.revoked or not tournament.corrections:
        return None
    last = tournament.corrections[-1]
    return ReviseAward(award=award, reason=last.reason, author=last.by, now=now)


def announced_for(
    events: Iterable[object], *, now: datetime
) -> tuple[tuple[SeasonId, AddTournament], ...]:
    """
    Return the commands that add the tournaments announced in *events* to their seasons.

    Decide them in the append of *events*: a season has to know its tournaments when it closes.
    """
    return tuple(
        (event.season, AddTournament(tournament=event.tournament, now=now))
        for event in events
        if isinstance(event, TournamentAnnounced) and event.season is not None
    )


def outlook_of(season: Opened, tournament: TournamentState, *, now: datetime) -> Outlook:
    """
    Return the outlook of a tournament announced for *season*, when the season is to close.

    Raises:
        InvariantViolated: If the tournament was never announced.
    """
    if isinstance(tournament, Unannounced | Drafted):
        raise InvariantViolated("a tournament that was never announced has no season")
    return Outlook(
        tournament=tournament.terms.tournament,
        prospect=_prospect(tournament),
        uncounted=_uncounted(season, tournament, now),
        frozen=tournament.frozen,
    )


def _prospect(tournament: TournamentState) -> Prospect:
    match tournament:
        case Finished():
            # Nobody waits for the points of a tournament that only house bots have played.
            return "finished" if without_house_bots(tournament.placings) else "unplayed"
        case Cancelled():
            return "cancelled"
        case Running() | Closed():
            return "running"
        case _:
            return "entered" if entries_of(tournament) else "unplayed"


def _uncounted(season: Opened, tournament: TournamentState, now: datetime) -> bool:
    """Return whether *season* has yet to count the present result, or cannot count it."""
    if not isinstance(tournament, Finished):
        return False
    told = season_told(season, replace(tournament, frozen=()), now=now)
    try:
        return told is not None and bool(seasons.decide(season, told))
    except CommandRejected:
        return True  # the owner has to leave out a result that cannot be counted
