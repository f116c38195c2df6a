"""
The access of readers to events. Feeds, bundles, archives and replays all use this list.

Two rules hide data from a reader. A sealed value opens only for its audiences, in any event.
Some types of events are for staff only. Other readers learn only that such an event happened.
"""

from typing import Final

import msgspec

from engine.values import HOUSE, EntrantId, audience_of

PUBLIC: Final = "public"
"""The viewer who sees only public data."""

AUDITOR: Final = "auditor"
"""The viewer who sees everything."""

STAFF_ONLY: Final = frozenset(
    {
        # Terms before their announcement.
        "tournament_drafted",
        "terms_revised",
        # Requests of players to enter.
        "entry_requested",
        "entry_request_withdrawn",
        "entry_refused",
        # Money of single entrants, who read it in their own accounts.
        "payment_recorded",
        "payment_reversed",
        "prize_handed_over",
        "prize_returned",
        "prize_reversed",
        "refunds_awarded",
        # Valid invitation codes and their offices.
        "invitation_issued",
        "invitation_revoked",
    }
)
"""Types of events that only staff may read. Everybody may read all other types."""


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """The access rights of a reader. The defaults are those of the public."""

    staff: bool = False
    """True if the reader holds an office in the league."""

    entrant: EntrantId | None = None
    """The entrant that the reader opens sealed values for."""

    house: bool = False
    """True if the reader may open every sealed value."""

    def reads(self, type_: str) -> bool:
        """Return whether the reader may see the contents of events of this type."""
        return self.staff or type_ not in STAFF_ONLY

    @property
    def audiences(self) -> tuple[str, ...]:
        """Return the audiences for which the reader may open sealed values."""
        if self.house:
            return (HOUSE,)
        return () if self.entrant is None else (audience_of(self.entrant),)


def reader_of(viewer: str) -> Reader:
    """
    Return the reader for the viewer of a bundle or a replay.

    >>> reader_of(PUBLIC).reads("entry_refused"), reader_of(AUDITOR).reads("entry_refused")
    (False, True)
    """
    if viewer == AUDITOR:
        return Reader(staff=True, house=True)
    return Reader() if viewer == PUBLIC else Reader(entrant=EntrantId(viewer))
