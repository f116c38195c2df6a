"""
Rates, counted in a bounded number of buckets.

A bucket is one number, the instant at which it would be empty again (GCRA, the generic
cell rate algorithm).  Nothing is written anywhere: each process counts for itself.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import ceil

BUCKETS_MAX = 65_536

_ROUNDING = 1e-9
"""Seconds: an error of rounding is no excess."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How often something may happen."""

    name: str
    """What clients are told: ``token``, ``account``, ``address`` …"""

    most: int
    """So often at once, from rest."""

    seconds: float
    """So long it then takes until it may happen that often again."""

    @property
    def header(self) -> str:
        """The policy as ``RateLimit-Policy`` says it."""
        return f'"{self.name}";q={self.most};w={ceil(self.seconds)}'


class Buckets:
    """
    One policy for any number of keys; the keys that came last are remembered.

    A key that is forgotten begins from rest.  Those who ask most are not forgotten.

    Args:
        policy: How often each key may come.
        now: Seconds of a clock that only goes on.
    """

    __slots__ = ("_allowed", "_each", "_full", "_half", "_most", "_now", "policy")

    def __init__(self, policy: Policy, now: Callable[[], float], most: int = BUCKETS_MAX) -> None:
        self.policy = policy
        self._each = policy.seconds / policy.most
        self._allowed = policy.seconds - self._each
        self._half = policy.seconds / 2
        self._now = now
        self._most = most
        self._full: OrderedDict[Hashable, float] = OrderedDict()

    def take(self, key: Hashable) -> float:
        """Count one for *key*; return 0, or after how many seconds it may come again."""
        now, full = self._now(), self._full
        until = full.pop(key, now)
        if until < now:
            until = now
        wait = until - now - self._allowed
        if wait <= _ROUNDING:
            wait = 0.0
            until += self._each
        full[key] = until
        if len(full) > self._most:
            full.popitem(last=False)
        return wait

    def half_used(self, key: Hashable) -> bool:
        """Return whether *key* has used half of what may come at once."""
        return self._full.get(key, 0.0) - self._now() > self._half

    def left(self, key: Hashable) -> int:
        """Return how often *key* may come at once."""
        held = max(self._full.get(key, 0.0) - self._now(), 0.0)
        return int((self.policy.seconds - held) / self._each + 1e-9)

    def state(self, key: Hashable, wait: float = 0.0) -> str:
        """Return what ``RateLimit`` says of *key*: what is left, and when there is more."""
        return f'"{self.policy.name}";r={self.left(key)};t={ceil(wait or self._each)}'
