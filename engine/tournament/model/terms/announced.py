"""The announced terms: the members of every event that holds whole terms."""

from datetime import datetime, timedelta

import msgspec

from engine.rulesets import Ruleset
from engine.tournament.model.terms.entry import EntryTerms
from engine.tournament.model.terms.fees import FeeTerms
from engine.tournament.model.terms.floor import FloorTerms
from engine.tournament.model.terms.formats import FormatTerms
from engine.tournament.model.values import BotRule
from engine.values import Chips, HexDigest, LeagueId, SeasonId, TournamentId, Visibility


class Terms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The complete terms."""

    tournament: TournamentId
    league: LeagueId
    season: SeasonId | None
    name: str
    ruleset: Ruleset
    ruleset_name: str
    ruleset_hash: HexDigest
    table_seats: int
    starting_stack: Chips
    entrants_min: int
    entrants_max: int
    starts_at: datetime
    registration_opens_at: datetime | None
    decision_seconds: int
    grace_seconds: int
    bots: BotRule
    payouts: tuple[int, ...]
    prize_pool: int
    currency: str | None
    hands_between_seconds: int
    hands_max: int | None
    entry: EntryTerms
    fees: FeeTerms
    format: FormatTerms
    floor: FloorTerms
    staff_may_play: bool
    """
    True if staff who are entered may keep the clock and the seating. They may do nothing else.
    """

    place: str | None
    """The venue, in words for people."""

    length_seconds: int | None
    """The planned length in seconds, from the start."""

    visibility: Visibility
    """The people who may read it, copied from the league at the announcement."""


def closes_at(terms: Terms) -> datetime:
    """Return the instant at which registration closes, at or before the start."""
    return terms.starts_at - timedelta(seconds=terms.entry.registration_closes_before_seconds)
