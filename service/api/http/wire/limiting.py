"""
Rate limits for requests, by token and account, or by address if no valid token is known.

A request with a token that was valid recently counts for its token, its account, and a high limit
of its address. Every other request counts for its address only, in separate buckets. So a flood
without valid tokens does not affect other people behind the same address.
"""

import asyncio
import hashlib
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from typing import NamedTuple
from uuid import UUID

from litestar.types import Scope

from service.api.http.wire.buckets import Buckets, Policy
from service.api.http.wire.crowding import Crowd
from service.api.http.wire.proxies import UNKNOWN, Proxies
from service.base.errors import QuotaExhausted, TooManyRequests, TooManyStreams
from service.base.limits import LimitSettings
from service.people.tokens import Principal

BURST_SECONDS = 10
"""Seconds' worth of requests that may come at once."""

HOUR = 3600
TEN_MINUTES = 600

_KNOWN_MAX = 65_536
"""Number of valid tokens that are remembered. Each takes a digest and two numbers."""

_ALWAYS = frozenset({"/livez"})
"""Paths without a limit, so that monitoring always gets an answer."""


_Holder = tuple[str, UUID | str | None]
"""The holder of an open stream: a token, an account, an address, all strangers, or the process."""


class Admitted(NamedTuple):
    """A request within its limits."""

    buckets: Buckets
    """The buckets that the client will exhaust first."""

    key: Hashable

    def headers(self) -> list[tuple[bytes, bytes]]:
        """
        Return ``RateLimit`` and ``RateLimit-Policy`` once half is used, and no headers before.
        """
        if self.buckets.half_used(self.key):
            return _headers(self.buckets, self.key, 0)
        return []


class Streams:
    """
    The open event streams of one process. At least half of them are left to those who signed in.

    Args:
        settings: The limits for each token, account and address, and for the process.
    """

    def __init__(self, settings: LimitSettings) -> None:
        self._most = {
            "token": settings.token_streams,
            "account": settings.account_streams,
            "address": settings.address_streams,
            "strangers": max(1, settings.process_streams // 2),
            "process": settings.process_streams,
        }
        self._open: Counter[_Holder] = Counter()
        self._ends: dict[UUID, set[asyncio.Event]] = {}

    def end(self, account: UUID) -> None:
        """End every open stream of an account."""
        for each in self._ends.get(account, ()):
            each.set()

    @property
    def number(self) -> int:
        """The number of streams that are open in this process."""
        return self._open["process", None]

    @contextmanager
    def held(self, reader: Principal | str) -> Iterator[asyncio.Event]:
        """
        Count a stream for as long as it is open.

        Nothing is awaited between the check and the count.

        Yields:
            Set when the stream has to end.

        Args:
            reader: The caller, or the address of a stranger.

        Raises:
            TooManyStreams: If one of the stream's holders has reached its limit.
        """
        holders = _holders(reader)
        for key in holders:
            most = self._most[key[0]]
            if self._open[key] >= most:
                raise TooManyStreams(
                    f"{most} streams are open already; close one first", limit=key[0]
                )
        for key in holders:
            self._open[key] += 1
        ended = asyncio.Event()
        account = None if isinstance(reader, str) else reader.account.number
        if account is not None:
            self._ends.setdefault(account, set()).add(ended)
        try:
            yield ended
        finally:
            if account is not None:
                self._ends[account].discard(ended)
                if not self._ends[account]:
                    del self._ends[account]
            for key in holders:
                self._open[key] -= 1
                if not self._open[key]:
                    del self._open[key]


class Foundings:
    """The leagues that are being founded in this process, by account."""

    def __init__(self) -> None:
        self._begun: Counter[tuple[UUID, str]] = Counter()

    @contextmanager
    def begun(self, account: UUID, league: str) -> Iterator[frozenset[str]]:
        """
        Count *league* as being founded, inside the block.

        Yields:
            The account's other leagues that were already being founded. Together with the leagues
                in the log, they are all leagues of the account.
        """
        before = frozenset(each for owner, each in self._begun if owner == account)
        self._begun[account, league] += 1
        try:
            yield before
        finally:
            self._begun[account, league] -= 1
            if not self._begun[account, league]:
                del self._begun[account, league]


class Claims:
    """
    The disputes opened in this process that the read model may not know yet.

    A person has a place of their own in each league.
    """

    def __init__(self) -> None:
        self._begun: dict[tuple[str, str], set[str]] = {}

    @contextmanager
    def begun(self, person: tuple[str, str], dispute: str) -> Iterator[frozenset[str]]:
        """
        Count *dispute* as begun. It stays counted until :meth:`forget`, or until the block fails.

        Yields:
            The person's other disputes that were begun earlier.
        """
        mine = self._begun.setdefault(person, set())
        before, again = frozenset(mine - {dispute}), dispute in mine
        mine.add(dispute)
        try:
            yield before
        except BaseException:
            if not again:
                self.forget(person, {dispute})
            raise

    def forget(self, person: tuple[str, str], disputes: Collection[str]) -> None:
        """Count these disputes no longer: the read model knows them, or they were not opened."""
        mine = self._begun.get(person, set())
        mine.difference_update(disputes)
        if not mine:
            self._begun.pop(person, None)


class Limits:
    """
    The rate limits of one process.

    Args:
        settings: The limits of each client.
        proxies: The proxies that may say which address a request comes from.
        now: A monotonic clock, in seconds.
    """

    def __init__(
        self,
        settings: LimitSettings,
        proxies: Proxies,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        def rate(name: str, most: int) -> Buckets:
            return Buckets(Policy(name, most * BURST_SECONDS, BURST_SECONDS), now)

        def hourly(name: str, most: int) -> Buckets:
            return Buckets(Policy(name, most, HOUR), now)

        def of_sandbox(name: str, most: int) -> Buckets:
            return Buckets(Policy(name, most, TEN_MINUTES), now)

        self.settings = settings
        self.streams = Streams(settings)
        self.crowd = Crowd(settings.process_requests, now)
        self.foundings = Foundings()
        self.claims = Claims()
        self._proxies = proxies
        self._tokens = rate("token", settings.token_requests)
        self._accounts = rate("account", settings.account_requests)
        self._addresses = rate("address", settings.address_requests)
        self._open = rate("open", settings.open_requests)
        self._sign_ups = hourly("accounts", settings.address_accounts)
        self._mails = hourly("mails", settings.address_mails)
        self._mails_to = hourly("mails_to", settings.account_mails)
        self._refusals = hourly("refusals", settings.account_refusals)
        self._simulations = hourly("simulations", settings.account_simulations)
        self._audits = hourly("audits", settings.account_audits)
        self._sandbox = of_sandbox("sandbox", settings.account_sandbox_entries)
        self._sandbox_here = of_sandbox("sandbox_address", settings.address_sandbox_entries)
        self._known: OrderedDict[bytes, tuple[int, int]] = OrderedDict()

    def admit(self, scope: Scope, secret: str | None = None) -> Admitted | None:
        """
        Count the request in *scope*. Return None for paths without a limit.

        Args:
            secret: The token of a session, whose request has no header ``Authorization``.

        Raises:
            TooManyRequests: If its token, its account or its address has sent too many.
        """
        if scope["path"] in _ALWAYS:
            return None
        address = _counted(self._proxies.client_address(scope))
        if secret is None:
            known = self._token_of(scope)
        else:
            known = self._known.get(_digest(secret.encode()))
        if known is None:
            _take(self._open, address, "too many requests without a valid token from this address")
            return Admitted(self._open, address)
        token, account = known
        _take(self._tokens, token, "too many requests with this token")
        _take(self._accounts, account, "too many requests with this account")
        _take(self._addresses, address, "too many requests from this address")
        return Admitted(self._tokens, token)

    def remember(self, text: str, principal: Principal | None) -> None:
        """Remember the owner of the valid token *text*, or forget an invalid one."""
        digest = _digest(text.encode())
        self._known.pop(digest, None)
        if principal is not None:
            # Integers, because each request compares them three times.
            self._known[digest] = principal.token.int, principal.account.number.int
            if len(self._known) > _KNOWN_MAX:
                self._known.popitem(last=False)

    def sign_up(self, scope: Scope) -> None:
        """
        Count a new account.

        Raises:
            TooManyRequests: If the address has made too many accounts within the hour.
        """
        address = _counted(self._proxies.client_address(scope))
        _take(self._sign_ups, address, "too many accounts were made from this address")

    def ask_mail(self, scope: Scope, about: Hashable) -> None:
        """
        Count a mail that a client asks for.

        Args:
            about: The account, as the client named it. It need not exist.

        Raises:
            TooManyRequests: If the address has asked for too many, or too many were asked for
                this account.
        """
        address = _counted(self._proxies.client_address(scope))
        _take(self._mails, address, "too many mails were asked for from this address")
        _take(self._mails_to, about, "too many mails were asked for this account")

    def ask_own_mail(self, account: UUID) -> None:
        """
        Count a mail that somebody asks for who is signed in: strangers at the same address cannot
        use it up.

        Raises:
            TooManyRequests: If the account has asked for too many.
        """
        _take(self._mails_to, account, "too many mails were asked for this account")

    def simulate(self, account: UUID) -> None:
        """
        Count a simulation.

        Raises:
            TooManyRequests: If the account has asked for too many within the hour.
        """
        _take(self._simulations, account, "too many simulations with this account")

    def audit(self, account: UUID) -> None:
        """
        Count an audit.

        Raises:
            TooManyRequests: If the account has asked for too many within the hour.
        """
        _take(self._audits, account, "too many audits with this account")

    def enter_sandbox(self, scope: Scope, account: UUID) -> None:
        """
        Count an entry in the standing sandbox.

        Raises:
            TooManyRequests: If the account or the address has entered too often lately.
        """
        address = _counted(self._proxies.client_address(scope))
        _take(self._sandbox, account, "too many entries in the sandbox league with this account")
        _take(self._sandbox_here, address, "too many entries in the sandbox league from here")

    def keeps_refusal(self, account: UUID) -> bool:
        """Count a refused command of *account*. Return whether it may still be stored."""
        return self._refusals.take(account) == 0

    def _token_of(self, scope: Scope) -> tuple[int, int] | None:
        """Return token and account of a request, if the token was valid when last looked up."""
        for name, value in scope["headers"]:
            if name == b"authorization":
                _, _, text = value.partition(b" ")
                return self._known.get(_digest(text.strip()))
        return None


def demand_room(quota: str, held: int, most: int) -> None:
    """
    Check that a client may have one more item under *quota*.

    Raises:
        QuotaExhausted: If it already has *most*.
    """
    if held >= most:
        raise QuotaExhausted(f"there are {most} {quota} already; end one first", quota=quota)


def refused_headers(error: TooManyRequests) -> dict[str, str]:
    """Return ``Retry-After`` and the headers of the exceeded limit."""
    return {"Retry-After": str(ceil(error.seconds)), **error.headers}


def _holders(reader: Principal | str) -> tuple[_Holder, ...]:
    if isinstance(reader, str):
        return ("address", _counted(reader)), ("strangers", None), ("process", None)
    own = ("token", reader.token), ("account", reader.account.number)
    return (*own, ("process", None))


def _take(buckets: Buckets, key: Hashable, detail: str) -> None:
    wait = buckets.take(key)
    if wait:
        headers = {name.decode(): value.decode() for name, value in _headers(buckets, key, wait)}
        raise TooManyRequests(detail, seconds=wait, headers=headers, limit=buckets.policy.name)


def _headers(buckets: Buckets, key: Hashable, wait: float) -> list[tuple[bytes, bytes]]:
    return [
        (b"ratelimit", buckets.state(key, wait).encode()),
        (b"ratelimit-policy", buckets.policy.header.encode()),
    ]


def _digest(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=16).digest()


@lru_cache(maxsize=4096)
def _counted(address: str) -> str:
    """Return the unit that is counted for an address: an IPv6 /64 network, or the IPv4 address."""
    if address == UNKNOWN or not isinstance(ip_address(address), IPv6Address):
        return address
    return str(ip_network(f"{address}/64", strict=False))
