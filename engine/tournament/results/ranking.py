"""Eliminations, and the end of a tournament."""

from collections.abc import Iterable, Mapping
from functools import reduce

from msgspec.structs import replace

from engine.errors import Wording
from engine.tournament.chips import casino
from engine.tournament.chips.rebuying import after_bust, items_lost
from engine.tournament.evolve.books import booked
from engine.tournament.evolve.buying import with_passed
from engine.tournament.evolve.tournament import after
from engine.tournament.model.commands import CloseWindows, Finish, RecordBusts
from engine.tournament.model.commands.entering import RecordPurge
from engine.tournament.model.errors import DirectiveStale, TournamentNotRunning
from engine.tournament.model.events import (
    EntrantBusted,
    EntrantEliminated,
    Event,
    TournamentFinished,
)
from engine.tournament.model.events.entering import NoShowPurged
from engine.tournament.model.state import Cancelled, Finished, Running, State, phase_of
from engine.tournament.model.state.floor import OutInRound
from engine.tournament.model.values import Busted, Entry, Placing, Standing
from engine.tournament.money import bounties
from engine.tournament.money.dealing import voided
from engine.tournament.money.pool import amounts_of
from engine.tournament.money.prizes import payouts_of
from engine.tournament.results.endings import until_all_dealt
from engine.tournament.results.placings import ranked
from engine.values import EntrantId


def record_busts(state: State, command: RecordBusts) -> tuple[Event, ...]:
    """
    Return the events for busts in one hand, and the end if one entrant at most is left.

    Of several busts in one hand, the larger stack at its start finishes higher, and equal stacks
    share. Between tables the order of the log decides.

    Raises:
        TournamentNotRunning: If play has not begun.
        DirectiveStale: If a busted entrant is not at that table.
    """
    if isinstance(state, Finished | Cancelled):
        return ()  # the tournament ended during this hand, so its busts do not count
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    known = _known(state)
    busts = tuple(bust for bust in command.busts if bust.entrant not in known)
    if not busts:
        return ()
    seating = state.seating(command.table)
    if seating is None or any(seating.seat_of(bust.entrant) is None for bust in busts):
        raise DirectiveStale(
            problem=Wording("an entrant without chips is not seated at that table")
        )

    if state.in_round:
        # Nobody rebuys in a scheduled round. The bust is settled when the round is over.
        told = tuple(_busted(bust, command) for bust in busts)
        return (*told, *voided(state, (bust.entrant for bust in busts)))
    passed = items_lost(state, busts, command.main_winner)
    kept = _kept(reduce(with_passed, passed, state), busts, command)
    out = tuple(bust for bust in busts if bust.entrant not in kept)
    events: list[Event] = [_busted(bust, command) for bust in busts]
    events += bounties.knocked_out(busts, command)
    events += voided(state, (bust.entrant for bust in busts))
    events += [*passed, *kept.values()]
    if state.floor.hand_for_hand is not None:
        # These busts are placed together with busts at other tables in the same hand of
        # hand-for-hand play.
        return tuple(events)
    return (*events, *eliminations(state, out, kept_in=len(kept)))


def _kept(
    state: Running, busts: tuple[Busted, ...], command: RecordBusts
) -> dict[EntrantId, Event]:
    """
    Return the events that keep busted entrants in: open windows and rebuys.

    Source: rulebook ``rebuy.last_hand``.
    """
    kept: dict[EntrantId, Event] = {}
    table, hand, level = command.table, command.hand_number, command.level
    if command.last or state.no_hand_follows:
        return kept
    for bust in busts:
        event = after_bust(state, bust, table=table, hand=hand, level=level)
        if event is not None:
            kept[bust.entrant] = event
    out = {bust.entrant for bust in command.busts}.difference(kept)
    if until_all_dealt(state) and out.issuperset(command.to_deal):
        return {}  # nobody who still has to deal comes back, so no further hand opens
    return kept


def _known(state: Running) -> set[EntrantId]:
    """Return the entrants with a recorded bust."""
    known = {placing.entrant for placing in state.placings}
    known |= {window.entrant for window in state.windows}
    if state.rounds is not None:
        known |= {bust.entrant for bust in state.rounds.busted}
    return known | {each.entrant for each in out_in_round(state)}


def close_windows(state: State, command: CloseWindows) -> tuple[Event, ...]:
    """
    Return the eliminations when the windows of a table close before its next hand.

    Raises:
        TournamentNotRunning: If play has not begun, or was cancelled.
    """
    if isinstance(state, Finished):
        return ()
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    closing = tuple(each for each in state.windows if each.table == command.table)
    busts = tuple(
        Busted(entrant=each.entrant, seat=each.seat, stack_at_start=each.stack_at_start)
        for each in closing
    )
    return eliminations(state, busts)


def eliminations(
    state: Running,
    busts: tuple[Busted, ...],
    *,
    kept_in: int = 0,
    equal: bool = False,
    rule: str | None = None,
) -> tuple[Event, ...]:
    """
    Return the places of *busts*, and the end of the tournament if one entrant is left.

    Args:
        kept_in: The number of other busts of this hand that came back, or still may.
        equal: True if all *busts* share their places, even with unequal stacks.
        rule: The rule that decided, or None if the stacks decide.
    """
    if not busts:
        return ()
    if casino.is_casino(state):
        return casino.broke(state, busts)
    entries = _entries(state)
    gone = {bust.entrant for bust in busts}
    # Entrants who may still rebuy, or are placed when their hand of hand-for-hand play is closed.
    waiting = {each.entrant for each in state.windows}
    waiting |= {each.entrant for each in out_in_round(state)}
    waiting -= gone
    left = tuple(
        entrant for entrant in state.remaining() if entrant not in gone and entrant not in waiting
    )
    others = len(waiting) + kept_in
    standings = [
        Standing(entrant=each.entrant, stack=0 if equal else each.stack_at_start) for each in busts
    ]
    # Entrants who are kept in still have a seat, and count in *left*, until the bust is recorded.
    first_place = len(left) + len(waiting) + len(state.promised) + 1
    eliminated = ranked(standings, first_place=first_place, entries=entries)
    events: list[Event] = [
        _eliminated(placing, together=len(busts), rule=rule) for placing in reversed(eliminated)
    ]
    won = bounties.fallen(state, (placing.entrant for placing in eliminated), busts)
    events += won
    if len(left) <= 1 and not others and not state.promised and not state.entering.late:
        state = replace(state, books=reduce(booked, won, state.books))
        winner = tuple(
            Placing(entrant=entrant, player=entries[entrant].player, place=1) for entrant in left
        )
        rule = "finish.last_entrant" if left else "finish.nobody_left"
        events += finished(state, (*state.placings, *eliminated, *winner), left, rule=rule)
    return tuple(events)


def out_in_round(state: Running) -> tuple[OutInRound, ...]:
    """Return the busts that are placed only when this hand of hand-for-hand play is closed."""
    return () if state.floor.hand_for_hand is None else state.floor.hand_for_hand.out


def ends(events: Iterable[Event]) -> bool:
    """Return whether *events* finish the tournament."""
    return any(isinstance(event, TournamentFinished) for event in events)


def last_one(state: Running) -> tuple[Event, ...]:
    """Return the end if one entrant at most is left and nobody can enter any more."""
    entries = _entries(state)
    winner = tuple(
        Placing(entrant=entrant, player=entries[entrant].player, place=1)
        for entrant in state.remaining()
    )
    rule = "finish.last_entrant" if winner else "finish.nobody_left"
    return finished(state, (*state.placings, *winner), state.remaining(), rule=rule)


def purge(state: State, command: RecordPurge) -> tuple[Event, ...]:
    """
    Return the eliminations of seated no-shows. Their chips leave play with them.

    Their entries no longer count, unless there would be no other entrant at all, or a deal was
    made: it shares out the buy-ins of all its parties.

    Raises:
        TournamentNotRunning: If play has not begun, or was cancelled.
        DirectiveStale: If an entrant is not at that table, or has arrived meanwhile.

    Source: rulebook ``no_show.purge``.
    """
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    seating = state.seating(command.table)
    busts: list[Busted] = []
    for each in command.stacks:
        seat = None if seating is None else seating.seat_of(each.entrant)
        if seat is None or each.entrant not in state.entering.absent:
            raise DirectiveStale(problem=Wording("a no-show is not seated there"))
        busts.append(Busted(entrant=each.entrant, seat=seat, stack_at_start=each.stack))
    gone = {each.entrant for each in busts}
    others = bool(set(state.remaining()) - gone or state.placings or _coming(state))
    struck = others and state.books.deal is None
    purged = tuple(
        NoShowPurged(
            entrant=each.entrant,
            table=command.table,
            stack=each.stack,
            struck=struck,
            raised=tuple(placing.entrant for placing in state.placings) if struck else (),
            rule="no_show.purge",
        )
        for each in command.stacks
    )
    if not struck:
        return (*purged, *eliminations(state, tuple(busts)))
    then = after(state, purged)
    if not isinstance(then, Running) or _coming(then) or len(then.remaining()) > 1:
        return purged
    return (*purged, *last_one(then))


def _coming(state: Running) -> bool:
    """Return whether an entrant without a seat is still in, or players may still enter."""
    return bool(state.windows or state.promised or out_in_round(state) or state.entering.late)


def finish(state: State, command: Finish) -> tuple[Event, ...]:
    """
    Return the end of a tournament with several entrants left. Stacks rank them, and equals share.

    Raises:
        TournamentNotRunning: If play has not begun, or was cancelled.
        DirectiveStale: If the stacks are not those of everyone still in.
    """
    if isinstance(state, Finished):
        return ()
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    if sorted(each.entrant for each in command.stacks) != sorted(state.remaining()):
        raise DirectiveStale(problem=Wording("the stacks do not cover everyone still in"))
    # Entrants who left a casino are ranked by the chips they took. Elsewhere nobody leaves.
    standings = (*command.stacks, *state.left)
    survivors = ranked(standings, first_place=1, entries=_entries(state))
    left = state.remaining()
    return finished(state, (*state.placings, *survivors), left, rule=command.rule)


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


def _eliminated(placing: Placing, *, together: int, rule: str | None) -> EntrantEliminated:
    if rule is None and placing.shared > 1:
        rule = "placing.shared"
    elif rule is None:
        rule = "placing.stack_at_start" if together > 1 else "placing.bust_order"
    return EntrantEliminated(
        entrant=placing.entrant,
        player=placing.player,
        place=placing.place,
        shared=placing.shared,
        rule=rule,
    )


def finished(
    state: Running, placings: tuple[Placing, ...], left: tuple[EntrantId, ...], *, rule: str
) -> tuple[Event, ...]:
    """Return the bounty awards for the *left* entrants, then the finish."""
    entries = _entries(state)
    settled = bounties.left_over(state, left)
    state = replace(state, books=reduce(booked, settled, state.books))
    amounts = amounts_of(state, places=len(placings))
    end = TournamentFinished(
        placings=tuple(
            sorted(placings, key=lambda each: (each.place, entries[each.entrant].number))
        ),
        payouts=payouts_of(placings, amounts, state.books.deal, entries=entries),
        currency=state.terms.currency,
        rule=rule,
        open_master=state.masters.open,
    )
    return (*settled, end)
