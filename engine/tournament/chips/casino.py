"""
A casino: a table at which everyone plays with their own chips.

Players come and go between hands. There is one table, and only its closing ends the game. Nobody is
eliminated: an entrant who leaves, or stays broke, takes away the chips that are left.

Source: rulebook ``casino``.
"""

from engine.errors import Wording
from engine.rulesets import OpenEnd
from engine.tournament.model.acting import acting
from engine.tournament.model.commands import (
    AddOn,
    CloseEarly,
    Leave,
    RecordBrought,
    RecordLeaves,
    Register,
)
from engine.tournament.model.errors import (
    AlreadyEntered,
    BotsForbidden,
    BotsOnly,
    DirectiveStale,
    NotACasino,
    RebuyNotAllowed,
    TournamentFull,
    TournamentNotRunning,
)
from engine.tournament.model.events import (
    ChipsBrought,
    ChipsPromised,
    EntrantCashedOut,
    EntrantRegistered,
    LeaveDeclared,
    PlayClosing,
)
from engine.tournament.model.state import Running, Seating, State, phase_of, running_of
from engine.tournament.model.values import Busted
from engine.values import EntrantId, Seat


def is_casino(state: Running) -> bool:
    """Return whether the game goes on until the house closes it."""
    return isinstance(state.terms.ruleset.end, OpenEnd)


def _casino(state: State) -> Running:
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    if not is_casino(state):
        raise NotACasino
    return state


def sit_down(state: Running, command: Register) -> tuple[EntrantRegistered | ChipsPromised, ...]:
    """
    Give a newcomer the lowest free seat while play is on, from the next hand.

    Raises:
        AlreadyEntered: If the player has an entry that has not left.
        TournamentFull: If no seat is free.
    """
    terms = state.terms
    here = {*state.remaining(), *(window.entrant for window in state.windows)}
    here |= {promised.entrant for promised in state.promised}
    mine = [each.entrant for each in state.entrants if each.player == command.player]
    if command.entrant in mine and command.entrant in here:
        return ()
    if here.intersection(mine) or command.entrant in mine:
        raise AlreadyEntered
    if command.bot and terms.bots == "forbidden":
        raise BotsForbidden
    if not command.bot and terms.bots == "only":
        raise BotsOnly
    (table,) = state.tables
    seat = _free_seat(state, table)
    if seat is None or len(state.entrants) >= terms.entrants_max:
        raise TournamentFull(entrants_max=terms.entrants_max)
    return (
        EntrantRegistered(
            entrant=command.entrant,
            player=command.player,
            bot=command.bot,
            number=state.registered + 1,
            by=acting(command.by, command.player),
        ),
        ChipsPromised(
            entrant=command.entrant,
            table=table.table,
            seat=seat,
            chips=terms.starting_stack,
            newcomer=True,
            rule="casino.sit_down",
        ),
    )


def _free_seat(state: Running, table: Seating) -> Seat | None:
    taken = {each.seat for each in table.seats} | {window.seat for window in state.windows}
    taken |= {promised.seat for promised in state.promised}
    seats = (Seat(number) for number in range(1, state.terms.table_seats + 1))
    return next((seat for seat in seats if seat not in taken), None)


def add_on(state: State, command: AddOn) -> tuple[ChipsPromised, ...]:
    """
    Bring more chips to the entrant's seat before the next hand. A broke entrant comes back.

    Raises:
        NotACasino: If the tournament is not a casino.
        RebuyNotAllowed: If the entrant has left, or the number of chips is not allowed.
    """
    casino = _casino(state)
    window = casino.window(command.entrant)
    (table,) = casino.tables
    seat = table.seat_of(command.entrant) if window is None else window.seat
    if seat is None or command.chips < 1:
        raise RebuyNotAllowed(reason="out" if seat is None else "no_chips")
    if command.chips % casino.terms.ruleset.chip_unit:
        raise RebuyNotAllowed(reason="not_in_units")
    return (
        ChipsPromised(
            entrant=command.entrant,
            table=table.table,
            seat=seat,
            chips=command.chips,
            newcomer=False,
            rule="casino.add_on",
        ),
    )


def bring_in(state: State, command: RecordBrought) -> tuple[ChipsBrought, ...]:
    """Record that promised chips have come to the table."""
    running = running_of(state)
    return tuple(
        ChipsBrought(
            entrant=each.entrant,
            table=command.table,
            seat=each.seat,
            chips=each.chips,
            rule=each.rule,
        )
        for each in running.promised
        if each.table == command.table
    )


def leave(state: State, command: Leave) -> tuple[LeaveDeclared, ...]:
    """
    Declare that an entrant leaves. The seat is given up between hands.

    Raises:
        NotACasino: If the tournament is not a casino.
        RebuyNotAllowed: If the entrant has left already.
    """
    casino = _casino(state)
    if command.entrant in casino.leaving:
        return ()
    if command.entrant not in casino.remaining():
        raise RebuyNotAllowed(reason="out")
    (table,) = casino.tables
    return (LeaveDeclared(entrant=command.entrant, table=table.table, rule="casino.leave"),)


def cash_out(state: State, command: RecordLeaves) -> tuple[EntrantCashedOut, ...]:
    """
    Record the chips that departing entrants cash out.

    Raises:
        DirectiveStale: If an entrant does not sit there, or has not declared to leave.
    """
    casino = _casino(state)
    (table,) = casino.tables
    for each in command.stacks:
        if table.seat_of(each.entrant) is None or each.entrant not in casino.leaving:
            raise DirectiveStale(problem=Wording("an entrant who should leave is not seated there"))
    return tuple(
        EntrantCashedOut(
            entrant=each.entrant, table=table.table, stack=each.stack, rule="casino.cash_out"
        )
        for each in command.stacks
    )


def broke(state: Running, busts: tuple[Busted, ...]) -> tuple[EntrantCashedOut, ...]:
    """Return the departure of entrants who stayed broke. They take nothing away."""
    (table,) = state.tables
    return tuple(
        EntrantCashedOut(entrant=bust.entrant, table=table.table, stack=0, rule="casino.cash_out")
        for bust in busts
    )


def close(state: State, command: CloseEarly) -> tuple[PlayClosing, ...]:
    """
    Make the hands in play the last ones, in any game. Chips rank the remaining entrants.

    Raises:
        TournamentNotRunning: If play has not begun, or is over.
    """
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    return () if state.closing else (PlayClosing(rule="finish.closed"),)


def leaving_from(state: Running, table: Seating) -> tuple[EntrantId, ...]:
    """Return the entrants at *table* who have declared to leave."""
    return tuple(each.entrant for each in table.seats if each.entrant in state.leaving)
