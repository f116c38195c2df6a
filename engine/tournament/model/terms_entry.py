"""
Terms of entry: approval, waitlist, check-in, late registration.

Source: rulebook ``entry``.
"""

from typing import Literal

import msgspec

DAY = 86_400
YEAR = 366 * DAY


class EntryTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    Who may enter, when, and what becomes of who does not come.

    All is off by default: whoever comes before the start and finds a place is in.
    """

    approval: bool = False
    """Whether a director says yes or no to every player."""

    waitlist: bool = False
    """Whether who finds no place may wait for one."""

    offer_seconds: int = 900
    """How long a place that falls free is kept for who is first in line."""

    registration_closes_before_seconds: int = 0
    """How long before the start nobody enters any more; 0 for at the start."""

    check_in_opens_before_seconds: int | None = None
    """How long before the start entrants say that they are there; none if nobody asks."""

    no_show: Literal["release", "seat_absent"] = "release"
    """Whether who has not checked in loses the place, or is dealt in and folded."""

    no_show_purge_level: int | None = None
    """From which level on the chips of who was seated absent, and never came, leave play."""

    late_registration_level: int | None = None
    """Until the end of which level, and of a break after it, players may come late."""

    late_registration_seconds: int | None = None
    """How long after the start they may; where levels do not go by the clock."""

    re_entries_max: int = 0
    """How often a player who is out may enter again while late registration is open."""

    too_few: Literal["cancel", "postpone"] = "cancel"
    """What happens with fewer entrants than ``entrants_min`` at the start."""

    postpone_seconds: int = 3600
    """By how long the start is put off."""

    postponements_max: int = 1
    """How often; after that it is cancelled."""

    @property
    def late(self) -> bool:
        """Whether anybody may come late."""
        return (
            self.late_registration_level is not None or self.late_registration_seconds is not None
        )

    def problems(self) -> tuple[tuple[str, bool, str], ...]:
        """Return what must hold of these terms by themselves: field, whether it does, what."""
        closes, opens = self.registration_closes_before_seconds, self.check_in_opens_before_seconds
        level, seconds = self.late_registration_level, self.late_registration_seconds
        purge = self.no_show_purge_level
        return (
            ("offer_seconds", 1 <= self.offer_seconds <= YEAR, "must be positive, a year at most"),
            (
                "registration_closes_before_seconds",
                0 <= closes <= YEAR,
                "must not be negative, and a year at most",
            ),
            (
                "check_in_opens_before_seconds",
                opens is None or 1 <= opens <= YEAR,
                "must be positive, a year at most",
            ),
            ("late_registration_level", level is None or level >= 1, "must be 1 at least"),
            (
                "late_registration_level",
                level is None or seconds is None,
                "late registration ends with a level or after a time, not both",
            ),
            (
                "late_registration_seconds",
                seconds is None or 1 <= seconds <= DAY,
                "must be positive, a day at most",
            ),
            (
                "re_entries_max",
                0 <= self.re_entries_max <= 100 and (self.late or not self.re_entries_max),
                "must be 0 to 100, and 0 where nobody comes late",
            ),
            (
                "no_show_purge_level",
                purge is None or (purge >= 2 and self.no_show == "seat_absent"),
                "must be 2 at least, and needs who is seated absent",
            ),
            (
                "no_show",
                self.no_show == "release" or opens is not None,
                "nobody is absent where nobody checks in",
            ),
            (
                "postpone_seconds",
                60 <= self.postpone_seconds <= YEAR,
                "must be 60 at least, a year at most",
            ),
            ("postponements_max", 1 <= self.postponements_max <= 100, "must be 1 to 100"),
        )
