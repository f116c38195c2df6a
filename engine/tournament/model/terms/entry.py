"""
Terms of entry: approval, waitlist, check-in, late registration.

Source: rulebook ``entry``.
"""

from typing import Literal

import msgspec

from engine.errors import Wording

DAY = 86_400
YEAR = 366 * DAY


class EntryTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    The rules of entry, and what happens to no-shows.

    Everything is off by default. Any player who enters before the start and finds a place is
    in.
    """

    approval: bool = False
    """True if a director approves or refuses every player."""

    waitlist: bool = False
    """True if players without a place may join a waitlist."""

    offer_seconds: int = 900
    """The seconds for which a free place is offered to the first on the waitlist."""

    registration_closes_before_seconds: int = 0
    """Registration closes this many seconds before the start. 0 is at the start."""

    check_in_opens_before_seconds: int | None = None
    """Check-in opens this many seconds before the start. Null is no check-in."""

    no_show: Literal["release", "seat_absent"] = "release"
    """
    ``release``: a no-show loses the place. ``seat_absent``: a no-show is dealt in, and each
    hand is folded.
    """

    no_show_purge_level: int | None = None
    """The level from which the chips of seated no-shows leave play. Null is never."""

    late_registration_level: int | None = None
    """Late registration closes after this level and any break that follows it."""

    late_registration_seconds: int | None = None
    """
    Late registration closes this many seconds after the start, if levels do not go by the
    clock.
    """

    re_entries_max: int = 0
    """The number of times that an eliminated player may enter again during late registration."""

    too_few: Literal["cancel", "postpone"] = "cancel"
    """The consequence of fewer entrants than ``entrants_min`` at the start."""

    postpone_seconds: int = 3600
    """The seconds by which the start is postponed."""

    postponements_max: int = 1
    """The number of postponements. After the last one the tournament is cancelled."""

    @property
    def late(self) -> bool:
        """True if the terms allow late registration."""
        return (
            self.late_registration_level is not None or self.late_registration_seconds is not None
        )

    def problems(self) -> tuple[tuple[str, bool, Wording], ...]:
        """Return each demand on these terms: the field, whether it is met, and the text."""
        closes, opens = self.registration_closes_before_seconds, self.check_in_opens_before_seconds
        level, seconds = self.late_registration_level, self.late_registration_seconds
        return (
            (
                "offer_seconds",
                1 <= self.offer_seconds <= YEAR,
                Wording("must be positive, a year at most"),
            ),
            (
                "registration_closes_before_seconds",
                0 <= closes <= YEAR,
                Wording("must not be negative, and a year at most"),
            ),
            (
                "check_in_opens_before_seconds",
                opens is None or 1 <= opens <= YEAR,
                Wording("must be positive, a year at most"),
            ),
            ("late_registration_level", level is None or level >= 1, Wording("must be 1 at least")),
            (
                "late_registration_level",
                level is None or seconds is None,
                Wording("late registration ends with a level or after a time, not both"),
            ),
            (
                "late_registration_seconds",
                seconds is None or 1 <= seconds <= DAY,
                Wording("must be positive, a day at most"),
            ),
            (
                "re_entries_max",
                0 <= self.re_entries_max <= 100 and (self.late or not self.re_entries_max),
                Wording("must be 0 to 100, and 0 without late registration"),
            ),
            *self._of_absence(),
        )

    def _of_absence(self) -> tuple[tuple[str, bool, Wording], ...]:
        """Return each demand on no-shows and postponed starts."""
        opens, purge = self.check_in_opens_before_seconds, self.no_show_purge_level
        return (
            (
                "no_show_purge_level",
                purge is None or (purge >= 2 and self.no_show == "seat_absent"),
                Wording("must be 2 at least, and needs no_show seat_absent"),
            ),
            (
                "no_show",
                self.no_show == "release" or opens is not None,
                Wording("seat_absent needs check_in_opens_before_seconds"),
            ),
            (
                "postpone_seconds",
                60 <= self.postpone_seconds <= YEAR,
                Wording("must be 60 at least, a year at most"),
            ),
            ("postponements_max", 1 <= self.postponements_max <= 100, Wording("must be 1 to 100")),
        )
