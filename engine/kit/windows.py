"""
Until when a claim may be made on what is settled.

Source: rulebook ``disputes.window``.
"""

from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

Hours = Annotated[int, Meta(ge=1, le=24 * 366)]

AFTER_LAST_HAND = timedelta(minutes=1)
"""Where a hand is disputed until the next begins and none does: at a break, or at the end."""


class DisputeWindows(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hours after the thing was settled; what still goes on may always be disputed."""

    hand_hours: Hours = 7 * 24
    until_next_hand: bool = False
    """Whether a hand is disputed until the table's next one begins, as at a table of poker."""
    seating_hours: Hours = 7 * 24
    """After the tournament's end."""
    payout_hours: Hours = 14 * 24
    """After the tournament's end, or after a correction of its result."""
    standing_hours: Hours = 14 * 24
    """After the season's end."""


class WindowsInForce(msgspec.Struct, frozen=True, kw_only=True):
    since: datetime
    windows: DisputeWindows


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """That what is claimed on is over, and since when."""

    at: datetime
    next_hand: datetime | None = None
    """When the table's next hand began; of a hand only."""


def in_force(known: tuple[WindowsInForce, ...], at: datetime) -> DisputeWindows:
    """Return what held when a thing was settled: no later change makes its window shorter."""
    held = [each for each in known if each.since <= at]
    return held[-1].windows if held else DisputeWindows()


def closes_at(windows: DisputeWindows, kind: str, settled: Settled | None) -> datetime | None:
    """
    Return the first instant at which a claim is too late; None while it cannot be.

    Args:
        kind: What is claimed on, as in a dispute's subject.
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
