"""
Failed sign-ins, and the delays that they cost.

A delay belongs to a login and an address together. Nobody can lock out somebody else, and 24 phones
behind one router do not share a delay. A high limit per address bounds attempts on many logins.
Everything is kept in this process, in bounded memory, and a restart forgets it.
"""

import hmac
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final, TypeVar

import structlog

from service.base.errors import TooManySignIns
from service.log.keys import derive

FREE: Final = 5
"""Failures in a row that cost no delay."""

DELAY_MAX: Final = 900
"""The longest delay in seconds. The delay doubles with each failure until then."""

KEPT_MAX: Final = 20_000
"""The number of remembered pairs, and of remembered addresses. The oldest are dropped first."""

_HOUR = 3600.0
_LABEL = b"holotable/sign-in-log/1"

_Name = TypeVar("_Name")
_Entry = TypeVar("_Entry")

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Pair:
    """Failures of one login from one address since its last success."""

    failures: int = 0
    until: float = 0.0
    """Attempts before this time are refused."""

    known: bool = False
    """True if this login has signed in from this address."""


@dataclass(slots=True)
class _Address:
    """The failures that an address may still cause. They come back with time."""

    left: float
    at: float


class Guesses:
    """
    Counts the failed sign-ins of one process.

    Args:
      secret_key: The settings' key. The process log names a login by a keyed digest, the same in
        every process. Failures can be told apart, and nobody can read a login from them.
      per_address: Failures an hour that one address may cause.
      clock: Seconds, from a clock that nobody can set.
    """

    def __init__(
        self, secret_key: str, per_address: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._key = derive(secret_key.encode(), _LABEL)
        self._most = per_address
        self._clock = clock
        self._pairs: OrderedDict[bytes, _Pair] = OrderedDict()
        self._addresses: OrderedDict[str, _Address] = OrderedDict()

    def begin(self, login: str, address: str) -> None:
        """
        Count an attempt as failed until :meth:`succeeded` or :meth:`undecided` is called.

        Simultaneous attempts therefore count each other.

        Raises:
          TooManySignIns: If the pair or the address has to wait. The attempt is not counted.
        """
        now, network = self._clock(), _network(address)
        # A refused attempt adds no entry. Otherwise refusals could push out remembered pairs.
        pair = self._pairs.get(self._name(login, network), _Pair())
        if now < pair.until:
            raise _refusal(pair.until - now, "too many failed sign-ins to this account from here")
        bucket = self._bucket(network, now)
        if bucket.left < 1 and not pair.known:
            wait = (1 - bucket.left) * _HOUR / self._most
            raise _refusal(wait, "too many failed sign-ins from this address")
        bucket.left = max(bucket.left - 1, 0.0)
        if bucket.left < 1:
            _log.warning(
                "an address has used up its failed sign-ins", address=address, an_hour=self._most
            )
        pair = self._pair(login, network)
        pair.failures += 1
        if pair.failures >= FREE:
            delay = min(2 ** min(pair.failures - FREE, 30), DELAY_MAX)
            pair.until = now + delay

    def failed(self, login: str, address: str) -> None:
        """Write a failure to the process log, once the failures cost a delay."""
        pair = self._pair(login, _network(address))
        if pair.failures >= FREE:
            named = hmac.digest(self._key, login.lower().encode(), "sha256")[:6].hex()
            _log.warning(
                "sign-in failed", login_digest=named, address=address, failures=pair.failures
            )

    def succeeded(self, login: str, address: str) -> None:
        """Forget the failures of this login from this address."""
        self._give_back(address)
        pair = self._pair(login, _network(address))
        pair.failures, pair.until, pair.known = 0, 0.0, True

    def undecided(self, login: str, address: str) -> None:
        """Take back an attempt that could not be decided because a service was away."""
        self._give_back(address)
        pair = self._pair(login, _network(address))
        pair.failures, pair.until = max(pair.failures - 1, 0), 0.0

    def _give_back(self, address: str) -> None:
        bucket = self._bucket(_network(address), self._clock())
        bucket.left = min(bucket.left + 1, self._most)

    def _pair(self, login: str, network: str) -> _Pair:
        return _kept(self._pairs, self._name(login, network), _Pair)

    def _name(self, login: str, network: str) -> bytes:
        # A digest: people sometimes type a password in the place of the login.
        return hmac.digest(self._key, f"{network} {login.lower()}".encode(), "sha256")

    def _bucket(self, network: str, now: float) -> _Address:
        found = _kept(self._addresses, network, lambda: _Address(self._most, now))
        found.left = min(found.left + (now - found.at) * self._most / _HOUR, self._most)
        found.at = now
        return found


def _kept(entries: OrderedDict[_Name, _Entry], name: _Name, make: Callable[[], _Entry]) -> _Entry:
    """Return an entry as the newest of *entries*. Make it if it is missing."""
    found = entries.get(name)
    if found is None:
        found = entries[name] = make()
        if len(entries) > KEPT_MAX:
            entries.popitem(last=False)
    else:
        entries.move_to_end(name)
    return found


def _network(address: str) -> str:
    """Return the network that counts as one address. For IPv6 it is the /64 that one line has."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, 64), strict=False))
    return address


def _refusal(seconds: float, detail: str) -> TooManySignIns:
    wait = max(1, math.ceil(seconds))
    return TooManySignIns(f"{detail}; wait {wait} s and try again", retry_after=wait)
