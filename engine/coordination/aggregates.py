"""The deciders of all aggregates, by the category of their streams."""

from engine import dispute, league, season, table, tournament
from engine.decider import AnyDecider

Event = (
    league.events.Event
    | season.events.Event
    | tournament.events.Event
    | table.events.Event
    | dispute.events.Event
)
"""Every event that can stand in a log."""

DECIDERS: dict[str, AnyDecider] = {
    decider.category: decider
    for decider in (
        league.decider,
        season.decider,
        tournament.decider,
        table.decider,
        dispute.decider,
    )
}
"""``DECIDERS["table"]`` decides for every stream ``table-<32 hex>``."""
