"""
The contents of messages, by kind.

A message is thin. It names things by their identifiers and repeats few public facts. Its receiver
reads the rest with a token of its own.
"""

from datetime import datetime

import msgspec


class EventFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The members of every message about an event."""

    event: str
    """The event's identifier. It is the `id` of the same event in feeds."""

    league: str
    position: str
    """The event's position in the league's log, to send as `min_position`."""


class TournamentFacts(EventFacts, frozen=True, kw_only=True):
    """A change in a tournament."""

    tournament: str
    name: str
    """The name of the tournament, as it was announced."""


class PlannedFacts(TournamentFacts, frozen=True, kw_only=True):
    """A tournament with a new start."""

    starts_at: datetime
    """The planned start."""


class EntrantFacts(TournamentFacts, frozen=True, kw_only=True):
    """A change for an entrant."""

    entrant: str


class EntryFacts(EntrantFacts, frozen=True, kw_only=True):
    """A new entry."""

    player: str


class EliminatedFacts(EntryFacts, frozen=True, kw_only=True):
    """An entrant who is out."""

    place: int
    """The place in the result, from 1 for the winner."""


class LevelFacts(TournamentFacts, frozen=True, kw_only=True):
    """A new level of the level clock."""

    level: int
    """The number of the level, from 1."""


class RoundFacts(TournamentFacts, frozen=True, kw_only=True):
    """A round of a tournament in rounds."""

    round: int
    """The number of the round, from 1."""


class HandFacts(TournamentFacts, frozen=True, kw_only=True):
    """A settled hand."""

    table: str
    hand: str


class SeasonFacts(EventFacts, frozen=True, kw_only=True):
    """A change in a season."""

    season: str


class AwardFacts(SeasonFacts, frozen=True, kw_only=True):
    """Points of a season for a tournament."""

    tournament: str


class DisputeFacts(EventFacts, frozen=True, kw_only=True):
    """A change in a dispute."""

    dispute: str


class TrialFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A message that a person asked for to try a webhook."""

    webhook: str
    """The webhook, `whk_…`."""

    league: str
