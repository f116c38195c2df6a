"""The pace of a tournament as staff have ordered it: breaks, holds and hand-for-hand play."""

import msgspec

from engine.tournament.model.state import Running, State


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    pass


class BreakPlanned(_Part, frozen=True, kw_only=True):
    """A break that comes after a level. 0 seconds means that none comes there."""

    after_level: int
    """The number of the level that the break follows."""

    seconds: int
    """The length of the break."""


class Pace(_Part, frozen=True, kw_only=True):
    """The orders of staff about the pace of play."""

    on_break: bool
    """True during a break."""

    breaks: tuple[BreakPlanned, ...]
    """The breaks that staff have planned or called off, by level."""

    hand_for_hand: bool
    """True if every table waits for all others after each hand."""

    last_hands: int | None
    """The hands that each table plays after last hands were called, or null before."""

    held: tuple[int, ...]
    """The numbers of the tables that staff hold."""


class PaceChange(_Part, frozen=True, kw_only=True):
    """A change of the pace of play."""

    before: Pace
    """The pace until now."""

    after: Pace
    """The pace after the command."""


def pace_change(before: State, after: State) -> PaceChange | None:
    """Return the change of the pace, or None if it stays the same or nobody plays."""
    if not isinstance(before, Running) or not isinstance(after, Running):
        return None
    was, now = _pace(before), _pace(after)
    return None if was == now else PaceChange(before=was, after=now)


def _pace(state: Running) -> Pace:
    floor = state.floor
    return Pace(
        on_break=floor.rest is not None,
        breaks=tuple(
            BreakPlanned(after_level=each.level, seconds=each.seconds)
            for each in sorted(floor.planned, key=lambda each: each.level)
        ),
        hand_for_hand=floor.hand_for_hand is not None,
        last_hands=None if floor.last_hands is None else floor.last_hands.hands,
        held=tuple(each.number for each in state.tables if each.table in floor.held),
    )
