"""
Who may read an event: the one list that feeds, bundles, archives and replays go by.

Two things keep something from a reader.  A sealed place opens for its audiences alone,
in whichever event it stands.  And the staff keep some types of events to themselves: for
everybody else such an event happened, and says no more.
"""

from typing import Final

import msgspec

from engine.values import HOUSE, EntrantId, audience_of

PUBLIC: Final = "public"
"""The viewer who sees what everybody may see."""

AUDITOR: Final = "auditor"
"""The viewer who sees everything."""

STAFF_ONLY: Final = frozenset(
    {
        # What is not announced yet.
        "tournament_drafted",
        "terms_revised",
        # Players who asked to be let in.
        "entry_requested",
        "entry_request_withdrawn",
        "entry_refused",
        # Money of single entrants, which each reads in their own account.
        "payment_recorded",
        "refunds_awarded",
        # Codes that are out, and for which office.
        "invitation_issued",
        "invitation_revoked",
    }
)
"""Types of events that the staff alone may read.  A type that is not here is everybody's."""


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """Someone who reads events; without arguments, the public."""

    staff: bool = False
    """Whether the reader holds an office in the league."""

    entrant: EntrantId | None = None
    """The entry whose sealed places the reader may open."""

    house: bool = False
    """Whether the reader may open every sealed place."""

    def reads(self, type_: str) -> bool:
        """Return whether the reader may see more of an event of this type than that it happened."""
        return self.staff or type_ not in STAFF_ONLY

    @property
    def audiences(self) -> tuple[str, ...]:
        """The audiences whose sealed places the reader may open."""
        if self.house:
            return (HOUSE,)
        return () if self.entrant is None else (audience_of(self.entrant),)


def reader_of(viewer: str) -> Reader:
    """
    Return the reader that a bundle or a replay names as its viewer.

    >>> reader_of(PUBLIC).reads("entry_refused"), reader_of(AUDITOR).reads("entry_refused")
    (False, True)
    """
    if viewer == AUDITOR:
        return Reader(staff=True, house=True)
    return Reader() if viewer == PUBLIC else Reader(entrant=EntrantId(viewer))
