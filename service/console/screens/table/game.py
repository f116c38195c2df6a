"""The tournament of a table, as the page of the table needs it."""

import msgspec

from engine.rulesets import Ruleset
from engine.tournament.model.terms import FeeTerms, FloorTerms
from service.api.tournament.my_entries import MyEntry


class Entered(msgspec.Struct, kw_only=True):
    """An entry of the tournament."""

    id: str
    player: str
    status: str
    rebuys: int
    rebuy_declared: bool
    placing: int | None
    """The place, or null while the entrant plays."""

    disqualified: bool


class Game(msgspec.Struct, kw_only=True):
    """The members of a tournament that the page of a table needs."""

    id: str
    league: str
    name: str
    state: str
    ruleset: Ruleset
    decision_seconds: int
    currency: str | None
    fees: FeeTerms
    floor: FloorTerms
    entrants: tuple[Entered, ...]
    my: MyEntry | None
