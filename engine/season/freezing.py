"""
A dispute freezes a season's standings: nobody can close the season or adjust points.

Awards still count, so standings stay up to date, but nothing makes them final. Source: rulebook
``disputes.freeze``.
"""

from datetime import datetime
from typing import assert_never

import msgspec

from engine.kit.freezes import Frozen
from engine.values import DisputeId


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    dispute: DisputeId


class FreezeStandings(_Part, frozen=True, kw_only=True, tag="freeze_standings"):
    """Freeze the standings until the outcome of a dispute."""

    now: datetime


class ReleaseStandings(_Part, frozen=True, kw_only=True, tag="release_standings"):
    """Release the standings from this dispute."""

    now: datetime


class StandingsFrozen(_Part, frozen=True, kw_only=True, tag="standings_frozen"):
    """The season's end waits for the outcome of a dispute."""

    rule: str


class StandingsReleased(_Part, frozen=True, kw_only=True, tag="standings_released"):
    """The season's end no longer waits for this dispute."""

    rule: str
    closes_at: datetime | None
    """The instant at which the season was to close, if one is set. It may have passed."""


Command = FreezeStandings | ReleaseStandings
Event = StandingsFrozen | StandingsReleased


def decide(
    frozen: tuple[str, ...], command: Command, *, closes_at: datetime | None
) -> tuple[Event, ...]:
    """Return the event that freezes or releases the standings, unless nothing would change."""
    waits = command.dispute in frozen
    match command:
        case FreezeStandings():
            if waits:
                return ()
            return (StandingsFrozen(dispute=command.dispute, rule="disputes.freeze"),)
        case ReleaseStandings():
            if not waits:
                return ()
            released = StandingsReleased(
                dispute=command.dispute, rule="disputes.freeze", closes_at=closes_at
            )
            return (released,)
        case _:
            assert_never(command)


def demand_free(frozen: tuple[str, ...]) -> None:
    """
    Check that no dispute freezes the standings.

    Raises:
        Frozen: If a dispute does. The refusal names the first one.
    """
    if frozen:
        raise Frozen(dispute=frozen[0])


def applied(frozen: tuple[str, ...], event: Event) -> tuple[str, ...]:
    """Return the disputes that freeze the standings after *event*."""
    if isinstance(event, StandingsFrozen):
        return (*frozen, event.dispute)
    return tuple(each for each in frozen if each != event.dispute)
