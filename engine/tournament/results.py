"""How entrants go out, and how a tournament ends."""

from collections.abc import Mapping

from engine.tournament.commands import Finish, RecordBusts
from engine.tournament.errors import DirectiveStale, TournamentNotRunning
from engine.tournament.events import (
    EntrantBusted,
    EntrantEliminated,
    Event,
    TournamentFinished,
)
from engine.tournament.payouts import payouts, ranked
from engine.tournament.state import Finished, Running, State, phase_of
from engine.tournament.values import Busted, Entry, Placing, Standing
from engine.values import EntrantId


def record_busts(state: State, command: RecordBusts) -> tuple[Event, ...]:
    """
    Return who is out, and the end if one entrant at most is left.

    Of several in one hand the larger stack at its start finishes higher, and
    equals share; between tables the order of the log decides.

    Raises:
        TournamentNotRunning: If play has not begun, or was cancelled.
        DirectiveStale: If somebody is not at that table.
    """
    if isinstance(state, Finished):
        return ()
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    out = {placing.entrant for placing in state.placings}
    busts = tuple(bust for bust in command.busts if bust.entrant not in out)
    if not busts:
        return ()
    seating = state.seating(command.table)
    if seating is None or any(seating.seat_of(bust.entrant) is None for bust in busts):
        raise DirectiveStale(problem="somebody without chips does not sit at that table")

    entries = _entries(state)
    left = tuple(
        entrant for entrant in state.remaining() if entrant not in {bust.entrant for bust in busts}
    )
    standings = [Standing(entrant=each.entrant, stack=each.stack_at_start) for each in busts]
    eliminated = ranked(standings, first_place=len(left) + 1, entries=entries)
    events: list[Event] = [_busted(bust, command) for bust in busts]
    events += [_eliminated(placing, together=len(busts)) for placing in reversed(eliminated)]
    if len(left) <= 1:
        winner = tuple(
            Placing(entrant=entrant, player=entries[entrant].player, place=1) for entrant in left
        )
        rule = "finish.last_entrant" if left else "finish.nobody_left"
        events.append(_finished(state, (*state.placings, *eliminated, *winner), rule=rule))
    return tuple(events)


def finish(state: State, command: Finish) -> tuple[Event, ...]:
    """
    Return the end of a tournament in which several are left: by stacks, equals share.

    Raises:
        TournamentNotRunning: If play has not begun, or was cancelled.
        DirectiveStale: If the stacks are not those of everyone still in.
    """
    if isinstance(state, Finished):
        return ()
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    if sorted(each.entrant for each in command.stacks) != sorted(state.remaining()):
        raise DirectiveStale(problem="the stacks are not those of everyone still in")
    survivors = ranked(command.stacks, first_place=1, entries=_entries(state))
    return (_finished(state, (*state.placings, *survivors), rule=command.rule),)


def _entries(state: Running) -> Mapping[EntrantId, Entry]:
    return {entry.entrant: entry for entry in state.entrants}


def _busted(bust: Busted, command: RecordBusts) -> EntrantBusted:
    return EntrantBusted(
        entrant=bust.entrant,
        table=command.table,
        hand=command.hand_number,
        round=command.round,
        stack_at_start=bust.stack_at_start,
    )


def _eliminated(placing: Placing, *, together: int) -> EntrantEliminated:
    if placing.shared > 1:
        rule = "placing.shared"
    else:
        rule = "placing.stack_at_start" if together > 1 else "placing.bust_order"
    return EntrantEliminated(
        entrant=placing.entrant,
        player=placing.player,
        place=placing.place,
        shared=placing.shared,
        rule=rule,
    )


def _finished(state: Running, placings: tuple[Placing, ...], *, rule: str) -> TournamentFinished:
    entries = _entries(state)
    terms = state.terms
    return TournamentFinished(
        placings=tuple(
            sorted(placings, key=lambda each: (each.place, entries[each.entrant].number))
        ),
        payouts=payouts(placings, pool=terms.prize_pool, shares=terms.payouts, entries=entries),
        currency=terms.currency,
        rule=rule,
        open_master=state.masters.open,
    )
