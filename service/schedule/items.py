"""One tournament of a schedule."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.tournament.model.state import Phase

ItemState = Literal["planned", "on", "over", "cancelled", "missed"]


class Winner(msgspec.Struct, frozen=True, kw_only=True):
    """The first place of a tournament."""

    player: str
    """The player, `plr_…`."""

    name: str | None
    """The player's name now."""


class ScheduledItem(msgspec.Struct, frozen=True, kw_only=True):
    """One tournament, announced or planned."""

    uid: str
    """The permanent identifier of the item, in every calendar."""

    sequence: int
    """
    The sequence number (RFC 5545). It grows with each edit, each change of announced terms, each
    postponed start, and with a cancellation.
    """

    name: str
    """The name of the tournament, or `Tournament` if the template that had it is gone."""

    starts_at: datetime
    """The instant of the planned start."""

    started_at: datetime | None = None
    """The time at which play started, or null before."""

    place: str | None = None
    """The venue, as free text, or null."""

    length_seconds: int | None = None
    """The planned length of the tournament, or null."""

    ends_at: datetime | None = None
    """
    The expected end: the start and the planned length, or else the league's usual length. Null if
    neither is known.
    """

    entrants: int | None = None
    """The number of entrants now, or null while the tournament is only planned."""

    entrants_max: int | None = None
    """The number of places for entrants, or null if it is not known yet."""

    waiting: int | None = None
    """The number of players on the waitlist, or null unless the tournament is `on`."""

    standing: ItemState
    """
    `planned` until the announcement, then `on`, and at last `over` or `cancelled`. `missed` means
    that nobody could announce it in time.
    """

    state: Phase | None = None
    """The phase of the announced tournament, or null while it is only planned."""

    check_in_open: bool = False
    """True while entrants may check in. Only schedules of members show it."""

    winners: tuple[Winner, ...] = ()
    """The first place of a tournament that is `over`. It is shared if several have won."""

    since: datetime
    """The instant at which the item reached this standing."""

    season: str | None = None
    """The season that counts the tournament, or null."""

    tournament: str | None = None
    """The announced tournament, or null while it is only planned."""

    recurrence: str | None = None
    """The recurrence that planned the tournament, `rec_…`, or null."""

    occurrence: str | None = None
    """The local time by the rule."""

    local: str | None = None
    """The local time of the start in `zone`, or null without a recurrence."""

    zone: str | None = None
    """The IANA name of the recurrence's time zone, or null."""

    tzdb: str | None = None
    """The edition of the time zone database by which `local` became an instant, or null."""
