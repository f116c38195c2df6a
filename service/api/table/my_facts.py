"""The present facts about a player: entry, seat, turn, offer and rebuy window of a tournament."""

from typing import NamedTuple

import msgspec

from engine.table.model.state import Table
from engine.tournament.model.state import (
    Closed,
    Registering,
    Running,
    Seating,
    State,
    Unannounced,
    phase_of,
)
from engine.tournament.model.values import Entry, Placing
from engine.values import EntrantId, number_of
from service.api.http.access.phases import entering_of, entries_of, placings_of, tables_of
from service.api.http.shell import Shell
from service.api.table.my_items import EntryStatus
from service.api.table.told import Facts
from service.log.writer import Loaded


class Entered(NamedTuple):
    """A player's place in a tournament."""

    entrant: EntrantId
    status: EntryStatus
    place: int | None = None


def entered(shell: Shell, tournament: str, state: State, player: str) -> Entered | None:
    """Return the place of *player*, or None if the player has nothing to do with it."""
    if isinstance(state, Unannounced):
        return None
    entries = entries_of(state)
    latest: dict[str, Entry] = shell.index(
        f"latest entries {tournament}", entries, lambda: {each.player: each for each in entries}
    )
    entry = latest.get(player)
    if entry is not None:
        return _of_entry(shell, tournament, state, entry.entrant)
    outside = entering_of(state)
    for each in outside.waiting:
        if each.player == player:
            return Entered(each.entrant, "offered" if each.offered_until else "waitlisted")
    for each in outside.applicants:
        if each.player == player:
            return Entered(each.entrant, "applied" if each.refused is None else "refused")
    return None


def _of_entry(shell: Shell, tournament: str, state: State, entrant: EntrantId) -> Entered:
    placings = placings_of(state)
    placed: dict[str, Placing] = shell.index(
        f"placings {tournament}", placings, lambda: {each.entrant: each for each in placings}
    )
    found = placed.get(entrant)
    if found is not None:
        return Entered(entrant, "out", found.place)
    gone = isinstance(state, Running) and any(each.entrant == entrant for each in state.left)
    return Entered(entrant, "out" if gone else "entered")


def seating_of(shell: Shell, tournament: str, state: State, entrant: EntrantId) -> Seating | None:
    """Return the table at which *entrant* sits, or None."""
    if not isinstance(state, Closed | Running):
        return None
    tables = tables_of(state)
    seated: dict[str, Seating] = shell.index(
        f"seated {tournament}",
        tables,
        lambda: {seat.entrant: table for table in tables for seat in table.seats},
    )
    return seated.get(entrant)


def facts_of(state: State, mine: Entered, table: Loaded[Table] | None) -> Facts:
    """Return the facts about the player *mine*, who sits at *table* unless it is None."""
    entering = entering_of(state)
    waiter = entering.waiter(mine.entrant)
    window = state.selling_window(mine.entrant) if isinstance(state, Running) else None
    facts = Facts(
        state=phase_of(state),
        check_in=isinstance(state, Registering) and entering.check_in_opened,
        entrant=number_of(mine.entrant),
        entry=mine.status,
        offer=None if waiter is None else waiter.offered_until,
        rebuy=None if window is None else window.buys,
    )
    return facts if table is None else _at_table(facts, table, mine.entrant)


def _at_table(facts: Facts, table: Loaded[Table], entrant: EntrantId) -> Facts:
    place, decision = table.state.place_of(entrant), table.state.decision
    if place is None:
        return facts
    waits = decision is not None and place.seat in decision.seats and table.state.held is None
    return msgspec.structs.replace(
        facts,
        table=number_of(table.state.table),
        seat=place.seat,
        version=table.version,
        decision=decision.token if decision is not None and waits else None,
        deadline=decision.deadline if decision is not None and waits else None,
    )


def is_over(state: State) -> bool:
    """Return True if nothing can happen in the tournament any more."""
    return phase_of(state) in ("finished", "cancelled", "discarded")
