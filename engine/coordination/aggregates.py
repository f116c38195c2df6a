"""Every aggregate by the category of its streams."""

from typing import Any

from engine import dispute, league, season, table, tournament
from engine.decider import Decider

DECIDERS: dict[str, Decider[Any, Any, Any]] = {
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
