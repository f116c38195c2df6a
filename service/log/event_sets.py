"""
Numbered sets of event versions, and the way back from the current versions to those of a set.

A client that holds events against closed schemas pins a set. It then sees the versions of that set
until the set ends, however many versions come after it. A type that the set does not name in
:data:`OLDER` is shown in its current version. A developer
who raises a version adds the type to every older set. The test of the committed sets fails until
then.
"""

from collections.abc import Callable, Iterable, Mapping

from service.base.documents import Document
from service.log.upcasters import current_version

Downcaster = Callable[[Document], Document]


def _unhelped(document: Document) -> Document:
    """Leave out the member of staff who acted for the player."""
    return {name: value for name, value in document.items() if name != "by"}


OLDER: Mapping[int, Mapping[str, int]] = {
    1: {
        "add_on_taken": 1,
        "entrant_checked_in": 1,
        "entrant_registered": 1,
        "entrant_waitlisted": 1,
        "entrant_withdrawn": 1,
        "entry_request_withdrawn": 1,
        "rebuy_declared": 1,
        "rebuy_taken": 1,
        "waitlist_left": 1,
    },
}
"""By older set, the event types that have an older version in it than the current one."""

NEWEST = max(OLDER) + 1
"""The set of the current versions."""

DOWNCASTERS: Mapping[tuple[str, int], Downcaster] = {
    ("add_on_taken", 2): _unhelped,
    ("entrant_checked_in", 2): _unhelped,
    ("entrant_registered", 2): _unhelped,
    ("entrant_waitlisted", 2): _unhelped,
    ("entrant_withdrawn", 2): _unhelped,
    ("entry_request_withdrawn", 2): _unhelped,
    ("rebuy_declared", 2): _unhelped,
    ("rebuy_taken", 2): _unhelped,
    ("waitlist_left", 2): _unhelped,
}
"""By event type and the version it starts from. Each step goes back one version."""


def known(number: int) -> bool:
    """Return whether there is a set of this number."""
    return number in OLDER or number == NEWEST


def version_in(number: int, type_: str) -> int:
    """Return the version of a type of event in a set."""
    return OLDER.get(number, {}).get(type_, current_version(type_))


def downcast(type_: str, document: Document, version: int) -> Document:
    """
    Return a *document* of the current version as an earlier *version* would have said it.

    Raises:
      KeyError: If there is no way back to this version.
    """
    for step in range(current_version(type_), version, -1):
        document = DOWNCASTERS[(type_, step)](document)
    return document


def sets_of(types: Iterable[str]) -> dict[int, dict[str, int]]:
    """Return all sets: for each, the version of each of these types."""
    ordered = sorted(types)
    return {
        number: {each: version_in(number, each) for each in ordered}
        for number in (*sorted(OLDER), NEWEST)
    }
