"""Bodies and answers of the routes for recurring tournaments."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from engine.season.schedule.values import Local, Moment
from engine.values import TournamentId
from service.announcing.defaults import Content
from service.announcing.inputs import Instant, in_utc

Rule = Annotated[str, Meta(max_length=500)]
Zone = Annotated[str, Meta(max_length=64)]
Hours = Annotated[int, Meta(ge=1, le=90 * 24)]
Terms = Content
"""The body of ``POST /v1/leagues/{id}/tournaments``, without season and times."""


class FixturesWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A recurring tournament: an RRULE (RFC 5545) in the local time of a zone."""

    rrule: Rule
    """The value of an RRULE (RFC 5545) in local time, such as `FREQ=WEEKLY;BYDAY=FR`."""

    zone: Zone
    """The IANA name of the time zone, such as `Europe/Berlin`."""

    starts: Local
    """The local time of the first occurrence. The rule counts from here."""

    ahead_hours: Hours = 24 * 14
    """Each tournament is announced this many hours before its start."""

    tournament: Terms
    """The body of an announcement, without `season`, times, `masters` and `draft`."""


class FixturesRewanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A new plan from a local time on. Missing members stay as they are, but COUNT starts again."""

    since: Local
    """The local time from which the new plan applies. It must be in the future."""

    rrule: Rule | None = None
    """The new rule, or null to keep the present one."""

    zone: Zone | None = None
    """The new time zone, or null to keep the present one."""

    starts: Local | None = None
    """The first occurrence. By default, the first planned one from ``since`` on."""

    ahead_hours: Hours | None = None
    """The new number of hours between announcement and start, or null to keep it."""

    tournament: Terms = {}
    """The members of the terms to change (RFC 7396). Null removes a member."""


class FixturesEnd(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The local time from which there are no more occurrences."""

    since: Local
    """The local time, in the recurrence's zone. It must be in the future."""


class FixtureWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Changes to one occurrence. Missing members stay as planned."""

    starts: Local | None = None
    """The new local start of this occurrence, or null to keep the planned one."""

    tournament: Terms = {}
    """The members of the terms to change for this occurrence only (RFC 7396)."""

    skipped: bool = False
    """True if this occurrence does not take place."""


class SeasonCloseTimeWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The instant at which a season closes by itself, or null for never."""

    closes_at: Instant | None
    """The instant, or null if the season must not close by itself."""

    def __post_init__(self) -> None:
        """Convert the instant to UTC, as in the log."""
        self.closes_at = None if self.closes_at is None else in_utc(self.closes_at)


class SeasonScheduled(msgspec.Struct, kw_only=True):
    """A season and the instant at which it closes by itself."""

    id: str
    """The season, `ssn_…`."""

    closes_at: datetime | None
    """The instant, or null if the season does not close by itself."""

    position: str | None = None


class RecurrenceEdited(msgspec.Struct, kw_only=True):
    """An edited recurrence, with the tournaments that the edit cancelled."""

    id: str
    """The recurrence, `rec_…`."""

    season: str
    cancelled: tuple[TournamentId, ...]
    """The announced tournaments that the edit cancelled. Nobody had entered them."""

    position: str | None = None


class RecurrenceShown(msgspec.Struct, kw_only=True):
    """A recurring tournament's current plan, with its next occurrences."""

    id: str
    """The recurrence, `rec_…`."""

    season: str
    rrule: str
    """The value of the rule (RFC 5545), in local time."""

    zone: str
    """The IANA name of the time zone."""

    starts: str
    """The local time from which the rule counts."""

    ahead_hours: int
    """Each tournament is announced this many hours before its start."""

    tournament: Terms
    """The announcement of each occurrence, without season and times."""

    next: tuple[Moment, ...]
    """At most five next occurrences. Empty if the rule takes too many steps to expand."""

    position: str | None = None
