"""Which events a command to a tournament leads to."""

from collections.abc import Iterable
from typing import assert_never

from engine.rng import master_commitment
from engine.rulesets import OpenEnd
from engine.tournament import casino, levels, rebuying, results
from engine.tournament.commands import (
    AddOn,
    Announce,
    BuyBackItem,
    Cancel,
    CloseEarly,
    CloseWindows,
    Command,
    DeclareRebuy,
    Finish,
    Leave,
    OpenRegistration,
    Pause,
    RecordBreak,
    RecordBrought,
    RecordBusts,
    RecordLeaves,
    RecordMoves,
    Register,
    Resume,
    StakeItem,
    StartPlay,
    TendClock,
    Withdraw,
)
from engine.tournament.errors import (
    AlreadyEntered,
    BotsForbidden,
    BotsOnly,
    DirectiveStale,
    EntrantUnknown,
    RegistrationNotOpen,
    RegistrationOver,
    TablesMissing,
    TermsInvalid,
    TournamentFull,
    TournamentNotAnnounced,
    TournamentNotRunning,
    TournamentOver,
)
from engine.tournament.events import (
    EntrantRegistered,
    EntrantsMoved,
    EntrantWithdrawn,
    Event,
    PlayStarted,
    RegistrationClosed,
    RegistrationOpened,
    SeatsDrawn,
    TableBroken,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentPaused,
    TournamentResumed,
)
from engine.tournament.seating import draw_seats, tables_needed
from engine.tournament.state import (
    Announced,
    Cancelled,
    Finished,
    Registering,
    Running,
    Seating,
    State,
    Unannounced,
    entry_of,
    phase_of,
)
from engine.tournament.values import Draw, Move
from engine.values import HOUSE, Sealed, Seat, TableId, number_of

ENTRANTS_MIN = 2
ENTRANTS_MAX = 100_000
NAME_LENGTH_MAX = 200


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes in *state*; none if it is already so.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    match command:
        case Announce():
            return _announce(state, command)
        case OpenRegistration():
            return _open_registration(state, command)
        case Register():
            if isinstance(state, Running) and casino.is_casino(state):
                return casino.sit_down(state, command)
            return _register(state, command)
        case Withdraw():
            return _withdraw(state, command)
        case StartPlay():
            return _start_play(state, command)
        case RecordBusts():
            return results.record_busts(state, command)
        case DeclareRebuy():
            return rebuying.declare(state, command)
        case StakeItem():
            return rebuying.stake(state, command)
        case BuyBackItem():
            return rebuying.buy_back(state, command)
        case AddOn():
            return casino.add_on(state, command)
        case Leave():
            return casino.leave(state, command)
        case RecordBrought():
            return casino.bring_in(state, command)
        case RecordLeaves():
            return casino.cash_out(state, command)
        case CloseEarly():
            return casino.close(state, command)
        case CloseWindows():
            return results.close_windows(state, command)
        case RecordMoves():
            return _record_moves(state, command)
        case RecordBreak():
            return _record_break(state, command)
        case Pause():
            return _pause(running_of(state), command)
        case Resume():
            return _resume(running_of(state), command)
        case TendClock():
            return levels.tended(running_of(state), command)
        case Cancel():
            return _cancel(state, command)
        case Finish():
            return results.finish(state, command)
        case _:
            assert_never(command)


def running_of(state: State) -> Running:
    """
    Return *state* if play is on.

    Raises:
        TournamentNotRunning: If it has not begun or is over.
    """
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    return state


def _announce(state: State, command: Announce) -> tuple[Event, ...]:
    if not isinstance(state, Unannounced):
        return ()
    for field, sound, problem in _terms(command):
        if not sound:
            raise TermsInvalid(field=field, problem=problem)
    return (
        TournamentAnnounced(
            tournament=command.tournament,
            league=command.league,
            season=command.season,
            name=command.name,
            ruleset=command.ruleset,
            ruleset_name=command.ruleset_name,
            ruleset_hash=command.ruleset_hash,
            table_seats=command.table_seats,
            starting_stack=command.starting_stack,
            entrants_min=command.entrants_min,
            entrants_max=command.entrants_max,
            starts_at=command.starts_at,
            registration_opens_at=command.registration_opens_at,
            decision_seconds=command.decision_seconds,
            grace_seconds=command.grace_seconds,
            bots=command.bots,
            payouts=command.payouts,
            prize_pool=command.prize_pool,
            currency=command.currency,
            hands_between_seconds=command.hands_between_seconds,
            hands_max=command.hands_max,
        ),
    )


def _terms(command: Announce) -> Iterable[tuple[str, bool, str]]:
    seats_max, unit = command.ruleset.max_players, command.ruleset.chip_unit
    opens_at = command.registration_opens_at
    paying = sum(command.payouts) > 0
    return (
        ("name", 0 < len(command.name.strip()) <= NAME_LENGTH_MAX, "must have 1 to 200 characters"),
        ("table_seats", 2 <= command.table_seats <= seats_max, f"must be 2 to {seats_max}"),
        (
            "entrants_max",
            not isinstance(command.ruleset.end, OpenEnd)
            or command.entrants_min <= command.table_seats,
            "a casino has one table",
        ),
        (
            "starting_stack",
            (command.starting_stack > 0) != command.ruleset.moneyless,
            "must be positive; 0 where hands are counted instead of chips",
        ),
        ("starting_stack", command.starting_stack % unit == 0, f"must be a multiple of {unit}"),
        ("entrants_min", command.entrants_min >= ENTRANTS_MIN, "must be 2 at least"),
        (
            "entrants_max",
            command.entrants_min <= command.entrants_max <= ENTRANTS_MAX,
            f"must be between entrants_min and {ENTRANTS_MAX}",
        ),
        ("decision_seconds", command.decision_seconds > 0, "must be positive"),
        ("grace_seconds", command.grace_seconds >= 0, "must not be negative"),
        ("hands_between_seconds", command.hands_between_seconds >= 0, "must not be negative"),
        ("hands_max", command.hands_max is None or command.hands_max > 0, "must be positive"),
        ("payouts", all(share > 0 for share in command.payouts), "shares must be positive"),
        ("prize_pool", command.prize_pool >= 0, "must not be negative"),
        ("payouts", paying or not command.prize_pool, "must say who gets the prize pool"),
        (
            "currency",
            bool(command.currency) or not command.prize_pool,
            "must name the pool's money",
        ),
        (
            "registration_opens_at",
            opens_at is None or opens_at <= command.starts_at,
            "must not be after starts_at",
        ),
    )


def _open_registration(state: State, command: OpenRegistration) -> tuple[Event, ...]:
    if isinstance(state, Unannounced):
        raise TournamentNotAnnounced
    if isinstance(state, Finished | Cancelled):
        raise RegistrationOver(phase=phase_of(state))
    if not isinstance(state, Announced):
        return ()
    number = number_of(state.terms.tournament)
    cards, opened = command.masters.cards, command.masters.open
    cards_salt, open_salt = (bytes.fromhex(salt) for salt in command.salts)
    return (
        RegistrationOpened(
            cards_commitment=master_commitment(number, "cards", bytes.fromhex(cards)),
            open_commitment=master_commitment(number, "open", bytes.fromhex(opened)),
            cards=Sealed(cards, cards_salt, (HOUSE,)),
            open=Sealed(opened, open_salt, (HOUSE,)),
        ),
    )


def _registering(state: State) -> Registering:
    match state:
        case Registering():
            return state
        case Unannounced():
            raise TournamentNotAnnounced
        case Announced():
            raise RegistrationNotOpen
        case _:
            raise RegistrationOver(phase=phase_of(state))


def _register(state: State, command: Register) -> tuple[Event, ...]:
    registering = _registering(state)
    known = entry_of(registering, command.entrant)
    if known is not None and known.player == command.player:
        return ()
    if known is not None or any(each.player == command.player for each in registering.entrants):
        raise AlreadyEntered
    terms = registering.terms
    if command.bot and terms.bots == "forbidden":
        raise BotsForbidden
    if not command.bot and terms.bots == "only":
        raise BotsOnly
    one_table = isinstance(terms.ruleset.end, OpenEnd)
    most = min(terms.entrants_max, terms.table_seats) if one_table else terms.entrants_max
    if len(registering.entrants) >= most:
        raise TournamentFull(entrants_max=terms.entrants_max)
    return (
        EntrantRegistered(
            entrant=command.entrant,
            player=command.player,
            bot=command.bot,
            number=registering.registered + 1,
        ),
    )


def _withdraw(state: State, command: Withdraw) -> tuple[Event, ...]:
    registering = _registering(state)
    if entry_of(registering, command.entrant) is None:
        raise EntrantUnknown
    return (EntrantWithdrawn(entrant=command.entrant),)


def _start_play(state: State, command: StartPlay) -> tuple[Event, ...]:
    if isinstance(state, Running):
        return ()
    registering = _registering(state)
    terms = registering.terms
    entrants = tuple(each.entrant for each in registering.entrants)
    if len(entrants) < terms.entrants_min:
        rule = "registration.too_few_entrants"
        return (TournamentCancelled(reason="too_few_entrants", rule=rule),)
    required = tables_needed(len(entrants), table_seats=terms.table_seats)
    if len(set(command.table_ids)) < required:
        raise TablesMissing(given=len(set(command.table_ids)), required=required)
    tables = command.table_ids[:required]
    draw, assignments = draw_seats(
        entrants,
        tables=tables,
        stack=terms.starting_stack,
        masters=registering.masters,
        number=1,
    )
    return (
        RegistrationClosed(entrants=len(entrants)),
        SeatsDrawn(
            rule="seating.draw",
            draw=draw,
            assignments=assignments,
            breaking_order=tuple(range(required, 0, -1)),
        ),
        PlayStarted(tables=tables, entrants=len(entrants)),
        *levels.started(terms.ruleset, command.now),
    )


def _pause(state: Running, command: Pause) -> tuple[Event, ...]:
    if state.paused:
        return ()
    return (TournamentPaused(reason=command.reason), *levels.stopped(state.clock, command.now))


def _resume(state: Running, command: Resume) -> tuple[Event, ...]:
    if not state.paused:
        return ()
    return (TournamentResumed(), *levels.resumed(state.clock, command.now))


def _record_moves(state: State, command: RecordMoves) -> tuple[Event, ...]:
    running = running_of(state)
    if _made(running, command.moves):
        return ()
    source = _source(running, command.table)
    _check_moves(running, source, command.moves, command.draw)
    if len(command.moves) == len(source.seats):
        raise DirectiveStale(problem="a table is emptied by breaking it only")
    return (
        EntrantsMoved(
            table=command.table,
            hand=command.hand_number,
            moves=command.moves,
            rule=command.rule,
            candidates=command.candidates,
            draw=command.draw,
        ),
    )


def _record_break(state: State, command: RecordBreak) -> tuple[Event, ...]:
    running = running_of(state)
    if running.seating(command.table) is None and _made(running, command.moves):
        return ()
    source = _source(running, command.table)
    _check_moves(running, source, command.moves, command.draw)
    if len(command.moves) != len(source.seats):
        raise DirectiveStale(problem="somebody would be left at the broken table")
    if command.carry_to == command.table or running.seating(command.carry_to) is None:
        raise DirectiveStale(problem="what the table carries has nowhere to go")
    return (
        TableBroken(
            table=command.table,
            hand=command.hand_number,
            moves=command.moves,
            carry_to=command.carry_to,
            rule=command.rule,
            candidates=command.candidates,
            draw=command.draw,
            final=command.final,
        ),
    )


def _made(state: Running, moves: tuple[Move, ...]) -> bool:
    """Return whether every one of *moves* has been made and nothing has followed."""
    tables = (state.seating(move.to_table) for move in moves)
    return all(
        table is not None and table.seat_of(move.entrant) == move.to_seat
        for move, table in zip(moves, tables, strict=True)
    )


def _source(state: Running, table: TableId) -> Seating:
    source = state.seating(table)
    if source is None:
        raise DirectiveStale(problem="the table is not in play")
    return source


def _check_moves(
    state: Running, source: Seating, moves: tuple[Move, ...], draw: Draw | None
) -> None:
    """Raise DirectiveStale unless each mover sits at *source* and goes to a free seat."""
    if draw is not None and draw.number != state.draws + 1:
        raise DirectiveStale(problem="another draw has been made")
    taken: set[tuple[TableId, Seat]] = {
        (table.table, each.seat) for table in state.tables for each in table.seats
    }
    movers: set[str] = set()
    for move in moves:
        target = (move.to_table, move.to_seat)
        if move.from_table != source.table or source.seat_of(move.entrant) != move.from_seat:
            raise DirectiveStale(problem="a mover no longer sits there")
        if move.entrant in movers or move.to_table == source.table:
            raise DirectiveStale(problem="a mover goes to one other table")
        if state.seating(move.to_table) is None or target in taken:
            raise DirectiveStale(problem="a seat is no longer free")
        if not 1 <= move.to_seat <= state.terms.table_seats:
            raise DirectiveStale(problem="there is no such seat")
        movers.add(move.entrant)
        taken.add(target)


def _cancel(state: State, command: Cancel) -> tuple[Event, ...]:
    match state:
        case Cancelled():
            return ()
        case Unannounced():
            raise TournamentNotAnnounced
        case Finished():
            raise TournamentOver(phase=phase_of(state))
        case _:
            return (TournamentCancelled(reason=command.reason, rule="cancellation.by_director"),)
