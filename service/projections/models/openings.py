"""Read model ``openings``: each opening of sealed values, with its author, time and right."""

from engine.dispute.events import DisclosureUsed
from engine.league.openings import ValuesOpened
from service.projections import schema
from service.projections.applying.changes import Changes
from service.projections.applying.projection import Happened, Projection, on


def _opened(changes: Changes, happened: Happened[ValuesOpened]) -> None:
    _put(changes, happened, right="office", dispute=None)


def _disclosed(changes: Changes, happened: Happened[DisclosureUsed]) -> None:
    _put(changes, happened, right="dispute", dispute=happened.subject)


def _put(
    changes: Changes,
    happened: Happened[ValuesOpened | DisclosureUsed],
    *,
    right: str,
    dispute: str | None,
) -> None:
    event = happened.event
    changes.put(
        schema.opening,
        league=happened.league,
        position=happened.position,
        at=happened.at,
        by=event.by,
        what=event.what,
        subject=event.subject,
        right=right,
        dispute=dispute,
        until=event.expires_at,
    )


openings = Projection(
    name="openings",
    version=1,
    relations=(schema.opening,),
    handlers=dict(
        [
            on(ValuesOpened, _opened),
            on(DisclosureUsed, _disclosed),
        ]
    ),
)
