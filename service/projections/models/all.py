"""The list of all projections."""

from service.projections.applying.projection import Projection
from service.projections.models.disputes import disputes
from service.projections.models.hands import hands
from service.projections.models.members import members
from service.projections.models.openings import openings
from service.projections.models.ratings import ratings
from service.projections.models.records import records
from service.projections.models.standings import standings
from service.projections.models.tables import tables
from service.projections.models.tournaments import tournaments

ALL: tuple[Projection, ...] = (
    members,
    tournaments,
    tables,
    hands,
    standings,
    records,
    ratings,
    disputes,
    openings,
)

BY_NAME = {projection.name: projection for projection in ALL}


class ProjectionUnknown(Exception):
    """No projection has this name."""


def chosen(name: str) -> tuple[Projection, ...]:
    """
    Return the projections that *name* or ``all`` selects.

    Raises:
        ProjectionUnknown: If no projection has this name.
    """
    if name == "all":
        return ALL
    if name not in BY_NAME:
        raise ProjectionUnknown(f"no projection {name}: choose from {', '.join(BY_NAME)}")
    return (BY_NAME[name],)
