"""The reason for which a tournament was cancelled."""

import msgspec
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.tournament.model.state import Cancelled
from service.api.http.access.phases import Tournament
from service.people.texts import text_of

_BY_STAFF = "director"


class CancellationShown(msgspec.Struct, kw_only=True):
    """The reason for which a tournament was cancelled."""

    reason: str
    """
    `director` for a decision of staff, `too_few_entrants`, `fixture_edited` for a change of the
    planned evenings, or `sandbox_ended`.
    """

    words: str | None
    """The text by staff. Null if they wrote none, or if it was erased or taken down."""


async def cancellation_shown(engine: AsyncEngine, state: Tournament) -> CancellationShown | None:
    """
    Return the reason of a cancelled tournament for its members, or None for any other.

    Raises:
        TextForged: If the words do not match their digest in the log.
    """
    if not isinstance(state, Cancelled):
        return None
    reason = public_reason(state)
    found = await text_of(engine, state.reason) if reason != state.reason else None
    return CancellationShown(reason=reason, words=None if found is None else found.body)


def public_reason(state: Cancelled) -> str:
    """Return the reason without the words of staff, which only members of the league may read."""
    return _BY_STAFF if state.reason.startswith("txt_") else state.reason
