"""
The time in which a claim may be made after something is settled.

Source: rulebook ``disputes.window``.
"""

from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

Hours = Annotated[int, Meta(ge=1, le=24 * 366)]

AFTER_LAST_HAND = timedelta(minutes=1)
"""The window of a hand after which no hand begins, because of a break or the end."""


class DisputeWindows(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hours for a claim after the settlement. Before the settlement a claim is always possible."""

    hand_hours: Hours = 7 * 24
    """Hours after the settlement of a hand. It also counts for a step of a hand."""

    until_next_hand: bool = False
    """True if a hand may be disputed only until the table's next hand begins, as in poker."""
    seating_hours: Hours = 7 * 24
    """Hours after the tournament's end."""
    payout_hours: Hours = 14 * 24
    """Hours after the tournament's end, or after a correction of its result."""
    standing_hours: Hours = 14 * 24
    """Hours after the season's end."""


class WindowsInForce(msgspec.Struct, frozen=True, kw_only=True):
    since: datetime
    windows: DisputeWindows


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """The instant at which the subject of a claim was settled."""

    at: datetime
    next_hand: datetime | None = None
    """The instant at which the table's next hand began. It is set only for a hand."""


def in_force(known: tuple[WindowsInForce, ...], at: datetime) -> DisputeWindows:
    """Return the windows in force at the instant of a settlement. Later changes do not apply."""
    held = [each for each in known if each.since <= at]
    return held[-1].windows if held else DisputeWindows()


def closes_at(windows: DisputeWindows, kind: str, settled: Settled | None) -> datetime | None:
    """
    Return the first instant at which a claim is too late, or None before the settlement.

    Args:
        kind: The kind of the dispute's subject.
    """
    if settled is None:
        return None
    if kind in ("hand", "step"):
        if windows.until_next_hand:
            return settled.next_hand or settled.at + AFTER_LAST_HAND
        return settled.at + timedelta(hours=windows.hand_hours)
    hours = {
        "seating": windows.seating_hours,
        "payout": windows.payout_hours,
        "standing": windows.standing_hours,
    }
    return settled.at + timedelta(hours=hours[kind])
