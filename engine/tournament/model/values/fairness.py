"""The parts of a tournament's state that concern entropy."""

import msgspec

from engine.kit.beacon import Chain, Pulse, mixed_in
from engine.values import EntrantId, HexDigest


class Contribution(msgspec.Struct, frozen=True, kw_only=True):
    """Entropy that one entrant has committed to. It has a ``value`` once it has been opened."""

    entrant: EntrantId
    commitment: HexDigest
    value: HexDigest | None = None


class Fairness(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a tournament's state that seeds are mixed with and checked by."""

    contributions: tuple[Contribution, ...] = ()
    """In the order of the commitments."""

    published: HexDigest | None = None
    """The master ``cards``, once the league has published it."""

    chain: Chain | None = None
    """The beacon that is mixed in, or None without a beacon."""

    awaited: int | None = None
    """The number of the pulse that the seats are drawn by, once it is named."""

    pulse: Pulse | None = None
    """The pulse that the seats are drawn by, once it is known."""

    @property
    def waiting(self) -> bool:
        """True if the seats wait for the beacon. Meanwhile nobody may enter or leave."""
        return self.awaited is not None and self.pulse is None

    @property
    def mixed(self) -> bytes:
        """Return the beacon's entropy for draws at table 0, or empty without a beacon."""
        if self.chain is None or self.pulse is None:
            return b""
        return mixed_in(self.chain, self.pulse)

    def of(self, entrant: EntrantId) -> Contribution | None:
        """Return the commitment of *entrant*, or None."""
        return next((each for each in self.contributions if each.entrant == entrant), None)
