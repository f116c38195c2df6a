"""
A public beacon: the choice of its pulse for a deal or a draw, and the bytes that enter it.

The house and its accomplices cannot know a pulse before its time.  The instant of an event
determines the pulse, so nobody can choose among pulses either.

Source: rulebook ``beacon``.
"""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Annotated

import msgspec
from msgspec import Meta

from engine.errors import CommandRejected
from engine.values import HexDigest

MARGIN = timedelta(seconds=3)
"""A pulse comes at least this long after the event that asks for it."""

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)

Count = Annotated[int, Meta(ge=1, le=2**53 - 1)]


class Chain(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One beacon of the scheme ``bls-unchained-g1-rfc9380``, as drand describes it."""

    hash: HexDigest
    """The hash of the chain's description, which names it."""

    public_key: Annotated[str, Meta(pattern="^[0-9a-f]{192}$")]
    """A compressed point of G2, 96 bytes."""

    genesis: Annotated[int, Meta(ge=0, le=2**40)]
    """The instant of pulse 1, in seconds since 1970 UTC."""

    period: Annotated[int, Meta(ge=1, le=86_400)]
    """Seconds from one pulse to the next."""


class Pulse(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pulse of the beacon, with its number and signature."""

    round: Count
    """The number of the pulse, from 1."""

    signature: Annotated[str, Meta(pattern="^[0-9a-f]{96}$")]
    """A compressed point of G1, 48 bytes."""

    randomness: HexDigest
    """SHA-256 of the signature."""


class BeaconMissing(CommandRejected):
    """The named pulse has not come yet. The deal or draw waits for it."""

    code = "beacon_missing"
    rule = "beacon.silence"
    detail = "the beacon's pulse has not come yet"

    round: int


class BeaconMismatch(CommandRejected):
    """The pulse is not the named one, or its signature does not fit."""

    code = "beacon_mismatch"
    rule = "beacon.value"
    detail = "this is not the named pulse of the beacon, or its signature does not fit"

    round: int | None


def pulse_after(chain: Chain, at: datetime) -> int:
    """
    Return the number of the first pulse that comes ``MARGIN`` after *at*, or later.

    >>> chain = Chain(hash="00" * 32, public_key="00" * 96, genesis=100, period=3)
    >>> [pulse_after(chain, _BEGINNING + timedelta(seconds=s)) for s in (0, 97, 98, 100, 101)]
    [1, 1, 2, 2, 3]

    Source: rulebook ``beacon.round``.
    """
    earliest = at + MARGIN - _BEGINNING - timedelta(seconds=chain.genesis)
    return max(1, 1 - (-earliest // timedelta(seconds=chain.period)))


def time_of(chain: Chain, number: int) -> datetime:
    """Return the instant of a pulse."""
    return _BEGINNING + timedelta(seconds=chain.genesis + (number - 1) * chain.period)


def demand_pulse(pulse: Pulse | None, number: int) -> Pulse:
    """
    Return *pulse* if it has the named number.

    The signature is checked when the pulse is fetched, and by every audit.

    Raises:
        BeaconMissing: If there is no pulse yet.
        BeaconMismatch: If it has another number, or its randomness does not fit its signature.

    Source: rulebook ``beacon.value``.
    """
    if pulse is None:
        raise BeaconMissing(round=number)
    due = sha256(bytes.fromhex(pulse.signature)).hexdigest()
    if pulse.round != number or pulse.randomness != due:
        raise BeaconMismatch(round=number)
    return pulse


def mixed_in(chain: Chain, pulse: Pulse) -> bytes:
    """
    Return the bytes of a pulse for a digest: chain, number and randomness, 72 bytes.

    Source: rulebook ``generator.beacon``.
    """
    number = pulse.round.to_bytes(8, "big")
    return bytes.fromhex(chain.hash) + number + bytes.fromhex(pulse.randomness)
