"""The windows in which a league takes claims."""

from datetime import datetime

import msgspec

from engine.kit.windows import DisputeWindows, WindowsInForce


class SetDisputeWindows(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="set_dispute_windows"
):
    """Set the windows for everything that is settled from now on."""

    windows: DisputeWindows
    now: datetime


class DisputeWindowsSet(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="dispute_windows_set"
):
    """New windows hold for everything that is settled from this instant on."""

    windows: DisputeWindows
    since: datetime
    rule: str


def decide(
    known: tuple[WindowsInForce, ...], command: SetDisputeWindows
) -> tuple[DisputeWindowsSet, ...]:
    """
    Return the change, or no event if these windows are in force. Source: rulebook
    ``disputes.window``.
    """
    if (known[-1].windows if known else DisputeWindows()) == command.windows:
        return ()
    return (DisputeWindowsSet(windows=command.windows, since=command.now, rule="disputes.window"),)


def applied(
    known: tuple[WindowsInForce, ...], event: DisputeWindowsSet
) -> tuple[WindowsInForce, ...]:
    """Return all windows that were ever in force, the latest last."""
    return (*known, WindowsInForce(since=event.since, windows=event.windows))
