"""Until when a league lets its members dispute what is settled."""

from datetime import datetime

import msgspec

from engine.kit.windows import DisputeWindows, WindowsInForce


class SetDisputeWindows(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="set_dispute_windows"
):
    """Let claims be made for another time, on whatever is settled from now on."""

    windows: DisputeWindows
    now: datetime


class DisputeWindowsSet(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="dispute_windows_set"
):
    """They hold for what is settled from this instant on."""

    windows: DisputeWindows
    since: datetime
    rule: str


def decide(
    known: tuple[WindowsInForce, ...], command: SetDisputeWindows
) -> tuple[DisputeWindowsSet, ...]:
    """Return the change; none if it is already so.  Source: rulebook ``disputes.window``."""
    if (known[-1].windows if known else DisputeWindows()) == command.windows:
        return ()
    return (DisputeWindowsSet(windows=command.windows, since=command.now, rule="disputes.window"),)


def applied(
    known: tuple[WindowsInForce, ...], event: DisputeWindowsSet
) -> tuple[WindowsInForce, ...]:
    """Return everything that was in force, the latest last."""
    return (*known, WindowsInForce(since=event.since, windows=event.windows))
