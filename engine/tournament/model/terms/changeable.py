"""The members of announced terms that may change."""

from datetime import datetime

import msgspec

from engine.kit.structs import copied
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.entry import EntryTerms
from engine.tournament.model.terms.fees import FeeTerms
from engine.values import PlayerId, TextRef


class ChangeableTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    The members of announced terms that may change, each with its whole value.

    All others stay for good, above all the ruleset.

    Source: rulebook ``terms.changed``.
    """

    name: str
    """As shown to everybody."""

    starts_at: datetime
    """The planned start. The hours of the last hands and of later rounds move with it."""

    registration_opens_at: datetime | None
    """The instant at which registration opens, or null if the announcement opened it."""

    entrants_min: int
    """With fewer entrants the tournament does not start."""

    entrants_max: int
    """The number of places for entrants."""

    payouts: tuple[int, ...]
    """The share of each paid place, first place first."""

    prize_pool: int
    """Money that the house adds to the pool, in minor units of the currency."""

    currency: str | None
    """The currency (ISO 4217), or null if no money is played for."""

    fees: FeeTerms
    """The price of an entry, and the payouts."""

    entry: EntryTerms
    """The rules of entry, and what happens to no-shows."""

    place: str | None
    """The venue, in words for people."""

    length_seconds: int | None
    """The planned length in seconds, from the start."""


class TermsChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of announced terms, as everybody may read it."""

    by: PlayerId
    """The member of staff."""

    reason: TextRef
    before: ChangeableTerms
    after: ChangeableTerms


def changeable(terms: Terms) -> ChangeableTerms:
    """Return the members of *terms* that may change."""
    return copied(ChangeableTerms, terms)
