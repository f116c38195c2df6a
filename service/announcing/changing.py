"""Changes to announced terms, as a merge patch over the present terms."""

from typing import Annotated

import msgspec
from msgspec import Meta

from engine.tournament.entering.announcing import LENGTH_MAX, LENGTH_MIN
from engine.tournament.model.terms import EntryTerms, FeeTerms
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.changeable import ChangeableTerms, changeable
from service.announcing.defaults import merged
from service.announcing.inputs import Instant, Name, in_utc
from service.base.documents import Document
from service.people.names import named


class TermsWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The members of announced terms that may change, as they stand after a change."""

    name: Name
    """As shown to everybody, 1 to 120 characters."""

    starts_at: Instant
    """The planned start. The hours of the last hands and of later rounds move with it."""

    registration_opens_at: Instant | None = None
    """The instant at which registration opens. It can change until then."""

    entrants_min: Annotated[int, Meta(ge=2, le=100_000)]
    """With fewer entrants the tournament does not start."""

    entrants_max: Annotated[int, Meta(ge=2, le=100_000)]
    """The number of places. More places are offered to the waitlist. Fewer remove nobody."""

    payouts: tuple[Annotated[int, Meta(ge=1, le=1_000_000)], ...] = ()
    """The share of each paid place, first place first, relative to each other."""

    prize_pool: Annotated[int, Meta(ge=0, le=2**50)] = 0
    """Money that the house adds to the pool. It only rises once registration has closed."""

    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$")] | None = None
    """The currency (ISO 4217). Null means that no money is played for."""

    fees: FeeTerms = FeeTerms()
    """The price of an entry, which stays after the first entry, and the payouts."""

    entry: EntryTerms = EntryTerms()
    """The rules of entry. Once play has begun, only late registration can change."""

    place: Name | None = None
    """The venue, for people to read."""

    length_seconds: Annotated[int, Meta(ge=LENGTH_MIN, le=LENGTH_MAX)] | None = None
    """The planned length, as calendars show it. The levels stay."""

    def __post_init__(self) -> None:
        """Convert instants to UTC, as the log holds them."""
        self.place = None if self.place is None else named(self.place)
        self.starts_at = in_utc(self.starts_at)
        if self.registration_opens_at is not None:
            self.registration_opens_at = in_utc(self.registration_opens_at)


def patched(terms: Terms, asked: Document) -> Document:
    """Return the members of *terms* that may change, changed by the merge patch *asked*."""
    found: Document = merged(msgspec.to_builtins(changeable(terms)), asked)
    return found


def changeable_of(wanted: TermsWanted) -> ChangeableTerms:
    """Return *wanted* as the engine takes it."""
    return ChangeableTerms(**msgspec.structs.asdict(wanted))
