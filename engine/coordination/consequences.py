"""The changes that a command would make: placings, money, seats, chips, points and ranks."""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from engine.coordination.paces import PaceChange, pace_change
from engine.season.state import Opened
from engine.table.model.state import Table
from engine.tournament.model.state import (
    Closed,
    Drafted,
    Finished,
    Phase,
    Running,
    Unannounced,
    phase_of,
)
from engine.tournament.model.state import State as TournamentState
from engine.tournament.model.terms.changeable import ChangeableTerms, changeable
from engine.tournament.model.values import Payout
from engine.tournament.money.pool import amounts_of
from engine.tournament.money.prizes import payouts
from engine.values import Chips, EntrantId, PlayerId, Seat, TableId

Kept = TypeVar("Kept")


class _Change(msgspec.Struct, frozen=True, kw_only=True):
    pass


class PlacingChange(_Change, frozen=True, kw_only=True):
    """A change of an entrant's place. Null means that the entrant has no place yet."""

    entrant: EntrantId
    player: PlayerId
    before: int | None
    """The place until now."""

    after: int | None
    """The place after the command."""


class PayoutChange(_Change, frozen=True, kw_only=True):
    """
    A change of a payout, in minor units of the tournament's currency. 0 means no payout.

    While play goes on, it is the worth of the place of an entrant who is out, as the pool stands.
    """

    entrant: EntrantId
    player: PlayerId
    before: int
    """The payout until now."""

    after: int
    """The payout after the command."""


class Place(_Change, frozen=True, kw_only=True):
    table: TableId
    seat: Seat | None
    """
    Null if an order names no seat. The entrant then gets the worst legal seat at the time of the
    move.
    """


class SeatChange(_Change, frozen=True, kw_only=True):
    """
    A change of an entrant's seat, or of the seat in an order, or null without either.

    A move is carried out when both tables are between hands.
    """

    entrant: EntrantId
    before: Place | None
    """The seat until now, or null without one."""

    after: Place | None
    """The seat after the command, or null without one."""


class PenaltyChange(_Change, frozen=True, kw_only=True):
    """A change of the penalty hands that an entrant still has to sit out."""

    entrant: EntrantId
    before: int
    """The hands until now."""

    after: int
    """The hands after the command."""


class StackChange(_Change, frozen=True, kw_only=True):
    """A change of an entrant's stack. It changes when a hand is settled or chips are brought."""

    entrant: EntrantId
    before: Chips
    """The chips until now."""

    after: Chips
    """The chips after the command."""


class TableChange(_Change, frozen=True, kw_only=True):
    """The changes at one table."""

    penalties: tuple[PenaltyChange, ...]
    """Penalties that change."""

    stacks: tuple[StackChange, ...]
    """Stacks that change."""

    def __bool__(self) -> bool:
        """Return whether anything changes."""
        return bool(self.penalties or self.stacks)


class StandingChange(_Change, frozen=True, kw_only=True):
    """A change of a player's rank and points in the season. Null means that the player has none."""

    player: PlayerId
    rank_before: int | None
    """The rank until now."""

    rank_after: int | None
    """The rank after the command."""

    points_before: str | None
    """The points until now, as a decimal number."""

    points_after: str | None
    """The points after the command, as a decimal number."""


class TermsChange(_Change, frozen=True, kw_only=True):
    """A change of announced terms."""

    before: ChangeableTerms
    """The terms until now."""

    after: ChangeableTerms
    """The terms after the command."""

    prizes_before: tuple[int, ...]
    """The present worth of each paid place until now, first place first."""

    prizes_after: tuple[int, ...]
    """The present worth of each paid place after the command, first place first."""


class TournamentChange(_Change, frozen=True, kw_only=True):
    """
    The changes in one tournament.

    ``draws_before`` and ``draws_after`` count the random draws. If they differ, every later draw of
    this tournament (seats, moves, the final table) has a different result.
    """

    state_before: Phase
    """The phase until now."""

    state_after: Phase
    """The phase after the command."""

    placings: tuple[PlacingChange, ...]
    """Places that change."""

    payouts: tuple[PayoutChange, ...]
    """Payouts and refunds that change."""

    seats: tuple[SeatChange, ...]
    """Seats that change, by order or at once."""

    breaking_order: tuple[int, ...] | None = None
    """The new order in which tables break, or null if it stays the same."""

    frozen: tuple[str, ...] | None = None
    """The disputes that now block prizes and points, or null if they stay the same."""

    terms: TermsChange | None = None
    """The change of the announced terms, or null if they stay the same."""

    pace: PaceChange | None = None
    """The change of breaks, holds and hand-for-hand play, or null if they stay the same."""

    draws_before: int
    """The number of draws until now."""

    draws_after: int
    """The number of draws after the command."""


def of_tournament(before: TournamentState, after: TournamentState) -> TournamentChange:
    """Return the differences between two states of one tournament."""
    return TournamentChange(
        state_before=phase_of(before),
        state_after=phase_of(after),
        placings=_placings(before, after),
        payouts=_payouts(before, after),
        seats=_seats(before, after),
        breaking_order=_changed(_breaking_order(before), _breaking_order(after)),
        frozen=_changed(before.frozen, after.frozen),
        terms=_terms(before, after),
        pace=pace_change(before, after),
        draws_before=_draws(before),
        # A tournament that is over keeps no count of draws, because it makes no more.
        draws_after=_draws(after) if isinstance(after, Closed | Running) else _draws(before),
    )


def _terms(before: TournamentState, after: TournamentState) -> TermsChange | None:
    """Return the change of announced terms. A postponed start changes them too."""
    if isinstance(before, Unannounced | Drafted) or isinstance(after, Unannounced | Drafted):
        return None
    if before.terms == after.terms:
        return None
    return TermsChange(
        before=changeable(before.terms),
        after=changeable(after.terms),
        prizes_before=amounts_of(before),
        prizes_after=amounts_of(after),
    )


def of_table(before: Table, after: Table) -> TableChange:
    """Return the changes at one table for the entrants who sit there in both states."""
    old = {each.entrant: each for each in before.places}
    both = [(old[each.entrant], each) for each in after.places if each.entrant in old]
    return TableChange(
        penalties=tuple(
            PenaltyChange(entrant=new.entrant, before=was.penalty, after=new.penalty)
            for was, new in both
            if was.penalty != new.penalty
        ),
        stacks=tuple(
            StackChange(entrant=new.entrant, before=was.stack, after=new.stack)
            for was, new in both
            if was.stack != new.stack
        ),
    )


def of_season(before: Opened, after: Opened) -> tuple[StandingChange, ...]:
    """Return the players with another rank or other points. They are in order of the new rank."""
    old = {each.player: each for each in before.standings()}
    new = {each.player: each for each in after.standings()}
    changes = (
        StandingChange(
            player=player,
            rank_before=old[player].rank if player in old else None,
            rank_after=new[player].rank if player in new else None,
            points_before=old[player].points if player in old else None,
            points_after=new[player].points if player in new else None,
        )
        for player in dict.fromkeys((*new, *old))
    )
    return tuple(
        each
        for each in changes
        if (each.rank_before, each.points_before) != (each.rank_after, each.points_after)
    )


def _placings(before: TournamentState, after: TournamentState) -> tuple[PlacingChange, ...]:
    old, new = _placed(before), _placed(after)
    return tuple(
        PlacingChange(
            entrant=entrant,
            player=player,
            before=old.get((entrant, player)),
            after=new.get((entrant, player)),
        )
        for entrant, player in dict.fromkeys((*new, *old))
        if old.get((entrant, player)) != new.get((entrant, player))
    )


def _placed(state: TournamentState) -> Mapping[tuple[EntrantId, PlayerId], int]:
    if not isinstance(state, Running | Finished):
        return {}
    return {(each.entrant, each.player): each.place for each in state.placings}


def _payouts(before: TournamentState, after: TournamentState) -> tuple[PayoutChange, ...]:
    old, new = _paid(before), _paid(after)
    return tuple(
        PayoutChange(entrant=key[0], player=key[1], before=old.get(key, 0), after=new.get(key, 0))
        for key in dict.fromkeys((*new, *old))
        if old.get(key, 0) != new.get(key, 0)
    )


def _paid(state: TournamentState) -> Mapping[tuple[EntrantId, PlayerId], int]:
    # The refunds of a cancelled tournament count as payouts.
    paid = {(each.entrant, each.player): each.amount for each in _prizes(state)}
    return paid | {(each.entrant, each.player): each.amount for each in state.books.refunds}


def _prizes(state: TournamentState) -> tuple[Payout, ...]:
    """Return the payouts of a finished tournament, or the worth of the places of those out."""
    if isinstance(state, Finished):
        return state.payouts
    if not isinstance(state, Running) or not state.placings or state.books.deal is not None:
        return ()
    entries = {each.entrant: each for each in state.entrants}
    return payouts(state.placings, amounts_of(state), entries=entries)


def _seats(before: TournamentState, after: TournamentState) -> tuple[SeatChange, ...]:
    old, new = _seated(before), _seated(after)
    return tuple(
        SeatChange(entrant=entrant, before=old.get(entrant), after=new.get(entrant))
        for entrant in dict.fromkeys((*new, *old))
        if old.get(entrant) != new.get(entrant)
    )


def _seated(state: TournamentState) -> Mapping[EntrantId, Place]:
    if not isinstance(state, Running):
        return {}
    seated = {
        each.entrant: Place(table=table.table, seat=each.seat)
        for table in state.tables
        for each in table.seats
    }
    ordered = {
        each.entrant: Place(table=each.to_table, seat=each.to_seat)
        for each in state.floor.ordered
        if each.entrant in seated
    }
    return seated | ordered


def _breaking_order(state: TournamentState) -> tuple[int, ...] | None:
    return state.breaking_order if isinstance(state, Closed | Running) else None


def _draws(state: TournamentState) -> int:
    return state.draws if isinstance(state, Closed | Running) else 0


def _changed(old: Kept | None, new: Kept | None) -> Kept | None:
    """Return *new* if it differs from *old*, else None."""
    return None if new == old else new
