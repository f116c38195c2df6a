"""The list of all projections."""

from service.projections.disputes import disputes
from service.projections.hands import hands
from service.projections.members import members
from service.projections.openings import openings
from service.projections.projection import Projection
from service.projections.ratings import ratings
from service.projections.records import records
from service.projections.standings import standings
from service.projections.tables import tables
from service.projections.tournaments import tournaments

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
