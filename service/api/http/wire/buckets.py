"""
Rate limits, counted in a bounded number of buckets.

A bucket is one number: the instant at which it will be empty (GCRA, the generic cell rate
algorithm). Each process counts for itself, in memory only.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import ceil

BUCKETS_MAX = 65_536

_ROUNDING = 1e-9
"""Seconds by which rounding errors may exceed the limit."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A rate limit: so many calls in a period."""

    name: str
    """The name that clients see: ``token``, ``account``, ``address`` …"""

    most: int
    """The number of calls allowed at once, from an empty bucket."""

    seconds: float
    """The time in which a full bucket becomes empty."""

    @property
    def header(self) -> str:
        """The policy as a value of the ``RateLimit-Policy`` header."""
        return f'"{self.name}";q={self.most};w={ceil(self.seconds)}'


class Buckets:
    """
    One policy for many keys. Beyond the limit, the key with the oldest call is forgotten.

    A forgotten key begins with an empty bucket. The busiest keys are never forgotten.

    Args:
        policy: How often each key may call.
        now: A monotonic clock, in seconds.
        most: The largest number of keys.
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
        """Count one call for *key*. Return 0, or the seconds until the next call is allowed."""
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
        """Return whether the bucket of *key* is more than half full."""
        return self._full.get(key, 0.0) - self._now() > self._half

    def left(self, key: Hashable) -> int:
        """Return how many calls *key* may make at once."""
        held = max(self._full.get(key, 0.0) - self._now(), 0.0)
        return int((self.policy.seconds - held) / self._each + 1e-9)

    def state(self, key: Hashable, wait: float = 0.0) -> str:
        """
        Return the ``RateLimit`` value for *key*: calls left, and seconds until there is one more.
        """
        return f'"{self.policy.name}";r={self.left(key)};t={ceil(wait or self._each)}'
