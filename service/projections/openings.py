"""Read model ``openings``: who opened which sealed values, when, and by which right."""

from datetime import datetime

from service.projections import schema
from service.projections.changes import Changes
from service.projections.projection import Happened, Projection


def _opened(changes: Changes, happened: Happened) -> None:
    _put(changes, happened, right="office", dispute=None)


def _disclosed(changes: Changes, happened: Happened) -> None:
    _put(changes, happened, right="dispute", dispute=happened.subject)


def _put(changes: Changes, happened: Happened, *, right: str, dispute: str | None) -> None:
    data = happened.data
    changes.put(
        schema.opening,
        league=happened.league,
        position=happened.position,
        at=happened.at,
        by=data["by"],
        what=data["what"],
        subject=data["subject"],
        right=right,
        dispute=dispute,
        until=datetime.fromisoformat(data["expires_at"]),
    )


openings = Projection(
    name="openings",
    version=1,
    relations=(schema.opening,),
    handlers={"values_opened": _opened, "disclosure_used": _disclosed},
)
