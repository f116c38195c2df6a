"""What a tournament knows of its entrants' entropy."""

import msgspec

from engine.values import EntrantId, HexDigest


class Contribution(msgspec.Struct, frozen=True, kw_only=True):
    """Entropy that one entrant has committed to; ``value`` once it has been opened."""

    entrant: EntrantId
    commitment: HexDigest
    value: HexDigest | None = None


class Fairness(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a tournament's state that its seeds are mixed with and checked by."""

    contributions: tuple[Contribution, ...] = ()
    """In the order in which they were committed."""

    published: HexDigest | None = None
    """The master ``cards``, once the league has published it."""

    def of(self, entrant: EntrantId) -> Contribution | None:
        """Return what *entrant* has committed to, or None."""
        return next((each for each in self.contributions if each.entrant == entrant), None)
