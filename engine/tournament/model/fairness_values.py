"""What a tournament knows of its entrants' entropy."""

import msgspec

from engine.kit.beacon import Chain, Pulse, mixed_in
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

    chain: Chain | None = None
    """The beacon that is mixed in; None without one."""

    awaited: int | None = None
    """The round that the seats are drawn by, once it is named."""

    pulse: Pulse | None = None
    """What the beacon said in it."""

    @property
    def waiting(self) -> bool:
        """Whether the seats wait for the beacon: nobody comes or goes meanwhile."""
        return self.awaited is not None and self.pulse is None

    @property
    def mixed(self) -> bytes:
        """What of the beacon enters draws at table 0; empty without one."""
        if self.chain is None or self.pulse is None:
            return b""
        return mixed_in(self.chain, self.pulse)

    def of(self, entrant: EntrantId) -> Contribution | None:
        """Return what *entrant* has committed to, or None."""
        return next((each for each in self.contributions if each.entrant == entrant), None)
